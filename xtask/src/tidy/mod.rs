//! `cargo xtask test tidy`: the invariants of ARCHITECTURE.md, checked by reading the repository.
//!
//! Each rule is a function of the files, so that its tests can show it a small tree in which it is broken. A rule that gets in
//! the way is changed here and in ARCHITECTURE.md together, with its reason.

mod crates;
mod examples;
mod heads;
mod judge;
mod layers;
mod machines;
mod network;
mod op_names;
mod protobuf;
mod source;
mod translations;
mod unsafe_code;

use std::fmt;
use std::process::Command;

use crate::run::root;

/// A file of the repository: its path from the root, and its text.
pub struct File {
    pub path: String,
    pub text: String,
}

impl File {
    /// Whether this is Rust code of a crate's library or binary, as opposed to tests, examples and benchmarks.
    fn is_product(&self) -> bool {
        self.path.starts_with("crates/")
            && self.path.contains("/src/")
            && self.path.ends_with(".rs")
            && !self.path.ends_with("/tests.rs")
            && !self.path.contains("/tests/")
            && !self.path.starts_with("crates/testkit/")
    }
}

/// A place where a rule is broken.
#[derive(Debug, PartialEq)]
pub struct Fault {
    pub path: String,
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.what, self.remedy)
    }
}

fn fault(file: &File, line: usize, what: impl Into<String>, remedy: impl Into<String>) -> Fault {
    Fault { path: file.path.clone(), line, what: what.into(), remedy: remedy.into() }
}

/// Every rule there is.
const RULES: &[(&str, fn(&[File]) -> Vec<Fault>)] = &[
    ("arrows between crates", crates::check),
    ("arrows between the layers of cluster", layers::check),
    ("tokio and tonic", network::check),
    ("unsafe code", unsafe_code::check),
    ("protobuf", protobuf::check),
    ("names of ops in runtime", op_names::check),
    ("head comments", heads::check),
    ("examples of public types", examples::check),
    ("paths of machines", machines::check),
    ("TensorFlow's mode", judge::check),
    ("the README in Chinese", translations::check),
];

/// Checks the repository, and prints what is wrong.
pub fn tidy() -> Result<(), String> {
    let files = read_files()?;
    println!("\n==> tidy");
    let mut count = 0;
    for (name, rule) in RULES {
        let faults = rule(&files);
        for fault in &faults {
            println!("{fault}");
        }
        println!("{name}: {}", if faults.is_empty() { "fine".to_owned() } else { format!("{} wrong", faults.len()) });
        count += faults.len();
    }
    match count {
        0 => Ok(()),
        _ => Err(format!("tidy: {count} places are wrong")),
    }
}

/// The text files that git knows and that still exist, also those not yet committed.
fn read_files() -> Result<Vec<File>, String> {
    let mut command = Command::new("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    let listed = command.output().map_err(|error| format!("cannot ask git for the files: {error}"))?;
    if !listed.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr).trim()));
    }
    let paths = String::from_utf8_lossy(&listed.stdout).into_owned();
    let text = |path: &str| {
        let ending = path.rsplit('.').next().unwrap_or("");
        let read = ["rs", "py", "md", "toml", "proto"].contains(&ending);
        read.then(|| std::fs::read_to_string(root().join(path)).ok()).flatten()
    };
    let files = paths.split_terminator('\0').filter_map(|path| Some(File { path: path.to_owned(), text: text(path)? }));
    Ok(files.collect())
}

#[cfg(test)]
fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_where_it_is_what_is_wrong_and_what_to_do() {
        let made = fault(&file("a.rs", ""), 7, "this is wrong", "do that");
        assert_eq!(made.to_string(), "a.rs:7: this is wrong: do that");
    }

    #[test]
    fn the_repository_is_read() {
        let files = read_files().unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/main.rs" && file.text.starts_with("//!")));
    }
}
