//! Sessions whose model is ready: the chief initialises or restores it, the others wait for that.
//!
//! A model that has all its values is left as it is: a chief that comes back goes on with it. One that has lost some of
//! them, with a parameter server that restarted, is restored whole from the newest checkpoint.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{Graph, Operation, Output};
use runtime::{RunRequest, Session, SessionFactory};
use tensor::{Code, Result, Status, Tensor, bail, ensure, err};

mod restore_newest;

pub use restore_newest::{RestoredCheckpoint, restore_newest};

use crate::coordinator::Coordinator;
use crate::fence::Fence;
use crate::saver::Saver;
use crate::variable_lists::{global_variables, report_uninitialized_variables};

/// How long a worker usually waits for the chief, as in TensorFlow.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::train::MAX_WAIT;
/// assert_eq!(MAX_WAIT, Duration::from_secs(2 * 60 * 60));
/// ```
pub const MAX_WAIT: Duration = Duration::from_secs(7200);

/// Opens sessions and makes their model ready.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initialization, Prepared, SessionManager};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// let init = global_variables_initializer(&g);
/// let manager = SessionManager::new(&g, None, None, None);
/// let initialization = Initialization { init_op: Some(&init), ..Default::default() };
/// let (_session, prepared) = manager.prepare_session(&LocalSessions::default(), &initialization)?;
/// assert_eq!(prepared, Prepared::Initialized);
/// # Ok(())
/// # }
/// ```
pub struct SessionManager {
    graph: Graph,
    /// Names what is not ready; empty when all is.
    ready_op: Option<Output>,
    /// Names what the local initialization needs and has no value yet: global variables.
    ready_for_local_init_op: Output,
    global_variables: usize,
    /// Whether `ready_for_local_init_op` was made here, and speaks of all global variables.
    reports_all: bool,
    local_init_op: Option<Operation>,
    recovery_wait: Duration,
}

/// How the chief gives a model its first values.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initialization, SessionManager};
/// let g = Graph::new();
/// let start = g.placeholder(DType::Float, ());
/// let w = Variable::new("w", start);
/// let init = global_variables_initializer(&g);
/// let initialization = Initialization {
///     init_op: Some(&init),
///     init_feeds: vec![("Placeholder:0".to_owned(), Tensor::from(5f32))],
///     ..Default::default()
/// };
/// let manager = SessionManager::new(&g, None, None, None);
/// let (session, _) = manager.prepare_session(&LocalSessions::default(), &initialization)?;
/// assert_eq!(session.eval::<f32, _>(&w)?, 5.0);
/// # Ok::<(), Status>(())
/// ```
#[derive(Default)]
pub struct Initialization<'a> {
    /// Run if the model is not restored.
    pub init_op: Option<&'a Operation>,
    /// What `init_op` is fed, by the names of the tensors.
    pub init_feeds: Vec<(String, Tensor)>,
    /// Called after `init_op`.
    pub init_fn: Option<&'a (dyn Fn(&dyn Session) -> Result<()> + Send + Sync)>,
    /// Restores the newest checkpoint, if there is one.
    pub saver: Option<&'a Saver>,
    /// Where the newest checkpoint is looked for.
    pub checkpoint_dir: Option<&'a Path>,
}

/// What a prepared session found and did.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initialization, Prepared, SessionManager};
/// # let folder = std::env::temp_dir().join(format!("prepared-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// let (init, saver) = (global_variables_initializer(&g), Saver::new(&g));
/// let manager = SessionManager::new(&g, None, None, None);
/// let how = Initialization {
///     init_op: Some(&init),
///     saver: Some(&saver),
///     checkpoint_dir: Some(&folder),
///     ..Default::default()
/// };
/// let (session, prepared) = manager.prepare_session(&LocalSessions::default(), &how)?;
/// assert_eq!(prepared, Prepared::Initialized);
/// let path = saver.save(&*session, folder.join("model.ckpt"), None)?;
/// let (_, prepared) = manager.prepare_session(&LocalSessions::default(), &how)?;
/// assert_eq!(prepared, Prepared::Restored(path));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// The model had all its values.
    Found,
    /// The model was restored from this checkpoint.
    Restored(PathBuf),
    /// The model got its initial values.
    Initialized,
}

impl SessionManager {
    /// Returns a manager for a graph. Nodes that are not given are added: those that report variables without a value.
    #[track_caller]
    pub fn new(
        graph: &Graph,
        ready_op: Option<Output>,
        ready_for_local_init_op: Option<Output>,
        local_init_op: Option<Operation>,
    ) -> SessionManager {
        let globals = global_variables(graph);
        let reports_all = ready_for_local_init_op.is_none();
        let ready_for_local_init_op =
            ready_for_local_init_op.unwrap_or_else(|| report_uninitialized_variables(graph, Some(&globals)));
        SessionManager {
            graph: graph.clone(),
            ready_op,
            ready_for_local_init_op,
            global_variables: globals.len(),
            reports_all,
            local_init_op,
            recovery_wait: Duration::from_secs(30),
        }
    }

