//! What a shape function sees: what is known of the inputs before anything runs.

use tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

use crate::attr::{Attrs, ReadAttrs};
use crate::data::Node;

/// Infers the shapes of a node's outputs, or finds that the inputs cannot fit.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{ShapeContext, ShapeFn};
/// fn first_dimension(cx: &mut ShapeContext<'_>) -> Result<()> {
///     let rows = cx.with_rank_at_least(0, 1)?.dim(0);
///     cx.set(0, PartialShape::from([rows]));
///     Ok(())
/// }
/// let rules: [ShapeFn; 2] = [first_dimension, ShapeContext::scalar];
/// # let _ = rules;
/// # Ok::<(), Status>(())
/// ```
pub type ShapeFn = fn(&mut ShapeContext<'_>) -> Result<()>;

/// A node's inputs as far as they are known, and its outputs to be described. Outputs not set stay unknown.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{Registry, ShapeContext};
/// fn first_dimension(cx: &mut ShapeContext<'_>) -> Result<()> {
///     let rows = cx.with_rank_at_least(0, 1)?.dim(0);
///     cx.set(0, PartialShape::from([rows]));
///     Ok(())
/// }
/// let mut registry = Registry::clone(Graph::new().registry());
/// registry.op("RowSums", "x: float -> y: float").shape(first_dimension);
/// let g = Graph::with_registry(Arc::new(registry));
/// let sums = g.op("RowSums").input(g.placeholder(DType::Float, [Some(5), None])).output();
/// assert_eq!(sums.shape(), PartialShape::from([5]));
/// g.op("RowSums").input(g.constant(1f32)).output(); // a scalar has no rows
/// assert!(g.check().is_err());
/// # Ok::<(), Status>(())
/// ```
pub struct ShapeContext<'a> {
    /// The node whose outputs are asked about.
    pub node: &'a Node,
    pub(crate) inputs: Vec<PartialShape>,
    pub(crate) input_handles: Vec<Option<(DType, PartialShape)>>,
    /// Gives an input's value, if it can be known beforehand.
    pub(crate) value: &'a dyn Fn(usize) -> Option<Tensor>,
    /// Gives an input's value as a shape of which parts may be known.
    pub(crate) shape_value: &'a dyn Fn(usize) -> Option<PartialShape>,
    pub(crate) outputs: Vec<PartialShape>,
    pub(crate) output_handles: Vec<Option<(DType, PartialShape)>>,
}

impl ReadAttrs for ShapeContext<'_> {
    fn attr_map(&self) -> &Attrs {
        &self.node.attrs
    }
}

