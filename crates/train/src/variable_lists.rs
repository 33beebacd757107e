//! The variables of a graph in lists, and nodes about all of a list: initialise them, ask which have no value yet.

use graph::{Graph, Operand, Operation, Output};
use tensor::{DType, Tensor};

use crate::collections::{collection, keys};
use crate::variable::Variable;

/// Returns the variables in a collection, in the order in which they were made.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::variables_in;
/// let g = Graph::new();
/// g.variable("seen").shape(&[2]).collections(["mine"]).get();
/// assert_eq!(variables_in(&g, "mine")[0].name(), "seen");
/// ```
pub fn variables_in(graph: &Graph, key: &str) -> Vec<Variable> {
    collection(graph, key).iter().filter_map(|name| Variable::find(graph, name)).collect()
}

/// Returns the variables that all clients share and that checkpoints hold.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{global_variables, local_variables};
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// Variable::local("count", g.constant(0f32));
/// assert_eq!((global_variables(&g).len(), local_variables(&g).len()), (1, 1));
/// ```
pub fn global_variables(graph: &Graph) -> Vec<Variable> {
    variables_in(graph, keys::GLOBAL_VARIABLES)
}

/// Returns the variables that each client has for itself.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables;
/// let g = Graph::new();
/// Variable::local("count", g.constant(0f32));
/// assert_eq!(local_variables(&g)[0].name(), "count");
/// ```
pub fn local_variables(graph: &Graph) -> Vec<Variable> {
    variables_in(graph, keys::LOCAL_VARIABLES)
}

/// Returns the variables that optimizers change.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::trainable_variables;
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// get_or_create_global_step(&g);
/// let names: Vec<String> = trainable_variables(&g).iter().map(|variable| variable.name().to_owned()).collect();
/// assert_eq!(names, [w.name()]);
/// ```
pub fn trainable_variables(graph: &Graph) -> Vec<Variable> {
    variables_in(graph, keys::TRAINABLE_VARIABLES)
}

/// Returns a node that gives all global variables their initial values.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(3f32));
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(w.value()))?, [Tensor::from(3f32)]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn global_variables_initializer(graph: &Graph) -> Operation {
    variables_initializer(graph, &global_variables(graph))
}

/// Returns a node that gives all local variables their initial values.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::local_variables_initializer;
/// let g = Graph::new();
/// let count = Variable::local("count", g.constant(3f32));
/// let session = LocalSession::new(&g)?;
/// session.eval(&local_variables_initializer(&g))?;
/// assert_eq!(session.eval::<f32, _>(&count)?, 3.0);
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn local_variables_initializer(graph: &Graph) -> Operation {
    variables_initializer(graph, &local_variables(graph))
}

/// Returns a node that gives these variables their initial values.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::variables_initializer;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (a, b) = (Variable::new("a", g.constant(1f32)), Variable::new("b", g.constant(2f32)));
/// let (init, has_b) = (variables_initializer(&g, &[a]), b.is_initialized());
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&init))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&has_b))?, [Tensor::from(false)]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn variables_initializer(graph: &Graph, variables: &[Variable]) -> Operation {
    let initializers: Vec<Operation> = variables.iter().map(|variable| variable.initializer().clone()).collect();
    graph.group_as("init", &initializers)
}

/// Returns the names of those variables that have no value yet; of all global and local ones if `variables` is `None`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::report_uninitialized_variables;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (a, _) = (Variable::new("a", g.constant(1f32)), Variable::new("b", g.constant(2f32)));
/// let missing = report_uninitialized_variables(&g, None);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(a.initializer()))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&missing))?[0], Tensor::string_vector(["b"]));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn report_uninitialized_variables(graph: &Graph, variables: Option<&[Variable]>) -> Output {
    let all = || [global_variables(graph), local_variables(graph)].concat();
    let variables = variables.map_or_else(all, <[Variable]>::to_vec);
    graph.with_name_scope("report_uninitialized_variables", |graph| {
        let initialized: Vec<Output> = variables.iter().map(Variable::is_initialized).collect();
        graph.with_device("/device:CPU:0", |graph| {
            if variables.is_empty() {
                return graph.constant(Tensor::string_vector::<String>([]));
            }
            let stacked = graph.op("Pack").name("stack").input_list(&initialized).output();
            let missing = graph.op("LogicalNot").input(stacked).output();
            let names = Tensor::string_vector(variables.iter().map(|variable| variable.name().to_owned()));
            boolean_mask(graph, &graph.constant(names), &missing, variables.len())
        })
    })
}

/// The elements of a vector of `count` where the mask is true, by the nodes that TensorFlow's `boolean_mask` makes.
fn boolean_mask(graph: &Graph, vector: &Output, mask: &Output, count: usize) -> Output {
    graph.with_name_scope("boolean_mask", |graph| {
        let constant = |name: String, value: Tensor| {
            graph.op("Const").name_exactly(name).attr("dtype", value.dtype()).attr("value", value).output()
        };
        // shape[begin:end], with an open end where a mask says so.
        let slice_of_shape = |begin: i32, end: i32, begin_mask: i64, end_mask: i64| {
            let shape = constant(graph.unique_name("Shape"), Tensor::from([count as i32]));
            let name = graph.unique_name("strided_slice");
            let begin = constant(format!("{name}/stack"), Tensor::from([begin]));
            let end = constant(format!("{name}/stack_1"), Tensor::from([end]));
            let step = constant(format!("{name}/stack_2"), Tensor::from([1i32]));
            let slice = graph.op("StridedSlice").name_exactly(name).input(shape).input(begin).input(end).input(step);
            slice.attr("begin_mask", begin_mask).attr("end_mask", end_mask).output()
        };
        let masked = slice_of_shape(0, 1, 0, 0);
        let name = graph.unique_name("Prod");
        let axes = constant(format!("{name}/reduction_indices"), Tensor::from([0i32]));
        let size = graph.op("Prod").name_exactly(name).input(masked).input(axes).output();
        let (before, after) = (slice_of_shape(0, 0, 1, 0), slice_of_shape(1, 0, 0, 1));
        let name = graph.unique_name("concat");
        let size = graph.op("Pack").name_exactly(format!("{name}/values_1")).input_list(&[size]).output();
        let axis = 0i32.to_named_output(graph, Some(DType::Int32), &format!("{name}/axis"));
        let shape = graph.op("ConcatV2").name_exactly(name).input_list(&[before, size, after]).input(axis).output();
        let flat = graph.op("Reshape").input(vector).input(shape).output();
        let name = graph.unique_name("Reshape");
        let all = constant(format!("{name}/shape"), Tensor::from([-1i32]));
        let mask = graph.op("Reshape").name_exactly(name).input(mask).input(all).output();
        let found = graph.op("Where").input(mask).output();
        let found = graph.op("Squeeze").input(found).attr("squeeze_dims", vec![1i64]).output();
        let name = graph.unique_name("GatherV2");
        let axis = 0i32.to_named_output(graph, Some(DType::Int32), &format!("{name}/axis"));
        graph.op("GatherV2").name_exactly(name).input(flat).input(found).input(axis).output()
    })
}
