//! Our side of the benchmark: does one kind of work and prints one number. `bench/run.py` calls it in turn with
//! TensorFlow and compares.

mod models;
mod program;
mod remote;
mod replica;

use std::process::ExitCode;
use std::time::Instant;

use tensorfleet::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
    let target = argument(2);
    let outcome = match arguments.get(1).map(String::as_str) {
        Some("chain") => chain(),
        Some("empty_step") => empty_step(),
        Some("mlp") => models::mlp(),
        Some("cnn") => models::cnn(),
        Some("gemm_mlp") => Ok(gemm(100, 784, 100)),
        Some("gemm_256") => Ok(gemm(256, 256, 256)),
        Some("gemm_1024") => Ok(gemm(1024, 1024, 1024)),
        Some("remote_empty_step") => remote::empty_step(target),
        Some("remote_pull") => remote::pull(target),
        Some("remote_read_1") => remote::read(target),
        Some("remote_push_1") => remote::push(target, 1),
        Some("remote_push_32") => remote::push(target, 32),
        Some("program") => {
            program::program(argument(2), argument(3), argument(4), arguments.get(5).map(String::as_str))
        }
        Some("replica") => {
            let task = argument(4).parse().unwrap_or(0);
            replica::replica(argument(2), argument(3), task, argument(5) == "sync")
        }
        _ => {
            eprintln!("usage: tensorfleet-bench chain|empty_step|mlp|cnn|gemm_mlp|gemm_256|gemm_1024");
            eprintln!("       tensorfleet-bench program META_GRAPH INIT STEP [TARGET]");
            eprintln!(
                "       tensorfleet-bench remote_empty_step|remote_pull|remote_read_1|remote_push_1|remote_push_32 TARGET"
            );
            return ExitCode::FAILURE;
        }
    };
    match outcome {
        Ok(value) => {
            println!("{value}");
            ExitCode::SUCCESS
        }
        Err(status) => {
            eprintln!("tensorfleet-bench: {status}");
            ExitCode::FAILURE
        }
    }
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

/// GFLOP/s of a matrix product.
fn gemm(m: usize, k: usize, n: usize) -> f64 {
    let (a, b) = (vec![1.5f32; m * k], vec![0.5f32; k * n]);
    let mut c = vec![0f32; m * n];
    let rate = rate(|| {
        math::gemm::gemm(m, k, n, &a, false, &b, false, &mut c, false);
        Ok(())
    });
    rate.unwrap_or(0.0) * 2.0 * (m * k * n) as f64 / 1e9
}
