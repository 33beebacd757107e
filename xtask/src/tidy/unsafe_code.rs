//! `unsafe` appears only in `math` and in the buffers of `tensor`, each time with its reason.
//!
//! A block or an `impl` says in a comment `SAFETY: ...` right above why it is sound. A function or a trait says in its
//! documentation under `# Safety` what its caller has to promise; a function that fulfils a trait has the promise of the trait.

use super::source::{Source, has_word};
use super::{Fault, File, fault};

const ALLOWED: &[&str] = &["crates/math/src/", "crates/tensor/src/buffer.rs"];

pub fn check(files: &[File]) -> Vec<Fault> {
    files
        .iter()
        .filter(|file| file.path.ends_with(".rs") && file.text.contains("unsafe"))
        .flat_map(check_file)
        .collect()
}

fn check_file(file: &File) -> Vec<Fault> {
    let allowed = ALLOWED.iter().any(|place| file.path.starts_with(place));
    let source = Source::of(&file.text);
    let lines: Vec<&str> = file.text.lines().collect();
    let mut faults = Vec::new();
    for (index, code) in source.code.iter().enumerate() {
        // `unsafe fn(..)` is the type of a pointer.
        if !has_word(&code.replace("unsafe fn(", ""), "unsafe") {
            continue;
        }
        if !allowed {
            let remedy = "it may stand only in crates/math and crates/tensor/src/buffer.rs";
            faults.push(fault(file, index + 1, "unsafe code", remedy));
        } else if !has_reason(&lines, &source.code, index) {
            let remedy =
                "say why it is sound, in a comment `SAFETY: ...` right above (or `# Safety` for a function or a trait)";
            faults.push(fault(file, index + 1, "unsafe code without a reason", remedy));
        }
    }
    faults
}

/// Whether the comment above the statement that this line belongs to says why.
fn has_reason(lines: &[&str], code: &[String], index: usize) -> bool {
    let declares = code[index].contains("unsafe fn") || code[index].contains("unsafe trait");
    let mut at = index;
    while at > 0 {
        let above = lines[at - 1].trim();
        if above.starts_with("//") {
            if above.contains("SAFETY:") || (declares && above.contains("# Safety")) {
                return true;
            }
        } else if ends_statement(&code[at - 1]) {
            break;
        }
        at -= 1;
    }
    declares && fulfils_trait(code, index)
}

/// Whether the line is the end of what came before: an empty line too.
fn ends_statement(code: &str) -> bool {
    let code = code.trim();
    // An attribute belongs to what follows.
    !(code.starts_with("#[") || code.starts_with("#!["))
        && (code.is_empty() || code.ends_with([';', '{', '}', ',']) || code.ends_with("=>"))
}

/// Whether the function of this line lies in an `impl Trait for Type`.
fn fulfils_trait(code: &[String], index: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(&code[index]);
    let around = code[..index].iter().rev().find(|line| !line.trim().is_empty() && indent(line) < own);
    around.is_some_and(|line| has_word(line, "impl") && has_word(line, "for"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    const BUFFER: &str = "crates/tensor/src/buffer.rs";

    fn faults(path: &str, text: &str) -> Vec<String> {
        check(&[file(path, text)]).into_iter().map(|fault| fault.what).collect()
    }

    #[test]
    fn unsafe_code_has_its_places() {
        let text = "// SAFETY: it is sound.\nlet a = unsafe { b() };\n";
        assert!(faults(BUFFER, text).is_empty());
        assert_eq!(faults("crates/tensor/src/shape.rs", text), ["unsafe code"]);
        assert_eq!(faults("tests/tests/chaos.rs", text), ["unsafe code"]);
        assert!(faults("crates/ops/src/lib.rs", "// unsafe in words\nlet a = \"unsafe\";\n").is_empty());
    }

    #[test]
    fn every_block_has_a_reason_of_its_own() {
        assert_eq!(faults(BUFFER, "let a = unsafe { b() };\n"), ["unsafe code without a reason"]);
        let second = "// SAFETY: one.\nlet a = unsafe { b() };\nlet c = unsafe { d() };\n";
        assert_eq!(faults(BUFFER, second), ["unsafe code without a reason"]);
        assert!(faults(BUFFER, "// SAFETY: one\n// and more.\nlet a =\n    unsafe { b() };\n").is_empty());
    }

    #[test]
    fn declarations_say_what_is_promised() {
        assert_eq!(faults(BUFFER, "/// Does.\nunsafe fn a() {}\n"), ["unsafe code without a reason"]);
        assert!(
            faults(BUFFER, "/// Does.\n///\n/// # Safety\n/// The caller checks.\n#[inline]\nunsafe fn a() {}\n")
                .is_empty()
        );
        assert!(faults(BUFFER, "impl Tile for f32 {\n    unsafe fn tile() {}\n}\n").is_empty());
        assert_eq!(faults(BUFFER, "impl f32 {\n    unsafe fn tile() {}\n}\n"), ["unsafe code without a reason"]);
        assert!(faults(BUFFER, "struct A {\n    run: unsafe fn(&str),\n}\n").is_empty());
    }
}
