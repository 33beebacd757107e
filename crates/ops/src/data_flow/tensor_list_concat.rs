//! `TensorListConcat`, `TensorListConcatV2`, `TensorListSplit`, `TensorListConcatLists`, `TensorListPushBackBatch` and
//! `TensorListResize`: lists joined into one tensor and cut out of one, several lists at once, and lists made longer.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, Variant, bail, ensure, err};

use super::tensor_list::{SHAPE, scalar_i32, shape_of};
use super::tensor_list_value::{MAX_LENGTH, TensorList, list, merged};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    const ELEMENTS: &str = "element_dtype: type";
    r.op("TensorListConcat", "input_handle: variant -> tensor: element_dtype, lengths: int64")
        .attr(ELEMENTS)
        .attr("element_shape: shape = ?")
        .shape(concat_shape)
        .any_kernel(concat_kernel);
    r.op(
        "TensorListConcatV2",
        "input_handle: variant, element_shape: shape_type, leading_dims: int64 -> tensor: element_dtype, lengths: int64",
    )
    .attr(ELEMENTS)
    .attr(SHAPE)
    .shape(concat_v2_shape)
    .any_kernel(concat_v2_kernel);
    r.op(
        "TensorListSplit",
        "tensor: element_dtype, element_shape: shape_type, lengths: int64 -> output_handle: variant",
    )
    .attr(ELEMENTS)
    .attr(SHAPE)
    .shape(ShapeContext::scalar)
    .any_kernel(split_kernel);
    r.op("TensorListConcatLists", "input_a: variant, input_b: variant -> output: variant")
        .attr(ELEMENTS)
        .shape(ShapeContext::merged)
        .any_kernel(lists_kernel)
        .not_differentiable();
    r.op("TensorListPushBackBatch", "input_handles: variant, tensor: element_dtype -> output_handles: variant")
        .attr(ELEMENTS)
        .shape(batch_shape)
        .any_kernel(batch_kernel)
        .not_differentiable();
    r.op("TensorListResize", "input_handle: variant, size: int32 -> output_handle: variant")
        .shape(ShapeContext::scalar)
        .any_kernel(resize_kernel);
}

/// A shape without its first dimension.
fn rest(shape: &PartialShape) -> PartialShape {
    match shape.raw_dims() {
        Some([_, rest @ ..]) => PartialShape::from_dims(rest),
        _ => PartialShape::unknown(),
    }
}

fn concat_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("element_shape")?.clone();
    set_concat(cx, &shape);
    Ok(())
}

fn concat_v2_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = if cx.int(1) == Some(-1) { PartialShape::unknown() } else { cx.input_as_shape(1) };
    set_concat(cx, &shape);
    Ok(())
}

fn set_concat(cx: &mut ShapeContext<'_>, shape: &PartialShape) {
    cx.set(0, PartialShape::vector(None).concatenate(&rest(shape)));
    cx.set(1, PartialShape::vector(None));
}

fn batch_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let handles = cx.with_rank(0, 1)?;
    cx.with_rank_at_least(1, 1)?;
    cx.set(0, handles);
    Ok(())
}

fn concat_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, shape) = (node.attr_type("element_dtype")?, node.attr_shape("element_shape")?.clone());
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let list = list(cx)?;
        list.check(dtype)?;
        concat(cx, &list, &shape, &[])
    }))
}

fn concat_v2_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let list = list(cx)?;
        list.check(dtype)?;
        let (shape, leading) = (shape_of(cx.input(1)?)?, cx.input(2)?.to_i64_vec()?);
        concat(cx, &list, &shape, &leading)
    }))
}

