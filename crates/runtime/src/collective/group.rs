//! A member's view of its groups: those that gather, and those that are complete, with their rounds.

use std::collections::HashMap;
use std::sync::Arc;

use tensor::{Status, err};

use super::entered::Entered;
use super::letter::CollectiveMessage;
use super::task_of;

/// A group that devices of this task are in.
pub(super) struct Group {
    pub size: u32,
    /// The session of each device of this task that has joined.
    pub sessions: HashMap<String, u64>,
    pub phase: Phase,
}

pub(super) enum Phase {
    /// Not all members are there.
    Gathering {
        waiting: Vec<Arc<Entered>>,
        /// Messages of tasks that know already that the group is complete.
        early: Vec<(String, CollectiveMessage)>,
    },
    /// All are.
    Formed(Formed),
}

/// A group that is complete.
pub(super) struct Formed {
    pub formation: u64,
    pub members: Arc<[String]>,
    /// How often each member on this task has entered each instance.
    pub entered: HashMap<(i32, u32), u64>,
    pub rounds: HashMap<RoundKey, Arc<Entered>>,
    /// Messages for executions that have not entered.
    pub early: HashMap<RoundKey, Vec<CollectiveMessage>>,
    /// Members that take part in nothing more than they have entered.
    left: Vec<(u32, HashMap<i32, u64>)>,
}

/// The execution of an instance, by a member's rank and how often it had executed it before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RoundKey {
    pub instance: i32,
    pub rank: u32,
    pub round: u64,
}

impl Group {
    pub fn gathering(size: u32) -> Group {
        let phase = Phase::Gathering { waiting: Vec::new(), early: Vec::new() };
        Group { size, sessions: HashMap::new(), phase }
    }

    /// Returns whether nothing of it is under way.
    pub fn is_idle(&self) -> bool {
        match &self.phase {
            Phase::Gathering { waiting, .. } => waiting.is_empty(),
            Phase::Formed(formed) => formed.rounds.is_empty(),
        }
    }

    /// Returns the executions that wait or play.
    pub fn under_way(&self) -> Vec<Arc<Entered>> {
        match &self.phase {
            Phase::Gathering { waiting, .. } => waiting.clone(),
            Phase::Formed(formed) => formed.rounds.values().cloned().collect(),
        }
    }

    /// Returns the bytes of messages that came early.
    pub fn early_bytes(&self) -> usize {
        match &self.phase {
            Phase::Gathering { early, .. } => early.iter().map(|(_, message)| message.bytes()).sum(),
            Phase::Formed(formed) => formed.early.values().flatten().map(CollectiveMessage::bytes).sum(),
        }
    }

    /// Returns how many instances are counted.
    pub fn instances(&self) -> usize {
        if let Phase::Formed(formed) = &self.phase { formed.entered.len() } else { 0 }
    }

    /// Returns the members, if all are there, and the number of the formation.
    pub fn formed(&self) -> Option<&Formed> {
        if let Phase::Formed(formed) = &self.phase { Some(formed) } else { None }
    }
}

impl Formed {
    pub fn new(formation: u64, members: Vec<String>) -> Formed {
        Formed {
            formation,
            members: members.into(),
            entered: HashMap::new(),
            rounds: HashMap::new(),
            early: HashMap::new(),
            left: Vec::new(),
        }
    }

    pub fn rank(&self, device: &str) -> Option<u32> {
        self.members.iter().position(|member| member == device).map(|rank| rank as u32)
    }

    /// Returns whether a member is on this task.
    pub fn is_on(&self, rank: u32, task: &str) -> bool {
        self.members.get(rank as usize).is_some_and(|member| task_of(member) == task)
    }

    /// Notes that a member takes part in nothing more than this.
    pub fn leave(&mut self, rank: u32, entered: Vec<(i32, u64)>) {
        self.left.retain(|(other, _)| *other != rank);
        self.left.push((rank, entered.into_iter().collect()));
    }

    /// Returns the reason why a round cannot be completed, if a member has left before it.
    pub fn missing(&self, key: RoundKey) -> Option<Status> {
        let missing =
            |(_, entered): &&(u32, HashMap<i32, u64>)| entered.get(&key.instance).copied().unwrap_or(0) <= key.round;
        let (rank, _) = self.left.iter().find(missing)?;
        let member = self.members.get(*rank as usize).map_or("a member", String::as_str);
        Some(err!(Aborted, "{member} has left the group: its session was closed").derived())
    }
}
