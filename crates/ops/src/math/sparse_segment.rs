//! Sums of chosen rows: `SparseSegmentSum`, `SparseSegmentMean` and `SparseSegmentSqrtN`; with a number of segments,
//! `SparseSegmentSumWithNumSegments`, `SparseSegmentMeanWithNumSegments` and `SparseSegmentSqrtNWithNumSegments`; and
//! their gradient ops, `SparseSegmentSumGrad`, `SparseSegmentMeanGrad`, `SparseSegmentSqrtNGrad`,
//! `SparseSegmentSumGradV2`, `SparseSegmentMeanGradV2` and `SparseSegmentSqrtNGradV2`. It is how embeddings of several
//! words become one vector.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, IndexedSlices, Node, ReadAttrs};
use math::number::Number;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::arguments::int_scalar;

const FLOATS: &[DType] = &[DType::Float, DType::Double, DType::Half, DType::BFloat16];

pub(crate) fn register(r: &mut Registry) {
    const FLOAT: &str = "T: {bfloat16, half, float, double}";
    const REAL: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
    for (kind, allowed) in [("Sum", REAL), ("Mean", FLOAT), ("SqrtN", FLOAT)] {
        let types = if kind == "Sum" { graph::op::types::REALS } else { FLOATS };
        r.op(&format!("SparseSegment{kind}"), "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T")
            .attr(allowed)
            .attr("Tidx: {int32, int64} = int32")
            .attr("Tsegmentids: {int32, int64} = int32")
            .attr("sparse_gradient: bool = false")
            .shape(shape)
            .kernel("T", types, kernel)
            .gradient(gradient);
        r.op(
            &format!("SparseSegment{kind}WithNumSegments"),
            "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments -> output: T",
        )
        .attr(allowed)
        .attr("Tidx: {int32, int64} = int32")
        .attr("Tnumsegments: {int32, int64} = int32")
        .attr("Tsegmentids: {int32, int64} = int32")
        .attr("sparse_gradient: bool = false")
        .shape(shape)
        .kernel("T", types, kernel)
        .gradient(gradient);
        r.op(
            &format!("SparseSegment{kind}Grad"),
            "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32 -> output: T",
        )
        .attr(FLOAT)
        .attr("Tidx: {int32, int64} = int32")
        .attr("Tsegmentids: {int32, int64} = int32")
        .shape(grad_shape)
        .kernel("T", FLOATS, grad_kernel);
        r.op(
            &format!("SparseSegment{kind}GradV2"),
            "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32 -> output: T, \
             sorted_unique_indices: Tidx",
        )
        .attr(FLOAT)
        .attr("Tidx: {int32, int64} = int32")
        .attr("Tsegmentids: {int32, int64} = int32")
        .shape(rows_shape)
        .kernel("T", FLOATS, rows_kernel);
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let data = cx.with_rank_at_least(0, 1)?;
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 1)?;
    let count = if cx.num_inputs() > 3 {
        cx.with_rank(3, 0)?;
        cx.int(3).filter(|count| *count >= 0).unwrap_or(-1)
    } else {
        -1
    };
    if let Some([_, rest @ ..]) = data.raw_dims() {
        cx.set(0, PartialShape::from_dims(&[&[count], rest].concat()));
    }
    Ok(())
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let grad = cx.with_rank_at_least(0, 1)?;
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 1)?;
    cx.with_rank(3, 0)?;
    let count = cx.int(3).filter(|count| *count >= 0).unwrap_or(-1);
    if let Some([_, rest @ ..]) = grad.raw_dims() {
        cx.set(0, PartialShape::from_dims(&[&[count], rest].concat()));
    }
    Ok(())
}

fn rows_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let grad = cx.with_rank_at_least(0, 1)?;
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 1)?;
    cx.with_rank(3, 0)?;
    if let Some([_, rest @ ..]) = grad.raw_dims() {
        cx.set(0, PartialShape::from_dims(&[&[-1], rest].concat()));
    }
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Sum,
    Mean,
    SqrtN,
}

impl Scale {
    fn of(node: &Node) -> Scale {
        match &node.op {
            op if op.starts_with("SparseSegmentMean") => Scale::Mean,
            op if op.starts_with("SparseSegmentSqrtN") => Scale::SqrtN,
            _ => Scale::Sum,
        }
    }

