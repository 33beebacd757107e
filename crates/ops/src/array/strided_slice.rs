//! `StridedSlice` and `StridedSliceGrad`: `x[1:10:2, ..., None, 3]`, and its gradient.

mod spec;

pub(crate) use self::spec::Masks;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, OpBuilder, Output};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use self::spec::{Entries, Slice};
use crate::arguments::{int_vector, kernel_by_size, shape_node};
use crate::moving::{PutInto, moved, taken};

pub(crate) fn register(r: &mut Registry) {
    r.op("StridedSlice", "input: T, begin: Index, end: Index, strides: Index -> output: T")
        .attr("T: type")
        .attr("Index: {int16, int32, int64}")
        .attr("begin_mask: int = 0")
        .attr("end_mask: int = 0")
        .attr("ellipsis_mask: int = 0")
        .attr("new_axis_mask: int = 0")
        .attr("shrink_axis_mask: int = 0")
        .shape(slice_shape)
        .any_kernel(slice_kernel)
        .gradient(slice_gradient);
    r.op("StridedSliceGrad", "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T")
        .attr("T: type")
        .attr("Index: {int32, int64}")
        .attr("begin_mask: int = 0")
        .attr("end_mask: int = 0")
        .attr("ellipsis_mask: int = 0")
        .attr("new_axis_mask: int = 0")
        .attr("shrink_axis_mask: int = 0")
        .shape(grad_shape)
        .kernel("T", types::ALL, grad_kernel)
        .gradient(grad_gradient);
}

fn slice_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let lengths = cx.with_rank(1, 1)?.merge(&cx.with_rank(2, 1)?)?.merge(&cx.with_rank(3, 1)?)?;
    let input = cx.input(0);
    let (Some(_), Some(strides), Some(dims)) = (lengths.dim(0), cx.ints(3), input.raw_dims()) else {
        return Ok(());
    };
    let (begin, end) = (cx.ints(1), cx.ints(2));
    let entries = Entries { begin: begin.as_deref(), end: end.as_deref(), strides: &strides, masks: Masks::of(cx)? };
    let slice = Slice::resolve(dims, entries)?;
    cx.set(0, slice.partial_shape());
    Ok(())
}

fn slice_kernel(node: &Node) -> Result<Kernel> {
    let masks = Masks::of(node)?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let slice = strided_slice(cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.input(3)?, masks)?;
        cx.set_output(0, slice);
        Ok(())
    }))
}

pub(crate) fn strided_slice(
    input: &Tensor,
    begin: &Tensor,
    end: &Tensor,
    strides: &Tensor,
    masks: Masks,
) -> Result<Tensor> {
    let slice = resolve(input.shape(), begin, end, strides, masks)?;
    taken(input, &slice.walk(input.shape()), Shape::new(&slice.shape)?)
}

pub(crate) fn resolve(shape: &Shape, begin: &Tensor, end: &Tensor, strides: &Tensor, masks: Masks) -> Result<Slice> {
    let alike = begin.shape().rank() == 1 && begin.shape() == end.shape() && begin.shape() == strides.shape();
    ensure!(
        alike && strides.num_elements() < 32,
        InvalidArgument,
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, and {} instead.",
        begin.shape(),
        end.shape(),
        strides.shape()
    );
    let (begin, end, strides) = (begin.to_i64_vec()?, end.to_i64_vec()?, strides.to_i64_vec()?);
    Slice::resolve(shape.dims(), Entries { begin: Some(&begin), end: Some(&end), strides: &strides, masks })
}

pub(crate) fn with_masks(cx: &GradContext<'_>, mut node: OpBuilder) -> Result<OpBuilder> {
    for name in ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"] {
        node = node.attr(name, graph::ReadAttrs::attr_int(cx, name)?);
    }
    Ok(node)
}

