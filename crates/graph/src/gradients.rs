//! Gradients: what programs ask for, and the gradients that a walk begins with.

use tensor::{DType, Result, Status, Tensor, bail, ensure, err};

use crate::builder::{Graph, Output};
use crate::gradient_style::GradientStyle;
use crate::gradient_walk::Walk;
use crate::operators::Operand;

/// The gradient with respect to some output: dense, or rows of it.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::Gradient;
/// let g = Graph::new();
/// let table = Variable::new("table", g.constant([[1f32], [2.0]]));
/// let loss = table.rows(&g.constant([1i32])).reduce_sum(..);
/// let gradient = gradients(&loss, &table)?.remove(0).unwrap();
/// assert!(matches!(gradient, Gradient::Slices(_))); // of one row
/// let session = LocalSession::new(&g)?;
/// let dense = gradient.to_dense();
/// session.eval(&global_variables_initializer(&g))?;
/// assert_eq!(session.eval::<Vec<[f32; 1]>, _>(&dense)?, [[0.0], [1.0]]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub enum Gradient {
    /// All of it.
    Dense(Output),
    /// Rows of it.
    Slices(IndexedSlices),
}

/// Rows of a larger tensor: row `indices[i]` is `values[i]`; a row may come several times and then adds up.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::IndexedSlices;
/// let g = Graph::new();
/// let rows = IndexedSlices {
///     values: g.constant([[1f32], [2.0], [3.0]]),
///     indices: g.constant([0i32, 2, 0]),
///     dense_shape: g.constant([3i32, 1]),
/// };
/// let dense = rows.to_dense();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<[f32; 1]>, _>(&dense)?, [[4.0], [0.0], [2.0]]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexedSlices {
    /// The rows.
    pub values: Output,
    /// Which row of the larger tensor each of them is.
    pub indices: Output,
    /// The shape of the larger tensor, an int32 or int64 vector.
    pub dense_shape: Output,
}

impl From<Output> for Gradient {
    fn from(output: Output) -> Gradient {
        Gradient::Dense(output)
    }
}

impl Gradient {
    /// The gradient as one tensor, rows added up where they are meant.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.constant([1f32, 2.0]);
    /// let gradient = gradients(&(&x * &x), &x)?.remove(0).unwrap();
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&gradient.to_dense())?, [2.0, 4.0]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn to_dense(&self) -> Output {
        match self {
            Gradient::Dense(output) => output.clone(),
            Gradient::Slices(slices) => slices.to_dense(),
        }
    }

    /// Whether a mistake left this without a node.
    pub(crate) fn is_poisoned(&self) -> bool {
        match self {
            Gradient::Dense(output) => output.endpoint().is_none(),
            Gradient::Slices(slices) => slices.values.endpoint().is_none() || slices.indices.endpoint().is_none(),
        }
    }
}

impl IndexedSlices {
    /// Returns the larger tensor, with zeros where there are no rows.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::IndexedSlices;
    /// let g = Graph::new();
    /// let (values, indices) = (g.constant([5f32]), g.constant([1i32]));
    /// let dense = IndexedSlices { values, indices, dense_shape: g.constant([3i32]) }.to_dense();
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&dense)?, [0.0, 5.0, 0.0]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn to_dense(&self) -> Output {
        let graph = self.values.graph();
        let zero = graph.constant([0i32]);
        let one = graph.constant([1i32]);
        let rows = graph
            .op("StridedSlice")
            .input(&self.dense_shape)
            .input(&zero)
            .input(&one)
            .input(&one)
            .attr("shrink_axis_mask", 1i64)
            .output();
        graph.op("UnsortedSegmentSum").input(&self.values).input(&self.indices).input(&rows).output()
    }
}

