//! Elements that are not plain bytes: handles of resources and variants.

use std::any::Any;
use std::sync::Arc;

use crate::{DType, PartialShape, Result, Tensor, ensure};

/// Names a resource (a variable, a queue, ...) that lives on a device. Only its owner can open it.
///
/// ```
/// use tensorfleet_tensor::{DType, ResourceHandle, Tensor};
/// let handle = ResourceHandle { name: "w".to_owned(), ..Default::default() };
/// let tensor = Tensor::from_handle(handle.clone());
/// assert_eq!((tensor.dtype(), tensor.handles()?), (DType::Resource, &[handle][..]));
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceHandle {
    /// The device that the resource is on.
    pub device: String,
    /// The container that it is in.
    pub container: String,
    /// Its name in the container.
    pub name: String,
    /// A number that stands for its type.
    pub hash_code: u64,
    /// The name of its type.
    pub type_name: String,
    /// The types and shapes of its values, if they are known.
    pub dtypes_and_shapes: Vec<(DType, PartialShape)>,
    /// What keeps the resource alive, if it ends with the last handle of it in this process.
    pub owner: Option<Owner>,
}

/// Keeps something alive for as long as one of its copies is there.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet_tensor::Owner;
/// let kept = Arc::new(7);
/// let owner = Owner::new(kept.clone());
/// let copy = owner.clone();
/// drop(owner);
/// assert_eq!(Arc::strong_count(&kept), 2);
/// drop(copy);
/// assert_eq!(Arc::strong_count(&kept), 1);
/// ```
#[derive(Clone)]
pub struct Owner(Arc<dyn Any + Send + Sync>);

impl Owner {
    /// Keeps a value.
    pub fn new(kept: impl Any + Send + Sync) -> Owner {
        Owner(Arc::new(kept))
    }
}

impl PartialEq for Owner {
    fn eq(&self, other: &Owner) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Debug for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Owner")
    }
}

/// A value of an opaque kind that only certain ops understand.
///
/// ```
/// use tensorfleet_tensor::{DType, Shape, Tensor, Variant, VariantData};
/// let tensors = vec![Tensor::from([1f32, 2.0])];
/// let data = VariantData { type_name: "Point".to_owned(), tensors, ..Default::default() };
/// let tensor = Tensor::from_variants(Shape::scalar(), vec![Variant::new(data)?])?;
/// assert_eq!(tensor.dtype(), DType::Variant);
/// let point = tensor.variants()?[0].get("Point", |data| Some(data.clone())).unwrap();
/// assert_eq!(point.tensors[0], Tensor::from([1f32, 2.0]));
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct Variant {
    value: Arc<dyn VariantValue>,
    extent: Extent,
}

/// How deep variants may lie in each other. Whoever goes through a value, if only to let go of it, does so level by level
/// on its thread's stack.
pub const MAX_VARIANT_DEPTH: usize = 1000;

/// How much there is in a variant, or in several tensors: what lies in them twice counts twice.
///
/// ```
/// use tensorfleet_tensor::{Extent, Shape, Tensor, Variant, VariantData};
/// let floats = Tensor::from([1f32, 2.0]);
/// let data = VariantData { tensors: vec![floats.clone(), floats], ..Default::default() };
/// let outer = Tensor::from_variants(Shape::scalar(), vec![Variant::new(data)?])?;
/// let extent = Extent::of([&outer]);
/// assert_eq!(extent.depth, 1);
/// assert!(extent.bytes >= 16);
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How deep variants lie in each other; 0 if there are none.
    pub depth: usize,
    /// The bytes of all tensors, if nothing is shared.
    pub bytes: u64,
}

impl Extent {
    /// The extent of tensors.
    ///
    /// ```
    /// use tensorfleet_tensor::{Extent, Tensor};
    /// let (a, b) = (Tensor::from([1f32, 2.0]), Tensor::from(1f64));
    /// assert_eq!(Extent::of([&a, &b]), Extent { depth: 0, bytes: 16 });
    /// ```
    pub fn of<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Extent {
        let mut all = Extent::default();
        for tensor in tensors {
            all.bytes = all.bytes.saturating_add(tensor.byte_size() as u64);
            for variant in tensor.variants().unwrap_or_default() {
                all.depth = all.depth.max(variant.extent.depth);
                all.bytes = all.bytes.saturating_add(variant.extent.bytes);
            }
        }
        all
    }
}

