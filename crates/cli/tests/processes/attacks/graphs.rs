//! Graphs that nobody would draw: nested and long beyond reason, in circles, and such that never end.

use std::time::Duration;

use prost::Message;
use tensorfleet::prelude::*;
use wire::attr_value::Value;
use wire::services::master;

use super::PATIENCE;
use super::calls::Caller;
use super::{Attack, Siege, storm};

const LEASE: &[&str] = &["--session_lease_secs", "1"];

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("attributes in attributes in attributes", nested_attributes),
    Attack::new("lists of attributes without end", long_lists),
    Attack::new("a node of a hundred thousand inputs", inputs),
    Attack::new("a graph in a circle", circles).with(LEASE),
    Attack::new("names of a megabyte", names).with(LEASE),
    Attack::new("nodes that are to be together with each other", colocation).with(LEASE),
    Attack::new("loops that never end, and deadlines", endless).with(LEASE),
    Attack::new("loops that never end, and sessions that are closed", closed).with(LEASE),
    Attack::new("a stack that grows in an endless loop", growing).with(&[
        "--session_lease_secs",
        "1",
        "--memory_limit",
        "512M",
    ]),
    Attack::new("constants that are larger than they are", constants).with(LEASE),
];

#[test]
fn attacks_with_graphs() {
    storm(ATTACKS);
}

/// A field of bytes in a message.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut out);
    out.extend_from_slice(bytes);
    out
}

/// A session for a graph of one node with this attribute, all as bytes.
fn one_node(attribute: &[u8]) -> Vec<u8> {
    let entry = [field(1, b"a"), field(2, attribute)].concat();
    let node = [field(1, b"n"), field(2, b"NoOp"), field(5, &entry)].concat();
    field(1, &field(1, &node))
}

/// Functions whose attributes are functions, and tensors of variants of tensors.
fn nested_attributes(siege: &mut Siege) {
    let caller = Caller::new(siege);
    for levels in [60, 5000] {
        let mut function = Vec::new();
        for _ in 0..levels {
            let entry = [field(1, b"a"), field(2, &field(10, &function))].concat();
            function = [field(1, b"f"), field(2, &entry)].concat();
        }
        let _ = caller.raw(master::CREATE_SESSION, one_node(&field(10, &function)), PATIENCE).expect("an answer");
        let mut tensor = Vec::new();
        for _ in 0..levels {
            // variant_val of a tensor, and the tensors of it
            tensor = field(17, &field(3, &tensor));
        }
        let _ = caller.raw(master::CREATE_SESSION, one_node(&field(8, &tensor)), PATIENCE).expect("an answer");
    }
}

fn long_lists(siege: &mut Siege) {
    let caller = Caller::new(siege);
    // Empty shapes, each of two bytes, which become much more.
    let shapes = field(7, &[]).repeat(500_000);
    let _ = caller.raw(master::CREATE_SESSION, one_node(&field(1, &shapes)), PATIENCE).expect("an answer");
    let entry = [field(1, b"a"), field(2, &[])].concat();
    let node = [field(1, b"n"), field(2, b"NoOp"), field(5, &entry).repeat(200_000)].concat();
    let _ = caller.raw(master::CREATE_SESSION, field(1, &field(1, &node)), PATIENCE).expect("an answer");
    // Nodes of nothing.
    let _ = caller.raw(master::CREATE_SESSION, field(1, &field(1, &[]).repeat(200_000)), PATIENCE).expect("an answer");
}

fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, Value)]) -> wire::NodeDef {
    let attr = attrs.iter().map(|(name, value)| ((*name).to_owned(), wire::AttrValue { value: Some(value.clone()) }));
    wire::NodeDef {
        name: name.to_owned(),
        op: op.to_owned(),
        input: inputs.iter().map(|input| (*input).to_owned()).collect(),
        attr: attr.collect(),
        ..Default::default()
    }
}

fn float() -> (&'static str, Value) {
    ("T", Value::Type(DType::Float.number()))
}

fn constant(name: &str) -> wire::NodeDef {
    let value = tensor::proto::to_proto(&Tensor::from(1f32)).expect("a tensor");
    node(name, "Const", &[], &[("dtype", Value::Type(DType::Float.number())), ("value", Value::Tensor(value))])
}