/// Joins the elements along their first dimension; `leading` are the lengths of places that nothing was put in.
fn concat(cx: &mut OpContext<'_>, list: &TensorList, given: &PartialShape, leading: &[i64]) -> Result<()> {
    for shape in [given, &list.element_shape] {
        ensure!(
            shape.rank() != Some(0),
            InvalidArgument,
            "Concat requires elements to be at least vectors, found scalars instead: element_shape must not be empty"
        );
    }
    let shape = merged(&rest(given), &rest(&list.element_shape))?;
    let found = list.elements.iter().flatten().next();
    // How long places are that nothing was put in and of which nothing is said: as the shapes say, or as all others are.
    let rows = |value: &Tensor| value.dims().first().copied();
    let others =
        found.and_then(rows).filter(|first| list.elements.iter().flatten().all(|value| rows(value) == Some(*first)));
    let usual = given.dim(0).or(list.element_shape.dim(0)).or(others);
    let inner = match (shape.to_shape(), found) {
        (Some(shape), _) => shape,
        (None, Some(value)) => {
            let Some((_, inner)) = value.dims().split_first() else {
                bail!(InvalidArgument, "Concat saw a scalar shape at index 0 but requires at least vectors.")
            };
            Shape::new(inner)?
        }
        (None, None) if list.elements.is_empty() => bail!(
            InvalidArgument,
            "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: {shape}"
        ),
        (None, None) => bail!(
            InvalidArgument,
            "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully defined: \
             {shape}"
        ),
    };
    let mut values = Vec::with_capacity(list.elements.len());
    for (place, element) in list.elements.iter().enumerate() {
        let value = match element {
            Some(value) => value.clone(),
            None => {
                let Some(length) = leading.get(place).copied().or(usual).filter(|length| *length >= 0) else {
                    bail!(
                        InvalidArgument,
                        "List contains uninitialized tensor at index {place} but leading_dims has only {} elements.",
                        leading.len()
                    )
                };
                Tensor::zeros(list.dtype, &Shape::new(&[&[length], inner.dims()].concat())?)?
            }
        };
        let fits = value.dims().split_first().map(|(_, rest)| rest == inner.dims());
        ensure!(
            fits.is_some(),
            InvalidArgument,
            "Concat saw a scalar shape at index {place} but requires at least vectors."
        );
        if fits == Some(false) {
            merged(&PartialShape::from(&inner), &rest(&PartialShape::from(value.shape())))?;
        }
        values.push(value);
    }
    let rows: Vec<i64> = values.iter().map(|value| value.dims()[0]).collect();
    let total = rows.iter().try_fold(0i64, |sum, rows| sum.checked_add(*rows));
    let total = total.ok_or_else(|| err!(InvalidArgument, "the elements together are too long"))?;
    let shape = Shape::new(&[&[total], inner.dims()].concat())?;
    let tensor = match values.is_empty() {
        true => Tensor::zeros(list.dtype, &shape)?,
        false => {
            let lengths: Vec<usize> = values.iter().map(Tensor::num_elements).collect();
            moved(shape, &values.iter().collect::<Vec<_>>(), &Join(&lengths))?
        }
    };
    cx.set_output(0, tensor);
    cx.set_output(1, Tensor::vector(&rows));
    Ok(())
}

fn split_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (value, element_shape, lengths) = (cx.input(0)?, shape_of(cx.input(1)?)?, cx.input(2)?);
        let Some((count, inner)) = value.dims().split_first() else {
            bail!(InvalidArgument, "Tensor must be at least a vector, but saw shape: {}", value.shape())
        };
        ensure!(
            lengths.shape().rank() == 1,
            InvalidArgument,
            "Expected lengths to be a vector, received shape: {}",
            lengths.shape()
        );
        ensure!(
            element_shape.rank() != Some(0),
            InvalidArgument,
            "TensorListSplit requires element_shape to be at least of rank 1, but saw: {element_shape}"
        );
        ensure!(
            rest(&element_shape).is_compatible_with(&Shape::new(inner)?),
            InvalidArgument,
            "tensor shape {} is not compatible with element_shape {element_shape}",
            value.shape()
        );
        let width = Shape::new(inner)?.num_elements();
        let (mut elements, mut used) = (Vec::with_capacity(lengths.num_elements()), 0i64);
        for length in lengths.to_i64_vec()? {
            ensure!(length >= 0, InvalidArgument, "Invalid value in lengths: {length}");
            ensure!(
                length <= count - used,
                InvalidArgument,
                "Attempting to slice [{used}, {}] from tensor with length {count}",
                used + length
            );
            let shape = Shape::new(&[&[length], inner].concat())?;
            ensure!(
                element_shape.is_compatible_with(&shape),
                InvalidArgument,
                "Specified a list with shape {element_shape} from a tensor with shape {shape}"
            );
            elements.push(Some(value.window(used as usize * width, shape)?));
            used += length;
        }
        ensure!(
            used == *count,
            InvalidArgument,
            "Unused values in tensor. Length of tensor: {count} Values used: {used}"
        );
        cx.set_output(0, TensorList { dtype, element_shape, most: -1, elements }.into_tensor()?);
        Ok(())
    }))
}

