//! Lists of tensors as values: `EmptyTensorList`, `TensorListReserve`, `TensorListPushBack` and what else loops made of
//! functions keep their intermediate results in. A list never changes: an op that changes it gives a new one.

use std::any::Any;
use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use prost::Message;
use tensor::{DType, PartialShape, Result, Shape, Tensor, Variant, VariantData, VariantValue, bail, ensure, err};

use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    const SHAPE: &str = "shape_type: {int32, int64}";
    r.op("EmptyTensorList", "element_shape: shape_type, max_num_elements: int32 -> handle: variant")
        .attr("element_dtype: type")
        .attr(SHAPE)
        .shape(ShapeContext::scalar)
        .any_kernel(empty_kernel)
        .not_differentiable();
    r.op("TensorListReserve", "element_shape: shape_type, num_elements: int32 -> handle: variant")
        .attr("element_dtype: type")
        .attr(SHAPE)
        .shape(ShapeContext::scalar)
        .any_kernel(reserve_kernel)
        .not_differentiable();
    r.op("TensorListPushBack", "input_handle: variant, tensor: element_dtype -> output_handle: variant")
        .attr("element_dtype: type")
        .shape(ShapeContext::scalar)
        .any_kernel(push_kernel);
    r.op(
        "TensorListPopBack",
        "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
    )
    .attr("element_dtype: type")
    .shape(pop_shape)
    .any_kernel(pop_kernel);
    r.op("TensorListLength", "input_handle: variant -> length: int32")
        .shape(ShapeContext::scalar)
        .any_kernel(length_kernel)
        .not_differentiable();
    r.op("TensorListElementShape", "input_handle: variant -> element_shape: shape_type")
        .attr(SHAPE)
        .any_kernel(element_shape_kernel)
        .not_differentiable();
    r.op("TensorListGetItem", "input_handle: variant, index: int32, element_shape: Tshape -> item: element_dtype")
        .attr("element_dtype: type")
        .attr("Tshape: {int32, int64} = int32")
        .shape(get_shape)
        .any_kernel(get_kernel);
    r.op("TensorListSetItem", "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant")
        .attr("element_dtype: type")
        .attr("resize_if_index_out_of_bounds: bool = false")
        .shape(ShapeContext::scalar)
        .any_kernel(set_kernel);
    r.op("TensorListStack", "input_handle: variant, element_shape: int32 -> tensor: element_dtype")
        .attr("element_dtype: type")
        .attr("num_elements: int = -1")
        .shape(stack_shape)
        .any_kernel(stack_kernel);
    r.op("TensorListFromTensor", "tensor: element_dtype, element_shape: shape_type -> output_handle: variant")
        .attr("element_dtype: type")
        .attr(SHAPE)
        .shape(ShapeContext::scalar)
        .any_kernel(unstack_kernel);
}

fn pop_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::scalar());
    if cx.int(1) != Some(-1) {
        let shape = cx.input_as_shape(1);
        cx.set(1, shape);
    }
    Ok(())
}

fn get_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if cx.int(2) != Some(-1) {
        let shape = cx.input_as_shape(2);
        cx.set(0, shape);
    }
    Ok(())
}

fn stack_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.attr_int("num_elements")?;
    if cx.int(1) != Some(-1) {
        let rest = cx.input_as_shape(1);
        cx.set(0, PartialShape::from_dims(&[count]).concatenate(&rest));
    }
    Ok(())
}

/// A list; places that nothing was put in are empty.
#[derive(Clone, Debug)]
struct TensorList {
    dtype: DType,
    element_shape: PartialShape,
    /// Negative for no limit.
    most: i32,
    elements: Vec<Option<Tensor>>,
}

const TYPE_NAME: &str = "tensorflow::TensorList";

impl VariantValue for TensorList {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    /// The elements that are there; as numbers, how many places are empty and which, the type and the limit; and the
    /// elements' shape as a message.
    fn to_data(&self) -> Option<VariantData> {
        let empty: Vec<usize> = (0..self.elements.len()).filter(|place| self.elements[*place].is_none()).collect();
        let mut metadata = Vec::new();
        let numbers = [empty.len() as u64].into_iter().chain(empty.into_iter().map(|place| place as u64));
        for number in numbers.chain([self.dtype.number() as u64, self.most as i64 as u64]) {
            prost::encoding::encode_varint(number, &mut metadata);
        }
        metadata.extend(tensor::proto::partial_shape_to_proto(&self.element_shape).encode_to_vec());
        let tensors = self.elements.iter().flatten().cloned().collect();
        Some(VariantData { type_name: TYPE_NAME.to_owned(), metadata, tensors })
    }
}

