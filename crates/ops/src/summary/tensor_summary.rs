//! `TensorSummaryV2` and `TensorSummary`: any tensor, for the dashboard that its metadata names; text goes this way.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Graph, Node, Output};
use prost::Message;
use tensor::{DType, Result, Tensor, ensure, proto};
use wire::summary::value::Value;

use super::scalar_summary::{encoded, entry};

pub(crate) fn register(r: &mut Registry) {
    r.op("TensorSummaryV2", "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string")
        .attr("T: type")
        .shape(ShapeContext::scalar)
        .any_kernel(kernel_v2)
        .not_differentiable();
    r.op("TensorSummary", "tensor: T -> summary: string")
        .attr("T: type")
        .attr("description: string = ''")
        .attr("labels: list(string) = []")
        .attr("display_name: string = ''")
        .shape(ShapeContext::scalar)
        .any_kernel(kernel_v1)
        .not_differentiable();
}

fn kernel_v2(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (tag, metadata) = (cx.input(0)?, cx.input(2)?);
        ensure!(tag.shape().is_scalar(), InvalidArgument, "tag must be scalar");
        ensure!(metadata.shape().is_scalar(), InvalidArgument, "serialized_summary_metadata must be scalar");
        let mut value = entry(tag.to_string_scalar()?, Value::Tensor(message(cx.input(1)?)?));
        // Metadata that does not parse counts as empty, as in TensorFlow.
        value.metadata = Some(wire::SummaryMetadata::decode(metadata.to_string_scalar()?.clone()).unwrap_or_default());
        cx.set_output(0, encoded(&wire::Summary { value: vec![value] }));
        Ok(())
    }))
}

fn kernel_v1(node: &Node) -> Result<Kernel> {
    let name = node.name.clone();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let mut value = entry(b"", Value::Tensor(message(cx.input(0)?)?));
        value.node_name = name.clone();
        cx.set_output(0, encoded(&wire::Summary { value: vec![value] }));
        Ok(())
    }))
}

/// Strings as a list, other elements as bytes.
pub(super) fn message(tensor: &Tensor) -> Result<wire::TensorProto> {
    if tensor.dtype() != DType::String {
        return proto::to_proto(tensor);
    }
    Ok(wire::TensorProto {
        dtype: tensor.dtype().number(),
        tensor_shape: Some(proto::shape_to_proto(tensor.shape())),
        string_val: tensor.strings()?.to_vec(),
        ..Default::default()
    })
}

/// Text that TensorBoard shows (`TensorSummaryV2`).
///
/// ```
/// use prost::Message;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let note = eval(&g.text_summary("note", &g.constant("**ten** layers")))?;
/// let summary = wire::Summary::decode(&note.to_string_scalar()?[..]).unwrap();
/// assert_eq!(summary.value[0].tag, "note");
/// # Ok(())
/// # }
/// ```
pub trait TextSummaryOps {
    /// Returns a summary of strings, in Markdown, under a tag.
    fn text_summary(&self, tag: &str, text: &Output) -> Output;
}

impl TextSummaryOps for Graph {
    #[track_caller]
    fn text_summary(&self, tag: &str, text: &Output) -> Output {
        let plugin = wire::summary_metadata::PluginData { plugin_name: "text".to_owned(), ..Default::default() };
        let metadata = wire::SummaryMetadata { plugin_data: Some(plugin), ..Default::default() };
        let metadata = Tensor::from(bytes::Bytes::from(metadata.encode_to_vec()));
        let op = self.op("TensorSummaryV2").name(tag.to_owned()).input(self.constant(tag)).input(text);
        op.input(self.constant(metadata)).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, val};

    #[test]
    fn text_keeps_its_strings_and_metadata() {
        let plugin = wire::summary_metadata::PluginData { plugin_name: "text".to_owned(), ..Default::default() };
        let metadata = wire::SummaryMetadata { plugin_data: Some(plugin), ..Default::default() };
        let bytes = bytes::Bytes::from(metadata.encode_to_vec());
        let inputs = vec![val("t"), val(Tensor::string_vector(["hi", "ho"])), val(Tensor::from(bytes))];
        let summary = Bench::new().value("TensorSummaryV2", &[("T", DType::String.into())], inputs).unwrap();
        let summary = wire::Summary::decode(summary.strings().unwrap()[0].clone()).unwrap();
        let [value] = &summary.value[..] else { panic!("{summary:?}") };
        assert_eq!((value.tag.as_str(), value.metadata.as_ref()), ("t", Some(&metadata)));
        let Some(Value::Tensor(tensor)) = &value.value else { panic!("{value:?}") };
        assert_eq!(tensor.string_val, ["hi", "ho"]);
    }
}
