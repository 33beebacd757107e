//! What a dataset is: something that can be gone through, element by element, again and again.

use std::any::Any;
use std::sync::Arc;

use graph::op::{OpContext, Step, within_stack};
use tensor::{Extent, Result, Shape, Tensor, Variant, VariantValue, err};

/// One tensor for each component.
pub(crate) type Element = Vec<Tensor>;

/// A dataset.
pub(crate) trait Source: Send + Sync {
    /// Begins at its first element.
    ///
    /// # Errors
    /// What the first look at the data fails with.
    fn begin(&self, step: &Step) -> Result<Box<dyn Elements>>;

    /// How many elements it has, as far as can be told without going through it: [`INFINITE`], [`UNKNOWN`] or the number.
    fn cardinality(&self) -> i64 {
        UNKNOWN
    }
}

/// The cardinality of a dataset without end.
pub(crate) const INFINITE: i64 = -1;
/// The cardinality of a dataset of which it cannot be told.
pub(crate) const UNKNOWN: i64 = -2;

/// A dataset of which the cardinality is known.
pub(crate) struct Counted<S>(pub(crate) S, pub(crate) i64);

impl<S: Source> Source for Counted<S> {
    fn begin(&self, step: &Step) -> Result<Box<dyn Elements>> {
        self.0.begin(step)
    }

    fn cardinality(&self) -> i64 {
        self.1
    }
}

/// A way through a dataset.
pub(crate) trait Elements: Send {
    /// The next element; `None` at the end.
    ///
    /// # Errors
    /// What reading or computing it fails with; the way may go on behind it.
    fn next(&mut self, step: &Step) -> Result<Option<Element>>;
}

struct Dataset {
    source: Arc<dyn Source>,
    inside: Extent,
}

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

    fn extent(&self) -> Extent {
        self.inside
    }
}

/// A dataset, or a way through one, that asks for stack before it goes a level deeper.
struct Level<T>(T);

impl<T: Source> Source for Level<T> {
    fn begin(&self, step: &Step) -> Result<Box<dyn Elements>> {
        within_stack(|| Ok(Box::new(Level(self.0.begin(step)?)) as Box<dyn Elements>))
    }

    fn cardinality(&self) -> i64 {
        self.0.cardinality()
    }
}

impl Elements for Level<Box<dyn Elements>> {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        within_stack(|| self.0.next(step))
    }
}

/// A dataset as a value on an edge, with the extent of what it holds.
///
/// # Errors
/// `ResourceExhausted` if it is nested too deep.
pub(crate) fn dataset_tensor(source: impl Source + 'static, inside: Extent) -> Result<Tensor> {
    let dataset = Dataset { source: Arc::new(Level(source)), inside };
    Tensor::from_variants(Shape::scalar(), vec![Variant::new(dataset)?])
}

/// The extent of all inputs that a kernel still has: what a dataset that it makes may hold.
pub(crate) fn extent_of_inputs(cx: &OpContext<'_>) -> Extent {
    Extent::of((0..cx.num_inputs()).filter_map(|index| cx.input(index).ok()))
}

/// The dataset in a tensor.
///
/// # Errors
/// `InvalidArgument` if there is none.
pub(crate) fn dataset_in(tensor: &Tensor) -> Result<Arc<dyn Source>> {
    let found = tensor.variants()?.first().and_then(|variant| variant.value().as_any().downcast_ref::<Dataset>());
    found
        .map(|dataset| dataset.source.clone())
        .ok_or_else(|| err!(InvalidArgument, "The given variant tensor does not hold a dataset"))
}

/// The dataset in an input.
///
/// # Errors
/// `InvalidArgument` if there is none.
pub(crate) fn dataset_input(cx: &OpContext<'_>, index: usize) -> Result<Arc<dyn Source>> {
    dataset_in(cx.input(index)?)
}
