//! `cargo xtask test`: formatting, lints, unit and doc tests, and tests with the real TensorFlow.

use std::path::PathBuf;

use crate::python::script;
use crate::run::{cargo, root, run};

const PARTS: &[&str] = &["format", "lint", "unit", "interop"];

pub fn test(parts: &[String]) -> Result<(), String> {
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(format!("there is no part '{unknown}'; the parts are: {}", PARTS.join(", ")));
    }
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|name| name == part);
    if wanted("format") {
        run("formatting", &mut cargo(&["fmt", "--all", "--check"]), 2)?;
    }
    if wanted("lint") {
        run("lints", &mut cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]), 20)?;
    }
    if wanted("unit") {
        run("unit and doc tests", &mut cargo(&["test", "--workspace", "--no-fail-fast"]), 30)?;
    }
    if wanted("interop") {
        interop()?;
    }
    println!("\nall checks passed");
    Ok(())
}

/// Tests with the real TensorFlow as client, as writer and as reader.
fn interop() -> Result<(), String> {
    run("build for interop", &mut cargo(&["build", "--workspace", "--bins", "--examples"]), 20)?;
    let (debug, scratch) = (target().join("debug"), target().join("interop"));
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).map_err(|error| format!("cannot make {}: {error}", scratch.display()))?;
    let binary = debug.join("tensorfleet");
    run("hello world from TensorFlow's client", script("tests/interop/hello.py")?.arg(&binary), 3)?;
    run("TensorFlow's client on a cluster of ours", script("tests/interop/cluster.py")?.arg(&binary), 5)?;
    run("the documents' MNIST program on clusters of ours", script("tests/interop/replica.py")?.arg(&binary), 5)?;
    run("queues, records and a CNN on clusters of ours", script("tests/interop/digits.py")?.arg(&binary), 4)?;
    run("one client, a tower on each worker", script("tests/interop/towers.py")?.arg(&binary), 3)?;
    run("mixed clusters with TensorFlow's servers", script("tests/interop/mixed.py")?.arg(&binary), 5)?;
    run("file formats both ways", script("tests/interop/formats.py")?.arg(debug.join("examples/formats")), 5)?;
    let mut import = script("tests/interop/import_ours.py")?;
    run("TensorFlow runs a graph of ours", import.arg(debug.join("export_graph")).arg(scratch.join("ours.pb")), 3)?;
    let programs = scratch.join("programs");
    run(
        "export programs from TensorFlow",
        script("tests/interop/programs.py")?.arg(&programs).arg(root().join("data/mnist")),
        10,
    )?;
    run("programs in a local session", std::process::Command::new(debug.join("scenarios")).arg(&programs), 10)?;
    run("random graphs on both", script("tests/interop/random_graphs.py")?.arg(&binary), 5)?;
    Ok(())
}

/// Generates the files that unit tests compare with.
pub fn expected() -> Result<(), String> {
    run("expected values from TensorFlow", &mut script("crates/ops/testdata/generate.py")?, 20)
}

/// Measures beside TensorFlow.
pub fn bench(arguments: &[String]) -> Result<(), String> {
    run("build for the benchmark", &mut cargo(&["build", "--release", "--package", "tensorfleet-bench"]), 30)?;
    run("benchmark", script("bench/run.py")?.arg(target().join("release/tensorfleet-bench")).args(arguments), 60)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
