//! What TensorFlow's functions add beside the node that they are named for: constants of arguments, and shapes that are known.

use graph::op::GradContext;
use graph::{OpBuilder, Output};
use tensor::{DType, Tensor};

/// An argument of a function: a tensor, or numbers, which become a constant in the node's scope.
pub(super) enum Arg<'a> {
    Of(&'a Output),
    Constant(&'static str, Tensor),
}

/// Begins a node, named as its op or otherwise, with the constants that its arguments are.
pub(super) fn node(cx: &GradContext<'_>, op: &str, name: &str, args: &[Arg<'_>]) -> OpBuilder {
    let name = cx.graph.unique_name(name);
    let inputs: Vec<Output> = args
        .iter()
        .map(|arg| match arg {
            Arg::Of(output) => (*output).clone(),
            Arg::Constant(label, value) => {
                let constant = cx.op("Const").name_exactly(format!("{name}/{label}"));
                constant.attr("dtype", value.dtype()).attr("value", value.clone()).output()
            }
        })
        .collect();
    inputs.iter().fold(cx.op(op).name_exactly(name), OpBuilder::input)
}

/// A constant by itself.
pub(super) fn constant(cx: &GradContext<'_>, name: &str, value: Tensor) -> Output {
    cx.op("Const").name(name).attr("dtype", value.dtype()).attr("value", value).output()
}

/// The dimensions of a tensor, if all are known.
pub(super) fn known_dims(of: &Output) -> Option<Vec<i32>> {
    of.shape().to_shape()?.dims().iter().map(|dim| i32::try_from(*dim).ok()).collect()
}

/// The dimensions of a tensor as a vector of a type: a constant if they are known.
pub(super) fn shape_as(cx: &GradContext<'_>, of: &Output, dtype: DType) -> Output {
    match known_dims(of) {
        Some(dims) => constant(cx, "Shape", dims_as(&dims, dtype)),
        None => cx.op("Shape").input(of).attr("out_type", dtype).output(),
    }
}

pub(super) fn shape(cx: &GradContext<'_>, of: &Output) -> Output {
    shape_as(cx, of, DType::Int32)
}

/// Numbers as a vector of int32 or int64.
pub(super) fn dims_as(dims: &[i32], dtype: DType) -> Tensor {
    match dtype {
        DType::Int64 => Tensor::vector(&dims.iter().map(|dim| i64::from(*dim)).collect::<Vec<_>>()),
        _ => Tensor::vector(dims),
    }
}

/// How many elements a tensor has, in a type: a constant if it is known.
pub(super) fn size_as(cx: &GradContext<'_>, of: &Output, dtype: DType) -> Output {
    match of.shape().num_elements() {
        Some(count) if dtype == DType::Int64 => constant(cx, "Size", Tensor::from(count)),
        Some(count) => constant(cx, "Size", Tensor::from(count as i32)),
        None => cx.op("Size").input(of).attr("out_type", dtype).output(),
    }
}

/// How many dimensions a tensor has: a constant if it is known.
pub(super) fn rank(cx: &GradContext<'_>, of: &Output) -> Output {
    match of.shape().rank() {
        Some(rank) => constant(cx, "Rank", Tensor::from(rank as i32)),
        None => of.unary("Rank"),
    }
}

pub(super) fn reshape(cx: &GradContext<'_>, x: &Output, dims: &Output) -> Output {
    cx.op("Reshape").input(x).input(dims).output()
}

/// Laid out anew by numbers that are known.
pub(super) fn reshape_to(cx: &GradContext<'_>, x: &Output, dims: &[i32]) -> Output {
    if dims.is_empty() {
        // No numbers are taken for floats at first, and then once more for integers.
        let name = cx.graph.unique_name("Reshape");
        let exactly = |label: &str, value: Tensor| {
            let constant = cx.op("Const").name_exactly(format!("{name}/{label}")).attr("dtype", value.dtype());
            constant.attr("value", value).output()
        };
        exactly("shape", Tensor::vector::<f32>(&[]));
        let dims = exactly("shape_1", Tensor::vector(dims));
        return cx.op("Reshape").name_exactly(name).input(x).input(dims).output();
    }
    node(cx, "Reshape", "Reshape", &[Arg::Of(x), Arg::Constant("shape", Tensor::vector(dims))]).output()
}

