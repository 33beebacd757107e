//! `Select` and `SelectV2`: elements of one tensor or another, as a condition says.

use std::borrow::Cow;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, broadcast_shapes, types};
use graph::{Gradient, Node, Output};
use math::broadcast::{Plan, broadcast_copy};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err};

use crate::arguments::{kernel_by_size, shape_node};
use crate::array::broadcast_to;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("Select", "condition: bool, t: T, e: T -> output: T")
        .attr("T: type")
        .shape(select_shape)
        .kernel("T", types::ALL, select_kernel)
        .gradient(select_gradient);
    r.op("SelectV2", "condition: bool, t: T, e: T -> output: T")
        .attr("T: type")
        .shape(select_v2_shape)
        .kernel("T", types::ALL, select_v2_kernel)
        .gradient(select_v2_gradient);
}

fn select_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let data = cx.input(1).merge(&cx.input(2))?;
    let condition = cx.input(0);
    match (condition.rank(), data.rank()) {
        // A scalar says it for all, a vector for rows; anything else has the shape of the data.
        (None, _) | (Some(0), _) | (_, None) => {}
        (Some(1), Some(0)) => bail!(InvalidArgument, "Shapes must be equal rank, but are 0 and 1"),
        (Some(1), Some(_)) => {
            PartialShape::vector(data.dim(0)).merge(&condition)?;
        }
        _ => {
            cx.set(0, data.merge(&condition)?);
            return Ok(());
        }
    }
    cx.set(0, data);
    Ok(())
}

fn select_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let chosen = select(cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.node)?;
        cx.set_output(0, chosen);
        Ok(())
    }))
}

/// Takes from the inputs `t` and `e`, `run` elements for every condition.
struct Choose<'a> {
    condition: &'a [bool],
    run: usize,
}

impl Move for Choose<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let run = self.run;
        math::threads::parallel_units(out, run, (32 * 1024 / run).max(1), |first, out| {
            let count = out.len() / run;
            let (t, e) = (&inputs[0][first * run..], &inputs[1][first * run..]);
            let condition = &self.condition[first..first + count];
            if run == 1 {
                for (((slot, condition), t), e) in out.iter_mut().zip(condition).zip(t).zip(e) {
                    *slot = if *condition { t.clone() } else { e.clone() };
                }
            } else {
                for (row, condition) in condition.iter().enumerate() {
                    let from = if *condition { t } else { e };
                    out[row * run..(row + 1) * run].clone_from_slice(&from[row * run..(row + 1) * run]);
                }
            }
        });
    }
}

fn select(condition: &Tensor, t: &Tensor, e: &Tensor, node: &Node) -> Result<Tensor> {
    let differ = |index: usize, a: &Tensor, other: usize, b: &Tensor| {
        err!(
            InvalidArgument,
            "Inputs to operation {} of type {} must have the same size and shape.  Input {index}: {} != input {other}: {}",
            node.name,
            node.op,
            a.shape(),
            b.shape()
        )
    };
    let flags = condition.as_slice::<bool>()?;
    let count = t.num_elements();
    if condition.shape().is_scalar() {
        ensure!(
            t.shape() == e.shape(),
            InvalidArgument,
            "'then' and 'else' must have the same size.  but received: {} vs. {}",
            t.shape(),
            e.shape()
        );
        return Ok(if flags == [true] { t.clone() } else { e.clone() });
    }
    if condition.shape().rank() == 1 && t.shape().rank() != 1 {
        ensure!(
            t.shape().rank() > 0,
            InvalidArgument,
            "'then' must be at least a vector, but saw shape: {}",
            t.shape()
        );
        ensure!(
            t.shape().dim(0) == flags.len(),
            InvalidArgument,
            "Number of batches of 'then' must match size of 'cond', but saw: {} vs. {}",
            t.dims()[0],
            flags.len()
        );
        ensure!(
            t.shape() == e.shape(),
            InvalidArgument,
            "'then' and 'else' must have the same size.  but received: {} vs. {}",
            t.shape(),
            e.shape()
        );
        if count == 0 {
            return Ok(t.clone());
        }
        return moved(t.shape().clone(), &[t, e], &Choose { condition: flags, run: count / flags.len() });
    }
    if condition.shape() != t.shape() {
        return Err(differ(0, condition, 1, t));
    }
    if condition.shape() != e.shape() {
        return Err(differ(0, condition, 2, e));
    }
    moved(t.shape().clone(), &[t, e], &Choose { condition: flags, run: 1 })
}

fn select_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (condition, dy) = (cx.x(0), cx.dy(0)?);
    let zeros = cx.op("ZerosLike").input(cx.x(1)).output();
    let pick = |t: &Output, e: &Output| cx.op("Select").input(&condition).input(t).input(e).output();
    Ok(vec![None, Some(pick(&dy, &zeros).into()), Some(pick(&zeros, &dy).into())])
}

fn select_v2_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let data = broadcast_shapes(&cx.input(1), &cx.input(2))?;
    cx.set(0, broadcast_shapes(&cx.input(0), &data)?);
    Ok(())
}

fn select_v2_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let chosen = select_v2(cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, chosen);
        Ok(())
    }))
}

/// As [`Choose`] with one element a condition, for inputs that are stretched to the output's shape first.
struct ChooseStretched<'a> {
    condition: &'a [bool],
    plans: [Option<Plan<1>>; 2],
}

