//! Exponential moving averages of variables: smoother values, often better for evaluation than the last ones.

use std::collections::BTreeMap;

use graph::{Graph, Operation, Output};
use ops::prelude::*;
use parking_lot::Mutex;
use tensor::{DType, PartialShape, err};

use crate::collections::{add_to_collection, keys};
use crate::initializers::Initializer;
use crate::optimizers::Scalar;
use crate::slots::{create_slot, create_slot_beside};
use crate::variable::{Variable, VariableKind};
use crate::variable_lists::{global_variables, trainable_variables, variables_in};
use crate::variable_scope::VariableScopeOps;

/// Keeps, for each variable, an average in which older values count less and less: `average -= (1 - decay) * (average - value)`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::ExponentialMovingAverage;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let averages = ExponentialMovingAverage::new(0.75);
/// let moved = w.assign(g.constant(5f32));
/// let update = g.with_control_dependencies(&[moved], |g| averages.apply(g, None));
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&update))?;
/// let average = averages.average(&w).unwrap();
/// assert_eq!(average.name(), "w/ExponentialMovingAverage");
/// // 1 - 0.25 * (1 - 5)
/// assert_eq!(session.fetch(RunRequest::new().fetch(average.value()))?[0], Tensor::from(2f32));
/// # Ok(())
/// # }
/// ```
pub struct ExponentialMovingAverage {
    decay: Scalar,
    num_updates: Option<Variable>,
    zero_debias: bool,
    name: String,
    /// By the name of the variable or the node.
    averages: Mutex<BTreeMap<String, Variable>>,
}

impl ExponentialMovingAverage {
    /// With a decay near 1, such as 0.99.
    pub fn new(decay: impl Into<Scalar>) -> ExponentialMovingAverage {
        ExponentialMovingAverage {
            decay: decay.into(),
            num_updates: None,
            zero_debias: false,
            name: "ExponentialMovingAverage".to_owned(),
            averages: Mutex::default(),
        }
    }

