//! Matrices of three diagonals: `TridiagonalSolve`, systems of equations with them, and `TridiagonalMatMul`, products.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure};

use super::matrices::{Matrices, TYPES, Wide, finish, with_field};

const ALLOWED: &str = "T: {double, float, complex64, complex128}";

pub(crate) fn register(r: &mut Registry) {
    r.op("TridiagonalSolve", "diagonals: T, rhs: T -> output: T")
        .attr("partial_pivoting: bool = true")
        .attr("perturb_singular: bool = false")
        .attr(ALLOWED)
        .shape(solve_shape)
        .kernel("T", TYPES, solve_kernel)
        .gradient(solve_gradient);
    r.op("TridiagonalMatMul", "superdiag: T, maindiag: T, subdiag: T, rhs: T -> output: T")
        .attr(ALLOWED)
        .shape(product_shape)
        .kernel("T", TYPES, product_kernel)
        .gradient(product_gradient);
}

fn solve_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (diagonals, rhs) = (cx.with_rank_at_least(0, 2)?, cx.with_rank_at_least(1, 2)?);
    let (Some(&[ref outer @ .., three, size]), Some(&[ref other @ .., rows, width])) =
        (diagonals.raw_dims(), rhs.raw_dims())
    else {
        return Ok(());
    };
    ensure!(three < 0 || three == 3, InvalidArgument, "Dimension must be 3 but is {three}");
    ensure!(
        size < 0 || rows < 0 || size == rows,
        InvalidArgument,
        "Dimensions must be equal, but are {size} and {rows}"
    );
    let outer = PartialShape::from_dims(outer).merge(&PartialShape::from_dims(other))?;
    cx.set(0, outer.concatenate(&PartialShape::from_dims(&[if rows >= 0 { rows } else { size }, width])));
    Ok(())
}

fn solve_kernel(node: &Node) -> Result<Kernel> {
    let (pivots, perturb) = (node.attr_bool("partial_pivoting")?, node.attr_bool("perturb_singular")?);
    ensure!(pivots || !perturb, InvalidArgument, "Setting perturb_singular requires pivoting.");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (diagonals, rhs) = (cx.input(0)?, cx.input(1)?);
        let output = with_field!(rhs.dtype(), T => solve::<T>(diagonals, rhs, pivots, perturb))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn solve<T: Wide>(diagonals: &Tensor, rhs: &Tensor, pivots: bool, perturb: bool) -> Result<Tensor> {
    for (at, tensor) in [diagonals, rhs].into_iter().enumerate() {
        let rank = tensor.shape().rank();
        ensure!(rank >= 2, InvalidArgument, "Input tensor {at} must have rank >= 2, got {rank}");
    }
    let (lines, sides) = (Matrices::<T>::of(diagonals)?, Matrices::<T>::of(rhs)?);
    ensure!(lines.outer == sides.outer, InvalidArgument, "All input tensors must have the same outer dimensions.");
    ensure!(lines.rows == 3, InvalidArgument, "Expected diagonals to have 3 rows, got {}", lines.rows);
    ensure!(
        lines.columns == sides.rows,
        InvalidArgument,
        "The length of diagonals must be equal to number of rows in RHS: {} and {}",
        lines.columns,
        sides.rows
    );
    let mut out = Vec::with_capacity(rhs.num_elements());
    for (lines, side) in lines.each().zip(sides.each()) {
        let x = eliminate(lines, side, sides.columns, pivots, perturb);
        // Without numbers where there is no solution, as in TensorFlow.
        out.extend(x.unwrap_or_else(|| vec![T::from_real(f64::NAN); side.len()]));
    }
    finish(rhs.dims(), out, rhs.dtype())
}

/// Elimination in three diagonals, which with pivots become four.
fn eliminate<T: Wide>(lines: &[T], side: &[T], width: usize, pivots: bool, perturb: bool) -> Option<Vec<T>> {
    let size = lines.len() / 3;
    // Of each row: the elements at the diagonal, one and two beyond it.
    let mut rows: Vec<[T; 3]> =
        (0..size).map(|at| [lines[size + at], if at + 1 < size { lines[at] } else { T::zero() }, T::zero()]).collect();
    let mut x = side.to_vec();
    let scale = lines.iter().map(|value| value.modulus()).fold(0.0, f64::max);
    let nudge = |head: T| {
        if head == T::zero() && perturb { T::from_real(f64::EPSILON * scale.max(f64::MIN_POSITIVE)) } else { head }
    };
    for at in 0..size {
        let next = at + 1;
        let mut below = if next < size { lines[2 * size + next] } else { T::zero() };
        if pivots && next < size && below.modulus() > rows[at][0].modulus() {
            let lower = [below, rows[next][0], rows[next][1]];
            below = rows[at][0];
            rows[next] = [rows[at][1], rows[at][2], T::zero()];
            rows[at] = lower;
            (0..width).for_each(|column| x.swap(at * width + column, next * width + column));
        }
        rows[at][0] = nudge(rows[at][0]);
        if rows[at][0] == T::zero() {
            return None;
        }
        if next < size {
            let factor = below / rows[at][0];
            let head = rows[at];
            rows[next][0] -= factor * head[1];
            rows[next][1] -= factor * head[2];
            for column in 0..width {
                let known = x[at * width + column];
                x[next * width + column] -= factor * known;
            }
        }
    }
    for at in (0..size).rev() {
        for column in 0..width {
            let known = |far: usize| if at + far < size { x[(at + far) * width + column] } else { T::zero() };
            let rest = x[at * width + column] - rows[at][1] * known(1) - rows[at][2] * known(2);
            x[at * width + column] = rest / rows[at][0];
        }
    }
    Some(x)
}

fn product_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rhs = cx.with_rank_at_least(3, 2)?;
    let mut out = rhs.clone();
    let Some(&[ref outer @ .., rows, width]) = rhs.raw_dims() else { return Ok(()) };
    for index in 0..3 {
        let line = cx.with_rank_at_least(index, 2)?;
        let Some(&[ref other @ .., one, size]) = line.raw_dims() else { continue };
        ensure!(one < 0 || one == 1, InvalidArgument, "Dimension must be 1 but is {one}");
        ensure!(
            size < 0 || rows < 0 || size == rows,
            InvalidArgument,
            "Dimensions must be equal, but are {size} and {rows}"
        );
        let outer = PartialShape::from_dims(outer).merge(&PartialShape::from_dims(other))?;
        out = outer.concatenate(&PartialShape::from_dims(&[rows, width])).merge(&out)?;
    }
    cx.set(0, out);
    Ok(())
}

