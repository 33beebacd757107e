//! Elements that are not plain bytes: handles of resources and variants.

use std::any::Any;
use std::sync::Arc;

use crate::{DType, PartialShape, Tensor};

/// Names a resource (a variable, a queue, ...) that lives on a device. Only its owner can open it.
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
#[derive(Clone, Debug)]
pub struct Variant(pub Arc<dyn VariantValue>);

/// What a [`Variant`] holds.
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
