//! The processes of a job: what they say, how they end, and their end when ours comes.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tensor::{Result, Status};

use super::plan::Task;
use crate::signals::on_signals;

/// A line that is longer is cut into pieces.
const LONGEST_LINE: u64 = 1 << 16;
const TICK: Duration = Duration::from_millis(50);

pub enum Event {
    /// A line of a task, and whether it is one of its standard error.
    Line(Task, bool, String),
    /// A task has ended with this exit code.
    Ended(Task, i32),
    Interrupted,
    Nothing,
}

pub struct Tasks {
    running: Vec<Running>,
    events: Receiver<Event>,
    send: Sender<Event>,
    grace: Duration,
}

struct Running {
    task: Task,
    child: Child,
    /// Closing it ends the task.
    stdin: Option<ChildStdin>,
}

impl Tasks {
    pub fn new(grace: Duration) -> Result<Tasks> {
        let (send, events) = channel();
        let interrupted = send.clone();
        on_signals(move || interrupted.send(Event::Interrupted).is_ok())?;
        Ok(Tasks { running: Vec::new(), events, send, grace })
    }

    pub fn start(&mut self, mut command: Command, task: Task) -> Result<()> {
        // In a group of its own: Ctrl-C is for us, and we tell them.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| Status::from(error).context(format_args!("starting {task}")))?;
        if let Some(out) = child.stdout.take() {
            self.read(out, &task, false);
        }
        if let Some(err) = child.stderr.take() {
            self.read(err, &task, true);
        }
        let stdin = child.stdin.take();
        self.running.push(Running { task, child, stdin });
        Ok(())
    }

    fn read(&self, from: impl Read + Send + 'static, task: &Task, is_error: bool) {
        let (send, task) = (self.send.clone(), task.clone());
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            loop {
                let mut line = Vec::new();
                match from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                    Ok(1..) => {}
                    _ => return,
                }
                // A program that draws a bar for a terminal goes back to the beginning of its line.
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches(['\n', '\r']).rsplit('\r').next().unwrap_or_default().to_owned();
                if send.send(Event::Line(task.clone(), is_error, text)).is_err() {
                    return;
                }
            }
        });
    }

    pub fn running(&self) -> usize {
        self.running.len()
    }

    pub fn workers_left(&self) -> usize {
        self.running.iter().filter(|running| running.task.job == "worker").count()
    }

    /// What happens next; what a task said comes before its end.
    pub fn next_event(&mut self) -> Event {
        match self.events.recv_timeout(TICK) {
            Ok(event) => return event,
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => {}
        }
        let ended = self.running.iter_mut().position(|running| !matches!(running.child.try_wait(), Ok(None)));
        let Some(at) = ended else { return Event::Nothing };
        let mut running = self.running.swap_remove(at);
        let code = running.child.wait().ok().and_then(|status| status.code()).unwrap_or(super::guard::SIGNALLED + 9);
        Event::Ended(running.task, code)
    }

    pub fn stop_all(&mut self) {
        self.running.iter_mut().for_each(|running| running.stdin = None);
    }

    /// Ends everything without waiting: a guard that is told twice kills.
    pub fn kill_all(&mut self) {
        for running in &self.running {
            let guard = Pid::from_child(&running.child);
            let _ = kill_process(guard, Signal::TERM);
            std::thread::sleep(TICK);
            let _ = kill_process(guard, Signal::TERM);
        }
    }

    /// Ends what still runs, and passes on what it says.
    pub fn finish(&mut self, say: impl Fn(&Task, bool, &str)) {
        self.stop_all();
        let deadline = Instant::now() + self.grace + Duration::from_secs(2);
        while !self.running.is_empty() && Instant::now() < deadline {
            if let Event::Line(task, is_error, line) = self.next_event() {
                say(&task, is_error, &line);
            }
        }
        while let Ok(event) = self.events.recv_timeout(TICK) {
            if let Event::Line(task, is_error, line) = event {
                say(&task, is_error, &line);
            }
        }
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        for running in &mut self.running {
            // Its guard ends it.
            running.stdin = None;
        }
    }
}
