//! A variable asked for by name: what it is to be, and whether it is found or made.

use std::panic::Location;
use std::sync::Arc;

use graph::Graph;
use parking_lot::Mutex;
use tensor::{DType, PartialShape, Result, Shape, bail, ensure, err};

use super::{Reuse, VariableScope, VariableStore, current_scope, scoped};
use crate::collections::keys;
use crate::initializers::Initializer;
use crate::partition::{PartitionedVariable, Partitioner, slices};
use crate::variable::{Initial, Variable, VariableKind, Wanted};

/// A variable asked for by name: [`VariableScopeOps::variable`](crate::VariableScopeOps::variable).
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initializer, local_variables, trainable_variables};
/// let g = Graph::new();
/// let counts = g.variable("counts").shape(&[10]).dtype(DType::Int64).initializer(Initializer::Zeros).local().get();
/// assert_eq!((counts.name(), local_variables(&g).len(), trainable_variables(&g).len()), ("counts", 1, 0));
/// ```
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
    #[track_caller]
    pub(super) fn new(graph: &Graph, name: &str) -> VariableRequest {
        VariableRequest {
            graph: graph.clone(),
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

    /// The shape, if the initializer does not know it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.variable("w").shape([2, 3]).get().shape(), PartialShape::from([2, 3]));
    /// assert_eq!(g.variable("b").shape(()).get().shape(), PartialShape::scalar());
    /// ```
    pub fn shape(mut self, shape: impl Into<PartialShape>) -> Self {
        self.shape = shape.into().raw_dims().map(<[i64]>::to_vec);
        self
    }

    /// The type: that of the scope, or float, unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.variable("w").shape([2]).dtype(DType::Double).get().dtype(), Some(DType::Double));
    /// ```
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// How it begins: as the scope says, or Glorot uniform for floats and zeros for others.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let w = g.variable("w").initializer(Initializer::constant([1f32, 2.0])).get(); // which knows the shape
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(w.initial_value())?, [1.0, 2.0]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn initializer(mut self, initializer: Initializer) -> Self {
        self.initializer = Some(initializer);
        self
    }

    /// Whether optimizers change it; they do unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(!g.variable("fixed").shape(&[2]).trainable(false).get().is_trainable());
    /// ```
    pub fn trainable(mut self, trainable: bool) -> Self {
        self.trainable = trainable;
        self
    }

    /// The collections it goes to, instead of that of the global variables.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::collection_names;
    /// let g = Graph::new();
    /// g.variable("w").shape(&[2]).trainable(false).collections(["mine"]).get();
    /// assert_eq!(collection_names(&g), ["mine"]);
    /// ```
    pub fn collections<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.collections = names.into_iter().map(Into::into).collect();
        self
    }

    /// A variable of the client alone: not saved, not trained.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::local_variables;
    /// let g = Graph::new();
    /// g.variable("seen").shape(()).local().get();
    /// assert_eq!(local_variables(&g)[0].name(), "seen");
    /// ```
    pub fn local(self) -> Self {
        self.trainable(false).collections([keys::LOCAL_VARIABLES])
    }

    /// The kind: that of the scope or of the graph unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::VariableKind;
    /// let g = Graph::new();
    /// assert_eq!(g.variable("w").shape(&[2]).kind(VariableKind::Resource).get().kind(), VariableKind::Resource);
    /// ```
    pub fn kind(mut self, kind: VariableKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// How it is cut in pieces, by [`try_get_partitioned`](VariableRequest::try_get_partitioned).
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::fixed_size_partitioner;
    /// let g = Graph::new();
    /// let table = g.variable("table").shape(&[4, 2]).partitioner(fixed_size_partitioner(4)).try_get_partitioned()?;
    /// assert_eq!(table.parts().len(), 4);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn partitioner(mut self, partitioner: Partitioner) -> Self {
        self.partitioner = Some(partitioner);
        self
    }

    /// Returns the variable, found or made. What contradicts is noted as the graph's mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.variable("w").shape(&[2]).get();
    /// g.variable("w").shape(&[2]).get(); // the second of this name is a mistake
    /// assert!(g.check().unwrap_err().message().contains("Variable w already exists, disallowed."));
    /// ```
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

    /// Returns the variable, found or made.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.variable("w").shape(&[2]).try_get().is_ok());
    /// assert!(g.variable("w").shape(&[2]).try_get().is_err());
    /// assert!(g.check().is_ok()); // the graph knows of no mistake
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument`, in TensorFlow's words, if it exists and may not, does not exist and must, or exists with another
    /// shape or type.
    #[track_caller]
    pub fn try_get(self) -> Result<Variable> {
        let (graph, scope) = (self.graph.clone(), current_scope(&self.graph));
        let full_name = scoped(&scope, &self.name);
        let dtype = self.dtype_in(&scope);
        let found = graph.with_extension(|store: &mut VariableStore| store.variables.get(&full_name).cloned());
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
        graph.with_extension(|store: &mut VariableStore| store.variables.insert(full_name, variable.clone()));
        Ok(variable)
    }

    /// Returns the variable in pieces, found or made.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::fixed_size_partitioner;
    /// let g = Graph::new();
    /// let table = g.variable("table").shape(&[5, 2]).partitioner(fixed_size_partitioner(2)).try_get_partitioned()?;
    /// assert_eq!(table.parts()[0].shape(), PartialShape::from([3, 2]));
    /// assert!(g.variable("whole").shape(&[5, 2]).try_get_partitioned().is_err()); // no partitioner
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` as for [`try_get`](VariableRequest::try_get), if no partitioner is known, or the pieces are not those
    /// found.
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
        let (found, single) = graph.with_extension(|store: &mut VariableStore| {
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
            graph.with_extension(|store: &mut VariableStore| store.variables.insert(part_name, part.clone()));
            parts.push(part);
        }
        let whole = Arc::new(Mutex::new(None));
        let variable = PartitionedVariable { name: full_name.clone(), shape, dtype, parts, partitions, whole };
        graph.with_extension(|store: &mut VariableStore| store.partitioned.insert(full_name, variable.clone()));
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
