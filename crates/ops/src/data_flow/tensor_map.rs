//! `EmptyTensorMap`, `TensorMapInsert`, `TensorMapLookup`, `TensorMapErase`, `TensorMapHasKey`, `TensorMapSize` and
//! `TensorMapStackKeys`: maps from tensors to tensors as values. A map never changes: an op that changes it gives a new one.

use std::any::Any;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Extent, Result, Shape, Tensor, Variant, VariantData, VariantValue, bail, ensure, err};

use super::tensor_list_value::{Add, sum_of_variants};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("EmptyTensorMap", "-> handle: variant")
        .shape(ShapeContext::scalar)
        .any_kernel(|_| Ok(Kernel::cheap(empty)))
        .not_differentiable();
    r.op("TensorMapInsert", "input_handle: variant, key: key_dtype, value: value_dtype -> output_handle: variant")
        .attr("key_dtype: type")
        .attr("value_dtype: type")
        .shape(ShapeContext::scalar)
        .any_kernel(|_| Ok(Kernel::cheap(insert)));
    r.op("TensorMapLookup", "input_handle: variant, key: key_dtype -> value: value_dtype")
        .attr("key_dtype: type")
        .attr("value_dtype: type")
        .shape(ShapeContext::unknown)
        .any_kernel(lookup_kernel);
    r.op("TensorMapErase", "input_handle: variant, key: key_dtype -> output_handle: variant")
        .attr("key_dtype: type")
        .attr("value_dtype: type")
        .shape(ShapeContext::scalar)
        .any_kernel(|_| Ok(Kernel::cheap(erase)));
    r.op("TensorMapHasKey", "input_handle: variant, key: key_dtype -> has_key: bool")
        .attr("key_dtype: type")
        .shape(ShapeContext::scalar)
        .any_kernel(|_| Ok(Kernel::cheap(has_key)))
        .not_differentiable();
    r.op("TensorMapSize", "input_handle: variant -> size: int32")
        .shape(ShapeContext::scalar)
        .any_kernel(|_| Ok(Kernel::cheap(size)))
        .not_differentiable();
    r.op("TensorMapStackKeys", "input_handle: variant -> keys: key_dtype")
        .attr("key_dtype: type")
        .shape(ShapeContext::unknown)
        .any_kernel(stack_keys_kernel)
        .not_differentiable();
}

/// Pairs of key and value in the order in which the keys came. Every change copies the map, so looking through all
/// pairs costs no more than that.
#[derive(Clone, Debug, Default)]
pub(super) struct TensorMap(Vec<(Tensor, Tensor)>);

const TYPE_NAME: &str = "tensorflow::TensorMap";

/// More pairs than this are taken for a mistake.
const MAX_PAIRS: usize = 1 << 20;

impl VariantValue for TensorMap {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn extent(&self) -> Extent {
        Extent::of(self.0.iter().flat_map(|(key, value)| [key, value]))
    }

    /// Keys and values by turns.
    fn to_data(&self) -> Option<VariantData> {
        let tensors = self.0.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect();
        Some(VariantData { type_name: TYPE_NAME.to_owned(), metadata: Vec::new(), tensors })
    }
}

impl TensorMap {
    pub(super) fn of(tensor: &Tensor) -> Result<Option<TensorMap>> {
        Ok(tensor.variants()?.first().and_then(|variant| variant.get(TYPE_NAME, TensorMap::from_data)))
    }

    fn from_data(data: &VariantData) -> Option<TensorMap> {
        let (pairs, []) = data.tensors.as_chunks::<2>() else { return None };
        Some(TensorMap(pairs.iter().map(|[key, value]| (key.clone(), value.clone())).collect()))
    }

    fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_variants(Shape::scalar(), vec![Variant::new(self)?])
    }

    fn place(&self, key: &Tensor) -> Option<usize> {
        self.0.iter().position(|(own, _)| same(own, key))
    }

    fn insert(&mut self, key: Tensor, value: Tensor) -> Result<()> {
        match self.place(&key) {
            Some(place) => self.0[place].1 = value,
            None => {
                ensure!(self.0.len() < MAX_PAIRS, ResourceExhausted, "a map of more than {MAX_PAIRS} pairs");
                self.0.push((key, value));
            }
        }
        Ok(())
    }
}

/// Whether two keys are one: by their bytes, so that a NaN finds itself.
fn same(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    match (a.buffer(), b.buffer()) {
        (Some(a), Some(b)) => a.as_bytes() == b.as_bytes(),
        _ => a == b,
    }
}

