//! What becomes of the letters that arrive.

use std::collections::VecDeque;
use std::time::Duration;

use tensor::{Result, err};

use super::forming::failed;
use super::group::{Formed, Group, Phase, RoundKey};
use super::letter::{CollectiveLetter, CollectiveMessage};
use super::{Action, CollectiveHub, HubState, MAX_EARLY, MAX_GROUPS, random, task_of};
use crate::Timer;

impl CollectiveHub {
    /// Takes a letter of another task.
    pub fn receive(&self, from: &str, letter: CollectiveLetter) {
        let mut actions = VecDeque::new();
        self.handle(from, letter, &mut actions);
        self.perform(actions);
    }

    /// A task of TensorFlow wants to be in a group that gathers here.
    ///
    /// # Errors
    /// `Internal` if the group is complete without it; `ResourceExhausted` if there are too many such groups.
    pub fn lead_mixed(&self, group: i32) -> Result<()> {
        let letters = self.state.lock().lead.mix(group)?;
        self.perform(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)).collect());
        Ok(())
    }

    /// A group gathers at a task of TensorFlow.
    pub fn turn_mixed(&self, group: i32) {
        let mut actions = VecDeque::new();
        self.mix(&mut self.state.lock(), group, &mut actions);
        self.perform(actions);
    }

    /// From now on a group goes the way of TensorFlow's tasks.
    fn mix(&self, state: &mut HubState, group: i32, actions: &mut VecDeque<Action>) {
        if state.mixed.len() >= MAX_GROUPS {
            state.mixed.clear();
        }
        state.mixed.insert(group);
        if state.groups.get(&group).is_none_or(|group| group.formed().is_some()) {
            return;
        }
        let Some(gathering) = state.groups.remove(&group) else { return };
        state.early -= gathering.early_bytes();
        actions.extend(gathering.under_way().into_iter().map(Action::HandOver));
    }

    /// Those who wait for a group have waited long enough for the others.
    fn overdue(&self, group: i32, attempt: u64) {
        let letters = self.state.lock().lead.overdue(group, attempt, random);
        self.perform(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)).collect());
    }

    pub(super) fn handle(&self, from: &str, letter: CollectiveLetter, actions: &mut VecDeque<Action>) {
        let mut state = self.state.lock();
        if state.closed.is_some() {
            return;
        }
        match letter {
            CollectiveLetter::Join { group, size, shrink, device } if task_of(&device) == from => {
                let alarm = |after: Duration, attempt: u64| {
                    let this = self.this.clone();
                    Timer::global().after(after, move || {
                        if let Some(hub) = this.upgrade() {
                            hub.overdue(group, attempt);
                        }
                    })
                };
                let letters = state.lead.join(group, size, shrink, device, random, alarm);
                actions.extend(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)));
            }
            CollectiveLetter::Leave { group, device } if task_of(&device) == from => state.lead.leave(group, &device),
            CollectiveLetter::Join { .. } | CollectiveLetter::Leave { .. } => {}
            CollectiveLetter::Formed { group, formation, members } if from == self.leader => {
                self.formed(&mut state, group, formation, members, actions);
            }
            CollectiveLetter::Refused { group, status } if from == self.leader => {
                if state.groups.get(&group).is_some_and(|group| group.formed().is_none()) {
                    self.fail(&mut state, group, &status, actions);
                }
            }
            CollectiveLetter::Mixed { group } if from == self.leader => self.mix(&mut state, group, actions),
            CollectiveLetter::Formed { .. } | CollectiveLetter::Refused { .. } | CollectiveLetter::Mixed { .. } => {}
            CollectiveLetter::Message(message) => self.message(&mut state, from, message, actions),
            CollectiveLetter::Failed { group, formation, status } => {
                state.lead.forget(group, formation);
                let known = state.groups.get(&group).and_then(Group::formed);
                if known.is_some_and(|formed| formed.formation == formation) {
                    let mut told = VecDeque::new();
                    self.fail(&mut state, group, &status, &mut told);
                    // Whoever says so has told the others.
                    actions.extend(told.into_iter().filter(|action| !matches!(action, Action::Post(..))));
                }
            }
            CollectiveLetter::Left { group, formation, rank, entered } => {
                state.lead.forget(group, formation);
                let Some(Group { phase: Phase::Formed(formed), .. }) = state.groups.get_mut(&group) else { return };
                if formed.formation == formation && formed.is_on(rank, from) {
                    formed.leave(rank, entered);
                    let missing = formed.rounds.keys().find_map(|round| formed.missing(*round));
                    if let Some(status) = missing {
                        self.fail(&mut state, group, &status, actions);
                    }
                }
            }
        }
    }

    /// A group is complete: what waited for it plays.
    pub(super) fn formed(
        &self,
        state: &mut HubState,
        key: i32,
        formation: u64,
        members: Vec<String>,
        actions: &mut VecDeque<Action>,
    ) {
        let gathering = state.groups.get_mut(&key).filter(|group| group.formed().is_none());
        let Some(group) = gathering else {
            // Whoever waited here has given up meanwhile, and the others must not wait for it.
            let status = err!(Aborted, "a member of {} has given up", self.own).derived();
            let letters = failed(key, formation, &members, &status);
            return actions.extend(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)));
        };
        let formed = Phase::Formed(Formed::new(formation, members));
        let Phase::Gathering { waiting, early } = std::mem::replace(&mut group.phase, formed) else { return };
        state.early -= early.iter().map(|(_, message)| message.bytes()).sum::<usize>();
        for entered in waiting {
            self.start(state, key, &entered, actions);
        }
        for (from, message) in early.into_iter().filter(|(_, message)| message.formation == formation) {
            self.message(state, &from, message, actions);
        }
    }

    /// Takes what another member sends.
    pub(super) fn message(
        &self,
        state: &mut HubState,
        from: &str,
        message: CollectiveMessage,
        actions: &mut VecDeque<Action>,
    ) {
        let (key, formation, bytes) = (message.group, message.formation, message.bytes());
        let full = state.early + bytes > MAX_EARLY;
        let unknown = match state.groups.get_mut(&key) {
            None => true,
            Some(Group { phase: Phase::Gathering { early, .. }, .. }) => {
                if !full {
                    early.push((from.to_owned(), message));
                    state.early += bytes;
                    return;
                }
                false
            }
            Some(Group { phase: Phase::Formed(formed), .. }) if formed.formation == formation => {
                if !formed.is_on(message.from, from) || !formed.is_on(message.to, &self.own) {
                    return;
                }
                let round = RoundKey { instance: message.instance, rank: message.to, round: message.round };
                if let Some(entered) = formed.rounds.get(&round) {
                    return actions.push_back(Action::Deliver(entered.clone(), message.into()));
                }
                // What comes for a round that is over here is of no use any more.
                if formed.entered.get(&(round.instance, round.rank)).is_some_and(|entered| round.round < *entered) {
                    return;
                }
                if !full {
                    formed.early.entry(round).or_default().push(message);
                    state.early += bytes;
                    return;
                }
                false
            }
            Some(_) => true,
        };
        if unknown {
            let status = err!(Aborted, "{} is not in the group (any more)", self.own).derived();
            let letter = CollectiveLetter::Failed { group: key, formation, status };
            return actions.push_back(Action::Post(from.to_owned(), letter));
        }
        let status = err!(ResourceExhausted, "more than {MAX_EARLY} bytes came before they were needed");
        self.fail(state, key, &status, actions);
    }
}
