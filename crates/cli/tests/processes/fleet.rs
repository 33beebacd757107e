//! Clusters of real server processes, which tests kill, stop and start again. All end with the test.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Within this time everything that depends on a lost process must have got an error.
pub const SOON: Duration = Duration::from_secs(10);

/// The lines that a process has written.
#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    /// Collects what comes, on a thread of its own.
    pub fn of(pipe: impl Read + Send + 'static) -> Lines {
        let lines = Lines::default();
        let collected = lines.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                collected.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        lines
    }

    pub fn find(&self, mut wanted: impl FnMut(&str) -> bool) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().rev().find(|line| wanted(line)).cloned()
    }

    pub fn all(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}

/// A process that ends with its owner.
pub struct Process {
    child: Child,
    pub out: Lines,
    pub log: Lines,
}

impl Process {
    pub fn start(command: &mut Command) -> Process {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let out = Lines::of(child.stdout.take().expect("a pipe"));
        let log = Lines::of(child.stderr.take().expect("a pipe"));
        Process { child, out, log }
    }

    pub fn serve(arguments: &[&str]) -> Process {
        Process::start(
            Command::new(env!("CARGO_BIN_EXE_tensorfleet"))
                .arg("serve")
                .args(arguments)
                .env("TENSORFLEET_LOG", "info,tensorfleet_cluster=debug")
                .env_remove("TF_CONFIG"),
        )
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("our own child").is_none()
    }

    /// Waits for a line that holds this text; `None` if the process ends without it.
    pub fn said(&mut self, text: &str) -> Option<String> {
        let mut last = false;
        wait_until(&format!("a line with '{text}'"), || {
            let found = self.out.find(|line| line.contains(text));
            // What was written before the end may arrive after it.
            let over = std::mem::replace(&mut last, !self.is_running());
            if found.is_none() && !over { None } else { Some(found) }
        })
    }

    /// `-9`, `-STOP`, `-CONT`, `-TERM`
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill {signal}");
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for the end and returns the exit code.
    pub fn ended(&mut self) -> Option<i32> {
        wait_until("the process to end", || self.child.try_wait().expect("our own child")).code()
    }

