//! The guide is true: its commands run, and its pieces of programs are in the programs.

mod support;

use std::path::PathBuf;
use std::process::Command;

use support::{Folder, Process, free_ports, port_was_taken, root};

const PROGRAMS: &[(&str, &str)] = &[
    ("hello", env!("CARGO_BIN_EXE_hello")),
    ("pinned", env!("CARGO_BIN_EXE_pinned")),
    ("in_graph", env!("CARGO_BIN_EXE_in_graph")),
    ("trainer", env!("CARGO_BIN_EXE_trainer")),
    ("mnist_softmax", env!("CARGO_BIN_EXE_mnist_softmax")),
    ("mnist_replica", env!("CARGO_BIN_EXE_mnist_replica")),
    ("mnist_all_reduce", env!("CARGO_BIN_EXE_mnist_all_reduce")),
    ("digits", env!("CARGO_BIN_EXE_digits")),
];

/// The blocks of the guide of one kind.
fn blocks(kind: &str) -> Vec<String> {
    let guide = std::fs::read_to_string(root().join("docs/guide.md")).unwrap();
    let parts = guide.split("```").collect::<Vec<_>>();
    assert!(parts.len() % 2 == 1, "every block ends");
    parts
        .iter()
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.strip_prefix(&format!("{kind}\n")))
        .map(str::to_owned)
        .collect()
}

#[test]
fn pieces_of_programs_are_in_the_programs() {
    let trimmed =
        |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let blocks = blocks("rust");
    assert!(blocks.len() >= 4);
    for block in blocks {
        let (first, rest) = block.split_once('\n').unwrap();
        let path = first.strip_prefix("// ").unwrap();
        let source = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(trimmed(&source).contains(&trimmed(rest)), "{path} has no\n{rest}");
    }
}

#[test]
fn commands_run() {
    let folder = Folder::new("guide");
    let blocks = blocks("sh");
    assert!(blocks.len() >= 8);
    for block in &blocks {
        let done = (0..5).any(|_| run_block(block, &folder));
        assert!(done, "no free ports for\n{block}");
    }
}

/// Runs the lines of a block, those that end in `&` in the background. False if a port was taken.
fn run_block(block: &str, folder: &Folder) -> bool {
    let mut text = block.replace("/tmp/", &folder.join(""));
    // A free port for each of the guide's.
    for (number, port) in (2221..2226).zip(free_ports(5)) {
        text = text.replace(&format!("localhost:{number}"), &format!("127.0.0.1:{port}"));
    }
    let mut background: Vec<Process> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let behind = words.last().is_some_and(|word| word == "&");
        if behind {
            words.pop();
        }
        let program = program(&words[0]);
        let mut process = Process::start(program.to_str().unwrap(), &words[1..]);
        if behind {
            background.push(process);
            continue;
        }
        let (code, said) = process.end();
        let taken = port_was_taken(&said) || background.iter().any(|process| port_was_taken(&process.said()));
        if code != 0 && taken {
            return false;
        }
        assert_eq!(code, 0, "{line}: {said}");
        if words[0] == "hello" {
            assert!(blocks("text").contains(&said), "{said}");
        }
    }
    // Workers in the background end by themselves, servers with the block.
    for process in &mut background {
        if process.is_worker_that_trains() {
            let (code, said) = process.end();
            assert_eq!(code, 0, "{said}");
        }
    }
    true
}

fn program(name: &str) -> PathBuf {
    if let Some((_, path)) = PROGRAMS.iter().find(|(program, _)| *program == name) {
        return PathBuf::from(path);
    }
    assert_eq!(name, "tensorfleet");
    // The binary of another package: built if it is not there yet, together with all others, because one package alone would
    // have its dependencies compiled once more with fewer features.
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--workspace", "--bins"]).current_dir(root());
    // What cargo says of this test would have build scripts run again, and what they are for compiled again.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| name.to_string_lossy().starts_with(of)) {
            build.env_remove(name);
        }
    }
    assert!(build.status().unwrap().success());
    PathBuf::from(PROGRAMS[0].1).with_file_name("tensorfleet")
}
