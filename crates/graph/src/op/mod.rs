//! What an op is: its definition, shape function, kernels and gradient, and the registry that holds them.
//!
//! The contracts between kernels and whoever runs them live here too: [`OpContext`] and [`AsyncContext`] with
//! [`Step`], [`Resources`] and [`Cancellation`], and those for calling functions and for exchanging tensors. `runtime` fulfils them, `ops` uses them.
//!
//! A program can have ops of its own, beside those that are there:
//!
//! ```
//! use std::sync::Arc;
//! use tensorfleet::prelude::*;
//! use tensorfleet::graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
//! use tensorfleet::graph::{Gradient, Node};
//!
//! fn twice(_node: &Node) -> Result<Kernel> {
//!     Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
//!         let mut x = cx.take_input(0)?;
//!         x.make_mut::<f32>()?.iter_mut().for_each(|x| *x *= 2.0);
//!         cx.set_output(0, x);
//!         Ok(())
//!     }))
//! }
//!
//! fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
//!     Ok(vec![Some((cx.dy(0)? * 2.0).into())])
//! }
//!
//! let mut registry = Registry::clone(Graph::new().registry());
//! registry.op("Twice", "x: float -> y: float").shape(ShapeContext::unchanged).any_kernel(twice).gradient(gradient);
//! let g = Graph::with_registry(Arc::new(registry));
//! let x = g.constant([1f32, 2.0]);
//! let y = g.op("Twice").input(&x).output();
//! let dx = gradients(&y, &x)?.remove(0).unwrap().to_dense();
//! let (y, dx): (Vec<f32>, Vec<f32>) = LocalSession::new(&g)?.eval((&y, &dx))?;
//! assert_eq!((y, dx), (vec![2.0, 4.0], vec![2.0, 2.0]));
//! # Ok::<(), Status>(())
//! ```

mod cancellation;
mod collectives;
mod context;
mod definition;
mod files;
mod gradient;
mod guard;
mod host;
mod kernel;
mod parse;
mod registry;
mod rendezvous;
mod report;
mod resource_manager;
mod resources;
mod rewrite;
mod role;
mod saved;
mod shape;
mod stack;
mod suggestion;
pub mod types;
mod updates;
mod variable;

pub use cancellation::{Cancellation, Registration};
pub use context::{AsyncContext, Done, OpContext, Outputs, Step, StepId, Value};
pub use definition::{ArgDef, ArgType, AttrDef, AttrKind, OpDef};
pub use gradient::{GradContext, GradFn};
pub use kernel::{Compute, ComputeAsync, Kernel, KernelSpec};
pub use registry::{GradientRule, OpEntry, OpSpec, Registry};
pub use report::{GradientsOfWorker, ResourceReport, ResourceState};
pub use resource_manager::ResourceManager;
pub use resources::{Container, Resource, Resources};
pub use role::Role;
pub use saved::SavedSoFar;
pub use shape::{ShapeContext, ShapeFn, broadcast_shapes};
pub use variable::{RefVariable, ResourceVariable, Variable};

// Contracts between `runtime` and the few ops that send, receive, return or call functions. Kernels of programs have no use for
// them, so the documentation leaves them out.
#[doc(hidden)]
pub use cancellation::SHIELD;
#[doc(hidden)]
pub use collectives::{
    CollectiveDone, CollectiveEntry, CollectiveGroup, CollectiveKind, CollectivePlay, CollectiveShrink,
    CollectiveTerms, CollectiveTurn, Collectives,
};
#[doc(hidden)]
pub use context::{CallFrame, Spawn};
#[doc(hidden)]
pub use files::Files;
#[doc(hidden)]
pub use guard::{guarded, panicked, shielded};
#[doc(hidden)]
pub use host::{Function, Host};
#[doc(hidden)]
pub use rendezvous::{Parcel, Receive, Rendezvous, RendezvousKey};
#[doc(hidden)]
pub use rewrite::{Replacement, Rewrite, Site, uses};
#[doc(hidden)]
pub use stack::{THREAD_STACK, begin_thread, within_stack};
#[doc(hidden)]
pub use updates::{AWAIT, HOLD, Updates, place};
