//! MNIST is learnt by real processes while one of them is killed: training goes on as if nothing had happened, or ends.
//!
//! | what happens | what is shown |
//! |---|---|
//! | a ps is killed and comes back | both workers go on from the newest checkpoint, the step never falls below it, and the accuracy is that of a run without a fault; asynchronously and synchronously, for the ps with the global step and the other |
//! | the chief is killed and comes back | it goes on with the model that the ps hold, and initialises nothing, also without checkpoints |
//! | a worker is killed and comes back | nobody else loses anything |
//! | a worker of synchronous training is lost, or signs off | below the quorum all others end cleanly, with a checkpoint, and the log names who is gone; above it they go on |
//! | a worker of synchronous training never comes | it is named at once, and the wait has an end |
//! | gradients come too late | they are counted, by worker |
//! | the disk is full | see `saving_faults.rs` |
//! | tasks of the example programs are killed | see `recovery.rs` of the examples |

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tensorfleet::prelude::*;
use tensorfleet::train::latest_checkpoint;
use testkit::free_hosts;

/// Nothing that is waited for here takes so long.
const LIMIT: Duration = Duration::from_secs(60);

struct Job {
    ps: String,
    workers: String,
    folder: Option<PathBuf>,
    mode: &'static str,
}

impl Job {
    fn new(workers: usize, mode: &'static str) -> Job {
        let hosts = free_hosts(2 + workers);
        let number = hosts[0].rsplit(':').next().unwrap();
        let folder = std::env::temp_dir().join(format!("tensorfleet-mnist-chaos-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Job { ps: hosts[..2].join(","), workers: hosts[2..].join(","), folder: Some(folder), mode }
    }

    fn without_checkpoints(mut self) -> Job {
        self.folder = None;
        self
    }

    fn start(&self, job: &str, index: u32, last_step: i64) -> Task {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mnist_task"));
        command.arg(job).arg(index.to_string()).arg(&self.ps).arg(&self.workers);
        match &self.folder {
            Some(folder) => command.arg(folder),
            None => command.arg("-"),
        };
        let mut child = command.arg(last_step.to_string()).arg(self.mode);
        child = child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let (lines, log) = (lines_of(child.stdout.take().unwrap()), lines_of(child.stderr.take().unwrap()));
        Task { name: format!("{job} {index}"), child, lines, log, seen: Vec::new() }
    }

    /// The step of the newest checkpoint.
    fn newest(&self) -> i64 {
        let folder = self.folder.as_ref().unwrap();
        let prefix = latest_checkpoint(folder).unwrap().expect("there is a checkpoint");
        prefix.to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A process that is killed (with no chance to say goodbye) when dropped.
struct Task {
    name: String,
    child: Child,
    lines: Receiver<String>,
    log: Receiver<String>,
    seen: Vec<i64>,
}

impl Drop for Task {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a task said in the end.
#[derive(Debug)]
struct Ending {
    steps: Vec<i64>,
    why: String,
    accuracy: f32,
    /// Of each worker, how many were accepted and dropped.
    gradients: Vec<(String, i64, i64)>,
    log: String,
}

impl Task {
    fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(_) => panic!("{} says nothing for {LIMIT:?}: {}", self.name, self.said()),
        }
    }

    fn said(&self) -> String {
        self.log.try_iter().collect::<Vec<_>>().join("\n")
    }

    /// Reads on until a step is reached, and gives the last one.
    fn until(&mut self, wanted: i64) -> i64 {
        while let Some(line) = self.line() {
            let step: i64 = line.strip_prefix("step ").and_then(|step| step.parse().ok()).unwrap_or_default();
            self.seen.push(step);
            if step >= wanted {
                return step;
            }
        }
        panic!("{} ended before step {wanted}: {}", self.name, self.said())
    }

    /// Waits for a good end.
    fn end(mut self) -> Ending {
        let mut ending = Ending {
            steps: std::mem::take(&mut self.seen),
            why: String::new(),
            accuracy: 0.0,
            gradients: Vec::new(),
            log: String::new(),
        };
        while let Some(line) = self.line() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["step", step] => ending.steps.push(step.parse().unwrap()),
                ["accuracy", accuracy] => ending.accuracy = accuracy.parse().unwrap(),
                ["gradients", worker, accepted, dropped] => {
                    ending.gradients.push((worker.to_owned(), accepted.parse().unwrap(), dropped.parse().unwrap()));
                }
                _ => ending.why = line,
            }
        }
        let begin = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(begin.elapsed() < LIMIT, "{} does not end: {}", self.name, self.said()),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        ending.log = self.log.iter().collect::<Vec<_>>().join("\n");
        assert!(status.success(), "{} ended with {status}: {}", self.name, ending.log);
        ending
    }
}

/// Collects lines on a thread of its own, so that nobody waits for us to read them.
fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    lines
}