    /// Lets averages move faster at the beginning: the decay is at most `(1 + updates) / (10 + updates)`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(0f32)), get_or_create_global_step(&g));
    /// let averages = ExponentialMovingAverage::new(0.99).num_updates(&step);
    /// let moved = w.assign(10.0);
    /// let update = g.with_control_dependencies(&[moved], |g| averages.apply(g, None));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&update)?;
    /// // At step 0 the decay is (1 + 0) / (10 + 0).
    /// assert_eq!(session.eval::<f32, _>(&averages.average(&w).unwrap())?, 9.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn num_updates(mut self, updates: &Variable) -> Self {
        self.num_updates = Some(updates.clone());
        self
    }

    /// Corrects averages of outputs, which begin at 0, for that beginning. Averages of variables begin at their values and
    /// need none.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// let loss = g.constant(8f32);
    /// let averages = ExponentialMovingAverage::new(0.9).zero_debias();
    /// let update = averages.apply_to_outputs(&g, &[loss.clone()]);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&update)?;
    /// // The plain average is 0.8 after one update.
    /// let average: f32 = session.eval(&averages.average_of_output(&loss).unwrap())?;
    /// assert!((average - 8.0).abs() < 1e-4);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn zero_debias(mut self) -> Self {
        self.zero_debias = true;
        self
    }

    /// With another name for its nodes and averages.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let averages = ExponentialMovingAverage::new(0.9).named("Smooth");
    /// averages.apply(&g, None);
    /// assert_eq!(averages.average(&w).unwrap().name(), "w/Smooth");
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// A node that brings the averages of these variables up to date; of all trainable ones if `variables` is `None`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// let (w, b) = (Variable::new("w", g.constant(1f32)), Variable::new("b", g.constant(1f32)));
    /// let averages = ExponentialMovingAverage::new(0.9);
    /// averages.apply(&g, Some(&[w.clone()]));
    /// assert!(averages.average(&w).is_some() && averages.average(&b).is_none());
    /// ```
    #[track_caller]
    pub fn apply(&self, graph: &Graph, variables: Option<&[Variable]>) -> Operation {
        let variables = variables.map_or_else(|| trainable_variables(graph), <[Variable]>::to_vec);
        for variable in &variables {
            if self.average(variable).is_none() {
                let average = graph.without_control_dependencies(|graph| {
                    let initial = graph.with_device(variable.device(), |_| variable.initialized_value());
                    create_slot(variable, &Initializer::Value(initial), &self.name)
                });
                add_to_collection(graph, keys::MOVING_AVERAGE_VARIABLES, variable.name());
                self.averages.lock().insert(variable.name().to_owned(), average);
            }
        }
        self.update(graph, |graph, decay| {
            let one = |variable: &Variable| {
                let average = self.average(variable)?;
                // A read of its own waits for what the averages are told to wait for.
                Some(assign_moving_average(graph, &average, &variable.read(), decay))
            };
            variables.iter().filter_map(one).collect()
        })
    }

    /// A node that brings the averages of these outputs up to date. Their shapes must be known.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// let loss = g.constant(8f32);
    /// let averages = ExponentialMovingAverage::new(0.75);
    /// let update = averages.apply_to_outputs(&g, &[loss.clone()]);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&update)?;
    /// let average = averages.average_of_output(&loss).unwrap();
    /// assert_eq!(session.eval::<f32, _>(&average)?, 2.0); // 0 - 0.25 * (0 - 8)
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn apply_to_outputs(&self, graph: &Graph, outputs: &[Output]) -> Operation {
        for output in outputs {
            if self.average_of_output(output).is_none() {
                let average =
                    graph.without_control_dependencies(|_| create_slot_beside(output, &Initializer::Zeros, &self.name));
                self.averages.lock().insert(key(output), average);
            }
        }
        self.update(graph, |graph, decay| {
            let one = |output: &Output| {
                let average = self.average_of_output(output)?;
                Some(match self.zero_debias {
                    true => assign_unbiased_average(graph, &average, output, decay),
                    false => assign_moving_average(graph, &average, output, decay),
                })
            };
            outputs.iter().filter_map(one).collect()
        })
    }

    fn update(&self, graph: &Graph, build: impl FnOnce(&Graph, &Output) -> Vec<Operation>) -> Operation {
        graph.with_name_scope(&self.name, |graph| {
            let scope = graph.name_scope();
            let mut decay = self.decay.node(graph, "decay");
            if let Some(updates) = &self.num_updates {
                let updates = updates.current();
                let updates = graph.op("Cast").name("num_updates").input(updates).attr("DstT", DType::Float).output();
                let fast = (1.0 + &updates) / (10.0 + &updates);
                decay = decay.minimum(&fast);
            }
            let updates = build(graph, &decay);
            graph.group_as(&format!("{scope}/"), &updates)
        })
    }

    /// The average of a variable, if [`apply`](ExponentialMovingAverage::apply) made one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let averages = ExponentialMovingAverage::new(0.9);
    /// assert!(averages.average(&w).is_none());
    /// averages.apply(&g, None);
    /// assert_eq!(averages.average(&w).unwrap().name(), "w/ExponentialMovingAverage");
    /// ```
    pub fn average(&self, variable: &Variable) -> Option<Variable> {
        self.averages.lock().get(variable.name()).cloned()
    }

    /// The average of an output, if there is one.
    pub fn average_of_output(&self, output: &Output) -> Option<Variable> {
        self.averages.lock().get(&key(output)).cloned()
    }

    /// The name that the average of a variable has, or would have.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// assert_eq!(ExponentialMovingAverage::new(0.9).average_name(&w), "w/ExponentialMovingAverage");
    /// ```
    pub fn average_name(&self, variable: &Variable) -> String {
        self.average(variable).map_or_else(|| format!("{}/{}", variable.name(), self.name), |it| it.name().to_owned())
    }

    /// Which variable to restore from which name of a checkpoint, so that variables get their averages: for a model that is
    /// evaluated.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::ExponentialMovingAverage;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let averages = ExponentialMovingAverage::new(0.9);
    /// let names: Vec<String> = averages.variables_to_restore(&g).into_keys().collect();
    /// assert_eq!(names, ["w/ExponentialMovingAverage"]);
    /// ```
    pub fn variables_to_restore(&self, graph: &Graph) -> BTreeMap<String, Variable> {
        let averaged = [trainable_variables(graph), variables_in(graph, keys::MOVING_AVERAGE_VARIABLES)].concat();
        let mut names: BTreeMap<String, Variable> =
            averaged.iter().map(|variable| (self.average_name(variable), variable.clone())).collect();
        for variable in global_variables(graph) {
            if !averaged.iter().any(|other| other.name() == variable.name()) {
                names.entry(variable.name().to_owned()).or_insert(variable);
            }
        }
        names
    }
}

