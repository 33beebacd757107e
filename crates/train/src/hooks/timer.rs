//! When a hook is due: every so many steps, or every so often.

use std::time::{Duration, Instant};

/// How often something is done: a number of steps, or a time.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::train::Every;
/// assert_eq!(Every::from(Duration::from_secs(600)), Every::Time(Duration::from_secs(600)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// Every so many steps; with 0, never.
    Steps(u64),
    /// Whenever so much time has passed; with a time of zero, never.
    Time(Duration),
    /// Never.
    Never,
}

impl Every {
    /// Returns whether it is never done.
    ///
    /// ```
    /// use tensorfleet::train::Every;
    /// assert!(Every::Never.is_never() && Every::Steps(0).is_never());
    /// assert!(!Every::Steps(10).is_never());
    /// ```
    pub fn is_never(self) -> bool {
        matches!(self, Every::Never | Every::Steps(0) | Every::Time(Duration::ZERO))
    }
}

impl From<Duration> for Every {
    fn from(time: Duration) -> Every {
        Every::Time(time)
    }
}

/// Says whether something is due. It always is the first time, unless it is never done.
///
/// ```
/// use tensorfleet::train::{Every, StepTimer};
/// let mut timer = StepTimer::new(Every::Steps(10));
/// assert!(timer.is_due(3));
/// timer.done(3);
/// assert!(!timer.is_due(12));
/// assert!(timer.is_due(13));
/// ```
#[derive(Clone, Debug)]
pub struct StepTimer {
    every: Every,
    last: Option<(i64, Instant)>,
}

impl StepTimer {
    /// Returns a timer that is due so often.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::train::{Every, StepTimer};
    /// let (by_steps, by_time) = (StepTimer::new(Every::Steps(10)), StepTimer::new(Duration::from_secs(60)));
    /// assert!(by_steps.is_due(1) && by_time.is_due(1)); // for the first time
    /// ```
    pub fn new(every: impl Into<Every>) -> StepTimer {
        StepTimer { every: every.into(), last: None }
    }

    /// Forgets when it was due last.
    ///
    /// ```
    /// use tensorfleet::train::{Every, StepTimer};
    /// let mut timer = StepTimer::new(Every::Steps(10));
    /// timer.done(3);
    /// assert!(!timer.is_due(4));
    /// timer.reset();
    /// assert!(timer.is_due(4));
    /// ```
    pub fn reset(&mut self) {
        self.last = None;
    }

    /// Returns whether it is due at this step. It is not due twice at one step.
    ///
    /// ```
    /// use tensorfleet::train::{Every, StepTimer};
    /// let mut timer = StepTimer::new(Every::Steps(2));
    /// timer.done(4);
    /// assert!(!timer.is_due(5) && timer.is_due(6));
    /// ```
    pub fn is_due(&self, step: i64) -> bool {
        let Some((last, at)) = self.last else { return !self.every.is_never() };
        if step == last {
            return false;
        }
        match self.every {
            every if every.is_never() => false,
            Every::Steps(steps) => step >= last.saturating_add(i64::try_from(steps).unwrap_or(i64::MAX)),
            Every::Time(time) => at.elapsed() >= time,
            Every::Never => false,
        }
    }

    /// Notes that it was done at this step. Returns how many steps and how much time have passed since the last time.
    ///
    /// ```
    /// use tensorfleet::train::{Every, StepTimer};
    /// let mut timer = StepTimer::new(Every::Steps(2));
    /// assert_eq!(timer.done(4), None);
    /// assert_eq!(timer.done(7).map(|(steps, _time)| steps), Some(3));
    /// assert_eq!(timer.last_step(), Some(7));
    /// ```
    pub fn done(&mut self, step: i64) -> Option<(i64, Duration)> {
        let now = Instant::now();
        let before = self.last.replace((step, now));
        before.map(|(last, at)| (step - last, now - at))
    }

    /// Returns the step at which it was done last.
    pub fn last_step(&self) -> Option<i64> {
        self.last.map(|(step, _)| step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_at_first_and_then_every_so_many_steps() {
        let mut timer = StepTimer::new(Every::Steps(10));
        let due: Vec<i64> =
            (0..25).filter(|step| timer.is_due(*step) && timer.done(*step).is_none_or(|_| true)).collect();
        assert_eq!(due, [0, 10, 20]);
        assert_eq!(timer.last_step(), Some(20));
        timer.reset();
        assert!(timer.is_due(21));
        let mut timer = StepTimer::new(Duration::from_secs(3600));
        assert!(timer.is_due(0));
        timer.done(0);
        assert!(!timer.is_due(1_000_000));
        let soon = StepTimer { last: timer.last, every: Every::Time(Duration::from_nanos(1)) };
        assert!(!soon.is_due(0), "not twice at one step");
        for never in [Every::Never, Every::Steps(0), Every::Time(Duration::ZERO)] {
            assert!(!StepTimer::new(never).is_due(0));
            assert!(!StepTimer { last: timer.last, every: never }.is_due(7));
        }
    }
}
