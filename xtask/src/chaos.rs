//! `cargo xtask chaos`: MNIST is learnt by real processes while faults befall them at random, from a seed.
//!
//! Tasks are killed and started again, stopped and let go on, their connections cut or silenced (a proxy stands before every
//! task), and the disk of the checkpoints is filled (if it can be one of memory, which takes the right to mount). Told in the
//! end: how long nobody made a step, the accuracy beside that of a run without faults, and checkpoints that could not be read.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::proxy::Proxy;
use crate::run::{root, run, target};

/// Nobody may make no step for so long.
const STALL: Duration = Duration::from_secs(60);
/// So many steps are made in each run.
const STEPS: u32 = 6000;
/// How far the accuracy may be below that of a run without faults.
const TOLERANCE: f32 = 0.005;
/// Parameter servers and workers.
const SHAPES: [(usize, usize); 2] = [(1, 3), (2, 2)];

/// Runs for so many minutes.
pub fn chaos(arguments: &[String]) -> Result<(), String> {
    let (mut minutes, mut seed) = (10, 1);
    for pair in arguments.chunks(2) {
        match pair {
            [flag, value] if flag == "--minutes" => minutes = number(value)?,
            [flag, value] if flag == "--seed" => seed = number(value)?,
            _ => return Err("usage: cargo xtask chaos [--minutes N] [--seed S]".to_owned()),
        }
    }
    let mut build = Command::new("cargo");
    build.args(["build", "-p", "tensorfleet-tests", "--bin", "mnist_task"]);
    run("building the tasks", &mut build, 30)?;
    let mut random = Random(seed);
    let mut quiet = BTreeMap::new();
    for shape in SHAPES {
        let outcome = Job::start(shape)?.train(None)?;
        println!("{} ps, {} workers, no faults: accuracy {}", shape.0, shape.1, outcome.accuracy);
        quiet.insert(shape, outcome.accuracy);
    }
    let (begin, limit) = (Instant::now(), Duration::from_secs(minutes * 60));
    let (mut faults, mut bad) = (0, Vec::new());
    while begin.elapsed() < limit {
        for shape in SHAPES {
            let outcome = Job::start(shape)?.train(Some(&mut random))?;
            faults += outcome.faults;
            let Outcome { accuracy, longest, unreadable, .. } = outcome;
            println!(
                "{} ps, {} workers: {} faults, accuracy {accuracy}, longest time without a step {longest:.1?}, {unreadable} unreadable checkpoints",
                shape.0, shape.1, outcome.faults
            );
            if accuracy < quiet[&shape] - TOLERANCE {
                bad.push(format!("accuracy {accuracy} instead of {}", quiet[&shape]));
            }
            if longest > STALL {
                bad.push(format!("nobody made a step for {longest:.0?}"));
            }
            if unreadable > 0 {
                bad.push(format!("{unreadable} checkpoints could not be read"));
            }
        }
    }
    println!("{faults} faults in all, seed {seed}");
    if bad.is_empty() { Ok(()) } else { Err(format!("chaos (seed {seed}): {}", bad.join("; "))) }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number"))
}

/// A job of several processes, with a proxy before each.
struct Job {
    shape: (usize, usize),
    /// Where each task listens.
    hosts: Vec<String>,
    proxies: Vec<Proxy>,
    tasks: Vec<Task>,
    folder: Disk,
    said: (Sender<(usize, String)>, Receiver<(usize, String)>),
}

/// A process, and when it is to be started again or let go on.
struct Task {
    child: Option<Child>,
    /// It has ended well.
    done: bool,
    later: Option<(Instant, Later)>,
}

#[derive(Clone, Copy, Debug)]
enum Later {
    Start,
    Continue,
    Speak,
    Empty,
}

#[derive(Default)]
struct Outcome {
    accuracy: f32,
    longest: Duration,
    faults: u32,
    unreadable: u32,
}