    /// Resident memory in bytes.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("the process runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line VmRSS");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What comes sooner or later comes within this time, on a busy machine too.
const SOME_TIME: Duration = Duration::from_secs(60);

/// Asks again and again, for at most [`SOME_TIME`].
#[track_caller]
pub fn wait_until<R>(what: &str, mut ask: impl FnMut() -> Option<R>) -> R {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < SOME_TIME, "waited {SOME_TIME:?} for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Servers of all tasks of a cluster.
pub struct Fleet {
    /// Name and address of each task.
    spec: Vec<(String, u32, String)>,
    /// The flags of each task.
    flags: Vec<Vec<String>>,
    tasks: Vec<Process>,
}

impl Fleet {
    /// Starts a server for each task of these jobs.
    pub fn start(jobs: &[(&str, u32)], flags: &[&str]) -> Fleet {
        let addresses = |_: &str, _: u32| format!("127.0.0.1:{}", free_port());
        Fleet::start_at(jobs, flags, addresses, |_, _| None)
    }

    /// As [`start`](Fleet::start), with flags for each task.
    pub fn start_with(jobs: &[(&str, u32)], flags: impl Fn(&str, u32) -> Vec<String>) -> Fleet {
        Fleet::start_each(jobs, flags, |_, _| format!("127.0.0.1:{}", free_port()), |_, _| None)
    }

    /// As [`start`](Fleet::start), with addresses of one's own, and with others to listen on.
    pub fn start_at(
        jobs: &[(&str, u32)],
        flags: &[&str],
        address: impl Fn(&str, u32) -> String,
        bind: impl Fn(&str, u32) -> Option<String>,
    ) -> Fleet {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Fleet::start_each(jobs, |_, _| flags.clone(), address, bind)
    }

    fn start_each(
        jobs: &[(&str, u32)],
        flags: impl Fn(&str, u32) -> Vec<String>,
        address: impl Fn(&str, u32) -> String,
        bind: impl Fn(&str, u32) -> Option<String>,
    ) -> Fleet {
        // Another process may take a port that was free a moment ago.
        for _ in 0..10 {
            let spec = jobs.iter().flat_map(|(job, count)| (0..*count).map(|task| ((*job).to_owned(), task)));
            let spec: Vec<_> = spec.map(|(job, task)| (job.clone(), task, address(&job, task))).collect();
            let flags = spec.iter().map(|(job, task, _)| flags(job, *task)).collect();
            let mut fleet = Fleet { spec, flags, tasks: Vec::new() };
            for (job, task, _) in &fleet.spec {
                fleet.tasks.push(fleet.serve(job, *task, bind(job, *task)));
            }
            if fleet.tasks.iter_mut().all(|task| task.said(" at grpc://").is_some()) {
                return fleet;
            }
        }
        panic!("no free ports");
    }

    fn serve(&self, job: &str, task: u32, bind: Option<String>) -> Process {
        let mut jobs = serde_json::Map::new();
        for (job, task, address) in &self.spec {
            let tasks = jobs.entry(job.clone()).or_insert_with(|| serde_json::json!({}));
            tasks[task.to_string()] = serde_json::json!(address);
        }
        let (cluster, index) = (serde_json::Value::Object(jobs).to_string(), task.to_string());
        let mut arguments = vec!["--cluster", &cluster, "--job_name", job, "--task_index", &index];
        arguments.extend(self.flags[self.index(job, task)].iter().map(String::as_str));
        if let Some(bind) = &bind {
            arguments.extend(["--bind", bind]);
        }
        Process::serve(&arguments)
    }

    fn index(&self, job: &str, task: u32) -> usize {
        self.spec.iter().position(|(name, number, _)| name == job && *number == task).expect("a task of the cluster")
    }

    pub fn address(&self, job: &str, task: u32) -> &str {
        &self.spec[self.index(job, task)].2
    }

    pub fn target(&self, job: &str, task: u32) -> String {
        format!("grpc://{}", self.address(job, task))
    }

    pub fn task(&mut self, job: &str, task: u32) -> &mut Process {
        let index = self.index(job, task);
        &mut self.tasks[index]
    }

    /// Starts a task again, at its old address.
    pub fn restart(&mut self, job: &str, task: u32) {
        let index = self.index(job, task);
        self.tasks[index].kill();
        self.tasks[index] = self.serve(job, task, None);
        let log = self.tasks[index].log.clone();
        assert!(self.tasks[index].said(" at grpc://").is_some(), "{}", log.all());
    }

    /// Waits until a task has no sessions and no steps.
    pub fn idle(&mut self, job: &str, task: u32) {
        let process = self.task(job, task);
        let begin = Instant::now();
        while let Some(last) = process.log.find(|line| line.contains("in use"))
            && !last.contains("sessions=0 steps=0")
        {
            assert!(process.is_running(), "the server ended: {}", process.log.all());
            assert!(begin.elapsed() < SOON, "something is left on {job} {task}: {last}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops all tasks with SIGTERM: they end at once, with exit code 0.
    pub fn stop(mut self) {
        for task in &self.tasks {
            task.signal("-TERM");
        }
        for ((job, number, _), task) in self.spec.iter().zip(&mut self.tasks) {
            assert_eq!(task.ended(), Some(0), "{job} {number}: {}", task.log.all());
            let panics = task.log.find(|line| line.contains("panicked"));
            assert_eq!(panics, None, "{job} {number}: {}", task.log.all());
        }
    }
}

/// A port below those that the system gives to outgoing connections, so that nobody takes it while its task is down.
pub fn free_port() -> u16 {
    const FIRST: u16 = 12_000;
    const COUNT: u16 = 20_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test processes that run at the same time begin in different places.
    let start = (std::process::id().wrapping_mul(2_654_435_761) >> 16) as u16;
    for _ in 0..COUNT {
        let port = FIRST + start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no free ports");
}