/// What comes of a graph: a session and a step, or a refusal; in any case an answer.
fn try_out(caller: &Caller, nodes: Vec<wire::NodeDef>, fetch: &str) -> Result<bytes::Bytes, tonic::Status> {
    let session = caller.session(wire::GraphDef { node: nodes, ..Default::default() })?;
    caller.step(&session, fetch, 2000)
}

fn inputs(siege: &mut Siege) {
    let caller = Caller::new(siege);
    const COUNT: usize = 100_000;
    let sum = node("sum", "AddN", &["c"; COUNT], &[float(), ("N", Value::I(COUNT as i64))]);
    let _ = try_out(&caller, vec![constant("c"), sum], "sum:0");
    let control = node("all", "NoOp", &["^c"; COUNT], &[]);
    let _ = try_out(&caller, vec![constant("c"), control], "c:0");
    let lie = node("sum", "AddN", &["c"], &[float(), ("N", Value::I(i64::MAX))]);
    assert!(try_out(&caller, vec![constant("c"), lie], "sum:0").is_err());
}

fn circles(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let own = vec![node("a", "Neg", &["a"], &[float()])];
    assert!(try_out(&caller, own, "a:0").is_err());
    let two = vec![node("a", "Neg", &["b"], &[float()]), node("b", "Neg", &["a"], &[float()])];
    assert!(try_out(&caller, two, "a:0").is_err());
    let control = vec![node("a", "NoOp", &["^b"], &[]), node("b", "NoOp", &["^a"], &[]), constant("c")];
    let _ = try_out(&caller, control, "c:0");
    let alone = vec![node("n", "NextIteration", &["n"], &[float()])];
    let _ = try_out(&caller, alone, "n:0");
    let missing = vec![node("a", "Neg", &["nobody:77"], &[float()]), node("b", "Neg", &["a:4000000000"], &[float()])];
    assert!(try_out(&caller, missing, "b:0").is_err());
}

fn names(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let long = "n".repeat(1 << 20);
    let _ = try_out(&caller, vec![constant(&long)], &format!("{long}:0"));
    let _ = try_out(&caller, vec![constant("c"), constant("c")], "c:0");
    for name in ["", "/", "a b", "\0", "^c", "c:0", "../c", "\u{1F600}"] {
        let _ = try_out(&caller, vec![constant(name)], &format!("{name}:0"));
    }
    for device in ["/job:ps/task:999999999999", "/job:nobody", "/device:GPU:0", "////", &long] {
        let placed = wire::NodeDef { device: device.to_owned(), ..constant("c") };
        assert!(try_out(&caller, vec![placed], "c:0").is_err(), "{}", &device[..device.len().min(50)]);
    }
}

fn colocation(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let with = |name: &str, others: &[&str]| {
        let list = others.iter().map(|other| format!("loc:@{other}").into_bytes().into()).collect();
        let class = Value::List(wire::attr_value::ListValue { s: list, ..Default::default() });
        let mut node = constant(name);
        node.attr.insert("_class".to_owned(), wire::AttrValue { value: Some(class) });
        node
    };
    let _ = try_out(&caller, vec![with("a", &["a"])], "a:0");
    let _ = try_out(&caller, vec![with("a", &["b"]), with("b", &["a"])], "a:0");
    let _ = try_out(&caller, vec![with("a", &["nobody"])], "a:0");
    let ring = |number: usize| with(&format!("n{number}"), &[&format!("n{}", (number + 1) % 5000)]);
    let _ = try_out(&caller, (0..5000).map(ring).collect(), "n0:0");
}

/// A loop that goes on for ever, and what it does on its way.
fn endless_loop(body: impl Fn(&str) -> Vec<wire::NodeDef>) -> Vec<wire::NodeDef> {
    let frame = ("frame_name", Value::S("endless".into()));
    let mut nodes = vec![
        constant("c"),
        node("enter", "Enter", &["c"], &[float(), frame]),
        node("merge", "Merge", &["enter", "next"], &[float(), ("N", Value::I(2))]),
        node("same", "Equal", &["merge", "merge"], &[float()]),
        node("cond", "LoopCond", &["same"], &[]),
        node("switch", "Switch", &["merge", "cond"], &[float()]),
        node("exit", "Exit", &["switch"], &[float()]),
    ];
    nodes.extend(body("switch:1"));
    nodes
}

