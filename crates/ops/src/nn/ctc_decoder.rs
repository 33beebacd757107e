//! `CTCGreedyDecoder` and `CTCBeamSearchDecoder`: the likeliest labels of sequences, of which each may last for several
//! times and between which there may be blanks.

use std::collections::{HashMap, HashSet};

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{Double, Float};
use tensor::{PartialShape, Result, Tensor, ensure, memory};

use super::ctc_loss::{Sequences, added};
use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "CTCGreedyDecoder",
        "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, decoded_shape: int64, \
         log_probability: T",
    )
    .attr("merge_repeated: bool = false")
    .attr("blank_index: int = -1")
    .attr("T: {float, double} = float")
    .shape(shape)
    .kernel("T", &[Float, Double], greedy_kernel)
    .not_differentiable();
    r.op(
        "CTCBeamSearchDecoder",
        "inputs: T, sequence_length: int32 -> decoded_indices: top_paths * int64, decoded_values: top_paths * int64, \
         decoded_shape: top_paths * int64, log_probability: T",
    )
    .attr("beam_width: int >= 1")
    .attr("top_paths: int >= 1")
    .attr("merge_repeated: bool = true")
    .attr("T: {float, double} = float")
    .shape(shape)
    .kernel("T", &[Float, Double], beam_kernel)
    .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (inputs, lengths) = (cx.with_rank(0, 3)?, cx.with_rank(1, 1)?);
    let batch = PartialShape::vector(inputs.dim(1)).merge(&lengths)?.dim(0);
    let paths = cx.num_outputs() / 3;
    for path in 0..paths {
        cx.set(path, PartialShape::new(&[None, Some(2)]));
        cx.set(paths + path, PartialShape::vector(None));
        cx.set(2 * paths + path, PartialShape::vector(Some(2)));
    }
    cx.set(3 * paths, PartialShape::new(&[batch, Some(paths as i64)]));
    Ok(())
}

fn greedy_kernel(node: &Node) -> Result<Kernel> {
    let (merge, blank) = (node.attr_bool("merge_repeated")?, node.attr_int("blank_index")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs = cx.input(0)?;
        let sequences = Sequences::new(inputs, cx.input(1)?)?;
        let classes = sequences.classes as i64;
        ensure!(
            (-classes..classes).contains(&blank),
            InvalidArgument,
            "blank_index expected to be between {} and {}, but it was {blank}",
            -classes,
            classes - 1
        );
        let blank = if blank < 0 { (classes + blank) as usize } else { blank as usize };
        let scores = cast(inputs.clone(), Double, false)?;
        let scores = scores.as_slice::<f64>()?;
        let (mut decoded, mut logs) = (Vec::new(), Vec::new());
        for (number, length) in sequences.lengths.iter().enumerate() {
            let (mut labels, mut log, mut before) = (Vec::new(), 0.0, None);
            for time in 0..*length {
                let scores = &scores[sequences.place(time, number)..][..sequences.classes];
                let best =
                    (1..scores.len()).fold(0, |best, class| if scores[class] > scores[best] { class } else { best });
                log -= scores[best];
                if best != blank && !(merge && before == Some(best)) {
                    labels.push(best as i64);
                }
                before = Some(best);
            }
            decoded.push(labels);
            logs.push(log);
        }
        give(cx, &[decoded], logs)
    }))
}

fn beam_kernel(node: &Node) -> Result<Kernel> {
    let (width, paths) = (node.attr_int("beam_width")?, node.attr_int("top_paths")?);
    let merge = node.attr_bool("merge_repeated")?;
    ensure!(paths <= width, InvalidArgument, "requested more paths than the beam width: {paths} and {width}");
    let (width, paths) = (width as usize, paths as usize);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs = cx.input(0)?;
        let sequences = Sequences::new(inputs, cx.input(1)?)?;
        let scores = cast(inputs.clone(), Double, false)?;
        let scores = scores.as_slice::<f64>()?;
        let (mut decoded, mut logs) = (vec![Vec::new(); paths], Vec::new());
        for (number, length) in sequences.lengths.iter().enumerate() {
            let mut beam = Beam::new(width);
            for time in 0..*length {
                beam.step(&scores[sequences.place(time, number)..][..sequences.classes])?;
            }
            for (path, leaf) in beam.best(paths)?.into_iter().enumerate() {
                decoded[path].push(beam.labels(leaf.place, merge));
                logs.push(leaf.now.total);
            }
        }
        give(cx, &decoded, logs)
    }))
}

