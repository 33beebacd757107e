//! How a value reaches all members of a group with tasks of TensorFlow: down a tree from task to task, then one within each.

use graph::op::{CollectiveGroup, CollectivePlay, CollectiveTurn};
use tensor::{Result, Shape, Tensor, ensure};

use super::ring::runs;

/// A member's side.
pub(super) struct Tree {
    value: Option<Tensor>,
    shape: Shape,
    rank: usize,
    floors: Vec<Floor>,
    /// The tree that is next.
    next: usize,
}

/// One of the trees: between tasks, or within one.
struct Floor {
    /// Members of the group, by their place in the tree.
    members: Vec<usize>,
    /// The place of the one that has the value.
    source: usize,
}

impl Tree {
    /// The side of a member that has the value, or gets one of this shape.
    pub fn new(value: Option<Tensor>, shape: Shape, group: &CollectiveGroup) -> Tree {
        let (counts, source, rank) = (runs(&group.tasks), group.source, group.rank);
        let mut floors = Vec::with_capacity(counts.len() + 1);
        let (mut first, mut between) = (0, Floor { members: Vec::new(), source: 0 });
        for (task, count) in counts.iter().enumerate() {
            let members: Vec<usize> = (first..first + count).collect();
            let place = members.iter().position(|member| *member == source);
            if place.is_some() {
                between.source = task;
            }
            between.members.push(place.map_or(first, |_| source));
            floors.push(Floor { members, source: place.unwrap_or(0) });
            first += count;
        }
        if counts.len() > 1 {
            floors.insert(0, between);
        }
        Tree { value, shape, rank, floors, next: 0 }
    }

    /// Goes on to where something is waited for.
    fn advance(&mut self, turn: &mut CollectiveTurn, mut received: bool) {
        while let Some(floor) = self.floors.get(self.next) {
            if let Some(place) = floor.members.iter().position(|member| *member == self.rank) {
                if place != floor.source && !received {
                    let from = floor.members[floor.parent(place)];
                    return turn.asks.push((from, self.next as u32, self.shape.clone()));
                }
                for child in floor.children(place) {
                    turn.sends.push((floor.members[child], self.next as u32, self.value.clone()));
                }
            }
            received = false;
            self.next += 1;
        }
        turn.result = self.value.clone();
    }
}

/// A source that is not first counts as if it stood before the first, too.
impl Floor {
    fn parent(&self, place: usize) -> usize {
        if self.source == 0 {
            return (place - 1) / 2;
        }
        (place / 2).checked_sub(1).unwrap_or(self.source)
    }

    fn children(&self, place: usize) -> Vec<usize> {
        let (count, source) = (self.members.len(), self.source);
        let first = if source == 0 { 2 * place + 1 } else { 2 * (place + 1) };
        let mut children = Vec::new();
        if place == source && source != 0 {
            children.extend((0..2).filter(|child| *child < count && *child != source));
        }
        children.extend((first..first + 2).filter(|child| *child < count && *child != source));
        children
    }
}

impl CollectivePlay for Tree {
    fn begin(&mut self, _: usize, _: usize) -> Result<CollectiveTurn> {
        let mut turn = CollectiveTurn::default();
        self.advance(&mut turn, false);
        Ok(turn)
    }

    fn take(&mut self, from: usize, part: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        ensure!(part as usize == self.next, Internal, "member {from} sent part {part}, which nobody waits for");
        self.value = tensor;
        let mut turn = CollectiveTurn::default();
        self.advance(&mut turn, true);
        Ok(turn)
    }

    fn key(&self, from: usize, to: usize, part: u32) -> String {
        let members = self.floors.get(part as usize).map_or(&[][..], |floor| &floor.members);
        let place = |member| members.iter().position(|other| *other == member).unwrap_or(0);
        format!(":{part}:{}:{}", place(from), place(to))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{group, of_rank, play_mixed};
    use super::*;

    #[test]
    fn every_member_gets_the_value_from_whichever_member_it_comes() {
        for counts in [&[1, 1][..], &[2], &[1, 1, 1], &[2, 3, 1], &[1, 1, 1, 1, 1, 1, 1]] {
            let size = counts.iter().sum();
            for source in 0..size {
                let group = CollectiveGroup { source, ..group(counts) };
                let value = Tensor::vector(&[1f32, 2.0]);
                let member = |rank| {
                    let own = (rank == source).then(|| value.clone());
                    Box::new(Tree::new(own, value.shape().clone(), &of_rank(&group, rank))) as Box<dyn CollectivePlay>
                };
                for result in play_mixed((0..size).map(member).collect()) {
                    assert_eq!(result, value, "{counts:?} from {source}");
                }
            }
        }
    }
}
