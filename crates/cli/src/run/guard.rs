//! The process between us and a task's program: it ends the program when our end of its standard input closes, however that
//! comes about, so that nothing is left behind.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use clap::Args;
use rustix::process::{Pid, Signal, kill_process_group};
use tensor::{Result, Status};

use crate::signals::on_signals;

/// Added to the number of the signal that has ended a program, as shells do.
pub const SIGNALLED: i32 = 128;

/// One task of `run`.
#[derive(Args)]
pub struct RunTask {
    /// How long the program may take to stop.
    #[arg(long = "grace_secs")]
    grace_secs: u64,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

impl RunTask {
    pub fn run(self) -> Result<ExitCode> {
        let mut command = Command::new(&self.command[0]);
        // In a group of its own, with which whatever it starts is ended.
        command.args(&self.command[1..]).stdin(Stdio::null()).process_group(0);
        let mut child = command
            .spawn()
            .map_err(|error| Status::from(error).context(format_args!("starting {}", self.command[0])))?;
        let group = Pid::from_child(&child);
        let stop = move |grace: Duration| {
            let _ = kill_process_group(group, Signal::TERM);
            std::thread::sleep(grace);
            let _ = kill_process_group(group, Signal::KILL);
        };
        let grace = Duration::from_secs(self.grace_secs);
        let mut signals = 0;
        on_signals(move || {
            signals += 1;
            let _ = kill_process_group(group, if signals == 1 { Signal::TERM } else { Signal::KILL });
            true
        })?;
        std::thread::spawn(move || {
            // Nobody writes: this returns when the other end is closed.
            let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
            stop(grace);
        });
        let status = child.wait()?;
        // What it has started must not outlive it.
        let _ = kill_process_group(group, Signal::KILL);
        let code = status.code().unwrap_or_else(|| SIGNALLED + status.signal().unwrap_or(0));
        Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
    }
}
