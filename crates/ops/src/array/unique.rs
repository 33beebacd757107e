//! `Unique`, `UniqueV2`, `UniqueWithCounts` and `UniqueWithCountsV2`: the different elements of a list, and how often each is
//! there. The V2 forms compare slices along an axis.

use std::collections::HashMap;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::arguments::{axis_of, int_tensor};
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("Unique", "x: T -> y: T, idx: out_idx")
        .attr("T: type")
        .attr("out_idx: {int32, int64} = int32")
        .shape(unique_shape)
        .any_kernel(unique_kernel)
        .not_differentiable();
    r.op("UniqueV2", "x: T, axis: Taxis -> y: T, idx: out_idx")
        .attr("T: type")
        .attr("Taxis: {int32, int64} = int64")
        .attr("out_idx: {int32, int64} = int32")
        .shape(slices_shape)
        .any_kernel(unique_kernel)
        .not_differentiable();
    r.op("UniqueWithCounts", "x: T -> y: T, idx: out_idx, count: out_idx")
        .attr("T: type")
        .attr("out_idx: {int32, int64} = int32")
        .shape(unique_shape)
        .any_kernel(unique_kernel)
        .not_differentiable();
    r.op("UniqueWithCountsV2", "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx")
        .attr("T: type")
        .attr("Taxis: {int32, int64} = int64")
        .attr("out_idx: {int32, int64} = int32")
        .shape(slices_shape)
        .any_kernel(unique_kernel)
        .not_differentiable();
}

fn unique_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let x = cx.with_rank(0, 1)?;
    cx.set(0, PartialShape::vector(None));
    cx.set(1, x);
    cx.set(2, PartialShape::vector(None));
    Ok(())
}

fn slices_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let x = cx.input(0);
    let mut numbers = None;
    if let (Some(axis), Some(dims)) = (cx.ints(1), x.raw_dims()) {
        let axis = match axis[..] {
            [] => (dims.len() == 1).then_some(0),
            [axis] => match axis_of(axis, dims.len()) {
                Some(axis) => Some(axis),
                None => bail!(InvalidArgument, "axis {axis} is not one of {x}"),
            },
            _ => bail!(InvalidArgument, "axis expects a 0D or 1D tensor of at most one element"),
        };
        if let Some(axis) = axis {
            numbers = x.dim(axis);
            cx.set(0, PartialShape::of_rank(dims.len()));
        }
    }
    cx.set(1, PartialShape::vector(numbers));
    cx.set(2, PartialShape::vector(None));
    Ok(())
}

fn unique_kernel(node: &Node) -> Result<Kernel> {
    let out_idx = node.attr_type("out_idx")?;
    let (slices, counted) = (node.op.ends_with("V2"), node.op.contains("Counts"));
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.input(0)?;
        let axis = if slices { slice_axis(x, cx.input(1)?)? } else { None };
        ensure!(axis.is_some() || x.shape().rank() == 1, InvalidArgument, "unique expects a 1D vector.");
        let axis = axis.unwrap_or(0);
        let length = x.shape().dim(axis);
        let outer: usize = x.dims()[..axis].iter().product::<i64>() as usize;
        let inner: usize = x.dims()[axis + 1..].iter().product::<i64>() as usize;
        let places = |number: usize| {
            (0..outer).flat_map(move |row| {
                let start = (row * length + number) * inner;
                start..start + inner
            })
        };
        let elements = keys(x)?;
        let (mut first, mut counts, mut numbers) = (Vec::new(), Vec::new(), Vec::with_capacity(length));
        let mut seen = HashMap::new();
        for place in 0..length {
            let key: Vec<&Vec<u8>> = places(place).map(|at| &elements[at]).collect();
            let number = *seen.entry(key).or_insert_with(|| {
                first.push(place);
                counts.push(0i64);
                first.len() - 1
            });
            counts[number] += 1;
            numbers.push(number as i64);
        }
        let mut dims = x.dims().to_vec();
        dims[axis] = first.len() as i64;
        let first = &first;
        let all: Vec<usize> = (0..outer)
            .flat_map(|row| {
                first.iter().flat_map(move |number| {
                    let start = (row * length + number) * inner;
                    start..start + inner
                })
            })
            .collect();
        let y = moved(Shape::new(&dims)?, &[x], &Pick(&all))?;
        cx.set_output(0, y);
        cx.set_output(1, int_tensor(&numbers, out_idx)?);
        if counted {
            cx.set_output(2, int_tensor(&counts, out_idx)?);
        }
        Ok(())
    }))
}

/// The axis whose slices are compared; none if no axis is named.
fn slice_axis(x: &Tensor, axis: &Tensor) -> Result<Option<usize>> {
    ensure!(axis.shape().rank() <= 1, InvalidArgument, "axis expects a 1D vector.");
    match axis.to_i64_vec()?[..] {
        [] => Ok(None),
        [axis] => match axis_of(axis, x.shape().rank()) {
            Some(axis) => Ok(Some(axis)),
            None => bail!(InvalidArgument, "axis has to be between [0, {})", x.shape().rank()),
        },
        _ => bail!(InvalidArgument, "axis does not support input tensors larger than 1 elements"),
    }
}

/// The bytes of each element, the same for equal elements: the two zeros of floats are equal.
pub(crate) fn keys(tensor: &Tensor) -> Result<Vec<Vec<u8>>> {
    match tensor.dtype() {
        DType::String => Ok(tensor.strings()?.iter().map(|text| text.to_vec()).collect()),
        DType::Float => Ok(tensor.as_slice::<f32>()?.iter().map(|x| (x + 0.0).to_ne_bytes().to_vec()).collect()),
        DType::Double => Ok(tensor.as_slice::<f64>()?.iter().map(|x| (x + 0.0).to_ne_bytes().to_vec()).collect()),
        DType::Half => {
            Ok(tensor.as_slice::<f16>()?.iter().map(|x| (x.to_f32() + 0.0).to_ne_bytes().to_vec()).collect())
        }
        DType::BFloat16 => {
            Ok(tensor.as_slice::<bf16>()?.iter().map(|x| (x.to_f32() + 0.0).to_ne_bytes().to_vec()).collect())
        }
        plain => match (tensor.buffer(), plain.size()) {
            (Some(buffer), size) if size > 0 => {
                Ok(buffer.try_bytes()?.chunks_exact(size).map(<[u8]>::to_vec).collect())
            }
            _ => bail!(Unimplemented, "no code for elements of type {plain}"),
        },
    }
}