const LAST: i64 = 400;
/// What so many steps reach without a fault (0.93 asynchronously, 0.945 synchronously), with something to spare.
const ENOUGH: f32 = 0.91;

/// Two parameter servers and two workers; one of them is killed at step 150 and started again.
fn lose_and_restart(mode: &'static str, victim: Option<(&str, u32)>) {
    let job = Job::new(2, mode);
    let mut tasks: Vec<(&str, u32, Task)> = [("ps", 0), ("ps", 1), ("worker", 0), ("worker", 1)]
        .map(|(name, index)| (name, index, job.start(name, index, LAST)))
        .into_iter()
        .collect();
    let reached = tasks[2].2.until(150);
    let mut newest = 0;
    if let Some((name, index)) = victim {
        let place = tasks.iter().position(|(other, number, _)| (*other, *number) == (name, index)).unwrap();
        drop(tasks.remove(place));
        newest = job.newest();
        assert!(newest >= 100, "{newest}");
        tasks.push((name, index, job.start(name, index, LAST)));
    }
    tasks.sort_by_key(|(name, index, _)| (*name, *index));
    let mut workers = tasks.split_off(2).into_iter();
    let (chief, worker) = (workers.next().unwrap().2.end(), workers.next().unwrap().2.end());
    for (who, ending) in [("the chief", &chief), ("the worker", &worker)] {
        let later: Vec<i64> = ending.steps.iter().copied().skip_while(|step| *step < newest).collect();
        let lowest = later.iter().min().copied().unwrap_or(newest);
        assert!(lowest >= newest, "{who} went back to step {lowest}, below the checkpoint of step {newest}");
    }
    match victim {
        // The parameter servers have the model: a new chief goes on with it, and not with the checkpoint.
        Some(("worker", 0)) => {
            assert!(chief.steps[0] >= reached, "the chief went back to step {}, before {reached}", chief.steps[0]);
        }
        Some(("ps", _)) => assert!(chief.log.contains("the session was lost; a new one follows"), "{}", chief.log),
        _ => {}
    }
    assert!(job.newest() >= LAST, "the last checkpoint is that of step {}", job.newest());
    assert!(chief.accuracy >= ENOUGH, "accuracy is {}", chief.accuracy);
    if mode != "async" && victim.is_none() {
        let workers: Vec<&str> = chief.gradients.iter().map(|(worker, ..)| worker.as_str()).collect();
        assert_eq!(workers, ["/job:worker/task:0", "/job:worker/task:1"]);
        let accepted: i64 = chief.gradients.iter().map(|(_, accepted, _)| accepted).sum();
        assert!(accepted >= 2 * LAST, "{accepted} gradients for {LAST} steps of 2");
    }
}

#[test]
fn nothing_is_lost() {
    lose_and_restart("async", None);
    lose_and_restart("sync:2", None);
}

#[test]
fn the_chief_is_killed() {
    lose_and_restart("async", Some(("worker", 0)));
}

#[test]
fn the_chief_of_synchronous_training_is_killed() {
    lose_and_restart("sync:2", Some(("worker", 0)));
}

#[test]
fn a_worker_is_killed() {
    lose_and_restart("async", Some(("worker", 1)));
}

#[test]
fn a_worker_of_synchronous_training_is_killed() {
    lose_and_restart("sync:2", Some(("worker", 1)));
}