/// Outputs that a function takes as one argument: a single one, or an array, slice or vector of them. Variables stand for
/// their values.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::Outputs;
/// let g = Graph::new();
/// let (a, b) = (g.constant(1f32), g.constant(2f32));
/// assert_eq!(((&a).to_outputs().len(), [&a, &b].to_outputs().len()), (1, 2));
/// ```
pub trait Outputs {
    /// Returns the outputs in their order.
    fn to_outputs(&self) -> Vec<Output>;
}

impl Outputs for Output {
    fn to_outputs(&self) -> Vec<Output> {
        vec![self.clone()]
    }
}

impl<T: Outputs + ?Sized> Outputs for &T {
    fn to_outputs(&self) -> Vec<Output> {
        (**self).to_outputs()
    }
}

impl<T: Outputs> Outputs for [T] {
    fn to_outputs(&self) -> Vec<Output> {
        self.iter().flat_map(T::to_outputs).collect()
    }
}

impl<T: Outputs, const N: usize> Outputs for [T; N] {
    fn to_outputs(&self) -> Vec<Output> {
        self.as_slice().to_outputs()
    }
}

impl<T: Outputs> Outputs for Vec<T> {
    fn to_outputs(&self) -> Vec<Output> {
        self.as_slice().to_outputs()
    }
}

/// Returns the gradients of the sum of all `ys` with respect to each of `xs`; `None` where `ys` do not depend on it.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant(3f32);
/// let y = &x * &x + &x * 5.0; // y = x^2 + 5x, so dy/dx = 2x + 5
/// let dy = gradients(&y, &x)?.remove(0).unwrap().to_dense();
/// let slope: f32 = LocalSession::new(&g)?.eval(&dy)?;
/// assert_eq!(slope, 11.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `InvalidArgument` if an op on the way has no gradient (as TensorFlow's `LookupError`), or for outputs of different
/// graphs; `Unimplemented` for gradients of the gradients of a loop within a loop or with branches, and for third
/// ones of any loop.
pub fn gradients(ys: impl Outputs, xs: impl Outputs) -> Result<Vec<Option<Gradient>>> {
    gradients_with(ys, xs, GradientOptions::default())
}

/// What [`gradients_with`] can be told beside `ys` and `xs`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::{GradientOptions, gradients_with};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1f32, 2.0]);
/// let square = &x * &x;
/// let cube = &square * &x;
/// let session = LocalSession::new(&g)?;
/// // Weighted by [10, 20], so 10 * 3 * 1 and 20 * 3 * 4.
/// let weighted = GradientOptions { grad_ys: vec![Some(g.constant([10f32, 20.0]))], ..Default::default() };
/// let dx = gradients_with(&cube, &x, weighted)?.remove(0).unwrap().to_dense();
/// assert_eq!(session.eval::<Vec<f32>, _>(&dx)?, [30.0, 240.0]);
/// // As if the square were a constant, so x^2.
/// let partial = GradientOptions { stop_gradients: vec![square], ..Default::default() };
/// let dx = gradients_with(&cube, &x, partial)?.remove(0).unwrap().to_dense();
/// assert_eq!(session.eval::<Vec<f32>, _>(&dx)?, [1.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct GradientOptions {
    /// The gradients to begin with, one for each of `ys`: ones where it is `None`, and everywhere if there are none at all.
    pub grad_ys: Vec<Option<Output>>,
    /// Outputs whose nodes no gradient goes through, as if they were constants.
    pub stop_gradients: Vec<Output>,
    /// The scope of the nodes, if it is not to be `gradients`.
    pub scope: Option<String>,
    /// Whose nodes they are.
    pub style: GradientStyle,
}

