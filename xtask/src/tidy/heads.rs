//! Every Rust file opens with a comment that says what it holds.

use super::{Fault, File, fault};

pub fn check(files: &[File]) -> Vec<Fault> {
    let headless = files.iter().filter(|file| file.path.ends_with(".rs") && !has_head(&file.text));
    headless
        .map(|file| fault(file, 1, "no head comment", "begin with a line `//! ...` that says what the file holds"))
        .collect()
}

fn has_head(text: &str) -> bool {
    // Attributes of the whole file may come first.
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("#![") && !line.starts_with("#!/"));
    lines.next().and_then(|line| line.strip_prefix("//!")).is_some_and(|rest| !rest.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn a_file_without_a_head_is_a_fault() {
        assert!(
            check(&[
                file("a.rs", "//! What it holds.\n"),
                file("b.rs", "#![allow(x)]\n\n//! What.\n"),
                file("c.py", "")
            ])
            .is_empty()
        );
        assert_eq!(check(&[file("a.rs", "use std::fs;\n//! late\n")]).len(), 1);
        assert_eq!(check(&[file("a.rs", "//!\nfn f() {}\n")]).len(), 1);
        assert_eq!(check(&[file("a.rs", "/// Of the next item only.\nfn f() {}\n")]).len(), 1);
    }
}