/// Outputs are told apart from variables of the same name by their number.
fn key(output: &Output) -> String {
    output.name().map(|name| name.to_string()).unwrap_or_default()
}

/// `average -= (average - value) * (1 - decay)`, beside the average.
fn assign_moving_average(graph: &Graph, average: &Variable, value: &Output, decay: &Output) -> Operation {
    graph.with_name_scope("AssignMovingAvg", |graph| {
        let (scope, rest) = (graph.name_scope(), rest_of(average, decay));
        graph.with_colocation(&average.operation(), |graph| {
            let step = (average.current() - value) * rest;
            subtract(graph, average, &step, Some(scope))
        })
    })
}

/// The same of a sum that began at 0, divided by what such a sum of ones would be.
fn assign_unbiased_average(graph: &Graph, average: &Variable, value: &Output, decay: &Output) -> Operation {
    graph.with_name_scope("AssignMovingAvg", |graph| {
        let rest = rest_of(average, decay);
        let (biased, count) = graph.with_variable_scope(average.name(), |graph| {
            graph.with_colocation(&average.operation(), |graph| {
                let shape = average.shape().to_shape().unwrap_or_default();
                let dtype = average.dtype().unwrap_or(DType::Float);
                let zeros = |name: &str, shape: &[i64]| {
                    let request = graph.variable(name).shape(shape).dtype(dtype).initializer(Initializer::Zeros);
                    request.trainable(false).kind(average.kind()).get()
                };
                (zeros("biased", shape.dims()), zeros("local_step", &[]))
            })
        });
        graph.with_colocation(&average.operation(), |graph| {
            let step = (biased.current() - value) * &rest;
            let moved = subtract(graph, &biased, &step, None);
            let counted = count.assign_add(1);
            graph.with_control_dependencies(&[moved, counted], |_| {
                let factor = 1.0 - (1.0 - &rest).pow(count.read());
                average.assign(&(biased.read() / factor))
            })
        })
    })
}

fn rest_of(average: &Variable, decay: &Output) -> Output {
    let rest = 1.0 - decay;
    match average.dtype() {
        Some(dtype) if rest.dtype() != Some(dtype) => rest.cast(dtype),
        _ => rest,
    }
}

fn subtract(graph: &Graph, variable: &Variable, step: &Output, name: Option<String>) -> Operation {
    let op = if variable.kind() == VariableKind::Ref { "AssignSub" } else { "AssignSubVariableOp" };
    let op = graph.op(op).input(variable.handle()).input(step);
    match name {
        Some(name) => op.name_exactly(name).build(),
        None => op.build(),
    }
}

impl Variable {
    /// The value if there is one, else the one that the variable begins with: for what is initialised together with it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let a = Variable::new("a", g.constant(3f32));
    /// let b = Variable::new("b", a.initialized_value() * 2.0);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?; // in whatever order
    /// assert_eq!(session.eval::<f32, _>(&b)?, 6.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn initialized_value(&self) -> Output {
        let graph = self.handle().graph().clone();
        graph.with_name_scope("cond", |graph| {
            let present = self.is_initialized();
            let dtype = self.dtype().unwrap_or(DType::Float);
            let switch = if self.kind() == VariableKind::Ref { "RefSwitch" } else { "Switch" };
            let here = graph.op(switch).name("Switch").input(self.handle()).input(&present).build().output(1);
            let value = match self.kind() {
                VariableKind::Ref => graph.op("Identity").name("read").input(here).output(),
                VariableKind::Resource => {
                    graph.op("ReadVariableOp").name("read").input(here).attr("dtype", dtype).output()
                }
            };
            let initial = graph.op("Switch").input(self.initial_value()).input(&present).build().output(0);
            let merged = graph.op("Merge").input_list(&[initial, value]).output();
            known_shape(graph, &merged, &self.shape())
        })
    }
}

/// The two sides of a choice may differ in shape as far as the graph knows; here they do not.
fn known_shape(graph: &Graph, value: &Output, shape: &PartialShape) -> Output {
    if value.shape().to_shape().is_some() {
        return value.clone();
    }
    if shape.to_shape().is_none() {
        graph.note_mistake(err!(InvalidArgument, "a variable must have a known shape to be averaged, not {shape}"));
    }
    graph.op("EnsureShape").input(value).attr("shape", shape.clone()).output()
}
