//! Messages: graphs, which are run if they can be, tensors, and examples.

use std::time::Duration;

use graph::{GraphData, ImportOptions, graph_from_proto, graph_to_proto};
use prost::Message;
use runtime::{LocalSession, RunRequest, Session, SessionOptions};
use tensor::Result;
use tensorfleet::prelude::*;
use testkit::fuzz;
use wire::feature::Kind;

fn told<T>(outcome: Result<T>) -> String {
    outcome.map_or_else(|status| status.to_string(), |_| "taken".to_owned())
}

fn export(g: &Graph) -> Vec<u8> {
    graph_to_proto(&g.snapshot().expect("a graph")).expect("a graph").encode_to_vec()
}

fn graphs() -> Vec<Vec<u8>> {
    let g = Graph::new();
    let x = g.constant([[1f32, 2.0], [3.0, 4.0]]);
    let _ = (x.matmul(&x) + 1.0).reshape([4]).reduce_sum(..);
    let arithmetic = export(&g);
    let g = Graph::new();
    let w = Variable::new("w", g.constant([1f32, 2.0, 3.0]));
    GradientDescent::new(0.1).minimize(&w.value().square().reduce_sum(..), None).expect("gradients");
    global_variables_initializer(&g);
    let training = export(&g);
    let g = Graph::new();
    let queue = g.op("FIFOQueueV2").attr("component_types", vec![DType::Float]).attr("capacity", 3i64).output();
    g.op("QueueEnqueueV2").input(&queue).input_list(&[g.constant(1f32)]).build();
    g.op("StringJoin").input_list(&[g.constant("a"), g.constant("b")]).build();
    g.op("StridedSlice")
        .input(g.constant([1i32, 2, 3]))
        .input(g.constant([0i32]))
        .input(g.constant([2i32]))
        .input(g.constant([1i32]))
        .build();
    let others = export(&g);
    vec![arithmetic, training, others]
}

/// A graph as a session takes it; its last nodes are run.
fn take(bytes: &[u8]) -> Result<()> {
    let def = wire::GraphDef::decode(bytes).map_err(|error| Status::new(Code::InvalidArgument, error.to_string()))?;
    let last: Vec<String> = def.node.iter().rev().take(3).map(|node| node.name.clone()).collect();
    let mut data = GraphData::default();
    graph_from_proto(&mut data, def, &ops::registry(), ImportOptions::default())?;
    let session = LocalSession::from_data(data, ops::registry(), SessionOptions::default())?;
    for name in last {
        session.run(RunRequest::new().target(name.as_str()).timeout(Duration::from_millis(200)))?;
    }
    Ok(())
}

#[test]
fn graph_def() {
    fuzz("graph_def", &graphs(), |bytes| told(take(bytes)));
}

#[test]
fn tensor_proto() {
    let written = [
        Tensor::from([[1f32, 2.0], [3.0, 4.0]]),
        Tensor::from([true, false]),
        Tensor::string_vector(["a", "", "longer"]),
        Tensor::from(1i64),
    ];
    let mut seeds: Vec<Vec<u8>> =
        written.iter().map(|tensor| tensor::proto::to_proto(tensor).expect("a message").encode_to_vec()).collect();
    // As TensorFlow's Python writes small ones: typed fields, of which the last repeats.
    let shape = tensor::proto::shape_to_proto(&Shape::new(&[2, 3]).expect("a shape"));
    let typed = |dtype: DType| wire::TensorProto {
        dtype: dtype.number(),
        tensor_shape: Some(shape.clone()),
        float_val: vec![1.0],
        int_val: vec![1, 2],
        int64_val: vec![3],
        string_val: vec!["x".into()],
        half_val: vec![15360],
        bool_val: vec![true],
        ..Default::default()
    };
    let kinds = [DType::Float, DType::Int32, DType::Int64, DType::String, DType::Half, DType::Bool, DType::UInt8];
    seeds.extend(kinds.map(|dtype| typed(dtype).encode_to_vec()));
    fuzz("tensor_proto", &seeds, |bytes| {
        let tensor = tensor::proto::decode(bytes.to_vec().into());
        told(tensor.and_then(|tensor| tensor::proto::to_proto(&tensor)))
    });
}

fn example() -> Vec<u8> {
    let feature = |kind| wire::Feature { kind: Some(kind) };
    let features = [
        ("image", feature(Kind::BytesList(wire::BytesList { value: vec![vec![1u8, 2, 3, 4].into()] }))),
        ("scores", feature(Kind::FloatList(wire::FloatList { value: vec![0.5, 1.5] }))),
        ("ids", feature(Kind::Int64List(wire::Int64List { value: vec![7, 8, 9] }))),
    ];
    let feature = features.into_iter().map(|(name, feature)| (name.to_owned(), feature)).collect();
    wire::Example { features: Some(wire::Features { feature }) }.encode_to_vec()
}

#[test]
fn examples() {
    let g = Graph::new();
    let serialized = g.placeholder(DType::String, PartialShape::from([-1]));
    let names = |names: &[&'static str]| g.constant(Tensor::string_vector(names.iter().copied()));
    let entry = g.op("ParseExampleV2").input(&serialized).input(names(&[])).input(names(&["ids"]));
    let entry = entry.input(names(&["image", "scores"])).input(names(&["scores"]));
    let entry = entry.input_list(&[g.constant(""), g.constant([0f32, 0.0])]).attr("num_sparse", 1i64);
    let entry = entry.attr("sparse_types", vec![DType::Int64]).attr("ragged_value_types", vec![DType::Float]);
    let entry = entry.attr("ragged_split_types", vec![DType::Int64]);
    let parsed = entry.attr("dense_shapes", vec![PartialShape::scalar(), PartialShape::from([2])]).build();
    let session = LocalSession::new(&g).expect("a session");
    fuzz("examples", &[example()], |bytes| {
        let texts = Tensor::string_vector([bytes.to_vec(), example()]);
        let request = RunRequest::new().feed(&serialized, texts).target(&parsed);
        told(session.run(request.timeout(Duration::from_secs(10))))
    });
}