/// Each list of sequences as a sparse tensor, then their logarithms.
fn give(cx: &mut OpContext<'_>, decoded: &[Vec<Vec<i64>>], logs: Vec<f64>) -> Result<()> {
    let paths = decoded.len();
    let dtype = cx.input(0)?.dtype();
    for (path, sequences) in decoded.iter().enumerate() {
        let longest = sequences.iter().map(Vec::len).max().unwrap_or(0);
        let places = sequences.iter().enumerate();
        let places = places.flat_map(|(row, labels)| (0..labels.len()).flat_map(move |at| [row as i64, at as i64]));
        let (indices, values) = (places.collect::<Vec<i64>>(), sequences.concat());
        cx.set_output(path, Tensor::new([values.len() as i64, 2], indices)?);
        cx.set_output(paths + path, Tensor::vector(&values));
        cx.set_output(2 * paths + path, Tensor::from([sequences.len() as i64, longest as i64]));
    }
    let logs = Tensor::new([(logs.len() / paths) as i64, paths as i64], logs)?;
    cx.set_output(3 * paths, cast(logs, dtype, false)?);
    Ok(())
}

/// The logarithms of the probabilities of a sequence: all ways, those that end in a blank, those that end in its label.
#[derive(Clone, Copy)]
struct Chance {
    total: f64,
    blank: f64,
    label: f64,
}

/// A sequence that is in the beam; its labels are those from its place in the tree up to the root.
#[derive(Clone, Copy)]
struct Leaf {
    place: usize,
    before: Chance,
    now: Chance,
}

/// The likeliest sequences so far, as places in a tree of labels.
struct Beam {
    width: usize,
    /// Parent and label of each place; the root is its own parent.
    tree: Vec<(usize, usize)>,
    /// The place of each parent and label. A sequence that left the beam and comes back is the one it was, so that it
    /// counts for those that go on from it.
    places: HashMap<(usize, usize), usize>,
    /// In no order.
    leaves: Vec<Leaf>,
    /// How large the tree may grow before what nobody needs any more is thrown away.
    room: usize,
}

const NEVER: f64 = f64::NEG_INFINITY;
/// The label of the root.
const NONE: usize = usize::MAX;

impl Beam {
    fn new(width: usize) -> Beam {
        let now = Chance { total: 0.0, blank: 0.0, label: NEVER };
        let leaves = vec![Leaf { place: 0, before: now, now }];
        Beam { width, tree: vec![(0, NONE)], places: HashMap::new(), leaves, room: 1 << 16 }
    }

