//! Graphs from outside are untrusted: whatever they say, the answer is a value or an error with a code, in bounded time
//! and memory, and never a panic.

use std::time::Duration;

use graph::{GraphData, ImportOptions, graph_from_proto, graph_to_proto};
use prost::Message;
use runtime::{LocalSession, RunRequest, Session, SessionOptions};
use tensor::{Code, Result};
use tensorfleet::prelude::*;
use wire::attr_value::Value;

/// A small generator of random numbers, so that every run makes the same graphs.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Valid graphs to start from: arithmetic, a variable, a queue, a reshape, strings.
fn seeds() -> Vec<wire::GraphDef> {
    let export = |g: &Graph| graph_to_proto(&g.snapshot().unwrap()).unwrap();
    let mut seeds = Vec::new();
    let g = Graph::new();
    let x = g.constant([[1f32, 2.0], [3.0, 4.0]]);
    let y = (x.matmul(&x) + 1.0).reshape([4]).reduce_sum(..);
    let _ = y.clone() * y;
    seeds.push(export(&g));
    let g = Graph::new();
    let w = Variable::new("w", g.constant([1f32, 2.0, 3.0]));
    let loss = (w.value() * w.value()).reduce_sum(..);
    GradientDescent::new(0.1).minimize(&loss, None).unwrap();
    global_variables_initializer(&g);
    seeds.push(export(&g));
    let g = Graph::new();
    let queue = g.op("FIFOQueueV2").attr("component_types", vec![DType::Float]).attr("capacity", 3i64).output();
    g.op("QueueEnqueueV2").input(&queue).input_list(&[g.constant(1f32)]).build();
    g.op("QueueDequeueV2").input(&queue).attr("component_types", vec![DType::Float]).build();
    g.op("StringJoin").input_list(&[g.constant("a"), g.constant("b")]).build();
    seeds.push(export(&g));
    seeds.push(loop_graph());
    seeds
}

/// `i = 0; while i < 3 { i = i + 1 }` inside a condition, as TensorFlow 1.x spells it.
fn loop_graph() -> wire::GraphDef {
    let g = Graph::new();
    g.op("Const").name("zero").attr("dtype", DType::Int32).attr("value", Tensor::from(0i32)).build();
    g.op("Const").name("three").attr("dtype", DType::Int32).attr("value", Tensor::from(3i32)).build();
    g.op("Const").name("yes").attr("dtype", DType::Bool).attr("value", Tensor::from(true)).build();
    let mut def = graph_to_proto(&g.snapshot().unwrap()).unwrap();
    let mut add = |name: &str, op: &str, inputs: &[&str], attrs: &[(&str, Value)]| {
        let attr = attrs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), wire::AttrValue { value: Some(value.clone()) }))
            .collect();
        let input = inputs.iter().map(|input| (*input).into()).collect();
        def.node.push(wire::NodeDef { name: name.into(), op: op.into(), input, attr, ..Default::default() });
    };
    let int = || ("T", Value::Type(DType::Int32.number()));
    let frame = || ("frame_name", Value::S("loop".into()));
    add("choice", "Switch", &["zero", "yes"], &[int()]);
    add("enter", "Enter", &["choice:1"], &[int(), frame()]);
    add("limit", "Enter", &["three"], &[int(), frame(), ("is_constant", Value::B(true))]);
    add("merge", "Merge", &["enter", "next"], &[int(), ("N", Value::I(2))]);
    add("less", "Less", &["merge", "limit"], &[int()]);
    add("cond", "LoopCond", &["less"], &[]);
    add("switch", "Switch", &["merge", "cond"], &[int()]);
    add("one", "OnesLike", &["switch:1"], &[int()]);
    add("add", "AddV2", &["switch:1", "one"], &[int()]);
    add("next", "NextIteration", &["add"], &[int()]);
    add("exit", "Exit", &["switch"], &[int()]);
    add("after", "Merge", &["choice", "exit"], &[int(), ("N", Value::I(2))]);
    def
}

