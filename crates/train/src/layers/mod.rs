//! Layers: parts of models with the variables that they train. One file each.
//!
//! A layer is begun by a function, told more by methods, and added to the graph by `build`. Its variables come from the present
//! variable scope, so that a scope with [`Reuse`](crate::Reuse) lets two layers share them, and are named as `tf.layers` of
//! TensorFlow names them: `dense/kernel`, `dense/bias`, and `dense_1/kernel` for the next one.
//!
//! ```
//! use tensorfleet::prelude::*;
//! use tensorfleet::train::trainable_variables;
//! # fn main() -> tensorfleet::Result<()> {
//! let g = Graph::new();
//! let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(1)]);
//! let x = layers::conv2d(&images, 8, 5).padding(Padding::Same).activation(Output::relu).build();
//! let x = layers::max_pool2d(&x, 2, 2).build();
//! let x = layers::dense(&layers::flatten(&x), 32).activation(Output::relu).name("hidden").build();
//! let logits = layers::dense(&x, 10).build();
//! assert_eq!(logits.shape(), PartialShape::from([None, Some(10)]));
//! let names: Vec<String> = trainable_variables(&g).iter().map(|variable| variable.name().to_owned()).collect();
//! assert_eq!(names[..3], ["conv2d/kernel", "conv2d/bias", "hidden/kernel"]);
//! # Ok(())
//! # }
//! ```

mod batch_norm;
mod conv2d;
mod dense;
mod dropout;
mod embedding;
mod flatten;
mod pool2d;
mod regularizer;
pub mod rnn;
mod training;

pub use batch_norm::{BatchNorm, batch_norm};
pub use conv2d::{Conv2d, conv2d};
pub use dense::{Dense, dense};
pub use dropout::{Dropout, dropout};
pub use embedding::{Embedding, embedding};
pub use flatten::flatten;
pub use pool2d::{Pool2d, average_pool2d, max_pool2d};
pub use regularizer::Regularizer;
pub use rnn::{GruCell, LstmCell, RnnCell, RnnOutput, dynamic_rnn, static_rnn};
pub use training::Training;

use graph::{Graph, Output};

use crate::variable_scope::{VariableScopeOps, fresh_variable_scope, variable_scope_name};

/// Builds a layer in a variable scope of the name that it was given, or of one that no other layer has.
#[track_caller]
pub(crate) fn in_layer_scope<R>(graph: &Graph, name: Option<&str>, usual: &str, build: impl FnOnce(&Graph) -> R) -> R {
    if let Some(name) = name {
        return graph.with_variable_scope(name, build);
    }
    let outer = variable_scope_name(graph);
    let fresh = fresh_variable_scope(graph, usual);
    let local = fresh.strip_prefix(&outer).unwrap_or(&fresh).trim_start_matches('/');
    graph.with_variable_scope(local, build)
}

/// What a layer does to its result.
type Activation = Box<dyn Fn(&Output) -> Output + Send + Sync>;

/// Two sizes of a window or a step: one number for both, or rows and columns.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
/// let square = layers::max_pool2d(&images, 2, 2).build();
/// let rows_only = layers::max_pool2d(&images, [2, 1], [2, 1]).build();
/// assert_eq!(square.shape(), PartialShape::from([None, Some(14), Some(14), Some(3)]));
/// assert_eq!(rows_only.shape(), PartialShape::from([None, Some(14), Some(28), Some(3)]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window(pub(crate) [i64; 2]);

impl From<i64> for Window {
    fn from(size: i64) -> Window {
        Window([size, size])
    }
}

impl From<[i64; 2]> for Window {
    fn from(sizes: [i64; 2]) -> Window {
        Window(sizes)
    }
}
