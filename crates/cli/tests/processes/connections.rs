//! Connections that drop, between steps and in the middle of them, while all processes live on.

use cluster::Transport;
use tensorfleet::prelude::*;

use crate::fleet::{Fleet, free_port};
use crate::program::Program;
use crate::proxy::Proxy;

/// A ps and a worker that reach each other, and are reached, only through proxies.
struct Apart {
    fleet: Fleet,
    ps: Proxy,
    worker: Proxy,
}

fn start(transport: Transport) -> Apart {
    let (ps, worker) = (format!("127.0.0.1:{}", free_port()), format!("127.0.0.1:{}", free_port()));
    let (to_ps, to_worker) = (Proxy::to(ps.clone()), Proxy::to(worker.clone()));
    // Tasks of one machine would otherwise find ways past the proxies.
    let over = if transport == Transport::Grpc { "grpc" } else { "tcp" };
    let of = |job: &str, ps: &str, worker: &str| if job == "ps" { ps.to_owned() } else { worker.to_owned() };
    let fleet = Fleet::start_at(
        &[("ps", 1), ("worker", 1)],
        &["--transport", over, "--session_lease_secs=1"],
        |job, _| of(job, &to_ps.address, &to_worker.address),
        |job, _| Some(of(job, &ps, &worker)),
    );
    Apart { fleet, ps: to_ps, worker: to_worker }
}

fn program(name: &str) -> Program {
    Program::new(name, "/job:ps/task:0", "/job:worker/task:0").expect("a graph")
}

fn a_connection_that_drops_between_steps_is_not_noticed(transport: Transport) {
    let apart = start(transport);
    let program = program("between");
    let session = program.connect(&apart.fleet.target("worker", 0), transport).expect("a session");
    program.init(&session).expect("variables");
    for _ in 0..3 {
        program.step(&session).expect("a step");
        apart.ps.hang_up();
        program.step(&session).expect("a step after the ps was cut off");
        apart.worker.hang_up();
        program.step(&session).expect("a step after the worker was cut off");
    }
    session.close().expect("the end of the session");
    apart.fleet.stop();
}

fn a_connection_that_drops_in_the_middle_of_steps_costs_only_these(transport: Transport) {
    let mut apart = start(transport);
    let target = apart.fleet.target("worker", 0);
    let mut first = program("first").start(&target, transport);
    apart.ps.cut();
    first.loses_its_steps("/job:ps/replica:0/task:0");
    first.is_usable();
    first.close();
    let mut second = program("second").start(&target, transport);
    apart.worker.cut();
    // The way from the ps to the worker was cut too, so either may have been noticed first.
    second.loses_its_steps("");
    second.is_usable();
    second.close();
    apart.fleet.idle("ps", 0);
    apart.fleet.idle("worker", 0);
    apart.fleet.stop();
}

fn a_network_that_falls_silent_is_noticed(transport: Transport) {
    let mut apart = start(transport);
    let mut running = program("silent").start(&apart.fleet.target("worker", 0), transport);
    apart.ps.silence(true);
    running.ends(&[Code::Unavailable], "/job:ps/replica:0/task:0");
    apart.ps.silence(false);
    running.is_usable();
    running.close();
    apart.fleet.idle("ps", 0);
    apart.fleet.idle("worker", 0);
    apart.fleet.stop();
}

mod over_links {
    use super::*;

    #[test]
    fn a_connection_that_drops_between_steps_is_not_noticed() {
        super::a_connection_that_drops_between_steps_is_not_noticed(Transport::Tcp);
    }

    #[test]
    fn a_connection_that_drops_in_the_middle_of_steps_costs_only_these() {
        super::a_connection_that_drops_in_the_middle_of_steps_costs_only_these(Transport::Tcp);
    }

    #[test]
    fn a_network_that_falls_silent_is_noticed() {
        super::a_network_that_falls_silent_is_noticed(Transport::Tcp);
    }
}

mod over_grpc {
    use super::*;

    #[test]
    fn a_connection_that_drops_between_steps_is_not_noticed() {
        super::a_connection_that_drops_between_steps_is_not_noticed(Transport::Grpc);
    }

    #[test]
    fn a_connection_that_drops_in_the_middle_of_steps_costs_only_these() {
        super::a_connection_that_drops_in_the_middle_of_steps_costs_only_these(Transport::Grpc);
    }

    #[test]
    fn a_network_that_falls_silent_is_noticed() {
        super::a_network_that_falls_silent_is_noticed(Transport::Grpc);
    }
}
