//! Nodes that layers, losses and metrics are made of, named as TensorFlow names them.

use graph::{Graph, Output};
use tensor::{DType, Tensor, err};

use crate::variable::{Variable, VariableKind};

/// A constant of this name in the present scope.
#[track_caller]
pub(crate) fn constant(graph: &Graph, name: &str, value: impl Into<Tensor>) -> Output {
    let name = graph.unique_name(name);
    constant_at(graph, &name, value)
}

/// A constant of this full name.
#[track_caller]
pub(crate) fn constant_at(graph: &Graph, name: &str, value: impl Into<Tensor>) -> Output {
    let value = value.into();
    graph.op("Const").name_exactly(name).attr("dtype", value.dtype()).attr("value", value).output()
}

/// Notes a mistake of the graph if labels cannot be of the shape of their predictions. Broadcasting would make pairs of all of them
/// instead.
#[track_caller]
pub(crate) fn expect_same_shape(labels: &Output, predictions: &Output) {
    let (labels, shape) = (labels.shape(), predictions.shape());
    if shape.merge(&labels).is_err() {
        let mistake =
            err!(InvalidArgument, "Shapes {shape} and {labels} are incompatible: those of predictions and labels");
        predictions.graph().note_mistake(mistake);
    }
}

/// A vector of int32.
pub(crate) fn int_vector(values: &[i32]) -> Tensor {
    Tensor::vector(values)
}

/// The value of a variable as the input of a node of this full name: that which is there for references, a read of its own
/// for handles.
#[track_caller]
pub(crate) fn value_for(variable: &Variable, node: &str) -> Output {
    match variable.kind() {
        VariableKind::Ref => variable.value().clone(),
        VariableKind::Resource => {
            let read = variable.handle().graph().op("ReadVariableOp").name_exactly(format!("{node}/ReadVariableOp"));
            read.input(variable.handle()).attr("dtype", variable.dtype().unwrap_or(DType::Float)).output()
        }
    }
}

/// A node of two inputs, the second one a variable.
#[track_caller]
pub(crate) fn with_variable(op: &str, input: &Output, variable: &Variable) -> Output {
    let graph = input.graph();
    let name = graph.unique_name(op);
    let value = value_for(variable, &name);
    graph.op(op).name_exactly(name).input(input).input(value).output()
}

/// All axes of a value, as reductions take them.
#[track_caller]
pub(crate) fn all_axes(graph: &Graph, value: &Output) -> Output {
    match value.shape().rank() {
        Some(rank) if rank > 0 => {
            let axes: Vec<i32> = (0..i32::try_from(rank).unwrap_or(i32::MAX)).collect();
            constant(graph, "Const", int_vector(&axes))
        }
        rank => {
            let rank = match rank {
                Some(_) => constant(graph, "Rank", 0i32),
                None => graph.op("Rank").input(value).output(),
            };
            let name = graph.unique_name("range");
            let (start, delta) = (
                constant_at(graph, &format!("{name}/start"), 0i32),
                constant_at(graph, &format!("{name}/delta"), 1i32),
            );
            graph.op("Range").name_exactly(name).input(start).input(rank).input(delta).output()
        }
    }
}

/// The sum of all elements.
#[track_caller]
pub(crate) fn sum_of_all(graph: &Graph, value: &Output) -> Output {
    let axes = all_axes(graph, value);
    graph.op("Sum").input(value).input(axes).output()
}

/// Ones in the shape of a value, in a scope of its own.
#[track_caller]
pub(crate) fn ones_like(graph: &Graph, value: &Output) -> Output {
    let name = graph.unique_name("ones_like");
    let shape = match value.shape().rank() {
        Some(0) => constant_at(graph, &format!("{name}/Shape/shape_as_tensor"), int_vector(&[])),
        _ => graph.op("Shape").name_exactly(format!("{name}/Shape")).input(value).output(),
    };
    let one = constant_at(graph, &format!("{name}/Const"), 1f32);
    let one = match value.dtype() {
        Some(dtype) if dtype != DType::Float => graph.op("Cast").input(one).attr("DstT", dtype).output(),
        _ => one,
    };
    graph.op("Fill").name_exactly(name).input(shape).input(one).output()
}

/// Zeros in the shape of a value.
#[track_caller]
pub(crate) fn zeros_like(graph: &Graph, value: &Output) -> Output {
    match (value.shape().to_shape(), value.dtype()) {
        (Some(shape), Some(dtype)) if shape.is_scalar() => match Tensor::zeros(dtype, &shape) {
            Ok(zero) => constant(graph, "zeros_like", zero),
            Err(_) => graph.op("ZerosLike").name("zeros_like").input(value).output(),
        },
        _ => graph.op("ZerosLike").name("zeros_like").input(value).output(),
    }
}

/// A value in another type; the same node if it has that type.
#[track_caller]
pub(crate) fn cast(graph: &Graph, value: &Output, to: DType) -> Output {
    match value.dtype() {
        Some(from) if from != to => graph.op("Cast").input(value).attr("DstT", to).output(),
        _ => value.clone(),
    }
}
