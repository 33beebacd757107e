//! `SegmentSum`, `SegmentMean`, `SegmentMin`, `SegmentMax` and `SegmentProd`: rows gathered by segment, whose ids are in order.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, Output};
use math::number::{Number, Real};
use tensor::{Complex64, Complex128, Element, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::arguments::int_scalar;
use crate::array::place_in;

pub(crate) fn register(r: &mut Registry) {
    for name in ["SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"] {
        let allowed = if matches!(name, "SegmentMin" | "SegmentMax") { REALS } else { NUMBERS };
        let entry = r
            .op(name, "data: T, segment_ids: Tindices -> output: T")
            .attr(allowed)
            .attr("Tindices: {int32, int64}")
            .shape(sorted_shape)
            .kernel("T", if allowed == REALS { types::REALS } else { types::NUMBERS }, sorted_kernel);
        match name {
            "SegmentSum" => drop(entry.gradient(sum_gradient)),
            "SegmentMean" => drop(entry.gradient(mean_gradient)),
            "SegmentMin" | "SegmentMax" => drop(entry.gradient(extreme_gradient)),
            _ => drop(entry.gradient(prod_gradient)),
        }
    }
}

pub(super) const REALS: &str =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

pub(super) const NUMBERS: &str = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, \
                       qint16, quint16, uint16, complex128, half, uint32, uint64}";

fn sorted_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    let data = cx.with_rank_at_least(0, 1)?;
    if let Some([_, rest @ ..]) = data.raw_dims() {
        cx.set(0, PartialShape::from_dims(&[&[-1], rest].concat()));
    }
    Ok(())
}

/// How the rows of a segment become one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum How {
    Sum,
    Mean,
    Prod,
    Min,
    Max,
}

impl How {
    pub(super) fn of(node: &Node) -> How {
        match node.op.trim_start_matches("Unsorted") {
            "SegmentMean" => How::Mean,
            "SegmentProd" => How::Prod,
            "SegmentMin" => How::Min,
            "SegmentMax" => How::Max,
            _ => How::Sum,
        }
    }
}

fn sorted_kernel(node: &Node) -> Result<Kernel> {
    let how = How::of(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let result = sorted(how, cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, result);
        Ok(())
    }))
}

fn sorted(how: How, data: &Tensor, ids: &Tensor) -> Result<Tensor> {
    ensure!(ids.shape().rank() == 1, InvalidArgument, "segment_ids should be a vector.");
    let Some((rows, inner)) = data.dims().split_first() else {
        bail!(InvalidArgument, "Shape must be at least rank 1")
    };
    let segments = ids.to_i64_vec()?;
    ensure!(
        *rows == segments.len() as i64,
        InvalidArgument,
        "segment_ids should be the same size as dimension 0 of input."
    );
    let mut before = 0;
    for (place, id) in segments.iter().enumerate() {
        ensure!(*id >= 0, InvalidArgument, "segment ids must be >= 0");
        ensure!(place == 0 || *id >= before, InvalidArgument, "segment ids are not increasing");
        before = *id;
    }
    let count = segments.last().map_or(0, |last| last.saturating_add(1));
    let shape = Shape::new(&[&[count], inner].concat())?;
    Tensor::check_size(data.dtype(), &shape)?;
    // A segment without rows is 0, or 1 for a product.
    reduce(how, data, &segments, shape, how == How::Prod)
}

pub(super) fn unsorted(how: How, data: &Tensor, ids: &Tensor, count: &Tensor) -> Result<Tensor> {
    ensure!(count.shape().is_scalar(), InvalidArgument, "num_segments should be a scalar, not shape {}", count.shape());
    let count = int_scalar(count, "num_segments should be a scalar, not shape ")?;
    ensure!(count >= 0, InvalidArgument, "Input num_segments == {count} must not be negative.");
    let rank = ids.shape().rank();
    ensure!(
        data.shape().rank() >= rank && &data.dims()[..rank] == ids.dims(),
        InvalidArgument,
        "data.shape = {} does not start with segment_ids.shape = {}",
        data.shape(),
        ids.shape()
    );
    let segments = ids.to_i64_vec()?;
    if let Some(place) = segments.iter().position(|id| *id >= count) {
        bail!(
            InvalidArgument,
            "segment_ids{} = {} is out of range [0, {count})",
            place_in(ids.shape(), place),
            segments[place]
        );
    }
    let shape = Shape::new(&[&[count], &data.dims()[rank..]].concat())?;
    Tensor::check_size(data.dtype(), &shape)?;
    reduce(how, data, &segments, shape, true)
}

