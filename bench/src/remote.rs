//! Work on servers in other processes: steps that do nothing, small pulls, large pushes.

use tensorfleet::prelude::*;

use crate::rate;

const ELEMENTS: i64 = 25_000_000;

/// Steps a second of a graph of one node that does nothing.
pub fn empty_step(target: &str) -> Result<f64> {
    let g = Graph::new();
    let node = g.op("NoOp").build();
    run(target, &g, &node)
}

/// Pulls a 4-byte variable from a ps through a worker.
pub fn pull(target: &str) -> Result<f64> {
    let g = Graph::new();
    let v = g.with_device("/job:ps/task:0", |g| Variable::new("pulled", g.constant(1f32)));
    let value = g.with_device("/job:worker/task:0", |_| v.value().identity());
    let session = RemoteSession::new(target, &g)?;
    session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
    rate(|| session.fetch(RunRequest::new().fetch(&value)).map(drop))
}

/// Reads 100 MB from a ps in one tensor.
pub fn read(target: &str) -> Result<f64> {
    let g = Graph::new();
    let v = g.with_device("/job:ps/task:0", |g| Variable::new("read", numbers(g, ELEMENTS)));
    let value = g.with_device("/job:worker/task:0", |_| v.value().identity());
    run(target, &g, &value.operation())
}

/// Pushes 100 MB to a ps in so many tensors, and adds them there.
pub fn push(target: &str, pieces: i64) -> Result<f64> {
    let g = Graph::new();
    // Variables are shared by name with all other sessions.
    let variable = |device: &str, name: &str, piece: i64| {
        let name = format!("{name}_of_{pieces}_{piece}");
        g.with_device(device, |g| Variable::new(&name, numbers(g, ELEMENTS / pieces)))
    };
    let mut adds = Vec::new();
    for piece in 0..pieces {
        let source = variable("/job:worker/task:0", "source", piece);
        let sink = variable("/job:ps/task:0", "sink", piece);
        adds.push(g.with_device("/job:ps/task:0", |_| sink.assign_add(source.value())));
    }
    let all = g.group(&adds);
    run(target, &g, &all)
}

/// Numbers that differ: one that is repeated would travel as one.
fn numbers(g: &Graph, count: i64) -> Output {
    g.random_uniform([count], 0.0, 1.0)
}

fn run(target: &str, g: &Graph, node: &Operation) -> Result<f64> {
    let init = global_variables_initializer(g);
    let session = RemoteSession::new(target, g)?;
    session.run(RunRequest::new().target(&init))?;
    rate(|| session.run(RunRequest::new().target(node)).map(drop))
}
