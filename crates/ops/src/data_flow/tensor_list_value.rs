//! The list of tensors behind the `TensorList` ops. A list never changes: an op that changes it gives a new one.

use std::any::Any;

use graph::op::OpContext;
use prost::Message;
use tensor::{
    DType, Extent, PartialShape, Result, Shape, Tensor, Variant, VariantData, VariantValue, bail, ensure, err,
};

/// A list; places that nothing was put in are empty.
#[derive(Clone, Debug)]
pub(super) struct TensorList {
    pub(super) dtype: DType,
    pub(super) element_shape: PartialShape,
    /// Negative for no limit.
    pub(super) most: i32,
    pub(super) elements: Vec<Option<Tensor>>,
}

const TYPE_NAME: &str = "tensorflow::TensorList";

impl VariantValue for TensorList {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn extent(&self) -> Extent {
        Extent::of(self.elements.iter().flatten())
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
pub(super) const MAX_LENGTH: usize = 1 << 26;

impl TensorList {
    pub(super) fn of(tensor: &Tensor) -> Result<Option<TensorList>> {
        Ok(tensor.variants()?.first().and_then(TensorList::of_variant))
    }

    pub(super) fn of_variant(variant: &Variant) -> Option<TensorList> {
        variant.get(TYPE_NAME, TensorList::from_data)
    }

    pub(super) fn from_data(data: &VariantData) -> Option<TensorList> {
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

    pub(super) fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_variants(Shape::scalar(), vec![Variant::new(self)?])
    }

    pub(super) fn check(&self, dtype: DType) -> Result<()> {
        ensure!(
            self.dtype == dtype,
            InvalidArgument,
            "Invalid data types; list elements {} but tried to use {dtype}",
            self.dtype
        );
        Ok(())
    }

    pub(super) fn check_element(&self, value: &Tensor) -> Result<()> {
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
    pub(super) fn element(&self, place: usize, shape: &PartialShape) -> Result<Tensor> {
        if let Some(Some(value)) = self.elements.get(place) {
            return Ok(value.clone());
        }
        let known = merged(shape, &self.element_shape)?;
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

/// What two shapes say together, in TensorFlow's words if they contradict each other.
///
/// # Errors
/// `InvalidArgument` if they do.
pub(super) fn merged(a: &PartialShape, b: &PartialShape) -> Result<PartialShape> {
    if let (Some(x), Some(y)) = (a.rank(), b.rank()) {
        ensure!(x == y, InvalidArgument, "Incompatible ranks during merge: {x} vs. {y}");
    }
    a.merge(b).map_err(|_| err!(InvalidArgument, "Incompatible shapes during merge: {a} vs. {b}"))
}

/// Checks that values that are joined have one shape.
///
/// # Errors
/// `InvalidArgument` if they do not.
pub(super) fn alike(values: &[Tensor]) -> Result<()> {
    let Some((first, others)) = values.split_first() else { return Ok(()) };
    for other in others.iter().filter(|other| other.shape() != first.shape()) {
        merged(&PartialShape::from(first.shape()), &PartialShape::from(other.shape()))?;
    }
    Ok(())
}

pub(super) fn list(cx: &OpContext<'_>) -> Result<TensorList> {
    let input = cx.input(0)?;
    ensure!(input.shape().is_scalar(), InvalidArgument, "Input list must be a scalar. Got: {}", input.shape());
    TensorList::of(input)?.ok_or_else(|| err!(InvalidArgument, "Input handle is not a list."))
}

/// Adds tensors of one type and shape.
pub(crate) type Add<'a> = &'a dyn Fn(&[&Tensor]) -> Result<Tensor>;

/// The sum of lists, maps or optionals, element by element.
///
/// # Errors
/// `InvalidArgument` if they do not fit together; what `add` returns.
pub(crate) fn sum_of_variants(variants: &[&Tensor], add: Add<'_>) -> Result<Tensor> {
    if let Some(sum) = super::sum_of_optionals(variants, add)? {
        return Ok(sum);
    }
    match super::tensor_map::sum_of_maps(variants, add)? {
        Some(sum) => Ok(sum),
        None => sum_of_lists(variants, add),
    }
}

fn sum_of_lists(lists: &[&Tensor], add: Add<'_>) -> Result<Tensor> {
    let mut read = Vec::with_capacity(lists.len());
    for list in lists {
        let found = TensorList::of(list)?;
        read.push(
            found
                .ok_or_else(|| err!(InvalidArgument, "only lists, maps and optionals can be added, of all variants"))?,
        );
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
        ensure!(
            first.element_shape.merge(&list.element_shape).is_ok(),
            InvalidArgument,
            "Trying to add two lists of tensors with incompatible element shapes. One is {} and the other is {}",
            first.element_shape,
            list.element_shape
        );
    }
    let mut elements = Vec::with_capacity(count);
    for place in 0..count {
        let parts: Vec<&Tensor> = read.iter().filter_map(|list| list.elements[place].as_ref()).collect();
        elements.push(match parts[..] {
            [] => None,
            [only] => Some(only.clone()),
            _ if first.dtype == DType::Variant => Some(sum_of_variants(&parts, add)?),
            _ => Some(add(&parts)?),
        });
    }
    let element_shape = first.element_shape.clone();
    TensorList { dtype: first.dtype, element_shape, most: first.most, elements }.into_tensor()
}

/// A list or an optional like this one, of zeros; for a map, an empty one.
///
/// # Errors
/// `InvalidArgument` if it is none of them; `ResourceExhausted` if it is too large, when what lies in it twice is made twice.
pub(crate) fn zeros_like_variant(variant: &Tensor) -> Result<Tensor> {
    tensor::memory::ensure_free(Extent::of([variant]).bytes, format_args!("a variant of zeros"))?;
    if let Some(zeros) = super::tensor_map::zeros_like_map(variant)? {
        return Ok(zeros);
    }
    let Some(mut zeros) = TensorList::of(variant)? else {
        let zeros = super::zeros_like_optional(variant)?;
        return zeros
            .ok_or_else(|| err!(InvalidArgument, "only lists, maps and optionals have zeros, of all variants"));
    };
    for element in zeros.elements.iter_mut().flatten() {
        *element = match element.dtype() {
            DType::Variant => zeros_like_variant(element)?,
            dtype => Tensor::zeros(dtype, element.shape())?,
        };
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
        let data = tensor.variants().unwrap()[0].value().to_data().unwrap();
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
