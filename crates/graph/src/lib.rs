//! The plan: graphs of nodes, what an op is, shapes, gradients, and the contracts that kernels work under.
//!
//! [`Graph`] is what programs build with; [`GraphData`] is the plain structure underneath that the runtime places,
//! splits and executes. [`op`] holds the op registry and everything a kernel may see of its surroundings.

#![warn(missing_docs)]

mod attr;
mod builder;
mod control_flow;
mod data;
mod export;
mod functions;
mod gradient_style;
mod gradient_walk;
mod gradients;
mod import;
#[doc(hidden)]
pub mod inference;
mod names;
pub mod op;
mod op_builder;
mod operators;
mod prune;
mod scope;
mod scoping;
pub mod work;

pub use attr::{AttrValue, Attrs, FunctionRef, ReadAttrs};
pub use builder::{Graph, Operation, Output};
pub use control_flow::{WhileLoop, cond, cond_as, while_loop};
pub use data::{Endpoint, GraphData, Node, NodeId, ValueType, Versions};
pub use export::{graph_to_proto, node_to_proto};
pub use gradient_style::GradientStyle;
pub use gradients::{Gradient, GradientOptions, IndexedSlices, Outputs, gradients, gradients_with};
pub use import::{FunctionLibrary, ImportOptions, graph_from_proto};
pub use names::{DeviceName, TensorName};
pub use op_builder::OpBuilder;
pub use operators::Operand;
pub use scope::DeviceScope;
pub use scoping::{Entered, Scope};

// What a session does to a graph before it runs it, for `runtime` and `ops`: programs have no use for it, so the documentation
// leaves it out, as it does `inference`.
#[doc(hidden)]
pub use functions::{FUNCTIONS, NOT_EXPANDED, expand_functions, function_body};
#[doc(hidden)]
pub use prune::prune;
