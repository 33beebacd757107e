//! Prints tensors now and then.

use graph::Output;
use runtime::RunRequest;
use tensor::{DType, Result, Tensor};

use super::{Every, RunContext, SessionRunHook, StepTimer, fetch_name};

/// Prints the values of tensors every so many steps: `loss = 0.25, step = 100`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Every, LoggingTensorHook};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let loss = g.placeholder(DType::Float, PartialShape::scalar());
/// let (tell, told) = std::sync::mpsc::channel();
/// let hook = LoggingTensorHook::new(&[("loss", &loss)]).every(Every::Steps(2)).print_with(move |line| {
///     let _ = tell.send(line.to_owned());
/// });
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
/// for value in [0.5f32, 0.25] {
///     session.run(RunRequest::new().feed(&loss, value).fetch(&loss))?;
/// }
/// assert_eq!(told.try_iter().collect::<Vec<_>>(), ["loss = 0.5"]);
/// # Ok(())
/// # }
/// ```
pub struct LoggingTensorHook {
    tensors: Vec<(String, Output)>,
    timer: StepTimer,
    steps: i64,
    due: bool,
    print: Box<dyn FnMut(&str) + Send>,
}

impl LoggingTensorHook {
    /// Logs these tensors, each under a name, every 100 steps.
    pub fn new(tensors: &[(&str, &Output)]) -> LoggingTensorHook {
        LoggingTensorHook {
            tensors: tensors.iter().map(|(name, output)| ((*name).to_owned(), (*output).clone())).collect(),
            timer: StepTimer::new(Every::Steps(100)),
            steps: 0,
            due: false,
            print: Box::new(|line| tracing::info!("{line}")),
        }
    }

    /// Logs them this often.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Every, LoggingTensorHook};
    /// let g = Graph::new();
    /// let loss = g.constant(0.5f32);
    /// let by_steps = LoggingTensorHook::new(&[("loss", &loss)]).every(Every::Steps(10));
    /// let by_time = LoggingTensorHook::new(&[("loss", &loss)]).every(Duration::from_secs(60));
    /// # let _: [LoggingTensorHook; 2] = [by_steps, by_time];
    /// ```
    #[doc(alias("every_n_iter", "every_n_secs"))]
    #[must_use]
    pub fn every(mut self, every: impl Into<Every>) -> Self {
        self.timer = StepTimer::new(every);
        self
    }

    /// Passes the lines to the program instead of the log.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::LoggingTensorHook;
    /// let g = Graph::new();
    /// let (loss, (tell, told)) = (g.constant(0.5f32), std::sync::mpsc::channel());
    /// let hook = LoggingTensorHook::new(&[("loss", &loss)]).print_with(move |line| {
    ///     let _ = tell.send(line.to_owned());
    /// });
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
    /// session.run(RunRequest::new())?;
    /// assert_eq!(told.try_recv().unwrap(), "loss = 0.5");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn print_with(mut self, print: impl FnMut(&str) + Send + 'static) -> Self {
        self.print = Box::new(print);
        self
    }
}

impl SessionRunHook for LoggingTensorHook {
    fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
        self.due = self.timer.is_due(self.steps);
        let mut request = RunRequest::new();
        for (_, output) in self.tensors.iter().filter(|_| self.due) {
            request = request.fetch(&fetch_name(output)?);
        }
        Ok(request)
    }

    fn after_run(&mut self, _: &mut RunContext, values: &[Tensor]) -> Result<()> {
        if self.due {
            let shown: Vec<String> = self
                .tensors
                .iter()
                .zip(values)
                .map(|((name, _), value)| format!("{name} = {}", shown(value)))
                .collect();
            let mut line = shown.join(", ");
            if let Some((_, elapsed)) = self.timer.done(self.steps) {
                line.push_str(&format!(" ({:.3} sec)", elapsed.as_secs_f64()));
            }
            (self.print)(&line);
        }
        self.steps += 1;
        Ok(())
    }
}

/// A scalar as a number, anything else as the tensor it is.
fn shown(value: &Tensor) -> String {
    if !value.shape().is_scalar() {
        return format!("{value:?}");
    }
    match value.dtype() {
        DType::Float => value.to_scalar::<f32>().map_or_else(|_| String::new(), |value| value.to_string()),
        DType::Double => value.to_scalar::<f64>().map_or_else(|_| String::new(), |value| value.to_string()),
        DType::Int32 | DType::Int64 => {
            value.to_i64_vec().map_or_else(|_| String::new(), |values| values.iter().map(i64::to_string).collect())
        }
        _ => format!("{value:?}"),
    }
}
