//! The cluster as it is, looked at when somebody asks and not more often than a bound.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tensor::{Result, bail, ensure};
use wire::operator::StatusRequest;

use super::PATIENCE;
use crate::operate::Task;
use crate::operate::model::Moment;

/// Between two looks at all tasks at least so much time passes, however many pages are open.
const OFTEN: Duration = Duration::from_millis(900);

pub struct Live {
    tasks: Vec<Task>,
    looks: Mutex<Looks>,
    /// Held while a step is traced: one at a time.
    pub tracing: Mutex<()>,
}

/// The last two looks, so that rates can be told.
#[derive(Clone, Default)]
pub struct Looks {
    pub before: Option<Arc<Moment>>,
    pub now: Option<Arc<Moment>>,
}

impl Live {
    pub fn new(tasks: Vec<Task>) -> Live {
        Live { tasks, looks: Mutex::default(), tracing: Mutex::default() }
    }

    pub fn has_cluster(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// The tasks that are watched.
    ///
    /// # Errors
    /// `FailedPrecondition` if no cluster is.
    pub fn tasks(&self) -> Result<&[Task]> {
        ensure!(
            self.has_cluster(),
            FailedPrecondition,
            "no cluster is watched: start with `tensorfleet dashboard HOST:PORT`, any one task of it"
        );
        Ok(&self.tasks)
    }

    /// The last look, or a new one if that is old, and the one before it.
    ///
    /// # Errors
    /// As [`tasks`](Live::tasks).
    pub fn look(&self) -> Result<(Option<Arc<Moment>>, Arc<Moment>)> {
        let tasks = self.tasks()?;
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if looks.now.as_ref().is_none_or(|now| now.when.elapsed() >= OFTEN) {
            let now = Moment::now(tasks, StatusRequest { resources: true, waits: false }, PATIENCE);
            looks.before = looks.now.replace(Arc::new(now));
        }
        match &looks.now {
            Some(now) => Ok((looks.before.clone(), now.clone())),
            None => bail!(Internal, "the cluster was not looked at"),
        }
    }

    /// A look at what steps wait for.
    ///
    /// # Errors
    /// As [`tasks`](Live::tasks).
    pub fn waits(&self) -> Result<Moment> {
        Ok(Moment::now(self.tasks()?, StatusRequest { resources: true, waits: true }, PATIENCE))
    }
}
