//! Writes summaries now and then.

use graph::{Graph, Output};
use runtime::RunRequest;
use tensor::{Result, Tensor};

use super::{Every, RunContext, SessionRunHook, StepReader, StepTimer, fetch_name};
use crate::summary::FileWriter;

/// Adds the summaries of a step to an event file, at the first step and whenever its timer is due.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Every, FileWriter, SummarySaverHook};
/// # let folder = std::env::temp_dir().join(format!("summary-hook-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let count = get_or_create_global_step(&g).assign_add(1);
/// let loss = summary::scalar("loss", &g.constant(0.5f32));
/// let hook = SummarySaverHook::new(Every::Steps(100), FileWriter::new(&folder)?, &loss);
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
/// session.run(RunRequest::new().target(&count))?;
/// session.close()?;
/// assert_eq!(std::fs::read_dir(&folder)?.count(), 1); // an event file
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Status>(())
/// ```
pub struct SummarySaverHook {
    timer: StepTimer,
    writer: FileWriter,
    summary: Output,
    step: Option<StepReader>,
    next_step: Option<i64>,
    due: bool,
}

impl SummarySaverHook {
    /// Returns a hook that does so this often.
    pub fn new(every: impl Into<Every>, writer: FileWriter, summary_op: &Output) -> SummarySaverHook {
        SummarySaverHook {
            timer: StepTimer::new(every),
            writer,
            summary: summary_op.clone(),
            step: None,
            next_step: None,
            due: false,
        }
    }
}

impl SessionRunHook for SummarySaverHook {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(StepReader::find(graph)?);
        Ok(())
    }

    fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
        self.due = self.next_step.is_none_or(|step| self.timer.is_due(step));
        let request = self.step.as_ref().map_or_else(RunRequest::new, StepReader::request);
        Ok(if self.due { request.fetch(&fetch_name(&self.summary)?) } else { request })
    }

    fn after_run(&mut self, context: &mut RunContext, values: &[Tensor]) -> Result<()> {
        let stale = StepReader::value(values)?;
        let mut step = stale + 1;
        if let (Some(reader), true, Some(summary)) = (&self.step, self.due, values.get(1)) {
            if self.next_step.is_none() {
                self.writer.add_session_start(stale)?;
            }
            step = reader.read(context.session())?;
            self.timer.done(step);
            self.writer.add_summary(summary, step)?;
        }
        self.next_step = Some(step + 1);
        Ok(())
    }

    fn end(&mut self, _: &std::sync::Arc<dyn runtime::Session>) -> Result<()> {
        self.writer.flush()
    }
}
