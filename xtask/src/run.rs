//! Running programs with a time limit.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What has been run so far, and how long each took.
static TOOK: Mutex<Vec<(String, Duration)>> = Mutex::new(Vec::new());

/// What has been run so far, in order, and how long each took.
pub fn took() -> Vec<(String, Duration)> {
    TOOK.lock().map(|took| took.clone()).unwrap_or_default()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    // xtask lies directly below the root.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs a program in the root; fails if it fails or takes longer than `minutes`.
pub fn run(name: &str, command: &mut Command, minutes: u64) -> Result<(), String> {
    println!("\n==> {name}");
    let begin = Instant::now();
    let mut child =
        command.current_dir(root()).spawn().map_err(|error| format!("{name}: cannot start {command:?}: {error}"))?;
    let status = wait(&mut child, Duration::from_secs(minutes * 60)).map_err(|error| format!("{name}: {error}"));
    if let Ok(mut took) = TOOK.lock() {
        took.push((name.to_owned(), begin.elapsed()));
    }
    let status = status?;
    if !status.success() {
        return Err(format!("{name}: failed with {status}"));
    }
    println!("<== {name}: fine after {:.0} s", begin.elapsed().as_secs_f64());
    Ok(())
}

fn wait(child: &mut Child, limit: Duration) -> Result<std::process::ExitStatus, String> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        if begin.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("stopped after {} minutes", limit.as_secs() / 60));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(arguments);
    if std::env::var_os("CI").is_some() {
        // Nothing is compiled a second time there: what would speed that up only takes half of the disk.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Warns if the disk has less room than everything together takes: a linker that runs out of it only says "bus error".
pub fn check_disk(gigabytes: u64) {
    let Ok(output) = Command::new("df").arg("-Pk").arg(root()).output() else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    let free = text.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    if let Some(free) = free.map(|kilobytes| kilobytes >> 20)
        && free < gigabytes
    {
        println!("warning: {free} GB of disk are free; building and testing from nothing takes about {gigabytes} GB");
    }
}
