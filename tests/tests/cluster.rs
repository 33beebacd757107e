//! A cluster of several tasks, in one process: graphs span tasks, variables live where they were put, failures are told.

use std::time::{Duration, Instant};

use cluster::{LocalCluster, RemoteOptions, RemoteSession, ServerOptions, Transport};
use tensorfleet::prelude::*;

/// Every test runs with a client in the server's process, over framed connections on this machine and over the network, and
/// over gRPC.
macro_rules! on_all_transports {
    ($($test:ident),* $(,)?) => {
        mod in_process {
            $(#[test] fn $test() -> super::Result<()> { super::$test(super::Transport::Auto) })*
        }
        mod over_links {
            $(#[test] fn $test() -> super::Result<()> { super::$test(super::Transport::Links) })*
        }
        mod over_tcp {
            $(#[test] fn $test() -> super::Result<()> { super::$test(super::Transport::Tcp) })*
        }
        mod over_grpc {
            $(#[test] fn $test() -> super::Result<()> { super::$test(super::Transport::Grpc) })*
        }
    };
}

on_all_transports!(
    hello_from_a_server,
    a_model_is_trained_across_tasks,
    errors_from_another_task_name_the_node,
    a_task_that_restarted_is_named_with_a_code_that_makes_clients_recover,
    all_kinds_of_tensors_travel,
    large_tensors_travel_and_come_back,
    a_deadline_ends_a_step_that_waits_on_another_task,
    closing_ends_a_step_that_waits_on_another_task,
    dead_branches_are_told_to_other_tasks,
    a_loop_and_its_gradient_span_tasks,
    many_steps_at_once_do_not_mix,
    only_tasks_that_are_named_are_contacted,
    start_up_is_bounded_and_every_task_gets_a_verdict,
    abandoned_sessions_are_collected,
    a_stopped_server_frees_its_port_at_once,
    reset_empties_the_named_containers,
);

fn options(transport: Transport) -> ServerOptions {
    ServerOptions { transport, ..Default::default() }
}

fn start(jobs: &[(&str, u32)], transport: Transport) -> LocalCluster {
    LocalCluster::start_with(jobs, &ops::registry(), options(transport)).expect("a cluster on this machine")
}

fn connect(cluster: &LocalCluster, job: &str, task: u32, g: &Graph) -> Result<RemoteSession> {
    let options = RemoteOptions { transport: cluster.transport(), ..Default::default() };
    RemoteSession::with_options(cluster.target(job, task)?, g, options)
}

fn hello_from_a_server(transport: Transport) -> Result<()> {
    let cluster = start(&[("local", 1)], transport);
    let g = Graph::new();
    let hello = g.constant("Hello, distributed TensorFlow!");
    let session = connect(&cluster, "local", 0, &g)?;
    assert_eq!(session.fetch(RunRequest::new().fetch(&hello))?[0], Tensor::from("Hello, distributed TensorFlow!"));
    session.close()
}

fn a_model_is_trained_across_tasks(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 2), ("worker", 1)], transport);
    let g = Graph::new();
    let w = g.with_device("/job:ps/task:0", |g| Variable::new("w", g.constant([[1f32], [2.0]])));
    let b = g.with_device("/job:ps/task:1", |g| Variable::new("b", g.constant([0.5f32])));
    let (x, train, loss) = g.with_device("/job:worker/task:0", |g| -> Result<_> {
        let x = g.placeholder(DType::Float, [None, Some(2)]);
        let loss = (x.matmul(&w) + &b).square().reduce_sum(..);
        Ok((x, GradientDescent::new(0.01).minimize(&loss, None)?, loss))
    })?;
    let init = global_variables_initializer(&g);
    let session = connect(&cluster, "worker", 0, &g)?;
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
    let other = connect(&cluster, "ps", 0, &g)?;
    let value = other.fetch(RunRequest::new().fetch(w.value()))?;
    assert_eq!(value, session.fetch(RunRequest::new().fetch(w.value()))?);
    // An isolated one does not.
    let options = RemoteOptions { isolate: true, transport, ..Default::default() };
    let isolated = RemoteSession::with_options(cluster.target("ps", 0)?, &g, options)?;
    assert_eq!(isolated.run(RunRequest::new().fetch(w.value())).unwrap_err().code(), Code::FailedPrecondition);
    Ok(())
}

fn errors_from_another_task_name_the_node(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None]);
    let bad = g.with_device("/job:ps/task:0", |_| x.reshape([2, 2]));
    let session = connect(&cluster, "worker", 0, &g)?;
    let error = session.run(RunRequest::new().feed(&x, [1f32, 2.0, 3.0]).fetch(&bad)).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error}");
    assert!(error.message().contains("{{node Reshape}}"), "{error}");
    Ok(())
}

