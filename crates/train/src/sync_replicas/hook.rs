//! The hook that starts a worker of synchronous training.

use std::sync::Arc;
use std::time::Duration;

use graph::{Operation, Output};
use runtime::{ClusterSpec, RunRequest, Session};
use tensor::{Code, Result, Tensor, ensure};

use super::SynchronousStep;
use crate::coordinator::Coordinator;
use crate::gradient_counts::{GradientCounts, WorkerGradients};
use crate::hooks::SessionRunHook;
use crate::quorum::Quorum;
use crate::session_manager::Prepared;
use crate::stall::Stall;

/// Starts a worker of synchronous training: step numbers, and for the chief tokens and the thread that makes the steps.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
/// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
/// let train = sync.minimize(&(&w * &w), Some(&step))?;
/// let hook = sync.make_session_run_hook(true, None)?;
/// let builder = MonitoredTrainingSession::new(&g, LocalSessions::default()).is_chief(true);
/// let mut session = builder.local_init_op(&sync.chief_init_op()?).hook(hook).hook(StopAtStepHook::last_step(2)).open()?;
/// while !session.should_stop() {
///     session.eval(&train)?;
/// }
/// session.close()?;
/// # Ok::<(), Status>(())
/// ```
pub struct SyncReplicasHook {
    pub(super) built: SynchronousStep,
    /// The chief has one.
    pub(super) init_tokens_op: Option<Operation>,
    /// How many tokens there are, and the next of them: the chief takes those of a time that is gone.
    pub(super) tokens: (Output, Output),
    /// Whether workers have enough tokens without the first ones, because each begins with a gradient.
    pub(super) needs_none: bool,
    pub(super) prepared: Prepared,
    pub(super) quorum: Quorum,
    pub(super) stall: Stall,
    pub(super) counts: Option<GradientCounts>,
    pub(super) workers: usize,
}

impl SyncReplicasHook {
    /// Lets the chief notice when workers of this job cannot be reached for so long: then they count as gone, and if too few
    /// are left for a step, training ends. Workers that sign off are noticed without this.
    #[must_use]
    pub fn watch(mut self, cluster: &ClusterSpec, job: &str, own_task: u32, patience: Duration) -> Self {
        self.quorum.watch(cluster, job, own_task, patience);
        self
    }

    /// Lets the chief log, in the end, how many gradients of each worker were accepted and dropped; these nodes tell.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// let hook = sync.make_session_run_hook(true, None)?.log_counts(&sync.gradient_counts()?[0]);
    /// # drop(hook);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn log_counts(mut self, counts: &GradientCounts) -> Self {
        self.counts = Some(counts.clone());
        self
    }

    /// Returns what this worker waits for, if its step does not end, and who should bring it. A stall is logged without asking.
    ///
    /// # Errors
    /// What the session failed with.
    pub fn waiting_for(&self, session: &dyn Session) -> Result<String> {
        self.stall.waiting_for(session)
    }

    /// Begins to look who is left, as a chief does whose program initialises the steps and starts its queue runner by itself.
    /// [`after_create_session`](SessionRunHook::after_create_session) does all of it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// let hook = sync.make_session_run_hook(true, None)?;
    /// let session: std::sync::Arc<dyn Session> = std::sync::Arc::new(LocalSession::new(&g)?);
    /// let coord = Coordinator::new();
    /// hook.start_watching(&session, &coord)?;
    /// coord.request_stop();
    /// coord.join(std::time::Duration::from_secs(60))?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// What the session failed with; `ResourceExhausted` if the system gives no more threads.
    pub fn start_watching(&self, session: &Arc<dyn Session>, coord: &Coordinator) -> Result<()> {
        self.stall.start(session, coord)?;
        self.quorum.start(session, coord, self.workers)
    }
}

impl SyncReplicasHook {
    /// Puts the first tokens into the queue. A chief that comes back to a model that is there finds the tokens where they
    /// were: more of them would let workers run ahead. A model that was restored makes the old ones worthless.
    fn put_first_tokens(&self, session: &Arc<dyn Session>, init_tokens_op: &Operation) -> Result<()> {
        match &self.prepared {
            Prepared::Found if self.needs_none => return Ok(()),
            Prepared::Restored(_) => {
                let (size, next) = &self.tokens;
                while session.fetch(RunRequest::new().fetch(size))?.first().map(Tensor::to_scalar::<i32>).transpose()?
                    > Some(0)
                {
                    // A worker may be faster.
                    match session.run(RunRequest::new().fetch(next).timeout(Duration::from_secs(1))) {
                        Err(status) if status.code() != Code::DeadlineExceeded => return Err(status),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        session.run(RunRequest::new().target(init_tokens_op)).map(drop)
    }
}

impl SessionRunHook for SyncReplicasHook {
    fn model_ready(&mut self, prepared: &Prepared) {
        self.prepared = prepared.clone();
    }

    fn after_create_session(&mut self, session: &Arc<dyn Session>, coord: &Coordinator) -> Result<()> {
        let missing = session.fetch(RunRequest::new().fetch(&self.built.ready_for_local_init_op))?;
        let missing: Vec<String> = match missing.first() {
            Some(names) => names.strings()?.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
            None => Vec::new(),
        };
        ensure!(
            missing.is_empty(),
            FailedPrecondition,
            "Init operations did not make model ready for SyncReplicasOptimizer local_init. Variables not initialized: {}",
            missing.join(", ")
        );
        let Some(init_tokens_op) = &self.init_tokens_op else {
            session.run(RunRequest::new().target(&self.built.local_step_init_op))?;
            return self.stall.start(session, coord);
        };
        session.run(RunRequest::new().target(&self.built.chief_init_op))?;
        self.put_first_tokens(session, init_tokens_op)?;
        self.built.runner.create_threads(session, coord)?;
        self.start_watching(session, coord)
    }

    /// Workers sign off; when the chief ends, its queue runner closes the queue of tokens, and they all know.
    fn end(&mut self, session: &Arc<dyn Session>) -> Result<()> {
        if self.init_tokens_op.is_none() {
            self.quorum.sign_off(session);
        } else if let Some(counts) = &self.counts {
            // Tasks of others do not know.
            for WorkerGradients { worker, accepted, dropped } in counts.read(session).unwrap_or_default() {
                tracing::info!(worker, accepted, dropped, "gradients");
            }
        }
        Ok(())
    }
}