/// The union of maps; values of one key are added. `None` if the first is not a map.
///
/// # Errors
/// `InvalidArgument` if another is not a map; what `add` returns.
pub(super) fn sum_of_maps(tensors: &[&Tensor], add: Add<'_>) -> Result<Option<Tensor>> {
    let Some((first, others)) = tensors.split_first() else { return Ok(None) };
    let Some(mut sum) = TensorMap::of(first)? else { return Ok(None) };
    for other in others {
        let other = TensorMap::of(other)?;
        for (key, value) in other.ok_or_else(|| err!(InvalidArgument, "a map and another variant cannot be added"))?.0 {
            let value = match sum.place(&key) {
                None => value,
                Some(place) if value.dtype() == tensor::DType::Variant => {
                    sum_of_variants(&[&sum.0[place].1, &value], add)?
                }
                Some(place) => add(&[&sum.0[place].1, &value])?,
            };
            sum.insert(key, value)?;
        }
    }
    sum.into_tensor().map(Some)
}

/// The zeros of a map are an empty one; `None` if this is not a map.
pub(super) fn zeros_like_map(tensor: &Tensor) -> Result<Option<Tensor>> {
    TensorMap::of(tensor)?.map(|_| TensorMap::default().into_tensor()).transpose()
}

fn map(cx: &OpContext<'_>) -> Result<TensorMap> {
    let input = cx.input(0)?;
    ensure!(input.shape().is_scalar(), InvalidArgument, "Input map must be a scalar. Saw: {}", input.shape());
    TensorMap::of(input)?.ok_or_else(|| err!(InvalidArgument, "Input handle is not a map."))
}

fn empty(cx: &mut OpContext<'_>) -> Result<()> {
    cx.set_output(0, TensorMap::default().into_tensor()?);
    Ok(())
}

fn insert(cx: &mut OpContext<'_>) -> Result<()> {
    let mut map = map(cx)?;
    map.insert(cx.input(1)?.clone(), cx.input(2)?.clone())?;
    cx.set_output(0, map.into_tensor()?);
    Ok(())
}

fn lookup_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("value_dtype")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (map, key) = (map(cx)?, cx.input(1)?);
        let Some(place) = map.place(key) else {
            bail!(InvalidArgument, "Trying to lookup non-existent key. Could not find key {key:?}")
        };
        let value = &map.0[place].1;
        ensure!(value.dtype() == dtype, InvalidArgument, "the value of key {key:?} is {}, not {dtype}", value.dtype());
        cx.set_output(0, value.clone());
        Ok(())
    }))
}

fn erase(cx: &mut OpContext<'_>) -> Result<()> {
    let (mut map, key) = (map(cx)?, cx.input(1)?);
    let Some(place) = map.place(key) else {
        bail!(InvalidArgument, "Trying to erase non-existent item. Could not find key {key:?}")
    };
    map.0.remove(place);
    cx.set_output(0, map.into_tensor()?);
    Ok(())
}

fn has_key(cx: &mut OpContext<'_>) -> Result<()> {
    let found = map(cx)?.place(cx.input(1)?).is_some();
    cx.set_output(0, found);
    Ok(())
}

fn size(cx: &mut OpContext<'_>) -> Result<()> {
    let size = map(cx)?.0.len();
    cx.set_output(0, size as i32);
    Ok(())
}

fn stack_keys_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("key_dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let map = map(cx)?;
        let Some((first, _)) = map.0.first() else {
            bail!(InvalidArgument, "TensorMapStackKeys cannot be called on empty map.")
        };
        for (key, _) in &map.0 {
            ensure!(
                key.dtype() == dtype,
                InvalidArgument,
                "Key does not match requested dtype. It is {}, not {dtype}",
                key.dtype()
            );
            ensure!(
                key.shape() == first.shape(),
                InvalidArgument,
                "Keys must all have the same shape. There are {} and {}",
                first.shape(),
                key.shape()
            );
        }
        let lengths = vec![first.shape().num_elements(); map.0.len()];
        let shape = Shape::new(&[&[map.0.len() as i64], first.dims()].concat())?;
        let keys: Vec<&Tensor> = map.0.iter().map(|(key, _)| key).collect();
        cx.set_output(0, moved(shape, &keys, &Join(&lengths))?);
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_leave_their_process() {
        let mut map = TensorMap::default();
        map.insert(Tensor::from(f32::NAN), Tensor::from([1i32, 2])).unwrap();
        map.insert(Tensor::from("a"), Tensor::from(2f32)).unwrap();
        map.insert(Tensor::from(f32::NAN), Tensor::from(3i32)).unwrap();
        let proto = tensor::proto::to_proto(&map.into_tensor().unwrap()).unwrap();
        let back = TensorMap::of(&tensor::proto::from_proto(&proto).unwrap()).unwrap().unwrap();
        assert_eq!(back.0.len(), 2);
        assert_eq!(back.place(&Tensor::from("a")), Some(1));
        assert_eq!(back.0[0].1, Tensor::from(3i32));
        let mut data = back.to_data().unwrap();
        data.tensors.pop();
        assert!(TensorMap::from_data(&data).is_none());
    }
}
