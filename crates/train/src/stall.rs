//! What synchronous training waits for when it makes no step: said in the log, with who should bring it.

use std::sync::Arc;
use std::time::Duration;

use graph::Output;
use runtime::{RunRequest, Session};
use tensor::{Result, Tensor};

use crate::coordinator::Coordinator;
use crate::queue::Queue;
use crate::variable::Variable;

/// A worker that makes no step for so long looks for the reason.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long that look may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Nodes that tell how far the next step is.
#[derive(Clone)]
pub(crate) struct Stall {
    worker: String,
    queue: String,
    local_step: Output,
    tokens: Output,
    /// Per variable, how many gradients there are.
    gradients: Vec<(String, Output)>,
    needed: usize,
}

/// What a look finds; the same twice is a stall.
#[derive(PartialEq, Eq)]
struct Look {
    local_step: i64,
    tokens: i64,
    gradients: Vec<i64>,
}

impl Stall {
    /// Adds the nodes, in the scopes that the queue of tokens was made in.
    pub fn build(tokens: &Queue, local_step: &Variable, gradients: Vec<(String, Output)>, needed: usize) -> Stall {
        let (worker, queue) = (local_step.device(), tokens.name());
        Stall { worker, queue, local_step: local_step.value().clone(), tokens: tokens.size(), gradients, needed }
    }

    /// Looks, until the stop, whether the worker makes steps. Another thread must do so: the worker's own waits.
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn start(&self, session: &Arc<dyn Session>, coord: &Coordinator) -> Result<()> {
        let (stall, session, coordinator) = (self.clone(), session.clone(), coord.clone());
        coord.spawn("SyncReplicasStall", move || {
            let (mut before, mut said) = (None, false);
            while !coordinator.wait_for_stop(PATIENCE) {
                // A session that is lost is noticed by those who train with it.
                let Ok(now) = stall.look(&session) else { continue };
                if before.as_ref() != Some(&now) {
                    said = false;
                } else if !said {
                    tracing::warn!("no step for {PATIENCE:?}: {}", stall.reason(&now));
                    said = true;
                }
                before = Some(now);
            }
            Ok(())
        })
    }

    /// What the worker waits for now, if it does not compute.
    ///
    /// # Errors
    /// What the session failed with.
    pub fn waiting_for(&self, session: &dyn Session) -> Result<String> {
        Ok(self.reason(&self.look(session)?))
    }

    fn look(&self, session: &dyn Session) -> Result<Look> {
        let mut request = RunRequest::new().fetch(&self.local_step).fetch(&self.tokens).timeout(LIMIT);
        for (_, count) in &self.gradients {
            request = request.fetch(count);
        }
        let values = session.fetch(request)?;
        let number = |value: &Tensor| Ok(value.to_i64_vec()?.first().copied().unwrap_or(0));
        let mut numbers = values.iter().map(number).collect::<Result<Vec<i64>>>()?.into_iter();
        let mut next = || numbers.next().unwrap_or(0);
        Ok(Look { local_step: next(), tokens: next(), gradients: numbers.collect() })
    }

    fn reason(&self, look: &Look) -> String {
        let Stall { worker, queue, needed, .. } = self;
        let Look { local_step, tokens, .. } = look;
        let found = format!("{worker} is at step {local_step}, and the queue {queue} has {tokens} tokens");
        let fewest = self.gradients.iter().zip(&look.gradients).min_by_key(|(_, count)| **count);
        let Some(((variable, _), count)) = fewest else { return found };
        if *count < *needed as i64 {
            let missing = format!("the accumulator of {variable} has {count} of {needed} gradients");
            format!("{found}; {missing}: other workers should bring them (are they all started?)")
        } else {
            format!("{found}; the {needed} gradients of a step are there: the chief's queue runner should take them")
        }
    }
}