/// Every list of a tensor.
fn lists(tensor: &Tensor) -> Result<Vec<TensorList>> {
    let read = |variant: &Variant| {
        TensorList::of_variant(variant).ok_or_else(|| err!(InvalidArgument, "Input handle is not a list."))
    };
    tensor.variants()?.iter().map(read).collect()
}

fn give(cx: &mut OpContext<'_>, shape: Shape, lists: Vec<TensorList>) -> Result<()> {
    let variants = lists.into_iter().map(Variant::new).collect::<Result<Vec<_>>>()?;
    cx.set_output(0, Tensor::from_variants(shape, variants)?);
    Ok(())
}

fn lists_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (a, b) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            a.shape() == b.shape(),
            InvalidArgument,
            "input_a and input_b must have the same shape: {} and {}",
            a.shape(),
            b.shape()
        );
        let (shape, mut joined) = (a.shape().clone(), lists(a)?);
        for (list, more) in joined.iter_mut().zip(lists(b)?) {
            list.check(dtype)?;
            more.check(dtype)?;
            list.element_shape = list
                .element_shape
                .merge(&more.element_shape)
                .map_err(|status| status.context("input_a and input_b TensorList element shapes are not identical"))?;
            ensure!(
                list.elements.len() + more.elements.len() <= MAX_LENGTH,
                ResourceExhausted,
                "a list of more than {MAX_LENGTH} elements"
            );
            list.elements.extend(more.elements);
        }
        give(cx, shape, joined)
    }))
}

fn batch_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (handles, value) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            handles.shape().rank() == 1 && value.dims().first() == handles.dims().first(),
            InvalidArgument,
            "Expected a vector of lists and a tensor of as many rows: {} and {}",
            handles.shape(),
            value.shape()
        );
        let row = Shape::new(&value.dims()[1..])?;
        let (shape, mut all) = (handles.shape().clone(), lists(handles)?);
        for (number, list) in all.iter_mut().enumerate() {
            list.check(dtype)?;
            let element = value.window(number * row.num_elements(), row.clone())?;
            ensure!(
                list.element_shape.is_compatible_with(element.shape()),
                InvalidArgument,
                "Tried to append a tensor with incompatible shape to a list at index {number}. Op element shape: {} list \
                 shape: {}",
                element.shape(),
                list.element_shape
            );
            ensure!(list.elements.len() < MAX_LENGTH, ResourceExhausted, "a list of more than {MAX_LENGTH} elements");
            list.elements.push(Some(element));
        }
        give(cx, shape, all)
    }))
}

fn resize_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        let size = scalar_i32(cx.input(1)?, "size")?;
        ensure!(size >= 0, InvalidArgument, "TensorListSlice expects size to be non-negative. Got: {size}");
        ensure!(size as usize <= MAX_LENGTH, ResourceExhausted, "a list of {size} elements");
        list.elements.resize(size as usize, None);
        cx.set_output(0, list.into_tensor()?);
        Ok(())
    }))
}
