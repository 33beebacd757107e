//! Ids that were seen lately, so that a request which arrives twice does not run twice.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

use parking_lot::Mutex;
use tensor::{Result, ensure};

use super::RequestId;

/// As many as TensorFlow remembers.
const REMEMBERED: usize = 10_000;

/// The latest ids of requests or steps.
pub(crate) struct Recent<I>(Mutex<Seen<I>>);

struct Seen<I> {
    known: HashSet<I>,
    order: VecDeque<I>,
}

impl<I> Default for Recent<I> {
    fn default() -> Recent<I> {
        Recent(Mutex::new(Seen { known: HashSet::new(), order: VecDeque::new() }))
    }
}

impl<I: Copy + Eq + Hash> Recent<I> {
    /// Remembers an id; returns whether it is new.
    pub fn insert(&self, id: I) -> bool {
        let mut seen = self.0.lock();
        if !seen.known.insert(id) {
            return false;
        }
        seen.order.push_back(id);
        if seen.order.len() > REMEMBERED
            && let Some(oldest) = seen.order.pop_front()
        {
            seen.known.remove(&oldest);
        }
        true
    }

    /// Returns whether an id was here lately.
    pub fn contains(&self, id: I) -> bool {
        self.0.lock().known.contains(&id)
    }
}

impl Recent<RequestId> {
    /// Lets a request pass once.
    ///
    /// # Errors
    /// `Aborted` if this request was here before.
    pub fn check(&self, what: &str, request: RequestId) -> Result<()> {
        let RequestId(id) = request;
        ensure!(
            id == 0 || self.insert(request),
            Aborted,
            "The same {what} request was received twice: request {id} has been seen before and is not run again"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::Code;

    #[test]
    fn a_request_is_taken_once_and_old_ones_are_forgotten() {
        let recent: Recent<RequestId> = Recent::default();
        let check = |id| recent.check("RunStep", RequestId(id));
        assert!(check(0).is_ok() && check(0).is_ok());
        assert!(check(7).is_ok());
        assert_eq!(check(7).unwrap_err().code(), Code::Aborted);
        for id in 100..100 + REMEMBERED as i64 {
            assert!(recent.insert(RequestId(id)));
        }
        assert!(!recent.contains(RequestId(7)) && check(7).is_ok());
    }
}
