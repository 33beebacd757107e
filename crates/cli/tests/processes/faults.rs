//! A process is killed, or stopped for a while, in the middle of steps: whoever depends on it gets an error of the right
//! code soon, everybody else goes on, and after its return the session works again or says that a new one is needed.

use std::process::Command;

use cluster::Transport;
use tensorfleet::prelude::*;

use crate::fleet::{Fleet, Process, wait_until};
use crate::program::{Program, two_and_two};

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Kill,
    Stop,
}

/// Every case runs over framed connections and over gRPC.
macro_rules! on_both_transports {
    ($($test:ident => $call:expr),* $(,)?) => {
        mod over_links {
            use super::*;
            $(#[test] fn $test() { $call(Transport::Auto) })*
        }
        mod over_grpc {
            use super::*;
            $(#[test] fn $test() { $call(Transport::Grpc) })*
        }
    };
}

on_both_transports!(
    a_ps_is_killed => |transport| lose("ps", Fault::Kill, transport),
    a_ps_is_stopped_for_a_while => |transport| lose("ps", Fault::Stop, transport),
    a_worker_is_killed => |transport| lose("worker", Fault::Kill, transport),
    a_worker_is_stopped_for_a_while => |transport| lose("worker", Fault::Stop, transport),
    a_client_is_killed => |transport| lose_a_client(Fault::Kill, transport),
    a_client_is_stopped_for_a_while => |transport| lose_a_client(Fault::Stop, transport),
);

const LOST: [Code; 2] = [Code::Unavailable, Code::Aborted];

/// Task 0 of a job is lost. Three clients are at work: one whose master and tensors are on worker 0 and ps 0, one of
/// worker 1 that uses worker 0 and ps 0, and one of worker 1 that uses neither.
fn lose(job: &str, fault: Fault, transport: Transport) {
    let mut fleet = two_and_two(transport, &["--session_lease_secs=1"]);
    let (master, other) = (fleet.target("worker", 0), fleet.target("worker", 1));
    let program = |name, ps, worker| Program::new(name, ps, worker).expect("a graph");
    let mut own = program("own", "/job:ps/task:0", "/job:worker/task:0").start(&master, transport);
    let mut across = program("across", "/job:ps/task:0", "/job:worker/task:0").start(&other, transport);
    let apart = program("apart", "/job:ps/task:1", "/job:worker/task:1").start(&other, transport);
    let address = fleet.address(job, 0).to_owned();

    fleet.task(job, 0).signal(if fault == Fault::Kill { "-9" } else { "-STOP" });
    // A client knows its own master by address only.
    own.ends(&LOST, if job == "worker" { &address } else { "/job:ps/replica:0/task:0" });
    across.ends(&LOST, &format!("/job:{job}/replica:0/task:0"));
    apart.goes_on();

    if fault == Fault::Kill {
        fleet.restart(job, 0);
        for (lost, target) in [(&own, &master), (&across, &other)] {
            let status = lost.tells_to_begin_anew();
            let named = status.message().contains(&format!("/job:{job}/replica:0/task:0"));
            assert!(named || status.message().contains("is not found"), "{status}");
            let fresh = lost.program.connect(target, transport).expect("a new session");
            lost.program.init(&fresh).expect("variables");
            lost.program.step(&fresh).expect("a step");
            assert_eq!(lost.program.put_and_take(&fresh).expect("an element"), Tensor::from(2f32));
            fresh.close().expect("the end of a session");
        }
    } else {
        fleet.task(job, 0).signal("-CONT");
        own.is_usable();
        across.is_usable();
    }
    apart.goes_on();
    apart.close();
    across.close();
    own.close();
    leaves_nothing(fleet);
}

/// Another process is a client of worker 0, with steps on both of it and ps 0.
fn lose_a_client(fault: Fault, transport: Transport) {
    let mut fleet = two_and_two(transport, &["--session_lease_secs=1"]);
    let program = |name| Program::new(name, "/job:ps/task:0", "/job:worker/task:0").expect("a graph");
    let neighbour = program("neighbour").start(&fleet.target("worker", 0), transport);
    let mut client = Process::start(
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "faults::another_client", "--ignored", "--nocapture"])
            .env("CLIENT_OF", fleet.target("worker", 0))
            .env("CLIENT_OVER", format!("{transport:?}")),
    );
    assert!(client.said("at work").is_some(), "{}\n{}", client.out.all(), client.log.all());
    if fault == Fault::Kill {
        client.kill();
        neighbour.goes_on();
        // Its session was collected, and its steps do not take what is put into the queue.
        wait_until("the session of the client to be collected", || {
            fleet.task("worker", 0).log.find(|line| line.contains("its client has gone"))
        });
    } else {
        client.signal("-STOP");
        neighbour.goes_on();
        client.signal("-CONT");
        let rounds = |client: &Process| -> Option<u32> {
            client.out.find(|line| line.contains("round"))?.strip_prefix("round ")?.parse().ok()
        };
        let before = rounds(&client).unwrap_or(0);
        wait_until("the client to go on", || rounds(&client).filter(|now| *now > before + 2));
        client.kill();
    }
    neighbour.goes_on();
    neighbour.close();
    leaves_nothing(fleet);
}

/// The other process of [`lose_a_client`].
#[test]
#[ignore = "is started by other tests"]
fn another_client() {
    let (Ok(target), Ok(over)) = (std::env::var("CLIENT_OF"), std::env::var("CLIENT_OVER")) else { return };
    let transport = if over == "Grpc" { Transport::Grpc } else { Transport::Auto };
    let program = Program::new("client", "/job:ps/task:0", "/job:worker/task:0").expect("a graph");
    let running = program.start(&target, transport);
    println!("at work");
    for round in 0..100_000 {
        running.goes_on();
        println!("round {round}");
    }
}

/// When all sessions have ended, no task has any left, nor any step; then all stop when they are told to.
fn leaves_nothing(mut fleet: Fleet) {
    for job in ["ps", "worker"] {
        for task in 0..2 {
            fleet.idle(job, task);
        }
    }
    fleet.stop();
}
