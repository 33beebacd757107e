//! Logic holds no protobuf: messages (`wire`, `prost`) appear only where they come in and go out, or are the payload itself.

use super::source::{Source, has_word};
use super::{Fault, File, fault};

/// Where messages may be handled, each with its reason. A folder ends with a slash.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/wire/", "the messages themselves"),
    ("crates/tensor/src/proto.rs", "messages to values, and back"),
    ("crates/files/src/", "files hold messages"),
    ("crates/cluster/src/", "the services"),
    ("crates/graph/src/import.rs", "GraphDef comes in"),
    ("crates/graph/src/export.rs", "GraphDef goes out"),
    ("crates/graph/src/builder.rs", "a message imported into a graph under construction"),
    ("crates/graph/src/functions/", "a library of functions stays the message that it came as until a body is needed"),
    ("crates/ops/src/summary/", "the payload is a Summary"),
    ("crates/ops/src/io/", "the payload is an Example"),
    ("crates/ops/src/sparse/serialize_sparse.rs", "the payload is a TensorProto"),
    ("crates/ops/src/string/serialize_tensor.rs", "the payload is a TensorProto"),
    ("crates/ops/src/data_flow/tensor_list_value.rs", "a list in a variant is written as a message"),
    ("crates/ops/src/dataset/iterator.rs", "a handle in a string is a ResourceHandleProto"),
    ("crates/train/src/meta_graph.rs", "the payload is a MetaGraphDef"),
    ("crates/train/src/saver/saved_graph.rs", "the payload is a MetaGraphDef with its SaverDef"),
    ("crates/train/src/summary/", "the payload is a Summary in an Event"),
    ("crates/train/src/input/example.rs", "the payload is an Example"),
    ("crates/python/src/", "Python has messages as bytes"),
    ("crates/cli/src/operate/", "what operators are told"),
    ("crates/cli/src/ops_page.rs", "reads TensorFlow's registry, a file of OpDefs"),
];

pub fn check(files: &[File]) -> Vec<Fault> {
    let allowed = |path: &str| ALLOWED.iter().any(|(place, _)| path.starts_with(place));
    files.iter().filter(|file| file.is_product() && !allowed(&file.path)).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Fault> {
    if !["wire::", "prost::"].iter().any(|word| file.text.contains(word)) {
        return Vec::new();
    }
    let source = Source::of(&file.text);
    let used = source.product().filter_map(|(line, code)| {
        let word =
            ["wire", "prost"].into_iter().find(|word| has_word(code, word) && code.contains(&format!("{word}::")))?;
        let remedy =
            "take and return our own types; convert in `tensor::proto`, at import and export, or in the service";
        Some(fault(file, line, format!("handles protobuf ({word})"), remedy))
    });
    used.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn messages_stay_at_the_edges() {
        let text = "//! A file.\nuse prost::Message;\n\n#[cfg(test)]\nmod tests {\n    use wire::GraphDef;\n}\n";
        assert!(check(&[file("crates/cluster/src/a.rs", text), file("crates/files/src/events.rs", text)]).is_empty());
        let faults = check(&[file("crates/runtime/src/planner.rs", text)]);
        assert_eq!(faults.len(), 1);
        assert_eq!((faults[0].line, faults[0].what.as_str()), (2, "handles protobuf (prost)"));
    }

    #[test]
    fn tests_may_make_messages() {
        let text = "use wire::GraphDef;\n";
        assert!(check(&[file("crates/train/src/saver/tests.rs", text), file("tests/tests/a.rs", text)]).is_empty());
        assert!(
            check(&[file("crates/ops/src/math/add.rs", "// wire::GraphDef is not used\nlet wire = 1;\n")]).is_empty()
        );
    }
}
