//! Building graphs: [`Graph`], its nodes and outputs.
//!
//! Building does not return a `Result` at every step. The first mistake is kept in the graph with the caller's file and
//! line; what follows from it is quietly poisoned; [`Graph::check`] returns it, and sessions refuse the graph with it.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};
use tensor::{DType, PartialShape, Result, Status, Tensor, err};

use crate::attr::AttrValue;
use crate::control_flow::Contexts;
use crate::data::{Endpoint, GraphData, NodeId};
use crate::import::{ImportOptions, graph_from_proto};
use crate::op::Registry;
use crate::op_builder::OpBuilder;
use crate::scope::Scopes;
use crate::{DeviceName, TensorName};

/// A graph under construction. Clones are the same graph.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None]);
/// let y = g.with_name_scope("model", |g| g.constant(2f32) * &x);
/// assert_eq!(y.name().unwrap().to_string(), "model/mul:0");
/// assert_eq!(LocalSession::new(&g)?.feed(&x, [1f32, 2.0]).eval::<Vec<f32>, _>(&y)?, [2.0, 4.0]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone)]
pub struct Graph {
    shared: Arc<Shared>,
}

struct Shared {
    registry: Arc<Registry>,
    state: Mutex<State>,
    /// How many nodes there are and whether a mistake was made, for those who ask at every step.
    nodes: AtomicUsize,
    mistaken: AtomicBool,
}

/// The state while it is looked at or changed.
pub(crate) struct StateGuard<'a> {
    state: MutexGuard<'a, State>,
    shared: &'a Shared,
}

impl Deref for StateGuard<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for StateGuard<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for StateGuard<'_> {
    fn drop(&mut self) {
        self.shared.nodes.store(self.state.data.len(), Ordering::Release);
        self.shared.mistaken.store(self.state.mistake.is_some(), Ordering::Release);
    }
}

pub(crate) struct State {
    pub data: GraphData,
    pub scopes: Scopes,
    pub contexts: Contexts,
    /// The first mistake, and the file and line of it.
    mistake: Option<(Status, String)>,
    seed: Option<i64>,
    /// How many ops took their seed from the graph's alone.
    seeds_given: i64,
    extensions: HashMap<TypeId, Box<dyn Any + Send>>,
}

impl Graph {
    /// An empty graph of the ops in a registry.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::Registry;
    /// let g = Graph::with_registry(Arc::new(Registry::new())); // there are no ops at all
    /// g.op("NoOp").build();
    /// assert_eq!(g.check().unwrap_err().code(), Code::NotFound);
    /// ```
    pub fn with_registry(registry: Arc<Registry>) -> Graph {
        Graph::from_data(registry, GraphData::default())
    }

    /// A graph to go on building with.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// let copy = Graph::from_data(g.registry().clone(), g.snapshot()?);
    /// let next = copy.constant(2f32);
    /// assert_eq!(next.name().unwrap().to_string(), "Const_1:0"); // names go on from where they were
    /// # Ok::<(), Status>(())
    /// ```
    pub fn from_data(registry: Arc<Registry>, data: GraphData) -> Graph {
        let mut scopes = Scopes::default();
        for node in data.nodes() {
            scopes.mark_used(&node.name);
        }
        let state = State {
            data,
            scopes,
            contexts: Contexts::default(),
            mistake: None,
            seed: None,
            seeds_given: 0,
            extensions: HashMap::new(),
        };
        let nodes = AtomicUsize::new(state.data.len());
        let shared = Shared { registry, state: Mutex::new(state), nodes, mistaken: AtomicBool::new(false) };
        Graph { shared: Arc::new(shared) }
    }

    /// Returns how many nodes there are.
    pub fn num_nodes(&self) -> usize {
        self.shared.nodes.load(Ordering::Acquire)
    }

    /// Returns the ops that nodes can be made of.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.registry().get("MatMul").is_some());
    /// ```
    pub fn registry(&self) -> &Arc<Registry> {
        &self.shared.registry
    }

