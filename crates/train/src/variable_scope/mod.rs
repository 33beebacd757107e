//! `variable_scope` and `get_variable`: variables by name, made when first asked for and found again later.

mod request;

use std::collections::HashMap;

use graph::Graph;
pub use request::VariableRequest;
use tensor::{DType, PartialShape};

use crate::initializers::Initializer;
use crate::partition::{PartitionedVariable, Partitioner};
use crate::variable::{Variable, VariableKind};

/// Whether `get_variable` may find variables that exist, or must.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initializer, Reuse, VariableScope};
/// let g = Graph::new();
/// let layer = |reuse| {
///     g.with_variable_scope(VariableScope::new("layer").reuse(reuse), |g| g.get_variable("w", &[2], Initializer::Zeros))
/// };
/// layer(Reuse::Auto); // is made
/// layer(Reuse::Yes); // is found
/// assert!(g.check().is_ok());
/// layer(Reuse::Inherit); // exists, which nobody allowed
/// assert!(g.check().is_err());
/// ```
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
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initializer, VariableScope};
/// let g = Graph::new();
/// let scope = VariableScope::new("layer").initializer(Initializer::Ones);
/// let w = g.with_variable_scope(scope, |g| g.variable("w").shape(&[2]).get());
/// assert_eq!(w.name(), "layer/w");
/// ```
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
    /// Returns a scope of this name that inherits all else.
    pub fn new(name: &str) -> VariableScope {
        name.into()
    }

    /// Whether variables in it may exist already, or must.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Initializer, Reuse, VariableScope};
    /// let g = Graph::new();
    /// g.with_variable_scope("layer", |g| g.get_variable("w", &[2], Initializer::Zeros));
    /// let again = VariableScope::new("layer").reuse(Reuse::Yes);
    /// assert_eq!(g.with_variable_scope(again, |g| g.get_variable("w", &[2], Initializer::Zeros)).name(), "layer/w");
    /// ```
    #[must_use]
    pub fn reuse(mut self, reuse: Reuse) -> Self {
        self.reuse = reuse;
        self
    }

    /// How variables in it begin that do not say so.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Initializer, VariableScope};
    /// let g = Graph::new();
    /// let scope = VariableScope::new("layer").initializer(Initializer::Ones);
    /// let w = g.with_variable_scope(scope, |g| g.variable("w").shape(&[2]).get());
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(w.initial_value())?, [1.0, 1.0]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn initializer(mut self, initializer: Initializer) -> Self {
        self.initializer = Some(initializer);
        self
    }

    /// How variables in it are cut in pieces.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{VariableScope, fixed_size_partitioner};
    /// let g = Graph::new();
    /// let scope = VariableScope::new("embedding").partitioner(fixed_size_partitioner(2));
    /// let table = g.with_variable_scope(scope, |g| g.variable("table").shape(&[10, 4]).try_get_partitioned())?;
    /// assert_eq!(table.parts()[1].name(), "embedding/table/part_1");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn partitioner(mut self, partitioner: Partitioner) -> Self {
        self.partitioner = Some(partitioner);
        self
    }

    /// The type of variables in it that do not say so.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::VariableScope;
    /// let g = Graph::new();
    /// let scope = VariableScope::new("layer").dtype(DType::Double);
    /// let w = g.with_variable_scope(scope, |g| g.variable("w").shape(&[2]).get());
    /// assert_eq!(w.dtype(), Some(DType::Double));
    /// ```
    #[must_use]
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// The kind of variables in it that do not say so.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{VariableKind, VariableScope};
    /// let g = Graph::new();
    /// let scope = VariableScope::new("layer").kind(VariableKind::Resource);
    /// let w = g.with_variable_scope(scope, |g| g.variable("w").shape(&[2]).get());
    /// assert_eq!(w.kind(), VariableKind::Resource);
    /// ```
    #[must_use]
    pub fn kind(mut self, kind: VariableKind) -> Self {
        self.kind = Some(kind);
        self
    }
}

/// The variables of a graph by the names they were asked for with, and the scopes that are open.
#[derive(Default)]
struct VariableStore {
    scopes: Vec<VariableScope>,
    /// Variables by the name they were asked for with, which need not be that of their nodes.
    variables: HashMap<String, Variable>,
    partitioned: HashMap<String, PartitionedVariable>,
    /// How often each scope was entered since its parent was left.
    entered: HashMap<String, usize>,
}

impl VariableStore {
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
    graph.with_extension(|store: &mut VariableStore| {
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
/// use tensorfleet::train::{Initializer, Reuse, VariableScope};
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
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.with_variable_scope("a", |g| g.with_variable_scope("b", |g| g.variable("w").shape(&[2]).get()));
    /// assert_eq!(w.name(), "a/b/w");
    /// ```
    fn with_variable_scope<R>(&self, scope: impl Into<VariableScope>, build: impl FnOnce(&Graph) -> R) -> R;

    /// The trainable variable of this name in the present scope. A contradiction with the scope's [`Reuse`] is a mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let w = g.get_variable("w", &[2, 3], Initializer::glorot_uniform());
    /// assert_eq!((w.name(), w.shape()), ("w", PartialShape::from([2, 3])));
    /// ```
    fn get_variable(&self, name: &str, shape: impl Into<PartialShape>, initializer: Initializer) -> Variable;

    /// A variable of the present scope, with more to be said about it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let seen = g.variable("seen").shape(()).dtype(DType::Int64).trainable(false).get();
    /// assert_eq!((seen.dtype(), seen.is_trainable()), (Some(DType::Int64), false));
    /// ```
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
        self.with_extension(|store: &mut VariableStore| {
            store.enter(&full_name);
            store.scopes.push(scope);
        });
        let result = self.with_name_scope(&local_name, build);
        self.with_extension(|store: &mut VariableStore| {
            store.scopes.pop();
            store.leave(&full_name);
        });
        result
    }

    #[track_caller]
    fn get_variable(&self, name: &str, shape: impl Into<PartialShape>, initializer: Initializer) -> Variable {
        self.variable(name).shape(shape).initializer(initializer).get()
    }

    #[track_caller]
    fn variable(&self, name: &str) -> VariableRequest {
        VariableRequest::new(self, name)
    }
}

fn current_scope(graph: &Graph) -> VariableScope {
    graph.with_extension(|store: &mut VariableStore| store.scopes.last().cloned().unwrap_or_default())
}

/// The full name of the present scope; empty outside of all scopes.
pub(crate) fn variable_scope_name(graph: &Graph) -> String {
    current_scope(graph).name
}

fn scoped(scope: &VariableScope, name: &str) -> String {
    if scope.name.is_empty() { name.to_owned() } else { format!("{}/{name}", scope.name) }
}
