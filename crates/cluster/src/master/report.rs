//! What a master tells an operator: its clients' sessions, the traffic with other tasks, and where nodes are.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tensor::{Result, ensure};
use wire::operator as told;

use super::{Master, MasterSession};
use crate::call::{millis, no_session};

impl Master {
    /// Returns the sessions of clients, oldest first.
    pub fn report_sessions(&self) -> Vec<told::Session> {
        let mut sessions: Vec<Arc<MasterSession>> = self.sessions.lock().values().cloned().collect();
        sessions.sort_by_key(|session| session.created);
        sessions.iter().map(|session| session.report()).collect()
    }

    /// Returns the tensors that went to other tasks and came from there.
    pub fn report_traffic(&self) -> Vec<told::Traffic> {
        let mut traffic: Vec<told::Traffic> = self.peers.all().map(|(_, remote)| remote.traffic()).collect();
        traffic.sort_by(|one, other| one.task.cmp(&other.task));
        traffic
    }

    /// Returns where each node of a session is and why. The session may be named by the beginning of its handle.
    ///
    /// # Errors
    /// `NotFound` if no session begins so; `InvalidArgument` if several do.
    pub fn report_placement(&self, prefix: &str) -> Result<told::PlacementResponse> {
        let sessions: Vec<Arc<MasterSession>> = self.sessions.lock().values().cloned().collect();
        let mut fitting = sessions.iter().filter(|session| session.handle.as_str().starts_with(prefix));
        let session = fitting.next().ok_or_else(|| no_session(prefix, self.setup.own.task().as_str()))?;
        ensure!(fitting.next().is_none(), InvalidArgument, "several sessions begin with '{prefix}'");
        let planner = session.planner.read();
        let nodes = planner.graph().nodes().iter().zip(planner.explain());
        let describe = |(node, rule): (&graph::Node, String)| told::PlacedNode {
            name: node.name.clone(),
            op: node.op.clone(),
            device: node.device.clone(),
            rule,
            inputs: node.inputs.iter().map(|input| input.node.0).collect(),
            controls: node.control_inputs.iter().map(|input| input.0).collect(),
        };
        Ok(told::PlacementResponse {
            session: session.handle.as_str().to_owned(),
            nodes: nodes.map(describe).collect(),
        })
    }

    /// Returns how many steps of clients are under way.
    pub fn steps_under_way(&self) -> usize {
        self.sessions.lock().values().map(|session| session.running.len()).sum()
    }
}

impl MasterSession {
    fn report(&self) -> told::Session {
        let running = self.running.list();
        let longest = running.iter().map(|(_, since)| since.elapsed()).max().unwrap_or(Duration::ZERO);
        let age = millis(self.created.elapsed());
        let last = self.last_step.load(Ordering::Relaxed);
        told::Session {
            handle: self.handle.as_str().to_owned(),
            age_millis: age,
            clients: self.lease.callers(),
            steps: self.steps.load(Ordering::Relaxed),
            under_way: running.len() as u64,
            longest_millis: millis(longest),
            idle_millis: if running.is_empty() { age.saturating_sub(last) } else { 0 },
            nodes: self.planner.read().graph().len() as u64,
            tasks: self.workers.read().keys().map(|task| task.as_str().to_owned()).collect(),
        }
    }
}