    /// The first mistake made while building, with the file and line of the call.
    ///
    /// # Errors
    /// That mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant([1f32, 2.0]).matmul(&g.constant([1f32]));
    /// assert_eq!(g.check().unwrap_err().code(), Code::InvalidArgument);
    /// ```
    pub fn check(&self) -> Result<()> {
        if !self.shared.mistaken.load(Ordering::Acquire) {
            return Ok(());
        }
        match &self.state().mistake {
            Some((mistake, at)) => Err(mistake.clone().context(at)),
            None => Ok(()),
        }
    }

    /// A copy of the nodes, for running or exporting.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// let copy = g.snapshot()?;
    /// g.constant(2f32);
    /// assert_eq!((copy.len(), g.snapshot()?.len()), (1, 2));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The first mistake made while building.
    pub fn snapshot(&self) -> Result<GraphData> {
        self.check()?;
        Ok(self.state().data.clone())
    }

    /// Looks at the nodes without copying them.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.constant(1f32) + 1.0;
    /// let ops: Vec<String> = g.read(|nodes| nodes.nodes().iter().map(|node| node.op.clone()).collect());
    /// assert_eq!(ops, ["Const", "Const", "AddV2"]);
    /// ```
    pub fn read<R>(&self, look: impl FnOnce(&GraphData) -> R) -> R {
        look(&self.state().data)
    }

    /// Notes a mistake, unless one was made before.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.note_mistake(Status::new(Code::InvalidArgument, "rows and labels differ in number"));
    /// assert!(g.check().unwrap_err().message().contains("rows and labels differ in number"));
    /// ```
    #[track_caller]
    pub fn note_mistake(&self, status: Status) {
        let at = Location::caller();
        self.note_at(status, at);
    }

    pub(crate) fn note_at(&self, status: Status, at: &Location<'_>) {
        let mut state = self.state();
        if state.mistake.is_none() {
            state.mistake = Some((status, format!("{}:{}", at.file(), at.line())));
        }
    }

    /// Takes the mistake away, without the place it was made at: what was built before goes on as if it had not happened.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.op("MatMull").build();
    /// assert_eq!(g.take_mistake().unwrap().code(), Code::NotFound);
    /// assert!(g.check().is_ok());
    /// ```
    pub fn take_mistake(&self) -> Option<Status> {
        Some(self.state().mistake.take()?.0)
    }

    /// Begins a node of the op with this name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.op("AddN").name("total").input_list(&[g.constant(1f32), g.constant(2f32)]).output();
    /// assert_eq!(sum.name().unwrap().to_string(), "total:0");
    /// ```
    #[track_caller]
    pub fn op(&self, op: &str) -> OpBuilder {
        OpBuilder::new(self, op, Location::caller())
    }

    /// A node that yields this value.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let matrix = g.constant([[1f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(matrix.shape().to_string(), "[2,2]");
    /// ```
    #[track_caller]
    pub fn constant(&self, value: impl Into<Tensor>) -> Output {
        let value = value.into();
        self.op("Const").attr("dtype", value.dtype()).attr("value", value).output()
    }

    /// A node whose value is given with each step.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let images = g.placeholder(DType::Float, [None, Some(784)]);
    /// assert_eq!(images.shape().to_string(), "[?,784]");
    /// ```
    #[track_caller]
    pub fn placeholder(&self, dtype: DType, shape: impl Into<PartialShape>) -> Output {
        self.op("Placeholder").attr("dtype", dtype).attr("shape", shape.into()).output()
    }

    /// A node that does nothing but wait for others.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (a, b) = (g.op("NoOp").build(), g.op("NoOp").build());
    /// let both = g.group(&[a, b]);
    /// assert_eq!(both.name().unwrap(), "group_deps");
    /// ```
    #[track_caller]
    pub fn group(&self, operations: &[Operation]) -> Operation {
        self.group_as("group_deps", operations)
    }

