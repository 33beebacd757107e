//! Variables: values that steps read and change.

use std::collections::HashMap;
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;

use graph::{DeviceScope, Graph, Operand, Operation, Output, Outputs};
use runtime::{AsTensor, Fetch, Fetched, RunRequest};
use tensor::{DType, FromTensor, PartialShape, Result, Tensor};

use crate::collections::{add_to_collection, keys};
use crate::partition::SaveSliceInfo;

/// A variable of a graph. It stands for its value wherever an [`Output`] is expected.
///
/// Nodes have TensorFlow's names: the variable `w` has `w`, `w/Assign` and `w/read`.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant([1f32, 2.0]));
/// let (double, more) = (&w * 2.0, w.assign_add(g.constant([1f32, 1.0])));
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&more))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&double))?[0], Tensor::from([4f32, 6.0]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Variable {
    parts: Arc<Parts>,
}

struct Parts {
    name: String,
    kind: VariableKind,
    handle: Output,
    initial_value: Output,
    initializer: Operation,
    read: Output,
    trainable: bool,
    slice: Option<SaveSliceInfo>,
}

/// How a variable is represented in the graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::VariableKind;
/// let g = Graph::new();
/// Variable::set_kind(&g, VariableKind::Resource);
/// assert_eq!(Variable::new("w", g.constant(1f32)).kind(), VariableKind::Resource);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VariableKind {
    /// `VariableV2`, passed on by reference.
    #[default]
    Ref,
    /// `VarHandleOp`, passed on as a handle.
    Resource,
}

/// The variables of a graph by name, and the kind of those to come.
#[derive(Default)]
struct Known {
    variables: HashMap<String, Variable>,
    kind: VariableKind,
}

/// Where the first value of a new variable comes from.
pub(crate) enum Initial<'a> {
    Value(Output),
    /// A constant `name/initial_value`.
    Constant(Tensor),
    /// Nodes that are built for the variable, in the scope `name/Initializer`.
    Built(&'a dyn Fn(&Graph) -> Output),
}

/// What a new variable is to be, besides its name and first value.
pub(crate) struct Wanted {
    pub kind: VariableKind,
    pub trainable: bool,
    pub collections: Vec<String>,
    pub slice: Option<SaveSliceInfo>,
}

impl Wanted {
    pub fn new(graph: &Graph, trainable: bool) -> Wanted {
        let collections = vec![keys::GLOBAL_VARIABLES.to_owned()];
        Wanted { kind: Variable::default_kind(graph), trainable, collections, slice: None }
    }
}

impl Variable {
    /// A variable that training changes, with an initial value.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.zeros(&[2, 3], DType::Float));
    /// assert_eq!((w.name(), w.shape()), ("w", PartialShape::from([2, 3])));
    /// assert!(w.is_trainable());
    /// ```
    #[track_caller]
    pub fn new(name: &str, initial: Output) -> Variable {
        let graph = initial.graph().clone();
        Variable::make(&graph, name, Initial::Value(initial), Wanted::new(&graph, true))
    }

    /// A variable that optimizers leave alone, such as a step counter.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{global_variables, trainable_variables};
    /// let g = Graph::new();
    /// let epoch = Variable::untrained("epoch", g.constant(0i64));
    /// assert!(!epoch.is_trainable());
    /// assert_eq!((global_variables(&g).len(), trainable_variables(&g).len()), (1, 0));
    /// ```
    #[track_caller]
    pub fn untrained(name: &str, initial: Output) -> Variable {
        let graph = initial.graph().clone();
        Variable::make(&graph, name, Initial::Value(initial), Wanted::new(&graph, false))
    }