/// As [`gradients`], with gradients to begin with and outputs to stop at.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::{GradientOptions, gradients_with};
/// let g = Graph::new();
/// let x = g.constant(3f32);
/// let y = &x * &x;
/// let options = GradientOptions { grad_ys: vec![Some(g.constant(10f32))], ..Default::default() };
/// let dx = gradients_with(&y, &x, options)?.remove(0).unwrap().to_dense();
/// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&dx)?, 60.0); // 10 * 2x
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// As [`gradients`]; `InvalidArgument` if there are not as many `grad_ys` as `ys`, or one is of another type or shape.
pub fn gradients_with(ys: impl Outputs, xs: impl Outputs, options: GradientOptions) -> Result<Vec<Option<Gradient>>> {
    let (ys, xs) = (ys.to_outputs(), xs.to_outputs());
    let Some(graph) = ys.first().map(|y| y.graph().clone()) else {
        bail!(InvalidArgument, "gradients of nothing were asked for")
    };
    let GradientOptions { mut grad_ys, stop_gradients, scope, style } = options;
    ensure!(
        grad_ys.is_empty() || grad_ys.len() == ys.len(),
        InvalidArgument,
        "Must pass one grad_y for each y in ys: there are {} grad_ys for {} ys",
        grad_ys.len(),
        ys.len()
    );
    grad_ys.resize(ys.len(), None);
    graph.check()?;
    graph.with_name_scope(scope.as_deref().unwrap_or("gradients"), |graph| {
        let mut dys = Vec::with_capacity(ys.len());
        for (index, (y, given)) in ys.iter().zip(grad_ys).enumerate() {
            check_differentiable(y)?;
            let initial = |graph: &Graph| initial_gradient(graph, y, given, index);
            dys.push(if style.colocates() { graph.with_colocation(&y.operation(), initial) } else { initial(graph) }?);
        }
        Walk::new(graph, &ys, &dys, &xs, &stop_gradients, style)?.run(&xs)
    })
}

/// As [`gradients`], of the sum of all `ys` times `dys`.
pub(crate) fn weighted_gradients(ys: &[Output], dys: &[Output], xs: &[Output]) -> Result<Vec<Option<Gradient>>> {
    let Some(graph) = ys.first().map(|y| y.graph().clone()) else {
        bail!(InvalidArgument, "gradients of nothing were asked for")
    };
    graph.with_name_scope("gradients", |graph| Walk::new(graph, ys, dys, xs, &[], GradientStyle::Own)?.run(xs))
}

pub(crate) fn missing() -> Status {
    err!(InvalidArgument, "gradients of an output that does not exist")
}

fn check_differentiable(y: &Output) -> Result<()> {
    let (dtype, name) = (y.dtype().ok_or_else(missing)?, y.name().ok_or_else(missing)?);
    ensure!(
        is_differentiable(dtype),
        InvalidArgument,
        "gradients of {name} of type {dtype}: only floating point has gradients"
    );
    Ok(())
}

/// The gradient that a walk begins with at a y: what the program gave, or ones; the nodes are TensorFlow's.
fn initial_gradient(graph: &Graph, y: &Output, given: Option<Output>, index: usize) -> Result<Output> {
    let name = format!("grad_ys_{index}");
    if let Some(given) = given {
        let merged = y.shape().merge(&given.shape());
        merged.map_err(|status| status.context(format_args!("grad_ys[{index}]")))?;
        ensure!(
            given.dtype() == y.dtype(),
            InvalidArgument,
            "grad_ys[{index}] is of type {}, but its y is of type {}",
            given.dtype().ok_or_else(missing)?,
            y.dtype().ok_or_else(missing)?
        );
        return Ok(graph.op("Identity").name(name).input(&given).output());
    }
    let known = y.shape().to_shape();
    let dims = known.and_then(|shape| shape.dims().iter().map(|dim| i32::try_from(*dim).ok()).collect());
    let shape = match dims {
        Some(dims) => {
            let dims: Vec<i32> = dims;
            graph.op("Const").name("Shape").attr("dtype", DType::Int32).attr("value", Tensor::vector(&dims)).output()
        }
        None => graph.op("Shape").input(y).output(),
    };
    Ok(graph.with_name_scope(&name, |graph| {
        let one = Operand::to_output(&1, graph, y.dtype());
        graph.op("Fill").name_exactly(graph.name_scope()).input(shape).input(one).output()
    }))
}

pub(crate) fn is_differentiable(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_complex()
}