#[test]
fn the_loop_among_the_seeds_is_a_real_one() -> Result<()> {
    let mut data = GraphData::default();
    graph_from_proto(&mut data, loop_graph(), &ops::registry(), ImportOptions::default())?;
    let session = LocalSession::from_data(data, ops::registry(), SessionOptions::default())?;
    let result = session.fetch(RunRequest::new().fetch("exit:0").fetch("after:0").feed("yes:0", true))?;
    assert_eq!(result, [Tensor::from(3i32), Tensor::from(3i32)]);
    let skipped = session.fetch(RunRequest::new().fetch("after:0").feed("yes:0", false))?;
    assert_eq!(skipped, [Tensor::from(0i32)]);
    // A loop of two thousand million rounds is ended by its deadline.
    let endless = RunRequest::new().fetch("exit:0").feed("three:0", i32::MAX).timeout(Duration::from_millis(50));
    assert_eq!(session.run(endless).unwrap_err().code(), Code::DeadlineExceeded);
    Ok(())
}

/// Imports a graph and runs each of its nodes as a target. Any outcome but a panic or a hang is fine; errors must not be
/// our own confusion.
fn exercise(def: wire::GraphDef) {
    let registry = ops::registry();
    let mut data = GraphData::default();
    let options = ImportOptions { infer_shapes: true, ..Default::default() };
    if let Err(status) = graph_from_proto(&mut data, def, &registry, options) {
        assert_ne!(status.code(), Code::Internal, "{status}");
        return;
    }
    let names: Vec<String> = data.nodes().iter().map(|node| node.name.clone()).collect();
    let Ok(session) = LocalSession::from_data(data, registry, SessionOptions::default()) else { return };
    for name in names {
        let request = RunRequest::new().target(name.as_str()).timeout(Duration::from_millis(20));
        if let Err(status) = session.run(request) {
            assert!(!status.message().contains("panicked"), "{status}");
        }
    }
}

#[test]
fn malformed_graphs_are_refused_by_name() {
    let node = |name: &str, op: &str, inputs: &[&str]| wire::NodeDef {
        name: name.into(),
        op: op.into(),
        input: inputs.iter().map(|input| (*input).into()).collect(),
        ..Default::default()
    };
    let typed = |mut node: wire::NodeDef, attr: &str, dtype: DType| {
        node.attr.insert(attr.into(), wire::AttrValue { value: Some(Value::Type(dtype.number())) });
        node
    };
    let import = |nodes: Vec<wire::NodeDef>| -> Result<()> {
        let def = wire::GraphDef { node: nodes, ..Default::default() };
        graph_from_proto(&mut GraphData::default(), def, &ops::registry(), ImportOptions::default())
    };
    let placeholder = || typed(node("x", "Placeholder", &[]), "dtype", DType::Float);
    assert!(import(vec![placeholder(), typed(node("y", "Identity", &["x"]), "T", DType::Float)]).is_ok());
    let refused = [
        ("a duplicate name", vec![placeholder(), placeholder()]),
        ("a missing input", vec![typed(node("y", "Identity", &["nowhere"]), "T", DType::Float)]),
        ("an output that is not there", vec![placeholder(), typed(node("y", "Identity", &["x:1"]), "T", DType::Float)]),
        (
            "an absurd output number",
            vec![placeholder(), typed(node("y", "Identity", &["x:99999999999"]), "T", DType::Float)],
        ),
        ("another type", vec![placeholder(), typed(node("y", "Identity", &["x"]), "T", DType::Int32)]),
        ("too few inputs", vec![typed(node("y", "Identity", &[]), "T", DType::Float)]),
        ("a missing attribute", vec![placeholder(), node("y", "Identity", &["x"])]),
        (
            "a control input before a data input",
            vec![placeholder(), typed(node("y", "Identity", &["^x", "x"]), "T", DType::Float)],
        ),
        ("a name of odd characters", vec![node("a b", "NoOp", &[])]),
        ("an internal op", vec![node("y", "_Recv", &[])]),
        (
            "a cycle",
            vec![
                typed(node("a", "Identity", &["b"]), "T", DType::Float),
                typed(node("b", "Identity", &["a"]), "T", DType::Float),
            ],
        ),
        ("itself as input", vec![typed(node("a", "Identity", &["a"]), "T", DType::Float)]),
    ];
    for (what, nodes) in refused {
        let name = nodes.last().map(|node| node.name.clone()).unwrap_or_default();
        let status = import(nodes).expect_err(what);
        assert_eq!(status.code(), Code::InvalidArgument, "{what}: {status}");
        assert!(status.to_string().contains(&name) || what.contains("cycle"), "{what}: {status}");
    }
}

