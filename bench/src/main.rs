//! Our side of the benchmark: does one kind of work and prints one number. `bench/run.py` calls it in turn with
//! TensorFlow and compares.

mod batches;
mod concurrent;
mod input;
mod large;
mod models;
mod program;
mod remote;
mod replica;
mod scale;

use std::process::ExitCode;
use std::time::Instant;

use tensorfleet::prelude::*;

use crate::batches::Batches;

const USAGE: &str = "usage: tensorfleet-bench chain|empty_step|mlp|mlp_constant|cnn
       tensorfleet-bench large chain|fan|variables|control [TARGET]
       tensorfleet-bench concurrent empty|small THREADS
       tensorfleet-bench input META_GRAPH INIT STEP
       tensorfleet-bench program META_GRAPH INIT STEP [plain|TARGET]
       tensorfleet-bench replica PS_HOSTS WORKER_HOSTS TASK async|sync
       tensorfleet-bench scale PS_HOSTS WORKER_HOSTS empty|sparse
       tensorfleet-bench remote_empty_step|remote_pull|remote_read_1|remote_push_1|remote_push_32 TARGET";

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match run(&arguments) {
        Ok(Some(value)) => {
            println!("{value}");
            ExitCode::SUCCESS
        }
        Ok(None) => {
            eprintln!("{USAGE}");
            ExitCode::FAILURE
        }
        Err(status) => {
            eprintln!("tensorfleet-bench: {status}");
            ExitCode::FAILURE
        }
    }
}

/// Does the work that the arguments name, and returns its number; none if there is no such work.
fn run(arguments: &[String]) -> Result<Option<f64>> {
    let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
    let target = argument(2);
    let outcome = match arguments.get(1).map(String::as_str) {
        Some("chain") => chain(),
        Some("empty_step") => empty_step(),
        Some("mlp") => models::mlp(Batches::of_mnist(100)?),
        Some("mlp_constant") => models::mlp(Batches::constant(100)?),
        Some("cnn") => models::cnn(),
        Some("remote_empty_step") => remote::empty_step(target),
        Some("remote_pull") => remote::pull(target),
        Some("remote_read_1") => remote::read(target),
        Some("remote_push_1") => remote::push(target, 1),
        Some("remote_push_32") => remote::push(target, 32),
        Some("large") => large::large(target, arguments.get(3).map(String::as_str)),
        Some("concurrent") => concurrent::concurrent(target == "small", argument(3).parse().unwrap_or(1)),
        Some("input") => input::input(target, argument(3), argument(4)),
        Some("program") => {
            program::program(argument(2), argument(3), argument(4), arguments.get(5).map(String::as_str))
        }
        Some("replica") => {
            let task = argument(4).parse().unwrap_or(0);
            let mode = match argument(5) {
                "sync" => replica::Mode::Sync,
                "all_reduce" => replica::Mode::AllReduce,
                _ => replica::Mode::Async,
            };
            replica::replica(argument(2), argument(3), task, mode)
        }
        Some("scale") => match scale::Model::named(argument(4)) {
            Some(model) => scale::scale(argument(2), argument(3), model),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    outcome.map(Some)
}

/// Steps a second: a few to warm up, then as many as fit in about a second.
pub fn rate(mut step: impl FnMut() -> Result<()>) -> Result<f64> {
    for _ in 0..3 {
        step()?;
    }
    let begin = Instant::now();
    let mut steps = 0;
    while begin.elapsed().as_secs_f64() < 1.0 || steps < 10 {
        step()?;
        steps += 1;
    }
    Ok(steps as f64 / begin.elapsed().as_secs_f64())
}

/// Nanoseconds per node in a chain of 1,000 nodes that do nothing.
fn chain() -> Result<f64> {
    let g = Graph::new();
    let mut last = g.op("NoOp").build();
    for _ in 1..1000 {
        last = g.op("NoOp").control_inputs(&[last]).build();
    }
    let session = LocalSession::new(&g)?;
    let steps = rate(|| session.run(RunRequest::new().target(&last)).map(drop))?;
    Ok(1e9 / steps / 1000.0)
}

/// Steps a second of a graph of one node that does nothing.
fn empty_step() -> Result<f64> {
    let g = Graph::new();
    let node = g.op("NoOp").build();
    let session = LocalSession::new(&g)?;
    rate(|| session.run(RunRequest::new().target(&node)).map(drop))
}
