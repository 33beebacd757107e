//! A cluster of several tasks, in one process: graphs span tasks, variables live where they were put, failures are told.

use cluster::{LocalCluster, RemoteOptions, RemoteSession};
use tensorfleet::Result;
use tensorfleet::prelude::*;

fn start(jobs: &[(&str, u32)]) -> LocalCluster {
    LocalCluster::start(jobs, &ops::registry()).expect("a cluster on this machine")
}

#[test]
fn hello_from_a_server() -> Result<()> {
    let cluster = start(&[("local", 1)]);
    let g = Graph::new();
    let hello = g.constant("Hello, distributed TensorFlow!");
    let session = RemoteSession::new(cluster.target("local", 0)?, &g, RemoteOptions::default())?;
    assert_eq!(session.fetch(RunRequest::new().fetch(&hello))?[0], Tensor::from("Hello, distributed TensorFlow!"));
    session.close()
}

#[test]
fn a_model_is_trained_across_tasks() -> Result<()> {
    let cluster = start(&[("ps", 2), ("worker", 1)]);
    let g = Graph::new();
    let w = g.with_device("/job:ps/task:0", |g| Variable::new("w", g.constant([[1f32], [2.0]])));
    let b = g.with_device("/job:ps/task:1", |g| Variable::new("b", g.constant([0.5f32])));
    let (x, train, loss) = g.with_device("/job:worker/task:0", |g| -> Result<_> {
        let x = g.placeholder(DType::Float, [None, Some(2)]);
        let loss = (x.matmul(&w) + &b).square().reduce_sum(..);
        Ok((x, GradientDescent::new(0.01).minimize(&loss, None)?, loss))
    })?;
    let init = global_variables_initializer(&g);
    let session = RemoteSession::new(cluster.target("worker", 0)?, &g, RemoteOptions::default())?;
    session.run(RunRequest::new().target(&init))?;
    let step = || session.fetch(RunRequest::new().feed(&x, [[1f32, 1.0]]).fetch(&loss).target(&train));
    // y = w0 + w1 + b = 3.5; each step moves all three by 0.02 y, so y shrinks by 0.94 and the loss y^2 by 0.8836.
    let mut before = step()?[0].to_scalar::<f32>()?;
    assert!((before - 12.25).abs() < 1e-4, "{before}");
    for _ in 0..5 {
        session.run(RunRequest::new().feed(&x, [[1f32, 1.0]]).target(&train))?;
    }
    let after = session.fetch(RunRequest::new().feed(&x, [[1f32, 1.0]]).fetch(&loss))?[0].to_scalar::<f32>()?;
    before *= 0.8836f32.powi(6);
    assert!((after - before).abs() < 1e-3, "{after} instead of {before}");
    // Another client of another task sees the same variables.
    let other = RemoteSession::new(cluster.target("ps", 0)?, &g, RemoteOptions::default())?;
    let value = other.fetch(RunRequest::new().fetch(w.value()))?;
    assert_eq!(value, session.fetch(RunRequest::new().fetch(w.value()))?);
    // An isolated one does not.
    let options = RemoteOptions { isolate: true, ..Default::default() };
    let isolated = RemoteSession::new(cluster.target("ps", 0)?, &g, options)?;
    assert_eq!(isolated.run(RunRequest::new().fetch(w.value())).unwrap_err().code(), Code::FailedPrecondition);
    Ok(())
}

#[test]
fn errors_from_another_task_name_the_node() -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)]);
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None]);
    let bad = g.with_device("/job:ps/task:0", |_| x.reshape(&[2, 2]));
    let session = RemoteSession::new(cluster.target("worker", 0)?, &g, RemoteOptions::default())?;
    let error = session.run(RunRequest::new().feed(&x, [1f32, 2.0, 3.0]).fetch(&bad)).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error}");
    assert!(error.message().contains("{{node Reshape}}"), "{error}");
    Ok(())
}

#[test]
fn a_task_that_restarted_is_named_with_a_code_that_makes_clients_recover() -> Result<()> {
    let mut cluster = start(&[("ps", 1), ("worker", 1)]);
    let g = Graph::new();
    let v = g.with_device("/job:ps/task:0", |g| Variable::new("v", g.constant(1f32)));
    let init = global_variables_initializer(&g);
    let session = RemoteSession::new(cluster.target("worker", 0)?, &g, RemoteOptions::default())?;
    session.run(RunRequest::new().target(&init))?;
    assert_eq!(session.fetch(RunRequest::new().fetch(v.value()))?[0], Tensor::from(1f32));
    cluster.stop("ps", 0);
    let lost = session.run(RunRequest::new().fetch(v.value())).unwrap_err();
    assert_eq!(lost.code(), Code::Unavailable, "{lost}");
    assert!(lost.message().contains("/job:ps/replica:0/task:0"), "{lost}");
    cluster.restart("ps", 0, &ops::registry())?;
    let restarted = session.run(RunRequest::new().fetch(v.value())).unwrap_err();
    assert!(matches!(restarted.code(), Code::Aborted | Code::Unavailable), "{restarted}");
    // A new session works; the variable is gone with the process that held it.
    let fresh = RemoteSession::new(cluster.target("worker", 0)?, &g, RemoteOptions::default())?;
    assert_eq!(fresh.run(RunRequest::new().fetch(v.value())).unwrap_err().code(), Code::FailedPrecondition);
    fresh.run(RunRequest::new().target(&init))?;
    assert_eq!(fresh.fetch(RunRequest::new().fetch(v.value()))?[0], Tensor::from(1f32));
    Ok(())
}
