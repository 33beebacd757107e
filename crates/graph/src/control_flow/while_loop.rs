//! Loops: a body that runs again and again on the values it has returned, as long as a condition holds.

use std::panic::Location;

use tensor::{DType, PartialShape, Result, bail, ensure};

use super::capture::first;
use super::cond::poisoned;
use super::{ContextId, ContextKind, Loop, LoopVar};
use crate::builder::{Graph, Output};
use crate::data::NodeId;
use crate::operators::Operand;

/// Runs `body` on the loop variables as long as `cond` holds for them, starting with `vars`; the values they have then.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, PartialShape::scalar());
/// // y = x^3, so dy/dx = 3 x^2
/// let results = while_loop(
///     &g,
///     |state| state[0].less(3),
///     |state| vec![&state[0] + 1, &state[1] * &x],
///     &[g.constant(0i32), g.constant(1f32)],
/// );
/// let y = &results[1];
/// let dx = gradients(&[y.clone()], &[x.clone()])?[0].clone().unwrap().to_dense();
/// let session = LocalSession::new(&g)?;
/// let values = session.fetch(RunRequest::new().feed(&x, 2f32).fetch(y).fetch(&dx))?;
/// assert_eq!(values, [Tensor::from(8f32), Tensor::from(12f32)]);
/// # Ok(())
/// # }
/// ```
///
/// [`WhileLoop`] has options, and says what is a mistake.
#[track_caller]
pub fn while_loop(
    graph: &Graph,
    cond: impl FnOnce(&[Output]) -> Output,
    body: impl FnOnce(&[Output]) -> Vec<Output>,
    vars: &[Output],
) -> Vec<Output> {
    WhileLoop::new().build(graph, cond, body, vars)
}

/// A loop with options.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::WhileLoop;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let powers = WhileLoop::new().name("powers").maximum_iterations(10).parallel_iterations(1).build(
///     &g,
///     |state| state[0].less(1e9),
///     |state| vec![&state[0] * 2.0],
///     &[g.constant(1f32)],
/// );
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&powers[0]))?[0], Tensor::from(1024f32));
/// # Ok(())
/// # }
/// ```
pub struct WhileLoop {
    name: String,
    parallel_iterations: i64,
    maximum_iterations: Option<Box<dyn Operand>>,
    shape_invariants: Option<Vec<PartialShape>>,
}

impl Default for WhileLoop {
    fn default() -> WhileLoop {
        WhileLoop::new()
    }
}

impl WhileLoop {
    /// Returns a loop with TensorFlow's defaults.
    pub fn new() -> WhileLoop {
        WhileLoop { name: "while".into(), parallel_iterations: 10, maximum_iterations: None, shape_invariants: None }
    }

    /// The scope of the loop's nodes, `while` if none is given.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::WhileLoop;
    /// let g = Graph::new();
    /// let counting = WhileLoop::new().name("count").parallel_iterations(1);
    /// let out = counting.build(&g, |i| i[0].less(10), |i| vec![&i[0] + 1], &[g.constant(0i32)]);
    /// assert_eq!(out[0].name().unwrap().to_string(), "count/Exit:0");
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// How many iterations may run at the same time, where what they compute allows it; ten if nothing is said.
    #[must_use]
    pub fn parallel_iterations(mut self, count: u32) -> Self {
        self.parallel_iterations = count.max(1).into();
        self
    }

