//! `SoftmaxCrossEntropyWithLogits` and `SparseSoftmaxCrossEntropyWithLogits`: how far predictions are from labels,
//! together with the gradient, which needs the same numbers.

use std::panic::Location;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, broadcast_shapes};
use graph::{Gradient, Node, Output};
use math::broadcast::{BroadcastPlan, Plan, broadcast_copy};
use math::softmax::Softmax;
use tensor::DType::{self, BFloat16, Double, Float, Half};
use tensor::{PartialShape, Result, Shape, Tensor, ensure, err};

use crate::narrow_floats::{narrow, widen};

const TYPES: &[DType] = &[Float, Double, Half, BFloat16];

pub(crate) fn register(r: &mut Registry) {
    r.op("SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T")
        .attr("T: {half, bfloat16, float, double}")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("SparseSoftmaxCrossEntropyWithLogits", "features: T, labels: Tlabels -> loss: T, backprop: T")
        .attr("T: {half, bfloat16, float, double}")
        .attr("Tlabels: {int32, int64} = int64")
        .shape(sparse_shape)
        .kernel("T", TYPES, sparse_kernel)
        .gradient(sparse_gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (features, labels) = (cx.input(0), cx.input(1));
    let both = broadcast_shapes(&features, &labels).map_err(|status| {
        status.context(format_args!("for '{}' (op: '{}') with input shapes: {}", cx.node.name, cx.node.op, cx.shown()))
    })?;
    if let Some(rank) = both.rank() {
        ensure!(
            rank == 2,
            InvalidArgument,
            "Shape must be rank 2 but is rank {rank} for '{}' (op: '{}') with input shapes: {}",
            cx.node.name,
            cx.node.op,
            cx.shown()
        );
    }
    cx.set(0, PartialShape::vector(both.dim(0)));
    cx.set(1, PartialShape::new(&[both.dim(0), both.dim(1)]));
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (loss, backprop) = dense(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, loss);
        cx.set_output(1, backprop);
        Ok(())
    }))
}

/// Loss and gradient for labels that are distributions.
fn dense(features: &Tensor, labels: &Tensor) -> Result<(Tensor, Tensor)> {
    let plan = BroadcastPlan::new(features.dims(), labels.dims()).ok_or_else(|| {
        err!(
            InvalidArgument,
            "logits and labels must be broadcastable: logits_size={} labels_size={}",
            features.shape(),
            labels.shape()
        )
    })?;
    ensure!(
        plan.out_shape.len() == 2,
        InvalidArgument,
        "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
    );
    if matches!(features.dtype(), Half | BFloat16) {
        let (loss, backprop) = dense(&widen(features)?, &widen(labels)?)?;
        return Ok((narrow(&loss, features.dtype())?, narrow(&backprop, features.dtype())?));
    }
    let shape = Shape::new(&plan.out_shape)?;
    let (features, labels) = (to_shape(features, &shape)?, to_shape(labels, &shape)?);
    dispatch!(features.dtype(), T in [f32, f64] => {
        let (x, y) = (features.as_slice::<T>()?, labels.as_slice::<T>()?);
        with_loss(&shape, |classes, loss: &mut [T], backprop: &mut [T]| T::cross_entropy(classes, x, y, loss, backprop))
    })
}

/// The tensor repeated to a larger shape.
fn to_shape(tensor: &Tensor, shape: &Shape) -> Result<Tensor> {
    if tensor.shape() == shape {
        return Ok(tensor.clone());
    }
    let plan = Plan::to_shape(tensor.dims(), shape.dims())
        .ok_or_else(|| err!(Internal, "{} does not broadcast to {shape}", tensor.shape()))?;
    dispatch!(tensor.dtype(), T in [f32, f64] => {
        let values = tensor.as_slice::<T>()?;
        Tensor::build(shape.clone(), |out: &mut [T]| {
            broadcast_copy(&plan, values, out);
            Ok(())
        })
    })
}

/// Builds both outputs for logits of shape [batch, classes].
fn with_loss<T: tensor::Element>(
    shape: &Shape,
    compute: impl FnOnce(usize, &mut [T], &mut [T]),
) -> Result<(Tensor, Tensor)> {
    let (batch, classes) = (shape.dim(0), shape.dim(1));
    if batch == 0 || classes == 0 {
        return Ok((Tensor::zeros(T::DTYPE, &Shape::vector(batch))?, Tensor::zeros(T::DTYPE, shape)?));
    }
    let mut backprop = None;
    let loss = Tensor::build(Shape::vector(batch), |loss: &mut [T]| {
        backprop = Some(Tensor::build(shape.clone(), |backprop: &mut [T]| {
            compute(classes, loss, backprop);
            Ok(())
        })?);
        Ok(())
    })?;
    let backprop = backprop.ok_or_else(|| err!(Internal, "a loss without its gradient"))?;
    Ok((loss, backprop))
}

