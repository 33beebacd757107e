//! The Python environment with the real TensorFlow, which judges what we compute.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{root, run};

/// What is installed, exactly.
const PACKAGES: &[&str] = &["tensorflow==2.21.0", "tensorboard==2.21.0"];

/// The environment's Python; the environment is made if it is not there or not complete.
pub fn python() -> Result<PathBuf, String> {
    let folder = root().join(".venv");
    let python = folder.join("bin/python");
    let stamp = folder.join("tensorfleet-packages");
    let wanted = PACKAGES.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    if !python.exists() {
        run("create .venv", Command::new("python3").args(["-m", "venv"]).arg(&folder), 5)?;
    }
    run(
        "install TensorFlow",
        Command::new(&python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES),
        20,
    )?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("cannot write {}: {error}", stamp.display()))?;
    Ok(python)
}

/// A script of the repository, to be run by that Python. In which mode TensorFlow judges is said in `tests/interop/judge.py`,
/// which holds also for scripts that are run by hand; benchmarks leave TensorFlow as fast as it is.
pub fn script(path: &str) -> Result<Command, String> {
    let mut command = Command::new(python()?);
    command
        .arg(root().join(path))
        .env("TF_CPP_MIN_LOG_LEVEL", "3")
        .env("CUDA_VISIBLE_DEVICES", "-1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}
