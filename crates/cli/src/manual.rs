//! `tensorfleet manual`: the pages for `man`, made from what the commands say of themselves.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use tensor::{Result, Status};

use crate::output;

#[derive(Args)]
pub struct Manual {
    /// Where the pages go: tensorfleet.1, tensorfleet-serve.1 and so on.
    folder: PathBuf,
}

impl Manual {
    pub fn run<C: CommandFactory>(self) -> Result<()> {
        let failed = |error: std::io::Error| {
            Status::from(error).context(format_args!("writing pages of the manual to {}", self.folder.display()))
        };
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        let mut command = C::command().version(env!("CARGO_PKG_VERSION"));
        // The flags of the version are our own, so that it can be told at length.
        command = command.disable_version_flag(true).disable_help_subcommand(true);
        clap_mangen::generate_to(command, &self.folder).map_err(failed)?;
        output::line(format_args!("{}", self.folder.display()));
        Ok(())
    }
}
