//! `Pack` and `Unpack`: tensors of one shape become slices of a tensor along a new axis, and back.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Graph, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{axis_of, kernel_by_size};
use crate::moving::{Join, moved, taken};
use crate::strided::Walk;

pub(crate) fn register(r: &mut Registry) {
    r.op("Pack", "values: N * T -> output: T")
        .attr("N: int >= 1")
        .attr("T: type")
        .attr("axis: int = 0")
        .shape(pack_shape)
        .any_kernel(pack_kernel)
        .gradient(pack_gradient);
    r.op("Unpack", "value: T -> output: num * T")
        .attr("num: int >= 0")
        .attr("T: type")
        .attr("axis: int = 0")
        .shape(unpack_shape)
        .any_kernel(unpack_kernel)
        .gradient(unpack_gradient);
}

fn pack_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let mut merged = PartialShape::unknown();
    for index in 0..cx.num_inputs() {
        merged = merged.merge(&cx.input(index))?;
    }
    let Some(dims) = merged.raw_dims() else { return Ok(()) };
    let (axis, rank) = (cx.attr_int("axis")?, dims.len() + 1);
    let Some(at) = axis_of(axis, rank) else {
        bail!(InvalidArgument, "Invalid axis: {axis}; must be in [{},{rank})", -(rank as i64))
    };
    let mut dims = dims.to_vec();
    dims.insert(at, cx.num_inputs() as i64);
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn pack_kernel(node: &Node) -> Result<Kernel> {
    let axis = node.attr_int("axis")?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let packed = pack(&cx.inputs(0..cx.num_inputs())?, axis)?;
        cx.set_output(0, packed);
        Ok(())
    }))
}

/// The values as slices along a new axis.
pub(crate) fn pack(values: &[&Tensor], axis: i64) -> Result<Tensor> {
    let Some(first) = values.first() else { bail!(InvalidArgument, "nothing to pack") };
    let rank = first.shape().rank() + 1;
    let Some(at) = axis_of(axis, rank) else {
        bail!(InvalidArgument, "axis = {axis} not in [{}, {rank})", -(rank as i64))
    };
    for (place, value) in values.iter().enumerate() {
        ensure!(
            value.shape() == first.shape(),
            InvalidArgument,
            "Shapes of all inputs must match: values[0].shape = {} != values[{place}].shape = {}",
            first.shape(),
            value.shape()
        );
    }
    let mut dims = first.dims().to_vec();
    dims.insert(at, values.len() as i64);
    let shape = Shape::new(&dims)?;
    let length = if first.num_elements() == 0 { 0 } else { first.dims()[at..].iter().product::<i64>() as usize };
    moved(shape, values, &Join(&vec![length; values.len()]))
}

fn pack_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (num, axis) = (cx.num_inputs() as i64, cx.attr_int("axis")?);
    let parts = cx.op("Unpack").input(cx.dy(0)?).attr("num", num).attr("axis", axis).outputs();
    ensure!(parts.len() == cx.num_inputs(), Internal, "{} parts for {num} values", parts.len());
    Ok(parts.into_iter().map(|part| Some(part.into())).collect())
}

fn unpack_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.input(0);
    let Some(dims) = input.raw_dims() else { return Ok(()) };
    let (axis, rank) = (cx.attr_int("axis")?, dims.len());
    let Some(at) = axis_of(axis, rank) else {
        bail!(InvalidArgument, "Invalid axis: {axis}; must be in [{},{rank})", -(rank as i64))
    };
    let num = cx.num_outputs() as i64;
    ensure!(dims[at] < 0 || dims[at] == num, InvalidArgument, "Dimension must be {num} but is {}", dims[at]);
    let mut dims = dims.to_vec();
    dims.remove(at);
    let part = PartialShape::from_dims(&dims);
    for index in 0..cx.num_outputs() {
        cx.set(index, part.clone());
    }
    Ok(())
}

fn unpack_kernel(node: &Node) -> Result<Kernel> {
    let axis = node.attr_int("axis")?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let parts = unpack(cx.input(0)?, cx.num_outputs(), axis)?;
        for (index, part) in parts.into_iter().enumerate() {
            cx.set_output(index, part);
        }
        Ok(())
    }))
}

