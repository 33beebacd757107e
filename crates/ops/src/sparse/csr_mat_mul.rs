//! `SparseMatrixMatMul` and `SparseMatrixSparseMatMul`: products of a sparse matrix with a dense one and with a sparse one.

use std::collections::BTreeMap;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::number::Number;
use tensor::{Complex64, Complex128, Result, Shape, Tensor, ensure};

use super::csr_value::{CsrMatrix, ELEMENTS, TYPES, conjugated};

pub(crate) fn register(r: &mut Registry) {
    r.op("SparseMatrixMatMul", "a: variant, b: T -> output: T")
        .attr("T: type")
        .attr("transpose_a: bool = false")
        .attr("transpose_b: bool = false")
        .attr("adjoint_a: bool = false")
        .attr("adjoint_b: bool = false")
        .attr("transpose_output: bool = false")
        .attr("conjugate_output: bool = false")
        .shape(ShapeContext::unknown)
        .kernel("T", TYPES, dense_kernel);
    r.op("SparseMatrixSparseMatMul", "a: variant, b: variant -> c: variant")
        .attr(ELEMENTS)
        .attr("transpose_a: bool = false")
        .attr("transpose_b: bool = false")
        .attr("adjoint_a: bool = false")
        .attr("adjoint_b: bool = false")
        .shape(ShapeContext::scalar)
        .kernel("type", TYPES, sparse_kernel);
}

/// How a factor is turned: whether at all, and whether conjugated.
fn turned(node: &Node, side: &str) -> Result<(bool, bool)> {
    let (transpose, adjoint) =
        (node.attr_bool(&format!("transpose_{side}"))?, node.attr_bool(&format!("adjoint_{side}"))?);
    ensure!(!(transpose && adjoint), InvalidArgument, "Only one of adjoint_{side} and transpose_{side} may be true.");
    Ok((transpose || adjoint, adjoint))
}

fn dense_kernel(node: &Node) -> Result<Kernel> {
    let (turn_a, turn_b) = (turned(node, "a")?, turned(node, "b")?);
    let (transpose, conjugate) = (node.attr_bool("transpose_output")?, node.attr_bool("conjugate_output")?);
    let dtype = node.attr_type("T")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let a = CsrMatrix::input(cx, 0, dtype)?;
        let a = if turn_a.0 { a.transposed(turn_a.1)? } else { a };
        let b = cx.input(1)?;
        let b = if turn_b.1 { conjugated(b)? } else { b.clone() };
        let rank = a.dims.len();
        ensure!(
            b.dims().len() == rank && (rank == 2 || b.dims()[0] == a.dims[0]),
            InvalidArgument,
            "Ranks and batch sizes of a and b must be equal, but are {:?} and {}",
            a.dims,
            b.shape()
        );
        let (b_rows, b_columns) = (b.dims()[rank - 2] as usize, b.dims()[rank - 1] as usize);
        let (inner, width) = if turn_b.0 { (b_columns, b_rows) } else { (b_rows, b_columns) };
        ensure!(
            a.width() == inner,
            InvalidArgument,
            "Inner product dimensions of a and b do not agree.  Shapes are: {:?} vs. {}",
            a.dims,
            b.shape()
        );
        let height = a.height();
        let mut dims = a.dims.clone();
        (dims[rank - 2], dims[rank - 1]) =
            if transpose { (width as i64, height as i64) } else { (height as i64, width as i64) };
        let shape = Shape::new(&dims)?;
        Tensor::check_size(dtype, &shape)?;
        let product = dispatch!(dtype, T in [f32, f64, Complex64, Complex128] => {
            let (left, right) = (a.values.as_slice::<T>()?, b.as_slice::<T>()?);
            Tensor::build(shape, |out: &mut [T]| {
                let mut sums = vec![<T as Number>::ZERO; width];
                for (number, row) in (0..a.batch()).flat_map(|number| (0..height).map(move |row| (number, row))) {
                    sums.fill(<T as Number>::ZERO);
                    for place in a.row(number, row) {
                        let (from, factor) = (a.columns[place] as usize, left[place]);
                        for (column, sum) in sums.iter_mut().enumerate() {
                            let at = if turn_b.0 { column * b_columns + from } else { from * b_columns + column };
                            *sum = sum.plus(factor.times(right[number * b_rows * b_columns + at]));
                        }
                    }
                    for (column, sum) in sums.iter().enumerate() {
                        let to = if transpose { column * height + row } else { row * width + column };
                        out[number * height * width + to] = *sum;
                    }
                }
                Ok(())
            })
        })?;
        cx.set_output(0, if conjugate { conjugated(&product)? } else { product });
        Ok(())
    }))
}

fn sparse_kernel(node: &Node) -> Result<Kernel> {
    let (turn_a, turn_b) = (turned(node, "a")?, turned(node, "b")?);
    let dtype = node.attr_type("type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let turn = |matrix: CsrMatrix, (turn, conjugate): (bool, bool)| {
            if turn { matrix.transposed(conjugate) } else { Ok(matrix) }
        };
        let a = turn(CsrMatrix::input(cx, 0, dtype)?, turn_a)?;
        let b = turn(CsrMatrix::input(cx, 1, dtype)?, turn_b)?;
        let counts = (a.batch(), b.batch());
        ensure!(
            a.dims.len() == b.dims.len() && (counts.0 == counts.1 || counts.0 == 1 || counts.1 == 1),
            InvalidArgument,
            "Batch sizes of A and B are not compatible.  Batch sizes are: {} vs. {}",
            counts.0,
            counts.1
        );
        ensure!(
            a.width() == b.height(),
            InvalidArgument,
            "Inner product dimensions of A and B do not agree.  Shapes are: {:?} vs. {:?}",
            a.dims,
            b.dims
        );
        let batch = if counts.0 == 1 { counts.1 } else { counts.0 };
        let rank = a.dims.len();
        let mut dims = a.dims.clone();
        dims[rank - 1] = b.width() as i64;
        if rank == 3 {
            dims[0] = batch as i64;
        }
        let of = |number: usize, count: usize| if count == 1 { 0 } else { number };
        let made = dispatch!(dtype, T in [f32, f64, Complex64, Complex128] => {
            let (left, right) = (a.values.as_slice::<T>()?, b.values.as_slice::<T>()?);
            let (mut coordinates, mut values) = (Vec::new(), Vec::new());
            for (number, row) in (0..batch).flat_map(|number| (0..a.height()).map(move |row| (number, row))) {
                // Sums that happen to be zero stay, as in TensorFlow.
                let mut sums: BTreeMap<i32, T> = BTreeMap::new();
                for place in a.row(of(number, counts.0), row) {
                    for other in b.row(of(number, counts.1), a.columns[place] as usize) {
                        let sum = sums.entry(b.columns[other]).or_insert(<T as Number>::ZERO);
                        *sum = sum.plus(left[place].times(right[other]));
                    }
                }
                tensor::memory::ensure_free(sums.len() as u64 * 40, format_args!("a row of a sparse product"))?;
                for (column, sum) in sums {
                    if rank == 3 {
                        coordinates.push(number as i64);
                    }
                    coordinates.extend([row as i64, column as i64]);
                    values.push(sum);
                }
            }
            CsrMatrix::at(&dims, &coordinates, &Tensor::vector(&values))
        })?;
        cx.set_output(0, made.into_tensor()?);
        Ok(())
    }))
}
