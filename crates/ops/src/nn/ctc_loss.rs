//! `CTCLoss`: how unlikely the labels of sequences are, over all ways in which they can be spread over time (connectionist
//! temporal classification).

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::DType::{Double, Float};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure, memory};

use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "CTCLoss",
        "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 -> loss: T, gradient: T",
    )
    .attr("preprocess_collapse_repeated: bool = false")
    .attr("ctc_merge_repeated: bool = true")
    .attr("ignore_longer_outputs_than_inputs: bool = false")
    .attr("T: {float, double} = float")
    .shape(shape)
    .kernel("T", &[Float, Double], kernel)
    .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (inputs, indices) = (cx.with_rank(0, 3)?, cx.with_rank(1, 2)?);
    let (values, lengths) = (cx.with_rank(2, 1)?, cx.with_rank(3, 1)?);
    PartialShape::vector(indices.dim(0)).merge(&values)?;
    let batch = PartialShape::vector(inputs.dim(1)).merge(&lengths)?;
    cx.set(1, PartialShape::new(&[inputs.dim(0), batch.dim(0), inputs.dim(2)]));
    cx.set(0, batch);
    Ok(())
}

/// How labels may follow each other.
#[derive(Clone, Copy)]
struct Rules {
    collapse: bool,
    merge: bool,
    ignore_longer: bool,
}

/// The sizes of the inputs, checked: batch and classes, and the length of each sequence.
pub(super) struct Sequences {
    pub(super) batch: usize,
    pub(super) classes: usize,
    pub(super) lengths: Vec<usize>,
}

impl Sequences {
    pub(super) fn new(inputs: &Tensor, lengths: &Tensor) -> Result<Sequences> {
        let &[time, batch, classes] = inputs.dims() else { bail!(InvalidArgument, "inputs is not a 3-Tensor") };
        ensure!(lengths.shape().rank() == 1, InvalidArgument, "sequence_length is not a vector");
        ensure!(time > 0, InvalidArgument, "Max time or first dimension of input cannot be 0.");
        ensure!(classes > 0, InvalidArgument, "num_classes cannot be 0");
        let found = lengths.num_elements();
        ensure!(
            found as i64 == batch,
            FailedPrecondition,
            "len(sequence_length) != batch_size.  len(sequence_length):  {found} batch_size: {batch}"
        );
        let mut checked = Vec::with_capacity(found);
        for (number, length) in lengths.to_i64_vec()?.into_iter().enumerate() {
            ensure!(length <= time, FailedPrecondition, "sequence_length({number}) <= {time}, not {length}");
            ensure!(length >= 0, InvalidArgument, "sequence_length({number}) must be nonnegative: {length}");
            checked.push(length as usize);
        }
        Ok(Sequences { batch: batch as usize, classes: classes as usize, lengths: checked })
    }

    /// Where the scores of a sequence at a time begin.
    pub(super) fn place(&self, time: usize, sequence: usize) -> usize {
        (time * self.batch + sequence) * self.classes
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let rules = Rules {
        collapse: node.attr_bool("preprocess_collapse_repeated")?,
        merge: node.attr_bool("ctc_merge_repeated")?,
        ignore_longer: node.attr_bool("ignore_longer_outputs_than_inputs")?,
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (inputs, indices, values, lengths) = (cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.input(3)?);
        ensure!(indices.shape().rank() == 2, InvalidArgument, "labels_indices is not a matrix");
        ensure!(indices.shape().dim(1) > 1, InvalidArgument, "labels_indices second dimension must be >= 1.");
        ensure!(values.shape().rank() == 1, InvalidArgument, "labels_values is not a vector");
        ensure!(
            indices.shape().dim(0) == values.num_elements(),
            InvalidArgument,
            "labels_indices and labels_values must contain the same number of rows, but saw shapes: {} vs. {}",
            indices.shape(),
            values.shape()
        );
        ensure!(inputs.shape().rank() != 3 || inputs.dims()[1] != 0, InvalidArgument, "batch_size must not be 0");
        let sequences = Sequences::new(inputs, lengths).map_err(|status| {
            // What the decoders call a failed precondition is a bad argument here.
            tensor::Status::new(tensor::Code::InvalidArgument, status.message())
        })?;
        let labels = grouped(indices, values, sequences.batch)?;
        let scores = cast(inputs.clone(), Double, false)?;
        let mut slopes = Tensor::zeros(Double, inputs.shape())?;
        let mut losses = vec![0f64; sequences.batch];
        for (number, (labels, loss)) in labels.iter().zip(&mut losses).enumerate() {
            let labels = checked(labels, number, &sequences, rules)?;
            let length = sequences.lengths[number];
            let Some(labels) = labels.filter(|_| length > 0) else { continue };
            *loss = one(scores.as_slice()?, slopes.make_mut()?, &sequences, number, &labels, rules.merge)?;
        }
        let dtype = inputs.dtype();
        let losses = Tensor::from_slice(&Shape::vector(losses.len()), &losses)?;
        cx.set_output(0, cast(losses, dtype, false)?);
        cx.set_output(1, cast(slopes, dtype, false)?);
        Ok(())
    }))
}

/// The labels of each sequence.
fn grouped(indices: &Tensor, values: &Tensor, batch: usize) -> Result<Vec<Vec<i32>>> {
    let width = indices.shape().dim(1);
    let mut labels = vec![Vec::new(); batch];
    for (place, value) in indices.as_slice::<i64>()?.chunks_exact(width).zip(values.as_slice::<i32>()?) {
        let sequence = usize::try_from(place[0]).ok().and_then(|number| labels.get_mut(number));
        let Some(sequence) = sequence else {
            bail!(InvalidArgument, "labels batch index must be between 0 and {batch} but saw: {}", place[0])
        };
        sequence.push(*value);
    }
    Ok(labels)
}

