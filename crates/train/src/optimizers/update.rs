//! One update: a variable, its slots and its gradient, and the op that makes the step.

use graph::{AttrValue, Gradient, Graph, IndexedSlices, OpBuilder, Operation, Output};
use tensor::Tensor;

use crate::variable::{Variable, VariableKind};

/// What an optimizer needs to change one variable.
///
/// An optimizer of the op that TensorFlow's gradient descent uses:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Slot, Slots, Update, UpdateRule};
/// #[derive(Default)]
/// struct Plain {
///     slots: Slots,
/// }
///
/// impl UpdateRule for Plain {
///     fn scope(&self) -> &str {
///         "Plain"
///     }
///     fn slots(&self) -> &Slots {
///         &self.slots
///     }
///     fn slot_list(&self) -> Vec<Slot> {
///         Vec::new()
///     }
///     fn prepare(&self, graph: &Graph) -> Vec<Output> {
///         vec![graph.constant(0.25f32)]
///     }
///     fn apply(&self, update: &Update<'_>) -> Operation {
///         update.op("ApplyGradientDescent", &[]).number(0).gradient().build()
///     }
/// }
///
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = Plain::default().minimize(&(&w * &w), None)?;
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// session.eval(&train)?;
/// assert_eq!(session.eval::<f32, _>(&w)?, 0.5); // 1 - 0.25 * 2
/// # Ok::<(), Status>(())
/// ```
pub struct Update<'a> {
    /// The graph that the nodes go to.
    pub graph: &'a Graph,
    /// The variable to be changed.
    pub variable: &'a Variable,
    /// In the order of the optimizer's slot list.
    pub slots: Vec<Variable>,
    /// In the order in which the optimizer prepared them.
    pub numbers: &'a [Output],
    /// Rows come once each, unless the optimizer says that it does not mind.
    pub gradient: Gradient,
    /// Whether the op locks the variable while it changes it.
    pub use_locking: bool,
}

impl Update<'_> {
    /// Begins the op of a step in its form for the variable's kind and the gradient: `ApplyAdagrad`,
    /// `ResourceSparseApplyAdagrad`. The variable and these slots are its first inputs.
    pub fn op(&self, step: &str, slots: &[&Variable]) -> UpdateOp<'_> {
        let kind = if self.variable.kind() == VariableKind::Ref { "" } else { "Resource" };
        let sparse = if matches!(self.gradient, Gradient::Slices(_)) { "Sparse" } else { "" };
        let mut op = self.graph.op(&format!("{kind}{sparse}{step}")).input(self.variable.handle());
        for slot in slots {
            op = op.input(slot.handle());
        }
        if self.use_locking {
            op = op.attr("use_locking", true);
        }
        UpdateOp { update: self, op }
    }

    /// A number in the variable's type.
    pub fn number(&self, index: usize) -> Output {
        self.cast(&self.numbers[index])
    }

    /// A value in the variable's type.
    pub fn cast(&self, value: &Output) -> Output {
        match (value.dtype(), self.variable.dtype()) {
            (Some(from), Some(to)) if from != to => self.graph.op("Cast").input(value).attr("DstT", to).output(),
            _ => value.clone(),
        }
    }
}

/// The op of a step in the making: inputs come in the order of its definition.
///
/// See [`Update`] for the whole of an optimizer; this is its part that makes the op of a step:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Update;
/// fn adagrad(update: &Update<'_>) -> Operation {
///     update.op("ApplyAdagrad", &[&update.slots[0]]).number(0).gradient().attr("use_locking", true).build()
/// }
/// ```
#[must_use]
pub struct UpdateOp<'a> {
    update: &'a Update<'a>,
    op: OpBuilder,
}

impl UpdateOp<'_> {
    /// The next input is one of the optimizer's numbers.
    pub fn number(mut self, index: usize) -> Self {
        self.op = self.op.input(self.update.number(index));
        self
    }

    /// The next input is this value.
    pub fn input(mut self, value: &Output) -> Self {
        self.op = self.op.input(value);
        self
    }

    /// The next input is the gradient; for rows, the next two are rows and indices.
    pub fn gradient(mut self) -> Self {
        self.op = match &self.update.gradient {
            Gradient::Dense(gradient) => self.op.input(gradient),
            Gradient::Slices(slices) => self.op.input(&slices.values).input(&slices.indices),
        };
        self
    }

    /// An attribute of the op.
    pub fn attr(mut self, name: &str, value: impl Into<AttrValue>) -> Self {
        self.op = self.op.attr(name, value);
        self
    }

    /// Adds the op to the graph.
    pub fn build(self) -> Operation {
        self.op.build()
    }
}

/// The same gradient with every row once: rows of the same index are added up.
pub(crate) fn unique_rows(slices: &IndexedSlices) -> IndexedSlices {
    let graph = slices.values.graph();
    let unique = graph.op("Unique").input(&slices.indices).outputs();
    let (Some(indices), Some(positions)) = (unique.first(), unique.get(1)) else { return slices.clone() };
    let shape = graph.op("Shape").input(indices).output();
    let count = first_element(graph, &shape);
    let values = graph.op("UnsortedSegmentSum").input(&slices.values).input(positions).input(&count).output();
    IndexedSlices { values, indices: indices.clone(), dense_shape: slices.dense_shape.clone() }
}

/// The first element of a vector, by the nodes that indexing makes in TensorFlow.
pub(crate) fn first_element(graph: &Graph, vector: &Output) -> Output {
    let name = graph.unique_name("strided_slice");
    let constant = |suffix: &str, value: i32| {
        let node = graph.op("Const").name_exactly(format!("{name}/{suffix}"));
        node.attr("dtype", tensor::DType::Int32).attr("value", Tensor::from([value])).output()
    };
    let (begin, end, step) = (constant("stack", 0), constant("stack_1", 1), constant("stack_2", 1));
    let slice = graph.op("StridedSlice").name_exactly(name).input(vector).input(begin).input(end).input(step);
    slice.attr("shrink_axis_mask", 1i64).output()
}
