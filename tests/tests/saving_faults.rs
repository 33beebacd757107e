//! Processes that die while they save, and disks that take no more: the previous checkpoint stays usable.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tensorfleet::prelude::*;
use tensorfleet::train::latest_checkpoint;
use testkit::free_hosts;

const BINARY: &str = env!("CARGO_BIN_EXE_checkpoints");
const TASK: &str = env!("CARGO_BIN_EXE_mnist_task");

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
    let numbers = Variable::new("numbers", g.zeros([count], DType::Int64));
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
    // A process that is killed cannot clear up.
    let half_written = || {
        let names =
            std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("tempstate")).collect::<BTreeSet<String>>()
    };
    let left_by_the_killed = half_written();
    let mut large = limited(100_000);
    let stderr = large.0.stderr.take().unwrap();
    assert!(!large.0.wait().unwrap().success());
    let error = BufReader::new(stderr).lines().map(Result::unwrap).collect::<Vec<_>>().join("\n");
    assert!(error.contains("RESOURCE_EXHAUSTED") && error.contains("model.ckpt-1"), "{error}");
    assert_eq!(newest_step(&folder.0, 1000), before);
    assert_eq!(half_written(), left_by_the_killed, "nothing half-written is left");
}

/// Runs a script for which the folder is a disk of 2 MB. It is in namespaces of its own, so that disk and processes are gone when
/// it ends, however it ends. What was on the disk is in the folder afterwards. Nothing where the system does not allow this.
fn on_a_small_disk(folder: &Folder, script: &str) -> Option<std::process::Output> {
    const MOUNT: &str = "mount -t tmpfs -o size=2m none \"$1\"";
    let path = folder.0.to_str().unwrap();
    let isolated = |user: &[&str], script: &str| {
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "60", "unshare"]).args(user).args(["--mount", "--pid", "--fork", "--kill-child"]);
        command.args(["sh", "-c", script, "sh", path]).stdin(Stdio::null()).output()
    };
    let allowed = [&[][..], &["--user", "--map-root-user"]].into_iter();
    let mut allowed = allowed.filter(|user| isolated(user, MOUNT).is_ok_and(|output| output.status.success()));
    let Some(user) = allowed.next() else {
        eprintln!(
            "no disk can be mounted here: only the test with a limit on the size of files shows what a full disk does"
        );
        return None;
    };
    let copied = folder.0.with_extension("copied");
    let copy = format!("mkdir '{0}' && cp -r \"$1\"/. '{0}'", copied.display());
    let output = isolated(user, &format!("{MOUNT} || exit 99; {script}; code=$?; {copy}; exit $code")).unwrap();
    std::fs::remove_dir(path).expect("the disk is gone, and the folder under it is empty");
    std::fs::rename(copied, path).unwrap();
    Some(output)
}

/// There is room for one checkpoint, not for two.
#[test]
fn a_full_disk_is_an_error_that_says_so_and_leaves_the_checkpoint() {
    let folder = Folder::new("full-disk");
    let Some(output) = on_a_small_disk(&folder, &format!("'{BINARY}' forever \"$1\" 150000")) else { return };
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("RESOURCE_EXHAUSTED") && error.contains("No space left on device"), "{error}");
    assert!(error.contains("model.ckpt-2"), "{error}");
    assert_eq!(newest_step(&folder.0, 150_000), 1);
}

/// The chief ends with an error, and the last checkpoint that fitted, of some that are kept, can be trained on.
#[test]
fn a_full_disk_ends_the_training_with_an_error() {
    let hosts = free_hosts(3);
    let folder = Folder::new("full-disk-training");
    let task = |job: &str, index: u32, last_step: i64| {
        let (ps, workers) = (hosts[..2].join(","), &hosts[2]);
        format!("'{TASK}' {job} {index} {ps} {workers} \"$1\" {last_step} async")
    };
    let forever = 1_000_000;
    let script = format!("{} & {} & {}", task("ps", 0, 0), task("ps", 1, 0), task("worker", 0, forever));
    let Some(output) = on_a_small_disk(&folder, &script) else { return };
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("worker 0: RESOURCE_EXHAUSTED"), "{error}");
    assert!(error.contains("No space left on device"), "{error}");
    let newest = latest_checkpoint(&folder.0).unwrap().expect("there is a checkpoint");
    let step: i64 = newest.to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
    // With a larger disk, training goes on from there.
    let start = |job: &str, index: u32| {
        let script = format!("exec {}", task(job, index, step + 10));
        started(Command::new("sh").args(["-c", &script, "sh", folder.0.to_str().unwrap()]))
    };
    let (_ps, mut chief) = ([start("ps", 0), start("ps", 1)], start("worker", 0));
    let mut said = BufReader::new(chief.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first: i64 = said.next().unwrap().strip_prefix("step ").unwrap().parse().unwrap();
    assert!(first >= step, "step {first} is before the checkpoint of step {step}");
    assert_eq!(said.last().unwrap(), "last step");
    assert!(chief.0.wait().unwrap().success());
}
