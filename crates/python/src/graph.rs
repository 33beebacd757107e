//! Graphs: nodes by their numbers, tensors as pairs of a node's number and an output's.

use std::sync::Arc;

use graph::{
    AttrValue, DeviceScope, Endpoint, Entered, Gradient, GradientOptions, GradientStyle, ImportOptions, Node, NodeId,
    Operation, Output, Scope as GraphScope, WhileLoop, graph_to_proto, node_to_proto,
};
use parking_lot::Mutex;
use prost::Message;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use tensor::Status;

use crate::attrs::{attr_to_python, attrs_from_python};
use crate::callbacks::keep_raised;
use crate::consumers::Consumers;
use crate::errors::{OrRaise, raise};
use crate::values::{shape_from_python, shape_to_python, tensor_to_python};

/// A tensor: a node and one of its outputs.
pub type Place = (u32, u32);

/// A graph of nodes.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Graph {
    pub graph: graph::Graph,
    consumers: Mutex<Consumers>,
}

/// A scope that was entered; it is left once.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Scope {
    graph: graph::Graph,
    entered: Mutex<Option<Entered>>,
}

#[pymethods]
impl Scope {
    /// Leaves the scope.
    fn leave(&self) {
        if let Some(entered) = self.entered.lock().take() {
            self.graph.leave_scope(entered);
        }
    }
}

impl Graph {
    pub fn output(&self, (node, index): Place) -> Output {
        self.graph.endpoint(Endpoint { node: NodeId(node), index })
    }

    pub fn outputs(&self, places: &[Place]) -> Vec<Output> {
        places.iter().map(|place| self.output(*place)).collect()
    }

    pub fn operation(&self, py: Python<'_>, node: u32) -> PyResult<Operation> {
        self.graph.operation_at(node as usize).or_raise(py)
    }

    pub fn operations(&self, py: Python<'_>, nodes: &[u32]) -> PyResult<Vec<Operation>> {
        nodes.iter().map(|node| self.operation(py, *node)).collect()
    }

    fn look<R>(&self, py: Python<'_>, node: u32, look: impl FnOnce(&Node) -> R) -> PyResult<R> {
        let id = self.operation(py, node)?.id().unwrap_or(NodeId(node));
        Ok(self.graph.read(|data| look(data.node(id))))
    }

    /// Raises the mistake that was made while something was built, and takes it away: the graph stays of use.
    pub fn checked<T>(&self, py: Python<'_>, built: tensor::Result<T>) -> PyResult<T> {
        match (built, self.graph.take_mistake()) {
            (Ok(built), None) => Ok(built),
            (_, Some(status)) | (Err(status), None) => Err(raise(py, status)),
        }
    }

    fn entered(&self, scope: GraphScope) -> Scope {
        let entered = Mutex::new(Some(self.graph.enter_scope(scope)));
        Scope { graph: self.graph.clone(), entered }
    }

    /// Calls Python code that takes and returns tensors.
    fn call(&self, function: &Py<PyAny>, arguments: &[Output]) -> tensor::Result<Vec<Output>> {
        Python::attach(|py| {
            let places: Vec<Place> = arguments.iter().filter_map(place).collect();
            let called = function.call1(py, (places,)).and_then(|result| result.extract::<Vec<Place>>(py));
            Ok(self.outputs(&called.map_err(keep_raised)?))
        })
    }
}

/// Where an output is, if it is anywhere.
pub fn place(output: &Output) -> Option<Place> {
    output.endpoint().map(|endpoint| (endpoint.node.0, endpoint.index))
}

fn missing() -> Status {
    tensor::err!(Internal, "a tensor that was built does not exist")
}

/// The place of an output that was built.
pub fn built_place(py: Python<'_>, output: &Output) -> PyResult<Place> {
    place(output).ok_or_else(|| raise(py, missing()))
}

fn one_or_list(input: &Bound<'_, PyAny>) -> PyResult<Vec<Place>> {
    if let Ok(one) = input.cast::<PyTuple>() {
        return Ok(vec![one.extract()?]);
    }
    match input.cast::<PyList>() {
        Ok(list) => list.extract(),
        Err(_) => Err(PyTypeError::new_err(format!("an input is a tensor or a list of tensors, not {input}"))),
    }
}

