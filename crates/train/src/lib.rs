//! The training library: variables, and optimizers that change them.

mod optimizers;
mod variable;

pub use optimizers::{Adam, GradientDescent, Optimizer};
pub use variable::{Variable, VariableKind, global_variables, global_variables_initializer, trainable_variables};
