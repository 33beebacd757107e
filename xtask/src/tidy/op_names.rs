//! `runtime` names only the ops that it inserts, which invariant 1 of ARCHITECTURE.md lists: all others are known to it by their
//! definitions alone.

use std::collections::BTreeSet;

use super::source::Source;
use super::{Fault, File, fault};

pub fn check(files: &[File]) -> Vec<Fault> {
    let (ops, listed) = (registered(files), listed(files));
    let runtime = files.iter().filter(|file| file.path.starts_with("crates/runtime/src/") && file.is_product());
    runtime.flat_map(|file| check_file(file, &ops, &listed)).collect()
}

fn check_file(file: &File, ops: &BTreeSet<String>, listed: &BTreeSet<String>) -> Vec<Fault> {
    let source = Source::of(&file.text);
    let named = source.product_strings().filter(|(_, text)| ops.contains(*text) && !listed.contains(*text));
    let remedy =
        "ask the op's definition for what it is (a role, a property), or list it in invariant 1 of ARCHITECTURE.md";
    named.map(|(line, text)| fault(file, line, format!("names the op {text}"), remedy)).collect()
}

/// The ops that are registered, as the page of ops lists them: rows of tables that begin with a name.
fn registered(files: &[File]) -> BTreeSet<String> {
    let page = files.iter().filter(|file| file.path == "docs/ops.md");
    let rows = page.flat_map(|file| file.text.lines()).filter_map(|line| line.strip_prefix("| "));
    let names = rows.filter_map(|row| row.split_once(" |")).map(|(name, _)| name.trim());
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')).map(str::to_owned).collect()
}

/// What stands between backticks in invariant 1.
fn listed(files: &[File]) -> BTreeSet<String> {
    let Some(text) = files.iter().find(|file| file.path == "ARCHITECTURE.md").map(|file| file.text.as_str()) else {
        return BTreeSet::new();
    };
    let first = text.split("\n## Invariants\n").nth(1).and_then(|after| after.split("\n1. ").nth(1)).unwrap_or("");
    let first = first.split("\n2. ").next().unwrap_or("");
    first.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let page = "| op | types | gradient |\n|---|---|---|\n| MatMul | any | yes |\n| Enter | any | yes |\n";
        let rules = "# A\n\n## Invariants\n\nAll.\n\n1. `runtime` names `Const` and\n   `Enter`.\n2. Not `MatMul`.\n";
        let files = [file("docs/ops.md", page), file("ARCHITECTURE.md", rules), file(path, text)];
        check(&files).into_iter().map(|fault| fault.what).collect()
    }

    #[test]
    fn runtime_names_no_op_but_those_it_inserts() {
        assert_eq!(faults("crates/runtime/src/placer.rs", "if op == \"MatMul\" {}\n"), ["names the op MatMul"]);
        assert!(
            faults("crates/runtime/src/placer.rs", "if op == \"Enter\" {} // \"MatMul\"\nlet a = \"Thing\";\n")
                .is_empty()
        );
        assert!(
            faults("crates/runtime/src/placer.rs", "#[cfg(test)]\nmod tests {\n    const A: &str = \"MatMul\";\n}\n")
                .is_empty()
        );
        assert!(faults("crates/ops/src/math/mat_mul.rs", "r.op(\"MatMul\");\n").is_empty());
    }
}