/// More elements than this are taken for a mistake.
const MAX_LENGTH: usize = 1 << 26;

impl TensorList {
    fn of(tensor: &Tensor) -> Result<Option<TensorList>> {
        Ok(tensor.variants()?.first().and_then(|variant| variant.get(TYPE_NAME, TensorList::from_data)))
    }

    fn from_data(data: &VariantData) -> Option<TensorList> {
        let mut rest = &data.metadata[..];
        let mut number = || prost::encoding::decode_varint(&mut rest).ok();
        let count = number()? as usize;
        let empty = (0..count).map_while(|_| number()).collect::<Vec<u64>>();
        if empty.len() < count {
            return None;
        }
        let dtype = DType::from_number(i32::try_from(number()?).ok()?)?;
        let most = number()? as i64 as i32;
        let element_shape = wire::TensorShapeProto::decode(rest).ok()?;
        let element_shape = tensor::proto::partial_shape_from_proto(&element_shape).ok()?;
        let mut given = data.tensors.iter();
        let mut elements: Vec<Option<Tensor>> = vec![None; count + data.tensors.len()];
        let mut empty = empty.into_iter().peekable();
        for (place, element) in elements.iter_mut().enumerate() {
            if empty.next_if_eq(&(place as u64)).is_none() {
                *element = Some(given.next().filter(|value| value.dtype() == dtype)?.clone());
            }
        }
        (empty.next().is_none() && given.next().is_none()).then_some(TensorList {
            dtype,
            element_shape,
            most,
            elements,
        })
    }

    fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_variants(Shape::scalar(), vec![Variant(Arc::new(self))])
    }

    fn check(&self, dtype: DType) -> Result<()> {
        ensure!(
            self.dtype == dtype,
            InvalidArgument,
            "Invalid data types; list elements {} but tried to use {dtype}",
            self.dtype
        );
        Ok(())
    }

    fn check_element(&self, value: &Tensor) -> Result<()> {
        self.check(value.dtype())?;
        ensure!(
            self.element_shape.is_compatible_with(value.shape()),
            InvalidArgument,
            "Tried to append a tensor with incompatible shape to a list. Op element shape: {} list shape: {}",
            value.shape(),
            self.element_shape
        );
        Ok(())
    }

    /// The element at a place, zeros if nothing is there.
    fn element(&self, place: usize, shape: &PartialShape) -> Result<Tensor> {
        if let Some(Some(value)) = self.elements.get(place) {
            return Ok(value.clone());
        }
        let known = self.element_shape.merge(shape)?;
        let alike = self.elements.iter().flatten().next().map(|value| value.shape().clone());
        let Some(shape) = known.to_shape().or(alike) else {
            bail!(
                InvalidArgument,
                "Trying to read an uninitialized tensor but element_shape is not fully defined: {known} and no list \
                 element is set."
            )
        };
        Tensor::zeros(self.dtype, &shape)
    }
}

fn list(cx: &OpContext<'_>) -> Result<TensorList> {
    let input = cx.input(0)?;
    ensure!(input.shape().is_scalar(), InvalidArgument, "Input list must be a scalar. Got: {}", input.shape());
    TensorList::of(input)?.ok_or_else(|| err!(InvalidArgument, "Input handle is not a list."))
}

/// A shape given as a tensor: dimensions, or -1 for any shape at all.
fn shape_of(tensor: &Tensor) -> Result<PartialShape> {
    let dims = tensor.to_i64_vec()?;
    if tensor.shape().is_scalar() {
        ensure!(
            dims == [-1],
            InvalidArgument,
            "The only valid scalar shape tensor is the fully unknown shape specified as -1."
        );
        return Ok(PartialShape::unknown());
    }
    ensure!(
        tensor.shape().rank() == 1 && dims.iter().all(|dim| *dim >= -1) && dims.len() < 255,
        InvalidArgument,
        "{dims:?} is not a shape"
    );
    Ok(PartialShape::from_dims(&dims))
}

fn scalar_i32(tensor: &Tensor, name: &str) -> Result<i32> {
    ensure!(tensor.shape().is_scalar(), InvalidArgument, "{name} must be a scalar, got shape {}", tensor.shape());
    tensor.to_scalar::<i32>()
}

fn empty_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let most = scalar_i32(cx.input(1)?, "max_num_elements")?;
        let made = TensorList { dtype, element_shape: shape_of(cx.input(0)?)?, most, elements: Vec::new() };
        cx.set_output(0, made.into_tensor()?);
        Ok(())
    }))
}

