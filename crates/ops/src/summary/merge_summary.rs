//! `MergeSummary`: several summaries as one.

use std::collections::HashSet;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Graph, Node, Output};
use prost::Message;
use tensor::{Result, Tensor, ensure, err};

use super::scalar_summary::encoded;

pub(crate) fn register(r: &mut Registry) {
    r.op("MergeSummary", "inputs: N * string -> summary: string")
        .attr("N: int >= 1")
        .shape(ShapeContext::scalar)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let merged = merge(&cx.inputs(0..cx.num_inputs())?)?;
        cx.set_output(0, merged);
        Ok(())
    }))
}

fn merge(inputs: &[&Tensor]) -> Result<Tensor> {
    let mut merged = wire::Summary::default();
    let mut tags = HashSet::new();
    for input in inputs {
        for text in input.strings()? {
            let summary = wire::Summary::decode(text.clone())
                .map_err(|error| err!(InvalidArgument, "Could not parse one of the summary inputs: {error}"))?;
            for value in summary.value {
                // Tags can be empty: older summaries had none.
                let new = value.tag.is_empty() || tags.insert(value.tag.clone());
                ensure!(new, InvalidArgument, "Duplicate tag {} found in summary inputs ", value.tag);
                merged.value.push(value);
            }
        }
    }
    Ok(encoded(&merged))
}

/// What TensorBoard shows: numbers, histograms and images.
///
/// ```
/// use prost::Message;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = g.scalar_summary("loss", &g.constant(0.5f32));
/// let weights = g.histogram_summary("weights", &g.constant([1f32, 2.0]));
/// let digits = g.image_summary("digits", &g.zeros(&[1, 2, 2, 1], DType::Float), 1);
/// let all = eval(&g.merge_summary(&[loss, weights, digits]))?;
/// let summary = wire::Summary::decode(&all.to_string_scalar()?[..]).unwrap();
/// let tags: Vec<&str> = summary.value.iter().map(|value| value.tag.as_str()).collect();
/// assert_eq!(tags, ["loss", "weights", "digits/image"]);
/// # Ok(())
/// # }
/// ```
pub trait SummaryOps {
    /// Returns a summary of a number under a tag.
    fn scalar_summary(&self, tag: &str, value: &Output) -> Output;
    /// Returns a histogram of values, as a summary under a tag.
    fn histogram_summary(&self, tag: &str, values: &Output) -> Output;
    /// Returns a summary of up to `max_images` of a batch of images, under a tag.
    fn image_summary(&self, tag: &str, images: &Output, max_images: i64) -> Output;
    /// Returns several summaries as one.
    fn merge_summary(&self, summaries: &[Output]) -> Output;
}

impl SummaryOps for Graph {
    #[track_caller]
    fn scalar_summary(&self, tag: &str, value: &Output) -> Output {
        self.op("ScalarSummary").name(tag.to_owned()).input(self.constant(tag)).input(value).output()
    }

    #[track_caller]
    fn histogram_summary(&self, tag: &str, values: &Output) -> Output {
        self.op("HistogramSummary").name(tag.to_owned()).input(self.constant(tag)).input(values).output()
    }

    #[track_caller]
    fn image_summary(&self, tag: &str, images: &Output, max_images: i64) -> Output {
        let op = self.op("ImageSummary").name(tag.to_owned()).attr("max_images", max_images);
        op.input(self.constant(tag)).input(images).output()
    }

    #[track_caller]
    fn merge_summary(&self, summaries: &[Output]) -> Output {
        self.op("MergeSummary").input_list(summaries).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_may_come_once() {
        let summary = |tag: &str| {
            let value = wire::summary::Value { tag: tag.to_owned(), ..Default::default() };
            encoded(&wire::Summary { value: vec![value] })
        };
        let merged = merge(&[&summary("x"), &summary("y")]).unwrap();
        let merged = wire::Summary::decode(merged.strings().unwrap()[0].clone()).unwrap();
        assert_eq!(merged.value.iter().map(|value| value.tag.as_str()).collect::<Vec<_>>(), ["x", "y"]);
        // TensorFlow 2.21 gives exactly this.
        let status = merge(&[&summary("x"), &summary("x")]).unwrap_err();
        assert_eq!(status.message(), "Duplicate tag x found in summary inputs ");
        let status = merge(&[&Tensor::from(bytes::Bytes::from_static(b"\xff\xff"))]).unwrap_err();
        assert!(status.message().starts_with("Could not parse one of the summary inputs"));
    }
}
