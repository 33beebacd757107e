//! `tensorfleet ckpt`: look into checkpoints, compare, check and rewrite them, without a program that knows the model.

mod compare;
pub mod list;
mod npy;
mod npz;
mod progress;
mod rewrite;
mod show;
pub mod text;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use files::{CheckpointReader, latest_checkpoint, place};
use tensor::{Result, ensure, err};

/// Look into checkpoints, ours and TensorFlow's, of V1 and V2.
///
/// A checkpoint is named by its prefix (`logs/model.ckpt-7`), or by its folder, which means the newest one in it.
#[derive(Args)]
pub struct Ckpt {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the checkpoints of a folder.
    Ls(list::List),
    /// List the tensors of a checkpoint.
    Show(show::Show),
    /// Print a tensor, or a slice of it.
    Cat(show::Cat),
    /// Compare two checkpoints; the exit code is 0 if they hold the same, 1 if not and 2 if that cannot be told.
    Diff(compare::Diff),
    /// Read everything and compare checksums; the exit code is 1 if anything is damaged or missing.
    Verify(verify::Verify),
    /// Join checkpoints that hold different tensors.
    Merge(rewrite::Merge),
    /// Write a checkpoint anew with another number of data files.
    Reshard(rewrite::Reshard),
    /// Write a checkpoint anew with other names of its tensors.
    Rename(rewrite::Rename),
    /// Write a checkpoint anew in the other format.
    Convert(rewrite::Convert),
    /// Write the tensors of a checkpoint to a file that numpy.load reads.
    ToNpz(npz::ToNpz),
    /// Write the arrays of a file of numpy.savez to a checkpoint.
    FromNpz(npz::FromNpz),
}

impl Ckpt {
    pub fn run(self) -> Result<ExitCode> {
        let done = |()| ExitCode::SUCCESS;
        match self.command {
            Command::Ls(command) => command.run().map(done),
            Command::Show(command) => command.run().map(done),
            Command::Cat(command) => command.run().map(done),
            Command::Diff(command) => command.run(),
            Command::Verify(command) => command.run(),
            Command::Merge(command) => command.run().map(done),
            Command::Reshard(command) => command.run().map(done),
            Command::Rename(command) => command.run().map(done),
            Command::Convert(command) => command.run().map(done),
            Command::ToNpz(command) => command.run().map(done),
            Command::FromNpz(command) => command.run().map(done),
        }
    }
}

/// Opens the checkpoint of this name, or the newest of a folder. A file of a checkpoint stands for it.
fn open(name: &Path) -> Result<CheckpointReader> {
    let reader = CheckpointReader::open(prefix(name)?);
    reader.map_err(|status| match status.code() {
        // A store has more to say than that a file is missing.
        tensor::Code::NotFound if !place::is_url(name) => err!(NotFound, "there is no checkpoint {}", name.display()),
        _ => status,
    })
}

fn prefix(name: &Path) -> Result<PathBuf> {
    if place::metadata(name).is_ok_and(|found| found.is_folder) {
        let latest = latest_checkpoint(name)?;
        return latest.ok_or_else(|| err!(NotFound, "{} has no checkpoint (or no file `checkpoint`)", name.display()));
    }
    let text = name.to_string_lossy();
    let stem = text.strip_suffix(".index").or_else(|| text.rsplit_once(".data-").map(|(stem, _)| stem));
    Ok(stem.map_or_else(|| name.to_owned(), PathBuf::from))
}

/// Refuses to write over a checkpoint unless told to.
fn check_free(out: &Path, force: bool) -> Result<()> {
    ensure!(
        force || !files::checkpoint_exists(out) && !place::metadata(out).is_ok_and(|found| !found.is_folder),
        AlreadyExists,
        "{} exists; --force replaces it",
        out.display()
    );
    Ok(())
}