/// The gradient's elements go back to where the slice's came from; the rest is 0.
fn slice_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let shape = shape_node(cx, &cx.x(0), cx.dtype(1));
    let node = cx.op("StridedSliceGrad").input(shape).input(cx.x(1)).input(cx.x(2)).input(cx.x(3)).input(cx.dy(0)?);
    Ok(vec![Some(with_masks(cx, node)?.output().into()), None, None, None])
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.set(0, cx.input_as_shape(0));
    Ok(())
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let masks = Masks::of(node)?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let dims = int_vector(cx.input(0)?, "shape must be 1-D, got shape.shape = ")?;
        let dx = strided_slice_grad(&dims, cx.input(1)?, cx.input(2)?, cx.input(3)?, cx.input(4)?, masks)?;
        cx.set_output(0, dx);
        Ok(())
    }))
}

fn strided_slice_grad(
    dims: &[i64],
    begin: &Tensor,
    end: &Tensor,
    strides: &Tensor,
    dy: &Tensor,
    masks: Masks,
) -> Result<Tensor> {
    let shape = Shape::new(dims)?;
    let slice = resolve(&shape, begin, end, strides, masks)?;
    ensure!(
        dy.dims() == slice.shape,
        InvalidArgument,
        "shape of dy was {} instead of {}",
        dy.shape(),
        PartialShape::from_dims(&slice.shape)
    );
    let zero = Tensor::zeros(dy.dtype(), &Shape::scalar())?;
    moved(shape.clone(), &[dy, &zero], &PutInto(&slice.walk(&shape)))
}

fn grad_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("StridedSlice").input(cx.dy(0)?).input(cx.x(1)).input(cx.x(2)).input(cx.x(3));
    Ok(vec![None, None, None, None, Some(with_masks(cx, node)?.output().into())])
}

/// One entry of a slice, as between the brackets of Python's `x[...]`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::SliceItem;
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0, 3.0, 4.0]);
/// let every_second = x.index(&[SliceItem::Range(None, None, 2)]); // x[::2]
/// let (last, first_two) = (x.index(&[SliceItem::from(-1)]), x.index(&[SliceItem::from(..2)])); // x[-1], x[:2]
/// let session = LocalSession::new(&g)?;
/// assert_eq!(session.eval::<Vec<f32>, _>(&every_second)?, [1.0, 3.0]);
/// assert_eq!(session.eval::<(f32, Vec<f32>), _>((&last, &first_two))?, (4.0, vec![1.0, 2.0]));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum SliceItem {
    /// One index; the axis goes away.
    At(i64),
    /// From, to and step; `None` where Python has nothing before or after the colon.
    Range(Option<i64>, Option<i64>, i64),
    /// As many whole axes as are needed: `...`.
    Ellipsis,
    /// A new axis of size 1: `None` or `tf.newaxis`.
    NewAxis,
}

impl From<i64> for SliceItem {
    fn from(index: i64) -> SliceItem {
        SliceItem::At(index)
    }
}

impl From<std::ops::Range<i64>> for SliceItem {
    fn from(range: std::ops::Range<i64>) -> SliceItem {
        SliceItem::Range(Some(range.start), Some(range.end), 1)
    }
}

impl From<std::ops::RangeFrom<i64>> for SliceItem {
    fn from(range: std::ops::RangeFrom<i64>) -> SliceItem {
        SliceItem::Range(Some(range.start), None, 1)
    }
}

impl From<std::ops::RangeTo<i64>> for SliceItem {
    fn from(range: std::ops::RangeTo<i64>) -> SliceItem {
        SliceItem::Range(None, Some(range.end), 1)
    }
}

impl From<std::ops::RangeFull> for SliceItem {
    fn from(_: std::ops::RangeFull) -> SliceItem {
        SliceItem::Range(None, None, 1)
    }
}