/// The first has the global step, and with it the queue of tokens.
#[test]
fn the_first_parameter_server_is_killed() {
    lose_and_restart("async", Some(("ps", 0)));
}

#[test]
fn the_first_parameter_server_of_synchronous_training_is_killed() {
    lose_and_restart("sync:2", Some(("ps", 0)));
}

#[test]
fn the_second_parameter_server_is_killed() {
    lose_and_restart("async", Some(("ps", 1)));
}

#[test]
fn the_second_parameter_server_of_synchronous_training_is_killed() {
    lose_and_restart("sync:2", Some(("ps", 1)));
}

/// Without any checkpoint: what the parameter servers hold is all there is.
#[test]
fn a_restarted_chief_does_not_initialise_again() {
    let job = Job::new(1, "async").without_checkpoints();
    let _ps = [job.start("ps", 0, 0), job.start("ps", 1, 0)];
    let mut chief = job.start("worker", 0, 1_000_000);
    let reached = chief.until(100);
    drop(chief);
    let mut chief = job.start("worker", 0, reached + 100);
    let first = chief.until(0);
    assert!(first > reached, "the chief went back to step {first}, before {reached}");
    assert_eq!(chief.end().why, "last step");
}

/// A worker never comes back, and two gradients are too few for a step: the others end, with a checkpoint, and say why.
#[test]
fn synchronous_training_ends_when_a_worker_is_lost_for_good() {
    let job = Job::new(3, "sync:3");
    let _ps = [job.start("ps", 0, 0), job.start("ps", 1, 0)];
    let mut chief = job.start("worker", 0, 1_000_000);
    let (worker, lost) = (job.start("worker", 1, 1_000_000), job.start("worker", 2, 1_000_000));
    let reached = chief.until(50);
    drop(lost);
    let chief = chief.end();
    assert_eq!(chief.why, "no more tokens");
    assert_eq!(worker.end().why, "no more tokens");
    assert!(chief.log.contains("a worker of the synchronous training is gone task=2"), "{}", chief.log);
    assert!(chief.log.contains("too few workers are left for a step"), "{}", chief.log);
    assert!(job.newest() >= reached);
}

/// As above, but the worker has its last step earlier than the chief and signs off.
#[test]
fn synchronous_training_ends_when_a_worker_signs_off() {
    let job = Job::new(2, "sync:2");
    let _ps = [job.start("ps", 0, 0), job.start("ps", 1, 0)];
    let chief = job.start("worker", 0, 1_000_000);
    let worker = job.start("worker", 1, 50);
    assert_eq!(worker.end().why, "last step");
    let chief = chief.end();
    assert_eq!(chief.why, "no more tokens");
    assert!(chief.log.contains(r#"task=1 why="signed off""#), "{}", chief.log);
    assert!(job.newest() >= 50);
}

/// The step is made of two gradients, and nobody but the chief is there: who is missing is said, and the wait has an end.
#[test]
fn a_worker_that_never_comes_is_named() {
    let job = Job::new(2, "sync:2");
    let _ps = [job.start("ps", 0, 0), job.start("ps", 1, 0)];
    let chief = job.start("worker", 0, 1_000_000).end();
    assert_eq!(chief.why, "no more tokens");
    let missing = "a worker of the synchronous training does not answer task=1";
    assert!(chief.log.contains(missing), "{}", chief.log);
}

/// Two of three workers are enough for a step.
#[test]
fn synchronous_training_goes_on_with_the_backup_worker() {
    let job = Job::new(3, "sync:2");
    let _ps = [job.start("ps", 0, 0), job.start("ps", 1, 0)];
    let mut chief = job.start("worker", 0, 400);
    let (worker, lost) = (job.start("worker", 1, 400), job.start("worker", 2, 400));
    chief.until(50);
    drop(lost);
    let chief = chief.end();
    assert_eq!(chief.why, "last step");
    let dropped: i64 = chief.gradients.iter().map(|(.., dropped)| dropped).sum();
    assert!(dropped > 0, "while there were three, some gradients came too late for their step: {:?}", chief.gradients);
    worker.end();
    assert!(job.newest() >= 400);
}
