//! Elements that are not plain bytes: handles of resources and variants.

use std::any::Any;
use std::sync::Arc;

use crate::{DType, PartialShape, Tensor};

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
}

/// A value of an opaque kind that only certain ops understand.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet_tensor::{DType, Shape, Tensor, Variant, VariantData};
/// let tensors = vec![Tensor::from([1f32, 2.0])];
/// let data = VariantData { type_name: "Point".to_owned(), tensors, ..Default::default() };
/// let tensor = Tensor::from_variants(Shape::scalar(), vec![Variant(Arc::new(data))])?;
/// assert_eq!(tensor.dtype(), DType::Variant);
/// let point = tensor.variants()?[0].get("Point", |data| Some(data.clone())).unwrap();
/// assert_eq!(point.tensors[0], Tensor::from([1f32, 2.0]));
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct Variant(pub Arc<dyn VariantValue>);

/// What a [`Variant`] holds.
///
/// ```
/// use std::any::Any;
/// use std::sync::Arc;
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
/// let variant = Variant(Arc::new(Counter(7)));
/// assert_eq!(variant.get::<Counter>("Counter", |_| None).unwrap().0, 7);
/// assert!(variant.0.to_data().is_none()); // it cannot leave its process
/// ```
pub trait VariantValue: Any + Send + Sync + std::fmt::Debug {
    /// Returns the name of the value's type.
    fn type_name(&self) -> &str;
    /// Returns the value, for whoever knows its Rust type.
    fn as_any(&self) -> &dyn Any;

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

    fn to_data(&self) -> Option<VariantData> {
        Some(self.clone())
    }
}

impl Variant {
    /// The value of a type: what is held, or what `decode` makes of data that came with the type's name.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet_tensor::{Variant, VariantData};
    /// let variant = Variant(Arc::new(VariantData { type_name: "Point".to_owned(), ..Default::default() }));
    /// assert!(variant.get("Point", |data| Some(data.clone())).is_some());
    /// ```
    pub fn get<T: VariantValue + Clone>(
        &self,
        type_name: &str,
        decode: impl FnOnce(&VariantData) -> Option<T>,
    ) -> Option<T> {
        let held = self.0.as_any();
        match held.downcast_ref::<T>() {
            Some(value) => Some(value.clone()),
            None => held.downcast_ref::<VariantData>().filter(|data| data.type_name == type_name).and_then(decode),
        }
    }
}
