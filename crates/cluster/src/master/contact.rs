//! Contacting the tasks that a session's graph names.

use std::time::Instant;

use graph::{DeviceName, GraphData};
use tensor::Result;

use super::session::MasterSession;
use crate::call::{NewWorkerSession, TaskName};
use crate::peer::{WorkerPeer, tasks_of};

impl MasterSession {
    /// Contacts the tasks that nodes name and that were not contacted before.
    pub(super) async fn contact(&self, graph: &GraphData) -> Result<()> {
        let wanted = self.wanted_tasks(graph)?;
        let start_up = self.setup.start_up;
        let deadline = Instant::now() + self.operation_timeout.unwrap_or(start_up).min(start_up);
        for (name, devices) in self.peers.find(&wanted, deadline).await? {
            let worker = WorkerPeer::Other(self.peers.get(&name)?.clone());
            let new = self.worker_session(&name)?;
            worker.create_session(new, self.peers.own(), self.client_incarnation).await?;
            let mut set = self.devices.write();
            for device in devices {
                set.add(device.name.parse()?, device.incarnation);
            }
            self.workers.write().insert(name, worker);
        }
        Ok(())
    }

    /// What a worker is told of the session.
    pub(super) fn worker_session(&self, name: &TaskName) -> Result<NewWorkerSession> {
        let cluster = match self.peers.described_by_client() {
            None => None,
            Some(cluster) => {
                let task = name.parse()?;
                Some((cluster.clone(), task.job.unwrap_or_default(), task.task.unwrap_or_default()))
            }
        };
        Ok(NewWorkerSession { handle: self.handle.clone(), isolate: self.isolate, cluster })
    }

    fn wanted_tasks(&self, graph: &GraphData) -> Result<Vec<TaskName>> {
        let mut wanted: Vec<TaskName> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for node in graph.nodes() {
            if seen.contains(&node.device.as_str()) {
                continue;
            }
            seen.push(&node.device);
            let constraint = node.device_name()?;
            // A node that may be on this task will be; others go to the first task that fits.
            let all = std::iter::once(self.peers.own()).chain(self.peers.names());
            let fitting = tasks_of(&constraint, all);
            if let Some(first) = fitting.first().filter(|_| !fitting.contains(&self.peers.own())) {
                wanted.push((*first).clone());
            }
        }
        wanted.sort();
        wanted.dedup();
        wanted.retain(|name| !self.workers.read().contains_key(name) && passes(&self.device_filters, name));
        Ok(wanted)
    }
}

/// Returns whether a task may take part, by a session's filters; none means all.
pub(super) fn passes(filters: &[DeviceName], task: &TaskName) -> bool {
    let Ok(task) = task.parse() else { return false };
    filters.is_empty() || filters.iter().any(|filter| filter.task_name().matches(&task))
}
