//! What SIGTERM makes of programs that have a server.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SIGTERM: i32 = 15;

/// A program that runs, and is killed at the latest with its test.
struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Program {
    fn start(what: &str) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_joining_server"));
        let mut child = command.arg(what).stdout(Stdio::piped()).spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        Program { child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Waits until the program does something of its own about SIGTERM.
    fn catches_sigterm(&self) {
        let path = format!("/proc/{}/status", self.child.id());
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            let status = std::fs::read_to_string(&path).expect("the program runs");
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask of signals");
            let caught = u64::from_str_radix(caught.trim(), 16).expect("a mask of signals");
            if caught & (1 << (SIGTERM - 1)) != 0 {
                return;
            }
            std::thread::yield_now();
        }
        panic!("the program never listens for SIGTERM");
    }

    fn terminate(&mut self) -> ExitStatus {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -TERM");
        self.child.wait().expect("the program ends")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_program_that_joins_its_server_ends_cleanly() {
    let mut program = Program::start("join");
    let target = program.line();
    let port = target.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok()).expect("a port");
    program.catches_sigterm();
    assert_eq!(program.terminate().code(), Some(0));
    assert_eq!(program.line(), "joined");
    TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
}

#[test]
fn a_program_whose_server_has_ended_is_ended_by_a_signal() {
    let mut program = Program::start("linger");
    program.line();
    assert_eq!(program.terminate().code(), Some(128 + SIGTERM));
}

#[test]
fn a_program_that_never_joins_keeps_the_ways_of_the_system() {
    let mut program = Program::start("never");
    program.line();
    let status = program.terminate();
    assert_eq!((status.code(), status.signal()), (None, Some(SIGTERM)));
}
