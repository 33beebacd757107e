//! `ckpt to-npz` and `from-npz`: arrays for numpy, and back.

use std::io::{BufReader, Read, Write};
use std::path::PathBuf;

use bytes::Bytes;
use clap::Args;
use files::atomic::AtomicFile;
use files::{BundleWriter, CheckpointReader};
use tensor::{DType, Result, Shape, Status, Tensor, ensure, err};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::npy::{self, Head, Kind};
use super::progress::Progress;
use super::{check_free, open, text};
use crate::output;

const PIECE: usize = 1 << 18;

#[derive(Args)]
pub struct ToNpz {
    /// The checkpoint, or its folder.
    checkpoint: PathBuf,
    /// The file to write.
    file: PathBuf,
    /// Replace a file of that name.
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
pub struct FromNpz {
    /// The file of numpy.savez or numpy.savez_compressed.
    file: PathBuf,
    /// The checkpoint to write.
    checkpoint: PathBuf,
    /// Replace a checkpoint of that name.
    #[arg(long)]
    force: bool,
}

fn broken(error: zip::result::ZipError) -> Status {
    match error {
        zip::result::ZipError::Io(error) => Status::from(error),
        other => err!(DataLoss, "{other}"),
    }
}

impl ToNpz {
    pub fn run(self) -> Result<()> {
        let reader = open(&self.checkpoint)?;
        check_free(&self.file, self.force)?;
        let entries = reader.entries()?;
        let bytes = entries.iter().map(text::bytes_of).sum();
        let progress = Progress::new("writing", bytes);
        let mut archive = ZipWriter::new_stream(AtomicFile::create(&self.file)?);
        for entry in &entries {
            // Sizes are not known beforehand to the format's head, so that it must be told of large ones.
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
            archive.start_file(format!("{}.npy", entry.name), options).map_err(broken)?;
            if entry.dtype == DType::String {
                let (descriptor, bytes) = padded(&reader.lookup(&entry.name)?).map_err(|s| s.context(&entry.name))?;
                archive.write_all(&npy::write_head(&descriptor, entry.shape.dims()))?;
                archive.write_all(&bytes)?;
                continue;
            }
            let descriptor = npy::descriptor(entry.dtype);
            let descriptor = descriptor
                .ok_or_else(|| err!(Unimplemented, "{} is of type {}, which numpy has not", entry.name, entry.dtype))?;
            archive.write_all(&npy::write_head(descriptor, entry.shape.dims()))?;
            reader.read_in_pieces(&entry.name, |piece| {
                progress.add(piece.len());
                Ok(archive.write_all(piece)?)
            })?;
        }
        archive.finish().map_err(broken)?.into_inner().commit()?;
        drop(progress);
        output::line(format_args!("{}: {} arrays, {}", self.file.display(), entries.len(), text::size(bytes)));
        Ok(())
    }
}

/// Strings as numpy keeps them: all of one length, filled up with zeros, which therefore cannot end a string.
fn padded(tensor: &Tensor) -> Result<(String, Vec<u8>)> {
    let strings = tensor.strings()?;
    let length = strings.iter().map(Bytes::len).max().unwrap_or(0).max(1);
    let mut bytes = Vec::with_capacity(length.saturating_mul(strings.len()).min(1 << 30));
    for string in strings {
        ensure!(!string.ends_with(b"\0"), Unimplemented, "a string ends with a zero byte, which numpy would take off");
        bytes.extend_from_slice(string);
        bytes.resize(bytes.len() + length - string.len(), 0);
    }
    Ok((format!("|S{length}"), bytes))
}

impl FromNpz {
    pub fn run(self) -> Result<()> {
        check_free(&self.checkpoint, self.force)?;
        let at = |status: Status| status.context(self.file.display());
        let file = files::place::Reader::open(&self.file).map_err(|error| at(error.into()))?;
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| at(broken(error)))?;
        let mut sizes = Vec::new();
        for place in 0..archive.len() {
            sizes.push(archive.by_index_raw(place).map_err(|error| at(broken(error)))?.size());
        }
        let progress = Progress::new("writing", sizes.iter().sum());
        let mut writer = BundleWriter::new(&self.checkpoint)?;
        for place in 0..archive.len() {
            let mut array = archive.by_index(place).map_err(|error| at(broken(error)))?;
            let name = array.name().map_err(|error| at(broken(error)))?;
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
            let size = array.size();
            add(&mut writer, &name, size, &mut array, &progress).map_err(at)?;
        }
        writer.finish()?;
        drop(progress);
        let written = CheckpointReader::open(&self.checkpoint)?.entries()?;
        let bytes = written.iter().map(text::bytes_of).sum();
        let name = self.checkpoint.display();
        output::line(format_args!("{name}: {} tensors, {}", written.len(), text::size(bytes)));
        Ok(())
    }
}