    /// What the sum of so many rows is multiplied by.
    fn factor(self, count: usize) -> f64 {
        match self {
            Scale::Sum => 1.0,
            Scale::Mean => 1.0 / count.max(1) as f64,
            Scale::SqrtN => 1.0 / (count.max(1) as f64).sqrt(),
        }
    }
}

/// The chosen rows and their segments, checked to be of one length.
fn pairs(indices: &Tensor, ids: &Tensor) -> Result<(Vec<i64>, Vec<i64>)> {
    ensure!(indices.shape().rank() == 1, InvalidArgument, "indices should be a vector.");
    ensure!(ids.shape().rank() == 1, InvalidArgument, "segment_ids should be a vector.");
    let (indices, ids) = (indices.to_i64_vec()?, ids.to_i64_vec()?);
    ensure!(indices.len() == ids.len(), InvalidArgument, "segment_ids and indices should have same size.");
    Ok((indices, ids))
}

fn kernel(node: &Node) -> Result<Kernel> {
    let scale = Scale::of(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let count = match cx.num_inputs() {
            4 => {
                let count = int_scalar(cx.input(3)?, "num_segments should be a scalar, not shape ")?;
                ensure!(count >= 0, InvalidArgument, "segment ids must be >= 0");
                Some(count)
            }
            _ => None,
        };
        let result = chosen_rows(scale, cx.input(0)?, cx.input(1)?, cx.input(2)?, count)?;
        cx.set_output(0, result);
        Ok(())
    }))
}

fn chosen_rows(scale: Scale, data: &Tensor, indices: &Tensor, ids: &Tensor, count: Option<i64>) -> Result<Tensor> {
    let Some((limit, inner)) = data.dims().split_first() else {
        bail!(InvalidArgument, "input must be at least a vector")
    };
    let (indices, ids) = pairs(indices, ids)?;
    let needed = ids.last().map_or(0, |last| last.saturating_add(1));
    let count = match count {
        Some(count) => {
            ensure!(count >= needed, InvalidArgument, "segment ids must be < num_segments");
            count
        }
        None => needed,
    };
    ensure!(count >= 0, InvalidArgument, "segment ids must be >= 0");
    let shape = Shape::new(&[&[count], inner].concat())?;
    let mut before = 0;
    for (place, (index, id)) in indices.iter().zip(&ids).enumerate() {
        ensure!(*id >= 0, InvalidArgument, "segment ids must be >= 0");
        ensure!(place == 0 || *id >= before, InvalidArgument, "segment ids are not increasing");
        ensure!(
            (0..*limit).contains(index),
            InvalidArgument,
            "Bad: indices[{place}] == {index} out of range [0, {limit})"
        );
        before = *id;
    }
    Tensor::check_size(data.dtype(), &shape)?;
    let width = inner.iter().product::<i64>() as usize;
    dispatch!(data.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let values = data.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            out.fill(T::ZERO);
            let mut start = 0;
            for run in ids.chunk_by(|a, b| a == b) {
                let rows = &indices[start..start + run.len()];
                start += run.len();
                let row = run[0] as usize;
                add_up::<T>(scale.factor(run.len()), values, rows, &mut out[row * width..(row + 1) * width]);
            }
            Ok(())
        })
    })
}

trait Scaled: Number {
    fn scaled(wide: Self::Wide, factor: f64) -> Self;
}

macro_rules! scaled_floats {
    ($($t:ty),*) => {$(
        impl Scaled for $t {
            #[inline]
            fn scaled(wide: Self::Wide, factor: f64) -> Self {
                <$t as Number>::narrow(wide * factor as <$t as Number>::Wide)
            }
        }
    )*};
}
scaled_floats!(f32, f64, f16, bf16);

macro_rules! scaled_integers {
    ($($t:ty),*) => {$(
        impl Scaled for $t {
            fn scaled(wide: Self::Wide, _: f64) -> Self {
                wide
            }
        }
    )*};
}
scaled_integers!(i8, i16, i32, i64, u8, u16, u32, u64);

fn add_up<T: Scaled>(factor: f64, values: &[T], rows: &[i64], out: &mut [T]) {
    let width = out.len();
    let mut sums = vec![T::Wide::ZERO; width];
    for row in rows {
        let start = *row as usize * width;
        sums.iter_mut().zip(&values[start..start + width]).for_each(|(sum, x)| *sum = sum.plus(x.widen()));
    }
    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = T::scaled(sum, factor));
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let scale = Scale::of(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let rows = cx.input(3)?;
        ensure!(rows.shape().is_scalar(), InvalidArgument, "output_dim0 should be a scalar.");
        let rows = rows.to_scalar::<i32>()? as i64;
        let result = spread(scale, cx.input(0)?, cx.input(1)?, cx.input(2)?, rows)?;
        cx.set_output(0, result);
        Ok(())
    }))
}

