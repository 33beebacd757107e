//! Every op against the values, errors, shapes and gradients that TensorFlow 2.21 gives.
//!
//! `testdata/generate.py` records them. `CASE=Conv2D cargo test -p tensorfleet-ops --test tensorflow_values` runs only
//! the scenarios whose names begin so.

use std::path::Path;

fn check(family: &str) {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let registry = tensorfleet_ops::registry();
    let report = testkit::check_file(&testdata.join(format!("cases/{family}.tfrecord.gz")), &registry).unwrap();
    println!("{family}: {} scenarios run; left out for ops not here: {:?}", report.run, report.unknown_ops);
    let failures = &report.failures;
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), report.run, failures.join("\n"));
}

macro_rules! families {
    ($($family:ident),* $(,)?) => {
        $(#[test] fn $family() { check(stringify!($family)); })*

        #[test]
        fn every_file_has_a_test() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cases");
            for entry in std::fs::read_dir(folder).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let family = name.strip_suffix(".tfrecord.gz").unwrap();
                assert!([$(stringify!($family)),*].contains(&family), "no test reads {name}");
            }
        }
    };
}

families! {
    accumulator, activation, array, binary, blocks, cast, cells, control_flow, convolution, counting, datasets, decompositions, denormals, edges, factors, fourier, functions, gather, image, io, keeping, language, layers, linear, matrix, movement, numeric, odds, old_forms, parse, pictures, pipelines, quantize, queue, ragged, random, reduce, segment, sparse, special, staging, state, stateless, string, summary, tables, tensor_array, text, training, transforms, unary, vision, volumes,
}
