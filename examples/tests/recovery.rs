//! Programs whose tasks are killed and started again: they go on by themselves. And those whose workers leave: they end.

mod support;

use std::time::{Duration, Instant};

use support::{Folder, Process, number_after, succeeds};
use testkit::free_hosts;

const SOFTMAX: &str = env!("CARGO_BIN_EXE_mnist_softmax");
const REPLICA: &str = env!("CARGO_BIN_EXE_mnist_replica");
const DIGITS: &str = env!("CARGO_BIN_EXE_digits");

/// Nothing that is waited for here takes so long.
const LIMIT: Duration = Duration::from_secs(120);

/// A job of two parameter servers and two workers.
struct Job<'a> {
    program: &'a str,
    before: &'a [&'a str],
    hosts: Vec<String>,
}

impl<'a> Job<'a> {
    fn new(program: &'a str, before: &'a [&'a str]) -> Job<'a> {
        Job { program, before, hosts: free_hosts(4) }
    }

    fn start(&self, job: &str, index: usize, flags: &[String]) -> Process {
        let mut arguments: Vec<String> = self.before.iter().map(|argument| (*argument).to_owned()).collect();
        arguments.push(format!("--ps_hosts={}", self.hosts[..2].join(",")));
        arguments.push(format!("--worker_hosts={}", self.hosts[2..].join(",")));
        arguments.push(format!("--job_name={job}"));
        arguments.push(format!("--task_index={index}"));
        arguments.extend(flags.iter().cloned());
        Process::start(self.program, &arguments)
    }

    fn start_all(&self, flags: &[String]) -> [Process; 4] {
        [("ps", 0), ("ps", 1), ("worker", 0), ("worker", 1)].map(|(job, index)| self.start(job, index, flags))
    }
}

/// Waits until a process says this.
fn says(process: &mut Process, text: &str) {
    let deadline = Instant::now() + LIMIT;
    while !process.said().contains(text) {
        assert!(!process.has_ended(), "ended without {text:?}: {}", process.said());
        assert!(Instant::now() < deadline, "no {text:?}: {}", process.said());
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn ends_well(process: &mut Process) -> String {
    let (code, said) = process.end();
    assert_eq!(code, 0, "{said}");
    said
}

#[test]
fn the_softmax_goes_on_after_the_loss_of_a_parameter_server() {
    let logs = Folder::new("lost-ps");
    let flags = ["--train_steps=1500".to_owned(), format!("--logdir={}", logs.join(""))];
    let job = Job::new(SOFTMAX, &[]);
    let [_ps, lost, mut chief, mut worker] = job.start_all(&flags);
    says(&mut chief, "in task 0\n");
    says(&mut worker, "in task 1\n");
    drop(lost);
    let _ps1 = job.start("ps", 1, &flags);
    let said = [ends_well(&mut chief), ends_well(&mut worker)];
    assert!(said.iter().all(|said| said.contains("the session was lost; a new one follows")), "{said:?}");
    assert!(number_after(&said[1], "accuracy: ") >= 0.85, "{}", said[1]);
    let state = std::fs::read_to_string(logs.path().join("checkpoint")).unwrap();
    assert!(number_after(state.lines().next().unwrap(), "model.ckpt-") >= 1500.0, "{state}");
}

/// First the parameter server with the tokens, then the chief.
#[test]
fn the_synchronous_replicas_go_on_after_losses() {
    let flags = ["--train_steps=300", "--sync_replicas=True"].map(str::to_owned);
    let job = Job::new(REPLICA, &[]);
    let [lost, _ps1, mut chief, mut worker] = job.start_all(&flags);
    says(&mut chief, "training step 20 done");
    says(&mut worker, "training step 20 done");
    drop(lost);
    let _ps0 = job.start("ps", 0, &flags);
    says(&mut chief, "the session was lost; a new one follows");
    says(&mut worker, "the session was lost; a new one follows");
    says(&mut chief, "training step 60 done");
    drop(chief);
    let mut chief = job.start("worker", 0, &flags);
    for process in [&mut chief, &mut worker] {
        let said = ends_well(process);
        assert!(number_after(&said, "validation cross entropy = ") < 5000.0, "{said}");
    }
}

/// A worker that has had enough signs off, and a step needs two.
#[test]
fn the_synchronous_replicas_end_when_one_leaves() {
    let flags = |steps: &str| [format!("--train_steps={steps}"), "--sync_replicas=True".to_owned()];
    let job = Job::new(REPLICA, &[]);
    let _ps = [0, 1].map(|index| job.start("ps", index, &flags("1")));
    let (mut chief, mut worker) = (job.start("worker", 0, &flags("1000000")), job.start("worker", 1, &flags("20")));
    ends_well(&mut worker);
    let said = ends_well(&mut chief);
    assert!(said.contains("too few workers are left for a step: closing the queue of tokens"), "{said}");
    assert!(said.contains("Training ends @ "), "{said}");
}

#[test]
fn the_digits_go_on_after_the_loss_of_a_parameter_server() {
    let work = Folder::new("lost-digits");
    let flag = |name: &str, value: &str| format!("--{name}={value}");
    let (pictures, records) = (work.join("pictures"), work.join("records"));
    succeeds(DIGITS, &["images", &flag("out", &pictures), "--format=png", "--count=200"]);
    succeeds(DIGITS, &["records", &flag("images", &pictures), &flag("out", &records)]);
    let logs = work.join("logs");
    let flags = [flag("data_dir", &records), flag("logdir", &logs)];
    let flags = [&flags[..], &["--training_steps=60".to_owned(), "--issync=1".to_owned()]].concat();
    let job = Job::new(DIGITS, &["train"]);
    let [_ps0, lost, mut chief, mut worker] = job.start_all(&flags);
    says(&mut chief, "traing step 10 dome");
    says(&mut worker, "traing step 10 dome");
    drop(lost);
    let _ps1 = job.start("ps", 1, &flags);
    for process in [&mut chief, &mut worker] {
        let said = ends_well(process);
        assert!(said.contains("the session was lost; a new one follows"), "{said}");
    }
    let said = succeeds(DIGITS, &["evaluate", &flag("data_dir", &records), &flag("logdir", &logs)]);
    assert!(said.contains("test accuracy on "), "{said}");
}
