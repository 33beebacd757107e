//! What executions have for other members, until it is asked for.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use graph::op::StepId;
use parking_lot::Mutex;
use tensor::{Result, Status, Tensor, ensure, err};
use tokio::sync::oneshot;

/// So many may be asked for before they are there.
const MAX_WANTED: usize = 1 << 16;
/// So long whoever asks for something of a step that failed is told.
const REMEMBERED: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(super) struct Buffers(Mutex<Table>);

#[derive(Default)]
struct Table {
    slots: HashMap<(i64, String), Slot>,
    wanted: usize,
    /// Steps that failed here, with the numbers that they have here.
    failed: HashMap<i64, (Instant, Status, StepId)>,
}

enum Slot {
    /// Whoever has it is told when it was fetched.
    Provided(Tensor, oneshot::Sender<()>),
    Wanted(oneshot::Sender<Result<Tensor>>),
}

impl Buffers {
    /// A step begins or goes on. That another of the same number failed does not matter any more.
    ///
    /// # Errors
    /// What the step failed with.
    pub fn begin(&self, step: i64, own: StepId) -> Result<()> {
        let mut table = self.0.lock();
        if let Some((_, status, _)) = table.failed.get(&step).filter(|(.., failed)| *failed == own) {
            return Err(status.clone());
        }
        table.failed.remove(&step);
        Ok(())
    }

    /// Has something for whoever asks; what is returned ends when it was fetched, with an error if it never will be.
    ///
    /// # Errors
    /// `Internal` if there is something of this key.
    pub fn provide(&self, step: i64, key: String, tensor: Tensor) -> Result<oneshot::Receiver<()>> {
        let (fetched, told) = oneshot::channel();
        let mut table = self.0.lock();
        match table.slots.remove(&(step, key.clone())) {
            Some(Slot::Wanted(want)) => {
                table.wanted -= 1;
                match want.send(Ok(tensor)) {
                    Ok(()) => drop(fetched.send(())),
                    // Nobody waits for it any more; somebody may ask again.
                    Err(Ok(tensor)) => drop(table.slots.insert((step, key), Slot::Provided(tensor, fetched))),
                    Err(Err(status)) => return Err(status),
                }
            }
            Some(provided) => {
                let status = err!(Internal, "two executions of step {step} have a buffer '{key}'");
                table.slots.insert((step, key), provided);
                return Err(status);
            }
            None => drop(table.slots.insert((step, key), Slot::Provided(tensor, fetched))),
        }
        Ok(told)
    }

    /// Fetches something, when it is there.
    ///
    /// # Errors
    /// What the execution failed with; `ResourceExhausted` if too many wait; `Aborted` if it was asked for twice.
    pub async fn receive(&self, step: i64, key: &str) -> Result<Tensor> {
        let place = (step, key.to_owned());
        let tensor = {
            let mut table = self.0.lock();
            if let Some((_, status, _)) = table.failed.get(&step).filter(|(when, ..)| when.elapsed() < REMEMBERED) {
                return Err(status.clone());
            }
            match table.slots.remove(&place) {
                Some(Slot::Provided(tensor, fetched)) => {
                    let _ = fetched.send(());
                    return Ok(tensor);
                }
                Some(Slot::Wanted(earlier)) => {
                    table.wanted -= 1;
                    let _ = earlier.send(Err(err!(Aborted, "buffer '{key}' of step {step} was asked for again")));
                }
                None => {}
            }
            ensure!(table.wanted < MAX_WANTED, ResourceExhausted, "{MAX_WANTED} buffers of collectives are waited for");
            let (want, tensor) = oneshot::channel();
            table.wanted += 1;
            table.slots.insert(place.clone(), Slot::Wanted(want));
            tensor
        };
        let _forget = Forget { buffers: self, place };
        tensor.await.unwrap_or_else(|_| Err(err!(Aborted, "step {step} has ended")))
    }

    /// Fails whatever others ask of a step, now and for a while.
    pub fn fail(&self, step: i64, own: StepId, status: &Status) {
        let mut table = self.0.lock();
        let places: Vec<_> = table.slots.keys().filter(|(of, _)| *of == step).cloned().collect();
        for place in places {
            if let Some(Slot::Wanted(want)) = table.slots.remove(&place) {
                table.wanted -= 1;
                let _ = want.send(Err(status.clone()));
            }
        }
        table.failed.retain(|_, (when, ..)| when.elapsed() < REMEMBERED);
        table.failed.insert(step, (Instant::now(), status.clone(), own));
    }
}

/// Forgets who waits no longer.
struct Forget<'a> {
    buffers: &'a Buffers,
    place: (i64, String),
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        let mut table = self.buffers.0.lock();
        if matches!(table.slots.get(&self.place), Some(Slot::Wanted(want)) if want.is_closed()) {
            table.slots.remove(&self.place);
            table.wanted -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use tensor::Code;

    use super::*;

    #[tokio::test]
    async fn what_is_provided_and_asked_for_meets_in_either_order() {
        let buffers = Buffers::default();
        let told = buffers.provide(7, "a".to_owned(), Tensor::from(1f32)).unwrap();
        assert_eq!(buffers.receive(7, "a").await.unwrap(), Tensor::from(1f32));
        told.await.unwrap();
        let (received, provided) = tokio::join!(buffers.receive(7, "b"), async {
            buffers.provide(7, "b".to_owned(), Tensor::from(2f32)).unwrap().await
        });
        assert_eq!((received.unwrap(), provided), (Tensor::from(2f32), Ok(())));
        assert!(buffers.provide(7, "c".to_owned(), Tensor::from(2f32)).is_ok());
        let status = buffers.provide(7, "c".to_owned(), Tensor::from(2f32)).unwrap_err();
        assert_eq!(status.code(), Code::Internal);
    }

    #[tokio::test]
    async fn nobody_waits_for_a_step_that_failed_until_it_begins_anew() {
        let buffers = Buffers::default();
        let status = err!(Unavailable, "gone");
        let told = buffers.provide(7, "a".to_owned(), Tensor::from(1f32)).unwrap();
        let (waited, ()) = tokio::join!(buffers.receive(7, "b"), async { buffers.fail(7, StepId(1), &status) });
        assert_eq!(waited.unwrap_err().code(), Code::Unavailable);
        assert!(told.await.is_err());
        assert_eq!(buffers.receive(7, "a").await.unwrap_err().code(), Code::Unavailable);
        assert!(buffers.begin(7, StepId(1)).is_err());
        buffers.begin(7, StepId(2)).unwrap();
        buffers.provide(7, "a".to_owned(), Tensor::from(1f32)).unwrap();
        assert!(buffers.receive(7, "a").await.is_ok());
        // Whoever hangs up leaves nothing behind.
        drop(tokio::time::timeout(Duration::ZERO, buffers.receive(7, "z")).await);
        let table = buffers.0.lock();
        assert_eq!((table.slots.len(), table.wanted), (0, 0));
    }
}
