//! What a dataset is: something that can be gone through, element by element, again and again.

use std::any::Any;
use std::sync::Arc;

use graph::op::{OpContext, Step};
use tensor::{Result, Shape, Tensor, Variant, VariantValue, err};

/// One tensor for each component.
pub(crate) type Element = Vec<Tensor>;

/// A dataset.
pub(crate) trait Source: Send + Sync {
    /// Begins at its first element.
    ///
    /// # Errors
    /// What the first look at the data fails with.
    fn begin(&self, step: &Step) -> Result<Box<dyn Elements>>;
}

/// A way through a dataset.
pub(crate) trait Elements: Send {
    /// The next element; `None` at the end.
    ///
    /// # Errors
    /// What reading or computing it fails with; the way may go on behind it.
    fn next(&mut self, step: &Step) -> Result<Option<Element>>;
}

struct Dataset(Arc<dyn Source>);

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Dataset")
    }
}

impl VariantValue for Dataset {
    fn type_name(&self) -> &str {
        "tensorflow::DatasetVariantWrapper"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A dataset as a value on an edge.
///
/// # Errors
/// None: a scalar has one element.
pub(crate) fn dataset_tensor(source: impl Source + 'static) -> Result<Tensor> {
    Tensor::from_variants(Shape::scalar(), vec![Variant(Arc::new(Dataset(Arc::new(source))))])
}

/// The dataset in a tensor.
///
/// # Errors
/// `InvalidArgument` if there is none.
pub(crate) fn dataset_in(tensor: &Tensor) -> Result<Arc<dyn Source>> {
    let found = tensor.variants()?.first().and_then(|variant| variant.0.as_any().downcast_ref::<Dataset>());
    found
        .map(|dataset| dataset.0.clone())
        .ok_or_else(|| err!(InvalidArgument, "The given variant tensor does not hold a dataset"))
}

/// The dataset in an input.
///
/// # Errors
/// `InvalidArgument` if there is none.
pub(crate) fn dataset_input(cx: &OpContext<'_>, index: usize) -> Result<Arc<dyn Source>> {
    dataset_in(cx.input(index)?)
}
