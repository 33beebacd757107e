//! What an op is: its definition, shape function, kernels and gradient, and the registry that holds them.
//!
//! The contracts between kernels and whoever runs them live here too: [`OpContext`] and [`AsyncContext`] with
//! [`Step`], [`Host`], [`Resources`], [`Rendezvous`] and [`Cancellation`]. `runtime` fulfils them, `ops` uses them.

mod cancellation;
mod context;
mod definition;
mod gradient;
mod guard;
mod host;
mod kernel;
mod parse;
mod registry;
mod rendezvous;
mod resource_manager;
mod resources;
mod role;
mod shape;
mod suggestion;
pub mod types;
mod variable;

pub use cancellation::{Cancellation, Registration};
pub use context::{AsyncContext, CallFrame, Done, OpContext, Outputs, Spawn, Step, StepId, Value};
pub use definition::{ArgDef, ArgType, AttrDef, AttrKind, OpDef};
pub use gradient::{GradContext, GradFn};
pub use guard::{guarded, panicked, shielded};
pub use host::{Function, Host};
pub use kernel::{Compute, ComputeAsync, Kernel, KernelSpec};
pub use registry::{GradientRule, OpEntry, OpSpec, Registry};
pub use rendezvous::{Parcel, Receive, Rendezvous, RendezvousKey};
pub use resource_manager::ResourceManager;
pub use resources::{Container, Resource, Resources};
pub use role::Role;
pub use shape::{ShapeContext, ShapeFn, broadcast_shapes};
pub use variable::{RefVariable, ResourceVariable, Variable};
