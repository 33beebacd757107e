//! What the attacks cost others, measured by hand: how long an honest client's steps take beside each of them, and what is left
//! of it in the server a while later.
//!
//! `cargo test --release -p tensorfleet-cli --test processes attacks::measured -- --ignored --nocapture`, with
//! `ATTACK_SECONDS` (5 unless told), for which each attack goes on, and `REST_SECONDS` (10 unless told).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cluster::{RemoteSession, Transport};
use tensorfleet::prelude::*;

use super::{CONTAINER, LISTS, Siege};
use crate::program::Program;

fn seconds(name: &str, default: u64) -> Duration {
    Duration::from_secs(std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default))
}

/// Takes steps for so long; how long the slowest of a hundred took, and the middle one, in milliseconds.
fn step_times(program: &Program, session: &RemoteSession, end: impl Fn() -> bool) -> [f64; 2] {
    let mut times = Vec::new();
    while !end() {
        let begin = Instant::now();
        program.step(session).expect("a step of the honest client");
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied().unwrap_or(0.0);
    [at(0.99), at(0.5)]
}

#[test]
#[ignore = "takes minutes: for those who want to know"]
fn attacks_measured() {
    let (attack_time, rest) = (seconds("ATTACK_SECONDS", 5), seconds("REST_SECONDS", 10));
    println!("| attack | p99 alone | p99 beside | median alone | beside | times made | MiB left |");
    println!("|---|---|---|---|---|---|---|");
    for attack in LISTS.iter().flat_map(|list| list.iter()) {
        let mut siege = Siege::begin(attack.flags);
        let program = Program::new("timed", "/job:ps/task:0", "/job:ps/task:0").expect("a graph");
        let session = program.connect(&siege.target(), Transport::default()).expect("a session");
        program.init(&session).expect("variables");
        let begin = Instant::now();
        let alone = step_times(&program, &session, || begin.elapsed() > attack_time);
        let before = siege.fleet.task("ps", 0).memory();
        let over = AtomicBool::new(false);
        let (beside, made) = std::thread::scope(|scope| {
            let timed = scope.spawn(|| step_times(&program, &session, || over.load(Ordering::Relaxed)));
            let (begin, mut made) = (Instant::now(), 0);
            while begin.elapsed() < attack_time {
                (attack.make)(&mut siege);
                made += 1;
            }
            over.store(true, Ordering::Relaxed);
            (timed.join().expect("times"), made)
        });
        session.close().expect("closed");
        // Ends the other sessions of the honest client too.
        RemoteSession::reset(&siege.target(), &[CONTAINER.to_owned()]).expect("a container that can be emptied");
        std::thread::sleep(rest);
        let after = siege.fleet.task("ps", 0).memory();
        println!(
            "| {} | {:.1} ms | {:.1} ms | {:.2} ms | {:.2} ms | {made} | {:+.0} |",
            attack.name,
            alone[0],
            beside[0],
            alone[1],
            beside[1],
            (after as f64 - before as f64) / f64::from(1 << 20)
        );
        siege.fleet.stop();
    }
}
