//! How members reduce and gather in a group with tasks of TensorFlow: in rings, chunk by chunk, as these do it.
//!
//! The tensor is cut into sections, several for each member if there are several rings. Section by section each member gets what
//! the one before it has, adds its own part, and hands it on; the last one has the sum, which then goes around once more. A gather
//! goes around once, each member beginning with what it brings. All merge in the same order, so all get the same bits.

use graph::op::{CollectiveGroup, CollectivePlay, CollectiveTurn};
use tensor::{Result, Shape, Tensor, bail, ensure, err};

use super::entry::in_one;
use super::merge::Merge;

/// Chunks of reductions are multiples of so many bytes.
const ALIGNMENT: usize = 64;
/// More rings are added, if a node leaves their number open, until chunks are no larger than this.
const LARGEST_CHUNK: usize = 4 << 20;
/// A node that leaves the number of rings open has no more than this for each device of a task.
const MOST_RINGS: usize = 2;

/// How a node wants its tensor cut.
#[derive(Clone, Debug)]
pub(super) enum Cut {
    /// A ring for each of these offsets, by which the devices of each task are rotated (and reversed, if negative).
    Offsets(Vec<i64>),
    /// At most so many rings for each device of a task: one if this is -1, and a default if it is 0.
    AtMost(i64),
}

/// What is done with the chunks that arrive.
#[derive(Clone, Copy)]
pub(super) enum Work {
    /// Merge, and divide by the number of members.
    Reduce(Merge, bool),
    Gather,
}

/// A member's side.
pub(super) struct Ring {
    work: Work,
    /// What comes out.
    shape: Shape,
    rank: usize,
    size: usize,
    /// The members of each ring in their order.
    rings: Vec<Vec<usize>>,
    /// What is known of each section.
    sections: Vec<Section>,
    /// Sections that are not complete.
    open: usize,
}

#[derive(Default)]
struct Section {
    chunk: Option<Tensor>,
    shape: Shape,
    /// The round in which something is waited for.
    awaits: Option<usize>,
}

impl Ring {
    pub fn new(work: Work, cut: &Cut, input: &Tensor, group: &CollectiveGroup) -> Result<Ring> {
        let (size, rank) = (group.tasks.len(), group.rank);
        let rings = match cut {
            Cut::Offsets(offsets) if !offsets.is_empty() => offsets.clone(),
            Cut::Offsets(_) => vec![0],
            Cut::AtMost(most) => offsets(*most, input.byte_size(), &group.tasks),
        };
        let rings: Vec<Vec<usize>> = rings.iter().map(|offset| ring(*offset, &group.tasks)).collect();
        let count = size * rings.len();
        let mut shape = input.shape().clone();
        let elements = input.num_elements();
        let mut sections = Vec::with_capacity(count);
        if matches!(work, Work::Gather) {
            let mut dims = shape.dims().to_vec();
            let Some(first) = dims.first_mut() else { bail!(InvalidArgument, "a gather of scalars") };
            *first = first.checked_mul(size as i64).ok_or_else(|| err!(InvalidArgument, "too many elements"))?;
            shape = Shape::new(&dims)?;
            let part = || Shape::vector(elements);
            sections.extend((0..count).map(|_| Section { shape: part(), ..Section::default() }));
            sections[rank].chunk = Some(input.window(0, part())?);
        } else {
            let chunk = chunk_elements(input.dtype().size(), elements, count);
            for index in 0..count {
                let start = elements.min(index * chunk);
                let part = Shape::vector(elements.min(start + chunk) - start);
                let chunk = Some(input.window(start, part.clone())?);
                sections.push(Section { chunk, shape: part, awaits: None });
            }
        }
        Ok(Ring { work, shape, rank, size, rings, open: sections.len(), sections })
    }

    fn rounds(&self) -> usize {
        if matches!(self.work, Work::Gather) { 1 } else { 2 }
    }

