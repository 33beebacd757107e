//! Training by real processes that are killed and started again: it goes on from the newest checkpoint by itself.

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use tensorfleet::train::latest_checkpoint;
use testkit::free_hosts;

/// A job of two parameter servers and some workers. Everything is gone in the end.
struct Job {
    ps: String,
    workers: String,
    folder: PathBuf,
    last_step: i64,
}

impl Job {
    fn new(name: &str, workers: usize, last_step: i64) -> Job {
        let folder = std::env::temp_dir().join(format!("tensorfleet-chaos-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let hosts = free_hosts(2 + workers);
        Job { ps: hosts[..2].join(","), workers: hosts[2..].join(","), folder, last_step }
    }

    fn start(&self, job: &str, index: u32) -> Task {
        let mut command = Command::new(env!("CARGO_BIN_EXE_train_task"));
        command.arg(job).arg(index.to_string()).arg(&self.ps).arg(&self.workers);
        command.arg(&self.folder).arg(self.last_step.to_string());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Task { child, lines }
    }

    /// The step of the newest checkpoint.
    fn newest(&self) -> i64 {
        step_of(&latest_checkpoint(&self.folder).unwrap().expect("there is a checkpoint"))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn step_of(prefix: &Path) -> i64 {
    prefix.to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap()
}

/// A process that is killed (with no chance to say goodbye) when dropped.
struct Task {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Drop for Task {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Task {
    /// Reads on until a step is reached, and gives all steps on the way: the global step and the two counters.
    fn until(&mut self, wanted: i64) -> Vec<[i64; 3]> {
        let mut seen = Vec::new();
        for line in self.lines.by_ref() {
            let line = line.unwrap();
            let Some(numbers) = line.strip_prefix("step ") else {
                assert_eq!(line, "done");
                break;
            };
            let numbers: Vec<i64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
            seen.push([numbers[0], numbers[1], numbers[2]]);
            if numbers[0] >= wanted {
                return seen;
            }
        }
        seen
    }

    /// Waits for a good end.
    fn end(mut self) -> Vec<[i64; 3]> {
        let seen = self.until(i64::MAX);
        assert!(self.child.wait().unwrap().success());
        seen
    }
}

/// One worker, so that all counters are the same in every step that it sees.
#[test]
fn a_killed_parameter_server_costs_the_steps_since_the_checkpoint() {
    let job = Job::new("ps", 1, 600);
    let _ps0 = job.start("ps", 0);
    let ps1 = job.start("ps", 1);
    let mut chief = job.start("worker", 0);
    chief.until(220);
    drop(ps1);
    let newest = job.newest();
    assert!(newest >= 150, "{newest}");
    let _ps1 = job.start("ps", 1);
    let seen = chief.end();
    for [step, a, b] in &seen {
        assert!(step == a && a == b, "the model is torn: {step} {a} {b}");
        assert!(*step >= newest, "step {step} is below the checkpoint of step {newest}");
    }
    assert_eq!(job.newest(), 600);
}

#[test]
fn a_killed_chief_or_worker_costs_nothing() {
    let job = Job::new("workers", 2, 1500);
    let _ps: Vec<Task> = (0..2).map(|index| job.start("ps", index)).collect();
    let mut chief = job.start("worker", 0);
    let mut worker = job.start("worker", 1);
    chief.until(200);
    let before = worker.until(200).last().unwrap()[0];
    drop(chief);
    // The parameter servers have the model: a new chief goes on with it.
    let mut chief = job.start("worker", 0);
    let first = chief.until(0)[0][0];
    assert!(first >= before, "the chief went back to step {first}, before {before}");
    drop(worker);
    let worker = job.start("worker", 1);
    let last = chief.end().last().map_or(first, |seen| seen[0]);
    assert!(last >= 1499, "{last}");
    worker.end();
    assert!(job.newest() >= 1500);
}
