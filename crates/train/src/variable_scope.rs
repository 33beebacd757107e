//! `variable_scope` and `get_variable`: variables by name, made when first asked for and found again later.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

use graph::Graph;
use parking_lot::Mutex;
use tensor::{DType, PartialShape, Result, Shape, bail, ensure, err};

use crate::collections::keys;
use crate::initializers::Initializer;
use crate::partition::{PartitionedVariable, Partitioner, slices};
use crate::variable::{Initial, Variable, VariableKind, Wanted};

/// Whether `get_variable` may find variables that exist, or must.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// As in the scope outside; a variable that exists is an error if no scope says otherwise.
    #[default]
    Inherit,
    /// Every variable must exist.
    Yes,
    /// A variable that exists is found, another one is made.
    Auto,
}

/// A scope for variables: a prefix of their names, and defaults for them.
#[derive(Clone, Default)]
pub struct VariableScope {
    name: String,
    reuse: Reuse,
    initializer: Option<Initializer>,
    partitioner: Option<Partitioner>,
    dtype: Option<DType>,
    kind: Option<VariableKind>,
}

impl From<&str> for VariableScope {
    fn from(name: &str) -> VariableScope {
        VariableScope { name: name.to_owned(), ..Default::default() }
    }
}

impl From<&String> for VariableScope {
    fn from(name: &String) -> VariableScope {
        VariableScope::from(name.as_str())
    }
}

impl VariableScope {
    pub fn new(name: &str) -> VariableScope {
        name.into()
    }

    #[must_use]
    pub fn reuse(mut self, reuse: Reuse) -> Self {
        self.reuse = reuse;
        self
    }

    #[must_use]
    pub fn initializer(mut self, initializer: Initializer) -> Self {
        self.initializer = Some(initializer);
        self
    }

    #[must_use]
    pub fn partitioner(mut self, partitioner: Partitioner) -> Self {
        self.partitioner = Some(partitioner);
        self
    }

    #[must_use]
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    #[must_use]
    pub fn kind(mut self, kind: VariableKind) -> Self {
        self.kind = Some(kind);
        self
    }
}

#[derive(Default)]
struct Store {
    scopes: Vec<VariableScope>,
    /// Variables by the name they were asked for with, which need not be that of their nodes.
    variables: HashMap<String, Variable>,
    partitioned: HashMap<String, PartitionedVariable>,
    /// How often each scope was entered since its parent was left.
    entered: HashMap<String, usize>,
}

impl Store {
    fn enter(&mut self, name: &str) {
        *self.entered.entry(name.to_owned()).or_default() += 1;
    }

