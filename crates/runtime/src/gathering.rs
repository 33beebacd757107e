//! Where the parts of a step come together: the first failure calls the others off, the last outcome ends the step.

use graph::op::Cancellation;
use parking_lot::Mutex;
use tensor::{Result, Status};

/// Gathers the outcomes of a step's parts into one answer, which `done` is given once, after all have arrived.
///
/// ```
/// use graph::op::Cancellation;
/// use tensorfleet_runtime::Gathering;
///
/// let (send, answer) = std::sync::mpsc::channel();
/// let gathering = Gathering::new(2, Cancellation::new(), move |sum: tensor::Result<i32>| send.send(sum).unwrap());
/// gathering.arrive(Ok(1), |sum, part| *sum += part);
/// assert!(answer.try_recv().is_err());
/// gathering.arrive(Ok(2), |sum, part| *sum += part);
/// assert_eq!(answer.try_recv().unwrap().unwrap(), 3);
/// ```
pub struct Gathering<A, D> {
    cancellation: Cancellation,
    gathered: Mutex<Gathered<A, D>>,
}

struct Gathered<A, D> {
    missing: usize,
    answer: A,
    failure: Option<Status>,
    done: Option<D>,
}

impl<A: Default, D: FnOnce(Result<A>)> Gathering<A, D> {
    /// Waits for so many parts. A step without any part is done at once.
    pub fn new(parts: usize, cancellation: Cancellation, done: D) -> Gathering<A, D> {
        let mut done = Some(done);
        if parts == 0
            && let Some(done) = done.take()
        {
            done(Ok(A::default()));
        }
        let gathered = Gathered { missing: parts, answer: A::default(), failure: None, done };
        Gathering { cancellation, gathered: Mutex::new(gathered) }
    }

    /// Takes the outcome of a part; `add` adds what it gave to the answer. A failure cancels the rest of the step.
    pub fn arrive<P>(&self, outcome: Result<P>, add: impl FnOnce(&mut A, P)) {
        if let Err(status) = &outcome {
            self.cancellation.cancel(status.clone().derived());
        }
        let mut gathered = self.gathered.lock();
        gathered.missing = gathered.missing.saturating_sub(1);
        match outcome {
            Ok(part) => add(&mut gathered.answer, part),
            // The first cause counts, not what followed from it.
            Err(status) if gathered.failure.as_ref().is_none_or(|first| first.is_derived() && !status.is_derived()) => {
                gathered.failure = Some(status);
            }
            Err(_) => {}
        }
        if gathered.missing > 0 {
            return;
        }
        let (answer, failure, done) =
            (std::mem::take(&mut gathered.answer), gathered.failure.take(), gathered.done.take());
        drop(gathered);
        if let Some(done) = done {
            done(match failure {
                None => Ok(answer),
                Some(status) => Err(self.cause(status)),
            });
        }
    }

    /// A failure that follows from the step being cancelled is reported as the reason for that.
    fn cause(&self, status: Status) -> Status {
        match self.cancellation.reason() {
            Some(reason) if !reason.is_derived() => reason,
            _ => status,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tensor::{Code, err};

    #[test]
    fn the_first_cause_is_told_after_the_last_part_has_ended() {
        let (token, (send, answer)) = (Cancellation::new(), mpsc::channel());
        let gathering = Gathering::new(3, token.clone(), move |outcome: Result<()>| send.send(outcome).unwrap());
        gathering.arrive(Err::<(), _>(err!(Cancelled, "followed").derived()), |(), ()| {});
        assert!(token.is_cancelled());
        gathering.arrive(Err::<(), _>(err!(DataLoss, "the cause")), |(), ()| {});
        assert!(answer.try_recv().is_err());
        gathering.arrive(Ok(()), |(), ()| {});
        assert_eq!(answer.recv().unwrap().unwrap_err().code(), Code::DataLoss);
    }

    #[test]
    fn a_step_without_parts_is_done_at_once() {
        let (send, answer) = mpsc::channel();
        let _ = Gathering::new(0, Cancellation::new(), move |outcome: Result<u8>| send.send(outcome).unwrap());
        assert_eq!(answer.recv().unwrap().unwrap(), 0);
    }
}
