//! Optimizers: the update rules of the training library, and synchronous steps around an optimizer of Python's.

use std::sync::Arc;
use std::time::Duration;

use graph::{Gradient, IndexedSlices, Operation};
use parking_lot::Mutex;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tensor::err;
use train::{
    Adadelta, Adagrad, Adam, Ftrl, GradientAndVariable, GradientDescent, Initializer, Momentum, Optimizer as _,
    RmsProp, Scalar, SessionRunHook as _, UpdateRule, Variable,
};

use crate::callbacks::keep_raised;
use crate::errors::{OrRaise, raise};
use crate::graph::{Graph, Place, built_place, place};
use crate::queues::{Coordinator, QueueRunner};
use crate::server::{Jobs, cluster_spec};
use crate::session::Session;

/// A gradient as Python hands it over: nothing, a tensor, or values, indices and shape of rows.
#[derive(FromPyObject)]
pub enum GivenGradient {
    Rows((Place, Place, Place)),
    Dense(Place),
}

impl Graph {
    fn pairs(&self, pairs: Vec<(Option<GivenGradient>, String)>) -> PyResult<Vec<GradientAndVariable>> {
        let pair = |(gradient, name): (Option<GivenGradient>, String)| {
            let gradient = gradient.map(|gradient| match gradient {
                GivenGradient::Dense(place) => Gradient::Dense(self.output(place)),
                GivenGradient::Rows((values, indices, shape)) => Gradient::Slices(IndexedSlices {
                    values: self.output(values),
                    indices: self.output(indices),
                    dense_shape: self.output(shape),
                }),
            });
            Ok((gradient, self.variable_named(&name)?))
        };
        pairs.into_iter().map(pair).collect()
    }

    fn step(&self, name: Option<&str>) -> PyResult<Option<Variable>> {
        name.map(|name| self.variable_named(name)).transpose()
    }
}

/// The number of an operation that was built.
pub fn built_node(py: Python<'_>, operation: &Operation) -> PyResult<u32> {
    let missing = || raise(py, err!(Internal, "an operation that was built does not exist"));
    operation.id().map(|id| id.0).ok_or_else(missing)
}

/// An update rule with its numbers.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Optimizer {
    rule: Arc<dyn UpdateRule>,
}

/// A rule whose steps lock what they change.
struct Locking(Arc<dyn UpdateRule>);

impl UpdateRule for Locking {
    fn scope(&self) -> &str {
        self.0.scope()
    }

    fn slots(&self) -> &train::Slots {
        self.0.slots()
    }

    fn slot_list(&self) -> Vec<train::Slot> {
        self.0.slot_list()
    }

    fn make_shared(&self, variables: &[Variable]) {
        self.0.make_shared(variables);
    }

    fn prepare(&self, graph: &graph::Graph) -> Vec<graph::Output> {
        self.0.prepare(graph)
    }

    fn apply(&self, update: &train::Update<'_>) -> Operation {
        self.0.apply(update)
    }

    fn needs_unique_rows(&self) -> bool {
        self.0.needs_unique_rows()
    }

    fn use_locking(&self) -> bool {
        true
    }

    fn finish(&self, graph: &graph::Graph, numbers: &[graph::Output], updates: &[Operation]) -> Vec<Operation> {
        self.0.finish(graph, numbers, updates)
    }
}

/// The numbers and switches of a rule: floats, tensors and booleans by name.
struct Settings<'a, 'py> {
    graph: &'a Graph,
    given: &'a Bound<'py, PyDict>,
}

impl Settings<'_, '_> {
    fn scalar(&self, name: &str) -> PyResult<Scalar> {
        let Some(value) = self.given.get_item(name)? else {
            return Err(PyValueError::new_err(format!("the optimizer needs '{name}'")));
        };
        if let Ok(place) = value.extract::<Place>() {
            return Ok(Scalar::Output(self.graph.output(place)));
        }
        Ok(Scalar::Number(value.extract()?))
    }