fn reserve_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let count = scalar_i32(cx.input(1)?, "num_elements")?;
        ensure!(
            count >= 0,
            InvalidArgument,
            "The num_elements to reserve must be a non negative number, but got {count}"
        );
        ensure!(count as usize <= MAX_LENGTH, ResourceExhausted, "a list of {count} elements");
        let elements = vec![None; count as usize];
        let made = TensorList { dtype, element_shape: shape_of(cx.input(0)?)?, most: -1, elements };
        cx.set_output(0, made.into_tensor()?);
        Ok(())
    }))
}

fn push_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        let value = cx.take_input(1)?;
        list.check_element(&value)?;
        ensure!(
            list.most < 0 || (list.elements.len() as i64) < list.most as i64,
            InvalidArgument,
            "Tried to push item into a full list list size: {} max_num_elements: {}",
            list.elements.len(),
            list.most
        );
        ensure!(list.elements.len() < MAX_LENGTH, ResourceExhausted, "a list of more than {MAX_LENGTH} elements");
        list.elements.push(Some(value));
        cx.set_output(0, list.into_tensor()?);
        Ok(())
    }))
}

fn pop_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        list.check(dtype)?;
        let shape = shape_of(cx.input(1)?)?;
        ensure!(!list.elements.is_empty(), InvalidArgument, "Trying to pop from an empty list.");
        let value = list.element(list.elements.len() - 1, &shape)?;
        list.elements.pop();
        cx.set_output(0, list.into_tensor()?);
        cx.set_output(1, value);
        Ok(())
    }))
}

fn length_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let length = list(cx)?.elements.len();
        cx.set_output(0, length as i32);
        Ok(())
    }))
}

fn element_shape_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("shape_type")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let shape = list(cx)?.element_shape;
        let tensor = match shape.raw_dims() {
            Some(dims) => crate::arguments::int_tensor(dims, dtype)?,
            None => crate::arguments::int_tensor(&[-1], dtype)?.into_shape(Shape::scalar())?,
        };
        cx.set_output(0, tensor);
        Ok(())
    }))
}

fn get_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let list = list(cx)?;
        list.check(dtype)?;
        let index = scalar_i32(cx.input(1)?, "index")?;
        let count = list.elements.len();
        ensure!(
            (0..count as i64).contains(&(index as i64)),
            InvalidArgument,
            "Trying to access element {index} in a list with {count} elements."
        );
        let value = list.element(index as usize, &shape_of(cx.input(2)?)?)?;
        cx.set_output(0, value);
        Ok(())
    }))
}

fn set_kernel(node: &Node) -> Result<Kernel> {
    let resize = node.attr_bool("resize_if_index_out_of_bounds")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let mut list = list(cx)?;
        let index = scalar_i32(cx.input(1)?, "index")?;
        let value = cx.take_input(2)?;
        list.check_element(&value)?;
        let count = list.elements.len();
        ensure!(
            index >= 0 && (resize || (index as usize) < count),
            InvalidArgument,
            "Trying to modify element {index} in a list with {count} elements."
        );
        if index as usize >= count {
            ensure!((index as usize) < MAX_LENGTH, ResourceExhausted, "a list of {index} elements");
            list.elements.resize(index as usize + 1, None);
        }
        list.elements[index as usize] = Some(value);
        cx.set_output(0, list.into_tensor()?);
        Ok(())
    }))
}

fn stack_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, wanted) = (node.attr_type("element_dtype")?, node.attr_int("num_elements")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let list = list(cx)?;
        list.check(dtype)?;
        let count = list.elements.len();
        ensure!(
            wanted < 0 || count as i64 == wanted,
            InvalidArgument,
            "Operation expected a list with {wanted} elements but got a list with {count} elements."
        );
        let shape = shape_of(cx.input(1)?)?.merge(&list.element_shape)?;
        if count == 0 {
            let Some(shape) = shape.to_shape() else {
                bail!(
                    InvalidArgument,
                    "Tried to stack elements of an empty list with non-fully-defined element_shape: {shape}"
                )
            };
            cx.set_output(0, Tensor::zeros(dtype, &Shape::new(&[&[0], shape.dims()].concat())?)?);
            return Ok(());
        }
        let values = (0..count).map(|place| list.element(place, &shape)).collect::<Result<Vec<_>>>()?;
        let first = values[0].shape().clone();
        ensure!(
            values.iter().all(|value| *value.shape() == first),
            InvalidArgument,
            "Tried to stack list which only contains uninitialized tensors or tensors of different shapes"
        );
        let lengths = vec![first.num_elements(); count];
        let shape = Shape::new(&[&[count as i64], first.dims()].concat())?;
        cx.set_output(0, moved(shape, &values.iter().collect::<Vec<_>>(), &Join(&lengths))?);
        Ok(())
    }))
}

