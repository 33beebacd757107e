//! The leader's part: members of a group gather here, and are told when all are there.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use graph::DeviceName;
use graph::op::CollectiveShrink;
use tensor::{Result, Status, err};

use super::letter::CollectiveLetter;
use super::task_of;
use crate::timer::Alarm;

/// So many members may wait at one leader, in all groups together.
const MAX_WAITING: usize = 65_536;

/// The groups that a leader knows.
#[derive(Default)]
pub(super) struct Leader {
    /// The task that it is on. A group that does with fewer members does not do without one there: whatever all others
    /// begin with comes from the first.
    own: String,
    forming: HashMap<i32, Forming>,
    formed: HashMap<i32, (u64, Vec<String>)>,
    /// Groups with tasks of TensorFlow.
    mixed: HashSet<i32>,
    waiting: usize,
    attempts: u64,
}

struct Forming {
    size: u32,
    /// When fewer will do.
    shrink: Option<CollectiveShrink>,
    /// Those who are there have waited long enough.
    is_overdue: bool,
    /// Tells one attempt to form the group from the next.
    attempt: u64,
    /// Goes off when it is overdue.
    _alarm: Option<Alarm>,
    /// In the order of ranks.
    members: BTreeMap<DeviceName, String>,
}

/// Letters and the tasks that they are for.
pub(super) type Letters = Vec<(String, CollectiveLetter)>;

impl Forming {
    /// Returns whether nobody else is waited for.
    fn is_complete(&self, own: &str) -> bool {
        let fewer = |shrink: &CollectiveShrink| {
            self.is_overdue
                && self.members.len() >= shrink.at_least as usize
                && self.members.values().any(|member| task_of(member) == own)
        };
        self.members.len() == self.size as usize || self.shrink.as_ref().is_some_and(fewer)
    }
}

impl Leader {
    /// The leader on this task.
    pub fn on(task: &str) -> Leader {
        Leader { own: task.to_owned(), ..Leader::default() }
    }

    /// Takes a member. If fewer than `size` will do, `alarm` is set when the first one comes.
    pub fn join(
        &mut self,
        group: i32,
        size: u32,
        shrink: Option<CollectiveShrink>,
        device: String,
        formation: impl FnOnce() -> u64,
        alarm: impl FnOnce(Duration, u64) -> Alarm,
    ) -> Letters {
        let mut letters = Letters::new();
        let refuse = |status| CollectiveLetter::Refused { group, status };
        let Ok(name) = device.parse::<DeviceName>() else {
            let status = err!(InvalidArgument, "'{device}' is not the name of a device (group_key={group})");
            return vec![(task_of(&device).to_owned(), refuse(status))];
        };
        if self.mixed.contains(&group) {
            return vec![(task_of(&device).to_owned(), CollectiveLetter::Mixed { group })];
        }
        if let Some((formation, members)) = self.formed.get(&group) {
            let is_new = !members.contains(&device);
            if is_new && (shrink.is_none() || members.len() >= size as usize) {
                return vec![(task_of(&device).to_owned(), refuse(no_place(group, size, &device, members.len())))];
            }
            // A member that joins again has forgotten the group; one that was missing is welcome.
            let what = if is_new { "has come, and the group forms anew" } else { "has begun anew" };
            let status = err!(Aborted, "{device} {what}");
            letters = failed(group, *formation, members, &status);
            self.formed.remove(&group);
        }
        if self.waiting >= MAX_WAITING {
            let status = err!(ResourceExhausted, "{MAX_WAITING} devices wait for their groups already");
            return vec![(task_of(&device).to_owned(), refuse(status))];
        }
        let forming = self.forming.entry(group).or_insert_with(|| {
            self.attempts += 1;
            let attempt = self.attempts;
            let alarm = shrink.map(|shrink| alarm(shrink.after, attempt));
            Forming { size, shrink, is_overdue: false, attempt, _alarm: alarm, members: BTreeMap::new() }
        });
        if forming.size != size {
            let status = no_place(group, size, &device, forming.size as usize);
            letters.extend(self.refuse(group, &status));
            letters.push((task_of(&device).to_owned(), refuse(status)));
            return letters;
        }
        if forming.members.insert(name, device).is_none() {
            self.waiting += 1;
        }
        letters.extend(self.complete(group, formation));
        letters
    }

    /// A task of TensorFlow wants to be in a group: whoever waits for it here, and whoever comes, is told.
    ///
    /// # Errors
    /// `Internal` if the group is complete without it; `ResourceExhausted` if there are too many such groups.
    pub fn mix(&mut self, group: i32) -> Result<Letters> {
        if self.mixed.contains(&group) {
            return Ok(Letters::new());
        }
        if self.formed.contains_key(&group) {
            return Err(err!(
                Internal,
                "a task of TensorFlow is joining a group that is already full (group_key={group})"
            ));
        }
        if self.mixed.len() >= super::MAX_GROUPS {
            return Err(err!(
                ResourceExhausted,
                "{} groups with tasks of TensorFlow are known already",
                super::MAX_GROUPS
            ));
        }
        self.mixed.insert(group);
        let Some(forming) = self.forming.remove(&group) else { return Ok(Letters::new()) };
        self.waiting -= forming.members.len();
        let members: Vec<String> = forming.members.into_values().collect();
        Ok(tasks(&members).into_iter().map(|task| (task, CollectiveLetter::Mixed { group })).collect())
    }