fn a_task_that_restarted_is_named_with_a_code_that_makes_clients_recover(transport: Transport) -> Result<()> {
    let mut cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let v = g.with_device("/job:ps/task:0", |g| Variable::new("v", g.constant(1f32)));
    let init = global_variables_initializer(&g);
    let session = connect(&cluster, "worker", 0, &g)?;
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
    let fresh = connect(&cluster, "worker", 0, &g)?;
    assert_eq!(fresh.run(RunRequest::new().fetch(v.value())).unwrap_err().code(), Code::FailedPrecondition);
    fresh.run(RunRequest::new().target(&init))?;
    assert_eq!(fresh.fetch(RunRequest::new().fetch(v.value()))?[0], Tensor::from(1f32));
    Ok(())
}

fn all_kinds_of_tensors_travel(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 2)], transport);
    let values = [
        Tensor::from([1.5f32, -2.0]),
        Tensor::from(7i64),
        Tensor::from([true, false]),
        Tensor::from([1u8, 255]),
        Tensor::from("a string\0 with a zero"),
        Tensor::string_vector(["", "two", "drei"]),
        Tensor::new([0, 3], Vec::<f32>::new())?,
        Tensor::new([2, 0], Vec::<i32>::new())?,
        Tensor::string_vector(Vec::<&str>::new()),
    ];
    let g = Graph::new();
    // There and back again: fed on the worker, through the ps and the other worker, to the worker.
    let hop = |x: &Output| {
        let there = g.with_device("/job:ps/task:0", |_| x.identity());
        let on = g.with_device("/job:worker/task:1", |_| there.identity());
        g.with_device("/job:worker/task:0", |_| on.identity())
    };
    let ends: Vec<(Output, Output)> = values
        .iter()
        .map(|value| {
            let start = g.placeholder(value.dtype(), PartialShape::default());
            let end = hop(&start);
            (start, end)
        })
        .collect();
    let session = connect(&cluster, "worker", 0, &g)?;
    let mut request = RunRequest::new();
    for ((start, end), value) in ends.iter().zip(&values) {
        request = request.feed(start, value.clone()).fetch(end);
    }
    assert_eq!(session.fetch(request)?, values);
    Ok(())
}

fn large_tensors_travel_and_come_back(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let x = g.placeholder(DType::Float, PartialShape::default());
    // Larger than a piece, and not a multiple of one.
    let many: Vec<f32> = (0..2_500_001).map(|i| i as f32).collect();
    let v = g.with_device("/job:ps/task:0", |g| Variable::new("v", g.zeros([2_500_001], DType::Float)));
    let add = v.assign_add(&x);
    let init = global_variables_initializer(&g);
    let session = connect(&cluster, "worker", 0, &g)?;
    session.run(RunRequest::new().target(&init))?;
    let value = Tensor::new([2_500_001], many.clone())?;
    for _ in 0..3 {
        session.run(RunRequest::new().feed(&x, value.clone()).target(&add))?;
    }
    let back = session.fetch(RunRequest::new().fetch(v.value()))?;
    let expected: Vec<f32> = many.iter().map(|value| value + value + value).collect();
    assert_eq!(back[0], Tensor::new([2_500_001], expected)?);
    Ok(())
}

/// A queue on the ps that nothing is ever put into, and what its dequeue gives.
fn starving(g: &Graph) -> Output {
    g.with_device("/job:ps/task:0", |g| {
        let types = graph::AttrValue::from(vec![DType::Float]);
        let queue = g.op("FIFOQueueV2").attr("component_types", types.clone()).output();
        g.op("QueueDequeueV2").input(&queue).attr("component_types", types).output()
    })
}

fn a_deadline_ends_a_step_that_waits_on_another_task(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let (never, hello) = (starving(&g), g.constant(1f32));
    let waits = g.with_device("/job:worker/task:0", |_| &never + &hello);
    let session = connect(&cluster, "worker", 0, &g)?;
    let begin = Instant::now();
    let late = session.run(RunRequest::new().fetch(&waits).timeout(Duration::from_millis(200))).unwrap_err();
    assert_eq!(late.code(), Code::DeadlineExceeded, "{late}");
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    // The session goes on.
    assert_eq!(session.fetch(RunRequest::new().fetch(&hello))?[0], Tensor::from(1f32));
    Ok(())
}

