//! Watches for a loss that is not a number.

use graph::Output;
use runtime::RunRequest;
use tensor::{DType, Result, Tensor, bail};

use super::{RunContext, SessionRunHook, fetch_name};

/// Ends training when a tensor has an element that is not a number: with an error, or quietly.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::NanTensorHook;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = g.placeholder(DType::Float, PartialShape::scalar());
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(NanTensorHook::new(&loss)).open()?;
/// session.run(RunRequest::new().feed(&loss, 1f32))?;
/// let error = session.run(RunRequest::new().feed(&loss, f32::NAN)).err().unwrap();
/// assert_eq!(error.code(), Code::InvalidArgument);
/// # Ok(())
/// # }
/// ```
pub struct NanTensorHook {
    tensor: Output,
    fail: bool,
}

impl NanTensorHook {
    /// Fails with `InvalidArgument`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::NanTensorHook;
    /// let g = Graph::new();
    /// let loss = g.placeholder(DType::Float, ());
    /// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default());
    /// let mut session = builder.hook(NanTensorHook::new(&loss)).open()?;
    /// assert!(session.feed(&loss, f32::NAN).eval::<f32, _>(&loss).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn new(loss: &Output) -> NanTensorHook {
        NanTensorHook { tensor: loss.clone(), fail: true }
    }

    /// Asks for a stop instead of failing.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::NanTensorHook;
    /// let g = Graph::new();
    /// let loss = g.placeholder(DType::Float, ());
    /// let hook = NanTensorHook::new(&loss).stop_only();
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
    /// session.run(RunRequest::new().feed(&loss, f32::NAN))?;
    /// assert!(session.should_stop());
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn stop_only(mut self) -> NanTensorHook {
        self.fail = false;
        self
    }
}

impl SessionRunHook for NanTensorHook {
    fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
        Ok(RunRequest::new().fetch(&fetch_name(&self.tensor)?))
    }

    fn after_run(&mut self, context: &mut RunContext, values: &[Tensor]) -> Result<()> {
        if !values.iter().any(has_nan) {
            return Ok(());
        }
        let name = fetch_name(&self.tensor)?;
        tracing::error!(tensor = name, "the model diverged: loss is not a number");
        if self.fail {
            bail!(InvalidArgument, "NaN loss during training: tensor {name}");
        }
        context.request_stop();
        Ok(())
    }
}

fn has_nan(tensor: &Tensor) -> bool {
    match tensor.dtype() {
        DType::Float => tensor.as_slice::<f32>().is_ok_and(|values| values.iter().any(|value| value.is_nan())),
        DType::Double => tensor.as_slice::<f64>().is_ok_and(|values| values.iter().any(|value| value.is_nan())),
        _ => false,
    }
}
