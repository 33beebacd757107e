//! What sessions promise: values, errors with names, placement on several devices, deadlines, cancelling, closing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graph::{AttrValue, Graph, Output};
use ops::prelude::*;
use runtime::{LocalSession, PlacementOptions, RunRequest, Session, SessionOptions};
use tensor::{Code, DType, PartialShape, Result, Tensor};

fn new_graph() -> Graph {
    Graph::with_registry(ops::registry())
}

fn queue(g: &Graph) -> Output {
    let queue = g
        .op("FIFOQueueV2")
        .attr("component_types", vec![DType::Float])
        .attr("shapes", AttrValue::Shapes(vec![PartialShape::scalar()]));
    queue.attr("capacity", 10i64).output()
}

fn dequeue(g: &Graph, queue: &Output) -> Output {
    g.op("QueueDequeueV2").input(queue).attr("component_types", vec![DType::Float]).output()
}

#[test]
fn a_step_feeds_computes_and_fetches() -> Result<()> {
    let g = new_graph();
    let x = g.placeholder(DType::Float, [None, Some(2)]);
    let y = x.matmul(&g.constant([[1f32], [2.0]]));
    let session = LocalSession::new(&g)?;
    let request = RunRequest::new().feed(&x, [[3f32, 4.0]]).fetch(&y).fetch(&x);
    assert_eq!(session.fetch(request)?, [Tensor::from([[11f32]]), Tensor::from([[3f32, 4.0]])]);
    // Nodes that were added after the session was opened are known to it.
    let more = y.identity();
    assert_eq!(session.fetch(RunRequest::new().feed(&x, [[1f32, 1.0]]).fetch(&more))?, [Tensor::from([[3f32]])]);
    // Any tensor can be fed, not only placeholders.
    assert_eq!(session.fetch(RunRequest::new().feed(&y, [[7f32]]).fetch(&more))?, [Tensor::from([[7f32]])]);
    Ok(())
}

#[test]
fn mistakes_in_a_request_are_named() -> Result<()> {
    let g = new_graph();
    let x = g.placeholder(DType::Float, [Some(2)]);
    let y = x.identity();
    let session = LocalSession::new(&g)?;
    let fails = |request: RunRequest| session.run(request).unwrap_err();
    let unfed = fails(RunRequest::new().fetch(&y));
    assert_eq!((unfed.code(), unfed.node()), (Code::InvalidArgument, Some("Placeholder")));
    assert!(
        unfed.message().starts_with("You must feed a value for placeholder tensor 'Placeholder' with dtype float"),
        "{unfed}"
    );
    assert_eq!(fails(RunRequest::new().fetch("nowhere:0")).code(), Code::NotFound);
    assert_eq!(fails(RunRequest::new().fetch("Identity:1")).code(), Code::InvalidArgument);
    assert_eq!(fails(RunRequest::new().target("nowhere")).code(), Code::NotFound);
    assert_eq!(fails(RunRequest::new()).code(), Code::InvalidArgument);
    assert_eq!(fails(RunRequest::new().feed(&x, [1i32, 2]).fetch(&y)).code(), Code::InvalidArgument);
    assert_eq!(fails(RunRequest::new().feed(&x, [1f32, 2.0, 3.0]).fetch(&y)).code(), Code::InvalidArgument);
    assert_eq!(
        fails(RunRequest::new().feed(&x, [1f32, 2.0]).feed(&x, [1f32, 2.0]).fetch(&y)).code(),
        Code::InvalidArgument
    );
    Ok(())
}

#[test]
fn the_first_mistake_in_building_is_reported_where_it_was_made() {
    let g = new_graph();
    let a = g.constant([[1f32, 2.0]]);
    let wrong = a.matmul(&a);
    let line = line!() - 1;
    let _follows = wrong.identity().matmul(&a);
    let error = LocalSession::new(&g).err().unwrap();
    assert!(error.message().contains(&format!("local_session.rs:{line}")), "{error}");
    assert!(error.message().contains("Dimensions must be equal, but are 2 and 1"), "{error}");
}

