//! How groups end: a member fails, gives up, is lost, or leaves with its session or its task.

use std::collections::VecDeque;

use tensor::{Status, err};

use super::entered::aborted;
use super::forming::{failed, tasks};
use super::group::{Group, Phase};
use super::letter::CollectiveLetter;
use super::{Action, CollectiveHub, HubState, MAX_GROUPS, task_of};

impl CollectiveHub {
    /// Fails the groups of a task that was lost. It is told as well: it may be back already, and in a new group.
    pub fn lost(&self, task: &str, status: &Status) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            if state.closed.is_some() {
                return;
            }
            actions.extend(state.lead.lost(task, status).into_iter().map(|(to, letter)| Action::Post(to, letter)));
            let concerned: Vec<i32> = {
                let concerns = |group: &Group| match &group.phase {
                    Phase::Gathering { .. } => self.leader == task,
                    Phase::Formed(formed) => formed.members.iter().any(|member| task_of(member) == task),
                };
                state.groups.iter().filter(|(_, group)| concerns(group)).map(|(key, _)| *key).collect()
            };
            for group in concerned {
                self.fail(&mut state, group, status, &mut actions);
            }
        }
        self.perform(actions);
    }

    /// Leaves all groups, because the task ends; whoever enters from now on is refused.
    pub fn close(&self) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            let status = err!(Unavailable, "{} stops", self.own);
            let letters = state.lead.lost(&self.own, &status);
            actions.extend(letters.into_iter().map(|(to, letter)| Action::Post(to, letter)));
            let groups: Vec<i32> = state.groups.keys().copied().collect();
            for group in groups {
                self.fail(&mut state, group, &status, &mut actions);
            }
            state.closed = Some(status);
        }
        self.perform(actions);
    }

    /// Ends whatever is under way in a group, on all members, and forgets it.
    pub(super) fn fail(&self, state: &mut HubState, key: i32, cause: &Status, actions: &mut VecDeque<Action>) {
        let Some(group) = state.groups.remove(&key) else { return };
        state.early -= group.early_bytes();
        state.instances -= group.instances();
        let under_way = group.under_way();
        match &group.phase {
            Phase::Gathering { .. } => {
                for device in group.sessions.keys() {
                    let letter = CollectiveLetter::Leave { group: key, device: device.clone() };
                    actions.push_back(Action::Post(self.leader.clone(), letter));
                }
            }
            Phase::Formed(formed) => {
                let mut letters = failed(key, formed.formation, &formed.members, cause);
                if !letters.iter().any(|(task, _)| *task == self.leader) {
                    let (formation, status) = (formed.formation, cause.clone());
                    letters.push((self.leader.clone(), CollectiveLetter::Failed { group: key, formation, status }));
                }
                actions.extend(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)));
            }
        }
        if !cause.is_derived() && state.unheard.len() < MAX_GROUPS {
            for (device, session) in group.sessions {
                if !under_way.iter().any(|entered| entered.entry.device == device) {
                    state.unheard.insert((key, device), (session, cause.clone()));
                }
            }
        }
        let status = aborted(cause);
        actions.extend(under_way.into_iter().map(|entered| Action::Finish(entered, Err(status.clone()))));
    }

    /// Ends one execution, because its step was cancelled or its time has passed, and with it the group.
    pub(super) fn give_up(&self, key: i32, ticket: u64, status: Status) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            let Some(group) = state.groups.get_mut(&key) else { return };
            let found = group.under_way().into_iter().find(|entered| entered.ticket == ticket);
            let Some(entered) = found else { return };
            actions.push_back(Action::Finish(entered.clone(), Err(status.clone())));
            let device = &entered.entry.device;
            match &mut group.phase {
                Phase::Gathering { waiting, .. } => {
                    waiting.retain(|other| other.ticket != ticket);
                    if !waiting.iter().any(|other| other.entry.device == *device) {
                        group.sessions.remove(device);
                        let letter = CollectiveLetter::Leave { group: key, device: device.clone() };
                        actions.push_back(Action::Post(self.leader.clone(), letter));
                    }
                    if group.is_idle() {
                        let bytes = group.early_bytes();
                        state.groups.remove(&key);
                        state.early -= bytes;
                    }
                }
                Phase::Formed(_) => {
                    let cause = match status.code() {
                        tensor::Code::DeadlineExceeded => status,
                        _ => err!(Aborted, "{device} has given up: {}", status.message()),
                    };
                    self.fail(&mut state, key, &cause.derived(), &mut actions);
                }
            }
        }
        self.perform(actions);
    }

    /// The devices of a session take part in nothing more.
    pub(super) fn end_session(&self, session: u64) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            state.unheard.retain(|_, (of, _)| *of != session);
            let of_session = |group: &Group| group.sessions.values().any(|of| *of == session);
            let keys: Vec<i32> =
                state.groups.iter().filter(|(_, group)| of_session(group)).map(|(key, _)| *key).collect();
            for key in keys {
                self.leave(&mut state, key, session, &mut actions);
            }
        }
        self.perform(actions);
    }

    pub(super) fn leave(&self, state: &mut HubState, key: i32, session: u64, actions: &mut VecDeque<Action>) {
        let Some(group) = state.groups.get_mut(&key) else { return };
        let devices: Vec<String> =
            group.sessions.iter().filter(|(_, of)| **of == session).map(|(device, _)| device.clone()).collect();
        group.sessions.retain(|_, of| *of != session);
        let Some(formed) = group.formed() else {
            // What waited has been given up with its step.
            if group.is_idle() {
                let bytes = group.early_bytes();
                state.groups.remove(&key);
                state.early -= bytes;
            }
            return;
        };
        let mut to = tasks(&formed.members);
        to.push(self.leader.clone());
        to.sort();
        to.dedup();
        for device in devices {
            let Some(rank) = formed.rank(&device) else { continue };
            let entered: Vec<(i32, u64)> = formed
                .entered
                .iter()
                .filter(|((_, of), _)| *of == rank)
                .map(|((instance, _), count)| (*instance, *count))
                .collect();
            for task in &to {
                let (formation, entered) = (formed.formation, entered.clone());
                let letter = CollectiveLetter::Left { group: key, formation, rank, entered };
                actions.push_back(Action::Post(task.clone(), letter));
            }
        }
        if group.sessions.is_empty() {
            let (bytes, instances) = (group.early_bytes(), group.instances());
            state.groups.remove(&key);
            state.early -= bytes;
            state.instances -= instances;
        }
    }
}
