//! How members reduce: small tensors go from each to each, of large ones each member reduces a share.
//!
//! Every element is merged by one member or by all, always from the first rank to the last, so that all members get the same
//! bits. Of a large tensor member `i` owns share `i`: the others send it theirs, and get the result back. Each member sends
//! and receives as many bytes as in a ring, in two messages to each of the others instead of a chain of them.

use graph::op::{CollectiveGroup, CollectivePlay, CollectiveTurn};
use tensor::{Result, Shape, Tensor, bail, ensure, err};

use super::entry::in_one;
use super::merge::Merge;
use super::ring::{Cut, Ring, Work};

/// A tensor goes to all others in one piece if that takes no more bytes than this.
const DIRECT: usize = 512 << 10;

/// What another member brings: its tensor, or its part of the share that is reduced here.
const BROUGHT: u32 = 0;
/// The share of another member, reduced.
const REDUCED: u32 = 1;

/// A member's side of a reduction.
pub(super) struct Reduction {
    merge: Merge,
    divides: bool,
    input: Tensor,
    rank: usize,
    /// What each member brings to the share that is reduced here; all of it if the exchange is direct.
    brought: Slots,
    /// The shares, reduced.
    reduced: Slots,
    direct: bool,
    /// How TensorFlow's tasks cut the tensor.
    cut: Cut,
}

/// A place for each member's tensor.
#[derive(Default)]
struct Slots {
    tensors: Vec<Option<Tensor>>,
    missing: usize,
}

impl Slots {
    fn new(size: usize) -> Slots {
        Slots { tensors: vec![None; size], missing: size }
    }

    /// Puts a member's tensor; returns whether all are there now.
    fn put(&mut self, from: usize, tensor: Tensor) -> Result<bool> {
        let Some(slot) = self.tensors.get_mut(from) else { bail!(Internal, "a message of member {from}") };
        ensure!(slot.is_none(), Internal, "member {from} sent the same part twice");
        *slot = Some(tensor);
        self.missing -= 1;
        Ok(self.missing == 0)
    }

    fn take(&mut self) -> Vec<Tensor> {
        self.tensors.iter_mut().filter_map(Option::take).collect()
    }
}

impl Reduction {
    pub fn new(merge: Merge, divides: bool, input: Tensor, cut: Cut) -> Reduction {
        let (brought, reduced) = Default::default();
        Reduction { merge, divides, input, rank: 0, brought, reduced, direct: true, cut }
    }

    /// The elements of a member's share.
    fn share(&self, rank: usize) -> Result<Tensor> {
        let (count, size) = (self.input.num_elements() as u128, self.brought.tensors.len() as u128);
        let end = |rank: u128| (count * rank / size) as usize;
        let (start, end) = (end(rank as u128), end(rank as u128 + 1));
        self.input.window(start, Shape::vector(end - start))
    }

    fn merged(&mut self) -> Result<Tensor> {
        let parts = self.brought.take();
        self.merge.all(&parts, self.divides.then_some(parts.len()))
    }

    fn finished(&mut self) -> Result<CollectiveTurn> {
        let shares = self.reduced.take();
        let whole = in_one(&shares)?.into_shape(self.input.shape().clone())?;
        Ok(CollectiveTurn { result: Some(whole), ..CollectiveTurn::default() })
    }

    fn brought(&mut self, from: usize, tensor: Tensor) -> Result<CollectiveTurn> {
        if !self.brought.put(from, tensor)? {
            return Ok(CollectiveTurn::default());
        }
        let merged = self.merged()?;
        if self.direct {
            let result = merged.into_shape(self.input.shape().clone())?;
            return Ok(CollectiveTurn { result: Some(result), ..CollectiveTurn::default() });
        }
        let size = self.reduced.tensors.len();
        let others = (0..size).filter(|to| *to != self.rank);
        let sends = others.map(|to| (to, REDUCED, Some(merged.clone()))).collect();
        let complete = self.reduced.put(self.rank, merged)?;
        let turn = if complete { self.finished()? } else { CollectiveTurn::default() };
        Ok(CollectiveTurn { sends, ..turn })
    }
}

