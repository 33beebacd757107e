//! Serialized examples come from files that anyone may have written: a damaged one is an error, never a panic.

use std::time::Duration;

use prost::Message;
use tensorfleet::prelude::*;
use wire::feature::Kind;

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
fn damaged_examples_are_errors() -> Result<()> {
    let g = Graph::new();
    let serialized = g.placeholder(DType::String, PartialShape::scalar());
    let names = |names: &[&'static str]| graph::AttrValue::Strings(names.iter().map(|name| (*name).into()).collect());
    let parse = g
        .op("ParseSingleExample")
        .input(&serialized)
        .input_list(&[g.constant(""), g.constant([0f32; 2])])
        .attr("num_sparse", 1i64)
        .attr("sparse_keys", names(&["ids"]))
        .attr("sparse_types", vec![DType::Int64])
        .attr("dense_keys", names(&["image", "scores"]))
        .attr("dense_shapes", vec![PartialShape::scalar(), PartialShape::from([2])])
        .build();
    let (ids, image, scores) = (parse.output(1), parse.output(3), parse.output(4));
    let pixels = g.op("DecodeRaw").input(&image).attr("out_type", DType::UInt8).output();
    let session = LocalSession::new(&g)?;
    let run = |bytes: Vec<u8>| {
        let value = Tensor::from_strings(Shape::scalar(), vec![bytes.into()])?;
        let request = RunRequest::new().feed(&serialized, value).fetch(&ids).fetch(&pixels).fetch(&scores);
        session.fetch(request.timeout(Duration::from_secs(10)))
    };
    let whole = example();
    let expected = [Tensor::from([7i64, 8, 9]), Tensor::from([1u8, 2, 3, 4]), Tensor::from([0.5f32, 1.5])];
    assert_eq!(run(whole.clone())?, expected);
    let mut refused = 0;
    let mut random = 99u64;
    for round in 0..4000 {
        let mut bytes = whole.clone();
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let at = (random >> 33) as usize % bytes.len();
        match round % 3 {
            0 => bytes[at] = (random >> 20) as u8,
            1 => bytes.truncate(at),
            _ => bytes.insert(at, (random >> 20) as u8),
        }
        if let Err(status) = run(bytes) {
            assert!(!status.message().contains("panicked") && status.code() != Code::DeadlineExceeded, "{status}");
            refused += 1;
        }
    }
    assert!(refused > 1000, "only {refused} of 4000 damaged examples were refused");
    Ok(())
}
