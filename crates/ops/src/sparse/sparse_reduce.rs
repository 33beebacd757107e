//! `SparseReduceSum`, `SparseReduceMax` and their forms with sparse results, `SparseReduceSumSparse` and
//! `SparseReduceMaxSparse`: sparse tensors reduced over axes.

use std::collections::BTreeMap;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, ReadAttrs};
use math::number::{Number, Real};
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use super::Coordinates;
use super::numbers::NUMBERS;
use crate::arguments::axis_of;

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
}

pub(super) fn values_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
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
        input.check_size()?;
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
            cx.set_output(0, Tensor::new([groups.len() as i64, width as i64], flat)?);
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