fn unstack_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("element_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (value, element_shape) = (cx.input(0)?, shape_of(cx.input(1)?)?);
        let Some((count, rest)) = value.dims().split_first() else {
            bail!(InvalidArgument, "Tensor must be at least a vector, but saw shape: {}", value.shape())
        };
        let row = Shape::new(rest)?;
        ensure!(
            element_shape.is_compatible_with(&row),
            InvalidArgument,
            "Specified a list with shape {element_shape} from a tensor with shape {row}"
        );
        ensure!(*count as usize <= MAX_LENGTH, ResourceExhausted, "a list of {count} elements");
        let element = |place: i64| value.window(place as usize * row.num_elements(), row.clone()).map(Some);
        let elements = (0..*count).map(element).collect::<Result<Vec<_>>>()?;
        cx.set_output(0, TensorList { dtype, element_shape, most: -1, elements }.into_tensor()?);
        Ok(())
    }))
}

/// The sum of lists, element by element.
///
/// # Errors
/// `InvalidArgument` if the lists do not fit together; what `add` returns.
pub(crate) fn sum_of_lists(lists: &[&Tensor], add: impl Fn(&[&Tensor]) -> Result<Tensor>) -> Result<Tensor> {
    let mut read = Vec::with_capacity(lists.len());
    for list in lists {
        let found = TensorList::of(list)?;
        read.push(found.ok_or_else(|| err!(InvalidArgument, "only lists can be added, of all variants"))?);
    }
    let Some(first) = read.first() else { bail!(InvalidArgument, "nothing to add") };
    let count = first.elements.len();
    for list in &read {
        list.check(first.dtype)?;
        ensure!(
            list.elements.len() == count,
            InvalidArgument,
            "Trying to add two lists of tensors with different lengths. One is {count} and the other is {}",
            list.elements.len()
        );
    }
    let mut elements = Vec::with_capacity(count);
    for place in 0..count {
        let parts: Vec<&Tensor> = read.iter().filter_map(|list| list.elements[place].as_ref()).collect();
        elements.push(match parts[..] {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some(add(&parts)?),
        });
    }
    let element_shape = first.element_shape.clone();
    TensorList { dtype: first.dtype, element_shape, most: first.most, elements }.into_tensor()
}

/// A list or an optional like this one, of zeros.
///
/// # Errors
/// `InvalidArgument` if it is neither.
pub(crate) fn zeros_like_variant(variant: &Tensor) -> Result<Tensor> {
    let Some(mut zeros) = TensorList::of(variant)? else {
        let zeros = super::zeros_like_optional(variant)?;
        return zeros.ok_or_else(|| err!(InvalidArgument, "only lists and optionals have zeros, of all variants"));
    };
    for element in zeros.elements.iter_mut().flatten() {
        *element = Tensor::zeros(element.dtype(), element.shape())?;
    }
    zeros.into_tensor()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three places for vectors of two, the middle one taken: the bytes that TensorFlow 2.21 serializes.
    #[test]
    fn lists_leave_their_process() {
        let elements = vec![None, Some(Tensor::from([1f32, 2.0])), None];
        let list = TensorList { dtype: DType::Float, element_shape: PartialShape::from([2]), most: -1, elements };
        let tensor = list.clone().into_tensor().unwrap();
        let data = tensor.variants().unwrap()[0].0.to_data().unwrap();
        assert_eq!(data.metadata, b"\x02\x00\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x02\x08\x02");
        let proto = tensor::proto::to_proto(&tensor).unwrap();
        let back = TensorList::of(&tensor::proto::from_proto(&proto).unwrap()).unwrap().unwrap();
        assert_eq!((back.elements, back.most, back.element_shape), (list.elements, -1, list.element_shape));
    }

    #[test]
    fn damaged_lists_are_refused() {
        let whole = TensorList {
            dtype: DType::Float,
            element_shape: PartialShape::unknown(),
            most: -1,
            elements: vec![None, Some(Tensor::from([1f32]))],
        };
        let data = whole.to_data().unwrap();
        assert!(TensorList::from_data(&data).is_some());
        for cut in 0..data.metadata.len() {
            let metadata = data.metadata[..cut].to_vec();
            TensorList::from_data(&VariantData { metadata, ..data.clone() });
        }
        let huge = VariantData { metadata: vec![0xff, 0xff, 0xff, 0xff, 0x7f, 0, 1, 0], ..data.clone() };
        assert!(TensorList::from_data(&huge).is_none());
        let other = VariantData { tensors: vec![Tensor::from([1i32])], ..data };
        assert!(TensorList::from_data(&other).is_none());
    }
}
