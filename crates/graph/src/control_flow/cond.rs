//! Conditionals: two branches of which one runs.

use std::panic::Location;

use tensor::{Result, ensure};

use super::capture::first;
use super::{Branch, Cond, CondId, ContextId, ContextKind};
use crate::builder::{Graph, Output};
use crate::data::Endpoint;

/// What one of two functions builds: `if_true` if `pred` is true, else `if_false`. Only one of the two runs, with everything
/// that is built inside of it; what was built before runs in any case.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, PartialShape::scalar());
/// // |x|, the long way
/// let y = cond(&x.less(0.0), || vec![-&x], || vec![x.clone()])[0].clone();
/// let dx = gradients(&[y.clone()], &[x.clone()])?[0].clone().unwrap().to_dense();
/// let session = LocalSession::new(&g)?;
/// let values = session.fetch(RunRequest::new().feed(&x, -3f32).fetch(&y).fetch(&dx))?;
/// assert_eq!(values, [Tensor::from(3f32), Tensor::from(-1f32)]);
/// # Ok(())
/// # }
/// ```
///
/// A mistake of the graph (`InvalidArgument`) is a predicate that is not one bool, and branches that return different
/// numbers or types of values.
#[track_caller]
pub fn cond(
    pred: &Output,
    if_true: impl FnOnce() -> Vec<Output>,
    if_false: impl FnOnce() -> Vec<Output>,
) -> Vec<Output> {
    cond_as("cond", pred, if_true, if_false)
}

/// As [`cond`], with a name for the scope of its nodes.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::cond_as;
/// let g = Graph::new();
/// let (yes, one) = (g.constant(true), g.constant(1f32));
/// let merged = cond_as("choice", &yes, || vec![-&one], || vec![one.clone()])[0].clone();
/// assert_eq!(merged.name().unwrap().to_string(), "choice/Merge:0");
/// ```
#[track_caller]
pub fn cond_as(
    name: &str,
    pred: &Output,
    if_true: impl FnOnce() -> Vec<Output>,
    if_false: impl FnOnce() -> Vec<Output>,
) -> Vec<Output> {
    let at = Location::caller();
    let graph = pred.graph().clone();
    if pred.endpoint.is_none() {
        return vec![pred.clone(); if_true().len()];
    }
    graph.with_name_scope(name, |graph| {
        let (id, [no, yes]) = match graph.open_cond(pred, None) {
            Ok(opened) => opened,
            Err(status) => {
                graph.note_at(status, at);
                return poisoned(graph, if_true().len());
            }
        };
        let mut sides = [Vec::new(), Vec::new()];
        sides[1] = graph.with_context(Some(yes), |_| if_true());
        sides[0] = graph.with_context(Some(no), |_| if_false());
        let count = sides[1].len();
        if sides.iter().flatten().any(|output| output.endpoint.is_none()) {
            return poisoned(graph, count);
        }
        let joined = graph.join_branches(id, [no, yes], sides);
        joined.unwrap_or_else(|status| {
            graph.note_at(status, at);
            poisoned(graph, count)
        })
    })
}

pub(super) fn poisoned(graph: &Graph, count: usize) -> Vec<Output> {
    vec![Output { graph: graph.clone(), endpoint: None }; count]
}

impl Graph {
    /// Begins a conditional in the current context: its branches, for false and for true.
    pub(super) fn open_cond(&self, pred: &Output, family: Option<CondId>) -> Result<(CondId, [ContextId; 2])> {
        let switch = self.op("Switch").input(pred).input(pred).try_build()?;
        let mut state = self.state();
        let outer = state.contexts.current;
        let id = CondId(state.contexts.conds.len() as u32);
        // The pivots are known only after the contexts that they are in.
        let nowhere = Endpoint { node: crate::data::NodeId(0), index: 0 };
        let branch =
            |taken_if| Branch { cond: id, family: family.unwrap_or(id), pred: nowhere, taken_if, pivot: nowhere.node };
        let branches = [false, true].map(|taken_if| state.contexts.add(outer, ContextKind::Branch(branch(taken_if))));
        state.contexts.conds.push(Cond { branches, merges: Vec::new() });
        drop(state);
        let pivot = |side: usize, name: &str| {
            let pivot = self.op("Identity").name(name).input(switch.output(side)).inside(branches[side]).unlocalized();
            Ok(first(pivot.try_build()?.output(0))?.node)
        };
        let (yes, no): (Result<_>, Result<_>) = (pivot(1, "switch_t"), pivot(0, "switch_f"));
        let pivots = [no?, yes?];
        let pred = first(self.op("Identity").name("pred_id").input(pred).try_build()?.output(0))?;
        let mut state = self.state();
        for (context, node) in branches.into_iter().zip(pivots) {
            if let ContextKind::Branch(branch) = &mut state.contexts.context_mut(context).kind {
                (branch.pred, branch.pivot) = (pred, node);
            }
        }
        drop(state);
        Ok((id, branches))
    }

    /// Ends a conditional: the values of its branches, for false and for true, come together in the current context.
    pub(super) fn join_branches(
        &self,
        id: CondId,
        branches: [ContextId; 2],
        sides: [Vec<Output>; 2],
    ) -> Result<Vec<Output>> {
        let [no, yes] = &sides;
        ensure!(
            no.len() == yes.len(),
            InvalidArgument,
            "the branches of a conditional return different numbers of values: {} if it is true, {} if it is false",
            yes.len(),
            no.len()
        );
        for (index, (no, yes)) in no.iter().zip(yes).enumerate() {
            let [no, yes] = [no, yes].map(|output| output.dtype().map_or("nothing", |dtype| dtype.name()));
            ensure!(
                no == yes,
                InvalidArgument,
                "value {index} of a conditional is of type {yes} if it is true, but {no} if it is false"
            );
        }
        let scope = self.name_scope();
        let [no, yes] = &sides;
        let inside = |context: ContextId, outputs: &[Output]| -> Result<Vec<Output>> {
            let bring = |graph: &Graph, output: &Output| {
                let local = graph.localized(output, &scope)?;
                // What brings a value in has waited for what the conditional waits for, as its predicate has.
                if let Some(end) = local.endpoint.filter(|_| local.endpoint != output.endpoint) {
                    graph.state().scopes.note_member(end.node);
                }
                Ok(local)
            };
            self.with_context(Some(context), |graph| outputs.iter().map(|output| bring(graph, output)).collect())
        };
        let yes = inside(branches[1], yes)?;
        let no = inside(branches[0], no)?;
        let mut merged = Vec::with_capacity(no.len());
        for (no, yes) in no.into_iter().zip(yes) {
            let merge = self.op("Merge").input_list(&[no, yes]).unlocalized().try_build()?;
            let mut state = self.state();
            if let Some(node) = merge.id {
                state.contexts.conds[id.0 as usize].merges.push(node);
                state.contexts.merges.insert(node, id);
            }
            drop(state);
            merged.push(merge.output(0));
        }
        Ok(merged)
    }
}
