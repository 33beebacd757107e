//! Scopes of a graph: entered and left one by one, or around a closure.

use std::collections::HashSet;

use crate::builder::{Graph, Operation};
use crate::control_flow::ContextId;
use crate::data::NodeId;
use crate::scope::{DeviceScope, Waits};

/// What building can take place in. Closures are handier where they fit: [`Graph::with_name_scope`] and its kin.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::Scope;
/// let g = Graph::new();
/// let layer = g.enter_scope(Scope::Name("layer".to_owned()));
/// let w = g.constant(1f32);
/// g.leave_scope(layer);
/// assert_eq!(w.name().unwrap().to_string(), "layer/Const:0");
/// assert_eq!(g.constant(1f32).name().unwrap().to_string(), "Const:0");
/// ```
#[derive(Clone)]
pub enum Scope {
    /// A prefix of names, as [`Graph::with_name_scope`] takes it.
    Name(String),
    /// A device.
    Device(DeviceScope),
    /// Nodes that must have run before.
    ControlDependencies(Vec<Operation>),
    /// Nothing that must have run before, and no branch or loop.
    NoControlDependencies,
    /// The device of a node.
    Colocation(Operation),
    /// No devices and no colocation.
    NoColocation,
    /// The device of a node that may be yet to come.
    Class(String),
}

/// A scope that was entered, and what [`Graph::leave_scope`] puts back.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::{Entered, Scope};
/// let g = Graph::new();
/// let entered: Entered = g.enter_scope(Scope::Device("/job:ps".into()));
/// assert_eq!(g.constant(1f32).operation().device(), "/job:ps");
/// g.leave_scope(entered);
/// ```
#[must_use = "a scope that is not left goes on"]
pub struct Entered(Before);

enum Before {
    /// How many names, devices, waits or classes there were.
    Names(usize),
    Devices(usize),
    Waits(usize),
    Classes(usize),
    NoWaits(Vec<Waits>, Option<ContextId>),
    Places(Vec<NodeId>, Vec<DeviceScope>),
}

impl Graph {
    /// Enters a scope: what is built from here on is in it, until [`leave_scope`](Graph::leave_scope).
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::Scope;
    /// let g = Graph::new();
    /// let outer = g.enter_scope(Scope::Name("model".to_owned()));
    /// let inner = g.enter_scope(Scope::Name("layer".to_owned()));
    /// assert_eq!(g.name_scope(), "model/layer");
    /// g.leave_scope(inner);
    /// g.leave_scope(outer);
    /// assert_eq!(g.name_scope(), "");
    /// ```
    pub fn enter_scope(&self, scope: Scope) -> Entered {
        let mut state = self.state();
        let state = &mut *state;
        let scopes = &mut state.scopes;
        Entered(match scope {
            Scope::Name(name) => {
                let full = match name.strip_suffix('/') {
                    Some(full) => full.to_owned(),
                    None if name.is_empty() => String::new(),
                    None => scopes.unique(&scopes.prefixed(&name)),
                };
                scopes.names.push(full);
                Before::Names(scopes.names.len() - 1)
            }
            Scope::Device(device) => {
                scopes.devices.push(device);
                Before::Devices(scopes.devices.len() - 1)
            }
            Scope::ControlDependencies(operations) => {
                let inputs = operations.iter().filter_map(|operation| operation.id).collect();
                scopes.control.push(Waits { inputs, members: HashSet::new() });
                Before::Waits(scopes.control.len() - 1)
            }
            Scope::NoControlDependencies => {
                Before::NoWaits(std::mem::take(&mut scopes.control), state.contexts.current.take())
            }
            Scope::Colocation(operation) => {
                let before = scopes.colocation.clone();
                scopes.colocation.extend(operation.id);
                Before::Places(before, std::mem::take(&mut scopes.devices))
            }
            Scope::NoColocation => {
                Before::Places(std::mem::take(&mut scopes.colocation), std::mem::take(&mut scopes.devices))
            }
            Scope::Class(name) => {
                scopes.classes.push(name);
                Before::Classes(scopes.classes.len() - 1)
            }
        })
    }

    /// Leaves a scope, and those of its kind that were entered in it and not left.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::Scope;
    /// let g = Graph::new();
    /// let outer = g.enter_scope(Scope::Name("model".to_owned()));
    /// let _forgotten = g.enter_scope(Scope::Name("layer".to_owned()));
    /// g.leave_scope(outer);
    /// assert_eq!(g.name_scope(), "");
    /// ```
    pub fn leave_scope(&self, entered: Entered) {
        let mut state = self.state();
        let state = &mut *state;
        let scopes = &mut state.scopes;
        match entered.0 {
            Before::Names(count) => scopes.names.truncate(count),
            Before::Devices(count) => scopes.devices.truncate(count),
            Before::Waits(count) => scopes.control.truncate(count),
            Before::Classes(count) => scopes.classes.truncate(count),
            Before::NoWaits(waits, context) => (scopes.control, state.contexts.current) = (waits, context),
            Before::Places(colocation, devices) => (scopes.colocation, scopes.devices) = (colocation, devices),
        }
    }

