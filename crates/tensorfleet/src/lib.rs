//! Dataflow graphs that train models, as distributed TensorFlow invented it.
//!
//! A program builds a [`Graph`], opens a session on it and runs steps:
//!
//! ```
//! use tensorfleet::prelude::*;
//!
//! # fn main() -> tensorfleet::Result<()> {
//! let g = Graph::new();
//! let x = g.placeholder(DType::Float, [None, Some(2)]);
//! let w = Variable::new("w", g.constant([[1f32], [2.0]]));
//! let y = x.matmul(&w) + 1.0;
//! let init = global_variables_initializer(&g);
//!
//! let session = LocalSession::new(&g)?;
//! session.eval(&init)?;
//! let result: Vec<[f32; 1]> = session.feed(&x, [[1f32, 1.0], [2.0, 3.0]]).eval(&y)?;
//! assert_eq!(result, [[4.0], [9.0]]);
//! # Ok(())
//! # }
//! ```
//!
//! Building does not return a `Result` at every step: the first mistake is kept with the caller's file and line, and
//! the session refuses the graph with it.
//!
//! ```
//! use tensorfleet::prelude::*;
//!
//! let g = Graph::new();
//! let a = g.constant([[1f32, 2.0]]);
//! let wrong = a.matmul(&a); // [1,2] times [1,2]
//! let more = &wrong + 1.0; // follows from the mistake and adds no second one
//! let error = LocalSession::new(&g).err().expect("the graph has a mistake");
//! assert!(error.message().contains(".rs:"), "{error}"); // the file and line of the call
//! assert!(error.message().contains("Dimensions must be equal, but are 2 and 1"), "{error}");
//! ```

#![warn(missing_docs)]

mod constructors;
pub mod datasets;
pub mod prelude;
mod signals;

/// Files in object stores and on web servers: after `install`, `s3://`, `gs://`, `az://` and `http(s)://` are paths like others.
///
/// ```
/// tensorfleet::stores::install();
/// ```
#[cfg(feature = "stores")]
pub mod stores {
    #[doc(inline)]
    pub use stores::install;
}

/// The examples of the page on control flow run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/control_flow.md")]
mod control_flow_page {}

/// Clusters: servers of tasks, and sessions on them.
///
/// ```
/// use tensorfleet::cluster::{ClusterSpec, RemoteOptions, Transport};
/// # fn main() -> tensorfleet::Result<()> {
/// let cluster = ClusterSpec::new([("ps", vec!["host0:2222"]), ("worker", vec!["host1:2222", "host2:2222"])])?;
/// assert_eq!(cluster.address("worker", 1)?, "host2:2222");
/// let options = RemoteOptions { transport: Transport::Grpc, ..Default::default() };
/// assert!(!options.soft_placement);
/// # Ok(())
/// # }
/// ```
pub mod cluster {
    pub use crate::constructors::{NewCluster, NewServer};
    pub use crate::signals::stop_on_signals;
    pub use ::cluster::{LocalCluster, RemoteOptions, RemoteSession, RemoteSessions, Server, ServerOptions, Transport};
    pub use runtime::ClusterSpec;
}

/// Sessions: what runs steps of a graph, what is asked of them and what they return.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::{LocalSession, SessionOptions};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let there = g.with_device("/cpu:1", |g| g.constant(1f32));
/// let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 2, ..Default::default() })?;
/// assert_eq!(session.eval::<f32, _>(&there)?, 1.0);
/// # Ok(())
/// # }
/// ```
pub mod session {
    pub use graph::op::Cancellation;
    pub use runtime::{
        AsOperation, AsTensor, Evaluate, Fetch, Fetched, Improvements, LocalSession, LocalSessions, NodeStats,
        PlacementOptions, RunOptions, RunRequest, RunResult, RunStep, Session, SessionFactory, SessionOptions, Step,
        StepStats,
    };
}

/// The training library: variables, optimizers, saving, supervision, input and summaries.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{RmsProp, exponential_decay};
/// let g = Graph::new();
/// let (w, step) = (Variable::new("w", g.constant(4f32)), get_or_create_global_step(&g));
/// let rate = exponential_decay(0.5, &step, 10.0, 0.5, false);
/// let train = RmsProp::new(&rate).minimize(&(&w * &w), Some(&step))?;
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// for _ in 0..20 {
///     session.eval(&train)?;
/// }
/// assert!(session.eval::<f32, _>(&w)? < 1.0);
/// # Ok::<(), Status>(())
/// ```
pub mod train {
    pub use ::train::*;
}

#[doc(no_inline)]
pub use crate::cluster::*;
#[doc(no_inline)]
pub use crate::session::*;
pub use ::train::{layers, losses, metrics, summary};
pub use constructors::NewGraph;
pub use graph;
pub use graph::op::Registry;
pub use graph::{
    AttrValue, DeviceName, Gradient, GradientOptions, Graph, IndexedSlices, Operand, Operation, Output, Outputs,
    WhileLoop, cond, gradients, gradients_with, while_loop,
};
#[cfg(feature = "ndarray")]
pub use ndarray;
pub use raw_ops;
pub use tensor::{Code, DType, Element, FromTensor, PartialShape, Result, Shape, Status, Tensor};

/// The methods that ops add to graphs and outputs, the options that they take, and functions of ops.
///
/// ```
/// use tensorfleet::ops::{RandomOptions, map_fn};
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let numbers = g.random_uniform_with([3], 0.0, 1.0, RandomOptions::seed(7));
/// let total = map_fn(|number| number * 2.0, &numbers, DType::Float).reduce_sum(..);
/// assert!(LocalSession::new(&g)?.eval::<f32, _>(&total)? < 6.0);
/// # Ok::<(), Status>(())
/// ```
pub mod ops {
    pub use ::ops::prelude::*;
}