impl Job {
    fn start(shape: (usize, usize)) -> Result<Job, String> {
        let count = shape.0 + shape.1;
        let failed = |error: std::io::Error| format!("chaos: {error}");
        // Held together, so that they differ.
        let free =
            (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let hosts = free.iter().map(|listener| listener.local_addr().map(|address| address.to_string()));
        let hosts = hosts.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        drop(free);
        let proxies =
            hosts.iter().map(|host| Proxy::to(host.clone())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let folder = Disk::new(&format!("tensorfleet-chaos-{}", std::process::id()))?;
        let mut job = Job { shape, hosts, proxies, tasks: Vec::new(), folder, said: channel() };
        for index in 0..count {
            let child = job.spawn(index)?;
            job.tasks.push(Task { child: Some(child), done: false, later: None });
        }
        Ok(job)
    }

    /// Starts a task, which reaches all others through their proxies.
    fn spawn(&self, index: usize) -> Result<Child, String> {
        let (ps, _) = self.shape;
        let seen =
            |other: usize| if other == index { self.hosts[other].clone() } else { self.proxies[other].address.clone() };
        let list = |range: std::ops::Range<usize>| range.map(seen).collect::<Vec<_>>().join(",");
        let (job, number) = if index < ps { ("ps", index) } else { ("worker", index - ps) };
        let mut command = Command::new(target().join("debug/mnist_task"));
        command.arg(job).arg(number.to_string()).arg(list(0..ps)).arg(list(ps..self.hosts.len()));
        command.arg(&self.folder.path).arg(STEPS.to_string()).arg("async").env("TENSORFLEET_TEST_TRANSPORT", "tcp");
        command.current_dir(root()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("chaos: cannot start mnist_task: {error}"))?;
        if let (Some(out), Some(log)) = (child.stdout.take(), child.stderr.take()) {
            self.listen(index, out);
            self.listen(index, log);
        }
        Ok(child)
    }

    fn listen(&self, index: usize, pipe: impl Read + Send + 'static) {
        let send = self.said.0.clone();
        std::thread::spawn(move || {
            BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|line| send.send((index, line)))
        });
    }

    /// Trains to the end, with faults if there is chance for them.
    fn train(mut self, mut random: Option<&mut Random>) -> Result<Outcome, String> {
        let (mut outcome, mut last_step, begin) = (Outcome::default(), Instant::now(), Instant::now());
        let mut next_fault = Instant::now() + Duration::from_secs(2);
        let (chief, mut tail) = (self.shape.0, Vec::new());
        loop {
            while let Ok((index, line)) = self.said.1.recv_timeout(Duration::from_millis(20)) {
                if line.starts_with("step ") {
                    outcome.longest = outcome.longest.max(last_step.elapsed());
                    last_step = Instant::now();
                } else if let Some(accuracy) = line.strip_prefix("accuracy ") {
                    outcome.accuracy = accuracy.parse().unwrap_or(0.0);
                } else {
                    outcome.unreadable += u32::from(line.contains("a checkpoint is damaged"));
                    tail.push(format!("task {index}: {line}"));
                }
                if last_step.elapsed() > STALL {
                    break;
                }
            }
            self.tend()?;
            if self.tasks[chief].done {
                return Ok(outcome);
            }
            // Well beyond what is reported as a stall, nothing is to be expected any more.
            if last_step.elapsed() > 3 * STALL || begin.elapsed() > Duration::from_secs(1800) {
                let from = tail.len().saturating_sub(40);
                return Err(format!("chaos: training hangs. The last that was said:\n{}", tail[from..].join("\n")));
            }
            if let Some(random) = random.as_deref_mut().filter(|_| Instant::now() >= next_fault) {
                next_fault = Instant::now() + Duration::from_millis(1000 + random.below(3000));
                outcome.faults += 1;
                self.harm(random);
            }
        }
    }

    /// Starts what has died, unless it was killed on purpose or ended well; does what is due.
    fn tend(&mut self) -> Result<(), String> {
        for index in 0..self.tasks.len() {
            let due = self.tasks[index].later.filter(|(when, _)| *when <= Instant::now());
            if let Some((_, what)) = due {
                self.tasks[index].later = None;
                match what {
                    Later::Start => self.tasks[index].child = Some(self.spawn(index)?),
                    Later::Continue => {
                        self.tasks[index].signal("-CONT");
                    }
                    Later::Speak => self.proxies[index].silence(false),
                    Later::Empty => self.folder.fill(false),
                }
            }
            let task = &mut self.tasks[index];
            let ended = task.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            if let Some(status) = ended {
                task.child = None;
                task.done = status.success();
            }
            if task.child.is_none() && !task.done && task.later.is_none() {
                // As an operator would, also if it has died of something that was to be lifted first.
                task.later = Some((Instant::now() + Duration::from_secs(1), Later::Start));
            }
        }
        Ok(())
    }

    /// Does something bad to a task that is well.
    fn harm(&mut self, random: &mut Random) {
        let index = random.below(self.tasks.len() as u64) as usize;
        let later = |random: &mut Random, most: u64| Instant::now() + Duration::from_millis(500 + random.below(most));
        let task = &mut self.tasks[index];
        if task.done || task.later.is_some() || task.child.is_none() {
            return;
        }
        match random.below(5) {
            0 => {
                task.signal("-KILL");
                task.later = Some((later(random, 3000), Later::Start));
                println!("  task {index} is killed");
            }
            1 => {
                task.signal("-STOP");
                task.later = Some((later(random, 12_000), Later::Continue));
                println!("  task {index} is stopped for a while");
            }
            2 => {
                self.proxies[index].cut();
                println!("  the connections to task {index} are cut");
            }
            3 => {
                self.proxies[index].silence(true);
                task.later = Some((later(random, 12_000), Later::Speak));
                println!("  the network falls silent before task {index} for a while");
            }
            _ if self.folder.is_mounted => {
                self.folder.fill(true);
                task.later = Some((later(random, 6000), Later::Empty));
                println!("  the disk is full for a while");
            }
            _ => self.proxies[index].cut(),
        }
    }
}

impl Task {
    fn signal(&self, signal: &str) {
        if let Some(child) = &self.child {
            let _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        for child in self.tasks.iter_mut().filter_map(|task| task.child.as_mut()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The folder of the checkpoints, a small disk of memory if that can be had.
struct Disk {
    path: PathBuf,
    is_mounted: bool,
}

impl Disk {
    fn new(name: &str) -> Result<Disk, String> {
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).map_err(|error| format!("chaos: {}: {error}", path.display()))?;
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"])
            .arg(&path)
            .stderr(Stdio::null())
            .status();
        Ok(Disk { path, is_mounted: mount.is_ok_and(|status| status.success()) })
    }

    fn fill(&self, full: bool) {
        let ballast: &Path = &self.path.join("ballast");
        let _ = std::fs::remove_file(ballast);
        if full {
            // As much as there is room for.
            let _ = std::fs::write(ballast, vec![0; 24 << 20]);
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = Command::new("umount").arg("-l").arg(&self.path).status();
        }
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}
