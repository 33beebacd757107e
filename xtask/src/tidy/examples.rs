//! Every public type of the crates that programs see has an example in its documentation.
//!
//! What is public is followed from `lib.rs`: types in public modules, and types that `pub use` names. What is marked
//! `#[doc(hidden)]` is for other crates of the house and needs no example. The types of `ops` and `raw_ops`, whose modules come
//! from macros, are not followed.

use super::source::Source;
use super::{Fault, File, fault};

const CRATES: &[&str] = &["tensor", "files", "graph", "runtime", "cluster", "train", "tensorfleet"];

pub fn check(files: &[File]) -> Vec<Fault> {
    let of_crate = |name: &&str| {
        let lib = format!("crates/{name}/src/lib.rs");
        let lib = files.iter().find(|file| file.path == lib);
        lib.map(|lib| check_module(files, lib)).unwrap_or_default()
    };
    CRATES.iter().flat_map(of_crate).collect()
}

/// The faults of a public module and of all public modules in it.
fn check_module(files: &[File], module: &File) -> Vec<Fault> {
    let folder = folder_of(&module.path);
    let source = Source::of(&module.text);
    let code = source.product().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
    let mut faults = Vec::new();
    for item in code.split_inclusive([';', '{']).filter(|item| !item.contains("doc(hidden)")) {
        // A list in braces continues what comes before it.
        let item = item.trim();
        if let Some(name) = after(item, "pub mod ").and_then(|name| name.strip_suffix(';')) {
            let paths = [format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")];
            faults.extend(
                files.iter().filter(|file| paths.contains(&file.path)).flat_map(|file| check_module(files, file)),
            );
        } else if let Some(definition) = KINDS.iter().find_map(|kind| after(item, kind)) {
            faults.extend(without_example(module, name_of(definition)));
        }
    }
    for (path, names) in uses(&code) {
        let (file, inside) = (format!("{folder}{path}.rs"), format!("{folder}{path}/"));
        let defining =
            files.iter().filter(|other| other.is_product() && (other.path == file || other.path.starts_with(&inside)));
        faults.extend(defining.flat_map(|file| names.iter().filter_map(|name| without_example(file, name))));
    }
    faults
}

const KINDS: &[&str] = &["pub struct ", "pub enum ", "pub trait ", "pub type ", "pub union "];

/// Where the files of a module's own modules are.
fn folder_of(path: &str) -> String {
    let module = path.strip_suffix("lib.rs").or_else(|| path.strip_suffix("mod.rs"));
    module.map_or_else(|| format!("{}/", path.trim_end_matches(".rs")), str::to_owned)
}

/// What the `pub use` items of some code name, unless they are hidden: the first part of the path, and the last names.
fn uses(code: &str) -> Vec<(String, Vec<String>)> {
    let items = code.split(';').filter(|item| !item.contains("doc(hidden)"));
    let paths = items.filter_map(|item| item.rsplit_once("pub use ").map(|(_, path)| path));
    let paths = paths.map(|path| path.trim().trim_start_matches("self::").trim_start_matches("crate::"));
    paths
        .filter_map(|path| {
            let (first, _) = path.split_once("::")?;
            let (_, last) = path.rsplit_once("::")?;
            let names = last.trim_matches(['{', '}', '\n', ' ']).split(',').map(|name| name_of(name.trim()).to_owned());
            Some((first.to_owned(), names.filter(|name| !name.is_empty()).collect()))
        })
        .collect()
}

/// What comes after a word that an item begins with, or has in a line of its own.
fn after<'a>(item: &'a str, word: &str) -> Option<&'a str> {
    item.strip_prefix(word).or_else(|| item.rsplit_once(&format!("\n{word}")).map(|(_, rest)| rest))
}

fn name_of(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

/// The fault of a file that defines a public type of this name without an example.
fn without_example(file: &File, name: &str) -> Option<Fault> {
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let at = lines
        .iter()
        .position(|line| KINDS.iter().any(|kind| line.strip_prefix(kind).is_some_and(|rest| name_of(rest) == name)))?;
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
    let shown = above.clone().any(|line| line.starts_with("/// ```") || line.contains("doc(hidden)"));
    let remedy = "show its use in its documentation, with a value that is checked, or hide it with a reason";
    (!shown).then(|| fault(file, at + 1, format!("`{name}` is public and has no example"), remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    const SHOWN: &str = "/// It.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(Clone)]\npub struct Shown;\n";

    fn faults(lib: &str, module: &str) -> Vec<String> {
        let files = [file("crates/train/src/lib.rs", lib), file("crates/train/src/optimizers/mod.rs", module)];
        check(&files).into_iter().map(|fault| format!("{}:{} {}", fault.path, fault.line, fault.what)).collect()
    }

    #[test]
    fn a_public_type_without_an_example_is_a_fault() {
        let bare = format!("{SHOWN}/// It.\npub enum Bare<T> {{\n    One(T),\n}}\n");
        let named = ["crates/train/src/optimizers/mod.rs:9 `Bare` is public and has no example"];
        assert_eq!(
            faults("mod optimizers;\npub use optimizers::{\n    Bare, Shown,\n    minimize,\n};\n", &bare),
            named
        );
        assert_eq!(faults("mod optimizers;\npub use optimizers::Bare;\n", &bare), named);
        assert_eq!(faults("/// All.\npub mod optimizers;\n", &bare), named);
        let with_tests = "#[cfg(test)]\nmod testing;\nmod optimizers;\npub use optimizers::Bare;\n";
        assert_eq!(faults(with_tests, &bare), named);
        assert_eq!(
            faults("/// It.\npub trait Bare {}\n", ""),
            ["crates/train/src/lib.rs:2 `Bare` is public and has no example"]
        );
    }

    #[test]
    fn what_programs_do_not_see_needs_none() {
        let bare = format!("{SHOWN}/// It.\npub type Bare = u8;\n");
        assert!(faults("mod optimizers;\npub use optimizers::Shown;\n", &bare).is_empty());
        assert!(faults("mod optimizers;\n#[doc(hidden)]\npub use optimizers::Bare;\n", &bare).is_empty());
        assert!(faults("#[doc(hidden)]\npub mod optimizers;\n", &bare).is_empty());
        assert!(
            faults("mod optimizers;\npub use optimizers::Bare;\n", "/// It.\n#[doc(hidden)]\npub struct Bare;\n")
                .is_empty()
        );
        assert!(faults("pub use graph::Bare;\npub(crate) struct Bare;\n", &bare).is_empty());
    }
}
