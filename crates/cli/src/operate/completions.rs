//! `tensorfleet completions`: what a shell needs to complete commands and flags.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use tensor::Result;

use crate::output;

#[derive(Args)]
pub struct CompletionsCommand {
    /// The shell: source what is printed, or put it where the shell looks for completions.
    shell: Shell,
}

impl CompletionsCommand {
    pub fn run<C: CommandFactory>(self) -> Result<bool> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut C::command(), "tensorfleet", &mut text);
        output::text(String::from_utf8_lossy(&text));
        Ok(true)
    }
}