    /// The longest pause between two looks whether the model is ready.
    #[must_use]
    pub fn recovery_wait(mut self, wait: Duration) -> SessionManager {
        self.recovery_wait = wait;
        self
    }

    /// Returns the graph whose sessions it opens.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the chief's session. Leaves an initialised model as it is; else restores the newest checkpoint; else runs the
    /// initialization. Then runs the local initialization and checks that all is ready.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Initialization, SessionManager};
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let manager = SessionManager::new(&g, None, None, None);
    /// let nothing = Initialization::default();
    /// let error = manager.prepare_session(&LocalSessions::default(), &nothing).err().unwrap();
    /// assert_eq!(error.code(), Code::FailedPrecondition);
    /// assert!(error.message().contains("w"), "{error}");
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` if the model is not ready after all this, naming what is missing; what opening, restoring or
    /// initialising failed with.
    pub fn prepare_session(
        &self,
        factory: &dyn SessionFactory,
        initialization: &Initialization<'_>,
    ) -> Result<(Arc<dyn Session>, Prepared)> {
        self.prepare_session_behind(None, factory, initialization)
    }

    /// As [`prepare_session`](SessionManager::prepare_session), for a chief that is refused once another one has begun.
    pub(crate) fn prepare_session_behind(
        &self,
        fence: Option<&Fence>,
        factory: &dyn SessionFactory,
        initialization: &Initialization<'_>,
    ) -> Result<(Arc<dyn Session>, Prepared)> {
        let session = factory.open(&self.graph)?;
        match self.make_ready(&session, initialization, fence) {
            Ok(prepared) => Ok((session, prepared)),
            Err(status) => {
                let _ = session.close();
                Err(status)
            }
        }
    }

    fn make_ready(
        &self,
        session: &Arc<dyn Session>,
        initialization: &Initialization<'_>,
        fence: Option<&Fence>,
    ) -> Result<Prepared> {
        let missing = self.missing(session, &self.ready_for_local_init_op)?;
        let prepared = if self.global_variables > 0 && missing.is_empty() {
            tracing::info!("the model has all its values already; going on with it");
            Prepared::Found
        } else {
            if self.reports_all && missing.len() < self.global_variables {
                tracing::warn!(?missing, "a part of the model is lost");
            }
            if let Some(fence) = fence {
                fence.check("initialise or restore the model")?;
            }
            match self.restore_newest(session, initialization)? {
                Some(prefix) => Prepared::Restored(prefix),
                None => {
                    initialize(session, initialization, self.local_init_op.is_some())?;
                    Prepared::Initialized
                }
            }
        };
        let missing = self.missing(session, &self.ready_for_local_init_op)?;
        ensure!(
            missing.is_empty(),
            FailedPrecondition,
            "Init operations did not make model ready for local_init. Variables not initialized: {}",
            missing.join(", ")
        );
        self.run_local_init(session)?;
        let missing = self.not_ready(session)?;
        ensure!(
            missing.is_empty(),
            FailedPrecondition,
            "Init operations did not make model ready. Variables not initialized: {}",
            missing.join(", ")
        );
        Ok(prepared)
    }

    /// Returns a session on the model as the newest checkpoint has it, and whether it is ready.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::SessionManager;
    /// # let folder = std::env::temp_dir().join(format!("recover-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let (saver, manager) = (Saver::new(&g), SessionManager::new(&g, None, None, None));
    /// let (_session, ready) = manager.recover_session(&LocalSessions::default(), &saver, &folder)?;
    /// assert!(!ready); // there was nothing to restore
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// What opening or restoring failed with.
    pub fn recover_session(
        &self,
        factory: &dyn SessionFactory,
        saver: &Saver,
        checkpoint_dir: &Path,
    ) -> Result<(Arc<dyn Session>, bool)> {
        let session = factory.open(&self.graph)?;
        let initialization =
            Initialization { saver: Some(saver), checkpoint_dir: Some(checkpoint_dir), ..Default::default() };
        if self.restore_newest(&session, &initialization)?.is_none() {
            return Ok((session, false));
        }
        if !self.missing(&session, &self.ready_for_local_init_op)?.is_empty() {
            return Ok((session, false));
        }
        self.run_local_init(&session)?;
        let ready = self.not_ready(&session)?.is_empty();
        Ok((session, ready))
    }

    /// Waits until the model is ready, and returns the session of a worker that is not the chief.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::SessionManager;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let manager = SessionManager::new(&g, None, None, None);
    /// let (limit, coord) = (Duration::from_millis(1), Coordinator::new());
    /// let outcome = manager.wait_for_session(&LocalSessions::default(), limit, &coord); // nobody initialises it
    /// assert_eq!(outcome.err().unwrap().code(), Code::DeadlineExceeded);
    /// ```
    ///
    /// # Errors
    /// `DeadlineExceeded` after `max_wait`, naming what is missing; `Cancelled` if the coordinator stops meanwhile.
    pub fn wait_for_session(
        &self,
        factory: &dyn SessionFactory,
        max_wait: Duration,
        coord: &Coordinator,
    ) -> Result<Arc<dyn Session>> {
        let deadline = Instant::now() + max_wait;
        let mut pause = Duration::from_millis(50).min(self.recovery_wait);
        let mut session: Option<Arc<dyn Session>> = None;
        let mut reported: Option<String> = None;
        loop {
            let why = match self.try_ready(factory, &mut session) {
                Ok(Ok(session)) => return Ok(session),
                Ok(Err(missing)) => format!("Variables not initialized: {}", missing.join(", ")),
                Err(status) if is_passing(&status) => {
                    session = None;
                    status.to_string()
                }
                Err(status) => return Err(status),
            };
            if reported.as_ref() != Some(&why) {
                tracing::info!("waiting for the chief to make the model ready: {why}");
                reported = Some(why.clone());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let closed = |session: &mut Option<Arc<dyn Session>>| session.take().map(|session| session.close());
            if left.is_zero() {
                closed(&mut session);
                bail!(DeadlineExceeded, "Session was not ready after waiting {} secs. {why}", max_wait.as_secs());
            }
            if coord.wait_for_stop(pause.min(left)) {
                closed(&mut session);
                bail!(Cancelled, "stopped while waiting for the model to be ready");
            }
            pause = (pause * 2).min(self.recovery_wait.max(Duration::from_millis(50)));
        }
    }

    /// The session if its model is ready, or what is missing.
    fn try_ready(
        &self,
        factory: &dyn SessionFactory,
        session: &mut Option<Arc<dyn Session>>,
    ) -> Result<std::result::Result<Arc<dyn Session>, Vec<String>>> {
        let opened = match session {
            Some(session) => session.clone(),
            None => session.insert(factory.open(&self.graph)?).clone(),
        };
        let missing = self.missing(&opened, &self.ready_for_local_init_op)?;
        if !missing.is_empty() {
            return Ok(Err(missing));
        }
        self.run_local_init(&opened)?;
        let missing = self.not_ready(&opened)?;
        Ok(if missing.is_empty() { Ok(opened) } else { Err(missing) })
    }

    fn run_local_init(&self, session: &Arc<dyn Session>) -> Result<()> {
        match &self.local_init_op {
            Some(operation) => session.run(RunRequest::new().target(operation)).map(drop),
            None => Ok(()),
        }
    }

    fn not_ready(&self, session: &Arc<dyn Session>) -> Result<Vec<String>> {
        match &self.ready_op {
            Some(op) => self.missing(session, op),
            None => Ok(Vec::new()),
        }
    }

    /// What a readiness node names as missing.
    fn missing(&self, session: &Arc<dyn Session>, op: &Output) -> Result<Vec<String>> {
        match session.fetch(RunRequest::new().fetch(op)) {
            Ok(values) => {
                let names = values.first().map(Tensor::strings).transpose()?.unwrap_or(&[]);
                Ok(names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
            }
            // Nodes of the program's own may fail instead of naming anything.
            Err(status) if status.code() == Code::FailedPrecondition && status.message().contains("uninitialized") => {
                Ok(vec![status.message().to_owned()])
            }
            Err(status) => Err(status),
        }
    }

    /// Restores the newest checkpoint that exists, if the folder has had one.
    fn restore_newest(
        &self,
        session: &Arc<dyn Session>,
        initialization: &Initialization<'_>,
    ) -> Result<Option<PathBuf>> {
        let (Some(saver), Some(folder)) = (initialization.saver, initialization.checkpoint_dir) else {
            return Ok(None);
        };
        let restored = restore_newest(folder, |prefix| saver.restore(session, prefix))?;
        Ok(restored.map(|restored| {
            saver.recover_last_checkpoints(&restored.kept);
            restored.prefix
        }))
    }
}

fn initialize(session: &Arc<dyn Session>, initialization: &Initialization<'_>, has_local_init: bool) -> Result<()> {
    let Initialization { init_op, init_feeds, init_fn, .. } = initialization;
    if init_op.is_none() && init_fn.is_none() && !has_local_init {
        return Err(err!(
            FailedPrecondition,
            "Model is not initialized and no init_op or init_fn or local_init_op was given"
        ));
    }
    if let Some(operation) = init_op {
        let mut request = RunRequest::new().target(*operation);
        request.feeds.extend(init_feeds.iter().cloned());
        session.run(request)?;
    }
    match init_fn {
        Some(initialize) => initialize(session),
        None => Ok(()),
    }
}

/// Errors that go away when a lost task comes back.
pub(crate) fn is_passing(status: &Status) -> bool {
    matches!(status.code(), Code::Aborted | Code::Unavailable)
}

#[cfg(test)]
mod tests;
