//! Training without parameter servers by real processes, of which one is killed: the others go on without it, or end.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};

use testkit::free_hosts;

const LAST_STEP: i64 = 1_000_000;

/// A process that is killed (with no chance to say goodbye) when dropped.
struct Worker {
    child: Child,
    /// What it writes; somebody reads it at all times, so that it never waits for that.
    lines: Receiver<String>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Worker {
    fn start(index: usize, hosts: &str, on_loss: &str) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_all_reduce_task"));
        command.args([&index.to_string(), hosts, &LAST_STEP.to_string(), on_loss]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let (send, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Worker { child, lines }
    }

    /// After its next step: the global step, the variable, and the row that all touch.
    fn step(&mut self) -> (i64, f32, f32) {
        let line = self.lines.recv().expect("it goes on");
        let numbers: Vec<&str> = line.strip_prefix("step ").unwrap_or_else(|| panic!("{line}")).split(' ').collect();
        (numbers[0].parse().unwrap(), numbers[1].parse().unwrap(), numbers[2].parse().unwrap())
    }

    /// Waits for a step after this one that is made with this mean of all gradients.
    fn until_mean(&mut self, mean: f32, after: i64) -> i64 {
        let mut before = self.step();
        loop {
            let now = self.step();
            let made = (now.0 - before.0) as f32;
            if before.0 >= after && made > 0.0 && now.1 - before.1 == -mean * made {
                assert_eq!(now.2 - before.2, -mean * made);
                return now.0;
            }
            before = now;
        }
    }
}

fn start(count: usize, on_loss: &str) -> (Vec<Worker>, String) {
    let hosts = free_hosts(count).join(",");
    ((0..count).map(|index| Worker::start(index, &hosts, on_loss)).collect(), hosts)
}

#[test]
fn the_others_go_on_without_a_killed_worker_and_with_it_when_it_is_back() {
    let (mut workers, hosts) = start(3, "shrink");
    // The mean of 1, 2 and 3.
    let met = workers.iter_mut().map(|worker| worker.until_mean(2.0, 0)).max().unwrap();
    drop(workers.pop());
    // The mean of 1 and 2.
    let alone = workers.iter_mut().map(|worker| worker.until_mean(1.5, met)).max().unwrap();
    // Whoever comes back gets the values of the first worker, and its step.
    workers.push(Worker::start(2, &hosts, "shrink"));
    let first = workers[2].step().0;
    assert!(first > alone, "{first} after {alone}");
    for worker in &mut workers {
        worker.until_mean(2.0, alone);
    }
}

#[test]
fn the_others_end_when_that_is_the_policy() {
    let (mut workers, _) = start(2, "end");
    workers[0].until_mean(1.5, 0);
    drop(workers.pop());
    let last = workers[0].lines.iter().find(|line| !line.starts_with("step "));
    assert!(
        last.as_deref().is_some_and(|last| last.contains("a worker was lost, which ends the training")),
        "{last:?}"
    );
}