    /// Goes on by one time, of which the scores of all classes are known. The last class is the blank.
    fn step(&mut self, scores: &[f64]) -> Result<()> {
        let Some((blank_score, scores)) = scores.split_last() else { return Ok(()) };
        let top = scores.iter().copied().fold(*blank_score, f64::max);
        let sum: f64 = scores.iter().chain([blank_score]).map(|score| (score - top).exp()).sum();
        let total = top + sum.ln();
        let mut branches = std::mem::take(&mut self.leaves);
        branches.sort_by(|a, b| b.now.total.total_cmp(&a.now.total));
        branches.iter_mut().for_each(|branch| branch.before = branch.now);
        let known: HashMap<usize, usize> =
            branches.iter().enumerate().map(|(number, leaf)| (leaf.place, number)).collect();
        for number in 0..branches.len() {
            let place = branches[number].place;
            let (parent, label) = self.tree[place];
            let mut now = branches[number].now;
            if place != 0 {
                if let Some(parent) = known.get(&parent).map(|number| &branches[*number]) {
                    let repeated = self.tree[parent.place].1 == label;
                    let previous = if repeated { parent.before.blank } else { parent.before.total };
                    now.label = added(now.label, previous);
                }
                now.label += scores[label] - total;
            }
            now.blank = branches[number].before.total + blank_score - total;
            now.total = added(now.blank, now.label);
            branches[number].now = now;
        }
        let mut active: HashSet<usize> = branches.iter().map(|leaf| leaf.place).collect();
        self.leaves = branches.clone();
        let mut worst = self.worst();
        for branch in &branches {
            let label_of_branch = self.tree[branch.place].1;
            if !self.is_candidate(branch.before.total, worst) {
                continue;
            }
            for (label, score) in scores.iter().enumerate() {
                let known = self.places.get(&(branch.place, label)).copied();
                if known.is_some_and(|place| active.contains(&place)) {
                    continue;
                }
                let previous = if label == label_of_branch { branch.before.blank } else { branch.before.total };
                let chance = score - total + previous;
                if !self.is_candidate(chance, worst) {
                    continue;
                }
                let now = Chance { total: chance, blank: NEVER, label: chance };
                let place = known.unwrap_or_else(|| {
                    self.tree.push((branch.place, label));
                    self.places.insert((branch.place, label), self.tree.len() - 1);
                    self.tree.len() - 1
                });
                let leaf = Leaf { place, before: now, now };
                active.insert(place);
                if self.leaves.len() == self.width {
                    let dropped = std::mem::replace(&mut self.leaves[worst], leaf);
                    active.remove(&dropped.place);
                } else {
                    self.leaves.push(leaf);
                }
                worst = self.worst();
            }
        }
        self.tidy()
    }

    fn worst(&self) -> usize {
        let total = |number: &usize| self.leaves[*number].now.total;
        (0..self.leaves.len()).min_by(|a, b| total(a).total_cmp(&total(b))).unwrap_or(0)
    }

    fn is_candidate(&self, total: f64, worst: usize) -> bool {
        total > NEVER && (self.leaves.len() < self.width || total > self.leaves[worst].now.total)
    }

    /// Throws away the places that lead to no leaf, once there are many.
    fn tidy(&mut self) -> Result<()> {
        if self.tree.len() <= self.room {
            return Ok(());
        }
        let mut needed = vec![false; self.tree.len()];
        needed[0] = true;
        for leaf in &self.leaves {
            let mut place = leaf.place;
            while !std::mem::replace(&mut needed[place], true) {
                place = self.tree[place].0;
            }
        }
        let (mut moved, mut kept) = (vec![0; self.tree.len()], Vec::new());
        for (place, (parent, label)) in self.tree.iter().enumerate().filter(|(place, _)| needed[*place]) {
            moved[place] = kept.len();
            // Parents come before children.
            kept.push((moved[*parent], *label));
        }
        self.leaves.iter_mut().for_each(|leaf| leaf.place = moved[leaf.place]);
        self.tree = kept;
        self.places = self.tree.iter().copied().enumerate().skip(1).map(|(place, link)| (link, place)).collect();
        self.room = (2 * self.tree.len()).max(1 << 16);
        memory::ensure_free(self.room as u64 * 48, format_args!("the tree of sequences"))
    }

    /// The likeliest sequences, best first.
    fn best(&self, count: usize) -> Result<Vec<Leaf>> {
        ensure!(
            count <= self.leaves.len(),
            InvalidArgument,
            "Less leaves in the beam search than requested: {} and {count}",
            self.leaves.len()
        );
        let mut leaves = self.leaves.clone();
        leaves.sort_by(|a, b| b.now.total.total_cmp(&a.now.total));
        leaves.truncate(count);
        Ok(leaves)
    }

    fn labels(&self, mut place: usize, merge: bool) -> Vec<i64> {
        let (mut labels, mut before) = (Vec::new(), NONE);
        while place != 0 {
            let (parent, label) = self.tree[place];
            if !merge || label != before {
                labels.push(label as i64);
            }
            (place, before) = (parent, label);
        }
        labels.reverse();
        labels
    }
}
