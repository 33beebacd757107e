//! The network's libraries, tokio and tonic, appear only in `cluster`, `stores` and the doors: everything else runs without them.

use super::source::{Source, has_word};
use super::{Fault, File, fault};

const LIBRARIES: &[&str] = &["tokio", "tokio_stream", "tonic", "tonic_prost"];
/// `cluster`, `stores` and the doors.
const ALLOWED: &[&str] = &["crates/cluster/", "crates/stores/", "crates/cli/", "crates/tensorfleet/"];
const REMEDY: &str = "only `cluster`, `stores` and the doors may use it: hand a callback or a trait across instead";

pub fn check(files: &[File]) -> Vec<Fault> {
    let elsewhere = files.iter().filter(|file| !ALLOWED.iter().any(|place| file.path.starts_with(place)));
    elsewhere.flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Fault> {
    // The root's manifest only says which versions all share.
    if file.path.ends_with("/Cargo.toml") {
        let lines =
            file.text.lines().enumerate().filter(|(_, line)| line.starts_with("tokio") || line.starts_with("tonic"));
        return lines.map(|(index, line)| fault(file, index + 1, format!("depends on {line}"), REMEDY)).collect();
    }
    if !file.path.ends_with(".rs") || !LIBRARIES.iter().any(|word| file.text.contains(word)) {
        return Vec::new();
    }
    let source = Source::of(&file.text);
    let lines = source.code.iter().enumerate();
    let used = lines.filter_map(|(index, line)| Some((index, LIBRARIES.iter().find(|word| has_word(line, word))?)));
    used.map(|(index, word)| fault(file, index + 1, format!("uses {word}"), REMEDY)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn the_network_stays_in_cluster_and_the_doors() {
        let line = "//! A file.\nuse tokio::net::TcpStream; // and tonic\n";
        assert!(check(&[file("crates/cluster/src/server.rs", line), file("crates/cli/src/serve.rs", line)]).is_empty());
        let faults = check(&[file("crates/runtime/src/step.rs", line)]);
        assert_eq!(faults.len(), 1);
        assert_eq!((faults[0].line, faults[0].what.as_str()), (2, "uses tokio"));
    }

    #[test]
    fn no_other_manifest_names_it() {
        let manifest = "[dependencies]\ntonic = { workspace = true }\n";
        assert_eq!(check(&[file("crates/train/Cargo.toml", manifest)]).len(), 1);
        assert!(check(&[file("Cargo.toml", "tonic = \"0.14\"\n")]).is_empty());
    }
}
