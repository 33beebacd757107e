//! `BandedTriangularSolve`: solutions of systems whose triangular matrices are given by their diagonals.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, broadcast_shapes};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::matrices::{ADJOINT, ALLOWED, Matrices, TYPES, Wide, finish, place_of, solved, with_field};

pub(crate) fn register(r: &mut Registry) {
    r.op("BandedTriangularSolve", "matrix: T, rhs: T -> output: T")
        .attr("lower: bool = true")
        .attr(ADJOINT)
        .attr(ALLOWED)
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (bands, rhs) = (cx.with_rank_at_least(0, 2)?, cx.with_rank_at_least(1, 2)?);
    let (Some(&[ref outer @ .., count, size]), Some(&[ref other @ .., rows, width])) =
        (bands.raw_dims(), rhs.raw_dims())
    else {
        return Ok(());
    };
    ensure!(count != 0, InvalidArgument, "Shape must have at least one band");
    ensure!(
        size < 0 || rows < 0 || size == rows,
        InvalidArgument,
        "Dimensions must be equal, but are {size} and {rows}"
    );
    let outer = broadcast_shapes(&PartialShape::from_dims(outer), &PartialShape::from_dims(other))?;
    cx.set(0, outer.concatenate(&PartialShape::from_dims(&[if rows >= 0 { rows } else { size }, width])));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (lower, adjoint) = (node.attr_bool("lower")?, node.attr_bool("adjoint")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (bands, rhs) = (cx.input(0)?, cx.input(1)?);
        let output = with_field!(rhs.dtype(), T => solve::<T>(bands, rhs, lower, adjoint))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn solve<T: Wide>(bands: &Tensor, rhs: &Tensor, lower: bool, adjoint: bool) -> Result<Tensor> {
    let (ranks, sides) = ([bands.shape().rank(), rhs.shape().rank()], Matrices::<T>::of(rhs));
    ensure!(ranks[0] >= 2, InvalidArgument, "In[0] ndims must be >= 2: {}", ranks[0]);
    ensure!(ranks[1] >= 2, InvalidArgument, "In[1] ndims must be >= 2: {}", ranks[1]);
    let (bands, sides) = (Matrices::<T>::of(bands)?, sides?);
    let (count, size, width) = (bands.rows, bands.columns, sides.columns);
    ensure!(count > 0, InvalidArgument, "matrices must have at least one band, got {count}");
    ensure!(sides.rows == size, InvalidArgument, "In[0] mismatch In[1] shape: {size} vs. {}", sides.rows);
    let (a, b) = (PartialShape::from_dims(&bands.outer), PartialShape::from_dims(&sides.outer));
    let Some(outer) = broadcast_shapes(&a, &b)?.to_shape() else { bail!(Internal, "shapes are known here") };
    let dims = [outer.dims(), &[size as i64, width as i64]].concat();
    let shape = Shape::new(&dims)?;
    Tensor::check_size(T::DTYPE, &shape)?;
    // As TensorFlow, which looks at the first matrix alone.
    let diagonal = if lower { 0 } else { count - 1 };
    let singular = bands.count() > 0 && bands.one(0)[diagonal * size..][..size].contains(&T::zero());
    ensure!(!singular, InvalidArgument, "Input matrix is not invertible.");
    let mut out = Vec::with_capacity(shape.num_elements());
    for batch in 0..outer.num_elements() {
        let band = bands.one(place_of(batch, outer.dims(), &bands.outer));
        let mut x = sides.one(place_of(batch, outer.dims(), &sides.outer)).to_vec();
        // An element of the matrix: diagonals end below and begin above.
        let at = |row: usize, column: usize| {
            let (row, column) = if adjoint { (column, row) } else { (row, column) };
            let diagonal = if lower { row - column } else { count - 1 - (column - row) };
            let value = band[diagonal * size + row];
            if adjoint { value.conjugate() } else { value }
        };
        let forward = lower != adjoint;
        for step in 0..size {
            let row = if forward { step } else { size - 1 - step };
            for k in if forward { row.saturating_sub(count - 1)..row } else { row + 1..(row + count).min(size) } {
                let factor = at(row, k);
                for column in 0..width {
                    let known = x[k * width + column];
                    x[row * width + column] -= factor * known;
                }
            }
            let head = at(row, row);
            x[row * width..(row + 1) * width].iter_mut().for_each(|x| *x /= head);
        }
        out.extend(x);
    }
    finish(&dims, out, rhs.dtype())
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (adjoint, lower) = (cx.attr_bool("adjoint")?, cx.attr_bool("lower")?);
    let (a, b, graph) = (cx.x(0), cx.x(1), cx.graph);
    let node = cx.op("BandedTriangularSolve").input(&a).input(cx.dy(0)?).attr("lower", lower);
    let db = node.attr("adjoint", !adjoint).output();
    let whole = solved(cx, (&cx.y(0), &db), adjoint);
    let (a_shape, b_shape) = (a.unary("Shape"), b.unary("Shape"));
    let cut = |shape: &Output, begin: i32, end: i32, masks: i64| {
        let ends = [[begin], [end], [1]].map(|end| graph.constant(end));
        let node = cx.op("StridedSlice").input(shape).input(&ends[0]).input(&ends[1]).input(&ends[2]);
        node.attr("begin_mask", masks).output()
    };
    let far = cut(&a_shape, -2, -1, 0) - 1;
    let none = graph.constant([0i32]);
    let ends = if lower { [-far, none] } else { [none, far] };
    let range = cx.op("ConcatV2").input_list(&ends).input(graph.constant(0i32)).output();
    let zero = cx.op("Cast").input(graph.constant(0f32)).attr("DstT", cx.dtype(0)).output();
    let part = cx.op("MatrixDiagPartV3").input(whole).input(range).input(zero);
    let da = part.attr("align", "LEFT_RIGHT").output();
    let axes = cx.op("BroadcastGradientArgs").input(cut(&a_shape, 0, -2, 1)).input(cut(&b_shape, 0, -2, 1)).outputs();
    let [a_axes, b_axes] = &axes[..] else { bail!(Internal, "two lists of axes are missing") };
    let reduced = |grad: Output, axes: &Output, shape: Output| {
        let sum = cx.op("Sum").input(grad).input(axes).output();
        cx.op("Reshape").input(sum).input(shape).output()
    };
    Ok(vec![Some(reduced(da, a_axes, a_shape).into()), Some(reduced(db, b_axes, b_shape).into())])
}
