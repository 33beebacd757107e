//! What a gradient function sees: a node, and the gradients with respect to its outputs.

use tensor::{DType, Result, err};

use crate::attr::{Attrs, ReadAttrs};
use crate::builder::{Graph, Output};
use crate::data::Node;
use crate::gradients::Gradient;
use crate::op_builder::OpBuilder;

/// Adds the nodes that compute the gradients with respect to a node's inputs, one entry an input; `None` where there is
/// no gradient.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::Gradient;
/// use tensorfleet::graph::op::{GradContext, GradFn};
/// /// Of `y = x^2`: `2 x dy`.
/// fn square(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
///     Ok(vec![Some((cx.dy(0)? * cx.x(0) * 2.0).into())])
/// }
/// let rule: GradFn = square;
/// # let _ = rule;
/// # Ok::<(), Status>(())
/// ```
pub type GradFn = fn(&GradContext<'_>) -> Result<Vec<Option<Gradient>>>;

/// One node on the way back.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::Gradient;
/// use tensorfleet::graph::op::GradContext;
/// /// Of `y = exp(x)`: `y dy`.
/// fn exponential(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
///     Ok(vec![Some((cx.dy(0)? * cx.y(0)).into())])
/// }
/// # Ok::<(), Status>(())
/// ```
pub struct GradContext<'a> {
    /// The graph that the gradient's nodes are added to.
    pub graph: &'a Graph,
    /// A copy of the node.
    pub node: &'a Node,
    pub(crate) inputs: Vec<Output>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) grads: Vec<Option<Gradient>>,
    /// Zeros that were made beforehand for outputs without a gradient.
    pub(crate) zeros: Vec<Option<Output>>,
}

impl ReadAttrs for GradContext<'_> {
    fn attr_map(&self) -> &Attrs {
        &self.node.attrs
    }
}

impl GradContext<'_> {
    /// Returns how many inputs the node has.
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The node's input.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::Gradient;
    /// use tensorfleet::graph::op::GradContext;
    /// /// Of `y = x^3`: `3 x^2 dy`.
    /// fn cube(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    ///     Ok(vec![Some((cx.dy(0)? * cx.x(0) * cx.x(0) * 3.0).into())])
    /// }
    /// # Ok::<(), Status>(())
    /// ```
    pub fn x(&self, index: usize) -> Output {
        self.inputs[index].clone()
    }

    /// The node's output.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::Gradient;
    /// use tensorfleet::graph::op::GradContext;
    /// /// Of `y = sqrt(x)`: `dy / (2 y)`.
    /// fn square_root(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    ///     Ok(vec![Some((cx.dy(0)? / (cx.y(0) * 2.0)).into())])
    /// }
    /// # Ok::<(), Status>(())
    /// ```
    pub fn y(&self, index: usize) -> Output {
        self.outputs[index].clone()
    }

    /// The gradient with respect to an output, as it is.
    pub fn grad(&self, index: usize) -> Option<&Gradient> {
        self.grads.get(index).and_then(Option::as_ref)
    }

    /// The gradient with respect to an output, dense; zeros if there is none.
    ///
    /// # Errors
    /// `InvalidArgument` if the node has no such output.
    pub fn dy(&self, index: usize) -> Result<Output> {
        match (self.grad(index), self.zeros.get(index)) {
            (Some(gradient), _) => Ok(gradient.to_dense()),
            (None, Some(Some(zeros))) => Ok(zeros.clone()),
            (None, _) => {
                let y = self
                    .outputs
                    .get(index)
                    .ok_or_else(|| err!(InvalidArgument, "no output {index} to differentiate"))?;
                Ok(self.op("ZerosLike").input(y).output())
            }
        }
    }

    /// Begins a node.
    pub fn op(&self, name: &str) -> OpBuilder {
        self.graph.op(name)
    }

    /// The type of an input.
    pub fn dtype(&self, index: usize) -> DType {
        self.node.input_types[index].dtype
    }
}
