//! Waiting, on any thread, for what the network does on threads of its own.

use std::future::Future;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, channel};

use tensor::{Result, err};
use tokio::runtime::{Builder, Runtime};

use crate::errors::told;

/// The network's threads. Callers may be threads of another runtime, which must not wait in it; so nobody ever enters this one.
static NETWORK: LazyLock<Option<Runtime>> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).thread_name("stores").enable_all().build().ok());

/// Something that was begun and is waited for later.
pub(crate) struct Begun<T>(Receiver<object_store::Result<T>>);

/// Lets something happen.
pub(crate) fn begin<T: Send + 'static>(
    work: impl Future<Output = object_store::Result<T>> + Send + 'static,
) -> Result<Begun<T>> {
    let network = NETWORK.as_ref().ok_or_else(|| err!(ResourceExhausted, "no threads for the network"))?;
    let (done, outcome) = channel();
    network.spawn(async move {
        // Nobody need be waiting any more.
        let _ = done.send(work.await);
    });
    Ok(Begun(outcome))
}

impl<T> Begun<T> {
    /// The outcome, as the store gave it.
    pub fn outcome(self) -> Result<object_store::Result<T>> {
        self.0.recv().map_err(|_| err!(Internal, "a transfer ended without an outcome"))
    }

    /// # Errors
    /// What the store said.
    pub fn wait(self) -> Result<T> {
        self.outcome()?.map_err(told)
    }
}

/// Lets something happen and waits for it.
///
/// # Errors
/// What the store said.
pub(crate) fn wait<T: Send + 'static>(
    work: impl Future<Output = object_store::Result<T>> + Send + 'static,
) -> Result<T> {
    begin(work)?.wait()
}
