//! Workers that are killed, stopped and join late, and parameter servers that come back: every record counts once an epoch.

mod support;

use std::time::{Duration, Instant};

use support::{Folder, Process, number_after};
use testkit::free_hosts;

const ELASTIC: &str = env!("CARGO_BIN_EXE_elastic");
const RECORDS: usize = 2000;

/// Nothing that is waited for here takes so long.
const LIMIT: Duration = Duration::from_secs(120);

/// Two parameter servers, so that positions and what is counted lie on different ones, and up to three workers.
struct Job {
    hosts: Vec<String>,
    logs: Folder,
}

impl Job {
    fn new(name: &str) -> Job {
        Job { hosts: free_hosts(5), logs: Folder::new(name) }
    }

    fn start(&self, job: &str, index: usize) -> Process {
        let flags = [
            format!("--ps_hosts={}", self.hosts[..2].join(",")),
            format!("--worker_hosts={}", self.hosts[2..].join(",")),
            format!("--job_name={job}"),
            format!("--task_index={index}"),
            format!("--logdir={}", self.logs.join("")),
            format!("--records={RECORDS}"),
            "--piece=100".to_owned(),
            "--batch_size=4".to_owned(),
            "--epochs=2".to_owned(),
            "--lease_secs=1".to_owned(),
            "--save_secs=0.5".to_owned(),
        ];
        Process::start(ELASTIC, &flags)
    }
}

/// Waits until a process has trained so often.
fn trains(process: &mut Process, steps: usize) {
    let deadline = Instant::now() + LIMIT;
    while process.said().matches("trained on").count() < steps {
        assert!(!process.has_ended(), "ended before {steps} steps: {}", process.said());
        assert!(Instant::now() < deadline, "not {steps} steps: {}", process.said());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits for the end of a worker, which tells how often records were trained on.
fn ends_with_every_record_twice(process: &mut Process) {
    let (code, said) = process.end();
    assert_eq!(code, 0, "{said}");
    let told = format!("done: each of {RECORDS} pictures was trained on 2 to 2 times");
    assert!(said.contains(&told), "{}", said.lines().rev().take(5).collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_record_counts_once_an_epoch_whoever_is_killed_or_joins() {
    let job = Job::new("elastic-workers");
    let _ps = [job.start("ps", 0), job.start("ps", 1)];
    let (mut chief, mut lost) = (job.start("worker", 0), job.start("worker", 1));
    // Killed again and again, wherever in a step it is.
    for kill in 0..4 {
        trains(&mut lost, 5 + 3 * kill);
        drop(lost);
        lost = job.start("worker", 1);
    }
    let mut late = job.start("worker", 2);
    trains(&mut late, 5);
    // The chief too; what it had goes to the others, or to itself.
    drop(chief);
    chief = job.start("worker", 0);
    trains(&mut lost, 1);
    drop(lost);
    for worker in [&mut chief, &mut late] {
        ends_with_every_record_twice(worker);
    }
}

#[test]
fn positions_and_model_go_back_together_when_a_parameter_server_is_lost() {
    let job = Job::new("elastic-ps");
    let [_ps, mut lost] = [job.start("ps", 0), job.start("ps", 1)];
    let (mut chief, mut worker) = (job.start("worker", 0), job.start("worker", 1));
    trains(&mut chief, 100);
    let state = job.logs.path().join("checkpoint");
    let deadline = Instant::now() + LIMIT;
    let saved = || std::fs::read_to_string(&state).is_ok_and(|text| number_after(&text, "model.ckpt-") > 50.0);
    while !saved() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(lost);
    lost = job.start("ps", 1);
    for process in [&mut chief, &mut worker] {
        ends_with_every_record_twice(process);
    }
    drop(lost);
}