/// With one dimension more, of size 1.
pub(super) fn expand_dims(cx: &GradContext<'_>, x: &Output, axis: i32) -> Output {
    node(cx, "ExpandDims", "ExpandDims", &[Arg::Of(x), Arg::Constant("dim", Tensor::from(axis))]).output()
}

/// The sum along an axis, which stays with size 1.
pub(super) fn sum_along(cx: &GradContext<'_>, x: &Output, axis: Tensor) -> Output {
    let node = node(cx, "Sum", "Sum", &[Arg::Of(x), Arg::Constant("reduction_indices", axis)]);
    node.attr("keep_dims", true).output()
}

/// `x[begin:end]` of a vector; without an end, to its end.
pub(super) fn slice(cx: &GradContext<'_>, x: &Output, begin: i32, end: Option<i32>) -> Output {
    let args = [
        Arg::Of(x),
        Arg::Constant("stack", Tensor::from([begin])),
        Arg::Constant("stack_1", Tensor::from([end.unwrap_or(0)])),
        Arg::Constant("stack_2", Tensor::from([1i32])),
    ];
    let node = node(cx, "StridedSlice", "strided_slice", &args);
    if end.is_none() { node.attr("end_mask", 1i64).output() } else { node.output() }
}

/// Vectors behind one another.
pub(super) fn concat(cx: &GradContext<'_>, parts: &[Output], axis: i32) -> Output {
    let name = cx.graph.unique_name("concat");
    let constant = cx.op("Const").name_exactly(format!("{name}/axis")).attr("dtype", DType::Int32);
    let axis = constant.attr("value", Tensor::from(axis)).output();
    cx.op("ConcatV2").name_exactly(name).input_list(parts).input(axis).output()
}

/// Zeros like a tensor: a constant if that is small and its shape known.
pub(super) fn zeros_like(cx: &GradContext<'_>, x: &Output) -> Output {
    let Some(shape) = x.shape().to_shape() else {
        return cx.op("ZerosLike").name("zeros_like").input(x).output();
    };
    let dtype = x.dtype().unwrap_or(DType::Float);
    if shape.num_elements() < 1000
        && let Ok(zeros) = Tensor::zeros(dtype, &shape)
    {
        return constant(cx, "zeros_like", zeros);
    }
    let name = cx.graph.unique_name("zeros_like");
    let dims: Vec<i32> = shape.dims().iter().map(|dim| *dim as i32).collect();
    let exactly = |label: &str, value: Tensor| {
        cx.op("Const")
            .name_exactly(format!("{name}/{label}"))
            .attr("dtype", value.dtype())
            .attr("value", value)
            .output()
    };
    let dims = exactly("shape_as_tensor", Tensor::vector(&dims));
    let zero = graph::Operand::to_named_output(&0.0, cx.graph, Some(dtype), &format!("{name}/Const"));
    cx.op("Fill").name_exactly(name).input(dims).input(zero).output()
}

/// Ones like a tensor.
pub(super) fn ones_like(cx: &GradContext<'_>, x: &Output) -> Output {
    let name = cx.graph.unique_name("ones_like");
    let dims = match known_dims(x) {
        Some(dims) => cx.op("Const").attr("dtype", DType::Int32).attr("value", Tensor::vector(&dims)),
        None => cx.op("Shape").input(x),
    };
    let dims = dims.name_exactly(format!("{name}/Shape")).output();
    let one = graph::Operand::to_named_output(&1.0, cx.graph, x.dtype(), &format!("{name}/Const"));
    cx.op("Fill").name_exactly(name).input(dims).input(one).output()
}

/// What `build` adds waits for the gradient, so that it is not computed earlier than needed.
pub(super) fn after<R>(cx: &GradContext<'_>, gradient: &Output, build: impl FnOnce() -> R) -> R {
    cx.graph.with_control_dependencies(&[gradient.operation()], |_| build())
}
