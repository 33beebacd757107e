//! `ckpt merge`, `reshard`, `rename` and `convert`: a checkpoint made of others, which stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use files::bundle::BundleEntry;
use files::{BundleWriter, CheckpointReader, SlicesWriter, merge_bundles, place};
use tensor::{DType, Result, Status, bail, ensure};

use super::progress::Progress;
use super::{check_free, open, text};
use crate::output;

/// More files than anybody has parameter servers.
const MAX_SHARDS: u32 = 1000;

#[derive(Args)]
pub struct Merge {
    /// The checkpoints.
    #[arg(required = true, num_args = 2..)]
    checkpoints: Vec<PathBuf>,
    #[command(flatten)]
    out: Out,
}

#[derive(Args)]
pub struct Reshard {
    /// The checkpoint, or its folder.
    checkpoint: PathBuf,
    /// How many data files.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SHARDS)))]
    shards: u32,
    #[command(flatten)]
    out: Out,
}

#[derive(Args)]
pub struct Rename {
    /// The checkpoint, or its folder.
    checkpoint: PathBuf,
    /// A tensor and its new name, as `old=new`.
    #[arg(long = "name", value_name = "OLD=NEW", value_parser = pair)]
    names: Vec<(String, String)>,
    /// The beginning of names and what takes its place, as `model/=`.
    #[arg(long = "prefix", value_name = "OLD=NEW", value_parser = pair)]
    prefixes: Vec<(String, String)>,
    #[command(flatten)]
    out: Out,
}

#[derive(Args)]
pub struct Convert {
    /// The checkpoint, or its folder.
    checkpoint: PathBuf,
    /// The format: V2 of TensorFlow 1.0 and later, or V1 of those before.
    #[arg(long, value_enum, ignore_case = true)]
    to: Format,
    #[command(flatten)]
    out: Out,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    V1,
    V2,
}

/// What all of them are told.
#[derive(Args)]
pub struct Out {
    /// The new checkpoint.
    #[arg(long)]
    out: PathBuf,
    /// Replace a checkpoint of that name.
    #[arg(long)]
    force: bool,
}

/// A tensor to be written.
struct Item<'a> {
    reader: &'a CheckpointReader,
    entry: BundleEntry,
    name: String,
}

fn pair(text: &str) -> std::result::Result<(String, String), String> {
    let (old, new) = text.split_once('=').ok_or_else(|| format!("{text:?} is not OLD=NEW"))?;
    Ok((old.to_owned(), new.to_owned()))
}

impl Merge {
    pub fn run(self) -> Result<()> {
        let readers = self.checkpoints.iter().map(|name| open(name)).collect::<Result<Vec<_>>>()?;
        let (mut items, mut seen) = (Vec::new(), BTreeMap::new());
        for (reader, path) in readers.iter().zip(&self.checkpoints) {
            for item in all(reader)? {
                if let Some(other) = seen.insert(item.name.clone(), path) {
                    let (other, path) = (other.display(), path.display());
                    bail!(InvalidArgument, "{} is in both {other} and {path}; rename it in one of them", item.name);
                }
                items.push(item);
            }
        }
        self.out.write(items, 1, Format::V2)
    }
}

impl Reshard {
    pub fn run(self) -> Result<()> {
        let reader = open(&self.checkpoint)?;
        self.out.write(all(&reader)?, self.shards, Format::V2)
    }
}

impl Rename {
    pub fn run(self) -> Result<()> {
        ensure!(
            !self.names.is_empty() || !self.prefixes.is_empty(),
            InvalidArgument,
            "nothing to rename: give --name OLD=NEW or --prefix OLD=NEW"
        );
        let reader = open(&self.checkpoint)?;
        let mut items = all(&reader)?;
        for (old, new) in &self.names {
            let item = items.iter_mut().find(|item| item.entry.name == *old);
            let Some(item) = item else { bail!(NotFound, "{} has no tensor {old}", self.checkpoint.display()) };
            item.name.clone_from(new);
        }
        for (old, new) in &self.prefixes {
            let mut used = false;
            for item in items.iter_mut().filter(|item| item.name == item.entry.name) {
                if let Some(rest) = item.entry.name.strip_prefix(old.as_str()) {
                    item.name = format!("{new}{rest}");
                    used = true;
                }
            }
            ensure!(used, NotFound, "{} has no tensor whose name begins with {old}", self.checkpoint.display());
        }
        let mut seen = BTreeSet::new();
        for item in &items {
            ensure!(!item.name.is_empty(), InvalidArgument, "{} would have no name", item.entry.name);
            ensure!(seen.insert(&item.name), InvalidArgument, "two tensors would be named {}", item.name);
        }
        self.out.write(items, 1, Format::V2)
    }
}

