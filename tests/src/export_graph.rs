//! Writes a graph built with the Rust API as a `GraphDef`: a model in training, and loops with their gradients. Prints the
//! losses of five steps and the values of the loops here, so that TensorFlow can run the same graph and compare:
//! `export_graph FILE`.

use std::process::ExitCode;

use prost::Message;
use tensorfleet::ops::{map_fn, scan};
use tensorfleet::prelude::*;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: export_graph FILE");
        return ExitCode::FAILURE;
    };
    match export(path.as_ref()) {
        Ok((losses, loops)) => {
            println!("({losses:?}, {loops:?})");
            ExitCode::SUCCESS
        }
        Err(status) => {
            eprintln!("export_graph: {status}");
            ExitCode::FAILURE
        }
    }
}

fn export(path: &std::path::Path) -> Result<(Vec<f32>, Vec<f32>)> {
    let g = Graph::new();
    g.set_seed(3);
    let x = g
        .op("Placeholder")
        .name("x")
        .attr("dtype", DType::Float)
        .attr("shape", PartialShape::from([None, Some(4)]))
        .output();
    let w = Variable::new("w", g.truncated_normal([4, 3], 0.5));
    let b = Variable::new("b", g.zeros([3], DType::Float));
    let loss = (x.matmul(&w) + &b).tanh().square().reduce_mean(..);
    let train = Adam::new(0.1).minimize(&loss, None)?;
    let init = global_variables_initializer(&g);
    g.op("Identity").name("loss").input(&loss).output();
    g.op("NoOp").name("train").control_inputs(std::slice::from_ref(&train)).build();
    let loops = loops(&g)?;
    g.op("Identity").name("loops").input(&loops).output();
    let proto = graph::graph_to_proto(&g.snapshot()?)?;
    std::fs::write(path, proto.encode_to_vec())?;
    let session = LocalSession::new(&g)?;
    session.run(RunRequest::new().target(&init))?;
    let mut losses = Vec::new();
    for step in 0..5 {
        let batch = [[0.1f32 * step as f32, 0.2, -0.3, 0.4], [1.0, -1.0, 0.5, 0.25]];
        losses.push(
            session.fetch(RunRequest::new().feed(&x, batch).fetch("loss:0").target("train"))?[0].to_scalar::<f32>()?,
        );
    }
    let loops = session.fetch(RunRequest::new().fetch("loops:0"))?[0].as_slice::<f32>()?.to_vec();
    Ok((losses, loops))
}

/// Loops in loops, with conditionals, over the rows of a tensor, and their gradients, in one vector.
fn loops(g: &Graph) -> Result<Output> {
    let (x, k) = (g.constant(0.4f32), g.constant([0.5f32, 0.25, 0.75]));
    let nested = while_loop(
        g,
        |outer| outer[0].less(3),
        |outer| {
            let inner = while_loop(
                g,
                |inner| inner[0].less_equal(&outer[0]),
                |inner| vec![&inner[0] + 1, (&inner[1] * &x).sin() + &inner[1]],
                &[g.constant(0i32), outer[1].clone()],
            );
            let even = outer[0].floormod(2).equal(0);
            let chosen = cond(&even, || vec![inner[1].exp() * &x], || vec![&inner[1] * &inner[1]]);
            vec![&outer[0] + 1, chosen[0].clone()]
        },
        &[g.constant(0i32), g.constant(0.1f32)],
    );
    let states = scan(|state, row| vec![&state[0] * row + state[0].sin()], &k, std::slice::from_ref(&x));
    let mapped = map_fn(|row| row.exp() * &x, &k, DType::Float);
    let y = &nested[1] + states[0].reduce_sum(..) + mapped.reduce_sum(..);
    let mut parts = vec![y.clone()];
    for gradient in gradients(&[y], &[x, k])?.into_iter().flatten() {
        parts.push(gradient.to_dense());
    }
    let flat: Vec<Output> = parts.iter().map(|part| part.reshape([-1])).collect();
    Ok(g.concat(&flat, 0))
}