impl Move for ChooseStretched<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let stretch = |index: usize| -> Cow<'_, [T]> {
            match (&self.plans[index], inputs[index]) {
                (Some(plan), [first, ..]) => {
                    let mut wide = vec![first.clone(); out.len()];
                    broadcast_copy(plan, inputs[index], &mut wide);
                    Cow::Owned(wide)
                }
                _ => Cow::Borrowed(inputs[index]),
            }
        };
        let (t, e) = (stretch(0), stretch(1));
        Choose { condition: self.condition, run: 1 }.run(&[&t, &e], out);
    }
}

/// Elements of `t` where the condition holds, else of `e`, all three broadcast against each other.
pub(crate) fn select_v2(condition: &Tensor, t: &Tensor, e: &Tensor) -> Result<Tensor> {
    let misfit = || {
        err!(
            InvalidArgument,
            "condition {}, then {}, and else {} must be broadcastable",
            condition.shape(),
            t.shape(),
            e.shape()
        )
    };
    let plan = Plan::of([condition.dims(), t.dims(), e.dims()]).ok_or_else(misfit)?;
    let shape = Shape::new(&plan.out_shape)?;
    Tensor::check_size(t.dtype(), &shape)?;
    if let ([flag], true) = (condition.as_slice::<bool>()?, condition.shape().rank() <= shape.rank()) {
        let chosen = if *flag { t } else { e };
        return broadcast_to(chosen.clone(), shape.dims());
    }
    let condition = broadcast_to(condition.clone(), shape.dims())?;
    let stretched = |tensor: &Tensor| match tensor.shape() == &shape {
        true => Ok(None),
        false => Plan::to_shape(tensor.dims(), shape.dims()).map(Some).ok_or_else(misfit),
    };
    let how = ChooseStretched { condition: condition.as_slice()?, plans: [stretched(t)?, stretched(e)?] };
    moved(shape.clone(), &[t, e], &how)
}

fn select_v2_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (condition, dy, y) = (cx.x(0), cx.dy(0)?, cx.y(0));
    let zero = cx.graph.constant(Tensor::zeros(cx.dtype(1), &Shape::scalar())?);
    let pick = |t: &Output, e: &Output| cx.op("SelectV2").input(&condition).input(t).input(e).output();
    let reduced = |gradient: Output, index: usize| -> Result<Output> {
        let x = cx.x(index);
        if x.shape().is_fully_known() && x.shape() == y.shape() {
            return Ok(gradient);
        }
        let (x_shape, y_shape) = (shape_node(cx, &x, DType::Int32), shape_node(cx, &y, DType::Int32));
        let axes = cx.op("BroadcastGradientArgs").input(&x_shape).input(y_shape).output();
        let sum = cx.op("Sum").input(gradient).input(axes).attr("keep_dims", true).output();
        Ok(cx.op("Reshape").input(sum).input(x_shape).output())
    };
    let dt = reduced(pick(&dy, &zero), 1)?;
    let de = reduced(pick(&zero, &dy), 2)?;
    Ok(vec![None, Some(dt.into()), Some(de.into())])
}

/// Takes each element from one tensor or another (`SelectV2`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, -2.0]);
/// let y = x.greater(0.0).select(&x, &(&x * 0.5));
/// assert_eq!(eval(&y)?, Tensor::from([1f32, -1.0]));
/// # Ok(())
/// # }
/// ```
pub trait SelectOps {
    /// Returns, with this as the condition, elements of `t` where it holds, else of `e`.
    fn select(&self, t: &Output, e: &Output) -> Output;
}

impl SelectOps for Output {
    #[track_caller]
    fn select(&self, t: &Output, e: &Output) -> Output {
        self.graph().op("SelectV2").input(self).input(t).input(e).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_are_stretched() {
        let condition = Tensor::from([[true], [false]]);
        let chosen = select_v2(&condition, &Tensor::from([1i32, 2]), &Tensor::from(9i32)).unwrap();
        assert_eq!(chosen, Tensor::from([[1i32, 2], [9, 9]]));
        let one = select_v2(&Tensor::from([[true]]), &Tensor::from([1i32, 2]), &Tensor::from(9i32)).unwrap();
        assert_eq!(one, Tensor::from([[1i32, 2]]));
        let strings = select_v2(&Tensor::from([true, false]), &Tensor::from("a"), &Tensor::from("b")).unwrap();
        assert_eq!(strings, Tensor::string_vector(["a", "b"]));
        let wrong = select_v2(&Tensor::from([true, false]), &Tensor::from([1i32, 2, 3]), &Tensor::from(0i32));
        // TensorFlow 2.21 says the same.
        assert_eq!(wrong.unwrap_err().message(), "condition [2], then [3], and else [] must be broadcastable");
    }

    #[test]
    fn a_vector_chooses_rows() {
        let bench = crate::testing::Bench::new();
        let run = |condition: Tensor, t: Tensor, e: Tensor| {
            let attrs = [("T", graph::AttrValue::Type(t.dtype()))];
            let inputs = [condition, t, e].map(graph::op::Value::Tensor).to_vec();
            bench.value("Select", &attrs, inputs)
        };
        let (t, e) = (Tensor::from([[1i32, 2], [3, 4]]), Tensor::from([[5i32, 6], [7, 8]]));
        let rows = run(Tensor::from([false, true]), t.clone(), e.clone()).unwrap();
        assert_eq!(rows, Tensor::from([[5i32, 6], [3, 4]]));
        let message = run(Tensor::from([true]), t, e).unwrap_err().message().to_owned();
        assert_eq!(message, "Number of batches of 'then' must match size of 'cond', but saw: 2 vs. 1");
    }
}