/// The labels with blanks around each; none if they take more time than there is and that is to be ignored.
fn checked(labels: &[i32], number: usize, sequences: &Sequences, rules: Rules) -> Result<Option<Vec<usize>>> {
    let blank = sequences.classes - 1;
    ensure!(!labels.is_empty(), InvalidArgument, "Labels length is zero in batch {number}");
    let mut kept: Vec<usize> = Vec::with_capacity(labels.len());
    for label in labels {
        let Ok(label) = usize::try_from(*label) else {
            bail!(InvalidArgument, "All labels must be nonnegative integers, batch: {number} labels: {label}")
        };
        if rules.collapse && kept.last() == Some(&label) {
            continue;
        }
        kept.push(label);
    }
    // Blanks may only stand at the end; they count as labels there.
    if let Some(end) = kept.iter().position(|label| *label >= blank) {
        ensure!(
            kept[end..].iter().all(|label| *label >= blank),
            InvalidArgument,
            "Saw a non-null label (index >= num_classes - 1) following a null label, batch: {number} num_classes: {} \
             labels: {kept:?}",
            sequences.classes
        );
    }
    if let Some(label) = kept.iter().find(|label| **label > blank) {
        bail!(InvalidArgument, "labels must be less than the number of classes {}: {label}", sequences.classes);
    }
    let (needed, there) = (kept.len(), sequences.lengths[number]);
    if needed > there {
        ensure!(
            rules.ignore_longer,
            InvalidArgument,
            "Not enough time for target transition sequence (required: {needed}, available: {there}){number}You can turn \
             this error into a warning by using the flag ignore_longer_outputs_than_inputs"
        );
        return Ok(None);
    }
    let mut spread = vec![blank];
    kept.into_iter().for_each(|label| spread.extend([label, blank]));
    Ok(Some(spread))
}

/// The loss of one sequence; the slopes of its scores are written.
fn one(
    scores: &[f64],
    slopes: &mut [f64],
    sequences: &Sequences,
    number: usize,
    labels: &[usize],
    merge: bool,
) -> Result<f64> {
    let (time, classes, places) = (sequences.lengths[number], sequences.classes, labels.len());
    let blank = classes - 1;
    let bytes = (places as u64).saturating_mul(time as u64).saturating_mul(8);
    memory::ensure_free(bytes, format_args!("the ways of {places} labels through {time} times"))?;
    // The logarithm of the probability of each class at each time.
    let mut logs = vec![0f64; time * classes];
    for (at, logs) in logs.chunks_exact_mut(classes).enumerate() {
        let scores = &scores[sequences.place(at, number)..][..classes];
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total = top + scores.iter().map(|score| (score - top).exp()).sum::<f64>().ln();
        logs.iter_mut().zip(scores).for_each(|(log, score)| *log = score - total);
    }
    let stays = |place: usize| merge || labels[place] == blank;
    // Whether the blank between two labels can be left out.
    let skips = |from: usize, to: usize| labels[to] != blank && !(merge && labels[from] == labels[to]);
    // What leads to each label at each time.
    let mut there = vec![f64::NEG_INFINITY; time * places];
    there[0] = logs[blank];
    if places > 1 {
        there[1] = logs[labels[1]];
    }
    for at in 1..time {
        let (before, now) = there.split_at_mut(at * places);
        let before = &before[(at - 1) * places..];
        for place in 0..places {
            let mut sum = if stays(place) { before[place] } else { f64::NEG_INFINITY };
            if place > 0 {
                sum = added(sum, before[place - 1]);
            }
            if place > 1 && skips(place - 2, place) {
                sum = added(sum, before[place - 2]);
            }
            now[place] = sum + logs[at * classes + labels[place]];
        }
    }
    // What leads on from each label, from the last time to the first.
    let mut after = vec![f64::NEG_INFINITY; places];
    after[places.saturating_sub(2)..].fill(0.0);
    let ways = &there[(time - 1) * places..];
    let total = ways.iter().zip(&after).fold(f64::NEG_INFINITY, |sum, (a, b)| added(sum, a + b));
    for at in (0..time).rev() {
        if at + 1 < time {
            let next = &logs[(at + 1) * classes..][..classes];
            let later = after.clone();
            for place in 0..places {
                let mut sum = if stays(place) { later[place] + next[labels[place]] } else { f64::NEG_INFINITY };
                if place + 1 < places {
                    sum = added(sum, later[place + 1] + next[labels[place + 1]]);
                }
                if place + 2 < places && skips(place, place + 2) {
                    sum = added(sum, later[place + 2] + next[labels[place + 2]]);
                }
                after[place] = sum;
            }
        }
        let slopes = &mut slopes[sequences.place(at, number)..][..classes];
        slopes.iter_mut().zip(&logs[at * classes..]).for_each(|(slope, log)| *slope = log.exp());
        if total > f64::NEG_INFINITY {
            for (place, label) in labels.iter().enumerate() {
                slopes[*label] -= (there[at * places + place] + after[place] - total).exp();
            }
        }
    }
    Ok(-total)
}

/// `ln(exp(a) + exp(b))`.
pub(super) fn added(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let message = "Currently there is no way to take the second derivative of ctc_loss";
    let slopes = cx.op("PreventGradient").input(cx.y(1)).attr("message", message).output();
    let axis = cx.graph.constant(-1i32);
    let weight = cx.op("ExpandDims").input(cx.dy(0)?).input(axis).output();
    Ok(vec![Some((weight * slopes).into()), None, None, None])
}
