//! Square matrices: `Cholesky`, `MatrixInverse`, `MatrixSolve`, `MatrixTriangularSolve`, `MatrixDeterminant` and
//! `LogMatrixDeterminant`, for batches of them. All are computed in double precision.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::DType::{self, Double, Float};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::cast::cast;

const TYPES: &[DType] = &[Float, Double];

pub(crate) fn register(r: &mut Registry) {
    const T: &str = "T: {double, float, half, complex64, complex128}";
    const ADJOINT: &str = "adjoint: bool = false";
    r.op("Cholesky", "input: T -> output: T")
        .attr(T)
        .shape(square_shape)
        .kernel("T", TYPES, cholesky_kernel)
        .gradient(cholesky_gradient);
    r.op("MatrixInverse", "input: T -> output: T")
        .attr(ADJOINT)
        .attr(T)
        .shape(square_shape)
        .kernel("T", TYPES, inverse_kernel)
        .gradient(inverse_gradient);
    r.op("MatrixSolve", "matrix: T, rhs: T -> output: T")
        .attr(ADJOINT)
        .attr(T)
        .shape(solve_shape)
        .kernel("T", TYPES, solve_kernel)
        .gradient(solve_gradient);
    r.op("MatrixTriangularSolve", "matrix: T, rhs: T -> output: T")
        .attr("lower: bool = true")
        .attr(ADJOINT)
        .attr("T: {bfloat16, double, float, half, complex64, complex128}")
        .shape(solve_shape)
        .kernel("T", TYPES, triangular_kernel)
        .gradient(triangular_gradient);
    r.op("MatrixDeterminant", "input: T -> output: T")
        .attr("T: {half, float, double, complex64, complex128}")
        .shape(determinant_shape)
        .kernel("T", TYPES, determinant_kernel)
        .gradient(determinant_gradient);
    r.op("LogMatrixDeterminant", "input: T -> sign: T, log_abs_determinant: T")
        .attr("T: {half, float, double, complex64, complex128}")
        .shape(determinant_shape)
        .kernel("T", TYPES, determinant_kernel)
        .gradient(log_determinant_gradient);
}

fn square(cx: &ShapeContext<'_>) -> Result<PartialShape> {
    let shape = cx.with_rank_at_least(0, 2)?;
    if let Some(&[.., rows, columns]) = shape.raw_dims() {
        ensure!(
            rows < 0 || columns < 0 || rows == columns,
            InvalidArgument,
            "Dimensions must be equal, but are {rows} and {columns} for '{}' (op: '{}')",
            cx.node.name,
            cx.node.op
        );
    }
    Ok(shape)
}

fn square_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = square(cx)?;
    cx.set(0, shape);
    Ok(())
}

fn determinant_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = square(cx)?;
    if let Some(&[ref outer @ .., _, _]) = shape.raw_dims() {
        for index in 0..cx.num_outputs() {
            cx.set(index, PartialShape::from_dims(outer));
        }
    }
    Ok(())
}

fn solve_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (matrix, rhs) = (square(cx)?, cx.with_rank_at_least(1, 2)?);
    let (Some(&[ref outer @ .., _, columns]), Some(&[ref other @ .., rows, width])) =
        (matrix.raw_dims(), rhs.raw_dims())
    else {
        return Ok(());
    };
    ensure!(
        rows < 0 || columns < 0 || rows == columns,
        InvalidArgument,
        "Dimensions must be equal, but are {columns} and {rows}"
    );
    let outer = if cx.node.op == "MatrixTriangularSolve" {
        graph::op::broadcast_shapes(&PartialShape::from_dims(outer), &PartialShape::from_dims(other))?
    } else {
        PartialShape::from_dims(outer).merge(&PartialShape::from_dims(other))?
    };
    let inner = PartialShape::from_dims(&[if rows >= 0 { rows } else { columns }, width]);
    cx.set(0, outer.concatenate(&inner));
    Ok(())
}

/// Batches of square matrices of doubles.
struct Squares {
    outer: Vec<i64>,
    size: usize,
    values: Vec<f64>,
}