/// Row `i` of the result is made of the rows whose id is `i`; negative ids are left out. Segments without rows keep what
/// the reduction begins with, or are 0.
fn reduce(how: How, data: &Tensor, ids: &[i64], shape: Shape, keep_start: bool) -> Result<Tensor> {
    let rows = shape.dim(0);
    let width = shape.dims()[1..].iter().product::<i64>() as usize;
    if data.dtype().is_complex() {
        return dispatch!(data.dtype(), T in [Complex64, Complex128] => {
            let values = data.as_slice::<T>()?;
            Tensor::build(shape, |out: &mut [T]| {
                fold_complex::<T>(how, values, ids, out, rows, width);
                Ok(())
            })
        });
    }
    dispatch!(data.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let values = data.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            fold::<T>(how, values, ids, out, rows, width, keep_start);
            Ok(())
        })
    })
}

/// Sums, means and products of complex numbers, which have no order.
fn fold_complex<T: Number>(how: How, values: &[T], ids: &[i64], out: &mut [T], rows: usize, width: usize) {
    out.fill(if how == How::Prod { T::ONE } else { T::ZERO });
    let mut counts = vec![0usize; rows];
    for (place, id) in ids.iter().enumerate() {
        let Ok(row) = usize::try_from(*id) else { continue };
        let Some(count) = counts.get_mut(row) else { continue };
        *count += 1;
        let from = &values[place * width..(place + 1) * width];
        for (out, x) in out[row * width..(row + 1) * width].iter_mut().zip(from) {
            *out = if how == How::Prod { out.times(*x) } else { out.plus(*x) };
        }
    }
    if how == How::Mean {
        for (row, count) in counts.iter().enumerate() {
            let count = T::from_count((*count).max(1));
            out[row * width..(row + 1) * width].iter_mut().for_each(|out| *out = out.over(count));
        }
    }
}

fn fold<T: Real + Element>(
    how: How,
    values: &[T],
    ids: &[i64],
    out: &mut [T],
    rows: usize,
    width: usize,
    keep_start: bool,
) {
    let start = match how {
        How::Sum | How::Mean => T::ZERO,
        How::Prod => T::ONE,
        How::Min => {
            if keep_start {
                T::HIGHEST
            } else {
                T::GREATEST
            }
        }
        How::Max => {
            if keep_start {
                T::LOWEST
            } else {
                T::LEAST
            }
        }
    };
    let mut sums: Vec<T::Wide> = match how {
        How::Sum | How::Mean | How::Prod => vec![start.widen(); out.len()],
        _ => Vec::new(),
    };
    out.fill(start);
    let mut counts = vec![0usize; rows];
    for (place, id) in ids.iter().enumerate() {
        let Ok(row) = usize::try_from(*id) else { continue };
        let Some(count) = counts.get_mut(row) else { continue };
        *count += 1;
        let from = &values[place * width..(place + 1) * width];
        let range = row * width..(row + 1) * width;
        match how {
            How::Sum | How::Mean => {
                sums[range].iter_mut().zip(from).for_each(|(sum, x)| *sum = sum.plus(x.widen()));
            }
            How::Prod => sums[range].iter_mut().zip(from).for_each(|(sum, x)| *sum = sum.times(x.widen())),
            How::Min => out[range].iter_mut().zip(from).for_each(|(least, x)| *least = least.lesser(*x)),
            How::Max => out[range].iter_mut().zip(from).for_each(|(most, x)| *most = most.greater(*x)),
        }
    }
    for (row, count) in counts.iter().enumerate() {
        let range = row * width..(row + 1) * width;
        match how {
            _ if *count == 0 && !keep_start => out[range].fill(T::ZERO),
            How::Mean => {
                let count = T::Wide::from_count((*count).max(1));
                for (out, sum) in out[range.clone()].iter_mut().zip(&sums[range]) {
                    *out = T::narrow(sum.over(count));
                }
            }
            How::Sum | How::Prod => {
                out[range.clone()].iter_mut().zip(&sums[range]).for_each(|(out, sum)| *out = T::narrow(*sum));
            }
            How::Min | How::Max => {}
        }
    }
}

pub(super) fn gathered(cx: &GradContext<'_>, rows: Output, ids: Output) -> Output {
    cx.op("GatherV2").input(rows).input(ids).input(cx.graph.constant(0i32)).output()
}

fn sum_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(gathered(cx, cx.dy(0)?, cx.x(1)).into()), None])
}