    /// A variable that each client has for itself and that is not saved, in the collection of local variables.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{global_variables, local_variables};
    /// let g = Graph::new();
    /// Variable::local("seen", g.constant(0i64));
    /// assert_eq!((global_variables(&g).len(), local_variables(&g).len()), (0, 1));
    /// ```
    #[track_caller]
    pub fn local(name: &str, initial: Output) -> Variable {
        let graph = initial.graph().clone();
        let collections = vec![keys::LOCAL_VARIABLES.to_owned()];
        Variable::make(&graph, name, Initial::Value(initial), Wanted { collections, ..Wanted::new(&graph, false) })
    }

    #[track_caller]
    pub(crate) fn make(graph: &Graph, name: &str, initial: Initial<'_>, wanted: Wanted) -> Variable {
        let at = Location::caller();
        let Wanted { kind, trainable, mut collections, slice } = wanted;
        let build = |graph: &Graph| {
            let name = graph.name_scope();
            let nodes = match kind {
                VariableKind::Ref => by_reference(graph, &name, initial, at),
                VariableKind::Resource => by_handle(graph, &name, initial, at),
            };
            let VariableNodes { handle, initial_value, initializer, read } = nodes;
            Parts { name, kind, handle, initial_value, initializer, read, trainable, slice }
        };
        let parts = graph.without_control_dependencies(|graph| graph.with_name_scope(name, build));
        let variable = Variable { parts: Arc::new(parts) };
        if trainable && !collections.iter().any(|key| key == keys::TRAINABLE_VARIABLES) {
            collections.push(keys::TRAINABLE_VARIABLES.to_owned());
        }
        for key in &collections {
            add_to_collection(graph, key, variable.name());
        }
        graph.with_extension(|known: &mut Known| known.variables.insert(variable.name().to_owned(), variable.clone()));
        variable
    }

