//! Counts steps per second.

use graph::Graph;
use runtime::RunRequest;
use tensor::{Result, Tensor};

use super::{Every, RunContext, SessionRunHook, StepReader, StepTimer};
use crate::summary::FileWriter;

/// Logs how many global steps are made a second, and adds it to the events as `global_step/sec`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Every, StepCounterHook};
/// let g = Graph::new();
/// let count = get_or_create_global_step(&g).assign_add(1);
/// let hook = StepCounterHook::new(Every::Steps(100), None);
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
/// session.run(RunRequest::new().target(&count))?;
/// session.close()?;
/// # Ok::<(), Status>(())
/// ```
pub struct StepCounterHook {
    timer: StepTimer,
    writer: Option<FileWriter>,
    step: Option<StepReader>,
}

impl StepCounterHook {
    /// Returns a hook that does so this often.
    pub fn new(every: impl Into<Every>, writer: Option<FileWriter>) -> StepCounterHook {
        StepCounterHook { timer: StepTimer::new(every), writer, step: None }
    }
}

impl SessionRunHook for StepCounterHook {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(StepReader::find(graph)?);
        Ok(())
    }

    fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
        Ok(self.step.as_ref().map_or_else(RunRequest::new, StepReader::request))
    }

    fn after_run(&mut self, context: &mut RunContext, values: &[Tensor]) -> Result<()> {
        let stale = StepReader::value(values)?;
        let Some(reader) = self.step.as_ref().filter(|_| self.timer.is_due(stale + 1)) else { return Ok(()) };
        let step = reader.read(context.session())?;
        if !self.timer.is_due(step) {
            return Ok(());
        }
        if let Some((steps, elapsed)) = self.timer.done(step) {
            let rate = steps as f64 / elapsed.as_secs_f64().max(1e-9);
            tracing::info!(step, "global_step/sec: {rate:.6}");
            if let Some(writer) = &self.writer {
                writer.add_scalar("global_step/sec", rate as f32, step)?;
            }
        }
        Ok(())
    }
}
