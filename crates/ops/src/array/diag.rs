//! `Diag` and `DiagPart`: a tensor as the diagonal of one of twice its rank, and back.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use crate::moving::{PutInto, moved, taken};
use crate::strided::Walk;

const TYPES: &[DType] = &[BFloat16, Half, Float, Double, Int32, Int64, Complex64, Complex128];

pub(crate) fn register(r: &mut Registry) {
    const T: &str = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";
    r.op("Diag", "diagonal: T -> output: T")
        .attr(T)
        .shape(diag_shape)
        .kernel("T", TYPES, diag_kernel)
        .gradient(|cx| by(cx, "DiagPart"));
    r.op("DiagPart", "input: T -> diagonal: T")
        .attr(T)
        .shape(part_shape)
        .kernel("T", TYPES, part_kernel)
        .gradient(|cx| by(cx, "Diag"));
}

fn diag_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let diagonal = cx.with_rank_at_least(0, 1)?;
    let whole = diagonal.concatenate(&diagonal);
    cx.set(0, whole);
    Ok(())
}

fn part_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.input(0);
    let Some(dims) = input.raw_dims() else { return Ok(()) };
    ensure!(
        dims.len() % 2 == 0 && !dims.is_empty(),
        InvalidArgument,
        "Input must have even and non-zero rank, input rank is {}",
        dims.len()
    );
    let (first, second) = dims.split_at(dims.len() / 2);
    let part = PartialShape::from_dims(first).merge(&PartialShape::from_dims(second))?;
    cx.set(0, part);
    Ok(())
}

fn diag_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let diagonal = cx.input(0)?;
        ensure!(diagonal.shape().rank() >= 1, InvalidArgument, "Input must be at least rank 1, got 0");
        let shape = Shape::new(&[diagonal.dims(), diagonal.dims()].concat())?;
        let zero = Tensor::zeros(diagonal.dtype(), &Shape::scalar())?;
        let count = diagonal.num_elements();
        let whole = moved(shape, &[diagonal, &zero], &PutInto(&Walk::new(0, [(count, count as isize + 1)])))?;
        cx.set_output(0, whole);
        Ok(())
    }))
}

fn part_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let dims = input.dims();
        ensure!(
            dims.len() % 2 == 0 && !dims.is_empty(),
            InvalidArgument,
            "The rank of the tensor should be even and positive, got shape {}",
            input.shape()
        );
        let (first, second) = dims.split_at(dims.len() / 2);
        ensure!(
            first == second,
            InvalidArgument,
            "Invalid shape {}: dimensions {first:?} and {second:?} do not match.",
            input.shape()
        );
        let shape = Shape::new(first)?;
        let count = shape.num_elements();
        let part = taken(input, &Walk::new(0, [(count, count as isize + 1)]), shape)?;
        cx.set_output(0, part);
        Ok(())
    }))
}

fn by(cx: &GradContext<'_>, op: &str) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(cx.op(op).input(cx.dy(0)?).output().into())])
}
