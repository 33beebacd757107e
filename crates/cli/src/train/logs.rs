//! What tasks log: a file for each task in the logdir, from which lines are shown only when something fails.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tensor::{Result, Status};

use super::children::TaskId;

/// How many lines are shown of the log of a task that failed.
const LINES: usize = 10;
/// These lines are looked for in so many bytes at the end of the log.
const BYTES: u64 = 1 << 14;

/// The log of one process, which may follow on that of earlier processes in the same file.
pub struct TaskLog {
    path: PathBuf,
    /// Where the lines of this process begin.
    begin: u64,
}

impl TaskLog {
    /// Opens the log of a task, to be appended to.
    ///
    /// # Errors
    /// The code of the operating system's error, with the path.
    pub fn open(logdir: &Path, task: TaskId) -> Result<(TaskLog, File)> {
        let (job, number) = task.job();
        let path = logdir.join(format!("{job}-{number}.log"));
        let open = || -> std::io::Result<(u64, File)> {
            let file = OpenOptions::new().append(true).create(true).open(&path)?;
            Ok((file.metadata()?.len(), file))
        };
        let (begin, file) = open().map_err(|error| Status::from(error).context(path.display()))?;
        Ok((TaskLog { path, begin }, file))
    }

    /// The last lines of this process with the path of the whole; nothing if it has logged nothing.
    pub fn last_lines(&self) -> Option<String> {
        let text = self.end().ok().filter(|text| !text.trim().is_empty())?;
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(LINES)..];
        Some(format!("the end of {}:\n  {}", self.path.display(), last.join("\n  ")))
    }

    fn end(&self) -> std::io::Result<String> {
        let mut file = File::open(&self.path)?;
        let begin = self.begin.max(file.metadata()?.len().saturating_sub(BYTES));
        file.seek(SeekFrom::Start(begin))?;
        let mut bytes = Vec::new();
        file.take(BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_last_lines_are_those_of_the_last_process() {
        let folder = std::env::temp_dir().join(format!("tensorfleet-task-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (first, mut file) = TaskLog::open(&folder, TaskId::Worker(3)).unwrap();
        assert_eq!(first.last_lines(), None);
        writeln!(file, "of the first process").unwrap();
        let (second, mut file) = TaskLog::open(&folder, TaskId::Worker(3)).unwrap();
        assert_eq!(second.last_lines(), None);
        for number in 0..2000 {
            writeln!(file, "line {number}").unwrap();
        }
        let path = folder.join("worker-3.log");
        let expected: Vec<String> = (1990..2000).map(|number| format!("\n  line {number}")).collect();
        assert_eq!(second.last_lines(), Some(format!("the end of {}:{}", path.display(), expected.concat())));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
