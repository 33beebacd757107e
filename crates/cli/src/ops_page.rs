//! The page `docs/ops.md`: every op of TensorFlow 2.21's registry, there or not.

use std::collections::{BTreeMap, BTreeSet};

use files::{Compression, RecordReader};
use graph::op::{GradientRule, OpSpec};
use prost::Message;
use tensor::{DType, Result, err};

/// TensorFlow's definitions, which the ops' own tests compare with.
const DEFINITIONS: &[u8] = include_bytes!("../definitions.tfrecord.gz");

/// Kinds of ops that are not there, by words in their names; the first that fits counts.
const KINDS: &[(&str, &[&str])] = &[
    (
        "Other hardware and compilers",
        &["TPU", "Tpu", "Xla", "Nccl", "Cudnn", "Mkl", "DTensor", "SparseCore", "DedupData"],
    ),
    ("Collective communication, remote calls", &["Collective", "Rpc", "RemoteCall"]),
    ("Quantized arithmetic", &["Quantiz", "Requantiz", "FakeQuant", "Dequantize"]),
    (
        "Datasets and iterators",
        &["Dataset", "Iterator", "SeedGenerator", "MemoryCache", "StatsAggregator", "ThreadPoolHandle"],
    ),
    ("Decision trees and linear solvers of old estimators", &["BoostedTrees", "Sdca"]),
    ("Instructions of a reduced set", &["Risc"]),
    ("Sparse and ragged tensors", &["Sparse", "Ragged", "SetOperation"]),
    (
        "Linear algebra and Fourier transforms",
        &["FFT", "Matri", "Svd", "Eig", "Cholesky", "Qr", "Lu", "Determinant", "Solve", "BatchSelf", "Einsum"],
    ),
    ("Random numbers", &["Random", "Stateful", "Stateless", "Rng", "Sampler", "Multinomial", "Sobol"]),
    (
        "Images and sound",
        &[
            "Image",
            "Jpeg",
            "Gif",
            "Png",
            "Bmp",
            "WebP",
            "Jxl",
            "Wav",
            "Audio",
            "Resize",
            "Crop",
            "BoundingBox",
            "NonMax",
            "HSV",
            "Glimpse",
            "Mfcc",
            "Adjust",
            "Dilation",
            "ScaleAndTranslate",
            "Projective",
        ],
    ),
    ("Recurrent cells, sequences, convolution in 3D", &["LSTM", "GRU", "CTC", "3D", "FractionalAvg", "FractionalMax"]),
    ("Debugging and summary writers", &["Debug", "Summary", "Writer", "ImportEvent"]),
];

/// Ops that TensorFlow registers for its own tests.
const TESTS: &[&str] = &[
    "A",
    "Attr",
    "AttrBool",
    "AttrBoolList",
    "AttrDefault",
    "AttrEmptyListDefault",
    "AttrEnum",
    "AttrEnumList",
    "AttrFloat",
    "AttrListDefault",
    "AttrListMin",
    "AttrListTypeDefault",
    "AttrMin",
    "AttrPartialShape",
    "AttrPartialShapeList",
    "AttrShape",
    "AttrShapeList",
    "AttrTypeDefault",
    "B",
    "Binary",
    "ComplexStruct",
    "ConstructionFails",
    "CopyOp",
    "DefaultAttrs",
    "DevicePlacementOp",
    "DtypeWithDefaultOp",
    "FiveFloatOutputs",
    "FloatInput",
    "FloatOutput",
    "FloatOutputStringOutput",
    "Foo1",
    "Foo2",
    "Foo3",
    "FuncAttr",
    "FuncListAttr",
    "GraphDefVersion",
    "InPolymorphicTwice",
    "Int64Output",
    "IntAttr",
    "IntInput",
    "IntInputFloatInput",
    "IntInputIntOutput",
    "IntOutput",
    "IntOutputFloatOutput",
    "KernelLabel",
    "KernelLabelRequired",
    "ListInput",
    "ListOutput",
    "MixedStruct",
    "NInPolymorphicTwice",
    "NInTwice",
    "NInTwoTypeVariables",
    "NIntsIn",
    "NIntsOut",
    "NIntsOutDefault",
    "NPolymorphicIn",
    "NPolymorphicOut",
    "NPolymorphicOutDefault",
    "NPolymorphicRestrictIn",
    "NPolymorphicRestrictOut",
    "Namespace>TestStringOutput",
    "None",
    "Old",
    "OpWithDefaultAttr",
    "OpWithFutureDefaultAttr",
    "OutT",
    "OutTypeList",
    "OutTypeListRestrict",
    "Polymorphic",
    "PolymorphicDefaultOut",
    "PolymorphicOut",
    "RefIn",
    "RefInputFloatInput",
    "RefInputFloatInputIntOutput",
    "RefInputIntInput",
    "RefOut",
    "RefOutput",
    "RefOutputFloatOutput",
    "RequiresOlderGraphVersion",
    "ReservedAttr",
    "ReservedInput",
    "ResourceCreateOp",
    "ResourceInitializedOp",
    "ResourceUsingOp",
    "Restrict",
    "Simple",
    "SimpleStruct",
    "SleepIdentityOp",
    "SleepOp",
    "StringListAttr",
    "StubResourceHandleOp",
    "TestAttr",
    "TestStringOutput",
    "TwoFloatInputs",
    "TwoFloatInputsFloatOutput",
    "TwoFloatInputsIntOutput",
    "TwoFloatOutputs",
    "TwoIntInputs",
    "TwoIntOutputs",
    "TwoRefsIn",
    "TypeList",
    "TypeListRestrict",
    "TypeListTwice",
    "Unary",
];

