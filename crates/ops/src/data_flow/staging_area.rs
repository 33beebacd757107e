//! What staging areas and staging maps share: where they are, how much fits in, and the values of a tuple.

use std::sync::Arc;

use graph::op::{AsyncContext, Container, Outputs, Resource, Value};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Tensor, ensure, err};

use super::waiting::Shared;

/// Where a staging op's area is, and how much fits in. Ops without a shared name use their own.
pub(super) struct Place {
    pub(super) at: Container,
    pub(super) limits: Limits,
}

impl Place {
    pub(super) fn of(node: &Node) -> Result<Place> {
        let mut at = Container::of_node(node)?;
        if node.attr_str("shared_name")?.is_empty() {
            at.name = node.name.clone();
        }
        Ok(Place { at, limits: Limits::of(node)? })
    }

    pub(super) fn find<T: Resource>(&self, step: &graph::op::Step, make: impl Fn() -> T) -> Result<Arc<T>> {
        step.resources.lookup_or_create(&self.at.container, &self.at.name, || Ok(make()))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Limits {
    capacity: i64,
    bytes: i64,
}

impl Limits {
    fn of(node: &Node) -> Result<Limits> {
        Ok(Limits { capacity: node.attr_int("capacity")?, bytes: node.attr_int("memory_limit")? })
    }

    /// # Errors
    /// `ResourceExhausted` if it would not even fit alone.
    pub(super) fn check(self, size: usize) -> Result<()> {
        ensure!(
            self.bytes == 0 || size as i64 <= self.bytes,
            ResourceExhausted,
            "Attempted to insert tensors with combined size of '{size}' bytes into Staging Area with a memory limit of '{}'.",
            self.bytes
        );
        Ok(())
    }

    pub(super) fn allow(self, count: usize, bytes: usize) -> bool {
        (self.capacity == 0 || count as i64 <= self.capacity) && (self.bytes == 0 || bytes as i64 <= self.bytes)
    }
}

pub(super) fn size_of(values: &[Tensor]) -> usize {
    values.iter().map(Tensor::byte_size).sum()
}

/// The values of a tuple, if they are of these types.
pub(super) fn typed(values: &[Tensor], types: &[DType]) -> Result<Outputs> {
    ensure!(
        values.len() == types.len(),
        InvalidArgument,
        "Mismatch stage/unstage: {} vs. {}",
        values.len(),
        types.len()
    );
    for (value, dtype) in values.iter().zip(types) {
        ensure!(value.dtype() == *dtype, InvalidArgument, "a staged value is of type {}, not {dtype}", value.dtype());
    }
    Ok(values.iter().cloned().map(Value::Tensor).collect())
}

/// The tensors of a context's inputs from `first` on.
pub(super) fn tensors(cx: &mut AsyncContext, first: usize) -> Result<Vec<Tensor>> {
    let value = |value| match value {
        Value::Tensor(tensor) => Ok(tensor),
        Value::Ref(variable) => variable.read(),
        Value::Empty => Err(err!(Internal, "a value to stage is missing")),
    };
    let room = cx.inputs.len() as u64 * std::mem::size_of::<Tensor>() as u64;
    tensor::memory::ensure_free(room, format_args!("what is put aside"))?;
    cx.inputs.drain(first..).map(value).collect()
}

/// A resource that tuples are put aside in. The kind is its name among resources.
pub(super) struct Area<S> {
    pub(super) tuples: Arc<Shared<S>>,
    kind: &'static str,
}

impl<S: Default + Send + 'static> Area<S> {
    pub(super) fn new(kind: &'static str) -> Area<S> {
        Area { tuples: Arc::new(Shared::new(S::default())), kind }
    }
}

impl<S: Send + 'static> Resource for Area<S> {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn abandon(&self) {
        self.tuples.abandon();
    }
}
