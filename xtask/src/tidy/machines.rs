//! No path of anybody's machine is written down.

use super::{Fault, File, fault};

/// Where people's own files lie. `/tmp` is on every machine.
const FOLDERS: &[&str] = &["/home/", "/root/", "/Users/", "/work/", "C:\\\\"];

pub fn check(files: &[File]) -> Vec<Fault> {
    // This file has to name them.
    let others = files.iter().filter(|file| file.path != "xtask/src/tidy/machines.rs");
    others.flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Fault> {
    let found = file.text.lines().enumerate().filter_map(|(index, line)| {
        let folder =
            FOLDERS.iter().find(|folder| line.match_indices(*folder).any(|(at, _)| begins_path(&line[..at])))?;
        let what = format!("names a path of a machine ({folder}..)");
        Some(fault(file, index + 1, what, "take it from an argument, the environment or the repository's root"))
    });
    found.collect()
}

/// Whether a path begins after this text, rather than going on.
fn begins_path(before: &str) -> bool {
    !before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}' | ')' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn paths_of_machines_are_faults_and_others_are_not() {
        let good = "let a = \"/tmp/x\"; // https://example.org/home/page, src/work/x.rs\n";
        assert!(check(&[file("a.rs", good)]).is_empty());
        let faults = check(&[file("a.py", "\nopen('/home/ada/data')\n")]);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].line, 2);
    }
}