fn product_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let inputs = cx.inputs(0..4)?;
        let output = with_field!(inputs[3].dtype(), T => multiply::<T>(&inputs))?;
        drop(inputs);
        cx.set_output(0, output);
        Ok(())
    }))
}

fn multiply<T: Wide>(inputs: &[&Tensor]) -> Result<Tensor> {
    let rhs = inputs[3];
    let rank = rhs.shape().rank();
    ensure!(rank >= 2, InvalidArgument, "Expected inputs to have rank at least 2, got {rank}");
    let sides = Matrices::<T>::of(rhs)?;
    let mut lines = Vec::with_capacity(3);
    for (at, line) in inputs[..3].iter().enumerate() {
        let expected = sides.dims(&[1, sides.rows])?;
        ensure!(
            line.dims() == expected,
            InvalidArgument,
            "diagonal {at} must have the shape {expected:?}, as the right side {} asks, not {}",
            rhs.shape(),
            line.shape()
        );
        lines.push(Matrices::<T>::of(line)?);
    }
    let (size, width) = (sides.rows, sides.columns);
    let mut out = Vec::with_capacity(rhs.num_elements());
    for (number, x) in sides.each().enumerate() {
        let [above, main, below] = [0, 1, 2].map(|line: usize| lines[line].one(number));
        for row in 0..size {
            out.extend((0..width).map(|column| {
                let mut sum = main[row] * x[row * width + column];
                if row + 1 < size {
                    sum += above[row] * x[(row + 1) * width + column];
                }
                if row > 0 {
                    sum += below[row] * x[(row - 1) * width + column];
                }
                sum
            }));
        }
    }
    finish(rhs.dims(), out, rhs.dtype())
}