/// # Errors
/// None in a tested build: what it reads is part of the binary.
pub fn page() -> Result<String> {
    let theirs = tensorflow_ops()?;
    let groups = ops::groups();
    let ours: BTreeSet<&str> =
        groups.iter().flat_map(|(_, registry)| registry.iter().map(|spec| spec.def.name.as_str())).collect();
    let missing: Vec<&String> = theirs.iter().filter(|name| !ours.contains(name.as_str())).collect();
    let own: Vec<&str> = ours.iter().copied().filter(|name| !theirs.contains(*name)).collect();
    let tests = missing.iter().filter(|name| TESTS.contains(&name.as_str())).count();
    let inner = missing.iter().filter(|name| name.starts_with('_')).count();
    let mut text = String::from(
        "# Ops\n\nWhat is there of the ops of TensorFlow 2.21, written by `tensorfleet ops --markdown`. An op that is not \
         there is refused\nwith `NotFound`, by name, when a step needs it; graphs that only contain it run.\n\n",
    );
    text += &format!(
        "| | ops |\n|---|---|\n| in TensorFlow's registry | {} |\n| there | {} |\n| not there | {} |\n| of those, internal \
         (`_..`) | {inner} |\n| of those, only for TensorFlow's own tests | {tests} |\n| of our own | {} |\n\n",
        theirs.len(),
        ours.len() - own.len(),
        missing.len(),
        own.len()
    );
    text += "In the tables, `any` stands for every type that the op's definition allows. A gradient is `yes`, `-` where\n\
             gradients end as in TensorFlow, or `no` where asking for one is an error.\n\n## There\n";
    for (name, registry) in &groups {
        let specs: Vec<_> = registry.iter().collect();
        text += &format!("\n### {name} ({})\n\n| op | types | gradient |\n|---|---|---|\n", specs.len());
        for spec in specs {
            text += &row(spec);
        }
    }
    text += "\n## Not there\n";
    for (kind, names) in kinds(&missing) {
        text += &format!("\n### {kind} ({})\n\n{}\n", names.len(), wrapped(&names));
    }
    Ok(text)
}

fn tensorflow_ops() -> Result<BTreeSet<String>> {
    let mut reader = RecordReader::new(DEFINITIONS, "the definitions", Compression::Gzip);
    let mut names = BTreeSet::new();
    // The first record says how many follow.
    reader.read()?;
    while let Some(record) = reader.read()? {
        let def = wire::OpDef::decode(record).map_err(|error| err!(DataLoss, "a definition: {error}"))?;
        names.insert(def.name);
    }
    Ok(names)
}

fn row(spec: &OpSpec) -> String {
    let kernels: Vec<String> = spec
        .kernels
        .iter()
        .map(|kernel| match &kernel.constraint {
            None => "any".to_owned(),
            Some((attr, types)) => format!("{attr}: {}", type_names(types)),
        })
        .collect();
    let kernels = if kernels.is_empty() { "none".to_owned() } else { kernels.join("; ") };
    let gradient = match spec.gradient {
        GradientRule::Function(_) => "yes",
        GradientRule::Zero => "-",
        GradientRule::Missing => "no",
    };
    format!("| {} | {kernels} | {gradient} |\n", spec.def.name)
}

fn type_names(types: &[DType]) -> String {
    let names: Vec<&str> = types.iter().map(|dtype| dtype.name()).collect();
    names.join(", ")
}

fn kinds<'a>(missing: &[&'a String]) -> BTreeMap<&'static str, Vec<&'a str>> {
    let mut kinds: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    for name in missing {
        let by_word = KINDS.iter().find(|(_, words)| words.iter().any(|word| name.contains(word)));
        let kind = match by_word {
            _ if TESTS.contains(&name.as_str()) => "Of TensorFlow's own tests",
            Some((kind, _)) => kind,
            None if name.starts_with('_') => "Other internal ops",
            None => "Others",
        };
        kinds.entry(kind).or_default().push(name);
    }
    kinds
}

/// Names with commas, in lines of bounded length.
fn wrapped(names: &[&str]) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for (number, name) in names.iter().enumerate() {
        let word = format!("{name}{}", if number + 1 < names.len() { "," } else { "" });
        if !line.is_empty() && line.len() + 1 + word.len() > 120 {
            text += &line;
            text.push('\n');
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &word;
    }
    text + &line
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_in_the_docs() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ops.md");
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        let page = super::page().unwrap();
        let differs = stored.lines().zip(page.lines()).find(|(stored, page)| stored != page);
        assert!(
            stored == page,
            "docs/ops.md is not what `cargo run -p tensorfleet-cli -- ops --markdown > docs/ops.md` writes; the first line \
             that differs: {differs:?}"
        );
    }
}
