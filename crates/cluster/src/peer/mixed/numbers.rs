//! The numbers of steps with collectives, on which members in sessions of their own agree.
//!
//! Within one session all tasks know a step by one number anyway. Masters of different sessions count the steps of each graph
//! with collectives from a number that the leader gave; graphs are the same if their collectives are.

use std::collections::{BTreeSet, HashMap};

use graph::op::StepId;
use graph::{GraphData, ReadAttrs};
use parking_lot::Mutex;

/// Numbers of steps have no more bits than these.
const MASK: i64 = (1 << 57) - 1;
/// So many sequences are known at once.
const MAX_SEQUENCES: usize = 1 << 16;
/// What the keys of graphs begin with.
const SEED: u64 = 0x8774_aa60_5c72_9c72;

#[derive(Default)]
pub(crate) struct StepNumbers(Mutex<Table>);

#[derive(Default)]
struct Table {
    /// The next number of each graph's steps.
    next: HashMap<i64, i64>,
    /// The steps that run, with the key of their graph, and their number if somebody has asked for it.
    running: HashMap<StepId, (i64, Option<i64>)>,
}

impl StepNumbers {
    /// A step of a graph with this key begins, in a session without tasks of TensorFlow.
    pub fn begin(&self, step: StepId, key: i64) {
        self.0.lock().running.insert(step, (key, None));
    }

    /// A step has ended. A number is used once, but again after a failure.
    pub fn end(&self, step: StepId, succeeded: bool) {
        let mut table = self.0.lock();
        let Some((key, Some(number))) = table.running.remove(&step) else { return };
        match table.next.get_mut(&key) {
            Some(next) if succeeded && *next == number => *next = (number + 1) & MASK,
            _ => drop(table.next.remove(&key)),
        }
    }

    /// The key of a step's graph, if the step's own number means nothing to others.
    pub(super) fn sequence_of(&self, step: StepId) -> Option<i64> {
        self.0.lock().running.get(&step).map(|(key, _)| *key)
    }

    /// The number of a step, if it has one or its graph's sequence is known.
    pub(super) fn known(&self, step: StepId, key: i64) -> Option<i64> {
        let mut table = self.0.lock();
        let next = table.next.get(&key).copied();
        let (_, number) = table.running.get_mut(&step)?;
        *number = number.or(next);
        *number
    }

    /// Gives a step the number that the leader named, unless it has one by now.
    pub(super) fn assign(&self, step: StepId, key: i64, next: i64) -> i64 {
        let mut table = self.0.lock();
        if table.next.len() >= MAX_SEQUENCES {
            table.next.clear();
        }
        let next = *table.next.entry(key).or_insert(next);
        let Some((_, number)) = table.running.get_mut(&step) else { return next };
        *number.get_or_insert(next)
    }

    /// The next number of a graph's steps, where they are counted from.
    pub(super) fn next_here(&self, key: i64) -> i64 {
        let mut table = self.0.lock();
        if table.next.len() >= MAX_SEQUENCES {
            table.next.clear();
        }
        *table.next.entry(key).or_insert_with(|| crate::call::random_step().0 & MASK)
    }
}

/// The key by which TensorFlow's masters know a graph with collectives, made of the keys of their instances; 0 if it has none.
pub(crate) fn graph_key<'a>(graphs: impl Iterator<Item = &'a GraphData>) -> i64 {
    let (mut keys, mut has_others) = (BTreeSet::new(), false);
    for node in graphs.flat_map(GraphData::nodes).filter(|node| node.op.starts_with("Collective")) {
        match node.attr_int("instance_key") {
            Ok(key) => drop(keys.insert(key as i32)),
            Err(_) => has_others = true,
        }
    }
    if keys.is_empty() && !has_others {
        return 0;
    }
    let mix = |hash: u64, key: i32| {
        let key = key as i64 as u64;
        key ^ hash.wrapping_add(0x9e37_79b9_7f4a_7800).wrapping_add(key << 10).wrapping_add(key >> 4)
    };
    keys.into_iter().fold(SEED, mix) as i64
}