impl Squares {
    fn of(tensor: &Tensor) -> Result<Squares> {
        let &[ref outer @ .., rows, columns] = tensor.dims() else {
            bail!(InvalidArgument, "Input tensor 0 must have rank >= 2")
        };
        ensure!(rows == columns, InvalidArgument, "Input matrix must be square.");
        let values = cast(tensor.clone(), Double, false)?.as_slice::<f64>()?.to_vec();
        Ok(Squares { outer: outer.to_vec(), size: rows as usize, values })
    }

    fn each(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact((self.size * self.size).max(1))
    }
}

fn finish(dims: &[i64], values: Vec<f64>, dtype: DType) -> Result<Tensor> {
    cast(Tensor::new(dims, values)?, dtype, false)
}

fn transposed(matrix: &[f64], size: usize) -> Vec<f64> {
    (0..size * size).map(|at| matrix[at % size * size + at / size]).collect()
}

fn cholesky_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let matrices = Squares::of(input)?;
        let mut out = Vec::with_capacity(matrices.values.len());
        for matrix in matrices.each() {
            out.extend(cholesky(matrix, matrices.size));
        }
        let output = finish(input.dims(), out, input.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The lower triangle whose product with its transpose is the matrix; only the matrix's lower triangle is read. A matrix
/// that has none gives a triangle without numbers, as in TensorFlow.
fn cholesky(matrix: &[f64], size: usize) -> Vec<f64> {
    let mut lower = vec![0f64; size * size];
    for row in 0..size {
        for column in 0..=row {
            let inner: f64 = (0..column).map(|k| lower[row * size + k] * lower[column * size + k]).sum();
            let rest = matrix[row * size + column] - inner;
            if row != column {
                lower[row * size + column] = rest / lower[column * size + column];
            } else if rest > 0.0 && rest.is_finite() {
                lower[row * size + column] = rest.sqrt();
            } else {
                return (0..size * size).map(|at| if at % size <= at / size { f64::NAN } else { 0.0 }).collect();
            }
        }
    }
    lower
}

/// A matrix taken apart by elimination: both triangles in one, the order of the rows, and the sign of that order.
struct Eliminated {
    size: usize,
    values: Vec<f64>,
    order: Vec<usize>,
    sign: f64,
}

impl Eliminated {
    fn new(matrix: &[f64], size: usize) -> Eliminated {
        let (mut values, mut order, mut sign) = (matrix.to_vec(), (0..size).collect::<Vec<_>>(), 1.0);
        for column in 0..size {
            let size_of = |row: usize, values: &[f64]| values[row * size + column].abs();
            let pivot = (column..size)
                .fold(column, |best, row| if size_of(row, &values) > size_of(best, &values) { row } else { best });
            if pivot != column {
                (0..size).for_each(|k| values.swap(pivot * size + k, column * size + k));
                order.swap(pivot, column);
                sign = -sign;
            }
            let head = values[column * size + column];
            if head == 0.0 {
                continue;
            }
            for row in column + 1..size {
                let factor = values[row * size + column] / head;
                values[row * size + column] = factor;
                for k in column + 1..size {
                    values[row * size + k] -= factor * values[column * size + k];
                }
            }
        }
        Eliminated { size, values, order, sign }
    }

    fn diagonal(&self) -> impl Iterator<Item = f64> {
        (0..self.size).map(|at| self.values[at * self.size + at])
    }

    /// # Errors
    /// `InvalidArgument` if the matrix, called `what`, has no inverse.
    fn solve(&self, rhs: &[f64], width: usize, what: &str) -> Result<Vec<f64>> {
        ensure!(self.diagonal().all(|value| value != 0.0), InvalidArgument, "{what} is not invertible.");
        let size = self.size;
        let mut x: Vec<f64> = self.order.iter().flat_map(|row| &rhs[row * width..(row + 1) * width]).copied().collect();
        for row in 0..size {
            for k in 0..row {
                let factor = self.values[row * size + k];
                (0..width).for_each(|column| x[row * width + column] -= factor * x[k * width + column]);
            }
        }
        for row in (0..size).rev() {
            for k in row + 1..size {
                let factor = self.values[row * size + k];
                (0..width).for_each(|column| x[row * width + column] -= factor * x[k * width + column]);
            }
            (0..width).for_each(|column| x[row * width + column] /= self.values[row * size + row]);
        }
        Ok(x)
    }
}

fn inverse_kernel(node: &Node) -> Result<Kernel> {
    let adjoint = node.attr_bool("adjoint")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let matrices = Squares::of(input)?;
        let size = matrices.size;
        let one: Vec<f64> = (0..size * size).map(|at| if at / size == at % size { 1.0 } else { 0.0 }).collect();
        let mut out = Vec::with_capacity(matrices.values.len());
        for matrix in matrices.each() {
            let inverse = Eliminated::new(matrix, size).solve(&one, size, "Input")?;
            out.extend(if adjoint { transposed(&inverse, size) } else { inverse });
        }
        let output = finish(input.dims(), out, input.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn solve_kernel(node: &Node) -> Result<Kernel> {
    let adjoint = node.attr_bool("adjoint")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (matrix, rhs) = (cx.input(0)?, cx.input(1)?);
        let matrices = Squares::of(matrix)?;
        let &[ref outer @ .., rows, width] = rhs.dims() else {
            bail!(InvalidArgument, "Input tensor 1 must have rank >= 2")
        };
        ensure!(outer == matrices.outer, InvalidArgument, "All input tensors must have the same outer dimensions.");
        ensure!(
            rows as usize == matrices.size,
            InvalidArgument,
            "Input matrix and rhs are incompatible: {} and {}",
            matrix.shape(),
            rhs.shape()
        );
        let values = cast(rhs.clone(), Double, false)?;
        let (size, width) = (matrices.size, width as usize);
        let mut out = Vec::with_capacity(rhs.num_elements());
        for (matrix, rhs) in matrices.each().zip(values.as_slice::<f64>()?.chunks_exact((size * width).max(1))) {
            let eliminated =
                if adjoint { Eliminated::new(&transposed(matrix, size), size) } else { Eliminated::new(matrix, size) };
            out.extend(eliminated.solve(rhs, width, "Input matrix")?);
        }
        let output = finish(rhs.dims(), out, rhs.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn triangular_kernel(node: &Node) -> Result<Kernel> {
    let (lower, adjoint) = (node.attr_bool("lower")?, node.attr_bool("adjoint")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (matrix, rhs) = (cx.input(0)?, cx.input(1)?);
        let matrices = Squares::of(matrix)?;
        let &[ref other @ .., rows, width] = rhs.dims() else {
            bail!(InvalidArgument, "In[1] ndims must be >= 2: {}", rhs.shape().rank())
        };
        ensure!(
            rows as usize == matrices.size,
            InvalidArgument,
            "In[0] mismatch In[1] shape: {} vs. {rows}: {} {}",
            matrices.size,
            matrix.shape(),
            rhs.shape()
        );
        let (a, b) = (PartialShape::from_dims(&matrices.outer), PartialShape::from_dims(other));
        let Some(outer) = graph::op::broadcast_shapes(&a, &b)?.to_shape() else {
            bail!(Internal, "shapes are known here")
        };
        let (size, width) = (matrices.size, width as usize);
        let values = cast(rhs.clone(), Double, false)?;
        let values = values.as_slice::<f64>()?;
        let dims = [outer.dims(), &[rows, width as i64]].concat();
        let mut out = Vec::with_capacity(Shape::new(&dims)?.num_elements());
        for batch in 0..outer.num_elements() {
            let (i, j) = (place_of(batch, outer.dims(), &matrices.outer), place_of(batch, outer.dims(), other));
            let matrix = &matrices.values[i * size * size..(i + 1) * size * size];
            let turned = if adjoint { transposed(matrix, size) } else { matrix.to_vec() };
            let mut x = values[j * size * width..(j + 1) * size * width].to_vec();
            let forward = lower != adjoint;
            for step in 0..size {
                let row = if forward { step } else { size - 1 - step };
                for k in if forward { 0..row } else { row + 1..size } {
                    let factor = turned[row * size + k];
                    (0..width).for_each(|column| x[row * width + column] -= factor * x[k * width + column]);
                }
                (0..width).for_each(|column| x[row * width + column] /= turned[row * size + row]);
            }
            out.extend(x);
        }
        let output = finish(&dims, out, rhs.dtype())?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The number of an element of a tensor of `own` dimensions that is broadcast to `dims`.
fn place_of(number: usize, dims: &[i64], own: &[i64]) -> usize {
    let (mut rest, mut place, mut step) = (number, 0, 1);
    for (back, dim) in dims.iter().rev().enumerate() {
        let at = rest % *dim as usize;
        rest /= *dim as usize;
        if let Some(size) = own.len().checked_sub(back + 1).map(|axis| own[axis] as usize) {
            place += if size == 1 { 0 } else { at * step };
            step *= size;
        }
    }
    place
}

fn determinant_kernel(node: &Node) -> Result<Kernel> {
    let logarithm = node.op == "LogMatrixDeterminant";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let matrices = Squares::of(input)?;
        let (mut signs, mut sizes) = (Vec::new(), Vec::new());
        let count = Shape::new(&matrices.outer)?.num_elements();
        for number in 0..count {
            let area = matrices.size * matrices.size;
            let parts = Eliminated::new(&matrices.values[number * area..(number + 1) * area], matrices.size);
            if logarithm {
                signs.push(
                    parts
                        .diagonal()
                        .fold(parts.sign, |sign, value| sign * if value == 0.0 { 0.0 } else { value.signum() }),
                );
                sizes.push(parts.diagonal().map(|value| value.abs().ln()).sum());
            } else {
                signs.push(parts.diagonal().fold(parts.sign, |product, value| product * value));
            }
        }
        let dtype = input.dtype();
        let first = finish(&matrices.outer, signs, dtype)?;
        cx.set_output(0, first);
        if logarithm {
            cx.set_output(1, finish(&matrices.outer, sizes, dtype)?);
        }
        Ok(())
    }))
}

/// The product of batches of matrices, the first or second one turned.
fn product(cx: &GradContext<'_>, a: &Output, turn_a: bool, b: &Output, turn_b: bool) -> Output {
    cx.op("BatchMatMulV2").input(a).input(b).attr("adj_x", turn_a).attr("adj_y", turn_b).output()
}

fn inverse_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (y, adjoint) = (cx.y(0), cx.attr_bool("adjoint")?);
    let inner = product(cx, &cx.dy(0)?, adjoint, &y, !adjoint);
    Ok(vec![Some((-product(cx, &y, !adjoint, &inner, false)).into())])
}

fn solved(cx: &GradContext<'_>, da_first: (&Output, &Output), adjoint: bool) -> Output {
    let (c, db) = da_first;
    if adjoint { -product(cx, c, false, db, true) } else { -product(cx, db, false, c, true) }
}

fn solve_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let adjoint = cx.attr_bool("adjoint")?;
    let db = cx.op("MatrixSolve").input(cx.x(0)).input(cx.dy(0)?).attr("adjoint", !adjoint).output();
    let da = solved(cx, (&cx.y(0), &db), adjoint);
    Ok(vec![Some(da.into()), Some(db.into())])
}

fn triangular_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (adjoint, lower) = (cx.attr_bool("adjoint")?, cx.attr_bool("lower")?);
    let (a, b) = (cx.x(0), cx.x(1));
    let node = cx.op("MatrixTriangularSolve").input(&a).input(cx.dy(0)?).attr("lower", lower);
    let db = node.attr("adjoint", !adjoint).output();
    let da = solved(cx, (&cx.y(0), &db), adjoint);
    let (below, above) = if lower { (-1i64, 0i64) } else { (0, -1) };
    let band = cx.op("MatrixBandPart").input(da);
    let da = band.input(cx.graph.constant(below)).input(cx.graph.constant(above)).output();
    let outer = |shape: &PartialShape| {
        shape.raw_dims().and_then(|dims| dims.len().checked_sub(2).map(|end| dims[..end].to_vec()))
    };
    if a.shape().is_fully_known() && b.shape().is_fully_known() && outer(&a.shape()) == outer(&b.shape()) {
        return Ok(vec![Some(da.into()), Some(db.into())]);
    }
    let graph = cx.graph;
    let (a_shape, b_shape) = (a.unary("Shape"), b.unary("Shape"));
    let cut = |shape: &Output| {
        let (begin, end, step) = (graph.constant([0i32]), graph.constant([-2i32]), graph.constant([1i32]));
        cx.op("StridedSlice").input(shape).input(begin).input(end).input(step).attr("begin_mask", 1i64).output()
    };
    let axes = cx.op("BroadcastGradientArgs").input(cut(&a_shape)).input(cut(&b_shape)).outputs();
    let [a_axes, b_axes] = &axes[..] else { bail!(Internal, "two lists of axes are missing") };
    let reduced = |grad: Output, axes: &Output, shape: Output| {
        let sum = cx.op("Sum").input(grad).input(axes).output();
        cx.op("Reshape").input(sum).input(shape).output()
    };
    Ok(vec![Some(reduced(da, a_axes, a_shape).into()), Some(reduced(db, b_axes, b_shape).into())])
}

fn cholesky_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (l, graph) = (cx.y(0), cx.graph);
    let zero = graph.constant(Tensor::zeros(cx.dtype(0), &Shape::scalar())?);
    // The identity: ones on the diagonals, as many and as long as those of l.
    let main = graph.constant(0i32);
    let part = cx.op("MatrixDiagPartV3").input(&l).input(&main).input(&zero).output().unary("OnesLike");
    let any = graph.constant(-1i32);
    let eye = cx.op("MatrixDiagV3").input(part).input(&main).input(&any).input(&any).input(&zero).output();
    let inverse = cx.op("MatrixTriangularSolve").input(&l).input(&eye).output();
    let middle = product(cx, &l, true, &cx.dy(0)?, false);
    // Half of the diagonal, and what is below it: the mean of the triangles with and without the diagonal.
    let below = |lower: i64, upper: i64| {
        cx.op("MatrixBandPart").input(&middle).input(graph.constant(lower)).input(graph.constant(upper)).output()
    };
    let middle = below(-1, 0) - below(0, 0) * 0.5;
    let inner = product(cx, &product(cx, &inverse, true, &middle, false), false, &inverse, false);
    let turned = product(cx, &inner, true, &eye, false);
    Ok(vec![Some(((inner + turned) * 0.5).into())])
}

