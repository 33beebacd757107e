//! Adam: steps along a running mean of gradients, divided by the root of a running mean of their squares.

use graph::{Gradient, Graph, IndexedSlices, Operation, Output};
use ops::prelude::*;

use super::{Scalar, Update, UpdateRule};
use crate::initializers::Initializer;
use crate::slots::{Slot, Slots};
use crate::variable::{Variable, VariableKind};

/// The optimizer of Kingma and Ba. Its first step is as long as the learning rate.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let train = Adam::new(0.1).minimize(&(&w * &w), None)?; // the gradient of w^2 at 1 is 2
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// session.run(RunRequest::new().target(&train))?;
/// let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
/// assert!((value - 0.9).abs() < 1e-5, "{value}"); // 1 - 0.1
/// # Ok(())
/// # }
/// ```
pub struct Adam {
    learning_rate: Scalar,
    beta1: f32,
    beta2: f32,
    epsilon: f64,
    name: String,
    slots: Slots,
}

impl Adam {
    /// With TensorFlow's usual decay rates: 0.9 and 0.999, and an epsilon of 1e-8.
    pub fn new(learning_rate: impl Into<Scalar>) -> Adam {
        Adam {
            learning_rate: learning_rate.into(),
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            name: "Adam".to_owned(),
            slots: Slots::default(),
        }
    }

    /// The decay of the mean of gradients.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let adam = Adam::new(0.1).beta1(0.5).beta2(0.9).epsilon(1e-4);
    /// let train = adam.minimize(&(&w * &w), None)?;
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<f32, _>(&adam.slot(&w, "m").unwrap())?, 1.0); // (1 - 0.5) * 2
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn beta1(mut self, beta1: f32) -> Self {
        self.beta1 = beta1;
        self
    }

    /// The decay of the mean of squares.
    #[must_use]
    pub fn beta2(mut self, beta2: f32) -> Self {
        self.beta2 = beta2;
        self
    }

    /// What is added to the root of the mean of squares, so that it is not zero.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// With another name for its nodes and slots.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = Adam::new(0.1).named("Fast");
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.slot(&w, "m").unwrap().name(), "w/Fast");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// The powers of the decay rates, one for each of them, that all variables share.
    fn powers(&self, graph: &Graph) -> Option<[Variable; 2]> {
        Some([self.slots.shared(graph, "beta1_power")?, self.slots.shared(graph, "beta2_power")?])
    }

    /// There is no op for rows: all of both means decay, and rows of them change.
    fn apply_rows(&self, update: &Update<'_>, rows: &IndexedSlices, powers: &[Output; 2]) -> Operation {
        let graph = update.graph;
        let [rate, beta1, beta2, epsilon] = [0, 1, 2, 3].map(|index| update.number(index));
        let rate = rate * (1.0 - &powers[1]).sqrt() / (1.0 - &powers[0]);
        let (m, v) = (&update.slots[0], &update.slots[1]);
        let of_m = &rows.values * (1.0 - &beta1);
        let m = decay_and_add(graph, m, &beta1, rows, &of_m);
        let of_v = &rows.values * &rows.values * (1.0 - &beta2);
        let v = decay_and_add(graph, v, &beta2, rows, &of_v);
        let root = v.sqrt();
        let step = rate * &m / (root + epsilon);
        let changed = change(graph, update.variable, "AssignSub", &step);
        graph.group(&[changed, m.operation(), v.operation()])
    }
}

impl UpdateRule for Adam {
    fn scope(&self) -> &str {
        &self.name
    }

    fn slots(&self) -> &Slots {
        &self.slots
    }

    fn slot_list(&self) -> Vec<Slot> {
        vec![Slot::new("m", Initializer::Zeros), Slot::new("v", Initializer::Zeros)]
    }

    /// The powers live beside the variable whose name comes first: all workers must agree on the place.
    fn make_shared(&self, variables: &[Variable]) {
        if let Some(first) = variables.iter().min_by_key(|variable| format!("{}:0", variable.name())) {
            self.slots.get_or_make_shared("beta1_power", self.beta1, first);
            self.slots.get_or_make_shared("beta2_power", self.beta2, first);
        }
    }

    fn prepare(&self, graph: &Graph) -> Vec<Output> {
        let number = |value: f64, name: &str| Scalar::Number(value).node(graph, name);
        vec![
            self.learning_rate.node(graph, "learning_rate"),
            number(self.beta1.into(), "beta1"),
            number(self.beta2.into(), "beta2"),
            number(self.epsilon, "epsilon"),
        ]
    }

    fn apply(&self, update: &Update<'_>) -> Operation {
        let Some(powers) = self.powers(update.graph) else {
            update.graph.note_mistake(tensor::err!(Internal, "Adam has no powers of its decay rates"));
            return update.graph.group(&[]);
        };
        let powers = powers.map(|power| update.cast(&power.current()));
        match &update.gradient {
            Gradient::Dense(_) => {
                let op = update.op("ApplyAdam", &[&update.slots[0], &update.slots[1]]);
                op.input(&powers[0]).input(&powers[1]).number(0).number(1).number(2).number(3).gradient().build()
            }
            Gradient::Slices(rows) => self.apply_rows(update, rows, &powers),
        }
    }

    /// The powers advance once all updates have read them.
    fn finish(&self, graph: &Graph, numbers: &[Output], updates: &[Operation]) -> Vec<Operation> {
        let Some(powers) = self.powers(graph) else { return Vec::new() };
        let beside = powers[0].operation();
        let advance = |graph: &Graph| {
            let of = |power: &Variable, beta: &Output| change(graph, power, "Assign", &(power.current() * beta));
            vec![of(&powers[0], &numbers[1]), of(&powers[1], &numbers[2])]
        };
        graph.with_control_dependencies(updates, |graph| graph.with_colocation(&beside, advance))
    }
}

/// `Assign` or `AssignSub`, without the lock of its own that an initializer takes.
fn change(graph: &Graph, variable: &Variable, op: &str, value: &Output) -> Operation {
    match variable.kind() {
        VariableKind::Ref => graph.op(op).input(variable.handle()).input(value).attr("use_locking", false).build(),
        VariableKind::Resource => {
            let change = graph.op(&format!("{op}VariableOp")).input(variable.handle()).input(value);
            if op == "Assign" { change.attr("validate_shape", true).build() } else { change.build() }
        }
    }
}

/// `slot = slot * beta`, then rows are added; returns the new value.
fn decay_and_add(graph: &Graph, slot: &Variable, beta: &Output, rows: &IndexedSlices, values: &Output) -> Output {
    let decayed = change(graph, slot, "Assign", &(slot.current() * beta));
    graph.with_control_dependencies(&[decayed], |graph| {
        let add = |op: &str| graph.op(op).input(slot.handle()).input(&rows.indices).input(values);
        match slot.kind() {
            VariableKind::Ref => add("ScatterAdd").output(),
            VariableKind::Resource => {
                let added = add("ResourceScatterAdd").build();
                graph.with_control_dependencies(&[added], |_| slot.read())
            }
        }
    })
}
