//! Noticing that a task is lost while its answer is awaited.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tensor::{Result, Status, err};
use tokio::sync::Mutex;

/// How often a task is asked whether it is still there while its answer is awaited.
const EVERY: Duration = Duration::from_secs(1);
/// How long a task may fail to say that it is there before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks a task whether it is there, for all calls that await an answer of it at once.
#[derive(Clone)]
pub(super) struct Watch {
    who: Arc<str>,
    /// When the task was last asked, and what came of it.
    asked: Arc<Mutex<Option<(Instant, Result<()>)>>>,
}

impl Watch {
    /// Watches a task, named `who` in errors.
    pub fn new(who: String) -> Watch {
        Watch { who: who.into(), asked: Arc::default() }
    }

    /// Ends when the task does not even say that it is there; `ask` asks it.
    pub async fn lost<F>(&self, ask: impl Fn() -> F) -> Status
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        loop {
            tokio::time::sleep(EVERY).await;
            // A question outlives the call for which it was asked: when that call ends for another reason, the time that
            // the task has been silent counts for the other calls.
            if let Ok(Err(status)) = tokio::spawn(self.clone().outcome(ask())).await {
                return status;
            }
        }
    }

    async fn outcome(self, ask: impl Future<Output = Result<()>>) -> Result<()> {
        let mut asked = self.asked.lock().await;
        if let Some((when, outcome)) = &*asked
            && when.elapsed() < EVERY
        {
            return outcome.clone();
        }
        let silent = || {
            let secs = PATIENCE.as_secs();
            Err(err!(Unavailable, "{} has not answered for {secs} s: it was stopped, or the network is gone", self.who))
        };
        let outcome = tokio::time::timeout(PATIENCE, ask).await.unwrap_or_else(|_| silent());
        *asked = Some((Instant::now(), outcome.clone()));
        outcome
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn a_question_outlives_the_call_for_which_it_was_asked() {
        let watch = Watch::new("a task".to_owned());
        let (begun, go, answered) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
        let question = {
            let (begun, go, answered) = (begun.clone(), go.clone(), answered.clone());
            move || {
                let (begun, go, answered) = (begun.clone(), go.clone(), answered.clone());
                async move {
                    begun.notify_one();
                    go.notified().await;
                    answered.notify_one();
                    Err(err!(Unavailable, "gone"))
                }
            }
        };
        let first = tokio::spawn({
            let (watch, question) = (watch.clone(), question.clone());
            async move { watch.lost(question).await }
        });
        begun.notified().await;
        first.abort();
        assert!(first.await.is_err_and(|error| error.is_cancelled()));
        go.notify_one();
        tokio::time::timeout(PATIENCE, answered.notified()).await.expect("the question was dropped with the call");
        go.notify_one();
        assert_eq!(watch.lost(question).await.message(), "gone");
    }
}