    fn number(&self, name: &str) -> PyResult<f64> {
        match self.scalar(name)? {
            Scalar::Number(number) => Ok(number),
            Scalar::Output(_) => {
                Err(PyTypeError::new_err(format!("{name} of this optimizer is a number, not a tensor")))
            }
        }
    }

    fn flag(&self, name: &str) -> PyResult<bool> {
        Ok(self.given.get_item(name)?.is_some_and(|value| value.is_truthy().unwrap_or(false)))
    }
}

#[pymethods]
impl Optimizer {
    /// A rule by its name, with its numbers and switches.
    #[new]
    fn new(graph: &Graph, kind: &str, name: &str, settings: &Bound<'_, PyDict>) -> PyResult<Optimizer> {
        let given = Settings { graph, given: settings };
        let rate = || given.scalar("learning_rate");
        let rule: Arc<dyn UpdateRule> = match kind {
            "gradient_descent" => Arc::new(GradientDescent::new(rate()?).named(name)),
            "momentum" => {
                let rule = Momentum::new(rate()?, given.scalar("momentum")?).named(name);
                Arc::new(if given.flag("use_nesterov")? { rule.nesterov() } else { rule })
            }
            "adagrad" => {
                let initial = given.number("initial_accumulator_value")? as f32;
                Arc::new(Adagrad::new(rate()?).initial_accumulator_value(initial).named(name))
            }
            "adadelta" => {
                let rule = Adadelta::new(rate()?).rho(given.scalar("rho")?).epsilon(given.scalar("epsilon")?);
                Arc::new(rule.named(name))
            }
            "adam" => {
                let rule = Adam::new(rate()?).beta1(given.number("beta1")? as f32).beta2(given.number("beta2")? as f32);
                Arc::new(rule.epsilon(given.number("epsilon")?).named(name))
            }
            "rms_prop" => {
                let rule = RmsProp::new(rate()?).decay(given.scalar("decay")?).momentum(given.scalar("momentum")?);
                let rule = rule.epsilon(given.scalar("epsilon")?).named(name);
                Arc::new(if given.flag("centered")? { rule.centered() } else { rule })
            }
            "ftrl" => {
                let rule = Ftrl::new(rate()?)
                    .learning_rate_power(given.number("learning_rate_power")?)
                    .initial_accumulator_value(given.number("initial_accumulator_value")? as f32)
                    .l1_regularization_strength(given.number("l1_regularization_strength")?)
                    .l2_regularization_strength(given.number("l2_regularization_strength")?)
                    .l2_shrinkage_regularization_strength(given.number("l2_shrinkage_regularization_strength")?)
                    .beta(given.number("beta")?);
                Arc::new(rule.named(name))
            }
            _ => return Err(PyValueError::new_err(format!("there is no update rule '{kind}'"))),
        };
        Ok(Optimizer { rule: if given.flag("use_locking")? { Arc::new(Locking(rule)) } else { rule } })
    }

    /// Adds the nodes of a step in a scope of this name, and returns the last one.
    fn apply_gradients(
        &self,
        py: Python<'_>,
        graph: &Graph,
        scope: &str,
        gradients: Vec<(Option<GivenGradient>, String)>,
        global_step: Option<&str>,
    ) -> PyResult<u32> {
        let (pairs, step) = (graph.pairs(gradients)?, graph.step(global_step)?);
        let built = train::apply_rule(&*self.rule, scope, &pairs, step.as_ref());
        built_node(py, &graph.checked(py, built)?)
    }

    /// The name of the slot of a variable, if there is one.
    fn slot(&self, graph: &Graph, variable: &str, slot: &str) -> PyResult<Option<String>> {
        let variable = graph.variable_named(variable)?;
        Ok(self.rule.slots().get(&variable, slot).map(|slot| slot.name().to_owned()))
    }