/// The element type and the shape that a node states, if it states both: those of a variable.
fn variable_size<'py>(py: Python<'py>, node: &Node) -> PyResult<Option<(i32, Bound<'py, PyAny>)>> {
    match (node.attrs.get("dtype"), node.attrs.get("shape")) {
        (Some(AttrValue::Type(dtype)), Some(AttrValue::Shape(shape))) => {
            Ok(Some((dtype.number(), shape_to_python(py, shape)?)))
        }
        _ => Ok(None),
    }
}

fn device_function(function: Py<PyAny>) -> DeviceScope {
    DeviceScope::Function(Arc::new(move |node: &Node| {
        Python::attach(|py| {
            let call = || -> PyResult<String> {
                let inputs: Vec<Place> = node.inputs.iter().map(|input| (input.node.0, input.index)).collect();
                let size = variable_size(py, node)?;
                let known = (node.op.as_str(), node.name.as_str(), node.device.as_str(), inputs, size);
                function.call1(py, known)?.extract(py)
            };
            // A name that no device has: the node is refused, and what was raised is raised again.
            call().unwrap_or_else(|error| keep_raised(error).message().to_owned())
        })
    }))
}

#[pymethods]
impl Graph {
    #[new]
    fn new() -> Graph {
        Graph { graph: graph::Graph::with_registry(ops::registry()), consumers: Mutex::default() }
    }

    /// Adds a node and returns its number.
    #[pyo3(signature = (op, name, inputs, attrs, control_inputs, device, exact_name, colocate_with))]
    fn add_op(
        &self,
        py: Python<'_>,
        op: &str,
        name: Option<&str>,
        inputs: Vec<Bound<'_, PyAny>>,
        attrs: &Bound<'_, PyDict>,
        control_inputs: Vec<u32>,
        device: Option<&str>,
        exact_name: bool,
        colocate_with: Vec<u32>,
    ) -> PyResult<u32> {
        let spec = self.graph.registry().find(op).or_raise(py)?.clone();
        let mut builder = self.graph.op(op);
        if let Some(name) = name {
            builder = if exact_name { builder.name_exactly(name) } else { builder.name(name) };
        }
        for input in &inputs {
            builder = builder.input_list(&self.outputs(&one_or_list(input)?));
        }
        for (name, value) in attrs_from_python(&spec.def, attrs)? {
            builder = builder.attr(&name, value);
        }
        if let Some(device) = device {
            builder = builder.device(device);
        }
        builder = builder.control_inputs(&self.operations(py, &control_inputs)?);
        for operation in self.operations(py, &colocate_with)? {
            builder = builder.colocate_with(&operation);
        }
        let operation = builder.try_build().or_raise(py)?;
        operation.id().map(|id| id.0).ok_or_else(|| raise(py, missing()))
    }

    /// How many nodes there are.
    fn num_nodes(&self) -> usize {
        self.graph.num_nodes()
    }

    /// Returns a node's op, name, output types (a number and whether it is a reference) and number of inputs.
    fn describe(&self, py: Python<'_>, node: u32) -> PyResult<(String, String, Vec<(i32, bool)>)> {
        self.look(py, node, |node| {
            let types = node.output_types.iter().map(|ty| (ty.dtype.number(), ty.is_ref)).collect();
            (node.op.clone(), node.name.clone(), types)
        })
    }

    /// Returns a node's device.
    fn device(&self, py: Python<'_>, node: u32) -> PyResult<String> {
        self.look(py, node, |node| node.device.clone())
    }

    /// Puts a node on a device.
    fn set_device(&self, py: Python<'_>, node: u32, device: &str) -> PyResult<()> {
        self.graph.set_device(&self.operation(py, node)?, device).or_raise(py)
    }

    /// Returns a node's inputs.
    fn inputs(&self, py: Python<'_>, node: u32) -> PyResult<Vec<Place>> {
        self.look(py, node, |node| node.inputs.iter().map(|input| (input.node.0, input.index)).collect())
    }

    /// Returns the nodes that a node waits for.
    fn control_inputs(&self, py: Python<'_>, node: u32) -> PyResult<Vec<u32>> {
        self.look(py, node, |node| node.control_inputs.iter().map(|id| id.0).collect())
    }

    /// Returns the nodes that use an output of a node.
    fn consumers(&self, place: Place) -> Vec<u32> {
        let (node, index) = place;
        let wanted = Endpoint { node: NodeId(node), index };
        self.graph.read(|data| self.consumers.lock().of(data, wanted))
    }

