//! What runs ahead for an iterator ends with its session, on this machine and on a server.

use std::time::{Duration, Instant};

use cluster::{LocalCluster, RemoteOptions, RemoteSession, ServerOptions};
use graph::{AttrValue, Graph};
use runtime::{LocalSession, RunRequest, Session};
use tensor::{DType, PartialShape, Result, Tensor};

/// Numbers without end, made ahead of time; what begins them is a target, what gives the next one a fetch.
fn endless() -> (Graph, &'static str, &'static str) {
    let g = Graph::with_registry(ops::registry());
    let types = AttrValue::Types(vec![DType::Int64]);
    let shapes = AttrValue::Shapes(vec![PartialShape::scalar()]);
    let dataset = |op: &str, inputs: &[graph::Output]| {
        let mut entry = g.op(op).attr("output_types", types.clone()).attr("output_shapes", shapes.clone());
        for input in inputs {
            entry = entry.input(input);
        }
        entry.output()
    };
    let number = |value: i64| g.constant(value);
    let range = dataset("RangeDataset", &[number(0), number(5), number(1)]);
    let repeated = dataset("RepeatDataset", &[range, number(-1)]);
    let ahead = dataset("PrefetchDataset", &[repeated, number(4)]);
    let iterator = g
        .op("IteratorV2")
        .attr("shared_name", "")
        .attr("container", "")
        .attr("output_types", types.clone())
        .attr("output_shapes", shapes.clone())
        .output();
    g.op("MakeIterator").name("begin").input(&ahead).input(&iterator).build();
    g.op("IteratorGetNext")
        .name("next")
        .input(&iterator)
        .attr("output_types", types.clone())
        .attr("output_shapes", shapes.clone())
        .build();
    (g, "begin", "next:0")
}

/// How many threads of this process make elements ahead of time.
fn producers() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.map(|task| std::fs::read_to_string(task.path().join("comm")).unwrap_or_default());
    names.filter(|name| name.trim() == "dataset ahead").count()
}

fn goes_through(session: &dyn Session, begin: &str, next: &str) -> Result<()> {
    session.run(RunRequest::new().target(begin))?;
    for value in [0i64, 1, 2, 3, 4, 0, 1] {
        assert_eq!(session.fetch(RunRequest::new().fetch(next))?, [Tensor::from(value)]);
    }
    assert_eq!(producers(), 1);
    // Begun again, it has one producer again.
    session.run(RunRequest::new().target(begin))?;
    assert_eq!(session.fetch(RunRequest::new().fetch(next))?, [Tensor::from(0i64)]);
    Ok(())
}

fn nobody_is_left() {
    let begin = Instant::now();
    while producers() > 0 {
        assert!(begin.elapsed() < Duration::from_secs(20), "a producer outlives its session");
        std::thread::yield_now();
    }
}

/// One test, because threads are counted for the whole process.
#[test]
fn producers_end_with_their_sessions() -> Result<()> {
    let (g, begin, next) = endless();
    let session = LocalSession::new(&g)?;
    goes_through(&session, begin, next)?;
    session.close()?;
    drop(session);
    nobody_is_left();
    let cluster = LocalCluster::start_with(&[("local", 1)], &ops::registry(), ServerOptions::default())?;
    let session = RemoteSession::new(cluster.target("local", 0)?, &g, RemoteOptions::default())?;
    goes_through(&session, begin, next)?;
    session.close()?;
    nobody_is_left();
    Ok(())
}
