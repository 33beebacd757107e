//! The Python package: its wheel, and its tests in an environment that has nothing else but numpy.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{self, script};
use crate::run::{cargo, root, run, target};

const TESTS: &str = "crates/python/tests";

/// Builds the wheel to give to others, in `target/wheels`, for all Pythons with the interpreter's lock; or one for a Python that is
/// named as its program is, such as `python3.14t`, in a folder of its own. That Python need not be there.
pub fn wheel(interpreter: Option<&str>) -> Result<(), String> {
    let folder = interpreter.map_or_else(|| "wheels".to_owned(), |interpreter| format!("wheels-{interpreter}"));
    let wheel = build_for(interpreter, "release", &folder, 30)?;
    let size = std::fs::metadata(&wheel).map_err(|error| format!("{}: {error}", wheel.display()))?.len();
    println!("\n{} of {:.1} MB", wheel.display(), size as f64 / 1e6);
    Ok(())
}

/// Builds the wheel with a profile of cargo's, into a folder below `target`.
pub fn build(profile: &str, folder: &str, minutes: u64) -> Result<PathBuf, String> {
    build_for(None, profile, folder, minutes)
}

fn build_for(interpreter: Option<&str>, profile: &str, folder: &str, minutes: u64) -> Result<PathBuf, String> {
    let out = target().join(folder);
    let _ = std::fs::remove_dir_all(&out);
    let mut maturin = Command::new(python::packaging()?);
    // What cargo would be told by `cargo()` too: nothing is compiled a second time in CI.
    if let Some((_, value)) = cargo(&[]).get_envs().find(|(name, _)| *name == "CARGO_INCREMENTAL") {
        maturin.env("CARGO_INCREMENTAL", value.unwrap_or_default());
    }
    maturin.args([
        "-m",
        "maturin",
        "build",
        "--quiet",
        "--profile",
        profile,
        "--manifest-path",
        "crates/python/Cargo.toml",
        "--out",
    ]);
    maturin.arg(&out);
    if let Some(interpreter) = interpreter {
        maturin.args(["--interpreter", interpreter]);
    }
    run(&format!("wheel ({profile})"), &mut maturin, minutes)?;
    find_wheel(&out).ok_or_else(|| format!("there is no wheel in {}", out.display()))
}

fn find_wheel(folder: &Path) -> Option<PathBuf> {
    let paths = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut paths = paths;
    paths.find(|path| path.extension().is_some_and(|extension| extension == "whl"))
}

/// A folder with the package, for the environment that has TensorFlow: what [`python_tests`] built, or built now.
pub fn python_package() -> Result<PathBuf, String> {
    let (site, folder) = (target().join("wheels-dev/site"), target().join("wheels-dev"));
    if site.exists() {
        return Ok(site);
    }
    let wheel = match find_wheel(&folder) {
        Some(wheel) => wheel,
        None => build("dev", "wheels-dev", 20)?,
    };
    let mut install = Command::new(python::packaging()?);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
    run("the package for TensorFlow's environment", install.arg(&site).arg(&wheel), 3)?;
    Ok(site)
}

/// Tests the package as it is installed: alone, then beside the real TensorFlow.
pub fn python_tests() -> Result<(), String> {
    let wheel = build("dev", "wheels-dev", 20)?;
    let alone = python::without_tensorflow(&wheel)?;
    let tests = |python: &Path| {
        let mut command = Command::new(python);
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("TENSORFLEET_MNIST", root().join("data/mnist"));
        // The documents lie beside the repository, or not at all.
        command.env("TENSORFLEET_DOCUMENTS", root().join("../shared/seeds"));
        command
    };
    run("the package alone", tests(&alone).arg("-m").arg("unittest").args(["discover", "-s", TESTS, "-t", TESTS]), 15)?;
    run("examples in docstrings", tests(&alone).arg(Path::new(TESTS).join("docstrings.py")), 5)?;
    run(
        "types of the package",
        tests(&alone).args(["-m", "mypy", "--config-file", "crates/python/pyproject.toml"]),
        5,
    )?;
    let site = python_package()?;
    let beside = |path: &str| {
        script(path).map(|mut command| {
            command.env("PYTHONPATH", &site).env("TENSORFLEET_MNIST", root().join("data/mnist"));
            command
        })
    };
    let mut messages = beside("crates/python/tests/test_messages.py")?;
    run("messages as the protobuf package has them", &mut messages, 5)?;
    run("files both ways", &mut beside("crates/python/tests/beside_tensorflow/files.py")?, 5)?;
    run("graphs as TensorFlow builds them", &mut beside("crates/python/tests/beside_tensorflow/graphs.py")?, 10)?;
    run("programs as TensorFlow runs them", &mut beside("crates/python/tests/beside_tensorflow/programs.py")?, 15)
}
