//! Discrete Fourier transforms over the last one to three axes: of complex numbers `FFT`, `FFT2D`, `FFT3D` and their
//! inverses `IFFT`, `IFFT2D`, `IFFT3D`; of real ones `RFFT`, `RFFT2D`, `RFFT3D`, which leave out the half of the result that
//! mirrors the other, and their inverses `IRFFT`, `IRFFT2D`, `IRFFT3D`.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use math::fourier::Wave;
use num_complex::Complex;
use tensor::DType::{Complex64, Complex128, Double, Float};
use tensor::{DType, Element, PartialShape, Result, Shape, Tensor, bail, ensure};

const COMPLEX: &str = "Tcomplex: {complex64, complex128} = complex64";
const REAL: &str = "Treal: {float, double} = float";

pub(crate) fn register(r: &mut Registry) {
    for (suffix, rank) in [("", 1), ("2D", 2), ("3D", 3)] {
        for name in ["FFT", "IFFT"] {
            r.op(&format!("{name}{suffix}"), "input: Tcomplex -> output: Tcomplex")
                .attr(COMPLEX)
                .shape(complex_shape)
                .kernel("Tcomplex", &[Complex64, Complex128], kernel)
                .gradient(complex_gradient);
        }
        let real: [(&str, &str, GradFn); 2] = [
            ("RFFT", "input: Treal, fft_length: int32 -> output: Tcomplex", real_gradient),
            ("IRFFT", "input: Tcomplex, fft_length: int32 -> output: Treal", inverse_real_gradient),
        ];
        for (name, signature, gradient) in real {
            let entry = r.op(&format!("{name}{suffix}"), signature).attr(REAL).attr(COMPLEX).shape(real_shape);
            let entry = entry.kernel("Treal", &[Float, Double], kernel);
            // Neither has TensorFlow gradients in three dimensions.
            if rank < 3 {
                entry.gradient(gradient);
            }
        }
    }
}

/// What an op does, by its name.
#[derive(Clone, Copy)]
struct Transform {
    rank: usize,
    real: bool,
    inverse: bool,
}

impl Transform {
    fn of(op: &str) -> Transform {
        Transform {
            rank: if op.ends_with("2D") { 2 } else { 1 + 2 * op.ends_with("3D") as usize },
            real: op.contains("RFFT"),
            inverse: op.starts_with('I'),
        }
    }
}

fn complex_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank_at_least(0, Transform::of(&cx.node.op).rank)?;
    cx.set(0, shape);
    Ok(())
}