    /// The names of the slots of each variable.
    fn slot_names(&self) -> Vec<&'static str> {
        self.rule.slot_list().iter().map(|slot| slot.name).collect()
    }

    /// The names of the variables that were made in a graph.
    fn variables(&self, graph: &Graph) -> Vec<String> {
        let all = self.rule.slots().variables();
        let here = all.iter().filter(|variable| variable.handle().graph().same_as(&graph.graph));
        here.map(|variable| variable.name().to_owned()).collect()
    }
}

#[pymethods]
impl Graph {
    /// Makes a variable beside another, of its shape, and returns its name; it begins with a value, or with zeros.
    fn create_slot(&self, py: Python<'_>, primary: &str, name: &str, value: Option<Place>) -> PyResult<String> {
        let primary = self.variable_named(primary)?;
        let initializer = value.map_or(Initializer::Zeros, |value| Initializer::Value(self.output(value)));
        let slot = self.graph.without_control_dependencies(|_| train::create_slot(&primary, &initializer, name));
        self.checked(py, Ok(()))?;
        Ok(slot.name().to_owned())
    }
}

/// An optimizer of Python's: a callable of pairs of gradients and variables' names, and the name of the global step.
struct PythonOptimizer {
    apply: Py<PyAny>,
}

impl train::Optimizer for PythonOptimizer {
    fn name(&self) -> &str {
        "optimizer"
    }

    fn slot(&self, _: &Variable, _: &str) -> Option<Variable> {
        None
    }

    fn variables(&self) -> Vec<Variable> {
        Vec::new()
    }

    fn apply_gradients(
        &self,
        gradients: &[GradientAndVariable],
        global_step: Option<&Variable>,
    ) -> tensor::Result<Operation> {
        let Some(graph) = gradients.first().map(|(_, variable)| variable.handle().graph().clone()) else {
            tensor::bail!(InvalidArgument, "there are no gradients");
        };
        Python::attach(|py| {
            let call = || -> PyResult<u32> {
                let mut pairs = Vec::with_capacity(gradients.len());
                for (gradient, variable) in gradients {
                    let gradient = match gradient {
                        None => None,
                        Some(Gradient::Dense(output)) => Some(place(output).into_pyobject(py)?.into_any()),
                        Some(Gradient::Slices(rows)) => {
                            let parts = (place(&rows.values), place(&rows.indices), place(&rows.dense_shape));
                            Some(parts.into_pyobject(py)?.into_any())
                        }
                    };
                    pairs.push((gradient, variable.name().to_owned()));
                }
                self.apply.call1(py, (pairs, global_step.map(Variable::name)))?.extract(py)
            };
            let node = call().map_err(keep_raised)?;
            graph.operation_at(node as usize)
        })
    }
}

/// Steps of several workers' gradients together.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct SyncReplicas {
    sync: train::SyncReplicas,
}

#[pymethods]
impl SyncReplicas {
    /// `apply` makes the step of the mean gradients.
    #[new]
    fn new(apply: Py<PyAny>, replicas_to_aggregate: usize, total_num_replicas: usize, name: &str) -> SyncReplicas {
        let sync = train::SyncReplicas::new(PythonOptimizer { apply }, replicas_to_aggregate);
        SyncReplicas { sync: sync.total_num_replicas(total_num_replicas).named(name) }
    }

    /// Adds the nodes of a worker's step and of the chief's, and returns the worker's.
    fn apply_gradients(
        &self,
        py: Python<'_>,
        graph: &Graph,
        gradients: Vec<(Option<GivenGradient>, String)>,
        global_step: Option<&str>,
    ) -> PyResult<u32> {
        let (pairs, step) = (graph.pairs(gradients)?, graph.step(global_step)?);
        let built = self.sync.apply_gradients(&pairs, step.as_ref());
        built_node(py, &graph.checked(py, built)?)
    }

    /// The thread that makes the steps.
    fn chief_queue_runner(&self, py: Python<'_>, graph: &Graph) -> PyResult<QueueRunner> {
        Ok(QueueRunner::of(graph.checked(py, self.sync.chief_queue_runner())?))
    }