/// As the gradient op, but only of the rows that were chosen, each once and in order, with their numbers.
fn rows_kernel(node: &Node) -> Result<Kernel> {
    let scale = Scale::of(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (indices, rows) = (cx.input(1)?, cx.input(3)?);
        ensure!(rows.shape().is_scalar(), InvalidArgument, "output_dim0 should be a scalar.");
        let limit = rows.to_scalar::<i32>()? as i64;
        ensure!(indices.shape().rank() == 1, InvalidArgument, "indices should be a vector.");
        let all = indices.to_i64_vec()?;
        for index in &all {
            ensure!((0..limit).contains(index), InvalidArgument, "Index {index} out of range [0, {limit}).");
        }
        let mut unique = all.clone();
        unique.sort_unstable();
        unique.dedup();
        let numbers: Vec<i64> = all.iter().map(|index| unique.partition_point(|seen| seen < index) as i64).collect();
        let output = spread(scale, cx.input(0)?, &Tensor::vector(&numbers), cx.input(2)?, unique.len() as i64)?;
        let unique = crate::arguments::int_tensor(&unique, indices.dtype())?;
        cx.set_output(0, output);
        cx.set_output(1, unique);
        Ok(())
    }))
}

/// Each chosen row gets the gradient of its segment.
fn spread(scale: Scale, grad: &Tensor, indices: &Tensor, ids: &Tensor, rows: i64) -> Result<Tensor> {
    let Some((segments, inner)) = grad.dims().split_first() else {
        bail!(InvalidArgument, "input must be at least a vector")
    };
    let (indices, ids) = pairs(indices, ids)?;
    ensure!(rows >= 0, InvalidArgument, "output_dim0 must be >= 0, got {rows}");
    let mut counts = vec![0usize; *segments as usize];
    for (place, (index, id)) in indices.iter().zip(&ids).enumerate() {
        ensure!((0..*segments).contains(id), InvalidArgument, "Segment id {id} out of range [0, {segments}).");
        ensure!((0..rows).contains(index), InvalidArgument, "Index {index} out of range [0, {rows}). (place {place})");
        counts[*id as usize] += 1;
    }
    let shape = Shape::new(&[&[rows], inner].concat())?;
    Tensor::check_size(grad.dtype(), &shape)?;
    let width = inner.iter().product::<i64>() as usize;
    dispatch!(grad.dtype(), T in [f32, f64, f16, bf16] => {
        let grads = grad.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            out.fill(T::ZERO);
            for (index, id) in indices.iter().zip(&ids) {
                let factor = scale.factor(counts[*id as usize]);
                let (to, from) = (*index as usize * width, *id as usize * width);
                for (out, grad) in out[to..to + width].iter_mut().zip(&grads[from..from + width]) {
                    *out = out.plus(T::scaled(grad.widen(), factor));
                }
            }
            Ok(())
        })
    })
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let graph = cx.graph;
    let shape = cx.op("Shape").input(cx.x(0)).output();
    let (zero, one) = (graph.constant([0i32]), graph.constant([1i32]));
    let rows = cx.op("StridedSlice").input(shape).input(&zero).input(&one).input(&one);
    let rows = rows.attr("shrink_axis_mask", 1i64).output();
    let name = cx.node.op.trim_end_matches("WithNumSegments");
    if cx.attr_bool("sparse_gradient")? {
        let node = cx.op(&format!("{name}GradV2")).input(cx.dy(0)?).input(cx.x(1)).input(cx.x(2)).input(rows).build();
        let dense_shape = cx.op("Shape").input(cx.x(0)).output();
        let slices = IndexedSlices { values: node.output(0), indices: node.output(1), dense_shape };
        let mut grads = vec![Some(Gradient::Slices(slices))];
        grads.resize_with(cx.num_inputs(), || None);
        return Ok(grads);
    }
    let dx = cx.op(&format!("{name}Grad")).input(cx.dy(0)?).input(cx.x(1)).input(cx.x(2)).input(rows).output();
    let mut grads = vec![Some(dx.into())];
    grads.resize_with(cx.num_inputs(), || None);
    Ok(grads)
}