/// A part of the axis before the last one (`axis` 2) or of the last one (1).
fn part(cx: &GradContext<'_>, of: &Output, axis: usize, begin: i32, end: i32) -> Output {
    let bound = |at: i32, other: i32| if axis == 2 { vec![0, at, other] } else { vec![0, at] };
    let ends = [bound(begin, 0), bound(end, 0), vec![1; axis + 1]].map(|end| cx.graph.constant(Tensor::vector(&end)));
    let whole = if axis == 2 { 4 } else { 0 };
    let slice = cx.op("StridedSlice").input(of).input(&ends[0]).input(&ends[1]).input(&ends[2]);
    let (open_begin, open_end) = ((begin == 0) as i64 * 2, (end == 0) as i64 * 2);
    slice.attr("ellipsis_mask", 1i64).attr("begin_mask", open_begin | whole).attr("end_mask", open_end | whole).output()
}

/// Moves along an axis by one place, towards the front or the back, and puts a zero where nothing comes from.
fn shifted(cx: &GradContext<'_>, of: &Output, axis: usize, forward: bool) -> Output {
    let (kept, gap) = match forward {
        true => (part(cx, of, axis, 1, 0), part(cx, of, axis, 0, 1)),
        false => (part(cx, of, axis, 0, -1), part(cx, of, axis, 0, 1)),
    };
    let zero = gap.unary("ZerosLike");
    let parts = if forward { [kept, zero] } else { [zero, kept] };
    cx.op("ConcatV2").input_list(&parts).input(cx.graph.constant(-(axis as i32))).output()
}

fn conjugate(cx: &GradContext<'_>, of: &Output) -> Output {
    if cx.dtype(0).is_complex() { of.unary("Conj") } else { of.clone() }
}

fn sum_of_rows(cx: &GradContext<'_>, of: &Output) -> Output {
    cx.op("Sum").input(of).input(cx.graph.constant([-1i32])).output()
}

/// A vector of each matrix as a row or a column.
fn expanded(cx: &GradContext<'_>, of: &Output, axis: i32) -> Output {
    cx.op("ExpandDims").input(of).input(cx.graph.constant(axis)).output()
}

fn product_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let rhs = conjugate(cx, &cx.x(3));
    let line = |x: &Output| expanded(cx, &sum_of_rows(cx, &(x * &dy)), -2);
    let above = line(&shifted(cx, &rhs, 2, true));
    let (main, below) = (line(&rhs), line(&shifted(cx, &rhs, 2, false)));
    // The diagonals as columns.
    let column = |index: usize| {
        let squeezed = cx.op("Squeeze").input(conjugate(cx, &cx.x(index))).attr("squeeze_dims", vec![-2i64]).output();
        expanded(cx, &squeezed, -1)
    };
    let for_rhs =
        shifted(cx, &(column(0) * &dy), 2, false) + column(1) * &dy + shifted(cx, &(column(2) * &dy), 2, true);
    Ok(vec![Some(above.into()), Some(main.into()), Some(below.into()), Some(for_rhs.into())])
}

fn solve_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (lines, x, graph) = (cx.x(0), cx.y(0), cx.graph);
    let line = |at: i32| {
        let ends = [[0, at, 0], [0, at + 1, 0], [1, 1, 1]].map(|end| graph.constant(end));
        let slice = cx.op("StridedSlice").input(&lines).input(&ends[0]).input(&ends[1]).input(&ends[2]);
        slice.attr("ellipsis_mask", 1i64).attr("begin_mask", 4i64).attr("end_mask", 4i64).output()
    };
    let turned = [shifted(cx, &line(2), 1, true), line(1), shifted(cx, &line(0), 1, false)];
    let turned = cx.op("ConcatV2").input_list(&turned).input(graph.constant(-2i32)).output();
    let solve = cx.op("TridiagonalSolve").input(turned).input(cx.dy(0)?);
    let solve = solve.attr("partial_pivoting", cx.attr_bool("partial_pivoting")?);
    let for_rhs = solve.attr("perturb_singular", cx.attr_bool("perturb_singular")?).output();
    let product = |x: &Output| expanded(cx, &sum_of_rows(cx, &(&for_rhs * x)), -2);
    let parts = [product(&shifted(cx, &x, 2, true)), product(&x), product(&shifted(cx, &x, 2, false))];
    let for_lines = -cx.op("ConcatV2").input_list(&parts).input(graph.constant(-2i32)).output();
    Ok(vec![Some(for_lines.into()), Some(for_rhs.into())])
}
