//! When a hook is due: every so many steps, or every so often.

use std::time::{Duration, Instant};

/// Says whether something is due. It always is the first time.
#[derive(Clone, Debug)]
pub struct StepTimer {
    every: Every,
    last: Option<(i64, Instant)>,
}

#[derive(Clone, Copy, Debug)]
enum Every {
    Steps(i64),
    Time(Duration),
}

impl StepTimer {
    /// Due every so many steps.
    pub fn steps(steps: u64) -> StepTimer {
        StepTimer { every: Every::Steps(i64::try_from(steps.max(1)).unwrap_or(i64::MAX)), last: None }
    }

    /// Due when so much time has passed.
    pub fn time(time: Duration) -> StepTimer {
        StepTimer { every: Every::Time(time), last: None }
    }

    /// Forgets when it was due last.
    pub fn reset(&mut self) {
        self.last = None;
    }

    pub fn is_due(&self, step: i64) -> bool {
        let Some((last, at)) = self.last else { return true };
        if step == last {
            return false;
        }
        match self.every {
            Every::Steps(steps) => step >= last.saturating_add(steps),
            Every::Time(time) => at.elapsed() >= time,
        }
    }

    /// Notes that it was done at this step. Gives how many steps and how much time have passed since the last time.
    pub fn done(&mut self, step: i64) -> Option<(i64, Duration)> {
        let now = Instant::now();
        let before = self.last.replace((step, now));
        before.map(|(last, at)| (step - last, now - at))
    }

    /// The step at which it was done last.
    pub fn last_step(&self) -> Option<i64> {
        self.last.map(|(step, _)| step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_at_first_and_then_every_so_many_steps() {
        let mut timer = StepTimer::steps(10);
        let due: Vec<i64> =
            (0..25).filter(|step| timer.is_due(*step) && timer.done(*step).is_none_or(|_| true)).collect();
        assert_eq!(due, [0, 10, 20]);
        assert_eq!(timer.last_step(), Some(20));
        timer.reset();
        assert!(timer.is_due(21));
        let mut timer = StepTimer::time(Duration::from_secs(3600));
        assert!(timer.is_due(0));
        timer.done(0);
        assert!(!timer.is_due(1_000_000));
        assert!(!StepTimer { last: timer.last, every: Every::Time(Duration::ZERO) }.is_due(0), "not twice at one step");
    }
}