    /// The ring of a section and this member's place in it.
    fn place(&self, section: usize) -> (&[usize], usize) {
        let ring = &self.rings[section % self.rings.len()];
        (ring, ring.iter().position(|member| *member == self.rank).unwrap_or(0))
    }

    /// The member that has a section complete at the end of its first round, and how far this one is behind it.
    fn behind_last(&self, section: usize) -> usize {
        let (_, place) = self.place(section);
        let last = section / self.rings.len() + self.size - 1;
        (place + 2 * self.size - last % self.size) % self.size
    }

    fn enter(&mut self, section: usize, round: usize, turn: &mut CollectiveTurn) {
        let (size, behind) = (self.size, self.behind_last(section));
        // The first round begins after the last member's place and ends at it; the second begins there.
        let (receives, sends) =
            if round == 0 { (behind != 1 % size, behind != 0) } else { (behind != 0, behind != size - 1) };
        let part = (round * self.sections.len() + section) as u32;
        let (ring, place) = self.place(section);
        let (before, after) = (ring[(place + size - 1) % size], ring[(place + 1) % size]);
        let awaited = self.sections[section].awaits.take() == Some(round);
        if receives && !awaited {
            turn.asks.push((before, part, self.sections[section].shape.clone()));
            self.sections[section].awaits = Some(round);
            return;
        }
        if sends {
            turn.sends.push((after, part, self.sections[section].chunk.clone()));
        }
        if round + 1 < self.rounds() {
            return self.enter(section, round + 1, turn);
        }
        self.open -= 1;
    }

    fn finish(&self, mut turn: CollectiveTurn) -> Result<CollectiveTurn> {
        if self.open == 0 {
            let chunks: Vec<Tensor> = self.sections.iter().filter_map(|section| section.chunk.clone()).collect();
            turn.result = Some(in_one(&chunks)?.into_shape(self.shape.clone())?);
        }
        Ok(turn)
    }
}

impl CollectivePlay for Ring {
    fn begin(&mut self, _: usize, _: usize) -> Result<CollectiveTurn> {
        let mut turn = CollectiveTurn::default();
        for section in 0..self.sections.len() {
            match self.sections[section].shape.num_elements() {
                // Nobody sends what is empty.
                0 => self.open -= 1,
                _ => self.enter(section, 0, &mut turn),
            }
        }
        self.finish(turn)
    }