    /// As [`group`](Graph::group), with a name. Nodes of several devices get a node on each of these first, so that one edge
    /// from each device goes to the last.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (a, b) = (g.op("NoOp").build(), g.op("NoOp").build());
    /// assert_eq!(g.group_as("both", &[a, b]).name().unwrap(), "both");
    /// ```
    #[track_caller]
    pub fn group_as(&self, name: &str, operations: &[Operation]) -> Operation {
        let at = Location::caller();
        let mut devices: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
        for operation in operations {
            devices.entry(operation.device()).or_default().push(operation.clone());
        }
        self.with_name_scope(name, |graph| {
            let name = graph.name_scope();
            if devices.len() == 1
                && let Some((device, members)) = devices.pop_first()
            {
                let node = |graph: &Graph| graph.op("NoOp").name_exactly(name).control_inputs(&members).at(at).build();
                return graph.with_device(device, node);
            }
            let on_device = |(device, members): (String, Vec<Operation>)| {
                graph.with_device(device, |graph| graph.op("NoOp").control_inputs(&members).at(at).build())
            };
            let all: Vec<Operation> = devices.into_iter().map(on_device).collect();
            graph.op("NoOp").name_exactly(name).control_inputs(&all).at(at).build()
        })
    }

    /// Adds the nodes of a message. On an error the graph is unchanged.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::{ImportOptions, graph_to_proto};
    /// let g = Graph::new();
    /// g.constant(7f32);
    /// let message = graph_to_proto(&g.snapshot()?)?;
    /// let copy = Graph::new();
    /// copy.import(message, ImportOptions::default())?;
    /// assert_eq!(LocalSession::new(&copy)?.eval::<f32, _>("Const:0")?, 7.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`graph_from_proto`](crate::graph_from_proto).
    pub fn import(&self, def: wire::GraphDef, options: ImportOptions) -> Result<()> {
        let mut state = self.state();
        let known = state.data.len();
        graph_from_proto(&mut state.data, def, self.registry(), options)?;
        let names: Vec<String> = state.data.nodes()[known..].iter().map(|node| node.name.clone()).collect();
        for name in names {
            state.scopes.mark_used(&name);
        }
        Ok(())
    }

    /// The output of this name, as in `layer/w:0`.
    ///
    /// # Errors
    /// `NotFound` or `InvalidArgument` if there is none.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.constant(1f32);
    /// assert!(g.output("Const:0").is_ok());
    /// assert_eq!(g.output("Const:7").unwrap_err().code(), Code::InvalidArgument);
    /// ```
    pub fn output(&self, name: &str) -> Result<Output> {
        let name: TensorName = name.parse()?;
        let endpoint = self.state().data.endpoint(&name)?;
        Ok(Output { graph: self.clone(), endpoint: Some(endpoint) })
    }

    /// The node of this name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.op("NoOp").name("ready").build();
    /// assert!(g.operation("ready").is_ok());
    /// assert_eq!(g.operation("redy").unwrap_err().code(), Code::NotFound);
    /// ```
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub fn operation(&self, name: &str) -> Result<Operation> {
        let id =
            self.state().data.find(name).ok_or_else(|| err!(NotFound, "there is no node '{name}' in the graph"))?;
        Ok(Operation { graph: self.clone(), id: Some(id) })
    }

    /// An output that stands for none, after a mistake.
    pub(crate) fn poisoned_output(&self) -> Output {
        Output { graph: self.clone(), endpoint: None }
    }

    pub(crate) fn node(&self, id: NodeId) -> Operation {
        Operation { graph: self.clone(), id: Some(id) }
    }

    /// Puts a node on a device, whatever scopes said when it was built.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let ready = g.op("NoOp").build();
    /// g.set_device(&ready, "/cpu:0")?;
    /// assert_eq!(ready.device(), "/device:CPU:0");
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if this is no device's name.
    pub fn set_device(&self, operation: &Operation, device: &str) -> Result<()> {
        let device = device.parse::<DeviceName>()?.to_string();
        if let Some(id) = operation.id {
            self.state().data.node_mut(id).device = device;
        }
        Ok(())
    }