fn real_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let Transform { rank, inverse, .. } = Transform::of(&cx.node.op);
    let shape = cx.with_rank_at_least(0, rank)?;
    let lengths = cx.with_rank(1, 1)?;
    if let Some(count) = lengths.dim(0) {
        ensure!(count == rank as i64, InvalidArgument, "Dimension must be {rank} but is {count}");
    }
    let Some(dims) = shape.raw_dims() else { return Ok(()) };
    let (outer, _) = dims.split_at(dims.len() - rank);
    let lengths = cx.ints(1).filter(|lengths| lengths.len() == rank).unwrap_or_else(|| vec![-1; rank]);
    let mut dims = outer.to_vec();
    for (axis, length) in lengths.iter().enumerate() {
        let half = !inverse && axis + 1 == rank && *length > 0;
        dims.push(if half { length / 2 + 1 } else { (*length).max(-1) });
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let transform = Transform::of(&node.op);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let rank = transform.rank;
        ensure!(
            input.shape().rank() >= rank,
            InvalidArgument,
            "Input must have rank of at least {rank} but got: {}",
            input.shape()
        );
        let lengths = if transform.real { Some(lengths(&transform, input.shape(), cx.input(1)?)?) } else { None };
        let output = match (input.dtype(), lengths) {
            (Complex64, None) => complex::<f32>(&transform, input)?,
            (Complex128, None) => complex::<f64>(&transform, input)?,
            (Float, Some(lengths)) => forward::<f32>(input, &lengths)?,
            (Double, Some(lengths)) => forward::<f64>(input, &lengths)?,
            (Complex64, Some(lengths)) => backward::<f32>(input, &lengths)?,
            (Complex128, Some(lengths)) => backward::<f64>(input, &lengths)?,
            (other, _) => bail!(Internal, "elements of type {other} have no Fourier transform"),
        };
        ensure!(
            output.dtype() == cx.node.output_types[0].dtype,
            InvalidArgument,
            "Wrong types for {}: {} becomes {}, not {}",
            cx.node.op,
            input.dtype(),
            output.dtype(),
            cx.node.output_types[0].dtype
        );
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The lengths that real numbers are transformed at, which the input reaches on every axis.
fn lengths(transform: &Transform, shape: &Shape, lengths: &Tensor) -> Result<Vec<usize>> {
    let rank = transform.rank;
    ensure!(lengths.dims() == [rank as i64], InvalidArgument, "fft_length must have shape [{rank}]");
    let first = shape.rank() - rank;
    let mut out = Vec::with_capacity(rank);
    for (at, length) in lengths.to_i64_vec()?.into_iter().enumerate() {
        ensure!(length >= 0, InvalidArgument, "fft_length[{at}] must >= 0, but got: {length}");
        let least = if transform.inverse && at + 1 == rank { length as usize / 2 + 1 } else { length as usize };
        let dim = shape.dim(first + at);
        ensure!(
            dim == 0 || dim >= least,
            InvalidArgument,
            "Input dimension {} must have length of at least {least} but got: {dim}",
            first + at
        );
        out.push(length as usize);
    }
    Ok(out)
}

/// The sizes before the last `rank` axes, together, and those of the axes.
fn split(shape: &Shape, rank: usize) -> (usize, Vec<usize>) {
    let (outer, inner) = shape.dims().split_at(shape.rank() - rank);
    (outer.iter().map(|dim| *dim as usize).product(), inner.iter().map(|dim| *dim as usize).collect())
}

/// Transforms along each of the last axes of arrays of these dimensions, apart from the last `skip` ones.
fn along_axes<T: Wave>(values: &mut [Complex<T>], dims: &[usize], inverse: bool, skip: usize) {
    for axis in (0..dims.len() - skip).rev() {
        T::transform(values, dims[axis], dims[axis + 1..].iter().product(), inverse);
    }
}

fn complex<T: Wave>(transform: &Transform, input: &Tensor) -> Result<Tensor>
where
    Complex<T>: Element,
{
    let (_, dims) = split(input.shape(), transform.rank);
    Tensor::build(input.shape().clone(), |out: &mut [Complex<T>]| {
        out.copy_from_slice(input.as_slice()?);
        along_axes(out, &dims, transform.inverse, 0);
        Ok(())
    })
}

/// Copies the first elements of each axis: `from` and `to` are arrays of these dimensions, as many as there are.
fn crop<A: Copy, B>(from: &[A], from_dims: &[usize], to: &mut [B], to_dims: &[usize], put: &impl Fn(A) -> B) {
    let (Some((_, inner_from)), Some((count, inner_to))) = (from_dims.split_first(), to_dims.split_first()) else {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = put(*from));
        return;
    };
    let (step_from, step_to) = (inner_from.iter().product::<usize>(), inner_to.iter().product::<usize>());
    if step_to == 0 || step_from == 0 {
        return;
    }
    for (from, to) in from.chunks_exact(step_from).zip(to.chunks_exact_mut(step_to)).take(*count) {
        crop(from, inner_from, to, inner_to, put);
    }
}

/// The shape of the output: that of the input with other sizes of the last axes.
fn with_lengths(shape: &Shape, dims: &[usize]) -> Result<Shape> {
    let outer = &shape.dims()[..shape.rank() - dims.len()];
    let inner: Vec<i64> = dims.iter().map(|dim| *dim as i64).collect();
    Shape::new(&[outer, &inner].concat())
}

fn forward<T: Wave + Element>(input: &Tensor, lengths: &[usize]) -> Result<Tensor>
where
    Complex<T>: Element,
{
    let rank = lengths.len();
    let mut half = lengths.to_vec();
    half[rank - 1] = if half[rank - 1] == 0 { 0 } else { half[rank - 1] / 2 + 1 };
    let shape = with_lengths(input.shape(), &half)?;
    if input.num_elements() == 0 || shape.num_elements() == 0 {
        Tensor::check_size(<Complex<T> as Element>::DTYPE, &shape)?;
        return Tensor::zeros(<Complex<T> as Element>::DTYPE, &shape);
    }
    let (outer, dims) = split(input.shape(), rank);
    // All of the last axis, of which half is then left out.
    let full = with_lengths(input.shape(), lengths)?;
    let whole = Tensor::build(full, |whole: &mut [Complex<T>]| {
        let (from, to) = ([&[outer], &dims[..]].concat(), [&[outer], lengths].concat());
        crop(input.as_slice::<T>()?, &from, whole, &to, &|value| Complex::new(value, T::zero()));
        T::transform(whole, lengths[rank - 1], 1, false);
        Ok(())
    })?;
    Tensor::build(shape, |out: &mut [Complex<T>]| {
        crop(whole.as_slice()?, &[&[outer], lengths].concat(), out, &[&[outer], &half[..]].concat(), &|value| value);
        along_axes(out, &half, false, 1);
        Ok(())
    })
}

