//! Waiting, on any thread, for what the network does on threads of its own.

use std::future::Future;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use tensor::{Result, err};
use tokio::runtime::{Builder, Runtime};

use crate::errors::{NO_ANSWER, told};
use crate::progress::Progress;

/// The network's threads. Callers may be threads of another runtime, which must not wait in it; so nobody ever enters this one.
static NETWORK: LazyLock<Option<Runtime>> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).thread_name("stores").enable_all().build().ok());

/// How long anything may take with all that is tried again, and with finding out who asks.
const LONGEST: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 120 });

/// Something that was begun and is waited for later.
pub(crate) struct Begun<T>(Receiver<object_store::Result<T>>);

/// Lets something happen.
pub(crate) fn begin<T: Send + 'static>(
    work: impl Future<Output = object_store::Result<T>> + Send + 'static,
) -> Result<Begun<T>> {
    let network = NETWORK.as_ref().ok_or_else(|| err!(ResourceExhausted, "no threads for the network"))?;
    let (done, outcome) = channel();
    network.spawn(async move {
        let outcome = tokio::time::timeout(LONGEST, work).await.unwrap_or_else(|_| Err(no_answer()));
        // Nobody need be waiting any more.
        let _ = done.send(outcome);
    });
    Ok(Begun(outcome))
}

fn no_answer() -> object_store::Error {
    let source = format!("{NO_ANSWER} within {} s", LONGEST.as_secs()).into();
    object_store::Error::Generic { store: "store", source }
}

impl<T> Begun<T> {
    /// The outcome, as the store gave it.
    pub fn outcome(self) -> Result<object_store::Result<T>> {
        self.0.recv().map_err(|_| err!(Internal, "a transfer ended without an outcome"))
    }

    /// The outcome, as the store gave it. Tells meanwhile how far the transfer is of which it is a part.
    pub fn outcome_with(self, progress: &Progress) -> Result<object_store::Result<T>> {
        let waiting = progress.wait();
        loop {
            match self.0.recv_timeout(waiting.until_due()) {
                Ok(outcome) => return Ok(outcome),
                Err(RecvTimeoutError::Timeout) => waiting.tell(),
                Err(RecvTimeoutError::Disconnected) => return self.outcome(),
            }
        }
    }

    /// As [`outcome_with`](Begun::outcome_with).
    ///
    /// # Errors
    /// What the store said.
    pub fn wait_with(self, progress: &Progress) -> Result<T> {
        self.outcome_with(progress)?.map_err(told)
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

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Instant;

    use files::place;
    use tensor::{Code, Status};

    use super::*;

    #[test]
    fn whoever_does_not_answer_is_not_waited_for() {
        crate::install();
        // Connections come about, and nobody ever takes them.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/file", silent.local_addr().unwrap());
        let begin = Instant::now();
        let status = Status::from(place::read(url.as_ref()).unwrap_err());
        assert_eq!((status.code(), begin.elapsed() < 10 * LONGEST), (Code::Unavailable, true), "{status}");
        assert!(status.message().contains("no answer from the store within 1 s"), "{status}");
    }
}