    /// Gives a node an attribute that its op does not define, such as `_class`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::AttrValue;
    /// let g = Graph::new();
    /// let ready = g.op("NoOp").build();
    /// g.set_attr(&ready, "_mine", AttrValue::Bool(true))?;
    /// assert!(g.read(|nodes| nodes.nodes()[0].attrs.contains_key("_mine")));
    /// assert!(g.set_attr(&ready, "mine", AttrValue::Bool(true)).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the name does not begin with an underscore: types and shapes were inferred from the other ones.
    pub fn set_attr(&self, operation: &Operation, name: &str, value: AttrValue) -> Result<()> {
        if !name.starts_with('_') {
            return Err(err!(InvalidArgument, "attribute '{name}' of a node that is built cannot be changed"));
        }
        if let Some(id) = operation.id {
            self.state().data.node_mut(id).attrs.insert(name.to_owned(), value);
        }
        Ok(())
    }

    /// Finds a node by its number: the first node added has 0.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.op("NoOp").name("ready").build();
    /// assert_eq!(g.operation_at(0)?.name().as_deref(), Some("ready"));
    /// assert_eq!(g.operation_at(1).unwrap_err().code(), Code::NotFound);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` if there are not so many nodes.
    pub fn operation_at(&self, index: usize) -> Result<Operation> {
        let count = self.num_nodes();
        if index >= count {
            return Err(err!(NotFound, "there is no node {index} in a graph of {count}"));
        }
        Ok(Operation { graph: self.clone(), id: Some(NodeId(index as u32)) })
    }

    /// Returns the output at an endpoint of the graph's data.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let one = g.constant(1f32);
    /// let same = g.endpoint(one.endpoint().unwrap());
    /// assert_eq!(same.name(), one.name());
    /// ```
    pub fn endpoint(&self, endpoint: Endpoint) -> Output {
        Output { graph: self.clone(), endpoint: Some(endpoint) }
    }

    /// What another crate keeps with the graph, one value of each type: its collections, for example.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// #[derive(Default)]
    /// struct Notes(Vec<String>);
    ///
    /// let g = Graph::new();
    /// g.with_extension(|notes: &mut Notes| notes.0.push("first draft".to_owned()));
    /// assert_eq!(g.with_extension(|notes: &mut Notes| notes.0.clone()), ["first draft"]);
    /// ```
    pub fn with_extension<T: Default + Send + 'static, R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        let mut extension = self
            .state()
            .extensions
            .remove(&TypeId::of::<T>())
            .and_then(|any| any.downcast::<T>().ok())
            .unwrap_or_default();
        // The value is outside of the graph meanwhile, so that `look` may use the graph.
        let result = look(&mut extension);
        self.state().extensions.insert(TypeId::of::<T>(), extension);
        result
    }

    /// A name in the current scope that nothing has yet, now taken.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!((g.unique_name("w"), g.unique_name("w")), ("w".to_owned(), "w_1".to_owned()));
    /// ```
    pub fn unique_name(&self, name: &str) -> String {
        let mut state = self.state();
        let full = state.scopes.prefixed(name);
        state.scopes.unique(&full)
    }

    /// The prefix that names get here, without a trailing slash; empty outside of all scopes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.with_name_scope("layer1", |g| g.name_scope()), "layer1");
    /// ```
    pub fn name_scope(&self) -> String {
        self.state().scopes.prefix().to_owned()
    }

    /// The graph's seed, from which random ops without one of their own take theirs.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let draw = || {
    ///     let g = Graph::new();
    ///     g.set_seed(1);
    ///     let numbers = g.random_uniform([3], 0.0, 1.0);
    ///     LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&numbers))
    /// };
    /// assert_eq!(draw()?, draw()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_seed(&self, seed: i64) {
        self.state().seed = Some(seed);
    }

    /// Forgets the graph's seed, and begins to count anew.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.set_seed(7);
    /// g.clear_seed();
    /// assert_eq!(g.seeds(None), (0, 0)); // as random as can be
    /// ```
    pub fn clear_seed(&self) {
        self.state().seed = None;
    }

    /// The two seeds of a random op, as TensorFlow 2.21 gives them out: those of the graph and of the op. Where only
    /// the graph has one, the op's is how many ops before it had none. Two zeros mean that any numbers will do.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.set_seed(1);
    /// assert_eq!(g.seeds(Some(7)), (1, 7));
    /// ```
    pub fn seeds(&self, op_seed: Option<i64>) -> (i64, i64) {
        const DEFAULT_GRAPH_SEED: i64 = 87654321;
        let mut state = self.state();
        let seeds = match (state.seed, op_seed) {
            (None, None) => return (0, 0),
            (graph, Some(op)) => (graph.unwrap_or(DEFAULT_GRAPH_SEED), op),
            (Some(graph), None) => {
                state.seeds_given += 1;
                (graph, state.seeds_given - 1)
            }
        };
        // Seeds of zero are seeds too.
        if seeds == (0, 0) { (0, i64::from(i32::MAX)) } else { seeds }
    }

    pub(crate) fn state(&self) -> StateGuard<'_> {
        StateGuard { state: self.shared.state.lock(), shared: &self.shared }
    }

    /// Whether the two are one graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.same_as(&g.clone()) && !g.same_as(&Graph::new()));
    /// ```
    pub fn same_as(&self, other: &Graph) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph of {} nodes", self.state().data.len())
    }
}

