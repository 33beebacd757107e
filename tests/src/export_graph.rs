//! Writes a training graph built with the Rust API as a `GraphDef`, and prints the losses of five steps here, so that
//! TensorFlow can run the same graph and compare: `export_graph FILE`.

use std::process::ExitCode;

use prost::Message;
use tensorfleet::Result;
use tensorfleet::prelude::*;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: export_graph FILE");
        return ExitCode::FAILURE;
    };
    match export(path.as_ref()) {
        Ok(losses) => {
            println!("{losses:?}");
            ExitCode::SUCCESS
        }
        Err(status) => {
            eprintln!("export_graph: {status}");
            ExitCode::FAILURE
        }
    }
}

fn export(path: &std::path::Path) -> Result<Vec<f32>> {
    let g = Graph::new();
    g.set_seed(3);
    let x = g
        .op("Placeholder")
        .name("x")
        .attr("dtype", DType::Float)
        .attr("shape", PartialShape::from([None, Some(4)]))
        .output();
    let w = Variable::new("w", g.truncated_normal([4, 3], 0.5));
    let b = Variable::new("b", g.zeros(&[3], DType::Float));
    let loss = (x.matmul(&w) + &b).tanh().square().reduce_mean(..);
    let train = Adam::new(0.1).minimize(&loss, None)?;
    let init = global_variables_initializer(&g);
    g.op("Identity").name("loss").input(&loss).output();
    g.op("NoOp").name("train").control_inputs(std::slice::from_ref(&train)).build();
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
    Ok(losses)
}