/// Each row gets its segment's gradient, divided by how many rows there are.
fn mean_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let graph = cx.graph;
    let rank = cx.op("Rank").input(cx.x(0)).output();
    let rest = cx.op("Sub").input(rank).input(graph.constant(1i32)).output();
    let rest = cx.op("ExpandDims").input(rest).input(graph.constant(0i32)).output();
    let ones = cx.op("Fill").input(rest).input(graph.constant(1i32)).output();
    let rows = cx.op("Shape").input(cx.x(1)).output();
    let column = cx.op("ConcatV2").name("concat").input_list(&[rows, ones]).input(graph.constant(0i32)).output();
    let one = graph.constant(1f32);
    let one = cx.op("Cast").input(one).attr("DstT", cx.dtype(0)).output();
    let ones = cx.op("Fill").input(column).input(one).output();
    let counts = cx.op("SegmentSum").input(ones).input(cx.x(1)).output();
    let scaled = cx.op("RealDiv").input(cx.dy(0)?).input(counts).output();
    Ok(vec![Some(gathered(cx, scaled, cx.x(1)).into()), None])
}

/// The gradient of a least or greatest value is shared among the rows that have it.
fn extreme_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let zeros = cx.op("ZerosLike").input(cx.x(0)).output();
    let chosen = gathered(cx, cx.y(0), cx.x(1));
    let equal = cx.op("Equal").input(cx.x(0)).input(chosen).output();
    let ones = cx.op("Cast").input(&equal).attr("DstT", cx.dtype(0)).output();
    let counts = cx.op("SegmentSum").input(ones).input(cx.x(1)).output();
    let shared = cx.op("RealDiv").input(cx.dy(0)?).input(counts).output();
    let shared = gathered(cx, shared, cx.x(1));
    let dx = cx.op("SelectV2").input(equal).input(shared).input(zeros).output();
    Ok(vec![Some(dx.into()), None])
}

/// A flag for each row, in a shape that broadcasts to the data's.
pub(super) fn in_data_shape(cx: &GradContext<'_>, flags: Output) -> Output {
    let graph = cx.graph;
    let ranks = |of: &Output| cx.op("Rank").input(of).output();
    let missing = cx.op("Sub").input(ranks(&cx.x(0))).input(ranks(&cx.x(1))).output();
    let missing = cx.op("ExpandDims").input(missing).input(graph.constant(0i32)).output();
    let ones = cx.op("Fill").input(missing).input(graph.constant(1i32)).output();
    let shape = cx.op("Shape").input(&flags).output();
    let column = cx.op("ConcatV2").name("concat").input_list(&[shape, ones]).input(graph.constant(0i32)).output();
    cx.op("Reshape").input(flags).input(column).output()
}

/// A factor's gradient is the product of the others. Where one factor is 0 that is the product without it, where several
/// are it is 0.
pub(super) fn prod_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let unsorted = cx.num_inputs() > 2;
    let (data, ids) = (cx.x(0), cx.x(1));
    let reduced = |op: &str, values: Output| {
        let name = if unsorted { format!("Unsorted{op}") } else { op.to_owned() };
        let node = cx.op(&name).input(values).input(cx.x(1));
        if unsorted { node.input(cx.x(2)).output() } else { node.output() }
    };
    let select = |flags: &Output, yes: Output, no: Output| cx.op("SelectV2").input(flags).input(yes).input(no).output();
    let zero_ids = cx.op("ZerosLike").input(&ids).output();
    let clipped = if unsorted { cx.op("Maximum").input(&ids).input(&zero_ids).output() } else { ids.clone() };
    let zeros = cx.op("ZerosLike").input(&data).output();
    let ones = cx.op("OnesLike").input(&data).output();
    let is_zero = cx.op("Equal").input(&data).input(&zeros).output();
    let marks = cx.op("Cast").input(&is_zero).attr("DstT", tensor::DType::Int32).output();
    let many = cx.op("Greater").input(reduced("SegmentSum", marks)).input(cx.graph.constant(1i32)).output();
    let dy = cx.dy(0)?;
    let none = cx.op("ZerosLike").input(&dy).output();
    let dy = select(&many, none, dy);
    let others = reduced("SegmentProd", select(&is_zero, ones, data.clone()));
    let product = gathered(cx, cx.y(0), clipped.clone());
    let divided = cx.op("RealDiv").input(product).input(&data).output();
    let partial = select(&is_zero, gathered(cx, others, clipped.clone()), divided);
    let mut passed = gathered(cx, dy, clipped);
    if unsorted {
        let counted = cx.op("GreaterEqual").input(&ids).input(&zero_ids).output();
        let none = cx.op("ZerosLike").input(&passed).output();
        passed = select(&in_data_shape(cx, counted), passed, none);
    }
    let mut grads = vec![Some(cx.op("Mul").input(passed).input(partial).output().into())];
    grads.resize_with(cx.num_inputs(), || None);
    Ok(grads)
}