    fn chief_init_op(&self, py: Python<'_>, graph: &Graph) -> PyResult<u32> {
        built_node(py, &graph.checked(py, self.sync.chief_init_op())?)
    }

    fn local_step_init_op(&self, py: Python<'_>, graph: &Graph) -> PyResult<u32> {
        built_node(py, &graph.checked(py, self.sync.local_step_init_op())?)
    }

    fn ready_for_local_init_op(&self, py: Python<'_>, graph: &Graph) -> PyResult<Place> {
        built_place(py, &graph.checked(py, self.sync.ready_for_local_init_op())?)
    }

    /// The name of the worker's own count of steps.
    fn local_step(&self, py: Python<'_>, graph: &Graph) -> PyResult<String> {
        Ok(graph.checked(py, self.sync.local_step())?.name().to_owned())
    }

    /// The name of the queue of tokens.
    fn token_queue(&self, py: Python<'_>, graph: &Graph) -> PyResult<String> {
        Ok(graph.checked(py, self.sync.token_queue())?.name())
    }

    /// Adds a node that puts tokens into the queue: as many as gradients in a step, unless said otherwise.
    fn init_tokens_op(&self, py: Python<'_>, graph: &Graph, num_tokens: Option<usize>) -> PyResult<u32> {
        let built = self.sync.init_tokens_op(num_tokens);
        built_node(py, &graph.checked(py, built)?)
    }
}

/// What ends synchronous training when workers leave.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct SyncReplicasHook {
    hook: Mutex<train::SyncReplicasHook>,
}

#[pymethods]
impl SyncReplicas {
    /// Adds the nodes by which workers start together and sign off. The first tokens are so many, or as many as gradients in a
    /// step. A chief that is told of its cluster, job and task notices workers that are lost for so many seconds.
    #[pyo3(signature = (graph, is_chief, num_tokens, watched=None, patience_secs=60.0))]
    fn make_hook(
        &self,
        py: Python<'_>,
        graph: &Graph,
        is_chief: bool,
        num_tokens: Option<usize>,
        watched: Option<(Jobs, String, u32)>,
        patience_secs: f64,
    ) -> PyResult<SyncReplicasHook> {
        let mut hook = graph.checked(py, self.sync.make_session_run_hook(is_chief, num_tokens))?;
        if let Some((jobs, job, own_task)) = watched {
            let patience = Duration::try_from_secs_f64(patience_secs);
            let patience = patience.map_err(|error| PyValueError::new_err(error.to_string()))?;
            hook = hook.watch(&cluster_spec(&jobs).or_raise(py)?, &job, own_task, patience);
        }
        Ok(SyncReplicasHook { hook: Mutex::new(hook) })
    }
}

#[pymethods]
impl SyncReplicasHook {
    /// Sets the worker's step, and for the chief puts the first tokens into the queue and begins the thread that makes steps.
    fn after_create_session(&self, py: Python<'_>, session: &Session, coord: &Coordinator) -> PyResult<()> {
        let start = || self.hook.lock().after_create_session(&session.session, &coord.coord);
        py.detach(start).or_raise(py)
    }

    /// Looks who is left, for a chief whose program does the rest itself.
    fn watch(&self, py: Python<'_>, session: &Session, coord: &Coordinator) -> PyResult<()> {
        py.detach(|| self.hook.lock().start_watching(&session.session, &coord.coord)).or_raise(py)
    }

    /// What a worker waits for whose step does not end, and who should bring it.
    fn waiting_for(&self, py: Python<'_>, session: &Session) -> PyResult<String> {
        py.detach(|| self.hook.lock().waiting_for(&*session.session)).or_raise(py)
    }

    /// Signs off.
    fn end(&self, py: Python<'_>, session: &Session) -> PyResult<()> {
        py.detach(|| self.hook.lock().end(&session.session)).or_raise(py)
    }
}