fn turns() -> Vec<wire::NodeDef> {
    endless_loop(|value| vec![node("next", "NextIteration", &[value], &[float()])])
}

fn endless(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let session = caller.session(wire::GraphDef { node: turns(), ..Default::default() }).expect("a session");
    for _ in 0..5 {
        let refused = caller.step(&session, "exit:0", 30).expect_err("it has no end");
        assert_eq!(refused.code(), tonic::Code::DeadlineExceeded, "{refused}");
    }
}

fn closed(siege: &mut Siege) {
    let caller = Caller::new(siege);
    for _ in 0..5 {
        let session = caller.session(wire::GraphDef { node: turns(), ..Default::default() }).expect("a session");
        let step = wire::RunStepRequest {
            session_handle: session.clone(),
            fetch: vec!["exit:0".to_owned()],
            ..Default::default()
        };
        for _ in 0..3 {
            let _ = caller.raw(master::RUN_STEP, step.encode_to_vec(), Duration::from_millis(10));
        }
        caller.call(master::CLOSE_SESSION, &wire::CloseSessionRequest { session_handle: session }).expect("closed");
    }
}

/// Each turn leaves a tensor of a megabyte on a stack.
fn growing(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let dtype = ("elem_type", Value::Type(DType::Float.number()));
    let int = |name: &str, number: i32| {
        let value = tensor::proto::to_proto(&Tensor::from([number])).expect("a tensor");
        node(name, "Const", &[], &[("dtype", Value::Type(DType::Int32.number())), ("value", Value::Tensor(value))])
    };
    let scalar = {
        let value = tensor::proto::to_proto(&Tensor::from(-1i32)).expect("a tensor");
        node("most", "Const", &[], &[("dtype", Value::Type(DType::Int32.number())), ("value", Value::Tensor(value))])
    };
    let inside = |name: &str, input: &str, kind: DType| {
        let frame = ("frame_name", Value::S("endless".into()));
        let constant = ("is_constant", Value::B(true));
        node(name, "Enter", &[input], &[("T", Value::Type(kind.number())), frame, constant])
    };
    let mut nodes = endless_loop(|value| {
        vec![
            node("one", "Fill", &["dims_in", value], &[float()]),
            node("large", "Neg", &["one"], &[float()]),
            node("push", "StackPushV2", &["stack_in", "large"], &[float()]),
            node("next", "NextIteration", &[value, "^push"], &[float()]),
        ]
    });
    nodes.extend([
        int("dims", 1 << 18),
        scalar,
        node("stack", "StackV2", &["most"], &[dtype]),
        inside("dims_in", "dims", DType::Int32),
        inside("stack_in", "stack", DType::Resource),
    ]);
    let session = caller.session(wire::GraphDef { node: nodes, ..Default::default() }).expect("a session");
    let refused = caller.step(&session, "exit:0", 0).expect_err("it has no end");
    assert_eq!(refused.code(), tonic::Code::ResourceExhausted, "{refused}");
    assert!(refused.message().contains("--memory_limit"), "{refused}");
}

fn constants(siege: &mut Siege) {
    let caller = Caller::new(siege);
    for dims in [&[1i64 << 40][..], &[1 << 33, 1 << 33], &[-7], &[1; 300]] {
        let dim = dims.iter().map(|size| wire::tensor_shape_proto::Dim { size: *size, ..Default::default() }).collect();
        let value = wire::TensorProto {
            dtype: DType::Float.number(),
            tensor_shape: Some(wire::TensorShapeProto { dim, ..Default::default() }),
            float_val: vec![1.0],
            ..Default::default()
        };
        let kind = ("dtype", Value::Type(DType::Float.number()));
        let large = node("large", "Const", &[], &[kind, ("value", Value::Tensor(value))]);
        let size = node("size", "Size", &["large"], &[float(), ("out_type", Value::Type(DType::Int64.number()))]);
        assert!(try_out(&caller, vec![large, size], "size:0").is_err(), "{dims:?}");
    }
}
