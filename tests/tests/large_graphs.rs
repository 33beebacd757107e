//! Large graphs: what is done to take, plan and start one grows with its size, and not faster.

use cluster::LocalCluster;
use tensorfleet::graph::work;
use tensorfleet::prelude::*;

/// How much is done from the finished graph to the end of its first step.
fn done(build: fn(&Graph, usize) -> Operation, size: usize, devices: u32) -> Result<u64> {
    let g = Graph::new();
    let last = build(&g, size);
    let before = work::counted();
    let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: devices, ..Default::default() })?;
    session.run(RunRequest::new().target(&last))?;
    Ok(work::counted() - before)
}

/// The same on servers: a worker's master plans it, and a ps, which gets it over a link, runs it.
fn done_on_servers(build: fn(&Graph, usize) -> Operation, size: usize) -> Result<u64> {
    let cluster = LocalCluster::start(&[("ps", 1), ("worker", 1)], &ops::registry())?;
    let g = Graph::new();
    let last = g.with_device("/job:ps/task:0", |g| build(g, size));
    let before = work::counted();
    let target = cluster.target("worker", 0).expect("there is a worker");
    RemoteSession::new(target, &g)?.run(RunRequest::new().target(&last))?;
    Ok(work::counted() - before)
}

/// Each node takes what the one before gives.
fn chain(g: &Graph, size: usize) -> Operation {
    let first = g.placeholder_with_default(1f32, PartialShape::scalar());
    (0..size).fold(first, |value, _| -&value).operation()
}

/// All take the same value, and one takes what they give. Some are on another device.
fn fan(g: &Graph, size: usize) -> Operation {
    let first = g.placeholder_with_default(1f32, PartialShape::scalar());
    let all: Vec<Output> =
        (0..size).map(|number| g.with_device(if number % 4 == 0 { "/cpu:1" } else { "/cpu:0" }, |_| -&first)).collect();
    g.op("AddN").input_list(&all).build()
}

/// Variables with initial values, updates, and reads of what was updated.
fn variables(g: &Graph, size: usize) -> Operation {
    let variable = |number: usize| Variable::new(&format!("v{number}"), g.constant(1f32));
    let variables: Vec<Variable> = (0..size / 8).map(variable).collect();
    let init = global_variables_initializer(g);
    let updates: Vec<Operation> =
        g.with_control_dependencies(&[init], |_| variables.iter().map(|variable| variable.assign_add(1f32)).collect());
    let updated = g.op("NoOp").control_inputs(&updates).build();
    let reads: Vec<Output> =
        g.with_control_dependencies(&[updated], |_| variables.iter().map(|variable| variable.value() * 2.0).collect());
    g.op("AddN").input_list(&reads).build()
}

/// One node waits for all others.
fn control(g: &Graph, size: usize) -> Operation {
    let nodes: Vec<Operation> = (0..size).map(|_| g.op("NoOp").build()).collect();
    g.op("NoOp").control_inputs(&nodes).build()
}

/// Many small loops side by side.
fn loops(g: &Graph, size: usize) -> Operation {
    let looped = |_| while_loop(g, |n| n[0].less(2), |n| vec![&n[0] + 1], &[g.constant(0i32)]).remove(0);
    let results: Vec<Output> = (0..size / 12).map(looped).collect();
    g.op("AddN").input_list(&results).build()
}

#[test]
fn ten_times_the_nodes_are_ten_times_the_work() -> Result<()> {
    let shapes: [(&str, fn(&Graph, usize) -> Operation); 5] =
        [("chain", chain), ("fan", fan), ("variables", variables), ("control", control), ("loops", loops)];
    for (name, build) in shapes {
        let (small, large) = (done(build, 2_000, 2)?, done(build, 20_000, 2)?);
        assert!(small > 2_000, "{name}: {small} for a small graph");
        assert!(large < small * 12, "{name}: {small} for a small graph, {large} for one ten times as large");
    }
    // In the same test, because what is counted is what the whole process does.
    for (name, build) in shapes.into_iter().filter(|(name, _)| *name != "fan") {
        let (small, large) = (done_on_servers(build, 2_000)?, done_on_servers(build, 20_000)?);
        assert!(small > 2_000, "{name} on servers: {small} for a small graph");
        assert!(large < small * 12, "{name} on servers: {small} for a small graph, {large} for one ten times as large");
    }
    Ok(())
}