fn backward<T: Wave + Element>(input: &Tensor, lengths: &[usize]) -> Result<Tensor>
where
    Complex<T>: Element,
{
    let rank = lengths.len();
    let shape = with_lengths(input.shape(), lengths)?;
    if input.num_elements() == 0 || shape.num_elements() == 0 {
        Tensor::check_size(<T as Element>::DTYPE, &shape)?;
        return Tensor::zeros(<T as Element>::DTYPE, &shape);
    }
    let (outer, dims) = split(input.shape(), rank);
    let length = lengths[rank - 1];
    let mut half = lengths.to_vec();
    half[rank - 1] = length / 2 + 1;
    let known = Tensor::build(with_lengths(input.shape(), &half)?, |known: &mut [Complex<T>]| {
        crop(input.as_slice()?, &[&[outer], &dims[..]].concat(), known, &[&[outer], &half[..]].concat(), &|value| {
            value
        });
        along_axes(known, &half, true, 1);
        Ok(())
    })?;
    let whole = Tensor::build(shape.clone(), |whole: &mut [Complex<T>]| {
        let known = known.as_slice::<Complex<T>>()?.chunks_exact(length / 2 + 1);
        for (whole, known) in whole.chunks_exact_mut(length).zip(known) {
            for (at, value) in whole.iter_mut().enumerate() {
                // The second half mirrors the first one.
                *value = if at < known.len() { known[at] } else { known[length - at].conj() };
            }
        }
        T::transform(whole, length, 1, true);
        Ok(())
    })?;
    Tensor::build(shape, |out: &mut [T]| {
        out.iter_mut().zip(whole.as_slice::<Complex<T>>()?).for_each(|(out, whole)| *out = whole.re);
        Ok(())
    })
}

/// How many numbers are transformed together, as a node of the given type.
fn size(cx: &GradContext<'_>, of: &Output, rank: usize, dtype: DType) -> Output {
    let all = cx.op("Shape").input(of).output();
    let ends = [[-(rank as i32)], [0], [1]].map(|end| cx.graph.constant(end));
    let last = cx.op("StridedSlice").input(all).input(&ends[0]).input(&ends[1]).input(&ends[2]);
    let last = last.attr("end_mask", 1i64).output();
    let size = cx.op("Prod").input(last).input(cx.graph.constant([0i32])).output();
    cx.op("Cast").input(size).attr("DstT", dtype).output()
}

/// The name of the op that goes the other way.
fn other_way(op: &str) -> String {
    op.strip_prefix('I').map_or_else(|| format!("I{op}"), str::to_owned)
}

fn complex_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let Transform { rank, inverse, .. } = Transform::of(&cx.node.op);
    let dy = cx.dy(0)?;
    let size = size(cx, &dy, rank, cx.dtype(0));
    let back = cx.op(&other_way(&cx.node.op)).input(&dy).output();
    Ok(vec![Some(if inverse { back * size.unary("Reciprocal") } else { back * size }.into())])
}

/// A part of the last axis.
fn last_axis(cx: &GradContext<'_>, of: &Output, begin: i32, end: Option<i32>) -> Output {
    let ends = [[0, begin], [0, end.unwrap_or(0)], [1, 1]].map(|end| cx.graph.constant(end));
    let slice = cx.op("StridedSlice").input(of).input(&ends[0]).input(&ends[1]).input(&ends[2]);
    slice.attr("ellipsis_mask", 1i64).attr("end_mask", if end.is_some() { 0i64 } else { 2 }).output()
}

