//! Writes checkpoints now and then.

use std::path::PathBuf;
use std::sync::Arc;

use graph::Graph;
use runtime::{RunRequest, Session};
use tensor::{Result, Tensor};

use super::{Every, RunContext, SessionRunHook, StepReader, StepTimer};
use crate::coordinator::Coordinator;
use crate::saver::Saver;
use crate::summary::FileWriter;

/// Writes a checkpoint when a session begins, whenever its timer is due, and in the end.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{CheckpointSaverHook, Every, latest_checkpoint};
/// use std::sync::Arc;
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("checkpoint-hook-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let count = get_or_create_global_step(&g).assign_add(1);
/// let hook = CheckpointSaverHook::new(Every::Steps(10), Arc::new(Saver::new(&g)), &folder, None);
/// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
/// session.run(RunRequest::new().target(&count))?;
/// session.close()?;
/// assert_eq!(latest_checkpoint(&folder)?, Some(folder.join("model.ckpt-1")));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
pub struct CheckpointSaverHook {
    timer: StepTimer,
    saver: Arc<Saver>,
    path: PathBuf,
    writer: Option<FileWriter>,
    step: Option<StepReader>,
}

impl CheckpointSaverHook {
    /// Returns a hook that writes checkpoints `<folder>/model.ckpt-<step>` this often.
    pub fn new(
        every: impl Into<Every>,
        saver: Arc<Saver>,
        folder: impl Into<PathBuf>,
        writer: Option<FileWriter>,
    ) -> CheckpointSaverHook {
        let path = folder.into().join("model.ckpt");
        CheckpointSaverHook { timer: StepTimer::new(every), saver, path, writer, step: None }
    }

    /// Names checkpoints otherwise than `model.ckpt`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{CheckpointSaverHook, Every, latest_checkpoint};
    /// # let folder = std::env::temp_dir().join(format!("checkpoint-name-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let count = get_or_create_global_step(&g).assign_add(1);
    /// let hook = CheckpointSaverHook::new(Every::Steps(10), Arc::new(Saver::new(&g)), &folder, None);
    /// let hook = hook.checkpoint_basename("digits");
    /// let mut session = MonitoredTrainingSession::new(&g, LocalSessions::default()).hook(hook).open()?;
    /// session.run(RunRequest::new().target(&count))?;
    /// session.close()?;
    /// assert_eq!(latest_checkpoint(&folder)?, Some(folder.join("digits-1")));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn checkpoint_basename(mut self, name: &str) -> Self {
        self.path.set_file_name(name);
        self
    }

    fn save(&mut self, session: &Arc<dyn Session>, step: i64) -> Result<()> {
        let prefix = self.saver.save(session, &self.path, Some(step))?;
        self.timer.done(step);
        tracing::info!(step, prefix = %prefix.display(), "saved a checkpoint");
        match &self.writer {
            Some(writer) => writer.add_checkpoint(&prefix, step),
            None => Ok(()),
        }
    }
}

impl SessionRunHook for CheckpointSaverHook {
    fn begin(&mut self, graph: &Graph) -> Result<()> {
        self.step = Some(StepReader::find(graph)?);
        Ok(())
    }

    fn after_create_session(&mut self, session: &Arc<dyn Session>, _: &Coordinator) -> Result<()> {
        let Some(reader) = &self.step else { return Ok(()) };
        let step = reader.read(session)?;
        // A session that was restored from this very step has nothing new to save.
        if self.timer.last_step() == Some(step) { Ok(()) } else { self.save(session, step) }
    }

    fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
        Ok(self.step.as_ref().map_or_else(RunRequest::new, StepReader::request))
    }

    fn after_run(&mut self, context: &mut RunContext, values: &[Tensor]) -> Result<()> {
        let Some(reader) = &self.step else { return Ok(()) };
        if !self.timer.is_due(StepReader::value(values)? + 1) {
            return Ok(());
        }
        let step = reader.read(context.session())?;
        if self.timer.is_due(step) { self.save(&context.session().clone(), step) } else { Ok(()) }
    }

    fn end(&mut self, session: &Arc<dyn Session>) -> Result<()> {
        let Some(reader) = &self.step else { return Ok(()) };
        let step = reader.read(session)?;
        if self.timer.last_step() == Some(step) { Ok(()) } else { self.save(session, step) }
    }
}