    /// Those who wait for a group have waited long enough for the others, if it is still the same attempt.
    pub fn overdue(&mut self, group: i32, attempt: u64, formation: impl FnOnce() -> u64) -> Letters {
        match self.forming.get_mut(&group).filter(|forming| forming.attempt == attempt) {
            Some(forming) => forming.is_overdue = true,
            None => return Letters::new(),
        }
        self.complete(group, formation)
    }

    /// Tells all members of a group that it is complete, if it is.
    fn complete(&mut self, group: i32, formation: impl FnOnce() -> u64) -> Letters {
        let mut letters = Letters::new();
        if self.forming.get(&group).is_some_and(|forming| forming.is_complete(&self.own))
            && let Some(complete) = self.forming.remove(&group)
        {
            self.waiting -= complete.members.len();
            let members: Vec<String> = complete.members.into_values().collect();
            let formation = formation();
            for task in tasks(&members) {
                let letter = CollectiveLetter::Formed { group, formation, members: members.clone() };
                letters.push((task, letter));
            }
            // A group that is forgotten here forms anew when one of its members joins again.
            let surplus = self.formed.keys().next().copied().filter(|_| self.formed.len() >= super::MAX_GROUPS);
            surplus.and_then(|surplus| self.formed.remove(&surplus));
            self.formed.insert(group, (formation, members));
        }
        letters
    }

    /// Forgets a member that waits no longer.
    pub fn leave(&mut self, group: i32, device: &str) {
        let Some(forming) = self.forming.get_mut(&group) else { return };
        let before = forming.members.len();
        forming.members.retain(|_, member| member != device);
        self.waiting -= before - forming.members.len();
        if forming.members.is_empty() {
            self.forming.remove(&group);
        }
    }

    /// Forgets a formation that has failed.
    pub fn forget(&mut self, group: i32, formation: u64) {
        if self.formed.get(&group).is_some_and(|(known, _)| *known == formation) {
            self.formed.remove(&group);
        }
    }

    /// Fails the groups that a task had members in.
    pub fn lost(&mut self, task: &str, status: &Status) -> Letters {
        let of_task = |member: &String| task_of(member) == task;
        let mut letters = Letters::new();
        let forming: Vec<i32> =
            self.forming.iter().filter(|(_, one)| one.members.values().any(of_task)).map(|(key, _)| *key).collect();
        for group in forming {
            letters.extend(self.refuse(group, status));
        }
        let formed: Vec<i32> =
            self.formed.iter().filter(|(_, (_, members))| members.iter().any(of_task)).map(|(key, _)| *key).collect();
        for group in formed {
            if let Some((formation, members)) = self.formed.remove(&group) {
                letters.extend(failed(group, formation, &members, status));
            }
        }
        letters
    }

    /// Returns how many groups are forming, and how many are complete.
    #[cfg(test)]
    pub fn len(&self) -> (usize, usize) {
        (self.forming.len(), self.formed.len())
    }

    fn refuse(&mut self, group: i32, status: &Status) -> Letters {
        let Some(forming) = self.forming.remove(&group) else { return Letters::new() };
        self.waiting -= forming.members.len();
        let members: Vec<String> = forming.members.into_values().collect();
        let letter = || CollectiveLetter::Refused { group, status: status.clone() };
        tasks(&members).into_iter().map(|task| (task, letter())).collect()
    }
}

/// Letters to all members of a group that has failed.
pub(super) fn failed(group: i32, formation: u64, members: &[String], status: &Status) -> Letters {
    let letter = || CollectiveLetter::Failed { group, formation, status: status.clone() };
    tasks(members).into_iter().map(|task| (task, letter())).collect()
}

/// Why a device cannot join a group that has, or wants, so many members.
pub(super) fn no_place(group: i32, size: u32, device: &str, has: usize) -> Status {
    if size as usize == has {
        return err!(Internal, "Device {device} is joining a group that is already full (group_key={group})");
    }
    err!(
        Internal,
        "Device {device} is joining a group with size{size}, but that group has size {has} (group_key={group})"
    )
}

/// The tasks of some devices, each once.
pub(super) fn tasks(members: &[String]) -> Vec<String> {
    let mut tasks: Vec<String> = members.iter().map(|member| task_of(member).to_owned()).collect();
    tasks.sort();
    tasks.dedup();
    tasks
}

#[cfg(test)]
mod tests {
    use tensor::Code;

    use super::*;

    fn device(task: u32, index: u32) -> String {
        format!("/job:worker/replica:0/task:{task}/device:CPU:{index}")
    }

