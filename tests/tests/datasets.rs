//! What runs ahead for an iterator ends with its session, on this machine and on a server; functions of datasets are run as
//! any graph is.

use std::time::{Duration, Instant};

use cluster::{LocalCluster, RemoteSession, ServerOptions};
use graph::{AttrValue, Attrs, FunctionRef, Graph, Output, graph_to_proto, while_loop};
use runtime::{LocalSession, RunRequest, Session};
use tensor::{Code, DType, PartialShape, Result, Tensor};

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
    let session = RemoteSession::new(cluster.target("local", 0)?, &g)?;
    goes_through(&session, begin, next)?;
    session.close()?;
    nobody_is_left();
    Ok(())
}

/// A function of one int64, as a graph's library holds it: the nodes that `build` makes of a placeholder.
fn function(name: &str, build: impl FnOnce(&Graph, &Output) -> Output) -> wire::FunctionDef {
    let g = Graph::with_registry(ops::registry());
    let x = g.op("Placeholder").name("x").attr("dtype", DType::Int64).attr("shape", PartialShape::scalar()).output();
    let result = build(&g, &x).name().unwrap().to_string();
    let mut nodes = graph_to_proto(&g.snapshot().unwrap()).unwrap().node;
    nodes.retain(|node| node.name != "x");
    for input in nodes.iter_mut().flat_map(|node| &mut node.input) {
        if *input != "x" && !input.starts_with('^') && !input.contains(':') {
            input.push_str(":0");
        }
    }
    let arg = |name: &str| wire::op_def::ArgDef {
        name: name.to_owned(),
        r#type: DType::Int64.number(),
        ..Default::default()
    };
    wire::FunctionDef {
        signature: Some(wire::OpDef {
            name: name.to_owned(),
            input_arg: vec![arg("x")],
            output_arg: vec![arg("y")],
            ..Default::default()
        }),
        node_def: nodes,
        ret: [("y".to_owned(), result)].into(),
        ..Default::default()
    }
}

/// What a function makes of the numbers below `count`, without those for which it fails.
fn mapped(function: wire::FunctionDef, count: i64) -> Result<Vec<i64>> {
    let g = Graph::with_registry(ops::registry());
    let name = function.signature.as_ref().map(|signature| signature.name.clone()).unwrap_or_default();
    let library = wire::FunctionDefLibrary { function: vec![function], ..Default::default() };
    g.import(wire::GraphDef { library: Some(library), ..Default::default() }, Default::default())?;
    let described = |entry: graph::OpBuilder| {
        let shapes = AttrValue::Shapes(vec![PartialShape::unknown()]);
        entry.attr("output_types", AttrValue::Types(vec![DType::Int64])).attr("output_shapes", shapes)
    };
    let range = g.op("RangeDataset").input(g.constant(0i64)).input(g.constant(count)).input(g.constant(1i64));
    let map = g.op("MapDataset").input(described(range).output()).input_list(&[]);
    let map = map.attr("f", AttrValue::Function(FunctionRef { name, attrs: Attrs::new() }));
    let without = described(g.op("IgnoreErrorsDataset").input(described(map).output())).output();
    let batch = g.op("BatchDatasetV2").input(&without).input(g.constant(count)).input(g.constant(false));
    let single = described(g.op("DatasetToSingleElement").input(described(batch).output())).output();
    let session = LocalSession::new(&g)?;
    let values = session.fetch(RunRequest::new().fetch(&single).timeout(Duration::from_secs(60)))?;
    values[0].to_i64_vec()
}

#[test]
fn functions_may_hold_loops_of_tensorflow_1() -> Result<()> {
    // 2 to the power of x, one factor an iteration.
    let power = function("power", |g, x| {
        let start = [g.constant(0i64), g.constant(1i64)];
        let below = |vars: &[Output]| g.op("Less").input(&vars[0]).input(x).output();
        let body = |vars: &[Output]| {
            let next = g.op("AddV2").input(&vars[0]).input(g.constant(1i64)).output();
            vec![next, g.op("Mul").input(&vars[1]).input(g.constant(2i64)).output()]
        };
        while_loop(g, below, body, &start)[1].clone()
    });
    assert!(power.node_def.iter().any(|node| node.op == "NextIteration"));
    assert_eq!(mapped(power, 6)?, [1, 2, 4, 8, 16, 32]);
    Ok(())
}

#[test]
fn a_function_that_fails_fails_for_its_element_alone() -> Result<()> {
    let divided = |x: &Output| {
        let g = x.graph();
        let rest = g.op("Sub").input(x).input(g.constant(2i64)).output();
        g.op("FloorDiv").input(g.constant(6i64)).input(&rest).output()
    };
    // 6 / (x - 2), which fails for 2.
    assert_eq!(mapped(function("divided", |_, x| divided(x)), 5)?, [-3, -6, 6, 3]);
    let missing = function("missing", |g, x| {
        let added = g.op("AddV2").input(x).input(x).output();
        g.op("Identity").input(&added).output()
    });
    let mut renamed = missing;
    renamed.node_def[0].op = "NoSuchOp".to_owned();
    // An op that is not there fails the dataset, not an element.
    let status = mapped(renamed, 3).unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().contains("Op type not registered 'NoSuchOp'"), "{status}");
    Ok(())
}

/// As deep as datasets may be, on a thread with the stack that Rust gives: built, gone through, and let go.
#[test]
fn the_deepest_dataset_needs_no_special_thread() -> Result<()> {
    let g = Graph::with_registry(ops::registry());
    let kind = |entry: graph::OpBuilder| {
        entry.attr("output_types", vec![DType::Int64]).attr("output_shapes", vec![PartialShape::scalar()])
    };
    let range = g.op("RangeDataset").input(g.constant(5i64)).input(g.constant(8i64)).input(g.constant(1i64));
    let mut dataset = kind(range).output();
    for _ in 0..tensor::MAX_VARIANT_DEPTH - 1 {
        dataset = kind(g.op("SkipDataset").input(&dataset).input(g.constant(0i64))).output();
    }
    let iterator = kind(g.op("IteratorV2").attr("shared_name", "").attr("container", "")).output();
    let begun = g.op("MakeIterator").input(&dataset).input(&iterator).build();
    let next = g.with_control_dependencies(&[begun], |g| kind(g.op("IteratorGetNext").input(&iterator)).output());
    let session = LocalSession::new(&g)?;
    assert_eq!(session.fetch(RunRequest::new().fetch(&next))?, [Tensor::from(5i64)]);
    let one_more = kind(g.op("SkipDataset").input(&dataset).input(g.constant(0i64))).build();
    let refused = session.run(RunRequest::new().target(&one_more)).unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    Ok(())
}