impl CollectivePlay for Reduction {
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn> {
        (self.rank, self.brought, self.reduced) = (rank, Slots::new(size), Slots::new(size));
        let bytes = self.input.byte_size().saturating_mul(size - 1);
        self.direct = bytes <= DIRECT || self.input.num_elements() < size;
        let mut sends = Vec::with_capacity(size - 1);
        for to in (0..size).filter(|to| *to != rank) {
            let tensor = if self.direct { self.input.clone() } else { self.share(to)? };
            sends.push((to, BROUGHT, Some(tensor)));
        }
        let own = if self.direct { self.input.clone() } else { self.share(rank)? };
        let turn = self.brought(rank, own)?;
        sends.extend(turn.sends);
        Ok(CollectiveTurn { sends, ..turn })
    }

    fn take(&mut self, from: usize, part: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        let tensor = tensor.ok_or_else(|| err!(Internal, "member {from} sent nothing"))?;
        let wanted = match part {
            BROUGHT if self.direct => self.input.shape().clone(),
            BROUGHT => self.share(self.rank)?.shape().clone(),
            _ => self.share(from)?.shape().clone(),
        };
        ensure!(
            tensor.shape() == &wanted && tensor.dtype() == self.input.dtype(),
            Internal,
            "member {from} sent {} of shape {} instead of {} of shape {wanted}",
            tensor.dtype(),
            tensor.shape(),
            self.input.dtype()
        );
        match part {
            BROUGHT => self.brought(from, tensor),
            REDUCED if !self.direct => match self.reduced.put(from, tensor)? {
                true => self.finished(),
                false => Ok(CollectiveTurn::default()),
            },
            _ => bail!(Internal, "member {from} sent part {part}, which a reduction does not have"),
        }
    }

    fn mixed(&self, group: &CollectiveGroup) -> Result<Box<dyn CollectivePlay>> {
        Ok(Box::new(Ring::new(Work::Reduce(self.merge, self.divides), &self.cut, &self.input, group)?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Plays all members, delivering messages in the order of a seed.
    fn play(mut members: Vec<Reduction>, seed: u64) -> Vec<Tensor> {
        let size = members.len();
        let mut results = vec![None; size];
        let mut messages = VecDeque::new();
        let mut random = seed;
        let turn =
            |from: usize, turn: CollectiveTurn, messages: &mut VecDeque<_>, results: &mut Vec<Option<Tensor>>| {
                messages.extend(turn.sends.into_iter().map(|(to, part, tensor)| (from, to, part, tensor)));
                if let Some(result) = turn.result {
                    assert!(results[from].replace(result).is_none());
                }
            };
        for (rank, member) in members.iter_mut().enumerate() {
            let begun = member.begin(rank, size).unwrap();
            turn(rank, begun, &mut messages, &mut results);
        }
        while !messages.is_empty() {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (from, to, part, tensor) = messages.remove((random >> 33) as usize % messages.len()).unwrap();
            let taken = members[to].take(from, part, tensor).unwrap();
            turn(to, taken, &mut messages, &mut results);
        }
        results.into_iter().map(|result| result.expect("a member waits for ever")).collect()
    }

    fn ragged(rank: usize, count: usize) -> Tensor {
        Tensor::vector(&(0..count).map(|i| ((i * 37 + rank * 101) % 97) as f32 / 7.0).collect::<Vec<_>>())
    }

    #[test]
    fn every_member_gets_the_same_bits_in_whatever_order_messages_come() {
        for count in [0, 1, 2, 1000, 400_001] {
            for size in [1, 2, 3, 5] {
                let inputs: Vec<Tensor> = (0..size).map(|rank| ragged(rank, count)).collect();
                let expected = Merge::Add.all(&inputs, Some(size)).unwrap();
                for seed in 0..3 {
                    let members = inputs
                        .iter()
                        .map(|input| Reduction::new(Merge::Add, true, input.clone(), Cut::AtMost(-1)))
                        .collect();
                    for result in play(members, seed) {
                        assert_eq!(result, expected, "{count} elements, {size} members");
                    }
                }
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let mut member = Reduction::new(Merge::Add, false, ragged(0, 3), Cut::AtMost(-1));
        member.begin(0, 3).unwrap();
        assert!(member.take(1, BROUGHT, None).is_err());
        assert!(member.take(1, BROUGHT, Some(ragged(0, 4))).is_err());
        assert!(member.take(1, REDUCED, Some(ragged(0, 1))).is_err());
        assert!(member.take(7, BROUGHT, Some(ragged(0, 3))).is_err());
        assert!(member.take(1, BROUGHT, Some(ragged(0, 3))).is_ok());
        assert!(member.take(1, BROUGHT, Some(ragged(0, 3))).is_err());
    }
}
