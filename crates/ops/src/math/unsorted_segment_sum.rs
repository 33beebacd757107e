//! `UnsortedSegmentSum`: rows added up by the number each one carries.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use math::number::Number;
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::arguments::int_scalar;
use crate::array::place_in;

pub(crate) fn register(r: &mut Registry) {
    r.op("UnsortedSegmentSum", "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T")
        .attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
        .attr("Tindices: {int16, int32, int64}")
        .attr("Tnumsegments: {int32, int64} = int32")
        .shape(shape)
        .kernel("T", SUMMED, kernel)
        .gradient(gradient);
}

const SUMMED: &[DType] = &[
    DType::Float,
    DType::Double,
    DType::Half,
    DType::BFloat16,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Complex64,
    DType::Complex128,
];

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(2, 0)?;
    let (data, ids) = (cx.input(0), cx.input(1));
    let Some(ids_dims) = ids.raw_dims() else { return Ok(()) };
    let data = cx.with_rank_at_least(0, ids_dims.len()).map(|_| data)?;
    let Some(dims) = data.raw_dims() else { return Ok(()) };
    for (a, b) in dims.iter().zip(ids_dims) {
        ensure!(*a < 0 || *b < 0 || a == b, InvalidArgument, "Dimensions must be equal, but are {a} and {b}");
    }
    let count = cx.int(2);
    if let Some(count) = count {
        ensure!(
            count >= 0,
            InvalidArgument,
            "Dimension size, given by scalar input 2, must be non-negative but is {count}"
        );
    }
    let out = [&[count.unwrap_or(-1)], &dims[ids_dims.len()..]].concat();
    cx.set(0, PartialShape::from_dims(&out));
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let sums = unsorted_segment_sum(cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, sums);
        Ok(())
    }))
}

/// Row `i` of the result is the sum of the rows of `data` whose id is `i`; negative ids are left out.
pub(crate) fn unsorted_segment_sum(data: &Tensor, ids: &Tensor, count: &Tensor) -> Result<Tensor> {
    ensure!(count.shape().is_scalar(), InvalidArgument, "num_segments should be a scalar, not shape {}", count.shape());
    let count = int_scalar(count, "num_segments should be a scalar, not shape ")?;
    ensure!(count >= 0, InvalidArgument, "Input num_segments == {count} must not be negative.");
    let ids_rank = ids.shape().rank();
    ensure!(
        data.shape().rank() >= ids_rank && &data.dims()[..ids_rank] == ids.dims(),
        InvalidArgument,
        "data.shape = {} does not start with segment_ids.shape = {}",
        data.shape(),
        ids.shape()
    );
    let inner = &data.dims()[ids_rank..];
    let shape = Shape::new(&[&[count], inner].concat())?;
    let segments = ids.to_i64_vec()?;
    if let Some(place) = segments.iter().position(|id| *id >= count) {
        bail!(
            InvalidArgument,
            "segment_ids{} = {} is out of range [0, {count})",
            place_in(ids.shape(), place),
            segments[place]
        );
    }
    let mut out = Tensor::zeros(data.dtype(), &shape)?;
    if out.num_elements() == 0 || data.num_elements() == 0 {
        return Ok(out);
    }
    let row = inner.iter().product::<i64>() as usize;
    dispatch!(data.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
        add_rows(out.make_mut::<T>()?, data.as_slice::<T>()?, &segments, row);
        Ok(())
    })?;
    Ok(out)
}

/// Every thread looks at all ids and adds up the rows of its own part of the result, in order.
fn add_rows<T: Number>(out: &mut [T], data: &[T], ids: &[i64], row: usize) {
    const MIN_WORK: usize = 64 * 1024;
    let rows = out.len() / row;
    let parallel = data.len() >= 2 * MIN_WORK && row >= 8;
    let at_once = if parallel { 1 } else { rows };
    math::threads::parallel_units(out, row, at_once, |first, run| {
        let mine = first as i64..(first + run.len() / row) as i64;
        for (id, values) in ids.iter().zip(data.chunks_exact(row)) {
            if mine.contains(id) {
                let at = (*id as usize - first) * row;
                for (slot, value) in run[at..at + row].iter_mut().zip(values) {
                    *slot = slot.plus(*value);
                }
            }
        }
    });
}

