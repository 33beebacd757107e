//! What workers do that have lost one of them.

use std::time::Duration;

/// What the other workers of an [`AllReduce`](crate::AllReduce) do when one is lost.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::OnLoss;
/// // Worker 1 of 4. The others go on without whoever is away for more than 5 seconds, as long as there are two of them.
/// let policy = OnLoss::Shrink { at_least: 2, after: Duration::from_secs(5) };
/// let optimizer = AllReduce::new(Adam::new(0.01), 4, 1).on_loss(policy);
/// # drop(optimizer);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLoss {
    /// They wait until it is back.
    #[default]
    Wait,
    /// They go on without it, and average over those who are left. Whenever a session begins, those who are there wait so
    /// long for the others. Whoever comes later is welcome: all begin a new session with the values of worker 0. Without
    /// worker 0, which has these values and the checkpoints, nobody goes on.
    Shrink {
        /// So many workers there must be.
        at_least: usize,
        /// How long the others wait for a worker.
        after: Duration,
    },
    /// They end: the next session begins with `FailedPrecondition`.
    End,
}