/// A node of a graph. After a mistake it may stand for none.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let ready = g.with_device("/cpu:0", |g| g.op("NoOp").name("ready").build());
/// assert_eq!((ready.name().as_deref(), ready.device().as_str()), (Some("ready"), "/device:CPU:0"));
/// LocalSession::new(&g)?.eval(&ready)?;
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone)]
pub struct Operation {
    pub(crate) graph: Graph,
    pub(crate) id: Option<NodeId>,
}

impl Operation {
    /// Returns the node's number in the graph; `None` after a mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.op("NoOp").build().id().is_some());
    /// assert!(g.op("NoSuchOp").build().id().is_none());
    /// ```
    pub fn id(&self) -> Option<NodeId> {
        self.id
    }

    /// Returns the graph that the node is in.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.op("NoOp").build().graph().same_as(&g));
    /// ```
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the node's full name; `None` after a mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.op("NoOp").name("ready").build().name().as_deref(), Some("ready"));
    /// ```
    pub fn name(&self) -> Option<String> {
        self.id.map(|id| self.graph.state().data.node(id).name.clone())
    }

    /// The device that was asked for; empty if none was.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let there = g.with_device("/job:worker/task:1", |g| g.op("NoOp").build());
    /// assert_eq!(there.device(), "/job:worker/task:1");
    /// ```
    pub fn device(&self) -> String {
        self.id.map(|id| self.graph.state().data.node(id).device.clone()).unwrap_or_default()
    }

    /// Returns the output with this number.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let top = g.op("TopKV2").input(g.constant([3f32, 9.0, 5.0])).input(g.constant(2i32)).build();
    /// let (values, indices) = (top.output(0), top.output(1));
    /// let (values, indices): (Vec<f32>, Vec<i32>) = LocalSession::new(&g)?.eval((&values, &indices))?;
    /// assert_eq!((values, indices), (vec![9.0, 5.0], vec![1, 2]));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn output(&self, index: usize) -> Output {
        let endpoint = self.id.map(|node| Endpoint { node, index: index as u32 });
        Output { graph: self.graph.clone(), endpoint }
    }

    /// Returns all outputs of the node.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let top = g.op("TopKV2").input(g.constant([3f32, 9.0])).input(g.constant(1i32)).build();
    /// assert_eq!(top.outputs().len(), 2);
    /// ```
    pub fn outputs(&self) -> Vec<Output> {
        let count = self.id.map_or(0, |id| self.graph.state().data.node(id).output_types.len());
        (0..count).map(|index| self.output(index)).collect()
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Operation({})", self.name().as_deref().unwrap_or("after a mistake"))
    }
}

