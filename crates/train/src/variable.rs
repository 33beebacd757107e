//! Variables: values that steps read and change.

use std::ops::Deref;
use std::panic::Location;

use graph::{Graph, Operand, Operation, Output};
use tensor::DType;

/// A variable of a graph. It stands for its value wherever an [`Output`] is expected.
///
/// Nodes have TensorFlow's names: the variable `w` has `w`, `w/Assign` and `w/read`.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant([1f32, 2.0]));
/// let (double, more) = (&*w * 2.0, w.assign_add(g.constant([1f32, 1.0])));
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&more))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&double))?[0], Tensor::from([4f32, 6.0]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Variable {
    variable: Output,
    initializer: Operation,
    read: Output,
    kind: VariableKind,
    name: String,
}

/// How a variable is represented in the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VariableKind {
    /// `VariableV2`, passed on by reference.
    #[default]
    Ref,
    /// `VarHandleOp`, passed on as a handle.
    Resource,
}

/// The variables of a graph, in the order in which they were made.
#[derive(Default)]
struct Collections {
    global: Vec<Variable>,
    trainable: Vec<Variable>,
    kind: VariableKind,
}

impl Variable {
    /// A variable that training changes, with an initial value.
    #[track_caller]
    pub fn new(name: &str, initial: Output) -> Variable {
        Variable::make(name, initial, true)
    }

    /// A variable that optimizers leave alone, such as a step counter.
    #[track_caller]
    pub fn untrained(name: &str, initial: Output) -> Variable {
        Variable::make(name, initial, false)
    }

    #[track_caller]
    fn make(name: &str, initial: Output, trainable: bool) -> Variable {
        let at = Location::caller();
        let graph = initial.graph().clone();
        let kind = graph.with_extension(|collections: &mut Collections| collections.kind);
        let variable = match kind {
            VariableKind::Ref => Variable::by_reference(&graph, name, &initial, at),
            VariableKind::Resource => Variable::by_handle(&graph, name, &initial, at),
        };
        graph.with_extension(|collections: &mut Collections| {
            collections.global.push(variable.clone());
            if trainable {
                collections.trainable.push(variable.clone());
            }
        });
        variable
    }

    fn by_reference(graph: &Graph, name: &str, initial: &Output, at: &'static Location<'static>) -> Variable {
        let dtype = initial.dtype().unwrap_or(DType::Float);
        let node =
            graph.op("VariableV2").name(name).attr("dtype", dtype).attr("shape", initial.shape()).at(at).output();
        let name = node.operation().name().unwrap_or_else(|| name.to_owned());
        let owner = node.operation();
        let assign =
            graph.op("Assign").name_exactly(format!("{name}/Assign")).input(&node).input(initial).colocate_with(&owner);
        let initializer = assign.at(at).build();
        let read = graph
            .op("Identity")
            .name_exactly(format!("{name}/read"))
            .input(&node)
            .colocate_with(&owner)
            .at(at)
            .output();
        Variable { variable: node, initializer, read, kind: VariableKind::Ref, name }
    }

    fn by_handle(graph: &Graph, name: &str, initial: &Output, at: &'static Location<'static>) -> Variable {
        let dtype = initial.dtype().unwrap_or(DType::Float);
        let name = graph.unique_name(name);
        let handle =
            graph.op("VarHandleOp").name_exactly(name.clone()).attr("dtype", dtype).attr("shape", initial.shape());
        let node = handle.attr("shared_name", name.clone()).at(at).output();
        let assign = graph.op("AssignVariableOp").name_exactly(format!("{name}/Assign")).input(&node).input(initial);
        let initializer = assign.attr("validate_shape", true).at(at).build();
        let read = graph.op("ReadVariableOp").name_exactly(format!("{name}/Read/ReadVariableOp")).input(&node);
        let read = read.attr("dtype", dtype).at(at).output();
        Variable { variable: node, initializer, read, kind: VariableKind::Resource, name }
    }

    /// From here on, variables of the graph are of this kind.
    pub fn set_kind(graph: &Graph, kind: VariableKind) {
        graph.with_extension(|collections: &mut Collections| collections.kind = kind);
    }

    /// The name, without an output number.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> VariableKind {
        self.kind
    }

    /// The reference or handle, for ops that change the variable.
    pub fn handle(&self) -> &Output {
        &self.variable
    }

    /// The value.
    pub fn value(&self) -> &Output {
        &self.read
    }

    /// The node that gives the variable its initial value.
    pub fn initializer(&self) -> &Operation {
        &self.initializer
    }

    /// A node that sets the variable.
    #[track_caller]
    pub fn assign(&self, value: impl Operand) -> Operation {
        self.change("Assign", "AssignVariableOp", value)
    }

    /// A node that adds to the variable.
    #[track_caller]
    pub fn assign_add(&self, value: impl Operand) -> Operation {
        self.change("AssignAdd", "AssignAddVariableOp", value)
    }

    #[track_caller]
    fn change(&self, by_reference: &str, by_handle: &str, value: impl Operand) -> Operation {
        let graph = self.variable.graph();
        let value = value.to_output(graph, self.read.dtype());
        let op = if self.kind == VariableKind::Ref { by_reference } else { by_handle };
        graph.op(op).input(&self.variable).input(value).at(Location::caller()).build()
    }
}

impl Deref for Variable {
    type Target = Output;

    fn deref(&self) -> &Output {
        &self.read
    }
}

impl Operand for &Variable {
    fn to_output(&self, _: &Graph, _: Option<DType>) -> Output {
        self.read.clone()
    }
}

/// All variables of a graph.
pub fn global_variables(graph: &Graph) -> Vec<Variable> {
    graph.with_extension(|collections: &mut Collections| collections.global.clone())
}

/// The variables that optimizers change.
pub fn trainable_variables(graph: &Graph) -> Vec<Variable> {
    graph.with_extension(|collections: &mut Collections| collections.trainable.clone())
}

/// A node that gives all variables their initial values.
#[track_caller]
pub fn global_variables_initializer(graph: &Graph) -> Operation {
    let initializers: Vec<Operation> =
        global_variables(graph).iter().map(|variable| variable.initializer.clone()).collect();
    graph.op("NoOp").name("init").control_inputs(&initializers).at(Location::caller()).build()
}
