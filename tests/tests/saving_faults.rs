//! Processes that die while they save, and disks that take no more: the previous checkpoint stays usable.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tensorfleet::prelude::*;

const BINARY: &str = env!("CARGO_BIN_EXE_checkpoints");

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that is gone in the end, also when a test fails.
struct Saving(Child);

impl Drop for Saving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The newest checkpoint must be whole: all numbers in it are its step.
fn newest_step(folder: &Path, count: i64) -> i64 {
    let newest = latest_checkpoint(folder).unwrap().expect("there is a checkpoint");
    let step: i64 = newest.to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
    let g = Graph::new();
    let numbers = Variable::new("numbers", g.zeros(&[count], DType::Int64));
    let saver = Saver::new(&g);
    let session = LocalSession::new(&g).unwrap();
    saver.restore(&session, newest).unwrap();
    let value = session.fetch(RunRequest::new().fetch(numbers.value())).unwrap().remove(0);
    assert!(value.as_slice::<i64>().unwrap().iter().all(|number| *number == step));
    step
}

#[test]
fn a_kill_during_a_save_leaves_the_checkpoint_before_it() {
    const COUNT: i64 = 500_000;
    let folder = Folder::new("killed-saving");
    for saves in 1..6 {
        let mut saving =
            started(Command::new(BINARY).args(["forever", folder.0.to_str().unwrap(), &COUNT.to_string()]));
        let mut lines = BufReader::new(saving.0.stdout.take().unwrap()).lines();
        let mut seen = 0;
        for _ in 0..saves {
            seen = lines.next().unwrap().unwrap().parse::<i64>().unwrap();
        }
        // The next save is under way now, at whatever point.
        drop(saving);
        assert!(newest_step(&folder.0, COUNT) >= seen);
    }
}

fn started(command: &mut Command) -> Saving {
    Saving(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

#[test]
fn a_file_that_cannot_grow_is_an_error_that_says_so() {
    // Files may have 64 blocks of 512 bytes: enough for a checkpoint of 1,000 numbers, not for one of 100,000.
    let folder = Folder::new("full");
    let limited = |count: i64| {
        let script = format!("trap '' XFSZ; ulimit -f 64; exec '{BINARY}' forever '{}' {count}", folder.0.display());
        started(Command::new("sh").args(["-c", &script]))
    };
    let mut small = limited(1000);
    let mut lines = BufReader::new(small.0.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    drop(small);
    let before = newest_step(&folder.0, 1000);
    let mut large = limited(100_000);
    let stderr = large.0.stderr.take().unwrap();
    assert!(!large.0.wait().unwrap().success());
    let error = BufReader::new(stderr).lines().map(Result::unwrap).collect::<Vec<_>>().join("\n");
    assert!(error.contains("RESOURCE_EXHAUSTED") && error.contains("model.ckpt-1"), "{error}");
    assert_eq!(newest_step(&folder.0, 1000), before);
    let left: Vec<String> = std::fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("tempstate"))
        .collect();
    assert_eq!(left, [] as [String; 0], "nothing half-written is left");
}
