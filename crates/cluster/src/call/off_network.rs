//! Work that a network thread must not do: while it does, nothing else that this thread carries is heard or said.

use graph::op::guarded;
use runtime::Pool;
use tensor::{Result, err};
use tokio::sync::oneshot;

/// Does work that may take a while on a thread of the pool. `what` names it if it panics.
///
/// # Errors
/// What the work returns; `Internal` if it panics.
pub(crate) async fn on_pool<R: Send + 'static>(
    pool: &Pool,
    what: &'static str,
    work: impl FnOnce() -> Result<R> + Send + 'static,
) -> Result<R> {
    let (send, outcome) = oneshot::channel();
    pool.spawn(move || drop(send.send(guarded(format_args!("{what}"), work))));
    outcome.await.unwrap_or_else(|_| Err(err!(Internal, "{what} ended without an answer")))
}
