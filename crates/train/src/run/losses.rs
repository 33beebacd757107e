//! How often, and how long, a lost session is replaced.

use std::time::Duration;

use tensor::{Result, Status, err};

use crate::coordinator::Coordinator;

/// Counts tries to get going again, and ends them when no session was ready for too long.
pub(crate) struct Losses {
    max_wait: Duration,
    since: Option<std::time::Instant>,
    was_ready: bool,
    pause: Duration,
}

impl Losses {
    const FIRST_PAUSE: Duration = Duration::from_millis(100);
    /// Tasks that were never there are not waited for as long as those that may come back.
    const START_UP: Duration = Duration::from_secs(300);

    /// Nothing was lost yet. A lost session may be away for so long.
    pub fn new(max_wait: Duration) -> Losses {
        Losses { max_wait, since: None, was_ready: false, pause: Losses::FIRST_PAUSE }
    }

    /// A session was ready.
    pub fn ready(&mut self) {
        (self.since, self.was_ready, self.pause) = (None, true, Losses::FIRST_PAUSE);
    }

    /// A session was lost: waits a moment before the next try, or gives up.
    ///
    /// # Errors
    /// What the session was lost with, after too long a time; `Cancelled` if the coordinator stops meanwhile.
    pub fn again(&mut self, status: &Status, asked: &Coordinator) -> Result<()> {
        tracing::warn!(%status, "the session was lost; a new one follows");
        let limit = if self.was_ready { self.max_wait } else { self.max_wait.min(Losses::START_UP) };
        let since = *self.since.get_or_insert_with(std::time::Instant::now);
        if since.elapsed() >= limit {
            return Err(status.clone().context(format_args!("no session for {} secs", limit.as_secs())));
        }
        if asked.wait_for_stop(self.pause) {
            return Err(err!(Cancelled, "stopped while waiting for a lost task: {status}"));
        }
        self.pause = (self.pause * 2).min(Duration::from_secs(5));
        Ok(())
    }
}
