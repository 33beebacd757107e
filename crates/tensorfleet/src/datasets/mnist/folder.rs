//! Where MNIST's files are looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tensor::{Result, ensure, err};

/// The environment variable that names the folder.
const VARIABLE: &str = "TENSORFLEET_MNIST";
/// The folder in a checkout of the repository, and below a program that is shipped with it.
const SHIPPED: &str = "data/mnist";
/// How many folders above that of the program are looked at: in a checkout it lies in `target/release/deps` at most.
const ABOVE: usize = 3;

/// Returns the folder of MNIST's files: the chosen one, or else the first of these that has them:
///
/// 1. the folder that the environment variable `TENSORFLEET_MNIST` names; if it is set, no other is looked at
/// 2. `data/mnist` in the working directory
/// 3. `data/mnist` beside the program, or beside one of the three folders above it
/// 4. `tensorfleet/mnist` in the user's cache, which is `$XDG_CACHE_HOME` or else `~/.cache`
///
/// ```no_run
/// use tensorfleet::datasets::mnist::{Mnist, folder};
///
/// let mnist = Mnist::read(folder(None)?)?;
/// # Ok::<(), tensorfleet::Status>(())
/// ```
///
/// A folder that the caller has chosen is returned as it is:
///
/// ```
/// use std::path::Path;
/// use tensorfleet::datasets::mnist::folder;
///
/// assert_eq!(folder(Some(Path::new("/data/digits")))?, Path::new("/data/digits"));
/// # Ok::<(), tensorfleet::Status>(())
/// ```
///
/// # Errors
/// `NotFound` if no folder was chosen and none has the files, with all that were looked at.
pub fn folder(chosen: Option<&Path>) -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match chosen {
        Some(folder) => Ok(folder.to_owned()),
        None => find(
            variable(VARIABLE),
            candidates(std::env::current_exe().ok(), variable("XDG_CACHE_HOME"), variable("HOME")),
        ),
    }
}

fn find(named: Option<OsString>, candidates: Vec<PathBuf>) -> Result<PathBuf> {
    if let Some(folder) = named.map(PathBuf::from) {
        ensure!(
            has_files(&folder),
            NotFound,
            "{VARIABLE} is {}, but there are no files of MNIST, such as {}.gz",
            folder.display(),
            super::TRAIN_IMAGES
        );
        return Ok(folder);
    }
    candidates.iter().find(|folder| has_files(folder)).cloned().ok_or_else(|| {
        let places: Vec<String> = candidates.iter().map(|folder| folder.display().to_string()).collect();
        err!(
            NotFound,
            "the files of MNIST, such as {}.gz, are in none of {}; set {VARIABLE} to their folder",
            super::TRAIN_IMAGES,
            places.join(", ")
        )
    })
}

fn candidates(program: Option<PathBuf>, cache: Option<OsString>, home: Option<OsString>) -> Vec<PathBuf> {
    let here = std::path::absolute(SHIPPED).unwrap_or_else(|_| PathBuf::from(SHIPPED));
    let beside = program.iter().flat_map(|program| program.ancestors().skip(1).take(1 + ABOVE));
    let cache = cache.map(PathBuf::from).or_else(|| Some(Path::new(&home?).join(".cache")));
    let mut candidates = vec![here];
    candidates.extend(beside.map(|folder| folder.join(SHIPPED)));
    candidates.extend(cache.map(|cache| cache.join("tensorfleet/mnist")));
    let mut seen = std::collections::HashSet::new();
    candidates.retain(|folder| seen.insert(folder.clone()));
    candidates
}

fn has_files(folder: &Path) -> bool {
    super::find(folder, super::TRAIN_IMAGES).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_with_files_is_taken_and_a_named_one_alone() {
        let root = std::env::temp_dir().join(format!("tensorfleet-mnist-folder-{}", std::process::id()));
        let with_files = |name: &str| {
            let folder = root.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("train-images-idx3-ubyte.gz"), b"").unwrap();
            folder
        };
        let (shipped, cached) = (with_files("app/data/mnist"), with_files("cache/tensorfleet/mnist"));
        let program = Some(root.join("app/target/release/tensorfleet"));
        let all = candidates(program.clone(), Some(root.join("cache").into()), None);
        assert_eq!(find(None, all[1..].to_vec()).unwrap(), shipped);
        // Without a program that lies beside them.
        let elsewhere = candidates(None, Some(root.join("cache").into()), Some(root.join("home").into()));
        assert_eq!(find(None, elsewhere[1..].to_vec()).unwrap(), cached);
        let in_home = candidates(None, None, Some(root.join("home").into()));
        assert_eq!(in_home[1..], [root.join("home/.cache/tensorfleet/mnist")]);
        let status = find(None, in_home[1..].to_vec()).unwrap_err();
        assert_eq!(status.code(), tensor::Code::NotFound);
        assert!(status.message().contains("home/.cache/tensorfleet/mnist; set TENSORFLEET_MNIST"));

        assert_eq!(find(Some(cached.clone().into()), all.clone()).unwrap(), cached);
        let status = find(Some(root.join("nothing").into()), all).unwrap_err();
        assert!(status.message().starts_with("TENSORFLEET_MNIST is ") && status.message().contains("nothing"));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
