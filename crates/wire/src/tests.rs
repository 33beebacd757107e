//! Messages serialized by TensorFlow 2.21 (`SerializeToString(deterministic=True)`) decode to what was put in, and
//! encode to the same bytes again.

use prost::{DecodeError, Message};

use crate::*;

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn round_trip<M: Message + Default>(hex: &str) -> M {
    let given = unhex(hex);
    let message = M::decode(&given[..]).unwrap();
    assert_eq!(message.encode_to_vec(), given);
    message
}

#[test]
fn graph_with_a_constant() {
    // tf.constant([1.5, 2.0], name="c")
    let graph: GraphDef = round_trip(
        "0a360a01631205436f6e73742a0b0a056474797065120230012a1d0a0576616c756512144212080112041202\
         080222080000c03f00000040220308aa13",
    );
    assert_eq!(graph.versions.unwrap().producer, 2474);
    let node = &graph.node[0];
    assert_eq!((node.name.as_str(), node.op.as_str()), ("c", "Const"));
    assert_eq!(node.attr["dtype"].value, Some(attr_value::Value::Type(DataType::DtFloat as i32)));
    let Some(attr_value::Value::Tensor(tensor)) = &node.attr["value"].value else { panic!("{node:?}") };
    assert_eq!(&tensor.tensor_content[..], [1.5f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat());
}

#[test]
fn tensors() {
    let tensor: TensorProto = round_trip("080312081202080212020802221001000000020000000300000004000000");
    assert_eq!(tensor.dtype(), DataType::DtInt32);
    assert_eq!(tensor.tensor_shape.unwrap().dim.iter().map(|dim| dim.size).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(tensor.tensor_content.len(), 16);
    let strings: TensorProto = round_trip("0807120412020802420261624201ff");
    assert_eq!(strings.string_val, [&b"ab"[..], &b"\xff"[..]]);
}

#[test]
fn session_config_keeps_what_it_does_not_look_into() {
    let config: ConfigProto = round_trip(
        "0a070a0343505510020a070a034750551001320220013801520d1a0b18ffffffffffffffffff016a06120467\
         7a6970721a0a180a02707312120801120e6c6f63616c686f73743a32323232",
    );
    assert_eq!(config.device_count["CPU"], 2);
    assert!(config.allow_soft_placement);
    // gpu_options { allow_growth: true }
    assert_eq!(config.gpu_options.unwrap(), &b"\x20\x01"[..]);
    let optimizer = config.graph_options.unwrap().optimizer_options.unwrap();
    assert_eq!(optimizer.opt_level(), optimizer_options::Level::L0);
    assert_eq!(config.rpc_options.unwrap().compression_algorithm, "gzip");
    assert_eq!(config.cluster_def.unwrap().job[0].tasks[&1], "localhost:2222");
}

#[test]
fn event_with_a_scalar() {
    let event: Event = round_trip("09000000000000f43f10072a0d0a0b0a046c6f7373150000003f");
    assert_eq!((event.wall_time, event.step), (1.25, 7));
    let Some(event::What::Summary(summary)) = event.what else { panic!("{event:?}") };
    assert_eq!(summary.value[0].tag, "loss");
    assert_eq!(summary.value[0].value, Some(summary::value::Value::SimpleValue(0.5)));
}

#[test]
fn bundle_entry_with_a_slice() {
    let entry: BundleEntryProto = round_trip("08011208120208031202080218012010281835d8ea82a23a060a0210030a00");
    assert_eq!((entry.shard_id, entry.offset, entry.size, entry.crc32c), (1, 16, 24, 0xA282_EAD8));
    let lengths: Vec<_> = entry.slices[0].extent.iter().map(|extent| extent.has_length_hack).collect();
    let length = tensor_slice_proto::extent::HasLengthHack::Length;
    assert_eq!(lengths, [Some(length(3)), None], "an absent length stands for the whole dimension");
}

#[test]
fn example_with_sorted_features() {
    let example: Example = round_trip("0a250a0d0a0161120812060a040000003f0a140a0178120f1a0d0a0b01ffffffffffffffffff01");
    let features = example.features.unwrap().feature;
    let Some(feature::Kind::Int64List(list)) = &features["x"].kind else { panic!("{features:?}") };
    assert_eq!(list.value, [1, -1]);
}

#[test]
fn unknown_fields_are_skipped() {
    // Field 900 as a varint, as bytes and as fixed32, around session_handle "s".
    let bytes = unhex("a03805 a2380461626364 0a0173 a53801020304".replace(' ', "").as_str());
    let request = CloseSessionRequest::decode(&bytes[..]).unwrap();
    assert_eq!(request.session_handle, "s");
}

#[test]
fn unknown_enum_values_survive() {
    let tensor = TensorProto::decode(&unhex("08e707")[..]).unwrap();
    assert_eq!((tensor.dtype, tensor.dtype()), (999, DataType::DtInvalid));
}

#[test]
fn deep_nesting_is_an_error() {
    // An attribute holding a function whose attribute "a" holds a function, and so on.
    let mut attr = AttrValue::default();
    for _ in 0..200 {
        let func = NameAttrList { name: String::new(), attr: [("a".to_string(), attr)].into() };
        attr = AttrValue { value: Some(attr_value::Value::Func(func)) };
    }
    let decoded: Result<AttrValue, DecodeError> = AttrValue::decode(&attr.encode_to_vec()[..]);
    assert!(decoded.unwrap_err().to_string().contains("recursion limit"));
}

#[test]
fn paths_name_their_service() {
    assert_eq!(services::master::ALL.len(), 10);
    assert_eq!(services::worker::ALL.len(), 16);
    assert!(services::master::ALL.iter().all(|path| path.starts_with("/tensorflow.MasterService/")));
    assert!(services::worker::ALL.iter().all(|path| path.starts_with("/tensorflow.WorkerService/")));
    assert_eq!(services::worker::RECV_TENSOR, "/tensorflow.WorkerService/RecvTensor");
}