    /// A variable of nodes that the graph has already. It is in no collection yet.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{VariableKind, VariableNodes};
    /// let g = Graph::new();
    /// let handle = g.op("VariableV2").name("w").attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).output();
    /// let initial_value = g.constant(3f32);
    /// let initializer = g.op("Assign").input(&handle).input(&initial_value).build();
    /// let read = handle.identity();
    /// let nodes = VariableNodes { handle, initial_value, initializer, read };
    /// let w = Variable::from_nodes(&g, "w".to_owned(), VariableKind::Ref, nodes, true, None);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(w.initializer())?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 3.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn from_nodes(
        graph: &Graph,
        name: String,
        kind: VariableKind,
        nodes: VariableNodes,
        trainable: bool,
        slice: Option<SaveSliceInfo>,
    ) -> Variable {
        let VariableNodes { handle, initial_value, initializer, read } = nodes;
        let parts = Parts { name, kind, handle, initial_value, initializer, read, trainable, slice };
        let variable = Variable { parts: Arc::new(parts) };
        graph.with_extension(|known: &mut Known| known.variables.insert(variable.name().to_owned(), variable.clone()));
        variable
    }

    /// From here on, variables of the graph are of this kind.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::VariableKind;
    /// let g = Graph::new();
    /// assert_eq!(Variable::default_kind(&g), VariableKind::Ref);
    /// Variable::set_kind(&g, VariableKind::Resource);
    /// assert_eq!(Variable::new("w", g.constant(1f32)).kind(), VariableKind::Resource);
    /// ```
    pub fn set_kind(graph: &Graph, kind: VariableKind) {
        graph.with_extension(|known: &mut Known| known.kind = kind);
    }

    /// The kind of the graph's variables to come.
    pub fn default_kind(graph: &Graph) -> VariableKind {
        graph.with_extension(|known: &mut Known| known.kind)
    }

    /// The graph's variable of this name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// assert!(Variable::find(&g, "w").is_some() && Variable::find(&g, "v").is_none());
    /// ```
    pub fn find(graph: &Graph, name: &str) -> Option<Variable> {
        graph.with_extension(|known: &mut Known| known.variables.get(name).cloned())
    }

    /// The name, without an output number.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.with_name_scope("layer", |g| Variable::new("w", g.constant(1f32)));
    /// assert_eq!(w.name(), "layer/w");
    /// ```
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Returns how it is represented in the graph.
    pub fn kind(&self) -> VariableKind {
        self.parts.kind
    }

    /// Returns whether optimizers change it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(Variable::new("w", g.constant(1f32)).is_trainable() && !get_or_create_global_step(&g).is_trainable());
    /// ```
    pub fn is_trainable(&self) -> bool {
        self.parts.trainable
    }

    /// The reference or handle, for ops that change the variable.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant([1f32, 2.0]));
    /// let twice = g.op("AssignAdd").input(w.handle()).input(w.value()).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(w.initializer())?;
    /// session.eval(&twice)?;
    /// assert_eq!(session.eval::<Vec<f32>, _>(&w)?, [2.0, 4.0]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn handle(&self) -> &Output {
        &self.parts.handle
    }

    /// The node of the reference or handle: where the variable lives.
    pub fn operation(&self) -> Operation {
        self.parts.handle.operation()
    }

    /// The device that was asked for the variable; empty if none was.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.with_device("/job:ps/task:1", |g| Variable::new("w", g.constant(1f32)));
    /// assert_eq!(w.device(), "/job:ps/task:1");
    /// ```
    pub fn device(&self) -> String {
        self.operation().device()
    }

    /// The value as a step begins.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(2f32));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(w.initializer())?;
    /// assert_eq!(session.eval::<f32, _>(w.value())?, 2.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn value(&self) -> &Output {
        &self.parts.read
    }

    /// A new node that reads the value, after the control dependencies of the present scope.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let more = w.assign_add(1.0);
    /// let after = g.with_control_dependencies(&[more], |_| w.read());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(w.initializer())?;
    /// assert_eq!(session.eval::<f32, _>(&after)?, 2.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn read(&self) -> Output {
        let at = Location::caller();
        let graph = self.handle().graph();
        match self.kind() {
            VariableKind::Ref => graph.op("Identity").input(self.handle()).at(at).output(),
            VariableKind::Resource => graph.without_colocation(|graph| {
                let dtype = self.dtype().unwrap_or(DType::Float);
                graph.op("ReadVariableOp").input(self.handle()).attr("dtype", dtype).at(at).output()
            }),
        }
    }

    /// The value for a computation, as TensorFlow takes it: the one node that reads a variable of references, a new one for
    /// a handle.
    #[track_caller]
    pub(crate) fn current(&self) -> Output {
        if self.kind() == VariableKind::Ref { self.value().clone() } else { self.read() }
    }

    /// Rows of the variable: element `i` is row `indices[i]`. Its gradient is rows too, so a step on a large table costs no
    /// more than the rows it touches.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let table = Variable::new("table", g.constant([[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]]));
    /// let rows = table.rows(&g.constant([2i32, 0]));
    /// let session = LocalSession::new(&g)?;
    /// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
    /// assert_eq!(session.fetch(RunRequest::new().fetch(&rows))?[0], Tensor::from([[5f32, 6.0], [1.0, 2.0]]));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn rows(&self, indices: &Output) -> Output {
        let at = Location::caller();
        let graph = self.handle().graph();
        match self.kind() {
            VariableKind::Ref => graph.with_colocation(&self.operation(), |graph| {
                let name = graph.unique_name("GatherV2");
                let axis = 0i32.to_named_output(graph, Some(DType::Int32), &format!("{name}/axis"));
                let gather = graph.op("GatherV2").name_exactly(name).input(self.value()).input(indices).input(axis);
                gather.at(at).output()
            }),
            VariableKind::Resource => {
                let dtype = self.dtype().unwrap_or(DType::Float);
                graph.op("ResourceGather").input(self.handle()).input(indices).attr("dtype", dtype).at(at).output()
            }
        }
    }

    /// What the variable begins with.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(w.initial_value())?, 3.0); // `w` has no value yet
    /// # Ok::<(), Status>(())
    /// ```
    pub fn initial_value(&self) -> &Output {
        &self.parts.initial_value
    }

    /// The node that gives the variable its initial value.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(w.initializer())?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 3.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn initializer(&self) -> &Operation {
        &self.parts.initializer
    }

    /// A node that says whether the variable has a value.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let there = w.is_initialized();
    /// let session = LocalSession::new(&g)?;
    /// assert!(!session.eval::<bool, _>(&there)?);
    /// session.eval(w.initializer())?;
    /// assert!(session.eval::<bool, _>(&there)?);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn is_initialized(&self) -> Output {
        let op = if self.kind() == VariableKind::Ref { "IsVariableInitialized" } else { "VarIsInitializedOp" };
        self.handle().graph().op(op).input(self.handle()).at(Location::caller()).output()
    }

    /// Where this piece of a partitioned variable lies in the whole.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::fixed_size_partitioner;
    /// let g = Graph::new();
    /// assert!(Variable::new("w", g.constant(1f32)).save_slice_info().is_none());
    /// let parts = g.variable("v").shape(&[4]).partitioner(fixed_size_partitioner(2)).try_get_partitioned()?;
    /// assert_eq!(parts.parts()[1].save_slice_info().unwrap().spec(), "4 2,2");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn save_slice_info(&self) -> Option<&SaveSliceInfo> {
        self.parts.slice.as_ref()
    }

    /// A node that sets the variable.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let set = w.assign(5.0);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&set)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 5.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn assign(&self, value: impl Operand) -> Operation {
        self.change("Assign", "AssignVariableOp", value)
    }

    /// A node that adds to the variable.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let add = w.assign_add(2.0);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(w.initializer())?;
    /// session.eval(&add)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, 3.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn assign_add(&self, value: impl Operand) -> Operation {
        self.change("AssignAdd", "AssignAddVariableOp", value)
    }

    /// A node that subtracts from the variable.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let sub = w.assign_sub(2.0);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(w.initializer())?;
    /// session.eval(&sub)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, -1.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn assign_sub(&self, value: impl Operand) -> Operation {
        self.change("AssignSub", "AssignSubVariableOp", value)
    }

    #[track_caller]
    fn change(&self, by_reference: &str, by_handle: &str, value: impl Operand) -> Operation {
        let graph = self.handle().graph();
        let op = if self.kind() == VariableKind::Ref { by_reference } else { by_handle };
        let name = graph.unique_name(op);
        let value = value.to_named_output(graph, self.dtype(), &format!("{name}/value"));
        let change = graph.op(op).name_exactly(name).input(self.handle()).input(value);
        let change = if op == "AssignVariableOp" { change.attr("validate_shape", true) } else { change };
        change.at(Location::caller()).build()
    }
}

