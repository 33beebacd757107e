//! Requests that were seen lately, so that one which arrives twice does not run twice.

use std::collections::{HashSet, VecDeque};

use parking_lot::Mutex;
use tensor::{Result, ensure};

/// As many as TensorFlow remembers.
const REMEMBERED: usize = 10_000;

/// The ids of the latest requests. Zero means that a request has none.
#[derive(Default)]
pub(crate) struct RecentIds(Mutex<State>);

#[derive(Default)]
struct State {
    known: HashSet<i64>,
    order: VecDeque<i64>,
}

impl RecentIds {
    /// # Errors
    /// `Aborted` if this id was here before.
    pub fn check(&self, what: &str, id: i64) -> Result<()> {
        ensure!(
            id == 0 || self.insert(id),
            Aborted,
            "The same {what} request was received twice: request {id} has been seen before and is not run again"
        );
        Ok(())
    }

    /// Remembers an id; whether it is new.
    pub fn insert(&self, id: i64) -> bool {
        let mut state = self.0.lock();
        if !state.known.insert(id) {
            return false;
        }
        state.order.push_back(id);
        if state.order.len() > REMEMBERED
            && let Some(oldest) = state.order.pop_front()
        {
            state.known.remove(&oldest);
        }
        true
    }

    pub fn contains(&self, id: i64) -> bool {
        self.0.lock().known.contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::Code;

    #[test]
    fn a_request_is_taken_once_and_old_ones_are_forgotten() {
        let recent = RecentIds::default();
        assert!(recent.check("RunStep", 0).is_ok() && recent.check("RunStep", 0).is_ok());
        assert!(recent.check("RunStep", 7).is_ok());
        assert_eq!(recent.check("RunStep", 7).unwrap_err().code(), Code::Aborted);
        for id in 100..100 + REMEMBERED as i64 {
            assert!(recent.insert(id));
        }
        assert!(!recent.contains(7) && recent.check("RunStep", 7).is_ok());
    }
}