fn sparse_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (features, labels) = (cx.with_rank(0, 2)?, cx.with_rank(1, 1)?);
    if let (Some(rows), Some(count)) = (features.dim(0), labels.dim(0)) {
        ensure!(
            rows == count,
            InvalidArgument,
            "Dimensions must be equal, but are {rows} and {count} for '{}' (op: '{}') with input shapes: {}",
            cx.node.name,
            cx.node.op,
            cx.shown()
        );
    }
    let batch = features.dim(0).or(labels.dim(0));
    cx.set(0, PartialShape::vector(batch));
    cx.set(1, PartialShape::new(&[batch, features.dim(1)]));
    Ok(())
}

fn sparse_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (loss, backprop) = sparse(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, loss);
        cx.set_output(1, backprop);
        Ok(())
    }))
}

/// Loss and gradient for labels that are class numbers.
fn sparse(logits: &Tensor, labels: &Tensor) -> Result<(Tensor, Tensor)> {
    ensure!(logits.shape().rank() == 2, InvalidArgument, "logits must be 2-D, but got shape {}", logits.shape());
    ensure!(labels.shape().rank() == 1, InvalidArgument, "labels must be 1-D, but got shape {}", labels.shape());
    ensure!(
        logits.dims()[0] == labels.dims()[0],
        InvalidArgument,
        "logits and labels must have the same first dimension, got logits shape {} and labels shape {}",
        logits.shape(),
        labels.shape()
    );
    let classes = logits.dims()[1];
    ensure!(classes > 0, InvalidArgument, "Must have at least one class, but got logits shape {}", logits.shape());
    let numbers = labels.to_i64_vec()?;
    if let Some(wrong) = numbers.iter().find(|label| !(0..classes).contains(*label)) {
        let all: Vec<String> = numbers.iter().take(1000).map(i64::to_string).collect();
        return Err(err!(
            InvalidArgument,
            "Received a label value of {wrong} which is outside the valid range of [0, {classes}).  Label values: {}",
            all.join(" ")
        ));
    }
    if matches!(logits.dtype(), Half | BFloat16) {
        let (loss, backprop) = sparse(&widen(logits)?, labels)?;
        return Ok((narrow(&loss, logits.dtype())?, narrow(&backprop, logits.dtype())?));
    }
    dispatch!(logits.dtype(), T in [f32, f64] => {
        let x = logits.as_slice::<T>()?;
        with_loss(logits.shape(), |classes, loss: &mut [T], backprop: &mut [T]| {
            T::sparse_cross_entropy(classes, x, &numbers, loss, backprop);
        })
    })
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let for_features = for_features(cx)?;
    let for_labels = by_rows(cx, -cx.x(0).unary("LogSoftmax"))?;
    Ok(vec![Some(for_features.into()), Some(for_labels.into())])
}

fn sparse_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(for_features(cx)?.into()), None])
}

/// The loss's part, and for second derivatives that of the backprop output.
fn for_features(cx: &GradContext<'_>) -> Result<Output> {
    let first = by_rows(cx, cx.y(1))?;
    let Some(second) = cx.grad(1).map(Gradient::to_dense) else { return Ok(first) };
    let softmax = cx.x(0).unary("Softmax");
    let axis = cx.graph.constant([1i32]);
    let sum = cx.op("Sum").input(&second * &softmax).input(axis).attr("keep_dims", true).output();
    Ok(first + (second - sum) * softmax)
}

/// Each row times the gradient of its loss.
fn by_rows(cx: &GradContext<'_>, rows: Output) -> Result<Output> {
    let column = cx.op("ExpandDims").input(cx.dy(0)?).input(cx.graph.constant(-1i32)).output();
    Ok(column * rows)
}

/// How far rows of logits are from their labels; the logits come first.
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let logits = g.constant([[100f32, 0.0], [100.0, 0.0]]);
/// let classes = g.constant([0i32, 1]);
/// let loss = logits.sparse_softmax_cross_entropy_with_logits(&classes);
/// assert_eq!(eval(&loss)?, Tensor::from([0f32, 100.0]));
/// let loss = logits.softmax_cross_entropy_with_logits(&classes.one_hot(2));
/// assert_eq!(eval(&loss)?, Tensor::from([0f32, 100.0]));
/// # Ok(())
/// # }
/// ```
pub trait CrossEntropyOps {
    /// Returns the cross entropy of each row's softmax with its row of labels, a distribution.
    fn softmax_cross_entropy_with_logits(&self, labels: &Output) -> Output;
    /// Returns the cross entropy of each row's softmax with its label, the number of a class.
    fn sparse_softmax_cross_entropy_with_logits(&self, labels: &Output) -> Output;
}

