//! The fence between two chiefs of one folder: whoever began last is the chief, and an older one, which may have been cut off
//! or stopped meanwhile, is refused when it comes back.
//!
//! A chief that saves writes its number, one more than that of the chief before, and its mark to `.chief` in the folder, and
//! looks there before it initialises, restores or saves, and again before it says which checkpoint is the newest.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tensor::{Result, Status, ensure};

/// The file that names the chief.
const FILE: &str = ".chief";

/// The right to change the model and the checkpoints of a folder, until another chief takes it.
#[derive(Clone, Debug)]
pub(crate) struct Fence(Arc<Claim>);

#[derive(Debug)]
struct Claim {
    folder: PathBuf,
    number: u64,
    /// What the file says as long as nobody else has claimed the folder.
    text: String,
}

impl Fence {
    /// Makes the caller the chief of a folder.
    ///
    /// # Errors
    /// The code of the operating system's error if the folder cannot be written.
    pub fn claim(folder: &Path) -> Result<Fence> {
        files::place::create_folder(folder).map_err(|error| Status::from(error).context(folder.display()))?;
        let number = number_in(&read(folder)?) + 1;
        // Two that begin at once have the same number, but not the same mark.
        let mark = RandomState::new().hash_one((std::process::id(), std::time::SystemTime::now()));
        let text = format!("{number} {mark:016x} process {}\n", std::process::id());
        files::atomic::write_file(&folder.join(FILE), text.as_bytes())?;
        Ok(Fence(Arc::new(Claim { folder: folder.to_owned(), number, text })))
    }

    /// Refuses whatever a chief wants to do after another one has begun.
    ///
    /// # Errors
    /// `FailedPrecondition`, naming both; the code of the error if it cannot be read who is chief.
    pub fn check(&self, what: &str) -> Result<()> {
        let Claim { folder, number, text } = &*self.0;
        let found = read(folder)?;
        // Whoever empties the folder begins anew; nobody has taken it.
        ensure!(
            found == *text || found.is_empty(),
            FailedPrecondition,
            "cannot {what}: this chief, the {number}. of {}, was replaced by the {}. ({})",
            folder.display(),
            number_in(&found),
            found.trim()
        );
        Ok(())
    }
}

/// What the file says; nothing if there is none. A place that cannot be read says nothing about who is chief.
fn read(folder: &Path) -> Result<String> {
    let path = folder.join(FILE);
    match files::place::read(&path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Status::from(error).context(path.display())),
    }
}

fn number_in(text: &str) -> u64 {
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::Code;

    #[test]
    fn the_chief_that_began_last_is_the_chief() {
        let folder = std::env::temp_dir().join(format!("tensorfleet-fence-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let older = Fence::claim(&folder).unwrap();
        older.check("save").unwrap();
        let newer = Fence::claim(&folder).unwrap();
        let refused = older.check("save").unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        let said = refused.message();
        assert!(
            said.starts_with("cannot save: this chief, the 1. of ") && said.contains("was replaced by the 2."),
            "{said}"
        );
        newer.check("save").unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        newer.check("save").unwrap();
    }
}