#[test]
fn tensors_travel_between_devices_by_themselves() -> Result<()> {
    let g = new_graph();
    let a = g.with_device("/cpu:0", |g| g.constant([1f32, 2.0]));
    let b = g.with_device("/cpu:1", |_| &a + 1.0);
    let c = g.with_device("/cpu:2", |g| g.op("Identity").input(&b).control_inputs(&[a.operation()]).output());
    let options = SessionOptions { cpu_devices: 3, ..Default::default() };
    let session = LocalSession::with_options(&g, options)?;
    let result = session.run(RunRequest::new().fetch(&c).trace())?;
    assert_eq!(result.tensors, [Tensor::from([2f32, 3.0])]);
    let stats = result.stats.unwrap();
    let device_of = |node: &str| stats.nodes.iter().find(|stats| stats.node == node).map(|stats| stats.device.clone());
    assert_eq!(device_of("add").as_deref(), Some("/job:localhost/replica:0/task:0/device:CPU:1"));
    assert_eq!(device_of("Identity").as_deref(), Some("/job:localhost/replica:0/task:0/device:CPU:2"));
    Ok(())
}

#[test]
fn a_device_that_is_not_there_is_an_error_unless_placement_is_soft() -> Result<()> {
    let g = new_graph();
    let a = g.with_device("/gpu:0", |g| g.constant(1f32)).identity();
    let error = LocalSession::new(&g).err().unwrap();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().starts_with("Cannot assign a device for operation Const"), "{error}");
    let options = SessionOptions { placement: PlacementOptions { soft: true, log: false }, ..Default::default() };
    let session = LocalSession::with_options(&g, options)?;
    assert_eq!(session.fetch(RunRequest::new().fetch(&a))?, [Tensor::from(1f32)]);
    Ok(())
}

#[test]
fn a_step_that_waits_ends_at_its_deadline() -> Result<()> {
    let g = new_graph();
    let value = dequeue(&g, &queue(&g));
    let session = LocalSession::new(&g)?;
    let error = session.run(RunRequest::new().fetch(&value).timeout(Duration::from_millis(30))).unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error}");
    Ok(())
}

#[test]
fn closing_a_session_ends_its_steps() -> Result<()> {
    let g = new_graph();
    let queue = queue(&g);
    let value = dequeue(&g, &queue);
    let size = g.op("QueueSizeV2").input(&queue).output();
    let session = Arc::new(LocalSession::new(&g)?);
    let waiting = {
        let (session, value) = (session.clone(), value.clone());
        std::thread::spawn(move || session.run(RunRequest::new().fetch(&value)))
    };
    // The queue exists for both steps, and other steps run while one waits.
    assert_eq!(session.fetch(RunRequest::new().fetch(&size))?, [Tensor::from(0i32)]);
    session.close()?;
    let error = waiting.join().unwrap().unwrap_err();
    // The step began before or after the session was closed.
    assert!(matches!(error.code(), Code::Cancelled | Code::FailedPrecondition), "{error}");
    let error = session.run(RunRequest::new().fetch(&size)).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::FailedPrecondition, "Session is closed."));
    Ok(())
}

/// Steps that wait in queues hold no thread, so any number of them leaves room for others.
#[test]
fn two_hundred_waiting_steps_do_not_hold_up_an_empty_one() -> Result<()> {
    let g = new_graph();
    let queue = queue(&g);
    let value = dequeue(&g, &queue);
    let empty = g.op("NoOp").build();
    let close = g.op("QueueCloseV2").input(&queue).build();
    let session = Arc::new(LocalSession::new(&g)?);
    let started = Arc::new(std::sync::Barrier::new(201));
    let waiting: Vec<_> = (0..200)
        .map(|_| {
            let (session, value, started) = (session.clone(), value.clone(), started.clone());
            std::thread::spawn(move || {
                started.wait();
                session.run(RunRequest::new().fetch(&value)).unwrap_err().code()
            })
        })
        .collect();
    started.wait();
    session.run(RunRequest::new().target(&empty).timeout(Duration::from_secs(20)))?;
    session.run(RunRequest::new().target(&close).timeout(Duration::from_secs(20)))?;
    for step in waiting {
        assert_eq!(step.join().unwrap(), Code::OutOfRange);
    }
    Ok(())
}