/// Adds one array. Those in the order of C go through piece by piece, others are put into order in memory.
fn add(writer: &mut BundleWriter, name: &str, size: u64, array: &mut impl Read, progress: &Progress) -> Result<()> {
    let head = npy::read_head(name, array)?;
    let shape = Shape::new(&head.shape)?;
    let bytes = (shape.num_elements() as u64).saturating_mul(head.kind.size() as u64);
    ensure!(
        bytes <= size,
        DataLoss,
        "{name} of shape {shape} takes {bytes} bytes, more than the {size} that are there"
    );
    match head.kind {
        Kind::Plain { dtype, swapped } if !head.fortran => writer.add_in_pieces(name, dtype, &shape, |take| {
            let mut left = bytes as usize;
            let mut piece = vec![0; PIECE.min(left)];
            while left > 0 {
                let piece = &mut piece[..PIECE.min(left)];
                array.read_exact(piece).map_err(|error| Status::from(error).context(name))?;
                if swapped {
                    turn(dtype, piece);
                }
                take(piece)?;
                progress.add(piece.len());
                left -= piece.len();
            }
            Ok(())
        }),
        _ => {
            let mut content = vec![0; bytes as usize];
            array.read_exact(&mut content).map_err(|error| Status::from(error).context(name))?;
            progress.add(content.len());
            writer.add(name, &in_memory(&head, shape, content)?)
        }
    }
}

fn in_memory(head: &Head, shape: Shape, content: Vec<u8>) -> Result<Tensor> {
    let content = if head.fortran { rows_first(&head.shape, head.kind.size(), &content) } else { content };
    match head.kind {
        Kind::Plain { dtype, swapped } => {
            let mut content = content;
            if swapped {
                turn(dtype, &mut content);
            }
            Tensor::from_bytes(dtype, shape, content.into())
        }
        Kind::Bytes(length) => {
            let end = |string: &[u8]| string.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let all = (0..shape.num_elements()).map(|at| &content[at * length..(at + 1) * length]);
            let strings = all.map(|string| Bytes::copy_from_slice(&string[..end(string)])).collect();
            Tensor::from_strings(shape, strings)
        }
        Kind::Text { characters, swapped } => {
            let text = |at: usize| -> Result<Bytes> {
                let codes = content[at * characters * 4..(at + 1) * characters * 4].as_chunks::<4>().0.iter();
                let codes =
                    codes.map(|code| if swapped { u32::from_be_bytes(*code) } else { u32::from_le_bytes(*code) });
                let text: Option<String> = codes.map(char::from_u32).collect();
                let text = text.ok_or_else(|| err!(DataLoss, "an element is not Unicode"))?;
                Ok(Bytes::from(text.trim_end_matches('\0').to_owned()))
            };
            Tensor::from_strings(shape.clone(), (0..shape.num_elements()).map(text).collect::<Result<_>>()?)
        }
    }
}

/// Turns the bytes of every number round; complex ones are two numbers.
fn turn(dtype: DType, bytes: &mut [u8]) {
    let size = if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() };
    bytes.chunks_exact_mut(size.max(1)).for_each(<[u8]>::reverse);
}

/// The elements of an array that lie columns first, rows first.
fn rows_first(dims: &[i64], size: usize, content: &[u8]) -> Vec<u8> {
    let mut ordered = Vec::with_capacity(content.len());
    let mut index = vec![0usize; dims.len()];
    for _ in 0..content.len() / size.max(1) {
        let at = index.iter().zip(dims).rev().fold(0, |at, (index, dim)| at * *dim as usize + index);
        ordered.extend_from_slice(&content[at * size..(at + 1) * size]);
        for (index, dim) in index.iter_mut().zip(dims).rev() {
            *index += 1;
            if *index < *dim as usize {
                break;
            }
            *index = 0;
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_first_becomes_rows_first() {
        // [[0, 1, 2], [3, 4, 5]]
        assert_eq!(rows_first(&[2, 3], 1, &[0, 3, 1, 4, 2, 5]), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn bytes_are_turned_by_number() {
        let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        turn(DType::Complex64, &mut bytes);
        assert_eq!(bytes, [4, 3, 2, 1, 8, 7, 6, 5]);
    }

    #[test]
    fn strings_that_numpy_would_cut_are_refused() {
        assert_eq!(padded(&Tensor::string_vector(["ab", "c"])).unwrap(), ("|S2".to_owned(), b"abc\0".to_vec()));
        assert!(padded(&Tensor::string_vector(["a\0"])).is_err());
    }
}
