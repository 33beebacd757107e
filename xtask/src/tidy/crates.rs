//! Arrows between crates point down: what each crate's Cargo.toml may name.
//!
//! Dev-dependencies are free: a crate's tests and the examples in its documentation look at it from outside, through the public
//! API above it, and nothing that is built for a user depends on them.

use super::{Fault, File, fault};

/// The crates of the house from below, each with those that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("math", &[]),
    ("tensor", &["wire"]),
    ("files", &["wire", "tensor"]),
    ("stores", &["tensor", "files"]),
    ("graph", &["wire", "tensor"]),
    ("ops", &["wire", "tensor", "math", "files", "graph"]),
    ("raw_ops", &["tensor", "graph"]),
    ("runtime", &["tensor", "math", "graph"]),
    ("cluster", &["wire", "tensor", "files", "graph", "runtime"]),
    ("train", &["wire", "tensor", "files", "graph", "ops", "runtime"]),
    ("tensorfleet", &["tensor", "files", "stores", "graph", "ops", "raw_ops", "runtime", "cluster", "train"]),
    ("cli", &["wire", "tensor", "math", "files", "graph", "ops", "runtime", "cluster", "tensorfleet"]),
    ("python", &["wire", "tensor", "files", "stores", "graph", "ops", "runtime", "cluster", "train"]),
    // Beside the house: for tests only.
    ("testkit", &["wire", "tensor", "files", "graph", "ops", "runtime"]),
];

pub fn check(files: &[File]) -> Vec<Fault> {
    let manifests = files.iter().filter(|file| file.path.starts_with("crates/") && file.path.ends_with("/Cargo.toml"));
    manifests.flat_map(check_manifest).collect()
}

fn check_manifest(file: &File) -> Vec<Fault> {
    let name = file.path.split('/').nth(1).unwrap_or("");
    let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
        let remedy = "give it a floor in ARCHITECTURE.md and in xtask/src/tidy/crates.rs";
        return vec![fault(file, 1, format!("the crate {name} has no place in the house"), remedy)];
    };
    let ours = |dependency: &str| MAY_USE.iter().any(|(known, _)| *known == dependency);
    let wrong = dependencies(&file.text).filter(|(_, used)| ours(used) && !allowed.contains(used));
    wrong
        .map(|(line, used)| {
            let remedy = "arrows point down: move what is needed to a crate below both, or hand it in from a door";
            fault(file, line, format!("{name} depends on {used}"), remedy)
        })
        .collect()
}

/// The dependencies that a manifest names, with their lines; not those of tests.
fn dependencies(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    manifest.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && !line.ends_with("dev-dependencies]");
            return None;
        }
        let name = line.split(['=', '.', ' ']).next().unwrap_or("").trim();
        (inside && !name.is_empty() && !name.starts_with('#')).then_some((index + 1, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn an_arrow_that_is_turned_round_is_a_fault() {
        let good = file("crates/cluster/Cargo.toml", "[dependencies]\nruntime = { workspace = true }\n");
        assert!(check(&[good]).is_empty());
        let turned = file(
            "crates/runtime/Cargo.toml",
            "[package]\nname = \"x\"\n\n[dependencies]\ncluster = { workspace = true }\n",
        );
        let faults = check(&[turned]);
        assert_eq!(faults.len(), 1);
        assert!(
            faults[0].to_string().starts_with("crates/runtime/Cargo.toml:5: runtime depends on cluster: "),
            "{}",
            faults[0]
        );
    }

    #[test]
    fn the_two_walls_are_solid() {
        for (from, to) in [("runtime", "ops"), ("ops", "runtime"), ("cluster", "train"), ("train", "cluster")] {
            let manifest =
                file(&format!("crates/{from}/Cargo.toml"), &format!("[dependencies]\n{to}.workspace = true\n"));
            assert_eq!(check(&[manifest]).len(), 1, "{from} to {to}");
        }
    }

    #[test]
    fn tests_may_look_from_above() {
        let manifest =
            "[dependencies]\ntensor = { workspace = true }\n[dev-dependencies]\ntensorfleet = { workspace = true }\n";
        assert!(check(&[file("crates/graph/Cargo.toml", manifest)]).is_empty());
    }

    #[test]
    fn a_new_crate_must_be_given_a_place() {
        assert_eq!(check(&[file("crates/shed/Cargo.toml", "")]).len(), 1);
    }
}