/// The nodes of a variable, for [`Variable::from_nodes`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::VariableNodes;
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let (handle, initial_value) = (w.handle().clone(), w.initial_value().clone());
/// let nodes = VariableNodes { handle, initial_value, initializer: w.initializer().clone(), read: w.value().clone() };
/// assert_eq!(nodes.handle.name().unwrap().to_string(), "w:0");
/// ```
pub struct VariableNodes {
    /// The reference or the resource's handle.
    pub handle: Output,
    /// What the variable gets as its first value.
    pub initial_value: Output,
    /// Gives the variable its first value.
    pub initializer: Operation,
    /// The value.
    pub read: Output,
}

/// In the scope that has the variable's name.
fn by_reference(graph: &Graph, name: &str, initial: Initial<'_>, at: &'static Location<'static>) -> VariableNodes {
    let node = |graph: &Graph, initial: &Output| {
        let (dtype, shape) = (initial.dtype().unwrap_or(DType::Float), initial.shape());
        graph.op("VariableV2").name_exactly(name).attr("dtype", dtype).attr("shape", shape).at(at).output()
    };
    let (handle, initial_value) = match initial {
        Initial::Value(initial) => (node(graph, &initial), initial),
        Initial::Constant(value) => {
            let initial = constant(graph, value, at);
            (node(graph, &initial), initial)
        }
        Initial::Built(build) => graph.with_class(name, |graph| {
            let initial = in_initializer_scope(graph, build);
            (node(graph, &initial), initial)
        }),
    };
    let initializer = graph.op("Assign").input(&handle).input(&initial_value).at(at).build();
    let read = graph
        .with_colocation(&handle.operation(), |graph| graph.op("Identity").name("read").input(&handle).at(at).output());
    VariableNodes { handle, initial_value, initializer, read }
}

