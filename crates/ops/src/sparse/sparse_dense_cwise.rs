//! `SparseDenseCwiseAdd`, `SparseDenseCwiseMul` and `SparseDenseCwiseDiv`: the values of a sparse tensor with those of a
//! dense one at their places.

use graph::op::{GradContext, Kernel, OpContext, Registry, types};
use graph::{Gradient, Node};
use math::number::Number;
use tensor::{Complex64, Complex128, DType, Result, Tensor, bf16, ensure, f16};

use super::Coordinates;
use super::numbers::NUMBERS;
use super::sparse_reduce::values_shape;

pub(crate) fn register(r: &mut Registry) {
    let all = format!("T: {NUMBERS}");
    for name in ["SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseDenseCwiseAdd"] {
        let op = r
            .op(name, "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T")
            .attr(&all)
            .shape(values_shape)
            .kernel("T", types::NUMBERS, pointwise_kernel);
        if name != "SparseDenseCwiseAdd" {
            op.gradient(pointwise_gradient);
        }
    }
}

fn pointwise_kernel(node: &Node) -> Result<Kernel> {
    let op = node.op.clone();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (values, dense) = (cx.input(1)?, cx.input(3)?);
        let sparse = Coordinates::new(cx.input(0)?, Some(values), cx.input(2)?)?;
        let (dims, rank) = (dense.dims(), dense.shape().rank());
        let fits = rank <= sparse.rank
            && dims.iter().zip(&sparse.shape[sparse.rank - rank..]).all(|(dim, size)| dim == size || *dim == 1);
        ensure!(
            fits,
            InvalidArgument,
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [{:?}] vs. {}",
            sparse.shape,
            dense.shape()
        );
        sparse.check_bounds()?;
        let places: Vec<usize> = sparse
            .rows()
            .map(|row| {
                let row = &row[sparse.rank - rank..];
                row.iter()
                    .zip(dims)
                    .fold(0usize, |at, (i, dim)| at * *dim as usize + if *dim == 1 { 0 } else { *i as usize })
            })
            .collect();
        let output = dispatch!(values.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            let (values, dense) = (values.as_slice::<T>()?, dense.as_slice::<T>()?);
            let combine = match op.as_str() {
                "SparseDenseCwiseMul" => <T as Number>::times,
                "SparseDenseCwiseDiv" => <T as Number>::over,
                _ => <T as Number>::plus,
            };
            let results: Vec<T> = values.iter().zip(&places).map(|(value, place)| combine(*value, dense[*place])).collect();
            Ok(Tensor::vector(&results))
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn pointwise_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (indices, values, shape, dense, dy) = (cx.x(0), cx.x(1), cx.x(2), cx.x(3), cx.dy(0)?);
    let own = cx.op("Shape").input(&dense).attr("out_type", DType::Int64).output();
    let axis = cx.graph.constant(0i32);
    let added = shape.unary("Size") - own.unary("Size");
    let added = cx.op("ExpandDims").input(added).input(&axis).output();
    let ones = cx.op("Fill").input(&added).input(cx.graph.constant(1i64)).output();
    let whole = cx.op("ConcatV2").input_list(&[ones, own.clone()]).input(&axis).output();
    let places = indices.binary("FloorDiv", "floordiv", shape.binary("FloorDiv", "floordiv", &whole));
    let begin = cx.op("ConcatV2").input_list(&[cx.graph.constant([0i32]), added]).input(&axis).output();
    let places = cx.op("Slice").input(places).input(begin).input(cx.graph.constant([-1i32, -1])).output();
    let picked = cx.op("GatherNd").input(&dense).input(&places).output();
    let (dx, dy_values) = match cx.node.op.as_str() {
        "SparseDenseCwiseMul" => (&dy * &picked, &dy * &values),
        _ => (&dy / &picked, &dy * (-values / picked.unary("Square"))),
    };
    let zeros = dense.unary("ZerosLike");
    let back = cx.op("SparseTensorDenseAdd").input(places).input(dy_values).input(own).input(zeros).output();
    Ok(vec![None, Some(dx.into()), None, Some(back.into())])
}
