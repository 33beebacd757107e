//! Every definition against TensorFlow 2.21's, which `testdata/generate.py` records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

/// Ops that TensorFlow does not have.
const OURS: &[&str] = &[
    "AccumulatorCounts",
    "ResourceAccumulatorCounts",
    "ShardAdvance",
    "ShardNext",
    "ShardPass",
    "ShardReady",
    "_AwaitUpdates",
    "_ForgetValue",
    "_ForgetVariable",
    "_FusedElementwise",
    "_HoldUpdates",
    "_LogOfSoftmaxGrad",
    "_ReleaseUpdates",
    "_RollBack",
    "_SumToShape",
];

#[test]
fn definitions_are_those_of_tensorflow() {
    let theirs = testkit::read_definitions(&testdata("definitions.tfrecord.gz")).unwrap();
    let mut lines = Vec::new();
    for spec in tensorfleet_ops::registry().iter() {
        match theirs.get(&spec.def.name) {
            Some(theirs) => lines.extend(testkit::differences(&spec.def, theirs)),
            None if OURS.contains(&spec.def.name.as_str()) => {}
            None => lines.push(format!("{}: TensorFlow has no such op", spec.def.name)),
        }
    }
    assert!(lines.is_empty(), "{} differences:\n{}", lines.len(), lines.join("\n"));
}

/// The ops that TensorFlow's clients use in common training programs.
#[test]
fn the_ops_of_common_programs_have_kernels() {
    let registry = tensorfleet_ops::registry();
    let text = std::fs::read_to_string(testdata("p0.txt")).unwrap();
    let wanted: BTreeSet<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(wanted.len() > 100, "p0.txt lists only {} ops", wanted.len());
    let missing: Vec<&str> =
        wanted.into_iter().filter(|op| registry.get(op).is_none_or(|spec| spec.kernels.is_empty())).collect();
    assert!(missing.is_empty(), "{} ops without a kernel: {}", missing.len(), missing.join(" "));
}
