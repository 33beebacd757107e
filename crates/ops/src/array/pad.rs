//! `Pad` and `PadV2`: a tensor with a border around it.

use graph::op::{GradContext, Kernel, OpContext, Registry, types};
use graph::{Gradient, Node, Output};
use tensor::{Result, Shape, Tensor, bail, ensure};

use super::border::padded_shape;
use crate::arguments::{int_tensor, kernel_by_size, shape_node, sizes};
use crate::moving::{PutInto, moved};
use crate::strided::{Walk, row_major_steps};

pub(crate) fn register(r: &mut Registry) {
    r.op("Pad", "input: T, paddings: Tpaddings -> output: T")
        .attr("T: type")
        .attr("Tpaddings: {int32, int64} = int32")
        .shape(|cx| padded_shape(cx, 1))
        .kernel("T", types::ALL, kernel)
        .gradient(gradient);
    r.op("PadV2", "input: T, paddings: Tpaddings, constant_values: T -> output: T")
        .attr("T: type")
        .attr("Tpaddings: {int32, int64} = int32")
        .shape(|cx| padded_shape(cx, 1))
        .kernel("T", types::ALL, kernel)
        .gradient(gradient);
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let filling = match cx.num_inputs() {
            2 => Tensor::zeros(input.dtype(), &Shape::scalar())?,
            _ => cx.input(2)?.clone(),
        };
        ensure!(
            filling.shape().is_scalar(),
            InvalidArgument,
            "constant_values must be a scalar. Found: {}",
            filling.shape()
        );
        let padded = pad(input, cx.input(1)?, &filling)?;
        cx.set_output(0, padded);
        Ok(())
    }))
}

/// The tensor with `filling` before and after it along each axis.
pub(crate) fn pad(input: &Tensor, paddings: &Tensor, filling: &Tensor) -> Result<Tensor> {
    let rank = input.shape().rank();
    ensure!(
        paddings.shape().rank() == 2 && paddings.dims()[1] == 2,
        InvalidArgument,
        "paddings must be a matrix with 2 columns: {}",
        paddings.shape()
    );
    ensure!(
        paddings.shape().dim(0) == rank,
        InvalidArgument,
        "The first dimension of paddings must be the rank of inputs{} {}",
        paddings.shape(),
        input.shape()
    );
    let pairs = paddings.to_i64_vec()?;
    let mut dims = Vec::with_capacity(rank);
    for (dim, pair) in input.dims().iter().zip(pairs.chunks_exact(2)) {
        ensure!(
            pair[0] >= 0 && pair[1] >= 0,
            InvalidArgument,
            "Paddings must be non-negative: {} {}",
            pair[0],
            pair[1]
        );
        match dim.checked_add(pair[0]).and_then(|sum| sum.checked_add(pair[1])) {
            Some(sum) => dims.push(sum),
            None => bail!(InvalidArgument, "padding {dim} by {} and {} is too much", pair[0], pair[1]),
        }
    }
    let shape = Shape::new(&dims)?;
    if &shape == input.shape() {
        return Ok(input.clone());
    }
    let walk = match input.num_elements() {
        0 => Walk::new(0, [(0, 1)]),
        _ => {
            let steps = row_major_steps(&sizes(&shape));
            let start: usize = pairs.iter().step_by(2).zip(&steps).map(|(n, step)| *n as usize * *step as usize).sum();
            Walk::new(start, sizes(input.shape()).into_iter().zip(steps))
        }
    };
    moved(shape, &[input, filling], &PutInto(&walk))
}

/// The inner part of dy.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, paddings, dy, index) = (cx.x(0), cx.x(1), cx.dy(0)?, cx.dtype(1));
    let list = |values: &[i64]| -> Result<Output> { Ok(cx.graph.constant(int_tensor(values, index)?)) };
    let before = cx.op("Slice").input(paddings).input(list(&[0, 0])?).input(list(&[-1, 1])?).output();
    let begin = cx.op("Reshape").input(before).input(cx.graph.constant([-1i32])).output();
    let size = shape_node(cx, &x, index);
    let dx = cx.op("Slice").input(dy).input(begin).input(size).output();
    let mut grads = vec![None; cx.num_inputs()];
    grads[0] = Some(dx.into());
    Ok(grads)
}

/// Puts zeros around a tensor (`Pad`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0]]);
/// assert_eq!(eval(&x.pad(&[[1, 0], [0, 1]]))?, Tensor::from([[0f32, 0.0, 0.0], [1.0, 2.0, 0.0]]));
/// # Ok(())
/// # }
/// ```
pub trait PadOps {
    /// Returns this with so many zeros before and after it along each axis.
    fn pad(&self, paddings: &[[i32; 2]]) -> Output;
}

impl PadOps for Output {
    #[track_caller]
    fn pad(&self, paddings: &[[i32; 2]]) -> Output {
        let shape = Shape::new(&[paddings.len() as i64, 2]);
        match shape.and_then(|shape| Tensor::vector(paddings.as_flattened()).into_shape(shape)) {
            Ok(paddings) => {
                let paddings = self.graph().constant(paddings);
                self.graph().op("Pad").input(self).input(paddings).output()
            }
            Err(mistake) => {
                self.graph().note_mistake(mistake);
                self.clone()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_and_messages() {
        let x = Tensor::from([[1i32, 2], [3, 4]]);
        let nine = Tensor::from(9i32);
        let padded = pad(&x, &Tensor::from([[1i32, 0], [0, 2]]), &nine).unwrap();
        assert_eq!(padded, Tensor::from([[9i32, 9, 9, 9], [1, 2, 9, 9], [3, 4, 9, 9]]));
        let message = |paddings: Tensor| pad(&x, &paddings, &nine).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says each of these.
        assert_eq!(message(Tensor::from([[1i32, 0], [0, -1]])), "Paddings must be non-negative: 0 -1");
        assert_eq!(
            message(Tensor::from([[1i32, 0]])),
            "The first dimension of paddings must be the rank of inputs[1,2] [2,2]"
        );
        assert_eq!(message(Tensor::from([1i32, 0])), "paddings must be a matrix with 2 columns: [2]");
        assert!(message(Tensor::from([[i64::MAX, 1], [0, 0]])).starts_with("padding 2 by"));
    }
}
