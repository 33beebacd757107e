//! `cargo xtask fuzz` and `cargo xtask soak`: what takes too long for every change, for as long as told.

use crate::run::{cargo, run, target};

const FUZZ: &str = "usage: cargo xtask fuzz [TARGET] [--minutes N] [--seed S]";
const SOAK: &str = "usage: cargo xtask soak [--minutes N]";

/// Runs one fuzz target, or all, for so many minutes each.
pub fn fuzz(arguments: &[String]) -> Result<(), String> {
    let (target, rest) = match arguments.split_first() {
        Some((name, rest)) if !name.starts_with("--") => (name.as_str(), rest),
        _ => ("", arguments),
    };
    let (minutes, seed) = numbers(rest, FUZZ)?;
    // Those that belong to the command are in its own tests.
    let parts =
        [vec!["-p", "tensorfleet-tests", "--test", "fuzz"], vec!["-p", "tensorfleet-cli", "--bin", "tensorfleet"]];
    for (part, filter) in parts.into_iter().zip(["", "damaged_"]) {
        let mut command = cargo(&["test"]);
        command.args(part).arg(if target.is_empty() { filter } else { target });
        command.args(["--", "--nocapture", "--test-threads", "1"]);
        command.env("FUZZ_SECONDS", (minutes * 60).to_string()).env("FUZZ_SEED", seed.to_string());
        // There are about thirty targets.
        run("fuzzing", &mut command, if target.is_empty() { 40 * minutes + 30 } else { 8 * minutes + 30 })?;
    }
    Ok(())
}

/// Lets clients and workers come and go for so many minutes.
pub fn soak(arguments: &[String]) -> Result<(), String> {
    let (minutes, _) = numbers(arguments, SOAK)?;
    run("building the server", &mut cargo(&["build", "-p", "tensorfleet-cli"]), 30)?;
    run("building its clients", &mut cargo(&["build", "-p", "tensorfleet-tests", "--bin", "soak"]), 30)?;
    let folder = target().join("debug");
    let mut command = std::process::Command::new(folder.join("soak"));
    command.arg(folder.join("tensorfleet")).arg(minutes.to_string());
    run("soaking", &mut command, minutes + 5)
}

/// The minutes and the seed.
fn numbers(arguments: &[String], usage: &str) -> Result<(u64, u64), String> {
    let (mut minutes, mut seed) = (10, 1);
    for pair in arguments.chunks(2) {
        let number = |text: &str| text.parse().map_err(|_| format!("'{text}' is not a number"));
        match pair {
            [flag, value] if flag == "--minutes" => minutes = number(value)?,
            [flag, value] if flag == "--seed" => seed = number(value)?,
            _ => return Err(usage.to_owned()),
        }
    }
    Ok((minutes, seed))
}
