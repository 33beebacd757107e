//! `NthElement`: the n-th smallest or greatest element of each row.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{Element, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

pub(crate) fn register(r: &mut Registry) {
    r.op("NthElement", "input: T, n: int32 -> values: T")
        .attr("reverse: bool = false")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .shape(shape)
        .kernel("T", types::REALS, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 1)?;
    cx.with_rank(1, 0)?;
    if let (Some(&[.., last]), Some(n)) = (input.raw_dims(), cx.int(1)) {
        ensure!(n >= 0, InvalidArgument, "Dimension must be non-negative but is {n}");
        ensure!(last < 0 || last > n, InvalidArgument, "Input must have last dimension > n = {n} but is {last}");
    }
    if let Some((_, outer)) = input.raw_dims().and_then(|dims| dims.split_last()) {
        cx.set(0, PartialShape::from_dims(outer));
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let reverse = node.attr_bool("reverse")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let values = nth_elements(cx.input(0)?, cx.input(1)?, reverse)?;
        cx.set_output(0, values);
        Ok(())
    }))
}

fn nth_elements(input: &Tensor, n: &Tensor, reverse: bool) -> Result<Tensor> {
    ensure!(n.shape().is_scalar(), InvalidArgument, "N must be scalar but has rank {}", n.shape().rank());
    let n = n.to_scalar::<i32>()?;
    ensure!(n >= 0, InvalidArgument, "n must be non-negative but is {n}");
    let Some((last, outer)) = input.dims().split_last() else {
        bail!(InvalidArgument, "Input must be at least rank 1 but is rank 0")
    };
    ensure!(i64::from(n) < *last, InvalidArgument, "Input must have last dimension > n = {n}");
    let (width, n) = (*last as usize, n as usize);
    let n = if reverse { width - 1 - n } else { n };
    fn of_rows<T: Element + PartialOrd>(input: &[T], out: &mut [T], width: usize, n: usize) {
        for (row, out) in input.chunks_exact(width).zip(out) {
            let mut row = row.to_vec();
            let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
            row.sort_by(order);
            *out = row[n];
        }
    }
    let shape = Shape::new(outer)?;
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let values = input.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            of_rows::<T>(values, out, width, n);
            Ok(())
        })
    })
}

/// The gradient goes, in equal parts, to the elements that have the value.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, y, dy) = (cx.x(0), cx.y(0), cx.dy(0)?);
    let last = || cx.graph.constant(-1i32);
    let wide = |output: &graph::Output| cx.op("ExpandDims").input(output).input(last()).output();
    let same = wide(&y).binary("Equal", "Equal", &x);
    let chosen = cx.op("Cast").input(same).attr("DstT", cx.dtype(0)).output();
    let count = wide(&cx.op("Sum").input(&chosen).input(last()).output());
    Ok(vec![Some(((chosen / count) * wide(&dy)).into()), None])
}