    fn leave(&mut self, name: &str) {
        self.entered.retain(|entered, _| !entered.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')));
    }
}

/// The full name of a scope that was not entered before: this one in the present scope, or with a number after it.
pub(crate) fn fresh_variable_scope(graph: &Graph, name: &str) -> String {
    let base = scoped(&current_scope(graph), name);
    graph.with_extension(|store: &mut Store| {
        let numbered = (1..).map(|number| format!("{base}_{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let fresh = names.find(|name| !store.entered.contains_key(name)).unwrap_or(base.clone());
        store.enter(&fresh);
        fresh
    })
}

/// Scopes for variables, and variables from them.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::Reuse;
/// let g = Graph::new();
/// let layer = |g: &Graph| g.get_variable("w", &[784, 10], Initializer::glorot_uniform());
/// let w = g.with_variable_scope("layer1", |_| layer(&g));
/// assert_eq!(w.name(), "layer1/w");
/// let same = g.with_variable_scope(VariableScope::new("layer1").reuse(Reuse::Yes), |_| layer(&g));
/// assert_eq!(same.name(), "layer1/w");
/// assert!(g.check().is_ok());
/// g.with_variable_scope("layer1", |_| layer(&g)); // exists, and nobody said that it may
/// assert!(g.check().unwrap_err().message().contains("Variable layer1/w already exists, disallowed."));
/// ```
pub trait VariableScopeOps {
    /// Puts the variables that `build` gets into a scope, and names its other nodes with the scope's name too.
    fn with_variable_scope<R>(&self, scope: impl Into<VariableScope>, build: impl FnOnce(&Graph) -> R) -> R;

    /// The trainable variable of this name in the present scope. A contradiction with the scope's [`Reuse`] is a mistake.
    fn get_variable(&self, name: &str, shape: &[i64], initializer: Initializer) -> Variable;

    /// A variable of the present scope, with more to be said about it.
    fn variable(&self, name: &str) -> VariableRequest;
}

impl VariableScopeOps for Graph {
    fn with_variable_scope<R>(&self, scope: impl Into<VariableScope>, build: impl FnOnce(&Graph) -> R) -> R {
        let inner = scope.into();
        let local_name = inner.name.clone();
        let outer = current_scope(self);
        let name = if outer.name.is_empty() { inner.name } else { format!("{}/{}", outer.name, inner.name) };
        let scope = VariableScope {
            name,
            reuse: if inner.reuse == Reuse::Inherit { outer.reuse } else { inner.reuse },
            initializer: inner.initializer.or(outer.initializer),
            partitioner: inner.partitioner.or(outer.partitioner),
            dtype: inner.dtype.or(outer.dtype),
            kind: inner.kind.or(outer.kind),
        };
        let full_name = scope.name.clone();
        self.with_extension(|store: &mut Store| {
            store.enter(&full_name);
            store.scopes.push(scope);
        });
        let result = self.with_name_scope(&local_name, build);
        self.with_extension(|store: &mut Store| {
            store.scopes.pop();
            store.leave(&full_name);
        });
        result
    }

    #[track_caller]
    fn get_variable(&self, name: &str, shape: &[i64], initializer: Initializer) -> Variable {
        self.variable(name).shape(shape).initializer(initializer).get()
    }

    #[track_caller]
    fn variable(&self, name: &str) -> VariableRequest {
        VariableRequest {
            graph: self.clone(),
            name: name.to_owned(),
            shape: None,
            dtype: None,
            initializer: None,
            trainable: true,
            collections: vec![keys::GLOBAL_VARIABLES.to_owned()],
            partitioner: None,
            kind: None,
            at: Location::caller(),
        }
    }
}

fn current_scope(graph: &Graph) -> VariableScope {
    graph.with_extension(|store: &mut Store| store.scopes.last().cloned().unwrap_or_default())
}

/// A variable asked for by name: [`VariableScopeOps::variable`].
#[must_use]
pub struct VariableRequest {
    graph: Graph,
    name: String,
    shape: Option<Vec<i64>>,
    dtype: Option<DType>,
    initializer: Option<Initializer>,
    trainable: bool,
    collections: Vec<String>,
    partitioner: Option<Partitioner>,
    kind: Option<VariableKind>,
    at: &'static Location<'static>,
}

impl VariableRequest {
    pub fn shape(mut self, shape: &[i64]) -> Self {
        self.shape = Some(shape.to_vec());
        self
    }

    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    pub fn initializer(mut self, initializer: Initializer) -> Self {
        self.initializer = Some(initializer);
        self
    }

    pub fn trainable(mut self, trainable: bool) -> Self {
        self.trainable = trainable;
        self
    }

    /// The collections it goes to, instead of that of the global variables.
    pub fn collections<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.collections = names.into_iter().map(Into::into).collect();
        self
    }

    /// A variable of the client alone: not saved, not trained.
    pub fn local(self) -> Self {
        self.trainable(false).collections([keys::LOCAL_VARIABLES])
    }

    pub fn kind(mut self, kind: VariableKind) -> Self {
        self.kind = Some(kind);
        self
    }

    pub fn partitioner(mut self, partitioner: Partitioner) -> Self {
        self.partitioner = Some(partitioner);
        self
    }

    /// The variable, found or made. What contradicts is noted as the graph's mistake.
    #[track_caller]
    pub fn get(self) -> Variable {
        let graph = self.graph.clone();
        match self.try_get() {
            Ok(variable) => variable,
            Err(mistake) => {
                graph.note_mistake(mistake);
                // Whatever is built with this one changes nothing any more: the graph is refused.
                Variable::make(
                    &graph,
                    "after_a_mistake",
                    Initial::Value(graph.constant(0f32)),
                    Wanted { collections: Vec::new(), ..Wanted::new(&graph, false) },
                )
            }
        }
    }

    /// The variable, found or made.
    ///
    /// # Errors
    /// `InvalidArgument`, in TensorFlow's words, if it exists and may not, does not exist and must, or exists with another
    /// shape or type.
    #[track_caller]
    pub fn try_get(self) -> Result<Variable> {
        let (graph, scope) = (self.graph.clone(), current_scope(&self.graph));
        let full_name = scoped(&scope, &self.name);
        let dtype = self.dtype_in(&scope);
        let found = graph.with_extension(|store: &mut Store| store.variables.get(&full_name).cloned());
        if let Some(found) = found {
            ensure!(
                scope.reuse != Reuse::Inherit,
                InvalidArgument,
                "Variable {full_name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in \
                 VarScope?"
            );
            let wanted = self.shape.as_deref().map(PartialShape::from_dims);
            ensure!(
                wanted.as_ref().is_none_or(|shape| shape.merge(&found.shape()).is_ok()),
                InvalidArgument,
                "Trying to share variable {full_name}, but specified shape {} and found shape {}.",
                wanted.unwrap_or_default(),
                found.shape()
            );
            ensure!(
                found.dtype() == Some(dtype),
                InvalidArgument,
                "Trying to share variable {full_name}, but specified dtype {} and found dtype {}.",
                dtype.python_name(),
                found.dtype().map_or("none", DType::python_name)
            );
            return Ok(found);
        }
        ensure!(
            scope.reuse != Reuse::Yes,
            InvalidArgument,
            "Variable {full_name} does not exist, or was not created with tf.get_variable(). Did you mean to set \
             reuse=tf.AUTO_REUSE in VarScope?"
        );
        let shape = self.known_shape(&full_name)?;
        let variable = self.create(&scope, &full_name, &shape, &shape, None);
        graph.with_extension(|store: &mut Store| store.variables.insert(full_name, variable.clone()));
        Ok(variable)
    }

    /// The variable in pieces, found or made.
    ///
    /// # Errors
    /// As [`try_get`](VariableRequest::try_get); also if no partitioner is known, or the pieces are not those found.
    #[track_caller]
    pub fn try_get_partitioned(self) -> Result<PartitionedVariable> {
        let (graph, scope) = (self.graph.clone(), current_scope(&self.graph));
        let full_name = scoped(&scope, &self.name);
        let Some(partitioner) = self.partitioner.clone().or_else(|| scope.partitioner.clone()) else {
            bail!(InvalidArgument, "variable {full_name} is to be partitioned, but no partitioner is given");
        };
        let dtype = self.dtype_in(&scope);
        let shape = self.known_shape(&full_name)?;
        let partitions = partitioner.partitions(&shape, dtype)?;
        let (found, single) = graph.with_extension(|store: &mut Store| {
            (store.partitioned.get(&full_name).cloned(), store.variables.contains_key(&full_name))
        });
        ensure!(
            !single,
            InvalidArgument,
            "A partitioner was provided, but an unpartitioned version of the variable was found: {full_name}."
        );
        if let Some(found) = found {
            ensure!(
                scope.reuse != Reuse::Inherit,
                InvalidArgument,
                "Partitioned variable with name {full_name} already exists. Did you mean to set reuse=True or \
                 reuse=tf.AUTO_REUSE in VarScope?"
            );
            ensure!(
                found.shape == shape && found.dtype == dtype && found.partitions == partitions,
                InvalidArgument,
                "Trying to reuse partitioned variable {full_name}, but specified {dtype} {shape:?} in partitions \
                 {partitions:?} and found {} {:?} in {:?}.",
                found.dtype,
                found.shape,
                found.partitions
            );
            return Ok(found);
        }
        ensure!(
            scope.reuse != Reuse::Yes,
            InvalidArgument,
            "PartitionedVariable {full_name} does not exist, or was not created with tf.get_variable(). Did you mean to set \
             reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        );
        let mut parts = Vec::new();
        for (index, slice) in slices(&full_name, &shape, &partitions).into_iter().enumerate() {
            let part_name = format!("{full_name}/part_{index}");
            let extent = slice.var_shape.clone();
            let part = self.create(&scope, &part_name, &extent, &shape, Some(slice));
            graph.with_extension(|store: &mut Store| store.variables.insert(part_name, part.clone()));
            parts.push(part);
        }
        let whole = Arc::new(Mutex::new(None));
        let variable = PartitionedVariable { name: full_name.clone(), shape, dtype, parts, partitions, whole };
        graph.with_extension(|store: &mut Store| store.partitioned.insert(full_name, variable.clone()));
        Ok(variable)
    }

    #[track_caller]
    fn create(
        &self,
        scope: &VariableScope,
        full_name: &str,
        shape: &[i64],
        whole: &[i64],
        slice: Option<crate::partition::SaveSliceInfo>,
    ) -> Variable {
        let dtype = self.dtype_in(scope);
        let initializer = self.initializer.clone().or_else(|| scope.initializer.clone());
        let initializer = initializer.unwrap_or_else(|| Initializer::default_for(dtype));
        let kind = self.kind.or(scope.kind).unwrap_or_else(|| Variable::default_kind(&self.graph));
        let (trainable, collections) = (self.trainable, self.collections.clone());
        let wanted = Wanted { kind, trainable, collections, slice: slice.clone() };
        // Nodes of the variable are named after it alone, whatever the scope of names.
        self.graph.with_name_scope("", |graph| match (&initializer, &slice) {
            (Initializer::Value(value), None) => {
                Variable::make(graph, full_name, Initial::Value(value.clone()), wanted)
            }
            (Initializer::Value(value), Some(slice)) => {
                let dims = |dims: &[i64]| graph.constant(tensor::Tensor::vector(dims));
                let (offset, extent) = (dims(&slice.var_offset), dims(&slice.var_shape));
                let piece = graph.op("Slice").input(value).input(offset).input(extent).at(self.at).output();
                Variable::make(graph, full_name, Initial::Value(piece), wanted)
            }
            _ => {
                let build = |graph: &Graph| initializer.build(graph, shape, whole, dtype);
                Variable::make(graph, full_name, Initial::Built(&build), wanted)
            }
        })
    }

    fn dtype_in(&self, scope: &VariableScope) -> DType {
        let of_value = match &self.initializer {
            Some(Initializer::Value(value)) => value.dtype(),
            Some(Initializer::Constant(value)) if self.shape.is_none() => Some(value.dtype()),
            _ => None,
        };
        self.dtype.or(of_value).or(scope.dtype).unwrap_or(DType::Float)
    }

    fn known_shape(&self, full_name: &str) -> Result<Vec<i64>> {
        let of_value = || match &self.initializer {
            Some(Initializer::Value(value)) => value.shape().to_shape(),
            Some(Initializer::Constant(value)) => Some(value.shape().clone()),
            _ => None,
        };
        let shape = match &self.shape {
            Some(dims) => Some(Shape::new(dims)?),
            None => of_value(),
        };
        let shape = shape.ok_or_else(|| {
            err!(
                InvalidArgument,
                "Variable {full_name} did not get an initializer, so its `shape` argument must be specified."
            )
        })?;
        Ok(shape.dims().to_vec())
    }
}

fn scoped(scope: &VariableScope, name: &str) -> String {
    if scope.name.is_empty() { name.to_owned() } else { format!("{}/{name}", scope.name) }
}
