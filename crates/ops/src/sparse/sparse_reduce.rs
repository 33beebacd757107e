//! `SparseReduceSum`, `SparseReduceMax`, `SparseSoftmax` and the ops of a sparse and a dense tensor, value by value.

use std::collections::BTreeMap;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, ReadAttrs};
use math::number::{Number, Real};
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use super::Coordinates;
use crate::arguments::axis_of;
use crate::math::cast::cast;
use crate::summary::scalar_summary::numbers;

/// The types that TensorFlow allows for numbers.
pub(super) const NUMBERS: &str = "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, \
                                  qint16, quint16, uint16, complex128, half, uint32, uint64}";

pub(crate) fn register(r: &mut Registry) {
    const SIGNATURE: &str =
        "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 -> output: T";
    const SPARSE: &str = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 -> \
                          output_indices: int64, output_values: T, output_shape: int64";
    const REALS: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
    let all = format!("T: {NUMBERS}");
    const KEEP: &str = "keep_dims: bool = false";
    r.op("SparseReduceSum", SIGNATURE)
        .attr(KEEP)
        .attr(&all)
        .shape(dense_shape)
        .kernel("T", types::NUMBERS, reduce_kernel)
        .gradient(sum_gradient);
    r.op("SparseReduceMax", SIGNATURE).attr(KEEP).attr(REALS).shape(dense_shape).kernel(
        "T",
        types::REALS,
        reduce_kernel,
    );
    r.op("SparseReduceSumSparse", SPARSE)
        .attr(KEEP)
        .attr(&all)
        .shape(ShapeContext::unknown)
        .kernel("T", types::NUMBERS, reduce_kernel)
        .not_differentiable();
    r.op("SparseReduceMaxSparse", SPARSE).attr(KEEP).attr(REALS).shape(ShapeContext::unknown).kernel(
        "T",
        types::REALS,
        reduce_kernel,
    );
    r.op("SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T")
        .attr("T: {half, float, double}")
        .shape(values_shape)
        .kernel("T", &[DType::Half, DType::Float, DType::Double], softmax_kernel)
        .gradient(softmax_gradient);
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

/// How large numbers are, as doubles.
pub(super) fn magnitudes(values: &Tensor) -> Result<Vec<f64>> {
    match values.dtype() {
        DType::Complex64 => Ok(values.as_slice::<Complex64>()?.iter().map(|value| value.norm() as f64).collect()),
        DType::Complex128 => Ok(values.as_slice::<Complex128>()?.iter().map(|value| value.norm()).collect()),
        _ => Ok(numbers(values)?.into_iter().map(f64::abs).collect()),
    }
}

fn values_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (indices, values) = (cx.with_rank(0, 2)?, cx.with_rank(1, 1)?);
    let count = PartialShape::vector(indices.dim(0)).merge(&values)?;
    cx.set(0, count);
    Ok(())
}

fn dense_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (Some(shape), Some(axes)) = (cx.ints(2), cx.ints(3)) else { return Ok(()) };
    if let Ok(reduced) = Reduced::new(&shape, &axes, cx.attr_bool("keep_dims")?) {
        cx.set(0, PartialShape::from_dims(&reduced.dims));
    }
    Ok(())
}

/// Which axes are left, and the shape of what remains.
struct Reduced {
    kept: Vec<usize>,
    dims: Vec<i64>,
    keep_dims: bool,
}

impl Reduced {
    fn new(shape: &[i64], axes: &[i64], keep_dims: bool) -> Result<Reduced> {
        let rank = shape.len();
        let mut gone = vec![false; rank];
        for axis in axes {
            let Some(place) = axis_of(*axis, rank) else {
                bail!(InvalidArgument, "Invalid reduction dimension {axis}, for input with {rank} dimensions.")
            };
            gone[place] = true;
        }
        let kept: Vec<usize> = (0..rank).filter(|axis| !gone[*axis]).collect();
        let dims = match keep_dims {
            true => (0..rank).map(|axis| if gone[axis] { 1 } else { shape[axis] }).collect(),
            false => kept.iter().map(|axis| shape[*axis]).collect(),
        };
        Ok(Reduced { kept, dims, keep_dims })
    }
}

