//! Graphs of many nodes: how long it takes from the finished graph to the end of its first step, for each node.

use std::time::Instant;

use tensorfleet::prelude::*;

const NODES: usize = 50_000;

/// Microseconds a node for a graph of this shape, in this process or on a server.
pub fn large(shape: &str, target: Option<&str>) -> Result<f64> {
    let count = std::env::var("NODES").ok().and_then(|count| count.parse().ok()).unwrap_or(NODES);
    let g = Graph::new();
    let last = match shape {
        "chain" => chain(&g, count),
        "fan" => fan(&g, count),
        "variables" => variables(&g, count),
        _ => control(&g, count),
    };
    let nodes = g.snapshot()?.len();
    let begin = Instant::now();
    let request = RunRequest::new().target(&last);
    match target {
        None => LocalSession::new(&g)?.run(request)?,
        Some(target) => RemoteSession::new(target, &g)?.run(request)?,
    };
    Ok(begin.elapsed().as_secs_f64() * 1e6 / nodes as f64)
}

/// Each node takes what the one before gives.
fn chain(g: &Graph, count: usize) -> Operation {
    let mut value = g.placeholder_with_default(1f32, PartialShape::scalar());
    for _ in 0..count {
        value = -&value;
    }
    value.operation()
}

/// All take the same value, and one takes what they give.
fn fan(g: &Graph, count: usize) -> Operation {
    let value = g.placeholder_with_default(1f32, PartialShape::scalar());
    let values: Vec<Output> = (0..count).map(|_| -&value).collect();
    g.op("AddN").input_list(&values).build()
}

/// Variables, each with an initial value, an update and a read of the new value.
fn variables(g: &Graph, count: usize) -> Operation {
    let variable = |number: usize| Variable::new(&format!("v{number}"), g.constant(1f32));
    let variables: Vec<Variable> = (0..count / 6).map(variable).collect();
    let init = global_variables_initializer(g);
    let update = || variables.iter().map(|variable| variable.assign_add(1f32)).collect();
    let updated: Vec<Operation> = g.with_control_dependencies(&[init], |_| update());
    g.op("NoOp").control_inputs(&updated).build()
}

/// One node waits for all others.
fn control(g: &Graph, count: usize) -> Operation {
    let nodes: Vec<Operation> = (0..count).map(|_| g.op("NoOp").build()).collect();
    g.op("NoOp").control_inputs(&nodes).build()
}