impl Convert {
    pub fn run(self) -> Result<()> {
        let reader = open(&self.checkpoint)?;
        self.out.write(all(&reader)?, 1, self.to)
    }
}

fn all(reader: &CheckpointReader) -> Result<Vec<Item<'_>>> {
    let item = |entry: BundleEntry| Item { reader, name: entry.name.clone(), entry };
    Ok(reader.entries()?.into_iter().map(item).collect())
}

impl Out {
    fn write(&self, items: Vec<Item<'_>>, shards: u32, format: Format) -> Result<()> {
        check_free(&self.out, self.force)?;
        let (count, bytes) = (items.len(), items.iter().map(|item| text::bytes_of(&item.entry)).sum());
        let progress = Progress::new("writing", bytes);
        match (format, shards) {
            (Format::V1, _) => write_v1(&self.out, &items, &progress)?,
            (Format::V2, 1) => write_v2(&self.out, &items, &progress)?,
            (Format::V2, shards) => {
                let parts = spread(items, shards as usize);
                let prefixes: Vec<PathBuf> = (0..parts.len()).map(|part| part_of(&self.out, part)).collect();
                let written =
                    prefixes.iter().zip(&parts).try_for_each(|(prefix, items)| write_v2(prefix, items, &progress));
                let merged = written.and_then(|()| merge_bundles(&prefixes, &self.out, false));
                if merged.is_err() {
                    prefixes.iter().for_each(|prefix| remove(prefix));
                }
                merged?;
            }
        }
        drop(progress);
        output::line(format_args!("{}: {count} tensors, {}", self.out.display(), text::size(bytes)));
        Ok(())
    }
}

/// Parts of about the same size, the largest tensors first.
fn spread(mut items: Vec<Item<'_>>, shards: usize) -> Vec<Vec<Item<'_>>> {
    items.sort_by_key(|item| std::cmp::Reverse(text::bytes_of(&item.entry)));
    let mut parts: Vec<(u64, Vec<Item<'_>>)> = (0..shards).map(|_| (0, Vec::new())).collect();
    for item in items {
        if let Some((bytes, part)) = parts.iter_mut().min_by_key(|(bytes, part)| (*bytes, part.len())) {
            *bytes += text::bytes_of(&item.entry);
            part.push(item);
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// The name of a part until all are written, beside the whole so that renaming is enough.
fn part_of(out: &Path, part: usize) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(format!(".part-{part:05}-{}", std::process::id()));
    PathBuf::from(name)
}

fn remove(prefix: &Path) {
    let _ = place::remove_file(&files::bundle::index_path(prefix));
    let _ = place::remove_file(&files::bundle::data_path(prefix, 0, 1));
}

fn write_v2(out: &Path, items: &[Item<'_>], progress: &Progress) -> Result<()> {
    let mut writer = BundleWriter::new(out)?;
    for item in items {
        let Item { reader, entry, name } = item;
        if entry.dtype == DType::String {
            writer.add(name, &reader.lookup(&entry.name)?)?;
            continue;
        }
        writer.add_in_pieces(name, entry.dtype, &entry.shape, |take| {
            reader.read_in_pieces(&entry.name, |piece| {
                progress.add(piece.len());
                take(piece)
            })
        })?;
    }
    writer.finish()
}

fn write_v1(out: &Path, items: &[Item<'_>], progress: &Progress) -> Result<()> {
    if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        place::create_folder(folder).map_err(|error| Status::from(error).context(folder.display()))?;
    }
    let mut writer = SlicesWriter::new(out)?;
    for Item { reader, entry, name } in items {
        writer.add(name, &reader.lookup(&entry.name)?)?;
        progress.add(text::bytes_of(entry) as usize);
    }
    writer.finish()
}
