//! A run under supervision: what a [`Supervisor`](crate::Supervisor) and a
//! [`MonitoredSession`](crate::MonitoredSession) have in common, from their settings to a session whose model is ready.

mod builder;
mod losses;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use builder::RunBuilder;
use graph::Graph;
pub(crate) use losses::Losses;
use runtime::{Session, SessionFactory};
use tensor::Result;

use crate::coordinator::Coordinator;
use crate::fence::Fence;
use crate::hooks::Every;
use crate::scaffold::Scaffold;
use crate::session_manager::{Initialization, Prepared, SessionManager};
use crate::summary::FileWriter;

/// The settings of a run that has begun, with all nodes that it needs.
pub(crate) struct Run {
    pub graph: Graph,
    pub is_chief: bool,
    pub scaffold: Scaffold,
    pub manager: SessionManager,
    pub logdir: Option<PathBuf>,
    pub checkpoint_basename: String,
    pub save_checkpoint: Every,
    pub save_summaries: Every,
    /// The chief's event file, if there is a folder for it.
    pub writer: Option<FileWriter>,
    pub stop_grace: Duration,
    pub max_wait: Duration,
    /// Stopped when the program asks for the end, and not because a session was lost.
    pub asked: Coordinator,
    /// What the chief has once it has begun, if it saves.
    pub fence: OnceLock<Fence>,
}

impl Run {
    /// The prefix of checkpoints, without the step.
    pub fn checkpoint_path(&self) -> Option<PathBuf> {
        self.logdir.as_ref().map(|logdir| logdir.join(&self.checkpoint_basename))
    }

    /// A session whose model is ready: the chief initialises or restores it, the others wait for that and always find it.
    ///
    /// # Errors
    /// As [`SessionManager::prepare_session`] and [`SessionManager::wait_for_session`].
    pub fn ready_session(&self, factory: &dyn SessionFactory) -> Result<(Arc<dyn Session>, Prepared)> {
        if !self.is_chief {
            let session = self.manager.wait_for_session(factory, self.max_wait, &self.asked)?;
            return Ok((session, Prepared::Found));
        }
        let fence = self.fence()?;
        let initialization = Initialization {
            init_op: self.scaffold.init_op.as_ref(),
            init_feeds: self.scaffold.init_feeds.clone(),
            init_fn: self.scaffold.init_fn.as_deref(),
            saver: self.scaffold.saver.as_deref(),
            checkpoint_dir: self.logdir.as_deref(),
        };
        self.manager.prepare_session_behind(fence, factory, &initialization)
    }

    /// What keeps older chiefs out, made when this one begins and not when it comes back.
    fn fence(&self) -> Result<Option<&Fence>> {
        let (Some(logdir), Some(saver)) = (&self.logdir, &self.scaffold.saver) else { return Ok(None) };
        if self.save_checkpoint.is_never() {
            return Ok(None);
        }
        if self.fence.get().is_none() {
            let fence = Fence::claim(logdir)?;
            saver.keep_fence(&fence);
            let _ = self.fence.set(fence);
        }
        Ok(self.fence.get())
    }
}