    fn take(&mut self, from: usize, part: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn> {
        let (round, section) = (part as usize / self.sections.len(), part as usize % self.sections.len());
        let tensor = tensor.ok_or_else(|| err!(Internal, "member {from} sent nothing"))?;
        ensure!(
            self.sections[section].awaits == Some(round),
            Internal,
            "member {from} sent section {section} in round {round}, which nobody waits for"
        );
        let last = self.behind_last(section) == 0;
        let chunk = match (self.work, self.sections[section].chunk.take()) {
            (Work::Reduce(merge, divides), Some(own)) if round == 0 => {
                merge.all(&[own, tensor], (divides && last).then_some(self.size))?
            }
            _ => tensor,
        };
        self.sections[section].chunk = Some(chunk);
        let mut turn = CollectiveTurn::default();
        self.enter(section, round, &mut turn);
        self.finish(turn)
    }

    fn key(&self, from: usize, _: usize, part: u32) -> String {
        let (round, section) = (part as usize / self.sections.len(), part as usize % self.sections.len());
        let ring = &self.rings[section % self.rings.len()];
        let place = ring.iter().position(|member| *member == from).unwrap_or(0);
        format!(":{round}:{section}:{place}")
    }
}

/// How many elements TensorFlow's tasks put into each of so many chunks: the next multiple of the alignment, also of what is
/// one already.
fn chunk_elements(size: usize, elements: usize, chunks: usize) -> usize {
    let bytes = elements.div_ceil(chunks) * size;
    (bytes / ALIGNMENT + 1) * ALIGNMENT / size
}

/// The offsets of rings for a tensor of so many bytes.
fn offsets(most: i64, bytes: usize, tasks: &[String]) -> Vec<i64> {
    if most == -1 {
        return vec![0];
    }
    let devices = tasks.len() / runs(tasks).len();
    let most = devices.saturating_mul(usize::try_from(most).ok().filter(|most| *most > 0).unwrap_or(MOST_RINGS));
    let mut count = 1;
    while bytes / (tasks.len() * count) > LARGEST_CHUNK && count < most {
        count += 1;
    }
    let stride = (devices / count).max(1) as i64;
    (0..count as i64).map(|ring| if ring % 2 == 1 { -ring * stride } else { ring * stride }).collect()
}

/// The members of a ring in their order: those of each task rotated.
fn ring(offset: i64, tasks: &[String]) -> Vec<usize> {
    let mut members = Vec::with_capacity(tasks.len());
    let mut first = 0;
    for count in runs(tasks) {
        for index in 0..count {
            let turned = (index as u64 + offset.unsigned_abs()) as usize % count;
            members.push(first + if offset < 0 { count - 1 - turned } else { turned });
        }
        first += count;
    }
    members
}

/// How many members each task has, in their order.
pub(super) fn runs(tasks: &[String]) -> Vec<usize> {
    tasks.chunk_by(|one, other| one == other).map(<[String]>::len).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{group, of_rank, play_mixed};
    use super::*;

    #[test]
    fn chunks_are_rounded_up_as_in_tensorflow() {
        // As TensorFlow rounds them: bytes of an element, elements, chunks, elements of a chunk.
        for (size, elements, chunks, expected) in [(4, 5, 2, 16), (4, 32, 2, 32), (8, 1000, 3, 336), (2, 1, 2, 32)] {
            assert_eq!(chunk_elements(size, elements, chunks), expected, "{elements} in {chunks}");
        }
    }

    #[test]
    fn rings_turn_within_each_task() {
        let tasks = group(&[3, 1]).tasks;
        assert_eq!(ring(0, &tasks), [0, 1, 2, 3]);
        assert_eq!(ring(1, &tasks), [1, 2, 0, 3]);
        assert_eq!(ring(-1, &tasks), [1, 0, 2, 3]);
    }

    #[test]
    fn all_members_get_the_same_sum_of_any_size_over_any_number_of_rings() {
        for counts in [&[1, 1][..], &[1, 1, 1], &[2, 2], &[3, 1]] {
            for elements in [0, 1, 5, 64, 1000] {
                for cut in [Cut::AtMost(-1), Cut::Offsets(vec![0, 1, -1])] {
                    let group = group(counts);
                    let size = group.tasks.len();
                    let input = |rank: usize| {
                        Tensor::vector(&(0..elements).map(|i| (i * 37 % 11 + rank * i) as f32).collect::<Vec<_>>())
                    };
                    let sum: Vec<f32> = (0..elements)
                        .map(|i| (0..size).map(|rank| (i * 37 % 11 + rank * i) as f32).sum::<f32>() / size as f32)
                        .collect();
                    let members = (0..size).map(|rank| {
                        let work = Work::Reduce(Merge::Add, true);
                        Box::new(Ring::new(work, &cut, &input(rank), &of_rank(&group, rank)).unwrap())
                            as Box<dyn CollectivePlay>
                    });
                    for result in play_mixed(members.collect()) {
                        assert_eq!(result, Tensor::vector(&sum), "{counts:?} {elements}");
                    }
                    let members = (0..size).map(|rank| {
                        let ring = Ring::new(Work::Gather, &Cut::AtMost(-1), &input(rank), &of_rank(&group, rank));
                        Box::new(ring.unwrap()) as Box<dyn CollectivePlay>
                    });
                    let inputs: Vec<Tensor> = (0..size).map(input).collect();
                    for result in play_mixed(members.collect()) {
                        assert_eq!(result, in_one(&inputs).unwrap());
                    }
                }
            }
        }
    }
}
