//! Optimizers: from a loss to the nodes that make it smaller. One file each.
//!
//! [`Optimizer`] is what programs call. [`UpdateRule`] is what the author of an optimizer writes: which variables it keeps
//! beside each variable (its slots), which numbers its steps need, and which op makes a step. Every update rule is an optimizer;
//! gradients, placement beside the variables, rows that come twice and the counting of steps are the same for all of them. The
//! nodes, their names and devices are TensorFlow's.

mod adadelta;
mod adagrad;
mod adam;
mod ftrl;
mod gradient_descent;
mod momentum;
mod rms_prop;
mod rule;
mod scalar;
mod update;

use std::sync::Arc;

pub use adadelta::Adadelta;
pub use adagrad::Adagrad;
pub use adam::Adam;
pub use ftrl::Ftrl;
pub use gradient_descent::GradientDescent;
pub use momentum::Momentum;
pub use rms_prop::RmsProp;
pub use rule::{UpdateRule, apply_rule};
pub use scalar::Scalar;
pub(crate) use update::first_element;
pub use update::{Update, UpdateOp};

use graph::{Gradient, Operation, Output, gradients};
use tensor::{Result, ensure};

use crate::variable::Variable;
use crate::variable_lists::trainable_variables;

/// A variable and its gradient; `None` if the loss does not depend on it.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::GradientAndVariable;
/// let g = Graph::new();
/// let (w, unused) = (Variable::new("w", g.constant(1f32)), Variable::new("unused", g.constant(1f32)));
/// let gradients: Vec<GradientAndVariable> = GradientDescent::new(0.1).compute_gradients(&(&w * &w), None)?;
/// assert!(gradients[0].0.is_some() && gradients[1].0.is_none());
/// assert_eq!(gradients[1].1.name(), unused.name());
/// # Ok::<(), Status>(())
/// ```
pub type GradientAndVariable = (Option<Gradient>, Variable);

/// Changes variables along their gradients.
///
/// Optimizers are shared as `Arc<T>`, and kept side by side as `Box<dyn Optimizer>`: both are optimizers themselves. An
/// [`UpdateRule`] is an optimizer too.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let loss = &w * &w; // its gradient at 1 is 2
/// let all: Vec<(Box<dyn Optimizer>, f32)> =
///     vec![(Box::new(GradientDescent::new(0.25)), 0.5), (Box::new(Adam::new(0.1)), 0.9)];
/// for (optimizer, expected) in all {
///     let train = optimizer.minimize(&loss, None)?;
///     let session = LocalSession::new(&g)?;
///     session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
///     session.run(RunRequest::new().target(&train))?;
///     let value = session.fetch(RunRequest::new().fetch(w.value()))?[0].to_scalar::<f32>()?;
///     assert!((value - expected).abs() < 1e-5, "{}: {value}", optimizer.name());
/// }
/// # Ok(())
/// # }
/// ```
pub trait Optimizer: Send + Sync {
    /// Returns the name of the scope that its nodes are in.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((Adam::new(0.1).name(), GradientDescent::new(0.1).named("Sgd").name()), ("Adam", "Sgd"));
    /// ```
    fn name(&self) -> &str;

