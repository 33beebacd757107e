//! `MatchingFiles`: the files that patterns stand for, sorted. `*`, `?` and `[a-z]` match within one part of a path.

use std::path::{Path, PathBuf};

use files::place;
use graph::Node;
use graph::op::{Files, Kernel, OpContext, Registry, ShapeContext};
use tensor::{PartialShape, Result, Status, Tensor};

use super::{file_error, plain_path};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatchingFiles", "pattern: string -> filenames: string").shape(shape).any_kernel(kernel).not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::vector(None));
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::files(|cx: &mut OpContext<'_>| {
        let mut found = Vec::new();
        for pattern in cx.input(0)?.strings()? {
            found.extend(files_of(&*cx.step.files, pattern)?);
        }
        found.sort();
        cx.set_output(0, Tensor::string_vector(found));
        Ok(())
    }))
}

/// The files that a pattern stands for, of those that may be touched.
///
/// # Errors
/// `PermissionDenied` if there are none, and folders or files may not be touched; what a store says that cannot be listed.
pub(crate) fn files_of(files: &dyn Files, pattern: &[u8]) -> Result<Vec<String>> {
    let pattern = plain_path(pattern);
    let pattern = pattern.to_string_lossy();
    // A scheme and its bucket are no pattern.
    let (base, below) = match pattern.split_once("://") {
        Some((scheme, rest)) if place::is_url(Path::new(&*pattern)) => {
            let (bucket, below) = rest.split_once('/').unwrap_or((rest, ""));
            (PathBuf::from(format!("{scheme}://{bucket}")), below)
        }
        _ => (PathBuf::new(), &*pattern),
    };
    let parts: Vec<&str> = below.split('/').collect();
    let mut walk = Walk { files, found: Vec::new(), refused: None };
    walk.go(base, &parts);
    match walk.refused {
        Some(refused) if walk.found.is_empty() => Err(refused),
        _ => Ok(walk.found),
    }
}

struct Walk<'a> {
    files: &'a dyn Files,
    found: Vec<String>,
    /// The first refusal.
    refused: Option<Status>,
}

impl Walk<'_> {
    fn may_touch(&mut self, path: &Path) -> bool {
        let verdict = self.files.check(path);
        let fine = verdict.is_ok();
        self.refused = self.refused.take().or(verdict.err());
        fine
    }

    fn go(&mut self, base: PathBuf, parts: &[&str]) {
        let Some((first, rest)) = parts.split_first() else {
            if self.may_touch(&base) && place::exists(&base) {
                self.found.push(base.to_string_lossy().into_owned());
            }
            return;
        };
        if first.is_empty() && base.as_os_str().is_empty() {
            return self.go(PathBuf::from("/"), rest);
        }
        if !first.contains(['*', '?', '[', '\\']) {
            return self.go(base.join(first), rest);
        }
        let here = if base.as_os_str().is_empty() { Path::new(".") } else { base.as_path() };
        if !self.may_touch(here) {
            return;
        }
        let remote = place::is_url(here);
        let entries = match place::read_folder(here) {
            Ok(entries) => entries,
            Err(error) => {
                // A store that does not answer is not one that has no files.
                if remote {
                    self.refused = self.refused.take().or(Some(file_error(here, error)));
                }
                return;
            }
        };
        let pattern: Vec<char> = first.chars().collect();
        for entry in entries {
            let name = entry.name.to_string_lossy();
            if !matches(&pattern, &name.chars().collect::<Vec<_>>()) {
                continue;
            }
            let path = base.join(&*name);
            // What a store has listed is there; to ask again would cost a round trip for each file.
            if remote && rest.is_empty() {
                if self.may_touch(&path) {
                    self.found.push(path.to_string_lossy().into_owned());
                }
            } else {
                self.go(path, rest);
            }
        }
    }
}

/// Whether a name matches a pattern. Goes back only to the last `*`, so it takes no more than quadratic time.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
        } else if let Some(length) = one(&pattern[p.min(pattern.len())..], name[n]) {
            p += length;
            n += 1;
        } else if let Some((at, from)) = star {
            (p, n) = (at + 1, from + 1);
            star = Some((at, from + 1));
        } else {
            return false;
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|c| *c == '*')
}

/// If the pattern begins with something that matches this character: how long that is.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', literal, ..] => (*literal == c).then_some(2),
        ['[', class @ ..] => {
            let negated = matches!(class.first(), Some('!' | '^'));
            let start = negated as usize;
            let end = start + 1 + class.get(start + 1..)?.iter().position(|c| *c == ']')?;
            let (members, mut i, mut inside) = (&class[start..end], 0, false);
            while i < members.len() {
                match members[i..] {
                    [low, '-', high, ..] => {
                        inside |= (low..=high).contains(&c);
                        i += 3;
                    }
                    _ => {
                        inside |= members[i] == c;
                        i += 1;
                    }
                }
            }
            (inside != negated).then_some(end + 2)
        }
        [literal, ..] => (*literal == c).then_some(1),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn patterns() {
        let matches = |pattern: &str, name: &str| {
            super::matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(matches("*.txt", "a.txt") && matches("a*b*c", "aXbYbZc") && matches("[a-c]?", "b1"));
        assert!(!matches("*.txt", "a.text") && !matches("[!a-c]", "b") && !matches("a", "ab") && !matches("[", "x"));
        assert!(matches("\\*", "*") && !matches("\\*", "x") && matches("", "") && matches("**", "x"));
    }
}
