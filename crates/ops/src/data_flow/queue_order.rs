//! In which order elements leave queues that are not first in, first out.

use std::collections::VecDeque;

use math::random::Words;

use super::queue::Tuple;

fn priority(tuple: &Tuple) -> i64 {
    tuple.first().and_then(|first| first.to_scalar().ok()).unwrap_or(0)
}

/// Moves the element at `place` up to where it belongs. Equal priorities leave in the order in which TensorFlow's heap
/// lets them: a heap is a fixed sequence of comparisons, so this is the same one.
pub(super) fn heap_rise(heap: &mut VecDeque<Tuple>, mut place: usize) {
    while place > 0 {
        let parent = (place - 1) / 2;
        if priority(&heap[parent]) <= priority(&heap[place]) {
            return;
        }
        heap.swap(parent, place);
        place = parent;
    }
}

pub(super) fn heap_pop(heap: &mut VecDeque<Tuple>) -> Option<Tuple> {
    let last = heap.pop_back()?;
    if heap.is_empty() {
        return Some(last);
    }
    let first = std::mem::replace(&mut heap[0], last);
    // The last one goes all the way down along the smaller children, then up again.
    let mut place = 0;
    loop {
        let (left, right) = (2 * place + 1, 2 * place + 2);
        let child = if right < heap.len() && priority(&heap[right]) <= priority(&heap[left]) { right } else { left };
        if child >= heap.len() {
            break;
        }
        heap.swap(place, child);
        place = child;
    }
    heap_rise(heap, place);
    Some(first)
}

/// The generator that TensorFlow's shuffling queue uses.
pub(super) fn dice(seeds: (i64, i64)) -> Words {
    Words::seeded(if seeds == (0, 0) { random_seeds() } else { seeds })
}

/// Seeds that nobody asked to be the same again.
fn random_seeds() -> (i64, i64) {
    use std::hash::{BuildHasher, RandomState};
    let number = |place: u8| RandomState::new().hash_one(place) as i64;
    (number(0), number(1))
}