/// In the scope that has the variable's name.
fn by_handle(graph: &Graph, name: &str, initial: Initial<'_>, at: &'static Location<'static>) -> VariableNodes {
    let (handle, initial_value) = graph.with_class(name, |graph| {
        let initial = match initial {
            Initial::Value(initial) => initial,
            Initial::Constant(value) => in_initializer_scope(graph, &|graph| constant(graph, value.clone(), at)),
            Initial::Built(build) => in_initializer_scope(graph, build),
        };
        let (dtype, shape) = (initial.dtype().unwrap_or(DType::Float), initial.shape());
        let handle = graph.op("VarHandleOp").name_exactly(name).attr("dtype", dtype).attr("shape", shape);
        let handle = handle.attr("shared_name", name.to_owned()).attr("debug_name", format!("{name}/"));
        (handle.at(at).output(), initial)
    });
    let dtype = initial_value.dtype().unwrap_or(DType::Float);
    graph.with_name_scope("IsInitialized", |graph| graph.op("VarIsInitializedOp").input(&handle).at(at).build());
    let device = handle.operation().device();
    let assign_name = graph.unique_name("Assign");
    let initializer = graph.without_colocation(|graph| {
        graph.with_device(&device, |graph| {
            let assign = graph.op("AssignVariableOp").name_exactly(assign_name).input(&handle).input(&initial_value);
            assign.at(at).build()
        })
    });
    let read = graph.with_name_scope("Read", |graph| {
        graph.with_device(&device, |graph| {
            graph.op("ReadVariableOp").input(&handle).attr("dtype", dtype).at(at).output()
        })
    });
    VariableNodes { handle, initial_value, initializer, read }
}

fn constant(graph: &Graph, value: Tensor, at: &'static Location<'static>) -> Output {
    graph.op("Const").name("initial_value").attr("dtype", value.dtype()).attr("value", value).at(at).output()
}

fn in_initializer_scope(graph: &Graph, build: &dyn Fn(&Graph) -> Output) -> Output {
    graph.with_name_scope("Initializer", |graph| graph.with_device(DeviceScope::Cleared, build))
}

impl Deref for Variable {
    type Target = Output;

    fn deref(&self) -> &Output {
        self.value()
    }
}

impl Operand for &Variable {
    fn to_output(&self, _: &Graph, _: Option<DType>) -> Output {
        self.value().clone()
    }
}

impl Operand for Variable {
    fn to_output(&self, _: &Graph, _: Option<DType>) -> Output {
        self.value().clone()
    }
}

graph::impl_operators!(Variable);

impl Outputs for Variable {
    fn to_outputs(&self) -> Vec<Output> {
        vec![self.value().clone()]
    }
}

impl AsTensor for &Variable {
    fn tensor_name(&self) -> Result<String> {
        self.value().tensor_name()
    }
}

impl<T: FromTensor> Fetch<T> for &Variable {
    fn add_to(&self, request: RunRequest) -> RunRequest {
        request.fetch(*self)
    }

    fn take_from(&self, fetched: &mut Fetched) -> Result<T> {
        fetched.take()
    }
}

impl std::fmt::Debug for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape: PartialShape = self.shape();
        write!(f, "Variable({}: {}{shape})", self.name(), self.dtype().map_or("?", DType::name))
    }
}
