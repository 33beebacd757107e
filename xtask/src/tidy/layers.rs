//! Arrows between the layers of `cluster` point down: a module uses only those that are named before it.

use super::source::Source;
use super::{Fault, File, fault};

const FOLDER: &str = "crates/cluster/src/";
/// The layers from below. Modules of one layer do not know each other.
const LAYERS: &[&[&str]] = &[
    &["call"],
    &["trust"],
    &["peer"],
    &["master", "worker"],
    &["entrance"],
    &["client", "gateway", "journal"],
    &["signals"],
    &["server"],
    &["local_cluster"],
];

pub fn check(files: &[File]) -> Vec<Fault> {
    let parts = files.iter().filter(|file| file.path.starts_with(FOLDER) && file.path.ends_with(".rs"));
    parts.filter(|file| file.path != format!("{FOLDER}lib.rs")).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Fault> {
    let place = module_path(&file.path[FOLDER.len()..]);
    let own = place.first().copied().unwrap_or("");
    let Some(layer) = layer(own) else {
        let remedy = "give it a layer in ARCHITECTURE.md and in xtask/src/tidy/layers.rs";
        return vec![fault(file, 1, format!("the module {own} has no layer"), remedy)];
    };
    let source = Source::of(&file.text);
    let code: Vec<String> = source
        .code
        .iter()
        .zip(&source.in_tests)
        .map(|(line, test)| if *test { String::new() } else { line.clone() })
        .collect();
    let mut faults = Vec::new();
    for (line, name) in names_of_the_crate(&code.join("\n"), place.len()) {
        if name == own {
            continue;
        }
        match self::layer(&name) {
            Some(other) if other < layer => {}
            Some(_) => {
                let remedy =
                    "arrows point down: move what both need into a lower layer, or let the upper one hand it in";
                faults.push(fault(file, line, format!("{own} uses {name}, which does not lie below it"), remedy));
            }
            None => {
                let remedy = "name the layer that it lives in, so that the arrow shows";
                faults.push(fault(file, line, format!("{own} uses crate::{name}, which is no layer"), remedy));
            }
        }
    }
    faults
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

/// The module that a file is: `peer/link/mod.rs` is `peer::link`.
fn module_path(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    if parts.last() == Some(&"mod") {
        parts.pop();
    }
    parts
}

/// What the code names directly below the crate's root, with lines; `depth` is how far below the root its own module lies.
fn names_of_the_crate(code: &str, depth: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (word, starts) in [("crate", true), ("super", false)] {
        for (at, _) in code.match_indices(&format!("{word}::")) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':')) {
                continue;
            }
            let mut rest = &code[at + word.len() + 2..];
            let mut supers = usize::from(!starts);
            while let Some(further) = rest.strip_prefix("super::") {
                (rest, supers) = (further, supers + 1);
            }
            if starts || supers >= depth {
                let line = code[..at].matches('\n').count() + 1;
                found.extend(first_names(rest).into_iter().map(|(lines, name)| (line + lines, name)));
            }
        }
    }
    found.sort();
    found
}

/// The names that a path or a group of paths begins with, each with how many lines further down it stands.
fn first_names(rest: &str) -> Vec<(usize, String)> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(group) = rest.strip_prefix('{') else { return vec![(0, name(rest))] };
    let (mut depth, mut names, mut begins) = (0, Vec::new(), true);
    for (at, character) in group.char_indices() {
        if depth == 0 && begins && !character.is_whitespace() && character != '}' {
            names.push((group[..at].matches('\n').count(), name(&group[at..])));
            begins = false;
        }
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' => begins |= depth == 0,
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    fn faults(path: &str, text: &str) -> Vec<String> {
        check(&[file(&format!("{FOLDER}{path}"), text)])
            .into_iter()
            .map(|fault| format!("{}: {}", fault.line, fault.what))
            .collect()
    }

    #[test]
    fn an_arrow_that_is_turned_round_is_a_fault() {
        assert!(
            faults("master/step.rs", "use crate::call::StepId;\nuse crate::peer::{Peer, grpc};\nuse super::Master;\n")
                .is_empty()
        );
        assert_eq!(
            faults("peer/link.rs", "//! A.\nuse crate::master::Master;\n"),
            ["2: peer uses master, which does not lie below it"]
        );
        assert_eq!(
            faults("master/mod.rs", "use crate::worker::Worker;\n"),
            ["1: master uses worker, which does not lie below it"]
        );
    }

    #[test]
    fn groups_and_paths_in_the_middle_are_seen() {
        let text = "use crate::{\n    call::{Step, ids},\n    entrance::Door,\n};\nfn f() -> crate::client::X {}\n";
        assert_eq!(
            faults("peer/mod.rs", text),
            ["3: peer uses entrance, which does not lie below it", "5: peer uses client, which does not lie below it"]
        );
        assert_eq!(
            faults("call/mod.rs", "use super::peer::Peer;\n"),
            ["1: call uses peer, which does not lie below it"]
        );
        assert!(faults("call/ids.rs", "use super::peer::Peer;\n").is_empty(), "that is call::peer");
        assert_eq!(
            faults("call/ids.rs", "use super::super::peer::Peer;\n"),
            ["1: call uses peer, which does not lie below it"]
        );
    }

    #[test]
    fn what_is_exported_at_the_root_hides_no_arrow() {
        assert_eq!(
            faults("worker/mod.rs", "use crate::Server;\n"),
            ["1: worker uses crate::Server, which is no layer"]
        );
        assert_eq!(faults("rpc/mod.rs", ""), ["1: the module rpc has no layer"]);
    }

    #[test]
    fn unit_tests_may_look_up() {
        assert!(faults("peer/mod.rs", "#[cfg(test)]\nmod tests {\n    use crate::server::Server;\n}\n").is_empty());
    }
}
