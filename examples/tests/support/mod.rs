//! Runs example programs as real processes on loopback. Whatever was started is gone when a test ends, and nothing is waited for
//! without end.

#![allow(dead_code)]

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Nothing here takes so long, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

/// The root of the repository, where programs find `data/mnist`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// A folder that is removed in the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tensorfleet-examples-{name}-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A path in it, as text.
    pub fn join(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process whose output goes to files.
pub struct Process {
    name: String,
    child: Child,
    logs: Folder,
}

impl Process {
    pub fn start(program: &str, arguments: &[String]) -> Process {
        Process::start_in(&root(), program, arguments)
    }

    pub fn start_in(folder: &Path, program: &str, arguments: &[String]) -> Process {
        let logs = Folder::new("logs");
        let file = |name: &str| File::create(logs.path().join(name)).unwrap();
        let child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env_remove("TENSORFLEET_LOG")
            .stdin(Stdio::null())
            .stdout(file("out"))
            .stderr(file("err"))
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        Process { name: format!("{program} {}", arguments.join(" ")), child, logs }
    }

    /// All that it has said so far.
    pub fn said(&self) -> String {
        ["out", "err"].map(|name| std::fs::read_to_string(self.logs.path().join(name)).unwrap_or_default()).concat()
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Whether it ends by itself: a worker that only serves is told nothing about training.
    pub fn is_worker_that_trains(&self) -> bool {
        !self.name.contains("--job_name=ps") && self.name.contains("_steps=")
    }

    /// Waits for its end and gives the exit code and what it said.
    pub fn end(&mut self) -> (i32, String) {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status.code().unwrap_or(-1), self.said());
            }
            assert!(Instant::now() < deadline, "{} does not end: {}", self.name, tail(&self.said()));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

/// Runs a program to its end.
pub fn run(program: &str, arguments: &[&str]) -> (i32, String) {
    Process::start(program, &arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>()).end()
}

/// Runs a program that must succeed, and gives what it said.
pub fn succeeds(program: &str, arguments: &[&str]) -> String {
    let (code, said) = run(program, arguments);
    assert_eq!(code, 0, "{program} {arguments:?}: {}", tail(&said));
    said
}

/// Ports that nobody listens on just now.
pub fn free_ports(count: usize) -> Vec<u16> {
    let listeners: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

/// Whether something failed only because a port was taken since it was found free.
pub fn port_was_taken(said: &str) -> bool {
    said.contains("the port is taken")
}

/// Starts a command per task (`ps` first, then the workers) and waits for `awaited` of the last ones; gives what those said. The
/// commands get the hosts, the job and the task number as flags.
pub struct Cluster<'a> {
    pub program: &'a str,
    /// A subcommand, or nothing.
    pub before: &'a [&'a str],
    pub arguments: Vec<String>,
    pub ps: usize,
    pub workers: usize,
    /// The job of an extra process that is waited for instead of the workers.
    pub client: Option<&'a str>,
}

impl Cluster<'_> {
    /// What the workers, or the client, said; all of them must succeed.
    pub fn run(&self) -> Vec<String> {
        for _ in 0..5 {
            if let Some(said) = self.try_run() {
                return said;
            }
        }
        panic!("no free ports");
    }

    fn try_run(&self) -> Option<Vec<String>> {
        let ports = free_ports(self.ps + self.workers);
        let hosts = |ports: &[u16]| ports.iter().map(|port| format!("localhost:{port}")).collect::<Vec<_>>().join(",");
        let (ps, workers) = ports.split_at(self.ps);
        let start = |job: &str, task: usize| {
            let mut arguments: Vec<String> = self.before.iter().map(|argument| (*argument).to_owned()).collect();
            arguments.push(format!("--worker_hosts={}", hosts(workers)));
            // Programs without parameter servers have one job.
            if self.ps > 0 {
                arguments.push(format!("--ps_hosts={}", hosts(ps)));
                arguments.push(format!("--job_name={job}"));
            }
            arguments.push(format!("--task_index={task}"));
            arguments.extend(self.arguments.iter().cloned());
            Process::start(self.program, &arguments)
        };
        let mut servers: Vec<Process> = (0..self.ps).map(|task| start("ps", task)).collect();
        let mut awaited: Vec<Process> = (0..self.workers).map(|task| start("worker", task)).collect();
        if let Some(client) = self.client {
            servers.append(&mut awaited);
            awaited.push(start(client, 0));
        }
        let deadline = Instant::now() + LIMIT;
        loop {
            // A server that ends has failed, and nobody can go on without it.
            if let Some(failed) = servers.iter_mut().find_map(|server| server.has_ended().then_some(server)) {
                let said = failed.said();
                assert!(port_was_taken(&said), "{} has ended: {}", failed.name, tail(&said));
                return None;
            }
            if awaited.iter_mut().all(Process::has_ended) {
                break;
            }
            for process in &mut awaited {
                if !process.has_ended() {
                    continue;
                }
                let (code, said) = process.end();
                if code != 0 && port_was_taken(&said) {
                    return None;
                }
                assert_eq!(code, 0, "{}: {}", process.name, tail(&said));
            }
            assert!(Instant::now() < deadline, "too slow: {}", tail(&awaited[0].said()));
            std::thread::sleep(Duration::from_millis(20));
        }
        let end = |process: &mut Process| {
            let (code, said) = process.end();
            assert_eq!(code, 0, "{}: {}", process.name, tail(&said));
            said
        };
        Some(awaited.iter_mut().map(end).collect())
    }
}

/// The number after a prefix, on the last line that has it.
pub fn number_after(said: &str, prefix: &str) -> f32 {
    let rest = said.rsplit_once(prefix).unwrap_or_else(|| panic!("no '{prefix}' in: {}", tail(said))).1;
    let end = rest.find(|c: char| !c.is_ascii_digit() && !".e-+".contains(c)).unwrap_or(rest.len());
    rest[..end]
        .trim_end_matches('.')
        .parse()
        .unwrap_or_else(|_| panic!("no number after '{prefix}' in: {}", tail(said)))
}