    /// Returns the slot of this name of a variable, such as `momentum`; `None` before gradients are applied.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = Momentum::new(0.1, 0.9);
    /// assert!(optimizer.slot(&w, "momentum").is_none());
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.slot(&w, "momentum").unwrap().name(), "w/Momentum");
    /// # Ok::<(), Status>(())
    /// ```
    fn slot(&self, variable: &Variable, name: &str) -> Option<Variable>;

    /// Returns the variables that the optimizer has made, by name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = Momentum::new(0.1, 0.9);
    /// optimizer.minimize(&(&w * &w), None)?;
    /// assert_eq!(optimizer.variables().len(), 1);
    /// # Ok::<(), Status>(())
    /// ```
    fn variables(&self) -> Vec<Variable>;

    /// Returns a node that changes variables along these gradients, and then adds 1 to `global_step`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let optimizer = GradientDescent::new(0.5);
    /// let gradients = optimizer.compute_gradients(&(&w * &w), None)?;
    /// let doubled: Vec<_> =
    ///     gradients.into_iter().map(|(gradient, w)| (gradient.map(|x| (x.to_dense() * 2.0).into()), w)).collect();
    /// let train = optimizer.apply_gradients(&doubled, None)?;
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<f32, _>(&w)?, -1.0); // 1 - 0.5 * 4
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there is no gradient at all.
    #[track_caller]
    fn apply_gradients(&self, gradients: &[GradientAndVariable], global_step: Option<&Variable>) -> Result<Operation>;

    /// Returns the gradients of `loss` with respect to these variables, or to all trainable ones.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(3f32));
    /// let gradients = GradientDescent::new(0.5).compute_gradients(&(&w * &w), None)?;
    /// let slope = gradients[0].0.clone().unwrap().to_dense();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<f32, _>(&slope)?, 6.0);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there are no variables, or an op between them and the loss has no gradient.
    fn compute_gradients(&self, loss: &Output, variables: Option<&[Variable]>) -> Result<Vec<GradientAndVariable>> {
        let variables = variables.map_or_else(|| trainable_variables(loss.graph()), <[Variable]>::to_vec);
        ensure!(!variables.is_empty(), InvalidArgument, "No variables to optimize.");
        let handles: Vec<Output> = variables.iter().map(|variable| variable.handle().clone()).collect();
        let found = gradients(std::slice::from_ref(loss), &handles)?;
        Ok(found.into_iter().zip(variables).collect())
    }

    /// Returns a node that makes `loss` smaller by changing all trainable variables, and then adds 1 to `global_step`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let train = GradientDescent::new(0.25).minimize(&(&w * &w), Some(&step))?;
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<(f32, i64), _>((&w, &step))?, (0.5, 1)); // 1 - 0.25 * 2
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if no variable has a gradient, or an op between them and the loss has none.
    #[track_caller]
    fn minimize(&self, loss: &Output, global_step: Option<&Variable>) -> Result<Operation> {
        self.apply_gradients(&self.compute_gradients(loss, None)?, global_step)
    }

    /// Returns a node that makes `loss` smaller by changing these variables alone, and then adds 1 to `global_step`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (a, b) = (Variable::new("a", g.constant(1f32)), Variable::new("b", g.constant(1f32)));
    /// let train = GradientDescent::new(0.5).minimize_over(&(&a + &b), None, &[a.clone()])?;
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// session.eval(&train)?;
    /// assert_eq!(session.eval::<(f32, f32), _>((&a, &b))?, (0.5, 1.0));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if none of the variables has a gradient, or an op between them and the loss has none.
    #[track_caller]
    fn minimize_over(
        &self,
        loss: &Output,
        global_step: Option<&Variable>,
        variables: &[Variable],
    ) -> Result<Operation> {
        self.apply_gradients(&self.compute_gradients(loss, Some(variables))?, global_step)
    }
}

impl<R: UpdateRule> Optimizer for R {
    fn name(&self) -> &str {
        self.scope()
    }

    fn slot(&self, variable: &Variable, name: &str) -> Option<Variable> {
        self.slots().get(variable, name)
    }

    fn variables(&self) -> Vec<Variable> {
        self.slots().variables()
    }

    #[track_caller]
    fn apply_gradients(&self, gradients: &[GradientAndVariable], global_step: Option<&Variable>) -> Result<Operation> {
        apply_rule(self, self.scope(), gradients, global_step)
    }
}

/// Passes every call on, so that what an optimizer overrides stays overridden.
macro_rules! forward_optimizer {
    () => {
        fn name(&self) -> &str {
            (**self).name()
        }

        fn slot(&self, variable: &Variable, name: &str) -> Option<Variable> {
            (**self).slot(variable, name)
        }

        fn variables(&self) -> Vec<Variable> {
            (**self).variables()
        }

        #[track_caller]
        fn apply_gradients(&self, given: &[GradientAndVariable], global_step: Option<&Variable>) -> Result<Operation> {
            (**self).apply_gradients(given, global_step)
        }

        fn compute_gradients(&self, loss: &Output, variables: Option<&[Variable]>) -> Result<Vec<GradientAndVariable>> {
            (**self).compute_gradients(loss, variables)
        }
    };
}

impl<T: Optimizer + ?Sized> Optimizer for Arc<T> {
    forward_optimizer!();
}

impl Optimizer for Box<dyn Optimizer> {
    forward_optimizer!();
}

impl Optimizer for &dyn Optimizer {
    forward_optimizer!();
}