/// Parts of a tensor by index, range and step (`StridedSlice`).
///
/// ```
/// use tensorfleet::ops::SliceItem;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(eval(&x.index(&[(-1).into()]))?, Tensor::from([4f32, 5.0, 6.0])); // x[-1]
/// assert_eq!(eval(&x.index(&[(..).into(), (1..).into()]))?, Tensor::from([[2f32, 3.0], [5.0, 6.0]])); // x[:, 1:]
/// let backwards = x.index(&[0.into(), SliceItem::Range(None, None, -2)]); // x[0, ::-2]
/// assert_eq!(eval(&backwards)?, Tensor::from([3f32, 1.0]));
/// let column = x.index(&[SliceItem::Ellipsis, 0.into(), SliceItem::NewAxis]); // x[..., 0, tf.newaxis]
/// assert_eq!(eval(&column)?, Tensor::from([[1f32], [4.0]]));
/// # Ok(())
/// # }
/// ```
pub trait IndexOps {
    /// Returns a part of this tensor, as Python's `x[...]`: `x.index(&[(0..2).into(), 3.into()])`.
    fn index(&self, items: &[SliceItem]) -> Output;
}

impl IndexOps for Output {
    #[track_caller]
    fn index(&self, items: &[SliceItem]) -> Output {
        let (mut begin, mut end, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        let mut masks = Masks::default();
        for (place, item) in items.iter().enumerate() {
            let bit = if place < 32 { 1i64 << place } else { 0 };
            let (from, to, step) = match *item {
                SliceItem::At(index) => {
                    masks.shrink_axis |= bit;
                    (index, index.wrapping_add(1), 1)
                }
                SliceItem::Range(from, to, step) => {
                    masks.begin |= if from.is_none() { bit } else { 0 };
                    masks.end |= if to.is_none() { bit } else { 0 };
                    (from.unwrap_or(0), to.unwrap_or(0), step)
                }
                SliceItem::Ellipsis => {
                    masks.ellipsis |= bit;
                    (0, 0, 1)
                }
                SliceItem::NewAxis => {
                    masks.new_axis |= bit;
                    (0, 0, 1)
                }
            };
            begin.push(from);
            end.push(to);
            strides.push(step);
        }
        let wide = [&begin, &end, &strides].iter().any(|list| list.iter().any(|value| i32::try_from(*value).is_err()));
        let list = |values: &[i64]| match wide {
            true => Tensor::vector(values),
            false => Tensor::vector(&values.iter().map(|value| *value as i32).collect::<Vec<_>>()),
        };
        let graph = self.graph();
        let (begin, end, strides) =
            (graph.constant(list(&begin)), graph.constant(list(&end)), graph.constant(list(&strides)));
        graph
            .op("StridedSlice")
            .name("strided_slice")
            .input(self)
            .input(begin)
            .input(end)
            .input(strides)
            .attr("begin_mask", masks.begin)
            .attr("end_mask", masks.end)
            .attr("ellipsis_mask", masks.ellipsis)
            .attr("new_axis_mask", masks.new_axis)
            .attr("shrink_axis_mask", masks.shrink_axis)
            .output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Tensor {
        Tensor::new([2, 3, 4], (0..24).collect::<Vec<i32>>()).unwrap()
    }

    fn cut(begin: &[i64], end: &[i64], strides: &[i64], masks: Masks) -> Result<Tensor> {
        strided_slice(&cube(), &Tensor::vector(begin), &Tensor::vector(end), &Tensor::vector(strides), masks)
    }

    #[test]
    fn python_slices() {
        let none = Masks::default();
        // TensorFlow 2.21 and numpy give each of these.
        assert_eq!(cut(&[1], &[2], &[1], none).unwrap().dims(), [1, 3, 4]);
        // x[1, :, ::-2]
        let masks = Masks { begin: 0b110, end: 0b110, shrink_axis: 1, ..none };
        let part = cut(&[1, 0, 0], &[2, 0, 0], &[1, 1, -2], masks).unwrap();
        assert_eq!(part, Tensor::from([[15i32, 13], [19, 17], [23, 21]]));
        // x[..., None, 2]
        let masks = Masks { ellipsis: 1, new_axis: 2, shrink_axis: 4, ..none };
        let part = cut(&[0, 0, 2], &[0, 0, 3], &[1, 1, 1], masks).unwrap();
        assert_eq!((part.dims(), part.as_slice::<i32>().unwrap()), (&[2, 3, 1][..], &[2, 6, 10, 14, 18, 22][..]));
        // x[-1:-9:-1, 5:1]
        assert_eq!(cut(&[-1, 5], &[-9, 1], &[-1, 1], none).unwrap().dims(), [2, 0, 4]);
    }

    #[test]
    fn messages_are_those_of_tensorflow() {
        let none = Masks::default();
        let message = |result: Result<Tensor>| result.unwrap_err().message().to_owned();
        let shrink = Masks { shrink_axis: 1, ..none };
        assert_eq!(message(cut(&[0], &[1], &[0], none)), "strides[0] must be non-zero");
        assert_eq!(message(cut(&[2], &[3], &[1], shrink)), "slice index 2 of dimension 0 out of bounds.");
        assert_eq!(message(cut(&[-3], &[3], &[1], shrink)), "slice index -1 of dimension 0 out of bounds.");
        assert_eq!(message(cut(&[1], &[0], &[-1], shrink)), "only stride 1 allowed on non-range indexing.");
        assert_eq!(
            message(cut(&[0; 4], &[1; 4], &[1; 4], none)),
            "Index out of range using input dim 3; input has only 3 dims"
        );
        let two = Masks { ellipsis: 3, ..none };
        assert_eq!(message(cut(&[0, 0], &[1, 1], &[1, 1], two)), "Multiple ellipses in slice spec not allowed");
        let extreme = cut(&[i64::MIN], &[i64::MAX], &[i64::MAX], none).unwrap();
        assert_eq!(extreme.dims(), [1, 3, 4]);
        assert_eq!(cut(&[i64::MAX], &[i64::MIN], &[i64::MIN], none).unwrap().dims(), [1, 3, 4]);
    }

    #[test]
    fn partial_shapes() {
        let infer = |dims: &[i64], begin: Option<&[i64]>, end: Option<&[i64]>, strides: &[i64], masks: Masks| {
            let slice = Slice::resolve(dims, Entries { begin, end, strides, masks }).unwrap();
            slice.partial_shape().to_string()
        };
        let none = Masks::default();
        // TensorFlow 2.21 gives each of these.
        assert_eq!(infer(&[-1, 3], Some(&[0, 0]), Some(&[2, 2]), &[1, 1], none), "[?,2]");
        assert_eq!(infer(&[4, 3], None, None, &[1], Masks { shrink_axis: 1, ..none }), "[3]");
        assert_eq!(infer(&[4, 3], None, Some(&[3]), &[1], none), "[?,3]");
        assert_eq!(infer(&[4, 3], None, None, &[2], Masks { begin: 1, end: 1, ..none }), "[2,3]");
        assert_eq!(infer(&[-1, 3], Some(&[0]), Some(&[1]), &[1], Masks { new_axis: 1, ..none }), "[1,?,3]");
    }

    #[test]
    fn the_gradient_puts_back_what_the_slice_took() {
        let (begin, end, strides) = (Tensor::from([0i32, 3]), Tensor::from([2i32, 0]), Tensor::from([1i32, -2]));
        let dy = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
        let dx = strided_slice_grad(&[3, 4], &begin, &end, &strides, &dy, Masks::default()).unwrap();
        let expected = Tensor::from([[0f32, 2.0, 0.0, 1.0], [0.0, 4.0, 0.0, 3.0], [0.0; 4]]);
        assert_eq!(dx, expected);
        let wrong = strided_slice_grad(&[2, 2], &begin, &end, &strides, &dy, Masks::default()).unwrap_err();
        assert_eq!(wrong.message(), "shape of dy was [2,2] instead of [2,1]");
    }
}