/// The gradient of a determinant, up to a factor for each matrix, is the inverse, turned.
fn scaled_inverse(cx: &GradContext<'_>, factor: Output) -> Output {
    let inverse = cx.op("MatrixInverse").input(cx.x(0)).attr("adjoint", true).output();
    let shape = factor.unary("Shape");
    let ends = cx.graph.constant([1i32, 1]);
    let shape = cx.op("ConcatV2").input_list(&[shape, ends]).input(cx.graph.constant(0i32)).output();
    cx.op("Reshape").input(factor).input(shape).output() * inverse
}

fn determinant_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(scaled_inverse(cx, cx.dy(0)? * cx.y(0)).into())])
}

fn log_determinant_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(scaled_inverse(cx, cx.dy(1)?).into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_and_eliminations() {
        // [4 2; 2 5] = [2 0; 1 2] [2 1; 0 2]
        assert_eq!(cholesky(&[4.0, 2.0, 2.0, 5.0], 2), [2.0, 0.0, 1.0, 2.0]);
        // TensorFlow 2.21 has no numbers in the triangle either.
        assert!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2)[3].is_nan());
        let parts = Eliminated::new(&[0.0, 2.0, 1.0, 3.0], 2);
        // 0 x + 2 y = 4, x + 3 y = 5
        assert_eq!(parts.solve(&[4.0, 5.0], 1, "").unwrap(), [-1.0, 2.0]);
        assert_eq!(parts.diagonal().fold(parts.sign, |product, value| product * value), -2.0);
        assert!(Eliminated::new(&[1.0, 2.0, 2.0, 4.0], 2).solve(&[1.0, 1.0], 1, "").is_err());
    }

    #[test]
    fn places_of_broadcast_batches() {
        let places = |own: &[i64]| (0..4).map(|number| place_of(number, &[2, 2], own)).collect::<Vec<_>>();
        assert_eq!(places(&[2, 1]), [0, 0, 1, 1]);
        assert_eq!(places(&[2]), [0, 1, 0, 1]);
        assert_eq!(places(&[]), [0, 0, 0, 0]);
    }
}