/// The slices along an axis.
fn unpack(value: &Tensor, num: usize, axis: i64) -> Result<Vec<Tensor>> {
    let rank = value.shape().rank();
    let Some(at) = axis_of(axis, rank) else {
        bail!(InvalidArgument, "axis = {axis} not in [{}, {rank})", -(rank as i64))
    };
    ensure!(
        value.shape().dim(at) == num,
        InvalidArgument,
        "Input shape axis {at} must equal {num}, got shape {}",
        value.shape()
    );
    let mut dims = value.dims().to_vec();
    dims.remove(at);
    let shape = Shape::new(&dims)?;
    if shape.num_elements() == 0 {
        return (0..num).map(|_| value.window(0, shape.clone())).collect();
    }
    let outer = value.dims()[..at].iter().product::<i64>() as usize;
    let inner = value.dims()[at + 1..].iter().product::<i64>() as usize;
    let part = |index: usize| {
        let walk = Walk::new(index * inner, [(outer, (num * inner) as isize), (inner, 1)]);
        taken(value, &walk, shape.clone())
    };
    (0..num).map(part).collect()
}

fn unpack_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let num = cx.node.output_types.len();
    let grads = (0..num).map(|index| cx.dy(index)).collect::<Result<Vec<_>>>()?;
    Ok(vec![Some(cx.op("Pack").input_list(&grads).attr("axis", cx.attr_int("axis")?).output().into())])
}

/// Joins tensors along a new axis (`Pack`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (a, b) = (g.constant([1f32, 2.0]), g.constant([3f32, 4.0]));
/// assert_eq!(eval(&g.stack(&[a.clone(), b.clone()], 0))?, Tensor::from([[1f32, 2.0], [3.0, 4.0]]));
/// assert_eq!(eval(&g.stack(&[a, b], 1))?, Tensor::from([[1f32, 3.0], [2.0, 4.0]]));
/// # Ok(())
/// # }
/// ```
pub trait StackOps {
    /// Returns the values, all of one shape, as slices along a new axis.
    fn stack(&self, values: &[Output], axis: i64) -> Output;
}

impl StackOps for Graph {
    #[track_caller]
    fn stack(&self, values: &[Output], axis: i64) -> Output {
        self.op("Pack").name("stack").input_list(values).attr("axis", axis).output()
    }
}

/// Takes a tensor apart along an axis, which goes away (`Unpack`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let columns = g.constant([[1f32, 2.0], [3.0, 4.0]]).unstack(2, 1);
/// assert_eq!(eval(&columns[0])?, Tensor::from([1f32, 3.0]));
/// assert_eq!(eval(&columns[1])?, Tensor::from([2f32, 4.0]));
/// # Ok(())
/// # }
/// ```
pub trait UnstackOps {
    /// Returns the `num` slices along an axis.
    fn unstack(&self, num: usize, axis: i64) -> Vec<Output>;
}

impl UnstackOps for Output {
    #[track_caller]
    fn unstack(&self, num: usize, axis: i64) -> Vec<Output> {
        let node =
            self.graph().op("Unpack").name("unstack").input(self).attr("num", num as i64).attr("axis", axis).build();
        (0..num).map(|index| node.output(index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let (a, b) = (Tensor::from([1i32, 2, 3]), Tensor::from([4i32, 5, 6]));
        let rows = pack(&[&a, &b], 0).unwrap();
        assert_eq!(rows, Tensor::from([[1i32, 2, 3], [4, 5, 6]]));
        let columns = pack(&[&a, &b], -1).unwrap();
        assert_eq!(columns, Tensor::from([[1i32, 4], [2, 5], [3, 6]]));
        assert_eq!(unpack(&rows, 2, 0).unwrap(), [a.clone(), b.clone()]);
        assert_eq!(unpack(&columns, 2, 1).unwrap(), [a.clone(), b]);
        let c = Tensor::from([1i32, 2]);
        assert_eq!(
            pack(&[&a, &c], 0).unwrap_err().message(),
            "Shapes of all inputs must match: values[0].shape = [3] != values[1].shape = [2]"
        );
        assert_eq!(unpack(&rows, 3, 0).unwrap_err().message(), "Input shape axis 0 must equal 3, got shape [2,3]");
    }
}
