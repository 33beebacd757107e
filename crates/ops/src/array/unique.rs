//! `Unique` and `ListDiff`: the different elements of a list, and those that another list does not have.

use std::collections::HashMap;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bf16, bail, ensure, f16};

use crate::arguments::int_tensor;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("Unique", "x: T -> y: T, idx: out_idx")
        .attr("T: type")
        .attr("out_idx: {int32, int64} = int32")
        .shape(unique_shape)
        .any_kernel(unique_kernel)
        .not_differentiable();
    r.op("ListDiff", "x: T, y: T -> out: T, idx: out_idx")
        .attr("T: type")
        .attr("out_idx: {int32, int64} = int32")
        .shape(difference_shape)
        .any_kernel(difference_kernel);
}

fn unique_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let x = cx.with_rank(0, 1)?;
    cx.set(0, PartialShape::vector(None));
    cx.set(1, x);
    Ok(())
}

fn difference_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.with_rank(1, 1)?;
    // As many elements as numbers, but how many is not known.
    cx.set(0, PartialShape::vector(None));
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

fn unique_kernel(node: &Node) -> Result<Kernel> {
    let out_idx = node.attr_type("out_idx")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.input(0)?;
        ensure!(x.shape().rank() == 1, InvalidArgument, "unique expects a 1D vector.");
        let (mut first, mut numbers) = (Vec::new(), Vec::with_capacity(x.num_elements()));
        let mut seen = HashMap::new();
        for (place, key) in keys(x)?.into_iter().enumerate() {
            let number = *seen.entry(key).or_insert_with(|| {
                first.push(place);
                first.len() - 1
            });
            numbers.push(number as i64);
        }
        let y = picked(x, &first)?;
        cx.set_output(0, y);
        cx.set_output(1, int_tensor(&numbers, out_idx)?);
        Ok(())
    }))
}

fn difference_kernel(node: &Node) -> Result<Kernel> {
    let out_idx = node.attr_type("out_idx")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (x, y) = (cx.input(0)?, cx.input(1)?);
        ensure!(x.shape().rank() == 1, InvalidArgument, "x should be a 1D vector.");
        ensure!(y.shape().rank() == 1, InvalidArgument, "y should be a 1D vector.");
        let taken: HashMap<Vec<u8>, ()> = keys(y)?.into_iter().map(|key| (key, ())).collect();
        let (all, mut kept) = (keys(x)?, Vec::new());
        kept.extend((0..all.len()).filter(|place| !taken.contains_key(&all[*place])));
        let numbers: Vec<i64> = kept.iter().map(|place| *place as i64).collect();
        let out = picked(x, &kept)?;
        cx.set_output(0, out);
        cx.set_output(1, int_tensor(&numbers, out_idx)?);
        Ok(())
    }))
}

/// The bytes of each element, the same for equal elements: the two zeros of floats are equal.
fn keys(tensor: &Tensor) -> Result<Vec<Vec<u8>>> {
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
            (Some(buffer), size) if size > 0 => Ok(buffer.as_bytes().chunks_exact(size).map(<[u8]>::to_vec).collect()),
            _ => bail!(Unimplemented, "no code for elements of type {plain}"),
        },
    }
}

fn picked(x: &Tensor, places: &[usize]) -> Result<Tensor> {
    moved(Shape::vector(places.len()), &[x], &Pick(places))
}

struct Pick<'a>(&'a [usize]);

impl Move for Pick<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        for (target, place) in out.iter_mut().zip(self.0) {
            *target = inputs[0][*place].clone();
        }
    }
}
