//! `HistogramSummary`: how values are distributed.

use files::Histogram;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use tensor::{Result, Tensor, ensure};
use wire::summary::value::Value;

use super::scalar_summary::{encoded, entry, numbers};

pub(crate) fn register(r: &mut Registry) {
    r.op("HistogramSummary", "tag: string, values: T -> summary: string")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float")
        .shape(ShapeContext::scalar)
        .kernel("T", types::REALS, kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let name = node.name.clone();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let summary = summarize(cx.input(0)?, cx.input(1)?, &name)?;
        cx.set_output(0, summary);
        Ok(())
    }))
}

pub(super) fn summarize(tag: &Tensor, values: &Tensor, node: &str) -> Result<Tensor> {
    ensure!(tag.shape().is_scalar(), InvalidArgument, "tags must be scalar");
    let mut histogram = Histogram::default();
    for value in numbers(values)? {
        ensure!(!value.is_nan(), InvalidArgument, "Nan in summary histogram for: {node}");
        ensure!(!value.is_infinite(), InvalidArgument, "Infinity in Histogram for: {node}");
        histogram.add(value);
    }
    let value = entry(tag.to_string_scalar()?, Value::Histo(histogram.to_proto()));
    Ok(encoded(&wire::Summary { value: vec![value] }))
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    #[test]
    fn values_are_counted() {
        let summary = summarize(&Tensor::from("h"), &Tensor::from([[1f32, 2.0], [0.0, 0.0]]), "node").unwrap();
        let summary = wire::Summary::decode(summary.strings().unwrap()[0].clone()).unwrap();
        let Some(Value::Histo(histogram)) = &summary.value[0].value else { panic!("{summary:?}") };
        // TensorFlow 2.21 gives these.
        assert_eq!((histogram.max, histogram.num, histogram.sum, histogram.sum_squares), (2.0, 4.0, 3.0, 5.0));
        assert_eq!(histogram.bucket, [0.0, 2.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        let status = summarize(&Tensor::from("h"), &Tensor::from([f32::NAN]), "node").unwrap_err();
        assert_eq!(status.message(), "Nan in summary histogram for: node");
    }
}