/// One output of a node: what ops take and give. After a mistake it may stand for none.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0]]);
/// let y = x.transpose(&[1, 0]) * 10.0;
/// assert_eq!((y.dtype(), y.shape()), (Some(DType::Float), PartialShape::from([2, 1])));
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<[f32; 1]>, _>(&y)?, [[10.0], [20.0]]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone)]
pub struct Output {
    pub(crate) graph: Graph,
    pub(crate) endpoint: Option<Endpoint>,
}

impl Output {
    /// Returns the graph that the output is in.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.constant(1f32);
    /// assert!(x.graph().same_as(&g));
    /// ```
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns where the output is in the graph's data; `None` after a mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let endpoint = g.constant(1f32).endpoint().unwrap();
    /// assert_eq!((endpoint.node.index(), endpoint.index), (0, 0));
    /// ```
    pub fn endpoint(&self) -> Option<Endpoint> {
        self.endpoint
    }

    /// The node that has this output.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.constant(1f32).operation().name().as_deref(), Some("Const"));
    /// ```
    pub fn operation(&self) -> Operation {
        Operation { graph: self.graph.clone(), id: self.endpoint.map(|endpoint| endpoint.node) }
    }

    /// `None` after a mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.constant([1i64, 2]).dtype(), Some(DType::Int64));
    /// assert_eq!(g.op("NoSuchOp").output().dtype(), None);
    /// ```
    pub fn dtype(&self) -> Option<DType> {
        self.graph.state().data.value_type(self.endpoint?).map(|value| value.dtype)
    }

    /// Returns whether the output is a reference to a variable.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// assert!(w.handle().is_ref() && !w.value().is_ref());
    /// ```
    pub fn is_ref(&self) -> bool {
        self.endpoint
            .and_then(|endpoint| self.graph.state().data.value_type(endpoint))
            .is_some_and(|value| value.is_ref)
    }

    /// What is known of the shape.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let images = g.placeholder(DType::Float, [None, Some(784)]);
    /// let logits = images.matmul(&g.zeros(&[784, 10], DType::Float));
    /// assert_eq!(logits.shape(), PartialShape::from([None, Some(10)]));
    /// ```
    pub fn shape(&self) -> PartialShape {
        match self.endpoint {
            Some(endpoint) => self.graph.state().data.node(endpoint.node).output_shape(endpoint.index as usize),
            None => PartialShape::unknown(),
        }
    }

    /// States what the program knows of the shape and inference does not. A contradiction is a mistake of the graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, PartialShape::unknown());
    /// x.set_shape([None, Some(784)]);
    /// assert_eq!(x.shape().to_string(), "[?,784]");
    /// x.set_shape([Some(1)]);
    /// assert_eq!(g.check().unwrap_err().code(), Code::InvalidArgument);
    /// ```
    #[track_caller]
    pub fn set_shape(&self, shape: impl Into<PartialShape>) {
        let Some(endpoint) = self.endpoint else { return };
        let merged = self.shape().merge(&shape.into());
        match merged {
            Ok(merged) => {
                let mut state = self.graph.state();
                let node = state.data.node_mut(endpoint.node);
                let index = endpoint.index as usize;
                if node.output_shapes.len() <= index {
                    node.output_shapes.resize(node.output_types.len().max(index + 1), PartialShape::unknown());
                }
                node.output_shapes[index] = merged;
            }
            Err(status) => self.graph.note_at(status, Location::caller()),
        }
    }

    /// The name for feeding and fetching, as in `layer/w:0`; `None` after a mistake.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.with_name_scope("layer", |g| g.constant(1f32));
    /// assert_eq!(x.name().unwrap().to_string(), "layer/Const:0");
    /// ```
    pub fn name(&self) -> Option<TensorName> {
        self.endpoint.map(|endpoint| self.graph.state().data.tensor_name(endpoint))
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name(), self.dtype()) {
            (Some(name), Some(dtype)) => write!(f, "Output({name}: {dtype}{})", self.shape()),
            _ => f.write_str("Output(after a mistake)"),
        }
    }
}
