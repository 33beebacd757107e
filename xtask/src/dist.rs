//! `cargo xtask dist`: what is given to others, in `target/dist`: the statically linked binary, the wheel, man pages, completions,
//! and checksums of all. The last release stays there until the new one is whole.

use std::path::Path;
use std::process::Command;

use crate::run::{cargo, run, target};
use crate::wheel;

/// No image is to be larger than this.
const LARGEST: u64 = 40_000_000;
/// Each shell, and the name of its file of completions.
const SHELLS: [(&str, &str); 3] = [("bash", "tensorfleet"), ("zsh", "_tensorfleet"), ("fish", "tensorfleet.fish")];

const HELP: &str = "usage: cargo xtask dist [--without_wheel]

Makes target/dist: the statically linked binary, the wheel of the Python package, man pages, completions for shells, and SHA256SUMS
of all. Building takes from ten minutes to an hour. The wheel needs Python 3; --without_wheel leaves it out.
";

pub fn dist(arguments: &[String]) -> Result<(), String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let with_wheel = match arguments.as_slice() {
        [] => true,
        ["--without_wheel" | "--without-wheel"] => false,
        ["--help" | "-h"] => {
            print!("{HELP}");
            return Ok(());
        }
        others => return Err(format!("dist: unexpected arguments {others:?}\n\n{HELP}")),
    };
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let (whole, out) = (target().join("dist"), target().join("dist-new"));
    let failed = |error: std::io::Error| format!("{}: {error}", out.display());
    // What cannot be written is found out before anything is built.
    emptied(&out).map_err(failed)?;
    for folder in ["man", "completions"] {
        std::fs::create_dir_all(out.join(folder)).map_err(failed)?;
    }

    // With a target of its own, so that the flag is not for what runs while compiling.
    let mut build =
        cargo(&["build", "--profile", "small", "--locked", "--package", "tensorfleet-cli", "--target", &platform]);
    build.env("RUSTFLAGS", flags()).env_remove("CARGO_ENCODED_RUSTFLAGS");
    run("the static binary", &mut build, 60)?;
    let binary = out.join("tensorfleet");
    std::fs::copy(target().join(&platform).join("small/tensorfleet"), &binary).map_err(failed)?;
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
    if with_wheel {
        let built = wheel::build("release", "wheels", 60);
        let wheel =
            built.map_err(|reason| format!("{reason}\nto do without the wheel: cargo xtask dist --without_wheel"))?;
        let name = wheel.file_name().ok_or("the wheel has no name")?;
        std::fs::copy(&wheel, out.join(name)).map_err(failed)?;
    }
    let sums = "find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum > SHA256SUMS && sha256sum --check --quiet SHA256SUMS";
    run("checksums", Command::new("sh").args(["-c", &format!("cd \"$0\" && {sums}")]).arg(&out), 1)?;
    emptied(&whole).and_then(|()| std::fs::rename(&out, &whole)).map_err(failed)?;
    println!("\n{} has a binary of {:.1} MB", whole.display(), size as f64 / 1e6);
    Ok(())
}

/// How the binary is linked: statically, and where Rust's own linker does it, with functions of the same code kept once.
fn flags() -> &'static str {
    if cfg!(target_arch = "x86_64") {
        "-C target-feature=+crt-static -C link-arg=-Wl,--icf=all"
    } else {
        "-C target-feature=+crt-static"
    }
}

/// Removes a folder, if it is there.
fn emptied(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
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
    fn wrong_use_builds_nothing() {
        let said = dist(&["--static".to_owned()]).unwrap_err();
        assert!(said.contains("[\"--static\"]") && said.contains("usage: cargo xtask dist"), "{said}");
        assert_eq!(dist(&["--help".to_owned()]), Ok(()));
    }

    #[test]
    fn a_program_that_is_loaded_by_another_is_found_out() {
        // This test itself is linked dynamically unless told otherwise.
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(needs_interpreter(&own), Some(!cfg!(target_feature = "crt-static")));
        assert_eq!(needs_interpreter(b"#!/bin/sh\n"), None);
        assert_eq!(needs_interpreter(&own[..70]), None);
    }
}