#[test]
fn many_threads_may_run_steps_at_once() -> Result<()> {
    let g = new_graph();
    let x = g.placeholder(DType::Int64, PartialShape::scalar());
    let y = &x * 2 + 1;
    let session = Arc::new(LocalSession::new(&g)?);
    let failed = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..8i64)
        .map(|thread| {
            let (session, x, y, failed) = (session.clone(), x.clone(), y.clone(), failed.clone());
            std::thread::spawn(move || {
                for i in 0..200 {
                    let value = thread * 1000 + i;
                    let result = session.fetch(RunRequest::new().feed(&x, value).fetch(&y));
                    if result.ok().as_deref() != Some(&[Tensor::from(value * 2 + 1)]) {
                        failed.store(true, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(!failed.load(Ordering::Relaxed));
    Ok(())
}

#[test]
fn a_failing_node_ends_the_step_and_leaves_the_session_usable() -> Result<()> {
    let g = new_graph();
    let queue = queue(&g);
    let waits = dequeue(&g, &queue);
    let fails = g
        .op("Reshape")
        .name("bad")
        .input(g.placeholder(DType::Float, PartialShape::unknown()))
        .input(g.constant([2i32, 2]))
        .output();
    let session = LocalSession::new(&g)?;
    let fine = g.constant(5f32);
    // The other branch waits for ever, but the failure cancels it.
    let error =
        session.run(RunRequest::new().feed("Placeholder:0", [1f32, 2.0, 3.0]).fetch(&fails).fetch(&waits)).unwrap_err();
    assert_eq!((error.code(), error.node()), (Code::InvalidArgument, Some("bad")), "{error}");
    assert_eq!(session.fetch(RunRequest::new().fetch(&fine))?, [Tensor::from(5f32)]);
    Ok(())
}

#[test]
fn variables_keep_their_values_between_steps() -> Result<()> {
    let g = new_graph();
    let v = g.op("VariableV2").name("v").attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).output();
    let init = g.op("Assign").input(&v).input(g.constant(1f32)).build();
    let add = g.op("AssignAdd").input(&v).input(g.constant(2f32)).build();
    let session = LocalSession::new(&g)?;
    let read = v.identity();
    let error = session.run(RunRequest::new().fetch(&read)).unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::FailedPrecondition, "Attempting to use uninitialized value v"));
    session.run(RunRequest::new().target(&init))?;
    session.run(RunRequest::new().target(&add))?;
    assert_eq!(session.fetch(RunRequest::new().fetch(&read))?, [Tensor::from(3f32)]);
    // Sessions of their own have variables of their own.
    assert!(LocalSession::new(&g)?.run(RunRequest::new().fetch(&v)).is_err());
    Ok(())
}

#[test]
fn what_runs_after_an_update_sees_it_though_the_read_came_first() -> Result<()> {
    let g = new_graph();
    let v = g.op("VariableV2").attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).output();
    let init = g.op("Assign").input(&v).input(g.constant(0f32)).build();
    let read = v.identity();
    // As for the updates of many variables, what comes after them waits for a group.
    let add = g.op("AssignAdd").input(&v).input(g.constant(1f32)).build();
    let updated = g.op("NoOp").control_inputs(&[add]).build();
    let after = g.op("Mul").input(&read).input(g.constant(10f32)).control_inputs(&[updated]).output();
    let session = LocalSession::new(&g)?;
    session.run(RunRequest::new().target(&init))?;
    for step in 1..=100u8 {
        assert_eq!(session.fetch(RunRequest::new().fetch(&after))?, [Tensor::from(10.0 * f32::from(step))]);
    }
    Ok(())
}

/// TensorFlow's kernels take denormal numbers for zero; the program around them does not.
#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn denormals_are_zero_in_a_step_and_nowhere_else() -> Result<()> {
    let halved = || std::hint::black_box(1.5e-38f32) * std::hint::black_box(0.5);
    let g = new_graph();
    let x = g.placeholder(DType::Float, [None]);
    let y = &x * 0.5;
    let session = LocalSession::new(&g)?;
    // Few numbers are halved on this thread, many also on others.
    for count in [1, 1_000_000] {
        let values = session.fetch(RunRequest::new().feed(&x, vec![1.5e-38f32; count]).fetch(&y))?;
        assert!(values[0].as_slice::<f32>()?.iter().all(|value| value.to_bits() == 0));
        assert_eq!(halved(), 7.5e-39, "after a step with {count} numbers");
    }
    Ok(())
}