#[test]
fn flipped_bytes_in_a_graph_do_no_harm() {
    let mut random = Random(42);
    let seeds: Vec<Vec<u8>> = seeds().iter().map(Message::encode_to_vec).collect();
    for round in 0..3000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..1 + random.below(6) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, random.next() as u8),
            }
        }
        if random.below(10) == 0 {
            bytes.truncate(random.below(bytes.len()));
        }
        if let Ok(def) = wire::GraphDef::decode(&bytes[..]) {
            exercise(def);
        }
    }
}

#[test]
fn rewired_graphs_and_odd_attributes_do_no_harm() {
    let mut random = Random(7);
    let seeds = seeds();
    let ops: Vec<String> = ops::registry()
        .iter()
        .map(|spec| spec.def.name.clone())
        .filter(|op| !op.starts_with('_') && op != "WriteFile")
        .collect();
    for round in 0..3000 {
        let mut def = seeds[round % seeds.len()].clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(def.node.len());
            let other = def.node[random.below(def.node.len())].name.clone();
            let node = &mut def.node[at];
            match random.below(4) {
                0 => node.op = ops[random.below(ops.len())].clone(),
                1 if !node.input.is_empty() => {
                    let input = random.below(node.input.len());
                    node.input[input] = format!("{other}:{}", random.below(2));
                }
                2 => node.input.push(format!("^{other}")),
                _ => {
                    let Some(name) = node.attr.keys().nth(random.below(node.attr.len())).cloned() else { continue };
                    node.attr.insert(name, wire::AttrValue { value: Some(odd_value(&mut random)) });
                }
            }
        }
        exercise(def);
    }
}

fn odd_value(random: &mut Random) -> Value {
    let absurd = [0, 1, -1, i64::MAX, i64::MIN, 1 << 40, 3];
    let mut size = || absurd[random.below(absurd.len())];
    match size().rem_euclid(5) {
        0 => Value::I(size()),
        1 => Value::Type((size() % 40) as i32),
        2 => {
            let dim = |size| wire::tensor_shape_proto::Dim { size, name: String::new() };
            Value::Shape(wire::TensorShapeProto { dim: vec![dim(size()), dim(size())], unknown_rank: false })
        }
        3 => Value::List(wire::attr_value::ListValue { i: vec![size(), size()], ..Default::default() }),
        _ => Value::Tensor(wire::TensorProto {
            dtype: (size() % 24) as i32,
            tensor_shape: Some(wire::TensorShapeProto {
                dim: vec![wire::tensor_shape_proto::Dim { size: size(), name: String::new() }],
                unknown_rank: false,
            }),
            ..Default::default()
        }),
    }
}

#[test]
fn deep_nesting_is_refused_by_the_parser() {
    // A function attribute inside a function attribute, many times.
    let mut list = wire::NameAttrList { name: "f".into(), ..Default::default() };
    for _ in 0..300 {
        let value = wire::AttrValue { value: Some(Value::Func(list)) };
        list = wire::NameAttrList { name: "f".into(), attr: [("a".to_owned(), value)].into() };
    }
    let mut node = wire::NodeDef { name: "n".into(), op: "NoOp".into(), ..Default::default() };
    node.attr.insert("_f".into(), wire::AttrValue { value: Some(Value::Func(list)) });
    let bytes = wire::GraphDef { node: vec![node], ..Default::default() }.encode_to_vec();
    assert!(wire::GraphDef::decode(&bytes[..]).is_err());
}