    /// The loop ends after so many iterations, whatever its condition: a number, or one int32.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::WhileLoop;
    /// let g = Graph::new();
    /// let counting = WhileLoop::new().maximum_iterations(3);
    /// let out = counting.build(&g, |i| i[0].less(10), |i| vec![&i[0] + 1], &[g.constant(0i32)]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<i32, _>(&out[0])?, 3);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn maximum_iterations(mut self, most: impl Operand + 'static) -> Self {
        self.maximum_iterations = Some(Box::new(most));
        self
    }

    /// What the shapes of the variables have in common through all iterations, one for each variable. Where nothing is said, a
    /// variable keeps the shape that it begins with.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::WhileLoop;
    /// let g = Graph::new();
    /// let growing = WhileLoop::new().maximum_iterations(3).shape_invariants(vec![PartialShape::from([None])]);
    /// let double = |x: &[Output]| vec![g.concat(&[x[0].clone(), x[0].clone()], 0)];
    /// let out = growing.build(&g, |x| x[0].size().less(100), double, &[g.constant([1f32])]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&out[0])?, [1.0; 8]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn shape_invariants(mut self, shapes: Vec<PartialShape>) -> Self {
        self.shape_invariants = Some(shapes);
        self
    }

    /// Builds the loop.
    ///
    /// Mistakes of the graph (`InvalidArgument`) are: no variables; a body that returns another number of values; a variable
    /// whose type or shape is another one after an iteration; a condition that is not one bool.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::WhileLoop;
    /// let g = Graph::new();
    /// let out = WhileLoop::new().build(&g, |x| x[0].less(100), |x| vec![&x[0] * 2], &[g.constant(1i32)]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<i32, _>(&out[0])?, 128);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn build(
        self,
        graph: &Graph,
        cond: impl FnOnce(&[Output]) -> Output,
        body: impl FnOnce(&[Output]) -> Vec<Output>,
        vars: &[Output],
    ) -> Vec<Output> {
        let at = Location::caller();
        if vars.iter().any(|var| var.endpoint.is_none()) {
            return poisoned(graph, vars.len());
        }
        let name = self.name.clone();
        let built = graph.with_name_scope(&name, |graph| match &self.maximum_iterations {
            None => self.build_in_scope(graph, cond, body, vars),
            Some(most) => {
                let most = most.to_named_output(graph, Some(DType::Int32), &graph.unique_name("maximum_iterations"));
                let counter = graph.unique_name("iteration_counter");
                let mut counted = vec![0i32.to_named_output(graph, most.dtype(), &counter)];
                counted.extend_from_slice(vars);
                let goes_on = |state: &[Output]| {
                    let below = state[0].binary("Less", "Less", &most);
                    let cond = cond(&state[1..]);
                    graph.op("LogicalAnd").input(below).input(cond).output()
                };
                let counting = |state: &[Output]| {
                    let mut next = vec![&state[0] + 1];
                    next.extend(body(&state[1..]));
                    next
                };
                let mut this = WhileLoop::new().parallel_iterations(self.parallel_iterations as u32);
                this.shape_invariants = self.shape_invariants.clone().map(|mut shapes| {
                    shapes.insert(0, PartialShape::scalar());
                    shapes
                });
                let mut exits = this.build_in_scope(graph, goes_on, counting, &counted)?;
                exits.remove(0);
                Ok(exits)
            }
        });
        built.unwrap_or_else(|status| {
            graph.note_at(status.context(format_args!("loop '{name}'")), at);
            poisoned(graph, vars.len())
        })
    }

    fn build_in_scope(
        &self,
        graph: &Graph,
        cond: impl FnOnce(&[Output]) -> Output,
        body: impl FnOnce(&[Output]) -> Vec<Output>,
        vars: &[Output],
    ) -> Result<Vec<Output>> {
        ensure!(!vars.is_empty(), InvalidArgument, "No loop variables provided.");
        if let Some(shapes) = &self.shape_invariants {
            ensure!(
                shapes.len() == vars.len(),
                InvalidArgument,
                "{} shape invariants are given for {} variables",
                shapes.len(),
                vars.len()
            );
        }
        let context = graph.open_loop(&graph.unique_name("while_context"), self.parallel_iterations, None);
        let mut enters = Vec::with_capacity(vars.len());
        for (index, var) in vars.iter().enumerate() {
            let invariant = match &self.shape_invariants {
                Some(shapes) => shapes[index].clone(),
                None => var.shape(),
            };
            let begins = var.shape();
            ensure!(
                is_at_least(&begins, &invariant),
                InvalidArgument,
                "The shape invariant specified for variable {index} ({}) is not compatible with the initial shape of the \
                 loop variable. It enters the loop with shape {begins}, but the specified shape invariant is {invariant}.",
                shown(var)
            );
            enters.push(graph.enter(context, "Enter", var, &invariant)?);
        }
        let built = graph.with_context(Some(context), |graph| -> Result<_> {
            let mut merges = Vec::with_capacity(vars.len());
            for enter in &enters {
                let merge = graph.op("Merge").input_list(&[enter.clone(), enter.clone()]).try_build()?;
                merges.push(merge.output(0));
            }
            graph.set_pivot(context, &merges[0])?;
            let pred = cond(&merges);
            if pred.endpoint.is_none() {
                return Ok(None);
            }
            let goes_on = graph.op("LoopCond").name("LoopCond").input(pred).try_build()?.output(0);
            let mut switches = Vec::with_capacity(vars.len());
            for merge in &merges {
                let switch = graph.op("Switch").input(merge).input(&goes_on).colocate_with(&merge.operation());
                switches.push(switch.try_build()?);
            }
            let mut state = Vec::with_capacity(vars.len());
            for switch in &switches {
                state.push(graph.op("Identity").input(switch.output(1)).try_build()?.output(0));
            }
            graph.set_pivot(context, &state[0])?;
            let results = body(&state);
            if results.iter().any(|result| result.endpoint.is_none()) {
                return Ok(None);
            }
            check_results(vars, &merges, &results)?;
            let mut nexts = Vec::with_capacity(vars.len());
            for (merge, result) in merges.iter().zip(&results) {
                let next = graph.op("NextIteration").input(result).try_build()?.output(0);
                graph.close_loop(first(merge.clone())?.node, &next);
                nexts.push(next);
            }
            let mut exits = Vec::with_capacity(vars.len());
            for switch in &switches {
                exits.push(graph.op("Exit").input(switch.output(0)).try_build()?.output(0));
            }
            let node = |output: &Output| -> Result<NodeId> { Ok(first(output.clone())?.node) };
            let mut around = Vec::with_capacity(vars.len());
            for index in 0..vars.len() {
                around.push(LoopVar {
                    enter: node(&enters[index])?,
                    merge: node(&merges[index])?,
                    switch: node(&switches[index].output(0))?,
                    next: node(&nexts[index])?,
                    exit: node(&exits[index])?,
                });
            }
            if let Some(looped) = graph.state().contexts.looped_mut(context) {
                looped.vars = around;
            }
            Ok(Some(exits))
        });
        Ok(built?.unwrap_or_else(|| poisoned(graph, vars.len())))
    }
}