    /// Whom the letters are for, and what they are.
    fn shown(letters: &[(String, CollectiveLetter)]) -> Vec<(&str, &'static str)> {
        let kind = |letter: &CollectiveLetter| match letter {
            CollectiveLetter::Formed { .. } => "formed",
            CollectiveLetter::Refused { .. } => "refused",
            CollectiveLetter::Failed { .. } => "failed",
            _ => "another",
        };
        letters.iter().map(|(task, letter)| (task.as_str(), kind(letter))).collect()
    }

    /// A member that waits for all others.
    fn join(leader: &mut Leader, group: i32, size: u32, device: String, formation: u64) -> Letters {
        let no_alarm = |_, _| panic!("nobody is waited for in vain");
        leader.join(group, size, None, device, || formation, no_alarm)
    }

    const TASKS: [&str; 2] = ["/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"];

    #[test]
    fn a_group_is_complete_when_all_have_joined_and_ranks_go_by_number() {
        let mut leader = Leader::default();
        for name in [device(1, 0), device(0, 10), device(0, 2)] {
            assert!(join(&mut leader, 5, 4, name, 7).is_empty());
        }
        let letters = join(&mut leader, 5, 4, device(0, 1), 7);
        assert_eq!(shown(&letters), [(TASKS[0], "formed"), (TASKS[1], "formed")]);
        let CollectiveLetter::Formed { members, formation: 7, group: 5 } = &letters[0].1 else { panic!("{letters:?}") };
        assert_eq!(*members, [device(0, 1), device(0, 2), device(0, 10), device(1, 0)]);
        // Nobody else fits in, and a member that joins again has lost the others.
        assert_eq!(shown(&join(&mut leader, 5, 4, device(1, 1), 8)), [(TASKS[1], "refused")]);
        assert_eq!(shown(&join(&mut leader, 5, 4, device(1, 0), 8)), [(TASKS[0], "failed"), (TASKS[1], "failed")]);
        assert_eq!((leader.len(), leader.waiting), ((1, 0), 1));
    }

    #[test]
    fn what_waits_ends_with_those_who_do_not_fit_who_leave_and_who_are_lost() {
        let mut leader = Leader::default();
        join(&mut leader, 1, 3, device(0, 0), 1);
        let letters = join(&mut leader, 1, 2, device(1, 0), 1);
        assert_eq!(shown(&letters), [(TASKS[0], "refused"), (TASKS[1], "refused")]);
        let CollectiveLetter::Refused { status, .. } = &letters[0].1 else { panic!("{letters:?}") };
        assert_eq!(status.code(), Code::Internal);
        join(&mut leader, 2, 2, device(0, 0), 1);
        leader.leave(2, &device(0, 0));
        assert_eq!((leader.len(), leader.waiting), ((0, 0), 0));
        join(&mut leader, 3, 3, device(0, 0), 1);
        join(&mut leader, 3, 3, device(1, 0), 1);
        let letters = leader.lost(TASKS[1], &err!(Unavailable, "gone"));
        // Also the lost task is told: it may have joined after it came back.
        assert_eq!(shown(&letters), [(TASKS[0], "refused"), (TASKS[1], "refused")]);
        assert_eq!((leader.len(), leader.waiting), ((0, 0), 0));
    }
    #[test]
    fn a_group_that_may_shrink_does_without_those_who_do_not_come_until_they_do() {
        let mut leader = Leader::on(TASKS[0]);
        let shrink = Some(CollectiveShrink { at_least: 2, after: Duration::from_secs(3600) });
        let attempts = std::cell::RefCell::new(Vec::new());
        let join = |leader: &mut Leader, task: u32, formation: u64| {
            let alarm = |after, attempt| {
                attempts.borrow_mut().push(attempt);
                crate::Timer::global().after(after, || {})
            };
            leader.join(1, 3, shrink, device(task, 0), || formation, alarm)
        };
        assert!(join(&mut leader, 1, 7).is_empty());
        assert!(join(&mut leader, 2, 7).is_empty());
        // There are enough, but the first, who has what all begin with, is missing.
        assert!(leader.overdue(1, 1, || 7).is_empty());
        leader.leave(1, &device(2, 0));
        let letters = join(&mut leader, 0, 7);
        let CollectiveLetter::Formed { members, .. } = &letters[0].1 else { panic!("{letters:?}") };
        assert_eq!(*members, [device(0, 0), device(1, 0)]);
        // Whoever was missing is welcome: the group forms anew, at once when all are there.
        assert_eq!(shown(&join(&mut leader, 2, 8)), [(TASKS[0], "failed"), (TASKS[1], "failed")]);
        assert!(join(&mut leader, 0, 8).is_empty());
        assert!(leader.overdue(1, 1, || 8).is_empty(), "an alarm of the attempt before");
        assert_eq!(join(&mut leader, 1, 8).len(), 3);
        assert_eq!(*attempts.borrow(), [1, 2]);
    }
}
