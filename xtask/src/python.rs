//! Python environments: with the real TensorFlow, which judges what we compute, and with what else we are measured beside.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{root, run};

/// An environment of the repository: its folder, what people call it, and what is installed in it, exactly.
struct Environment {
    folder: &'static str,
    name: &'static str,
    packages: &'static [&'static str],
}

const TENSORFLOW: Environment = Environment {
    folder: ".venv",
    name: "TensorFlow",
    packages: &["tensorflow==2.21.0", "tensorboard==2.21.0", "kubernetes-validate==1.37.0"],
};
/// For one line of the benchmark.
const PYTORCH: Environment =
    Environment { folder: ".venv-pytorch", name: "PyTorch", packages: &["torch==2.15.0", "numpy"] };
/// A server that speaks like Amazon's S3.
const STORES: Environment = Environment { folder: ".venv-stores", name: "moto", packages: &["moto[server]==5.2.5"] };
/// What builds wheels.
const PACKAGING: Environment = Environment { folder: ".venv-wheel", name: "maturin", packages: &["maturin==1.16.0"] };
/// What our own package needs, and what checks its types.
const ALONE: Environment = Environment { folder: ".venv-python", name: "numpy", packages: &["numpy", "mypy==2.4.1"] };

impl Environment {
    /// The environment's Python; the environment is made if it is not there or not complete.
    fn python(&self) -> Result<PathBuf, String> {
        let folder = root().join(self.folder);
        let python = folder.join("bin/python");
        let stamp = folder.join("tensorfleet-packages");
        let wanted = self.packages.join("\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(python);
        }
        if !python.exists() {
            let create = format!("create {}", self.folder);
            run(&create, Command::new("python3").args(["-m", "venv"]).arg(&folder), 5)?;
        }
        let quietly = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        let install = format!("install {}", self.name);
        run(&install, Command::new(&python).args(quietly).args(self.packages), 20)?;
        std::fs::write(&stamp, wanted).map_err(|error| format!("cannot write {}: {error}", stamp.display()))?;
        Ok(python)
    }
}

/// The Python with TensorFlow.
pub fn python() -> Result<PathBuf, String> {
    TENSORFLOW.python()
}

/// The Python with PyTorch, which takes 5 GB and is made for the benchmark only.
pub fn pytorch() -> Result<PathBuf, String> {
    PYTORCH.python()
}

/// The Python with a server of S3.
pub fn with_moto() -> Result<PathBuf, String> {
    STORES.python()
}

/// The Python that builds wheels.
pub fn packaging() -> Result<PathBuf, String> {
    PACKAGING.python()
}

/// A Python without TensorFlow, in which a wheel of ours is installed anew.
pub fn without_tensorflow(wheel: &Path) -> Result<PathBuf, String> {
    let python = ALONE.python()?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps"]);
    run("install the package", install.arg(wheel), 3)?;
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
