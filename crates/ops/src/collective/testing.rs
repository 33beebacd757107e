//! Groups of several tasks for tests, whose members ask each other.

use std::collections::HashMap;

use graph::op::{CollectiveGroup, CollectivePlay};
use tensor::Tensor;

/// A group of tasks with so many members each.
pub(super) fn group(counts: &[usize]) -> CollectiveGroup {
    let tasks = counts.iter().enumerate().flat_map(|(task, count)| vec![format!("/job:worker/task:{task}"); *count]);
    CollectiveGroup { tasks: tasks.collect(), source: 0, rank: 0 }
}

/// The same group, as a member of it sees it.
pub(super) fn of_rank(group: &CollectiveGroup, rank: usize) -> CollectiveGroup {
    CollectiveGroup { tasks: group.tasks.clone(), rank, ..*group }
}

/// Plays all members; what is sent waits until it is asked for, by its key.
pub(super) fn play_mixed(mut members: Vec<Box<dyn CollectivePlay>>) -> Vec<Tensor> {
    let size = members.len();
    let mut results: Vec<Option<Tensor>> = vec![None; size];
    let (mut sent, mut asked) = (HashMap::new(), Vec::new());
    let mut turns: Vec<_> = (0..size).map(|rank| (rank, members[rank].begin(rank, size).unwrap())).collect();
    loop {
        for (rank, turn) in turns.drain(..) {
            for (to, part, tensor) in turn.sends {
                let key = (rank, members[rank].key(rank, to, part));
                assert!(sent.insert(key, tensor).is_none(), "the same key twice");
            }
            for (from, part, shape) in turn.asks {
                asked.push((rank, from, part, members[rank].key(from, rank, part), shape));
            }
            if let Some(result) = turn.result {
                assert!(results[rank].replace(result).is_none());
            }
        }
        let found = asked.iter().position(|(_, from, _, key, _)| sent.contains_key(&(*from, key.clone())));
        let Some(found) = found else { break };
        let (rank, from, part, key, shape) = asked.swap_remove(found);
        let tensor = sent.remove(&(from, key)).unwrap();
        assert_eq!(tensor.as_ref().map(Tensor::shape), Some(&shape));
        turns.push((rank, members[rank].take(from, part, tensor).unwrap()));
    }
    assert!(asked.is_empty() && sent.is_empty(), "a member waits for ever");
    results.into_iter().map(Option::unwrap).collect()
}