impl CrossEntropyOps for Output {
    #[track_caller]
    fn softmax_cross_entropy_with_logits(&self, labels: &Output) -> Output {
        let op = "SoftmaxCrossEntropyWithLogits";
        over_rows(self, labels, op, "softmax_cross_entropy_with_logits", Location::caller())
    }

    #[track_caller]
    fn sparse_softmax_cross_entropy_with_logits(&self, labels: &Output) -> Output {
        let op = "SparseSoftmaxCrossEntropyWithLogits";
        over_rows(self, labels, op, op, Location::caller())
    }
}

/// Logits of more than two axes become rows for the op, and the losses take the outer axes again.
fn over_rows(logits: &Output, labels: &Output, op: &str, name: &str, at: &'static Location<'static>) -> Output {
    let graph = logits.graph();
    let loss = |logits: &Output, labels: &Output| graph.op(op).name(name).input(logits).input(labels).at(at).output();
    let shape = logits.shape();
    let classes = match shape.dims().as_deref() {
        None | Some([_, _]) => return loss(logits, labels),
        Some([.., classes]) => classes.map_or(-1, |classes| classes as i32),
        Some([]) => return loss(logits, labels),
    };
    let reshape = |x: &Output, dims: Tensor| graph.op("Reshape").input(x).input(graph.constant(dims)).at(at).output();
    let sparse = op.starts_with("Sparse");
    let rows = reshape(logits, Tensor::from([-1, classes]));
    let row_labels = reshape(labels, if sparse { Tensor::from([-1i32]) } else { Tensor::from([-1, classes]) });
    let losses = loss(&rows, &row_labels);
    if sparse {
        return graph.op("Reshape").input(losses).input(labels.unary("Shape")).at(at).output();
    }
    let (begin, end, step) = (graph.constant([0i32]), graph.constant([-1i32]), graph.constant([1i32]));
    let outer = graph
        .op("StridedSlice")
        .input(logits.unary("Shape"))
        .input(begin)
        .input(end)
        .input(step)
        .attr("begin_mask", 1i64)
        .at(at)
        .output();
    graph.op("Reshape").input(losses).input(outer).at(at).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(tensor: &Tensor) -> Vec<f64> {
        tensor.as_slice::<f64>().unwrap().iter().map(|x| (x * 1e6).round() / 1e6).collect()
    }

    /// TensorFlow 2.21 gives these.
    #[test]
    fn losses_gradients_and_broadcasting() {
        let (loss, backprop) = dense(&Tensor::from([[1f64; 3]; 2]), &Tensor::from([[1f64; 3]])).unwrap();
        assert_eq!((floats(&loss), floats(&backprop)), (vec![3.295837; 2], vec![-0.666667; 6]));
        let (loss, _) = dense(&Tensor::from([[1f64], [1.0]]), &Tensor::from([1f64; 3])).unwrap();
        assert_eq!(floats(&loss), vec![3.295837; 2]);
        let (loss, backprop) = sparse(&Tensor::from([[0f64, 1.0]]), &Tensor::from([1i32])).unwrap();
        assert_eq!((floats(&loss), floats(&backprop)), (vec![0.313262], vec![0.268941, -0.268941]));
    }

    /// TensorFlow 2.21 says this.
    #[test]
    fn what_does_not_fit() {
        let message = |status: tensor::Status| status.message().to_owned();
        let matrix = |rows: usize, columns: usize| {
            Tensor::zeros(Float, &Shape::new(&[rows as i64, columns as i64]).unwrap()).unwrap()
        };
        assert_eq!(
            message(dense(&matrix(2, 3), &matrix(2, 4)).unwrap_err()),
            "logits and labels must be broadcastable: logits_size=[2,3] labels_size=[2,4]"
        );
        assert_eq!(
            message(sparse(&matrix(2, 3), &Tensor::from([0i32, 3])).unwrap_err()),
            "Received a label value of 3 which is outside the valid range of [0, 3).  Label values: 0 3"
        );
        assert_eq!(
            message(sparse(&matrix(2, 0), &Tensor::from([0i32, 0])).unwrap_err()),
            "Must have at least one class, but got logits shape [2,0]"
        );
        let (loss, backprop) = dense(&matrix(2, 0), &matrix(2, 0)).unwrap();
        assert_eq!((loss, backprop.dims()), (Tensor::from([0f32, 0.0]), &[2i64, 0][..]));
    }
}
