//! Summaries: what TensorBoard shows of a run. Tags and nodes are named as TensorFlow names them.
//!
//! ```
//! use tensorfleet::prelude::*;
//! use tensorfleet::train::FileWriter;
//! let g = Graph::new();
//! summary::scalar("loss", &g.constant(0.5f32));
//! summary::histogram("weights", &g.constant([1f32, 2.0]));
//! let all = summary::merge_all(&g).unwrap();
//! assert_eq!(all.dtype(), Some(DType::String)); // what `FileWriter::add_summary` takes
//! ```

mod file_writer;

use std::panic::Location;

use bytes::Bytes;
pub use file_writer::FileWriter;
use graph::{Graph, Output};
use prost::Message;
use tensor::Tensor;

use crate::collections::{add_to_collection, collection, keys};

/// A number under a tag.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::FileWriter;
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("summary-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let loss = g.constant(0.5f32);
/// summary::scalar("loss", &loss);
/// let summary_op = summary::merge_all(&g).unwrap();
///
/// let session = LocalSession::new(&g)?;
/// let writer = FileWriter::new(&folder)?;
/// writer.add_graph(&g)?;
/// let summaries = session.fetch(RunRequest::new().fetch(&summary_op))?;
/// writer.add_summary(&summaries[0], 1)?;
/// writer.close()?;
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn scalar(name: &str, value: &Output) -> Output {
    build(name, value.graph(), "ScalarSummary", "tags", Location::caller(), |op| op.input(value))
}

/// How values are distributed, under a tag.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// summary::histogram("weights", &g.constant([1f32, 2.0, 2.0]));
/// assert!(summary::merge_all(&g).is_some());
/// ```
#[track_caller]
pub fn histogram(name: &str, values: &Output) -> Output {
    build(name, values.graph(), "HistogramSummary", "tag", Location::caller(), |op| op.input(values))
}

/// Up to `max_outputs` of a batch of images (`[batch, height, width, channels]`), under a tag.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let image = summary::image("digits", &g.zeros(&[8, 28, 28, 1], DType::Float), 3);
/// assert_eq!(image.dtype(), Some(DType::String));
/// ```
#[track_caller]
pub fn image(name: &str, images: &Output, max_outputs: i64) -> Output {
    build(name, images.graph(), "ImageSummary", "tag", Location::caller(), |op| {
        op.input(images).attr("max_images", max_outputs)
    })
}

/// Strings, shown as Markdown, under a tag.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// summary::text("notes", &g.constant("**bold**"));
/// assert!(summary::merge_all(&g).is_some());
/// ```
#[track_caller]
pub fn text(name: &str, strings: &Output) -> Output {
    let plugin = wire::summary_metadata::PluginData { plugin_name: "text".to_owned(), ..Default::default() };
    let metadata = wire::SummaryMetadata { plugin_data: Some(plugin), ..Default::default() };
    let metadata = Tensor::from(Bytes::from(metadata.encode_to_vec()));
    let at = Location::caller();
    build(name, strings.graph(), "TensorSummaryV2", "tag", at, |op| {
        let graph = strings.graph();
        let name = format!("{}/serialized_summary_metadata", graph.name_scope());
        op.input(strings).input(constant(graph, name, metadata, at))
    })
}

/// Several summaries as one.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let loss = summary::scalar("loss", &g.constant(0.5f32));
/// let rate = summary::scalar("rate", &g.constant(0.1f32));
/// let both = summary::merge(&g, &[loss, rate]);
/// assert_eq!(LocalSession::new(&g)?.eval::<Tensor, _>(&both)?.dtype(), DType::String);
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn merge(graph: &Graph, summaries: &[Output]) -> Output {
    let at = Location::caller();
    graph.with_name_scope("Merge", |graph| graph.op("MergeSummary").input_list(summaries).at(at).output())
}

/// All summaries of the graph as one; `None` if there are none.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// assert!(summary::merge_all(&g).is_none());
/// summary::scalar("loss", &g.constant(0.5f32));
/// assert!(summary::merge_all(&g).is_some());
/// ```
#[track_caller]
pub fn merge_all(graph: &Graph) -> Option<Output> {
    let names = collection(graph, keys::SUMMARIES);
    let summaries: Vec<Output> = names.iter().filter_map(|name| graph.output(name).ok()).collect();
    (!summaries.is_empty()).then(|| merge(graph, &summaries))
}

fn build(
    name: &str,
    graph: &Graph,
    op: &str,
    tag_input: &str,
    at: &'static Location<'static>,
    more: impl FnOnce(graph::OpBuilder) -> graph::OpBuilder,
) -> Output {
    let clean: String = name
        .trim_start_matches('/')
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "_-./".contains(letter) { letter } else { '_' })
        .collect();
    let output = graph.with_name_scope(&clean, |graph| {
        // The tag says in which scope the summary was made.
        let tag = graph.name_scope();
        let tags = constant(graph, format!("{tag}/{tag_input}"), Tensor::from(tag.as_str()), at);
        more(graph.op(op).name_exactly(tag).input(tags)).at(at).output()
    });
    if let Some(name) = output.name() {
        add_to_collection(graph, keys::SUMMARIES, name.to_string());
    }
    output
}

fn constant(graph: &Graph, name: String, value: Tensor, at: &'static Location<'static>) -> Output {
    graph.op("Const").name_exactly(name).attr("dtype", value.dtype()).attr("value", value).at(at).output()
}

#[cfg(test)]
mod tests {
    use ops::prelude::*;
    use runtime::RunRequest;
    use tensor::DType;

    use super::*;
    use crate::testing::{graph, local};

    /// Names and tags as in TensorFlow 2.21.
    #[test]
    fn tags_tell_the_scope() {
        let g = graph();
        let one = g.constant(1f32);
        g.with_name_scope("layer", |_| scalar("a loss", &one));
        scalar("x", &one);
        scalar("x", &one);
        histogram("h", &one);
        image("im", &g.zeros([1, 2, 2, 1], DType::Float), 3);
        text("tx", &g.constant("note"));
        let merged = merge_all(&g).unwrap();
        assert_eq!(merged.name().unwrap().to_string(), "Merge/MergeSummary:0");
        let value = local(&g).fetch(RunRequest::new().fetch(&merged)).unwrap();
        let summary = wire::Summary::decode(value[0].to_string_scalar().unwrap().clone()).unwrap();
        let tags: Vec<&str> = summary.value.iter().map(|value| value.tag.as_str()).collect();
        assert_eq!(tags, ["layer/a_loss", "x", "x_1", "h", "im/image/0", "tx"]);
        assert!(g.operation("tx/serialized_summary_metadata").is_ok());
        assert!(merge_all(&graph()).is_none());
    }
}