fn closing_ends_a_step_that_waits_on_another_task(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let never = starving(&g);
    let session = connect(&cluster, "worker", 0, &g)?;
    let ended = std::thread::scope(|scope| {
        let step = scope.spawn(|| session.run(RunRequest::new().fetch(&never)));
        // Whether the step has begun when the session is closed or not, it must end.
        std::thread::sleep(Duration::from_millis(100));
        session.close()?;
        Ok::<_, tensorfleet::Status>(step.join().expect("the step's thread"))
    })?;
    let error = ended.map(drop).unwrap_err();
    assert!(matches!(error.code(), Code::Cancelled | Code::Aborted | Code::FailedPrecondition), "{error}");
    Ok(())
}

fn dead_branches_are_told_to_other_tasks(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let scalar = Shape::scalar();
    let (x, choice) = (g.placeholder(DType::Float, &scalar), g.placeholder(DType::Bool, &scalar));
    let branches = g.op("Switch").input(&x).input(&choice).build();
    // The branches are computed on another task than the choice is made.
    let (no, yes) = g.with_device("/job:ps/task:0", |_| (branches.output(0) * 2.0, branches.output(1) * 10.0));
    let merged = g.op("Merge").input_list(&[no, yes]).build().output(0);
    let session = connect(&cluster, "worker", 0, &g)?;
    for (choice_now, expected) in [(true, 30f32), (false, 6.0), (true, 30.0)] {
        let request = RunRequest::new().feed(&x, 3f32).feed(&choice, choice_now).fetch(&merged);
        assert_eq!(session.fetch(request)?[0], Tensor::from(expected));
    }
    Ok(())
}

fn a_loop_and_its_gradient_span_tasks(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 2)], transport);
    let g = Graph::new();
    let m = g.with_device("/job:ps/task:0", |g| Variable::new("m", g.constant([[1f32, 2.0], [3.0, 4.0]])));
    let (power, dm) = g.with_device("/job:worker/task:0", |g| -> Result<_> {
        let unit = g.constant([[1f32, 0.0], [0.0, 1.0]]);
        let product = |p: &Output| g.with_device("/job:worker/task:1", |_| p.matmul(&m));
        let body = |state: &[Output]| vec![&state[0] + 1, product(&state[1])];
        let power = while_loop(g, |state| state[0].less(3), body, &[g.constant(0i32), unit])[1].clone();
        let dm = gradients(std::slice::from_ref(&power), &[m.value().clone()])?;
        Ok((power, dm[0].clone().expect("the power depends on the matrix").to_dense()))
    })?;
    let init = global_variables_initializer(&g);
    let session = connect(&cluster, "worker", 0, &g)?;
    session.run(RunRequest::new().target(&init))?;
    let found = session.fetch(RunRequest::new().fetch(&power).fetch(&dm))?;
    // TensorFlow 2.21 gives these in one process.
    assert_eq!(found[0], Tensor::from([[37f32, 54.0], [81.0, 118.0]]));
    assert_eq!(found[1], Tensor::from([[51f32, 87.0], [67.0, 111.0]]));
    session.close()
}

fn many_steps_at_once_do_not_mix(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let x = g.placeholder(DType::Int64, Shape::scalar());
    let doubled = g.with_device("/job:ps/task:0", |_| &x + &x);
    let more = &doubled + 1;
    let session = connect(&cluster, "worker", 0, &g)?;
    std::thread::scope(|scope| {
        for thread in 0..8i64 {
            let (session, x, more) = (&session, &x, &more);
            scope.spawn(move || {
                for step in 0..25i64 {
                    let value = thread * 1000 + step;
                    let got = session.fetch(RunRequest::new().feed(x, value).fetch(more)).expect("a step");
                    assert_eq!(got[0], Tensor::from(2 * value + 1));
                }
            });
        }
    });
    Ok(())
}

fn only_tasks_that_are_named_are_contacted(transport: Transport) -> Result<()> {
    let mut cluster = start(&[("ps", 1), ("worker", 3)], transport);
    cluster.stop("worker", 1);
    cluster.stop("worker", 2);
    let g = Graph::new();
    let sum = g.with_device("/job:ps/task:0", |g| g.constant(1f32) + g.constant(2f32));
    let session = connect(&cluster, "worker", 0, &g)?;
    assert_eq!(session.fetch(RunRequest::new().fetch(&sum))?[0], Tensor::from(3f32));
    Ok(())
}

