//! Attacks by name: each against a server of its own, beside an honest client who trains there. Nobody dies, the honest
//! client goes on, and the server says what it refused.

mod bombs;
mod calls;
mod connections;
mod errands;
mod files;
mod floods;
mod functions;
mod graphs;
mod measured;
mod memory;
mod nesting;
mod shapes;
mod strangers;

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cluster::{RemoteOptions, RemoteSession, Transport};
use tensorfleet::prelude::*;

use crate::fleet::{Fleet, wait_until};
use crate::program::{Program, Running, hello};

/// How long an attack may take to be refused, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(60);

/// One of the attacks that are made side by side.
struct Attack {
    name: &'static str,
    flags: &'static [&'static str],
    make: fn(&mut Siege),
}

impl Attack {
    const fn new(name: &'static str, make: fn(&mut Siege)) -> Attack {
        Attack { name, flags: &[], make }
    }

    const fn with(self, flags: &'static [&'static str]) -> Attack {
        Attack { flags, ..self }
    }
}

/// All attacks that are made side by side.
const LISTS: &[&[Attack]] =
    &[bombs::ATTACKS, calls::ATTACKS, connections::ATTACKS, graphs::ATTACKS, memory::ATTACKS, shapes::ATTACKS];

/// What an attacker's variables, queues and tables are in, which an operator can empty.
const CONTAINER: &str = "attack";

/// Memory that may be left, and a debug build's noise.
const LITTLE: u64 = 150 << 20;

/// Makes attacks, a few at a time, each against a server of its own.
fn storm(attacks: &[Attack]) {
    const AT_ONCE: usize = 3;
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(attack) = attacks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let made = std::panic::catch_unwind(AssertUnwindSafe(|| {
                        let mut siege = Siege::begin(attack.flags);
                        let before = siege.fleet.task("ps", 0).memory();
                        (attack.make)(&mut siege);
                        siege.leaves_nothing(before);
                    }));
                    if made.is_err() {
                        failed.lock().expect("a list").push(attack.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("a list");
    assert!(failed.is_empty(), "what was made of {failed:?} is said above");
}

#[test]
fn fifty_attacks_have_names() {
    let names: std::collections::BTreeSet<_> = LISTS.iter().flat_map(|list| list.iter().map(|one| one.name)).collect();
    assert_eq!(names.len(), LISTS.iter().map(|list| list.len()).sum::<usize>(), "two of one name");
    // Those that have a test of their own are in `errands`, `files`, `floods`, `functions`, `nesting` and `strangers`.
    assert!(names.len() + 26 >= 50, "{names:?}");
}

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

    /// Runs a graph whose inputs are fed, so that they are judged by the server; what it says to it.
    fn shoot(&self, arrow: &Arrow, last: &Output) -> Result<Tensor> {
        let session = RemoteSession::with_options(&self.target(), &arrow.g, RemoteOptions::default())?;
        let outcome = session.fetch(arrow.request().fetch(last).timeout(PATIENCE));
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

    /// As [`survived`](Siege::survived); then the attacker's container is emptied, which ends all sessions, and memory comes back.
    #[track_caller]
    fn leaves_nothing(mut self, before: u64) {
        assert!(self.fleet.task("ps", 0).is_running(), "the server ended: {}", self.fleet.task("ps", 0).log.all());
        self.honest.goes_on();
        hello(&self.target()).expect("a server that lives on");
        let target = self.target();
        self.honest.close();
        RemoteSession::reset(&target, &[CONTAINER.to_owned()]).expect("a container that can be emptied");
        let mut after = 0;
        wait_until("memory to come back", || {
            after = self.fleet.task("ps", 0).memory();
            (after < before + LITTLE).then_some(())
        });
        self.fleet.idle("ps", 0);
        self.fleet.stop();
    }
}

/// A graph whose inputs nobody knows before they arrive.
struct Arrow {
    g: Graph,
    feeds: Vec<(Output, Tensor)>,
}

impl Default for Arrow {
    fn default() -> Arrow {
        Arrow { g: Graph::new(), feeds: Vec::new() }
    }
}

impl Arrow {
    fn input(&mut self, value: impl Into<Tensor>) -> Output {
        let value = value.into();
        let place = self.g.placeholder(value.dtype(), PartialShape::unknown());
        self.feeds.push((place.clone(), value));
        place
    }

    /// A value of this shape that takes memory, where it is made.
    fn filled(&mut self, dims: &[i64], value: impl Into<Tensor>) -> Output {
        let value = value.into();
        let is_number = value.dtype() != DType::String;
        let (dims, value) = (self.input(Tensor::vector(dims)), self.input(value));
        let filled = self.g.op("Fill").input(&dims).input(&value).output();
        // One number that stands for many takes no memory before somebody computes with it.
        if is_number { self.g.op("Neg").input(&filled).output() } else { filled }
    }

    fn request(&self) -> RunRequest {
        self.feeds.iter().fold(RunRequest::new(), |request, (place, value)| request.feed(place, value.clone()))
    }
}

/// The number 1, once an operation has run.
fn after(g: &Graph, operation: Operation) -> Output {
    g.with_control_dependencies(&[operation], |g| g.op("Identity").input(g.constant(1f32)).output())
}

/// A refusal that tells what is wrong with the question, not that something went wrong in answering.
#[track_caller]
fn declined<T: std::fmt::Debug>(what: &str, outcome: Result<T>) {
    let status = outcome.map(drop).expect_err(what);
    let decent = [
        Code::InvalidArgument,
        Code::ResourceExhausted,
        Code::OutOfRange,
        Code::DataLoss,
        Code::Unimplemented,
        Code::FailedPrecondition,
    ];
    assert!(decent.contains(&status.code()), "{what}: {status}");
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
