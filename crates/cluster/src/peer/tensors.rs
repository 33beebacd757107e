//! How the tensors of a step travel between the tasks that run it.

use std::sync::Arc;

use tensor::Result;

use super::{Peers, Remote};
use crate::call::{TaskName, task_of};

/// The ways of the tensors of a registered graph. The master says, for all tasks of a step at once, which of them are
/// linked.
#[derive(Clone)]
pub(crate) struct TensorRoutes {
    peers: Arc<Peers>,
    linked: Arc<[TaskName]>,
}

/// How a tensor gets from or to a device.
pub(crate) enum TensorRoute<'a> {
    /// The device is on this task.
    Here,
    /// The task that makes it pushes it.
    Pushed(&'a Arc<Remote>),
    /// The task that makes it keeps it until the task that needs it asks for it.
    Asked(&'a Arc<Remote>),
}

impl TensorRoutes {
    /// Among these tasks tensors are pushed.
    pub fn new(peers: Arc<Peers>, linked: &[TaskName]) -> TensorRoutes {
        TensorRoutes { peers, linked: linked.into() }
    }

    /// Returns the way to or from a device, by its full name.
    ///
    /// # Errors
    /// `InvalidArgument` if its task is not in the cluster.
    pub fn of_device(&self, device: &str) -> Result<TensorRoute<'_>> {
        let task = task_of(device);
        if task == self.peers.own().as_str() {
            return Ok(TensorRoute::Here);
        }
        let remote = self.peers.of_device(device)?;
        let linked = self.linked.iter().any(|linked| linked.as_str() == task);
        Ok(if linked { TensorRoute::Pushed(remote) } else { TensorRoute::Asked(remote) })
    }

    /// Returns the tasks that push tensors to each other.
    pub fn linked(&self) -> &Arc<[TaskName]> {
        &self.linked
    }
}