/// What a [`Variant`] holds.
///
/// ```
/// use std::any::Any;
/// use tensorfleet_tensor::{Variant, VariantValue};
/// #[derive(Clone, Debug)]
/// struct Counter(u64);
///
/// impl VariantValue for Counter {
///     fn type_name(&self) -> &str {
///         "Counter"
///     }
///     fn as_any(&self) -> &dyn Any {
///         self
///     }
/// }
/// let variant = Variant::new(Counter(7))?;
/// assert_eq!(variant.get::<Counter>("Counter", |_| None).unwrap().0, 7);
/// assert!(variant.value().to_data().is_none()); // it cannot leave its process
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
pub trait VariantValue: Any + Send + Sync + std::fmt::Debug {
    /// Returns the name of the value's type.
    fn type_name(&self) -> &str;
    /// Returns the value, for whoever knows its Rust type.
    fn as_any(&self) -> &dyn Any;

    /// The extent of the tensors in it. A value that holds variants and does not say so escapes the limit on their depth.
    fn extent(&self) -> Extent {
        Extent::default()
    }

    /// What it is outside of its process; `None` if it cannot leave it.
    fn to_data(&self) -> Option<VariantData> {
        None
    }
}

/// A variant taken apart into bytes and tensors. One that came from another process stays so until an op that understands
/// its type looks at it.
///
/// ```
/// use tensorfleet_tensor::{VariantData, VariantValue};
/// let data = VariantData { type_name: "Point".to_owned(), ..Default::default() };
/// assert_eq!((data.type_name(), data.tensors.len()), ("Point", 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct VariantData {
    /// The name of its type.
    pub type_name: String,
    /// What the type's own code makes of the value, beside tensors.
    pub metadata: Vec<u8>,
    /// The tensors in the value.
    pub tensors: Vec<Tensor>,
}

impl VariantValue for VariantData {
    fn type_name(&self) -> &str {
        &self.type_name
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn extent(&self) -> Extent {
        Extent::of(&self.tensors)
    }

    fn to_data(&self) -> Option<VariantData> {
        Some(self.clone())
    }
}

impl Variant {
    /// A variant with this value.
    ///
    /// ```
    /// use tensorfleet_tensor::{Variant, VariantData};
    /// assert_eq!(Variant::new(VariantData::default())?.extent().depth, 1);
    /// # Ok::<(), tensorfleet_tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if variants would lie in it deeper than [`MAX_VARIANT_DEPTH`].
    pub fn new(value: impl VariantValue) -> Result<Variant> {
        let inside = value.extent();
        let depth = inside.depth + 1;
        ensure!(
            depth <= MAX_VARIANT_DEPTH,
            ResourceExhausted,
            "variants are nested {depth} deep with a {}; the limit is {MAX_VARIANT_DEPTH}",
            value.type_name()
        );
        let bytes = inside.bytes.saturating_add(size_of::<Variant>() as u64);
        Ok(Variant { value: Arc::new(value), extent: Extent { depth, bytes } })
    }

    /// What it holds.
    pub fn value(&self) -> &dyn VariantValue {
        &*self.value
    }

    /// How much there is in it, itself included.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The value of a type: what is held, or what `decode` makes of data that came with the type's name.
    ///
    /// ```
    /// use tensorfleet_tensor::{Variant, VariantData};
    /// let variant = Variant::new(VariantData { type_name: "Point".to_owned(), ..Default::default() })?;
    /// assert!(variant.get("Point", |data| Some(data.clone())).is_some());
    /// # Ok::<(), tensorfleet_tensor::Status>(())
    /// ```
    pub fn get<T: VariantValue + Clone>(
        &self,
        type_name: &str,
        decode: impl FnOnce(&VariantData) -> Option<T>,
    ) -> Option<T> {
        let held = self.value.as_any();
        match held.downcast_ref::<T>() {
            Some(value) => Some(value.clone()),
            None => held.downcast_ref::<VariantData>().filter(|data| data.type_name == type_name).and_then(decode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Shape};

    fn around(tensors: Vec<Tensor>) -> Result<Tensor> {
        let data = VariantData { type_name: "Box".to_owned(), metadata: Vec::new(), tensors };
        Tensor::from_variants(Shape::scalar(), vec![Variant::new(data)?])
    }

    #[test]
    fn variants_lie_in_each_other_up_to_a_depth() {
        let mut value = Tensor::from(1f32);
        for _ in 0..MAX_VARIANT_DEPTH {
            value = around(vec![value]).unwrap();
        }
        let refused = around(vec![value]).unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert_eq!(refused.message(), "variants are nested 1001 deep with a Box; the limit is 1000");
    }

    /// Two of the same in each level: 2^200 tensors, if they were written out.
    #[test]
    fn what_lies_in_a_variant_twice_counts_twice() {
        let mut value = Tensor::from(1f32);
        for _ in 0..200 {
            value = around(vec![value.clone(), value]).unwrap();
        }
        assert_eq!(Extent::of([&value]), Extent { depth: 200, bytes: u64::MAX });
    }
}
