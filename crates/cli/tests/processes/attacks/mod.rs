//! Attacks by name: each against a server of its own, beside an honest client who trains there. Nobody dies, the honest
//! client goes on, and the server says what it refused.

mod errands;
mod files;
mod floods;
mod functions;
mod nesting;

use std::time::Duration;

use cluster::{RemoteOptions, RemoteSession, Transport};
use tensorfleet::prelude::*;

use crate::fleet::Fleet;
use crate::program::{Program, Running, hello};

/// How long an attack may take to be refused, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server under attack, and somebody who trains on it all the time.
struct Siege {
    fleet: Fleet,
    honest: Running,
}

impl Siege {
    fn begin(flags: &[&str]) -> Siege {
        let fleet = Fleet::start(&[("ps", 1)], flags);
        let program = Program::new("honest", "/job:ps/task:0", "/job:ps/task:0").expect("a graph");
        let honest = program.start(&fleet.target("ps", 0), Transport::default());
        Siege { fleet, honest }
    }

    fn target(&self) -> String {
        self.fleet.target("ps", 0)
    }

    /// Runs a graph to its last node; what the server says to it.
    fn run(&self, g: &Graph, last: &Output) -> Result<Tensor> {
        let session = RemoteSession::with_options(&self.target(), g, RemoteOptions::default())?;
        let outcome = session.fetch(RunRequest::new().fetch(last).timeout(PATIENCE));
        session.close()?;
        outcome.map(|mut values| values.remove(0))
    }

    /// The server lives, the honest client goes on, a new one is served, and nothing of the attacker's is left.
    #[track_caller]
    fn survived(mut self) {
        assert!(self.fleet.task("ps", 0).is_running(), "the server ended: {}", self.fleet.task("ps", 0).log.all());
        self.honest.goes_on();
        hello(&self.target()).expect("a server that lives on");
        self.honest.close();
        self.fleet.idle("ps", 0);
        self.fleet.stop();
    }
}

/// A refusal with this code, whose text holds all of these.
#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T>, code: Code, texts: &[&str]) {
    let status = outcome.expect_err("this must be refused");
    assert_eq!(status.code(), code, "{status}");
    for text in texts {
        assert!(status.message().contains(text), "'{text}' is missing in: {status}");
    }
}
