//! Callables: steps whose feeds, fetches and targets are agreed once and then go by position.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tensor::{Result, Tensor, ensure, err};

use super::session::MasterSession;
use super::step::{StepOptions, StepRequest, signature};

/// What a client agreed on.
pub(crate) struct Callable {
    pub feeds: Vec<String>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
    pub options: StepOptions,
    pub timeout_ms: i64,
}

impl Callable {
    /// The step that these values make of it.
    ///
    /// # Errors
    /// `InvalidArgument` if the number of values is wrong.
    pub fn step(&self, feeds: Vec<Tensor>) -> Result<StepRequest> {
        let (expected, given) = (self.feeds.len(), feeds.len());
        ensure!(given == expected, InvalidArgument, "Expected {expected} feed tensors, but got {given}");
        Ok(StepRequest {
            feeds: self.feeds.iter().cloned().zip(feeds).collect(),
            fetches: self.fetches.clone(),
            targets: self.targets.clone(),
            options: self.options,
        })
    }
}

impl MasterSession {
    /// Prepares a callable; gives its number.
    ///
    /// # Errors
    /// As planning a step does.
    pub async fn make_callable(&self, callable: Callable) -> Result<i64> {
        let (feeds, fetches, targets) = (callable.feeds.clone(), callable.fetches.clone(), callable.targets.clone());
        self.graphs_for(&signature(feeds, fetches, targets)?).await?;
        let handle = self.next_callable.fetch_add(1, Ordering::Relaxed);
        self.callables.lock().insert(handle, Arc::new(callable));
        Ok(handle)
    }

    /// # Errors
    /// `InvalidArgument` for an unknown number.
    pub fn callable(&self, handle: i64) -> Result<Arc<Callable>> {
        let found = self.callables.lock().get(&handle).cloned();
        found.ok_or_else(|| err!(InvalidArgument, "No such callable handle: {handle}"))
    }

    /// # Errors
    /// `InvalidArgument` for an unknown number.
    pub fn release_callable(&self, handle: i64) -> Result<()> {
        self.callable(handle)?;
        self.callables.lock().remove(&handle);
        Ok(())
    }
}
