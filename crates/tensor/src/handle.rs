//! Elements that are not plain bytes: handles of resources and variants.

use std::any::Any;
use std::sync::Arc;

use crate::{DType, PartialShape};

/// Names a resource (a variable, a queue, ...) that lives on a device. Only its owner can open it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceHandle {
    pub device: String,
    pub container: String,
    pub name: String,
    pub hash_code: u64,
    pub type_name: String,
    pub dtypes_and_shapes: Vec<(DType, PartialShape)>,
}

/// A value of an opaque kind that only certain ops understand.
#[derive(Clone, Debug)]
pub struct Variant(pub Arc<dyn VariantValue>);

/// What a [`Variant`] holds.
pub trait VariantValue: Any + Send + Sync + std::fmt::Debug {
    fn type_name(&self) -> &str;
    fn as_any(&self) -> &dyn Any;
}
