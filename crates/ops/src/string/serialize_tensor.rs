//! `SerializeTensor` and `ParseTensor`: tensors as the bytes of their messages, and back.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use prost::Message;
use tensor::{Result, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("SerializeTensor", "tensor: T -> serialized: string")
        .attr("T: type")
        .shape(ShapeContext::scalar)
        .any_kernel(serialize_kernel)
        .not_differentiable();
    r.op("ParseTensor", "serialized: string -> output: out_type")
        .attr("out_type: type")
        .shape(ShapeContext::unknown)
        .any_kernel(parse_kernel)
        .not_differentiable();
}

fn serialize_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let mut proto = tensor::proto::to_proto(input)?;
        if let Ok(strings) = input.strings() {
            // The plain form: one field a string.
            proto.tensor_content = Bytes::new();
            proto.string_val = strings.to_vec();
        }
        cx.set_output(0, Bytes::from(proto.encode_to_vec()));
        Ok(())
    }))
}

fn parse_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("out_type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        ensure!(
            input.shape().is_scalar(),
            InvalidArgument,
            "Expected `serialized` to be a scalar, got shape: {}",
            input.shape()
        );
        let bytes = input.to_string_scalar()?.clone();
        let Ok(proto) = wire::TensorProto::decode(bytes.clone()) else {
            bail!(InvalidArgument, "Could not parse `serialized` as TensorProto: '{}'", bytes.escape_ascii())
        };
        let parsed = tensor::proto::from_proto(&proto)?;
        ensure!(
            parsed.dtype() == dtype,
            InvalidArgument,
            "Type mismatch between parsed tensor ({}) and dtype ({dtype})",
            parsed.dtype()
        );
        cx.set_output(0, parsed);
        Ok(())
    }))
}