    fn within<R>(&self, scope: Scope, build: impl FnOnce(&Graph) -> R) -> R {
        let entered = self.enter_scope(scope);
        let result = build(self);
        self.leave_scope(entered);
        result
    }

    /// Names what `build` adds with a prefix: `layer1/w`. A number is added to the prefix if it is taken; one that ends in a
    /// slash is taken as it is (the scope is entered again), and an empty one leaves all scopes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.with_name_scope("layer1", |g| g.op("NoOp").name("w").build());
    /// assert_eq!(w.name().unwrap(), "layer1/w");
    /// let b = g.with_name_scope("layer1/", |g| g.op("NoOp").name("b").build());
    /// assert_eq!(b.name().unwrap(), "layer1/b");
    /// ```
    pub fn with_name_scope<R>(&self, name: &str, build: impl FnOnce(&Graph) -> R) -> R {
        self.within(Scope::Name(name.to_owned()), build)
    }

    /// Puts what `build` adds on a device, where it does not say otherwise: `with_device("/job:ps/task:0", |g| ...)`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.with_device("/job:ps", |g| g.with_device("/task:1", |g| g.constant(1f32)));
    /// let device = g.read(|nodes| nodes.node(w.operation().id().unwrap()).device.clone());
    /// assert_eq!(device, "/job:ps/task:1");
    /// ```
    pub fn with_device<R>(&self, device: impl Into<DeviceScope>, build: impl FnOnce(&Graph) -> R) -> R {
        self.within(Scope::Device(device.into()), build)
    }

    /// Makes what `build` adds wait for these nodes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let count = Variable::untrained("count", g.constant(0i64));
    /// let counted = count.assign_add(1);
    /// // The value is read after the addition.
    /// let after = g.with_control_dependencies(&[counted], |_| count.handle().identity());
    /// let session = LocalSession::new(&g)?;
    /// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
    /// assert_eq!(session.fetch(RunRequest::new().fetch(&after))?[0], Tensor::from(1i64));
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_control_dependencies<R>(&self, operations: &[Operation], build: impl FnOnce(&Graph) -> R) -> R {
        self.within(Scope::ControlDependencies(operations.to_vec()), build)
    }

    /// Makes what `build` adds wait for nothing but its own inputs, whatever scopes there are. It is outside of all loops and
    /// branches.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let first = g.op("NoOp").build();
    /// let free = g.with_control_dependencies(&[first], |g| g.without_control_dependencies(|g| g.constant(1f32)));
    /// assert!(g.read(|nodes| nodes.node(free.operation().id().unwrap()).control_inputs.is_empty()));
    /// ```
    pub fn without_control_dependencies<R>(&self, build: impl FnOnce(&Graph) -> R) -> R {
        self.within(Scope::NoControlDependencies, build)
    }

    /// Puts what `build` adds on the device of `operation`, wherever that will be. Device scopes outside of this one say
    /// nothing any more.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.with_device("/job:ps/task:1", |g| g.constant(1f32));
    /// let beside = g.with_colocation(&w.operation(), |g| g.constant(2f32));
    /// let with: Vec<String> =
    ///     g.read(|nodes| nodes.node(beside.operation().id().unwrap()).colocated_with().map(str::to_owned).collect());
    /// assert_eq!(with, ["Const"]);
    /// ```
    pub fn with_colocation<R>(&self, operation: &Operation, build: impl FnOnce(&Graph) -> R) -> R {
        self.within(Scope::Colocation(operation.clone()), build)
    }

    /// Lets what `build` adds go anywhere: neither colocations nor device scopes outside of this one count.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = g.with_device("/job:ps/task:1", |g| g.constant(1f32));
    /// let free = g.with_colocation(&w.operation(), |g| g.without_colocation(|g| g.constant(2f32)));
    /// assert_eq!(free.operation().device(), "");
    /// ```
    pub fn without_colocation<R>(&self, build: impl FnOnce(&Graph) -> R) -> R {
        self.within(Scope::NoColocation, build)
    }

    /// Marks what `build` adds, where no colocation says otherwise, as living with the node of this full name, which may be
    /// yet to come.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let first = g.with_class("w", |g| g.constant(1f32));
    /// let with: Vec<String> =
    ///     g.read(|nodes| nodes.node(first.operation().id().unwrap()).colocated_with().map(str::to_owned).collect());
    /// assert_eq!(with, ["w"]);
    /// ```
    pub fn with_class<R>(&self, name: &str, build: impl FnOnce(&Graph) -> R) -> R {
        self.within(Scope::Class(name.to_owned()), build)
    }
}
