//! `Reshape`: the same elements in another shape.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{int_vector, reshaped_like_input, shape_constant};

pub(crate) fn register(r: &mut Registry) {
    r.op("Reshape", "tensor: T, shape: Tshape -> output: T")
        .attr("T: type")
        .attr("Tshape: {int32, int64} = int32")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    let (input, wanted) = (cx.input(0), cx.input_as_shape(1));
    let Some(dims) = wanted.raw_dims() else { return Ok(()) };
    let mut dims = dims.to_vec();
    let unknown: Vec<usize> = (0..dims.len()).filter(|axis| dims[*axis] < 0).collect();
    let known = dims.iter().filter(|dim| **dim >= 0).fold(1i64, |product, dim| product.saturating_mul(*dim));
    if let Some(count) = input.num_elements() {
        match unknown[..] {
            [] => ensure!(
                known == count,
                InvalidArgument,
                "Cannot reshape a tensor with {count} elements to shape {wanted} ({known} elements)"
            ),
            [_] if known == 0 => ensure!(
                count == 0,
                InvalidArgument,
                "Cannot reshape a tensor with {count} elements to shape {wanted} (0 elements)"
            ),
            [axis] => {
                ensure!(
                    count % known == 0,
                    InvalidArgument,
                    "Dimension size must be evenly divisible by {known} but is {count}"
                );
                dims[axis] = count / known;
            }
            _ => {}
        }
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let tensor = cx.take_input(0)?;
        let reshaped = reshape(tensor, cx.input(1)?)?;
        cx.set_output(0, reshaped);
        Ok(())
    }))
}

/// The tensor in the shape that `sizes` gives, one of which may be -1.
pub(crate) fn reshape(tensor: Tensor, sizes: &Tensor) -> Result<Tensor> {
    // A single number is taken for a vector of one, as in TensorFlow.
    let dims = match sizes.shape().is_scalar() {
        true => sizes.to_i64_vec()?,
        false => int_vector(sizes, "sizes input must be 1-D, not ")?,
    };
    let shape = full_shape(&dims, tensor.shape())?;
    tensor.into_shape(shape)
}

fn full_shape(dims: &[i64], from: &Shape) -> Result<Shape> {
    ensure!(dims.len() < 254, InvalidArgument, "too many dimensions: must be < 254, but received {}", dims.len());
    let count = from.num_elements() as i64;
    let mut full = dims.to_vec();
    let mut unknown = None;
    // Zeros are left out of the product, so that -1 beside a zero can still be found from the other dimensions.
    let mut known = 1i64;
    for (axis, dim) in dims.iter().enumerate() {
        if *dim == -1 {
            if let Some(other) = unknown.replace(axis) {
                bail!(InvalidArgument, "Only one input size may be -1, not both {other} and {axis}");
            }
        } else if *dim != 0 {
            ensure!(*dim > 0, InvalidArgument, "Size {axis} must be non-negative, not {dim}");
            known = match known.checked_mul(*dim) {
                Some(product) => product,
                None => bail!(InvalidArgument, "Shape {dims:?} has too many elements"),
            };
        }
    }
    let empty = dims.contains(&0);
    if let Some(axis) = unknown {
        let counted = from.dims().iter().filter(|dim| **dim > 0 || !empty);
        let Some(counted) = counted.copied().try_fold(1i64, i64::checked_mul) else {
            bail!(InvalidArgument, "a tensor of shape {from} cannot have shape {dims:?}")
        };
        ensure!(
            counted % known == 0,
            InvalidArgument,
            "Input to reshape is a tensor with {counted} values, but the requested shape requires a multiple of {known}"
        );
        full[axis] = counted / known;
        known = counted;
    }
    let wanted = if empty { 0 } else { known };
    ensure!(
        wanted == count,
        InvalidArgument,
        "Input to reshape is a tensor with {count} values, but the requested shape has {wanted}"
    );
    Shape::new(&full)
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dx = reshaped_like_input(cx, &cx.dy(0)?, 0);
    Ok(vec![Some(dx.into()), None])
}

/// The same elements in another shape (`Reshape`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0, 3.0, 4.0]);
/// let matrix = x.reshape(&[2, -1]);
/// assert_eq!(eval(&matrix)?, Tensor::from([[1f32, 2.0], [3.0, 4.0]]));
/// assert_eq!(eval(&matrix.reshape_to(&x.shape_tensor()))?, Tensor::from([1f32, 2.0, 3.0, 4.0]));
/// # Ok(())
/// # }
/// ```
pub trait ReshapeOps {
    /// Returns the same elements in another shape; one dimension may be -1 and follows from the others.
    fn reshape(&self, shape: impl Into<PartialShape>) -> Output;
    /// Returns the same elements in a shape that is computed.
    fn reshape_to(&self, shape: &Output) -> Output;
}

impl ReshapeOps for Output {
    #[track_caller]
    fn reshape(&self, shape: impl Into<PartialShape>) -> Output {
        let shape = shape_constant(self.graph(), shape);
        self.graph().op("Reshape").input(self).input(shape).output()
    }

    #[track_caller]
    fn reshape_to(&self, shape: &Output) -> Output {
        self.graph().op("Reshape").input(self).input(shape).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_tensorflow() {
        let reshaped = |dims: &[i64]| reshape(Tensor::from([0i32, 1, 2, 3, 4, 5]), &Tensor::vector(dims));
        assert_eq!(reshaped(&[2, -1]).unwrap(), Tensor::from([[0i32, 1, 2], [3, 4, 5]]));
        // TensorFlow 2.21 says each of these.
        for (dims, message) in [
            (vec![2, 2], "Input to reshape is a tensor with 6 values, but the requested shape has 4"),
            (
                vec![4, -1],
                "Input to reshape is a tensor with 6 values, but the requested shape requires a multiple of 4",
            ),
            (vec![0, -1], "Input to reshape is a tensor with 6 values, but the requested shape has 0"),
            (vec![-1, -1], "Only one input size may be -1, not both 0 and 1"),
            (vec![-3, 2], "Size 0 must be non-negative, not -3"),
            (vec![1 << 62, 4], "Shape [4611686018427387904, 4] has too many elements"),
        ] {
            assert_eq!(reshaped(&dims).unwrap_err().message(), message);
        }
        let empty = Tensor::new::<f32>(&[0, 3], vec![]).unwrap();
        assert_eq!(reshape(empty, &Tensor::from([0i32, -1])).unwrap().dims(), [0, 3]);
    }
}
