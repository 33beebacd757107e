//! Callables of a session: steps whose feeds, fetches and targets were agreed once.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tensor::{Result, err};

use super::session::MasterSession;
use super::step::signature;
use crate::call::{Callable, CallableHandle};

impl MasterSession {
    /// Prepares a callable; returns its number.
    ///
    /// # Errors
    /// As planning a step does.
    pub async fn make_callable(&self, callable: Callable) -> Result<CallableHandle> {
        let (feeds, fetches, targets) = (callable.feeds.clone(), callable.fetches.clone(), callable.targets.clone());
        self.graphs_for(&signature(feeds, fetches, targets)?).await?;
        let handle = CallableHandle(self.next_callable.fetch_add(1, Ordering::Relaxed));
        self.callables.lock().insert(handle, Arc::new(callable));
        Ok(handle)
    }

    /// Returns a callable that was made.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown number.
    pub fn callable(&self, handle: CallableHandle) -> Result<Arc<Callable>> {
        let found = self.callables.lock().get(&handle).cloned();
        found.ok_or_else(|| err!(InvalidArgument, "No such callable handle: {}", handle.0))
    }

    /// Forgets a callable.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown number.
    pub fn release_callable(&self, handle: CallableHandle) -> Result<()> {
        self.callable(handle)?;
        self.callables.lock().remove(&handle);
        Ok(())
    }
}