/// Each row gets the gradient of the sum it went into; those left out get 0.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (data, ids, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let graph = cx.graph;
    let zero = cx.op("ZerosLike").input(&ids).output();
    let clipped = cx.op("Maximum").input(&ids).input(&zero).output();
    let axis = graph.constant(0i32);
    let gathered = cx.op("GatherV2").input(dy).input(clipped).input(axis).output();
    let counted = cx.op("GreaterEqual").input(&ids).input(&zero).output();
    let ranks = |of: &Output| cx.op("Rank").input(of).output();
    let missing = cx.op("Sub").input(ranks(&data)).input(ranks(&ids)).output();
    let missing = cx.op("ExpandDims").input(missing).input(graph.constant(0i32)).output();
    let ones = cx.op("Fill").input(missing).input(graph.constant(1i32)).output();
    let shape = cx.op("Shape").input(&counted).output();
    let column = cx.op("ConcatV2").name("concat").input_list(&[shape, ones]).input(graph.constant(0i32)).output();
    let counted = cx.op("Reshape").input(counted).input(column).output();
    let nothing = graph.constant(Tensor::zeros(cx.dtype(0), &Shape::scalar())?);
    let dx = cx.op("SelectV2").input(counted).input(gathered).input(nothing).output();
    Ok(vec![Some(dx.into()), None, None])
}

/// Sums of rows by group (`UnsortedSegmentSum`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// let sums = x.unsorted_segment_sum(&g.constant([1i32, 0, 1]), 2);
/// assert_eq!(eval(&sums)?, Tensor::from([[3f32, 4.0], [6.0, 8.0]]));
/// # Ok(())
/// # }
/// ```
pub trait SegmentOps {
    /// Returns the rows added up by the number each one carries, into `num_segments` sums.
    fn unsorted_segment_sum(&self, segment_ids: &Output, num_segments: i32) -> Output;
}

impl SegmentOps for Output {
    #[track_caller]
    fn unsorted_segment_sum(&self, segment_ids: &Output, num_segments: i32) -> Output {
        let count = self.graph().constant(num_segments);
        self.graph().op("UnsortedSegmentSum").input(self).input(segment_ids).input(count).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_add_up_and_negative_ids_are_left_out() {
        let data = Tensor::from([[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let sum = |ids: [i32; 3]| unsorted_segment_sum(&data, &Tensor::from(ids), &Tensor::from(3i32));
        assert_eq!(sum([2, 0, 2]).unwrap(), Tensor::from([[3f32, 4.0], [0.0, 0.0], [6.0, 8.0]]));
        assert_eq!(sum([-1, 0, 0]).unwrap(), Tensor::from([[8f32, 10.0], [0.0, 0.0], [0.0, 0.0]]));
        // TensorFlow 2.21 says the same.
        assert_eq!(sum([0, 0, 5]).unwrap_err().message(), "segment_ids[2] = 5 is out of range [0, 3)");
        let short = unsorted_segment_sum(&data, &Tensor::from([0i32, 0]), &Tensor::from(3i32)).unwrap_err();
        assert_eq!(short.message(), "data.shape = [3,2] does not start with segment_ids.shape = [2]");
    }

    #[test]
    fn many_rows_on_several_threads() {
        let (rows, width) = (20_000usize, 16usize);
        let data = Tensor::new([rows as i64, width as i64], vec![1f32; rows * width]).unwrap();
        let ids = Tensor::vector(&(0..rows as i32).map(|row| row % 7).collect::<Vec<_>>());
        let sums = unsorted_segment_sum(&data, &ids, &Tensor::from(7i32)).unwrap();
        // 20000 = 7 * 2857 + 1
        let expected: Vec<f32> = (0..7).flat_map(|id| [if id < 1 { 2858f32 } else { 2857.0 }; 16]).collect();
        assert_eq!(sums.as_slice::<f32>().unwrap(), expected);
    }
}
