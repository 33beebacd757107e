//! What is not there is refused by name, with what works instead, when a step needs it; never for the rest of a graph.

use graph::{GraphData, ImportOptions, graph_from_proto};
use runtime::{LocalSession, RunRequest, Session, SessionOptions};
use tensor::{Code, DType, Status, Tensor};
use wire::attr_value::Value;

fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, Value)]) -> wire::NodeDef {
    let attr = attrs.iter().map(|(name, value)| ((*name).to_owned(), wire::AttrValue { value: Some(value.clone()) }));
    wire::NodeDef {
        name: name.into(),
        op: op.into(),
        input: inputs.iter().map(|input| (*input).into()).collect(),
        attr: attr.collect(),
        ..Default::default()
    }
}

fn dtype(dtype: DType) -> Value {
    Value::Type(dtype.number())
}

fn one() -> wire::NodeDef {
    let shape = Some(wire::TensorShapeProto::default());
    let dtype_number = DType::Float.number();
    let proto =
        wire::TensorProto { dtype: dtype_number, tensor_shape: shape, float_val: vec![1.0], ..Default::default() };
    node("one", "Const", &[], &[("dtype", dtype(DType::Float)), ("value", Value::Tensor(proto))])
}

fn session(nodes: Vec<wire::NodeDef>, functions: Vec<wire::FunctionDef>) -> LocalSession {
    let library = wire::FunctionDefLibrary { function: functions, ..Default::default() };
    let def = wire::GraphDef { node: nodes, library: Some(library), ..Default::default() };
    let mut data = GraphData::default();
    graph_from_proto(&mut data, def, &ops::registry(), ImportOptions::default()).unwrap();
    LocalSession::from_data(data, ops::registry(), SessionOptions::default()).unwrap()
}

fn refusal(session: &LocalSession, target: &str) -> Status {
    session.run(RunRequest::new().target(target)).unwrap_err()
}

/// A function of one float whose body is one node of this op.
fn function(name: &str, op: &str, attrs: &[(&str, Value)]) -> wire::FunctionDef {
    let arg =
        |name: &str| wire::op_def::ArgDef { name: name.into(), r#type: DType::Float.number(), ..Default::default() };
    wire::FunctionDef {
        signature: Some(wire::OpDef {
            name: name.into(),
            input_arg: vec![arg("x")],
            output_arg: vec![arg("y")],
            ..Default::default()
        }),
        node_def: vec![node("inner", op, &["x"], attrs)],
        ret: [("y".to_owned(), "inner:output:0".to_owned())].into(),
        ..Default::default()
    }
}

fn call(name: &str, f: &str) -> wire::NodeDef {
    let list = Value::List(wire::attr_value::ListValue { r#type: vec![DType::Float.number()], ..Default::default() });
    let f = Value::Func(wire::NameAttrList { name: f.into(), ..Default::default() });
    node(name, "PartitionedCall", &["one"], &[("Tin", list.clone()), ("Tout", list), ("f", f)])
}

#[test]
fn an_op_that_is_not_there_is_named_with_what_works_instead() {
    let s = session(
        vec![
            one(),
            node("old", "ExperimentalUniqueDataset", &["one"], &[]),
            node("older", "LookupTableRemove", &["one"], &[]),
            node("misspelt", "Matmul", &["one"], &[]),
            node("strange", "MyOwnOp", &["one"], &[]),
            node("after", "Identity", &["one", "^strange"], &[("T", dtype(DType::Float))]),
            node("fine", "Neg", &["one"], &[("T", dtype(DType::Float))]),
        ],
        vec![],
    );
    assert_eq!(s.fetch(RunRequest::new().fetch("fine:0")).unwrap(), [Tensor::from(-1f32)]);
    for (target, op, hint) in [
        ("old", "ExperimentalUniqueDataset", "UniqueDataset instead of ExperimentalUniqueDataset works"),
        ("older", "LookupTableRemove", "LookupTableRemoveV2 instead of LookupTableRemove works"),
        ("misspelt", "Matmul", "did you mean MatMul?"),
        ("strange", "MyOwnOp", "`tensorfleet ops` lists those that are"),
        ("after", "MyOwnOp", "`tensorfleet ops` lists those that are"),
    ] {
        let status = refusal(&s, target);
        assert_eq!(status.code(), Code::NotFound, "{status}");
        assert!(status.message().starts_with(&format!("Op type not registered '{op}' in tensorfleet; ")), "{status}");
        assert!(status.message().contains(hint), "{status}");
        assert_eq!(status.node(), Some(if target == "after" { "strange" } else { target }));
    }
}

#[test]
fn types_without_a_kernel_are_named_with_those_that_have_one() {
    let s = session(
        vec![
            node("x", "Placeholder", &[], &[("dtype", dtype(DType::Int32))]),
            node("y", "Reciprocal", &["x"], &[("T", dtype(DType::Int32))]),
            one(),
        ],
        vec![],
    );
    assert!(s.fetch(RunRequest::new().fetch("one:0")).is_ok());
    let status = refusal(&s, "y");
    assert_eq!((status.code(), status.node()), (Code::NotFound, Some("y")), "{status}");
    assert!(status.message().starts_with("No registered 'Reciprocal' OpKernel for CPU devices"), "{status}");
    assert!(status.message().contains("T=int32; registered: [T in "), "{status}");
}

#[test]
fn functions_that_need_what_is_not_there_are_refused_when_they_are_called() {
    let float = [("T", dtype(DType::Float))];
    let s = session(
        vec![one(), call("good", "copy"), call("bad", "broken"), call("lost", "nowhere"), call("endless", "again")],
        vec![function("copy", "Identity", &float), function("broken", "MyOwnOp", &[]), function("again", "again", &[])],
    );
    assert_eq!(s.fetch(RunRequest::new().fetch("good:0")).unwrap(), [Tensor::from(1f32)]);
    let bad = refusal(&s, "bad");
    assert!(bad.message().contains("Op type not registered 'MyOwnOp' in tensorfleet"), "{bad}");
    assert!(bad.to_string().contains("inner") && bad.to_string().contains("bad"), "{bad}");
    let lost = refusal(&s, "lost");
    assert!(matches!(lost.code(), Code::NotFound | Code::Unimplemented), "{lost}");
    assert_eq!(lost.node(), Some("lost"), "{lost}");
    let endless = refusal(&s, "endless");
    assert!(endless.message().contains("too deep"), "{endless}");
}

#[test]
fn functions_that_are_part_of_their_own_gradient_are_refused() {
    let types = |count| {
        let r#type = vec![DType::Float.number(); count];
        Value::List(wire::attr_value::ListValue { r#type, ..Default::default() })
    };
    let f = Value::Func(wire::NameAttrList { name: "own".into(), ..Default::default() });
    let attrs = [("Tin", types(2)), ("Tout", types(1)), ("f", f)];
    let mut own = function("own", "SymbolicGradient", &attrs);
    own.node_def[0].input.push("x".into());
    let s = session(
        vec![one(), call("forward", "own"), node("back", "SymbolicGradient", &["one", "one"], &attrs)],
        vec![own],
    );
    assert_eq!(s.fetch(RunRequest::new().fetch("one:0")).unwrap(), [Tensor::from(1f32)]);
    for target in ["forward", "back"] {
        let status = refusal(&s, target);
        let words = ["cannot be taken apart", "call each other too deep"];
        assert!(words.iter().any(|words| status.message().contains(words)), "{status}");
    }
}
