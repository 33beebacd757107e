//! The global step: one counter of all training steps, in the collection of its name.

use graph::Graph;
use tensor::{DType, Result, ensure};

use crate::collections::{collection, keys};
use crate::initializers::Initializer;
use crate::variable::Variable;
use crate::variable_scope::VariableScopeOps;

/// Makes the global step: an int64 variable named `global_step` that begins at 0 and is not trained.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{create_global_step, get_global_step};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let step = create_global_step(&g)?;
/// assert!(create_global_step(&g).is_err());
/// assert_eq!(get_global_step(&g).unwrap().name(), step.name());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `AlreadyExists` if the graph has one.
pub fn create_global_step(graph: &Graph) -> Result<Variable> {
    ensure!(get_global_step(graph).is_none(), AlreadyExists, "\"global_step\" already exists.");
    let request = graph.variable("global_step").shape(()).dtype(DType::Int64).initializer(Initializer::Zeros);
    request.trainable(false).collections([keys::GLOBAL_VARIABLES, keys::GLOBAL_STEP]).try_get()
}

/// The graph's global step: the one in its collection, or else a variable of that name.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::get_global_step;
/// let g = Graph::new();
/// assert!(get_global_step(&g).is_none());
/// get_or_create_global_step(&g);
/// assert_eq!(get_global_step(&g).unwrap().name(), "global_step");
/// ```
pub fn get_global_step(graph: &Graph) -> Option<Variable> {
    let name = collection(graph, keys::GLOBAL_STEP).pop().unwrap_or_else(|| "global_step".to_owned());
    Variable::find(graph, &name)
}

/// The graph's global step, made if there is none.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let step = get_or_create_global_step(&g);
/// assert_eq!((step.name(), step.dtype()), ("global_step", Some(DType::Int64)));
/// ```
#[track_caller]
pub fn get_or_create_global_step(graph: &Graph) -> Variable {
    get_global_step(graph).unwrap_or_else(|| match create_global_step(graph) {
        Ok(step) => step,
        Err(mistake) => {
            graph.note_mistake(mistake);
            Variable::untrained("global_step", graph.constant(0i64))
        }
    })
}