fn start_up_is_bounded_and_every_task_gets_a_verdict(transport: Transport) -> Result<()> {
    let start_up = Duration::from_millis(300);
    let options = ServerOptions { start_up, ..options(transport) };
    let mut cluster = LocalCluster::start_with(&[("ps", 2), ("worker", 1)], &ops::registry(), options)?;
    cluster.stop("ps", 0);
    cluster.stop("ps", 1);
    let g = Graph::new();
    for task in 0..2 {
        g.with_device(format!("/job:ps/task:{task}").as_str(), |g| g.constant(1f32));
    }
    for _ in 0..2 {
        let begin = Instant::now();
        let error = connect(&cluster, "worker", 0, &g).map(drop).unwrap_err();
        assert_eq!(error.code(), Code::Unavailable, "{error}");
        for task in 0..2 {
            let name = format!("/job:ps/replica:0/task:{task}");
            let address = cluster.spec().address("ps", task)?;
            assert!(error.message().contains(&name) && error.message().contains(address), "{error}");
        }
        assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    }
    // When they are there, so is the session.
    cluster.restart("ps", 0, &ops::registry())?;
    cluster.restart("ps", 1, &ops::registry())?;
    connect(&cluster, "worker", 0, &g).map(drop)
}

fn abandoned_sessions_are_collected(transport: Transport) -> Result<()> {
    let options = ServerOptions { session_lease: Duration::from_millis(100), ..options(transport) };
    let cluster = LocalCluster::start_with(&[("ps", 1), ("worker", 1)], &ops::registry(), options)?;
    let g = Graph::new();
    let sum = g.with_device("/job:ps/task:0", |g| g.constant(1f32) + g.constant(2f32));
    let kept = connect(&cluster, "worker", 0, &g)?;
    let dropped = connect(&cluster, "worker", 0, &g)?;
    assert_eq!(dropped.fetch(RunRequest::new().fetch(&sum))?[0], Tensor::from(3f32));
    assert_eq!(cluster.sessions("worker", 0), 2);
    dropped.leave();
    let begin = Instant::now();
    while cluster.sessions("worker", 0) > 1 || cluster.sessions("ps", 0) > 1 {
        assert!(begin.elapsed() < Duration::from_secs(8), "{} sessions are left", cluster.sessions("worker", 0));
        std::thread::sleep(Duration::from_millis(20));
    }
    // The other client is still there, although it has been idle for longer than the lease.
    assert_eq!(kept.fetch(RunRequest::new().fetch(&sum))?[0], Tensor::from(3f32));
    // One that is dropped is closed.
    drop(kept);
    while cluster.sessions("worker", 0) > 0 || cluster.sessions("ps", 0) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(16), "{} sessions are left", cluster.sessions("worker", 0));
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn a_stopped_server_frees_its_port_at_once(transport: Transport) -> Result<()> {
    let mut cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let sum = g.with_device("/job:ps/task:0", |g| g.constant(1f32) + g.constant(2f32));
    let session = connect(&cluster, "worker", 0, &g)?;
    for _ in 0..3 {
        // With open connections, some of them idle.
        let _ = session.run(RunRequest::new().fetch(&sum));
        let address = cluster.spec().address("ps", 0)?.to_owned();
        cluster.stop("ps", 0);
        drop(std::net::TcpListener::bind(&address).expect("the port is free"));
        cluster.restart("ps", 0, &ops::registry())?;
    }
    Ok(())
}

fn reset_empties_the_named_containers(transport: Transport) -> Result<()> {
    let cluster = start(&[("ps", 1), ("worker", 1)], transport);
    let g = Graph::new();
    let v = g.with_device("/job:ps/task:0", |g| Variable::new("v", g.constant(1f32)));
    let init = global_variables_initializer(&g);
    let session = connect(&cluster, "worker", 0, &g)?;
    session.run(RunRequest::new().target(&init))?;
    RemoteSession::reset(cluster.target("worker", 0)?, &["another".to_owned()])?;
    let again = connect(&cluster, "worker", 0, &g)?;
    assert_eq!(again.fetch(RunRequest::new().fetch(v.value()))?[0], Tensor::from(1f32));
    RemoteSession::reset(cluster.target("worker", 0)?, &[])?;
    // Sessions of the master are closed, and the variable is gone.
    assert_eq!(again.run(RunRequest::new().fetch(v.value())).unwrap_err().code(), Code::Aborted);
    let fresh = connect(&cluster, "worker", 0, &g)?;
    assert_eq!(fresh.run(RunRequest::new().fetch(v.value())).unwrap_err().code(), Code::FailedPrecondition);
    Ok(())
}