/// One number of a vector.
fn number(cx: &GradContext<'_>, of: &Output, at: i32) -> Output {
    let end = if at == -1 { 0 } else { at + 1 };
    let ends = [[at], [end], [1]].map(|end| cx.graph.constant(end));
    let slice = cx.op("StridedSlice").input(of).input(&ends[0]).input(&ends[1]).input(&ends[2]);
    slice.attr("shrink_axis_mask", 1i64).attr("end_mask", (at == -1) as i64).output()
}

fn cast(cx: &GradContext<'_>, value: &Output, dtype: DType) -> Output {
    cx.op("Cast").input(value).attr("DstT", dtype).output()
}

/// 0, 1, 2, ..
fn count(cx: &GradContext<'_>, length: &Output) -> Output {
    cx.op("Range").input(cx.graph.constant(0i32)).input(length).input(cx.graph.constant(1i32)).output()
}

/// The inverse, and what the first and (of an even length) the last numbers add, which have no mirror.
fn real_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let Transform { rank, .. } = Transform::of(&cx.node.op);
    let (dy, lengths, real) = (cx.dy(0)?, cx.x(1), cx.dtype(0));
    let complex = if real == Double { Complex128 } else { Complex64 };
    let shape = cx.op("Shape").input(cx.x(0)).output();
    let two = cx.graph.constant(2i32);
    let odd = |of: &Output| cx.op("FloorMod").input(of).input(&two).output();
    let even = cast(cx, &(1 - odd(&number(cx, &lengths, -1))), complex);
    let width = number(cx, &shape, -1);
    // 1, -1, 1, ..
    let signs = cast(cx, &(1 - odd(&count(cx, &width)) * 2), complex);
    let (first, last) = (last_axis(cx, &dy, 0, Some(1)), last_axis(cx, &dy, -1, None));
    let extra = if rank == 1 {
        first + even * last * signs
    } else {
        // The transform along the other axis, as a matrix: exp(-2 pi i j k / n) in row j and column k.
        let height = number(cx, &shape, -2);
        let line = count(cx, &height);
        let places = cx.op("ExpandDims").input(&line).input(cx.graph.constant(0i32)).output()
            * cx.op("ExpandDims").input(&line).input(cx.graph.constant(1i32)).output();
        let turn = cx.graph.constant(match complex {
            Complex128 => Tensor::scalar(Complex::new(0f64, -2.0 * std::f64::consts::PI)),
            _ => Tensor::scalar(Complex::new(0f32, -2.0 * std::f32::consts::PI)),
        });
        let angles = turn * cast(cx, &places, complex) / cast(cx, &height, complex);
        let matrix = angles.unary("Exp");
        let times = |side: &Output| cx.op("BatchMatMulV2").input(&matrix).input(side.unary("Conj")).output();
        times(&first) + even * (times(&last) * signs)
    };
    let extra = cx.op("Real").input(extra).attr("Tout", real).output();
    let back = cx.op(&other_way(&cx.node.op)).input(&dy).input(&lengths).attr("Treal", real).output();
    let gradient = (back * size(cx, &cx.x(0), rank, real) + extra) * 0.5;
    Ok(vec![Some(gradient.into()), None])
}

/// The transform, in which all numbers count twice but the first and (of an even length) the last, divided by their number.
fn inverse_real_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let Transform { rank, .. } = Transform::of(&cx.node.op);
    let (dy, lengths, complex) = (cx.dy(0)?, cx.x(1), cx.dtype(0));
    let real = if complex == Complex128 { Double } else { Float };
    let odd = cx.op("FloorMod").input(number(cx, &lengths, -1)).input(cx.graph.constant(2i32)).output();
    let width = number(cx, &cx.op("Shape").input(cx.x(0)).output(), -1);
    let ones = |count: &Output, value: f32| {
        let count = cx.op("ExpandDims").input(count).input(cx.graph.constant(0i32)).output();
        cast(cx, &cx.op("Fill").input(count).input(cx.graph.constant(value)).output(), real)
    };
    let parts = [ones(&cx.graph.constant(1i32), 1.0), ones(&(width - 2 + &odd), 2.0), ones(&(1 - odd), 1.0)];
    let mask = cx.op("ConcatV2").input_list(&parts).input(cx.graph.constant(0i32)).output();
    let scale = size(cx, &dy, rank, real).unary("Reciprocal");
    let forward = cx.op(&other_way(&cx.node.op)).input(&dy).input(&lengths).attr("Tcomplex", complex).output();
    Ok(vec![Some((forward * cast(cx, &(scale * mask), complex)).into()), None])
}