fn reduce_kernel(node: &Node) -> Result<Kernel> {
    let keep_dims = node.attr_bool("keep_dims")?;
    let (greatest, sparse) = (node.op.contains("Max"), node.op.ends_with("Sparse"));
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (values, axes) = (cx.input(1)?, cx.input(3)?);
        let input = Coordinates::new(cx.input(0)?, Some(values), cx.input(2)?)?;
        input.check_bounds()?;
        ensure!(
            axes.shape().rank() <= 1,
            InvalidArgument,
            "reduction_axes must be a scalar or a vector: {}",
            axes.shape()
        );
        let reduced = Reduced::new(&input.shape, &axes.to_i64_vec()?, keep_dims)?;
        // The values of each group, in the order of the groups.
        let mut groups: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
        for (number, row) in input.rows().enumerate() {
            groups.entry(reduced.kept.iter().map(|axis| row[*axis]).collect()).or_default().push(number);
        }
        let results = if greatest {
            dispatch!(values.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
                let values = values.as_slice::<T>()?;
                let results: Vec<T> =
                    groups.values().map(|group| group.iter().map(|place| values[*place]).reduce(<T as Real>::greater).unwrap_or_default()).collect();
                Ok(Tensor::vector(&results))
            })?
        } else {
            dispatch!(values.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
                let values = values.as_slice::<T>()?;
                let results: Vec<T> = groups
                    .values()
                    .map(|group| <T as Number>::narrow(group.iter().fold(Number::ZERO, |sum: <T as Number>::Wide, place| sum.plus(values[*place].widen()))))
                    .collect();
                Ok(Tensor::vector(&results))
            })?
        };
        if sparse {
            let width = reduced.dims.len();
            let mut flat = Vec::with_capacity(groups.len() * width);
            for key in groups.keys() {
                let mut row = if reduced.keep_dims { vec![0; width] } else { key.clone() };
                if reduced.keep_dims {
                    reduced.kept.iter().zip(key).for_each(|(axis, at)| row[*axis] = *at);
                }
                flat.extend(row);
            }
            cx.set_output(0, Tensor::new(&[groups.len() as i64, width as i64], flat)?);
            cx.set_output(1, results);
            cx.set_output(2, Tensor::vector(&reduced.dims));
            return Ok(());
        }
        let shape = Shape::new(&reduced.dims)?;
        let kept_dims: Vec<i64> = reduced.kept.iter().map(|axis| input.shape[*axis]).collect();
        let places: Vec<usize> = groups
            .keys()
            .map(|key| key.iter().zip(&kept_dims).fold(0usize, |at, (i, dim)| at * *dim as usize + *i as usize))
            .collect();
        let mut out = Tensor::zeros(values.dtype(), &shape)?;
        dispatch!(values.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            let (out, results) = (out.make_mut::<T>()?, results.as_slice::<T>()?);
            places.iter().zip(results).for_each(|(place, value)| out[*place] = *value);
            Ok(())
        })?;
        cx.set_output(0, out);
        Ok(())
    }))
}

fn sum_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (indices, shape) = (cx.x(0), cx.x(2));
    let int32 = |x: &graph::Output| cx.op("Cast").input(x).attr("DstT", DType::Int32).output();
    // The reduced axes have size one.
    let narrow = int32(&shape);
    let rank = narrow.unary("Size");
    let axes = (cx.x(3) + &rank).binary("FloorMod", "FloorMod", &rank);
    let every = cx.op("Range").input(cx.graph.constant(0i32)).input(&rank).input(cx.graph.constant(1i32)).output();
    let ones = cx.op("Fill").input(axes.unary("Shape")).input(cx.graph.constant(1i32)).output();
    let kept = cx.op("DynamicStitch").input_list(&[every, axes]).input_list(&[narrow, ones]).output();
    let dy = cx.op("Reshape").input(cx.dy(0)?).input(&kept).output();
    let wide = cx.op("Cast").input(&kept).attr("DstT", DType::Int64).output();
    let scale = shape.binary("FloorDiv", "floordiv", &wide);
    let places = indices.binary("FloorDiv", "floordiv", &scale);
    Ok(vec![None, Some(cx.op("GatherNd").input(dy).input(places).output().into()), None, None])
}

fn softmax_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let values = cx.input(1)?;
        let input = Coordinates::new(cx.input(0)?, Some(values), cx.input(2)?)?;
        ensure!(input.rank >= 2, InvalidArgument, "Input should have rank >= 2, but received rank {}.", input.rank);
        input.check_bounds()?;
        let wide = cast(values.clone(), DType::Double, false)?;
        let mut results = wide.as_slice::<f64>()?.to_vec();
        let mut groups: BTreeMap<&[i64], Vec<usize>> = BTreeMap::new();
        for (number, row) in input.rows().enumerate() {
            groups.entry(&row[..input.rank - 1]).or_default().push(number);
        }
        for group in groups.values() {
            let greatest = group.iter().map(|place| results[*place]).fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            for place in group {
                results[*place] = (results[*place] - greatest).exp();
                sum += results[*place];
            }
            group.iter().for_each(|place| results[*place] /= sum);
        }
        let output = cast(Tensor::vector(&results), values.dtype(), false)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn softmax_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (indices, shape, y, dy) = (cx.x(0), cx.x(2), cx.y(0), cx.dy(0)?);
    let axis = cx.graph.constant([-1i32]);
    let sum =
        cx.op("SparseReduceSum").input(&indices).input(&y * &dy).input(&shape).input(axis).attr("keep_dims", true);
    let shifted = cx.op("SparseDenseCwiseAdd").input(&indices).input(&dy).input(&shape).input(-sum.output()).output();
    Ok(vec![None, Some((shifted * y).into()), None])
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