    /// Returns an attribute of a node; KeyError if it has none of that name.
    fn attr<'py>(&self, py: Python<'py>, node: u32, name: &str) -> PyResult<(String, Bound<'py, PyAny>)> {
        let value = self.look(py, node, |node| node.attrs.get(name).cloned())?;
        match value {
            Some(value) => Ok((value.kind().to_owned(), attr_to_python(py, &value)?)),
            None => Err(pyo3::exceptions::PyKeyError::new_err(name.to_owned())),
        }
    }

    /// Sets an attribute of a node that its op does not define.
    fn set_attr(&self, py: Python<'_>, node: u32, attrs: &Bound<'_, PyDict>) -> PyResult<()> {
        let op = self.look(py, node, |node| node.op.clone())?;
        let spec = self.graph.registry().find(&op).or_raise(py)?.clone();
        let operation = self.operation(py, node)?;
        for (name, value) in attrs_from_python(&spec.def, attrs)? {
            self.graph.set_attr(&operation, &name, value).or_raise(py)?;
        }
        Ok(())
    }

    /// Returns the message of a node.
    fn node_def<'py>(&self, py: Python<'py>, node: u32) -> PyResult<Bound<'py, PyBytes>> {
        let id = NodeId(node);
        self.operation(py, node)?;
        let def = self.graph.read(|data| node_to_proto(data, data.node(id))).or_raise(py)?;
        Ok(PyBytes::new(py, &def.encode_to_vec()))
    }

    /// Returns what is known of a tensor's shape.
    fn shape<'py>(&self, py: Python<'py>, place: Place) -> PyResult<Bound<'py, PyAny>> {
        self.operation(py, place.0)?;
        shape_to_python(py, &self.output(place).shape())
    }

    /// Adds to what is known of a tensor's shape.
    fn set_shape(&self, py: Python<'_>, place: Place, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        self.operation(py, place.0)?;
        self.output(place).set_shape(shape_from_python(shape)?);
        self.checked(py, Ok(()))
    }

    /// Returns a tensor's value if it is a constant or follows from constants, else None.
    fn constant_value<'py>(&self, py: Python<'py>, place: Place) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (node, index) = place;
        self.operation(py, node)?;
        let endpoint = Endpoint { node: NodeId(node), index };
        let value = self.graph.read(|data| graph::inference::constant_value(data, endpoint));
        value.map(|value| tensor_to_python(py, &value)).transpose()
    }

    /// Finds a node by its name.
    fn find(&self, name: &str) -> Option<u32> {
        self.graph.read(|data| data.find(name)).map(|id| id.0)
    }

    /// A name that no node has yet, within the current scope.
    fn unique_name(&self, name: &str) -> String {
        self.graph.unique_name(name)
    }

    /// The prefix of names, without a slash at its end.
    fn name_scope(&self) -> String {
        self.graph.name_scope()
    }

    fn enter_name(&self, name: &str) -> Scope {
        self.entered(GraphScope::Name(name.to_owned()))
    }

    /// Enters a device: a name, a callable of a node's op, name, device and inputs, or None for no device at all.
    fn enter_device(&self, device: &Bound<'_, PyAny>) -> PyResult<Scope> {
        let device = if device.is_none() {
            DeviceScope::Cleared
        } else if device.is_callable() {
            device_function(device.clone().unbind())
        } else {
            DeviceScope::Name(device.extract()?)
        };
        Ok(self.entered(GraphScope::Device(device)))
    }

    fn enter_control_dependencies(&self, py: Python<'_>, nodes: Vec<u32>) -> PyResult<Scope> {
        Ok(self.entered(GraphScope::ControlDependencies(self.operations(py, &nodes)?)))
    }

    fn enter_no_control_dependencies(&self) -> Scope {
        self.entered(GraphScope::NoControlDependencies)
    }

    fn enter_colocation(&self, py: Python<'_>, node: u32) -> PyResult<Scope> {
        Ok(self.entered(GraphScope::Colocation(self.operation(py, node)?)))
    }

    fn enter_no_colocation(&self) -> Scope {
        self.entered(GraphScope::NoColocation)
    }

    fn enter_class(&self, name: &str) -> Scope {
        self.entered(GraphScope::Class(name.to_owned()))
    }

    fn set_seed(&self, seed: Option<i64>) {
        match seed {
            Some(seed) => self.graph.set_seed(seed),
            None => self.graph.clear_seed(),
        }
    }

    /// The two seeds of a random op.
    fn seeds(&self, op_seed: Option<i64>) -> (i64, i64) {
        self.graph.seeds(op_seed)
    }

    /// The gradients of the sum of `ys`: for each of `xs` None, a tensor, or values, indices and the shape (or None) of rows.
    fn gradients<'py>(
        &self,
        py: Python<'py>,
        ys: Vec<Place>,
        xs: Vec<Place>,
        grad_ys: Vec<Option<Place>>,
        stop_gradients: Vec<Place>,
        name: Option<&str>,
        gate: bool,
        colocate: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = GradientOptions {
            grad_ys: grad_ys.into_iter().map(|place| place.map(|place| self.output(place))).collect(),
            stop_gradients: self.outputs(&stop_gradients),
            scope: name.map(str::to_owned),
            style: GradientStyle::TensorFlow { gate, colocate },
        };
        let found = graph::gradients_with(self.outputs(&ys), self.outputs(&xs), options);
        let list = PyList::empty(py);
        for gradient in self.checked(py, found)? {
            match gradient {
                None => list.append(py.None())?,
                Some(Gradient::Dense(output)) => list.append(built_place(py, &output)?)?,
                Some(Gradient::Slices(rows)) => {
                    let shape = built_place(py, &rows.dense_shape)?;
                    list.append((built_place(py, &rows.values)?, built_place(py, &rows.indices)?, shape))?;
                }
            }
        }
        Ok(list)
    }

    /// A conditional: each callable takes an empty list and returns tensors.
    fn cond(
        &self,
        py: Python<'_>,
        pred: Place,
        if_true: Py<PyAny>,
        if_false: Py<PyAny>,
        name: &str,
    ) -> PyResult<Vec<Place>> {
        let branch = |function: &Py<PyAny>| self.call(function, &[]).unwrap_or_else(|status| self.failed(status));
        let outputs = graph::cond_as(name, &self.output(pred), || branch(&if_true), || branch(&if_false));
        self.checked(py, Ok(()))?;
        outputs.iter().map(|output| built_place(py, output)).collect()
    }

    /// A loop: `cond` takes the variables and returns a list of one tensor, `body` returns their next values.
    fn while_loop(
        &self,
        py: Python<'_>,
        cond: Py<PyAny>,
        body: Py<PyAny>,
        vars: Vec<Place>,
        name: &str,
        parallel_iterations: u32,
        shape_invariants: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Vec<Place>> {
        let mut builder = WhileLoop::new().name(name).parallel_iterations(parallel_iterations);
        if let Some(shapes) = shape_invariants {
            builder = builder.shape_invariants(shapes.iter().map(shape_from_python).collect::<PyResult<_>>()?);
        }
        let goes_on = |vars: &[Output]| {
            let mut outputs = self.call(&cond, vars).unwrap_or_else(|status| self.failed(status));
            outputs.pop().unwrap_or_else(|| self.nothing())
        };
        let next = |vars: &[Output]| self.call(&body, vars).unwrap_or_else(|status| self.failed(status));
        let outputs = builder.build(&self.graph, goes_on, next, &self.outputs(&vars));
        self.checked(py, Ok(()))?;
        outputs.iter().map(|output| built_place(py, output)).collect()
    }

    /// Adds a function to the graph's library: the nodes of another graph, between arguments and results.
    fn add_function(
        &self,
        py: Python<'_>,
        name: &str,
        body: &Graph,
        inputs: Vec<Place>,
        outputs: Vec<Place>,
    ) -> PyResult<()> {
        let (inputs, outputs) = (body.outputs(&inputs), body.outputs(&outputs));
        self.graph.add_function(name, &body.graph, &inputs, &outputs).or_raise(py)?;
        Ok(())
    }

    /// Returns the graph as a message.
    fn graph_def<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let def = self.graph.snapshot().and_then(|data| graph_to_proto(&data)).or_raise(py)?;
        Ok(PyBytes::new(py, &def.encode_to_vec()))
    }

    /// Adds the nodes of a message as they are.
    fn import_graph_def(&self, py: Python<'_>, def: &[u8]) -> PyResult<()> {
        let def = wire::GraphDef::decode(def)
            .map_err(|error| PyValueError::new_err(format!("these bytes are no GraphDef: {error}")))?;
        self.graph.import(def, ImportOptions { infer_shapes: true, ..Default::default() }).or_raise(py)
    }
}

impl Graph {
    /// Notes what Python code raised, so that what is being built comes to nothing.
    fn failed(&self, status: Status) -> Vec<Output> {
        self.graph.note_mistake(status);
        Vec::new()
    }

    /// An output that stands for none.
    fn nothing(&self) -> Output {
        self.graph.op("NoOp").build().output(0)
    }
}
