//! `AssertCardinalityDataset` and `MatchingFilesDataset`: a dataset that fails unless it has as many elements as its maker
//! said, and one of the names of files.

use graph::Node;
use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext, Step};
use tensor::{Result, Tensor, bail, ensure};

use super::elements::{Counted, Elements, INFINITE, dataset_input, dataset_tensor, extent_of_inputs};
use super::sources::scalar_i64;
use super::transforms::{By, Way};
use crate::io::matching_files::files_of;

pub(crate) fn register(r: &mut Registry) {
    let rest = |entry: OpEntry<'_>, build: fn(&Node) -> Result<Kernel>| {
        entry.shape(ShapeContext::scalar).any_kernel(build);
    };
    let entry = r.op("AssertCardinalityDataset", "input_dataset: variant, cardinality: int64 -> handle: variant");
    let entry = entry.attr("output_types: list(type) >= 1").attr("output_shapes: list(shape) >= 1");
    rest(entry, assert_kernel);
    rest(r.op("MatchingFilesDataset", "patterns: string -> handle: variant").stateful(), files_kernel);
}

fn assert_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let (input, expected, inside) =
            (dataset_input(cx, 0)?, scalar_i64(cx, 1, "cardinality")?, extent_of_inputs(cx));
        let made = dataset_tensor(
            Counted(
                By(move |step: &Step| {
                    let (mut way, mut seen) = (input.begin(step)?, 0i64);
                    Ok(Box::new(Way(move |step: &Step| {
                        let element = way.next(step)?;
                        let plural = |count: i64| if count == 1 { "element" } else { "elements" };
                        if element.is_some() {
                            seen += 1;
                            ensure!(
                                expected == INFINITE || seen <= expected,
                                FailedPrecondition,
                                "Input dataset was expected to contain {expected} {} but contained at least {seen} {}.",
                                plural(expected),
                                plural(seen)
                            );
                        } else if expected == INFINITE {
                            bail!(
                                FailedPrecondition,
                                "Input dataset was expected to contain an infinite number of elements but contained only \
                             {seen} {}.",
                                plural(seen)
                            );
                        } else {
                            ensure!(
                                seen == expected,
                                FailedPrecondition,
                                "Input dataset was expected to contain {expected} {} but contained only {seen} {}.",
                                plural(expected),
                                plural(seen)
                            );
                        }
                        Ok(element)
                    })) as Box<dyn Elements>)
                }),
                expected,
            ),
            inside,
        )?;
        cx.set_output(0, made);
        Ok(())
    }))
}

fn files_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let (patterns, inside) = (cx.input(0)?.clone(), extent_of_inputs(cx));
        ensure!(
            patterns.shape().rank() <= 1,
            InvalidArgument,
            "`patterns` must be a scalar or a vector: {}",
            patterns.shape()
        );
        let made = dataset_tensor(
            By(move |step: &Step| {
                let mut found = Vec::new();
                for pattern in patterns.strings()? {
                    found.extend(files_of(&*step.files, pattern)?);
                }
                ensure!(!found.is_empty(), NotFound, "No files matched the patterns {patterns:?}");
                found.sort();
                let mut found = found.into_iter();
                Ok(Box::new(Way(move |_: &Step| Ok(found.next().map(|name| vec![Tensor::from(name)]))))
                    as Box<dyn Elements>)
            }),
            inside,
        )?;
        cx.set_output(0, made);
        Ok(())
    }))
}
