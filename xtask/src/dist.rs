//! `cargo xtask dist`: what is given to others, in `target/dist`: the statically linked binary, the wheel, man pages, completions,
//! and checksums of all.

use std::path::Path;
use std::process::Command;

use crate::run::{cargo, run, target};
use crate::wheel;

/// No image is to be larger than this.
const LARGEST: u64 = 40_000_000;
/// Each shell, and the name of its file of completions.
const SHELLS: [(&str, &str); 3] = [("bash", "tensorfleet"), ("zsh", "_tensorfleet"), ("fish", "tensorfleet.fish")];

pub fn dist() -> Result<(), String> {
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let out = target().join("dist");
    let _ = std::fs::remove_dir_all(&out);
    let failed = |error: std::io::Error| format!("{}: {error}", out.display());
    for folder in ["man", "completions"] {
        std::fs::create_dir_all(out.join(folder)).map_err(failed)?;
    }

    // With a target of its own, so that the flag is not for what runs while compiling.
    let mut build = cargo(&["build", "--release", "--locked", "--package", "tensorfleet-cli", "--target", &platform]);
    build.env("RUSTFLAGS", "-C target-feature=+crt-static");
    run("the static binary", &mut build, 40)?;
    let binary = out.join("tensorfleet");
    std::fs::copy(target().join(&platform).join("release/tensorfleet"), &binary).map_err(failed)?;
    run("strip", Command::new("strip").arg(&binary), 1)?;
    let size = check_static(&binary)?;

    run("man pages", Command::new(&binary).arg("manual").arg(out.join("man")), 1)?;
    for (shell, file) in SHELLS {
        let made = Command::new(&binary).args(["completions", shell]).output().map_err(failed)?;
        if !made.status.success() {
            return Err(format!("completions for {shell}: {}", String::from_utf8_lossy(&made.stderr)));
        }
        std::fs::write(out.join("completions").join(file), made.stdout).map_err(failed)?;
    }
    match wheel::build("release", "wheels", 30) {
        Ok(wheel) => {
            let name = wheel.file_name().ok_or("the wheel has no name")?;
            std::fs::copy(&wheel, out.join(name)).map_err(failed)?;
        }
        Err(reason) => println!("without the wheel: {reason}"),
    }
    let sums = "find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum > SHA256SUMS && sha256sum --check --quiet SHA256SUMS";
    run("checksums", Command::new("sh").args(["-c", &format!("cd '{}' && {sums}", out.display())]), 1)?;
    println!("\n{} has a binary of {:.1} MB", out.display(), size as f64 / 1e6);
    Ok(())
}

/// The size of a binary that needs nothing of the system but its kernel.
///
/// # Errors
/// If it names a program that loads it, or is too large for the image.
fn check_static(binary: &Path) -> Result<u64, String> {
    let bytes = std::fs::read(binary).map_err(|error| format!("{}: {error}", binary.display()))?;
    if needs_interpreter(&bytes).ok_or_else(|| format!("{} is no program of 64 bits", binary.display()))? {
        return Err(format!("{} is not linked statically", binary.display()));
    }
    let size = bytes.len() as u64;
    if size > LARGEST {
        return Err(format!("{} has {size} bytes, more than {LARGEST}", binary.display()));
    }
    Ok(size)
}

/// Whether a program in the ELF format of little-endian machines of 64 bits has a segment that names an interpreter.
fn needs_interpreter(bytes: &[u8]) -> Option<bool> {
    const INTERPRETER: u32 = 3;
    let number = |at: usize, size: usize| -> Option<usize> {
        let field = bytes.get(at..at.checked_add(size)?)?;
        Some(field.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    if bytes.get(..6)? != [0x7f, b'E', b'L', b'F', 2, 1] {
        return None;
    }
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut kinds = (0..count).map(|segment| number(table.checked_add(segment * size)?, 4));
    kinds.try_fold(false, |found, kind| Some(found || kind? as u32 == INTERPRETER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_loaded_by_another_is_found_out() {
        // This test itself is linked dynamically unless told otherwise.
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(needs_interpreter(&own), Some(!cfg!(target_feature = "crt-static")));
        assert_eq!(needs_interpreter(b"#!/bin/sh\n"), None);
        assert_eq!(needs_interpreter(&own[..70]), None);
    }
}
