//! Slots: variables that an optimizer or a moving average keeps beside each variable, named after it (`w/Adam`).

use graph::{Graph, Output};
use parking_lot::Mutex;
use tensor::{Tensor, err};

use crate::initializers::Initializer;
use crate::partition::SaveSliceInfo;
use crate::variable::{Initial, Variable, Wanted};
use crate::variable_scope::fresh_variable_scope;

/// One of the values that an optimizer keeps for every variable.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initializer, Slot};
/// let slot = Slot::new("momentum", Initializer::Zeros);
/// assert_eq!(slot.name, "momentum");
/// ```
pub struct Slot {
    /// What the optimizer calls it, as in `momentum`. Its nodes are named after the optimizer.
    pub name: &'static str,
    /// How it begins.
    pub initializer: Initializer,
}

impl Slot {
    /// Returns a slot of this name that begins so.
    pub fn new(name: &'static str, initializer: Initializer) -> Slot {
        Slot { name, initializer }
    }
}

/// The variables that an optimizer has made so far. They are used again when it is asked to change the same variables again.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let adam = Adam::new(0.1);
/// adam.minimize(w.value(), None)?;
/// assert_eq!(adam.slot(&w, "m").unwrap().name(), "w/Adam");
/// let names: Vec<String> = adam.variables().iter().map(|variable| variable.name().to_owned()).collect();
/// assert_eq!(names, ["beta1_power", "beta2_power", "w/Adam", "w/Adam_1"]);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Slots {
    made: Mutex<Vec<MadeSlot>>,
}

struct MadeSlot {
    slot: String,
    /// The variable it is for; none if it is for all of them.
    owner: Option<String>,
    variable: Variable,
}

impl Slots {
    /// The slot of this name of a variable.
    ///
    /// See [`Optimizer::slot`](crate::Optimizer::slot), which asks its slots.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let momentum = Momentum::new(0.1, 0.9);
    /// momentum.minimize(w.value(), None)?;
    /// assert_eq!(momentum.slot(&w, "momentum").unwrap().name(), "w/Momentum");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn get(&self, owner: &Variable, slot: &str) -> Option<Variable> {
        self.find(owner.handle().graph(), Some(owner.name()), slot)
    }

    /// The variable of this name that belongs to no variable in particular.
    pub fn shared(&self, graph: &Graph, name: &str) -> Option<Variable> {
        self.find(graph, None, name)
    }

    /// All of them, by name.
    pub fn variables(&self) -> Vec<Variable> {
        let mut all: Vec<Variable> = self.made.lock().iter().map(|made| made.variable.clone()).collect();
        all.sort_by(|a, b| a.name().cmp(b.name()));
        all
    }

    /// The slot of a variable, made if it is not there; its nodes are called after the optimizer.
    #[track_caller]
    pub(crate) fn get_or_make(&self, owner: &Variable, slot: &Slot, optimizer: &str) -> Variable {
        if let Some(found) = self.get(owner, slot.name) {
            return found;
        }
        let variable = create_slot(owner, &slot.initializer, optimizer);
        self.keep(slot.name, Some(owner.name()), variable.clone());
        variable
    }

    /// A variable beside another one but for all variables, made if it is not there.
    #[track_caller]
    pub(crate) fn get_or_make_shared(&self, name: &str, initial: f32, beside: &Variable) -> Variable {
        let graph = beside.handle().graph();
        if let Some(found) = self.shared(graph, name) {
            return found;
        }
        let variable = graph.with_colocation(&beside.operation(), |graph| {
            let wanted = Wanted { kind: beside.kind(), ..Wanted::new(graph, false) };
            Variable::make(graph, name, Initial::Constant(Tensor::from(initial)), wanted)
        });
        self.keep(name, None, variable.clone());
        variable
    }

    fn find(&self, graph: &Graph, owner: Option<&str>, slot: &str) -> Option<Variable> {
        let fits = |made: &&MadeSlot| {
            made.slot == slot && made.owner.as_deref() == owner && made.variable.handle().graph().same_as(graph)
        };
        self.made.lock().iter().find(fits).map(|made| made.variable.clone())
    }

    fn keep(&self, slot: &str, owner: Option<&str>, variable: Variable) {
        self.made.lock().push(MadeSlot { slot: slot.to_owned(), owner: owner.map(str::to_owned), variable });
    }
}

/// Returns a new variable beside `primary`, of its shape, type and kind, named `primary/name`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initializer, create_slot};
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant([1f32, 2.0]));
/// let shadow = create_slot(&w, &Initializer::Zeros, "shadow");
/// assert_eq!((shadow.name(), shadow.shape()), ("w/shadow", w.shape()));
/// ```
#[track_caller]
pub fn create_slot(primary: &Variable, initializer: &Initializer, name: &str) -> Variable {
    let graph = primary.handle().graph();
    let scope = slot_scope(graph, primary.name(), name);
    let slice = primary.save_slice_info().map(|info| SaveSliceInfo {
        full_name: format!("{}{}", info.full_name, scope.strip_prefix(primary.name()).unwrap_or_default()),
        ..info.clone()
    });
    let wanted = Wanted { kind: primary.kind(), slice, ..Wanted::new(graph, false) };
    graph.with_colocation(&primary.operation(), |graph| make_slot(graph, &scope, primary.value(), initializer, wanted))
}

/// A variable of the shape and type of an output, named after its node, wherever variables go.
#[track_caller]
pub(crate) fn create_slot_beside(output: &Output, initializer: &Initializer, name: &str) -> Variable {
    let graph = output.graph();
    let scope = slot_scope(graph, &output.operation().name().unwrap_or_default(), name);
    make_slot(graph, &scope, output, initializer, Wanted::new(graph, false))
}

fn slot_scope(graph: &Graph, primary: &str, name: &str) -> String {
    let name = format!("{primary}/{name}");
    graph.unique_name(&name);
    fresh_variable_scope(graph, &name)
}

#[track_caller]
fn make_slot(graph: &Graph, scope: &str, like: &Output, initializer: &Initializer, wanted: Wanted) -> Variable {
    let (shape, dtype) = (like.shape(), like.dtype());
    let build = |graph: &Graph| match (shape.to_shape(), dtype) {
        (Some(shape), Some(dtype)) => initializer.build(graph, shape.dims(), shape.dims(), dtype),
        _ => {
            let mistake = err!(InvalidArgument, "'{scope}' is for values of an unknown shape, {shape}");
            graph.note_mistake(mistake);
            like.clone()
        }
    };
    // With a slash at its end the name is taken as it is.
    let name = format!("{scope}/");
    match initializer {
        Initializer::Value(value) => Variable::make(graph, &name, Initial::Value(value.clone()), wanted),
        _ => Variable::make(graph, &name, Initial::Built(&build), wanted),
    }
}