impl ShapeContext<'_> {
    /// Returns how many inputs there are.
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Returns how many outputs there are.
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// What is known of an input's shape.
    pub fn input(&self, index: usize) -> PartialShape {
        self.inputs.get(index).cloned().unwrap_or_default()
    }

    /// An input's value, if it is a constant or follows from constants and known shapes.
    pub fn value(&self, index: usize) -> Option<Tensor> {
        (self.value)(index)
    }

    /// An int32 or int64 input's values.
    pub fn ints(&self, index: usize) -> Option<Vec<i64>> {
        self.value(index)?.to_i64_vec().ok()
    }

    /// An integer scalar input's value.
    pub fn int(&self, index: usize) -> Option<i64> {
        match self.ints(index)?[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// An input that is a shape (a vector of dimensions), as far as it is known.
    pub fn input_as_shape(&self, index: usize) -> PartialShape {
        (self.shape_value)(index).unwrap_or_else(|| match self.input(index).dim(0) {
            Some(rank) if (0..=254).contains(&rank) => PartialShape::of_rank(rank as usize),
            _ => PartialShape::unknown(),
        })
    }

    /// Sets what is known of an output's shape.
    pub fn set(&mut self, index: usize, shape: impl Into<PartialShape>) {
        if let Some(slot) = self.outputs.get_mut(index) {
            *slot = shape.into();
        }
    }

    /// For an input that is a resource handle: type and shape of what is behind it.
    pub fn handle(&self, index: usize) -> Option<(DType, PartialShape)> {
        self.input_handles.get(index).cloned().flatten()
    }

    /// Sets the type and shape of what an output is the handle of.
    pub fn set_handle(&mut self, index: usize, dtype: DType, shape: PartialShape) {
        if let Some(slot) = self.output_handles.get_mut(index) {
            *slot = Some((dtype, shape));
        }
    }

    /// # Errors
    /// `InvalidArgument` if the input's rank is known to be another one.
    pub fn with_rank(&self, index: usize, rank: usize) -> Result<PartialShape> {
        let shape = self.input(index);
        match shape.rank() {
            None => Ok(PartialShape::of_rank(rank)),
            Some(known) => {
                ensure!(
                    known == rank,
                    InvalidArgument,
                    "Shape must be rank {rank} but is rank {known} for '{}' (op: '{}') with input shapes: {}",
                    self.node.name,
                    self.node.op,
                    self.shown()
                );
                Ok(shape)
            }
        }
    }

    /// # Errors
    /// `InvalidArgument` if the input's rank is known to be smaller.
    pub fn with_rank_at_least(&self, index: usize, rank: usize) -> Result<PartialShape> {
        let shape = self.input(index);
        if let Some(known) = shape.rank() {
            ensure!(
                known >= rank,
                InvalidArgument,
                "Shape must be at least rank {rank} but is rank {known} for '{}' (op: '{}') with input shapes: {}",
                self.node.name,
                self.node.op,
                self.shown()
            );
        }
        Ok(shape)
    }

    /// The shapes of all inputs, for messages.
    pub fn shown(&self) -> String {
        self.inputs.iter().map(|shape| shape.to_string()).collect::<Vec<_>>().join(", ")
    }
}

/// Shape functions that several ops share.
impl ShapeContext<'_> {
    /// Output `i` is like input `i`, for the first input and all outputs.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Registry, ShapeContext};
    /// let mut registry = Registry::clone(Graph::new().registry());
    /// registry.op("Twice", "x: float -> y: float").shape(ShapeContext::unchanged);
    /// let g = Graph::with_registry(Arc::new(registry));
    /// assert_eq!(g.op("Twice").input(g.constant([1f32, 2.0])).output().shape(), PartialShape::from([2]));
    /// ```
    pub fn unchanged(cx: &mut ShapeContext<'_>) -> Result<()> {
        let shape = cx.input(0);
        for index in 0..cx.num_outputs() {
            cx.set(index, shape.clone());
        }
        if let Some((dtype, shape)) = cx.handle(0) {
            cx.set_handle(0, dtype, shape);
        }
        Ok(())
    }

    /// All outputs are scalars.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Registry, ShapeContext};
    /// let mut registry = Registry::clone(Graph::new().registry());
    /// registry.op("Total", "x: float -> y: float").shape(ShapeContext::scalar);
    /// let g = Graph::with_registry(Arc::new(registry));
    /// assert_eq!(g.op("Total").input(g.constant([1f32, 2.0])).output().shape(), PartialShape::scalar());
    /// ```
    pub fn scalar(cx: &mut ShapeContext<'_>) -> Result<()> {
        for index in 0..cx.num_outputs() {
            cx.set(index, PartialShape::scalar());
        }
        Ok(())
    }

    /// Nothing is known of the outputs.
    pub fn unknown(_: &mut ShapeContext<'_>) -> Result<()> {
        Ok(())
    }

    /// All inputs have one shape, which is the output's too.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Registry, ShapeContext};
    /// let mut registry = Registry::clone(Graph::new().registry());
    /// registry.op("Plus", "a: float, b: float -> c: float").shape(ShapeContext::merged);
    /// let g = Graph::with_registry(Arc::new(registry));
    /// let (rows, columns) =
    ///     (g.placeholder(DType::Float, [Some(2), None]), g.placeholder(DType::Float, [None, Some(3)]));
    /// assert_eq!(g.op("Plus").input(&rows).input(&columns).output().shape(), PartialShape::from([2, 3]));
    /// ```
    pub fn merged(cx: &mut ShapeContext<'_>) -> Result<()> {
        let mut shape = PartialShape::unknown();
        for index in 0..cx.num_inputs() {
            shape = shape.merge(&cx.input(index))?;
        }
        cx.set(0, shape);
        Ok(())
    }

    /// The output is the two inputs broadcast against each other.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Registry, ShapeContext};
    /// let mut registry = Registry::clone(Graph::new().registry());
    /// registry.op("Plus", "a: float, b: float -> c: float").shape(ShapeContext::broadcast);
    /// let g = Graph::with_registry(Arc::new(registry));
    /// let (row, column) = (g.constant([1f32, 2.0, 3.0]), g.constant([[1f32], [2.0]]));
    /// assert_eq!(g.op("Plus").input(&row).input(&column).output().shape(), PartialShape::from([2, 3]));
    /// ```
    pub fn broadcast(cx: &mut ShapeContext<'_>) -> Result<()> {
        let shape = broadcast_shapes(&cx.input(0), &cx.input(1)).map_err(|status| {
            status.context(format_args!(
                "for '{}' (op: '{}') with input shapes: {}",
                cx.node.name,
                cx.node.op,
                cx.shown()
            ))
        })?;
        cx.set(0, shape);
        Ok(())
    }
}

/// What is known of the result of broadcasting two shapes.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::broadcast_shapes;
/// let (rows, row) = (PartialShape::from([None, Some(3)]), PartialShape::from([3]));
/// assert_eq!(broadcast_shapes(&rows, &row)?, rows);
/// assert!(broadcast_shapes(&rows, &PartialShape::from([2])).is_err());
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` if they cannot be broadcast.
pub fn broadcast_shapes(a: &PartialShape, b: &PartialShape) -> Result<PartialShape> {
    let (Some(x), Some(y)) = (a.raw_dims(), b.raw_dims()) else { return Ok(PartialShape::unknown()) };
    let rank = x.len().max(y.len());
    let dim = |dims: &[i64], axis: usize| if axis + dims.len() < rank { 1 } else { dims[axis + dims.len() - rank] };
    let mut out = Vec::with_capacity(rank);
    for axis in 0..rank {
        out.push(match (dim(x, axis), dim(y, axis)) {
            (1, other) | (other, 1) => other,
            (-1, other) | (other, -1) => other,
            (p, q) if p == q => p,
            (p, q) => bail!(
                InvalidArgument,
                "Dimensions must be equal, but are {p} and {q}, so {a} and {b} cannot be broadcast"
            ),
        });
    }
    Ok(PartialShape::from_dims(&out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_partial_shapes() {
        let shape = |dims: &[i64]| PartialShape::from_dims(dims);
        let broadcast = |a: &[i64], b: &[i64]| broadcast_shapes(&shape(a), &shape(b)).map(|s| s.to_string());
        assert_eq!(broadcast(&[2, 1], &[3]).unwrap(), "[2,3]");
        assert_eq!(broadcast(&[-1, 3], &[1]).unwrap(), "[?,3]");
        assert_eq!(broadcast(&[-1], &[5]).unwrap(), "[5]");
        assert_eq!(broadcast(&[-1], &[1]).unwrap(), "[?]");
        assert!(broadcast(&[2], &[3]).is_err());
    }
}