impl Graph {
    /// A new loop in the current context.
    pub(super) fn open_loop(&self, frame: &str, parallel_iterations: i64, reverses: Option<ContextId>) -> ContextId {
        let mut state = self.state();
        let outer = state.contexts.current;
        let looped = Loop {
            frame: frame.to_owned(),
            parallel_iterations,
            pivot: None,
            vars: Vec::new(),
            counter: None,
            reverses,
            sync: None,
        };
        state.contexts.add(outer, ContextKind::Loop(looped))
    }

    /// Lets a value of the current context, which is the loop's outer one, into a loop as a variable.
    pub(super) fn enter(&self, context: ContextId, name: &str, value: &Output, shape: &PartialShape) -> Result<Output> {
        let looped = self.state().contexts.looped(context).map(|it| (it.frame.clone(), it.parallel_iterations));
        let Some((frame, parallel_iterations)) = looped else { bail!(Internal, "a branch is no loop to enter") };
        let enter = self
            .op("Enter")
            .name(name)
            .input(value)
            .attr("frame_name", frame)
            .attr("parallel_iterations", parallel_iterations)
            .inside(context)
            .try_build()?
            .output(0);
        enter.set_shape(shape.clone());
        Ok(enter)
    }

    pub(super) fn set_pivot(&self, context: ContextId, pivot: &Output) -> Result<()> {
        let pivot = first(pivot.clone())?.node;
        if let Some(looped) = self.state().contexts.looped_mut(context) {
            looped.pivot = Some(pivot);
        }
        Ok(())
    }
}

fn check_results(vars: &[Output], merges: &[Output], results: &[Output]) -> Result<()> {
    ensure!(
        results.len() == vars.len(),
        InvalidArgument,
        "the body returns {} values for {} loop variables",
        results.len(),
        vars.len()
    );
    for (index, ((var, merge), result)) in vars.iter().zip(merges).zip(results).enumerate() {
        let [before, after] = [var, result].map(|output| output.dtype().map_or("nothing", |dtype| dtype.name()));
        ensure!(
            before == after,
            InvalidArgument,
            "variable {index} ({}) enters the loop with type {before}, but has type {after} after one iteration",
            shown(var)
        );
        ensure!(
            is_at_least(&result.shape(), &merge.shape()),
            InvalidArgument,
            "Input tensor '{}' (variable {index}) enters the loop with shape {}, but has shape {} after one iteration. To \
             allow the shape to vary across iterations, use the shape_invariants of WhileLoop to specify a less-specific \
             shape.",
            shown(var),
            merge.shape(),
            result.shape()
        );
    }
    Ok(())
}

fn shown(var: &Output) -> String {
    var.name().map_or_else(|| "?".to_owned(), |name| name.to_string())
}

/// Whether `shape` says all that `invariant` says.
fn is_at_least(shape: &PartialShape, invariant: &PartialShape) -> bool {
    let (Some(dims), Some(wanted)) = (shape.raw_dims(), invariant.raw_dims()) else {
        return invariant.raw_dims().is_none();
    };
    dims.len() == wanted.len() && dims.iter().zip(wanted).all(|(dim, wanted)| *wanted < 0 || dim == wanted)
}
