//! A function for every op that is registered, with its attributes as a builder.
//!
//! The methods of the prelude are the everyday way to build a graph. What has no method can be built here, as
//! TensorFlow defines it: inputs, and attributes that neither follow from the inputs nor have a default, are arguments of
//! the function; the other attributes are methods of the builder that it returns. An op none of whose inputs is a single
//! value takes the graph first.
//!
//! ```
//! use tensorfleet::prelude::*;
//! use tensorfleet::raw_ops;
//!
//! # fn main() -> tensorfleet::Result<()> {
//! let g = Graph::new();
//! let a = g.constant([[1f32, 2.0], [3.0, 4.0]]);
//! let b = g.constant([[1f32, 0.0]]);
//! let product = raw_ops::mat_mul(&a, &b).transpose_b(true).name("product").output();
//!
//! // Several outputs come by their names, a list of outputs as a vector.
//! let best = raw_ops::top_k_v2(&a, &g.constant(1)).outputs();
//! let rows = raw_ops::unpack(&a, 2).outputs();
//!
//! let session = LocalSession::new(&g)?;
//! let results = session.fetch(RunRequest::new().fetch(&product).fetch(&best.indices).fetch(&rows[1]))?;
//! assert_eq!(results[0], Tensor::from([[1f32], [3.0]]));
//! assert_eq!(results[1], Tensor::from([[1], [1]]));
//! assert_eq!(results[2], Tensor::from([3f32, 4.0]));
//! # Ok(())
//! # }
//! ```
//!
//! Names are those of TensorFlow's definitions in snake case: `Conv2DBackpropFilter` is `conv2d_backprop_filter`, `T` is
//! `t`. A name that Rust keeps for itself, or that the builder has a method of, ends in an underscore: `where_`. Internal
//! ops, whose names begin with an underscore, have no functions.
//!
//! The functions are written by `cargo xtask generate` from the registry.

#![warn(missing_docs)]

#[macro_use]
mod table;

mod generated;
mod outputs;

pub use generated::*;
