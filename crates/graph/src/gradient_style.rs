//! Whose nodes gradients are built of, and what TensorFlow adds on the way that we do without: gradients that wait for each
//! other, and sums that are made where their parts are.

use std::collections::BTreeMap;

use tensor::{DType, Tensor};

use crate::builder::{Graph, Operation, Output};
use crate::gradients::{Gradient, IndexedSlices};
use crate::scope::DeviceScope;

/// Whose nodes a gradient is built of. The values are the same.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::GradientStyle;
/// use tensorfleet::{GradientOptions, gradients_with};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0]);
/// let style = GradientStyle::TensorFlow { gate: false, colocate: false };
/// gradients_with(&x.reduce_sum(..), &x, GradientOptions { style, ..Default::default() })?;
/// assert!(g.operation("gradients/Sum_grad/Tile").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GradientStyle {
    /// Our own: few, with what is known beforehand left to no node.
    #[default]
    Own,
    /// Those that TensorFlow's Python library adds, with its names, so that a program builds the same graph. Those of loops and
    /// conditionals are our own.
    TensorFlow {
        /// The gradients of one operation are handed on together.
        gate: bool,
        /// The gradient of an operation is computed where that is.
        colocate: bool,
    },
}

impl GradientStyle {
    pub(crate) fn is_tensorflow(self) -> bool {
        self != GradientStyle::Own
    }

    pub(crate) fn gates(self) -> bool {
        matches!(self, GradientStyle::TensorFlow { gate: true, .. })
    }

    pub(crate) fn colocates(self) -> bool {
        matches!(self, GradientStyle::TensorFlow { colocate: true, .. })
    }
}

/// The sum of gradients, of TensorFlow's nodes: what is on one device is added there first.
pub(crate) fn add_up_there(graph: &Graph, gradients: &[Gradient]) -> Gradient {
    let dense: Option<Vec<Output>> = gradients
        .iter()
        .map(|gradient| match gradient {
            Gradient::Dense(output) => Some(output.clone()),
            Gradient::Slices(_) => None,
        })
        .collect();
    let Some(parts) = dense else {
        let rows: Vec<&IndexedSlices> = gradients
            .iter()
            .filter_map(|gradient| match gradient {
                Gradient::Slices(rows) => Some(rows),
                Gradient::Dense(_) => None,
            })
            .collect();
        if rows.len() < gradients.len() {
            let name = graph.unique_name("AddN");
            let parts: Vec<Output> = graph.with_name_scope(&format!("{name}/"), |graph| {
                gradients
                    .iter()
                    .enumerate()
                    .map(|(index, part)| dense_there(graph, part, &format!("inputs_{index}")))
                    .collect()
            });
            return graph.op("AddN").name_exactly(name).input_list(&parts).output().into();
        }
        let joined = |parts: Vec<Output>| {
            let name = graph.unique_name("concat");
            let axis = graph.op("Const").name_exactly(format!("{name}/axis")).attr("dtype", DType::Int32);
            let axis = axis.attr("value", Tensor::from(0i32)).output();
            graph.op("ConcatV2").name_exactly(name).input_list(&parts).input(axis).output()
        };
        return Gradient::Slices(IndexedSlices {
            values: joined(rows.iter().map(|rows| rows.values.clone()).collect()),
            indices: joined(rows.iter().map(|rows| rows.indices.clone()).collect()),
            dense_shape: rows[0].dense_shape.clone(),
        });
    };
    let mut devices: BTreeMap<String, Vec<Output>> = BTreeMap::new();
    for part in parts {
        devices.entry(part.operation().device()).or_default().push(part);
    }
    let sum = |parts: &[Output]| match parts {
        [one] => one.clone(),
        _ => graph.op("AddN").input_list(parts).output(),
    };
    let sums: Vec<Output> = devices
        .values()
        .map(|parts| graph.without_colocation(|graph| graph.with_colocation(&parts[0].operation(), |_| sum(parts))))
        .collect();
    sum(&sums).into()
}

/// A gradient as one tensor; rows are added up in a node of this name.
fn dense_there(graph: &Graph, gradient: &Gradient, name: &str) -> Output {
    let rows = match gradient {
        Gradient::Dense(output) => return output.clone(),
        Gradient::Slices(rows) => rows,
    };
    let slice = graph.unique_name("strided_slice");
    let at = |label: &str, index: i32| {
        let constant = graph.op("Const").name_exactly(format!("{slice}/{label}")).attr("dtype", DType::Int32);
        constant.attr("value", Tensor::from([index])).output()
    };
    let (begin, end, step) = (at("stack", 0), at("stack_1", 1), at("stack_2", 1));
    let count =
        graph.op("StridedSlice").name_exactly(slice).input(&rows.dense_shape).input(begin).input(end).input(step);
    let count = count.attr("shrink_axis_mask", 1i64).output();
    graph.op("UnsortedSegmentSum").name(name).input(&rows.values).input(&rows.indices).input(count).output()
}

/// Gradients that are handed on together, when all of them are there: TensorFlow's `tuple`.
pub(crate) fn gated(graph: &Graph, gradients: Vec<Option<Gradient>>) -> Vec<Option<Gradient>> {
    if gradients.iter().flatten().count() < 2 {
        return gradients;
    }
    let value = |gradient: &Gradient| match gradient {
        Gradient::Dense(output) => output.clone(),
        Gradient::Slices(rows) => rows.values.clone(),
    };
    let mut gates: Vec<Operation> = gradients.iter().flatten().map(|gradient| value(gradient).operation()).collect();
    gates.sort_by_key(Operation::id);
    gates.dedup_by_key(|gate| gate.id());
    let apart = |graph: &Graph| {
        graph.with_name_scope("tuple", |graph| {
            let gate = graph.group(&gates);
            let wait = |output: &Output| {
                graph.with_colocation(&output.operation(), |graph| {
                    let node = graph.op("Identity").name("control_dependency").input(output);
                    node.control_inputs(std::slice::from_ref(&gate)).output()
                })
            };
            let waiting = gradients.iter().map(|gradient| {
                gradient.as_ref().map(|gradient| match gradient {
                    Gradient::Dense(output) => Gradient::Dense(wait(output)),
                    Gradient::Slices(rows) => {
                        Gradient::Slices(IndexedSlices { values: wait(&rows.values), ..rows.clone() })
                    }
                })
            });
            waiting.collect()
        })
    };
    graph.with_device(DeviceScope::Cleared, |graph| graph.without_colocation(apart))
}
