//! `NonMaxSuppression`, `NonMaxSuppressionV2`, `NonMaxSuppressionV3`, `NonMaxSuppressionV4`, `NonMaxSuppressionV5` and
//! `NonMaxSuppressionWithOverlaps`: the best boxes, without those that overlap a better one too much. The fifth form can
//! lower the scores of these instead.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{Float, Half};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const T: &str = "T: {half, float} = float";
    const THRESHOLD: &str = "T_threshold: {half, float} = float";
    r.op("NonMaxSuppression", "boxes: float, scores: float, max_output_size: int32 -> selected_indices: int32")
        .attr("iou_threshold: float = 0.5")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    r.op(
        "NonMaxSuppressionV2",
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold -> selected_indices: int32",
    )
    .attr(T)
    .attr(THRESHOLD)
    .shape(shape)
    .kernel("T", &[Half, Float], kernel)
    .not_differentiable();
    r.op(
        "NonMaxSuppressionV3",
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold -> \
         selected_indices: int32",
    )
    .attr(T)
    .attr(THRESHOLD)
    .shape(shape)
    .kernel("T", &[Half, Float], kernel)
    .not_differentiable();
    r.op(
        "NonMaxSuppressionV4",
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold -> \
         selected_indices: int32, valid_outputs: int32",
    )
    .attr(T)
    .attr(THRESHOLD)
    .attr("pad_to_max_output_size: bool = false")
    .shape(shape)
    .kernel("T", &[Half, Float], kernel);
    r.op(
        "NonMaxSuppressionV5",
        "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T -> \
         selected_indices: int32, selected_scores: T, valid_outputs: int32",
    )
    .attr(T)
    .attr("pad_to_max_output_size: bool = false")
    .shape(shape)
    .kernel("T", &[Half, Float], kernel);
    r.op(
        "NonMaxSuppressionWithOverlaps",
        "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, score_threshold: float -> \
         selected_indices: int32",
    )
    .shape(overlaps_shape)
    .any_kernel(overlaps_kernel)
    .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (boxes, scores) = (cx.with_rank(0, 2)?, cx.with_rank(1, 1)?);
    for index in 2..cx.num_inputs() {
        cx.with_rank(index, 0)?;
    }
    PartialShape::vector(boxes.dim(0)).merge(&scores)?;
    if let Some(columns) = boxes.dim(1) {
        ensure!(columns == 4, InvalidArgument, "Dimension must be 4 but is {columns}");
    }
    let padded = cx.node.attrs.contains_key("pad_to_max_output_size") && cx.attr_bool("pad_to_max_output_size")?;
    let count = cx.int(2).filter(|count| padded && *count >= 0);
    let last = cx.num_outputs() - 1;
    for index in 0..last.max(1) {
        cx.set(index, PartialShape::vector(count));
    }
    if last > 0 {
        cx.set(last, PartialShape::scalar());
    }
    Ok(())
}

fn overlaps_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (overlaps, scores) = (cx.with_rank(0, 2)?, cx.with_rank(1, 1)?);
    for index in 2..cx.num_inputs() {
        cx.with_rank(index, 0)?;
    }
    PartialShape::vector(overlaps.dim(0)).merge(&scores)?;
    PartialShape::vector(overlaps.dim(1)).merge(&scores)?;
    cx.set(0, PartialShape::vector(None));
    Ok(())
}

/// What decides which boxes stay.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) most: i32,
    /// Boxes that share more than this with a better one go.
    pub(super) overlap: f32,
    /// Boxes must score more than this.
    pub(super) least: f32,
    /// Above 0, boxes that overlap stay with a lower score.
    pub(super) sigma: f32,
}

fn kernel(node: &Node) -> Result<Kernel> {
    let fixed = if node.op == "NonMaxSuppression" { Some(node.attr_float("iou_threshold")?) } else { None };
    if let Some(limit) = fixed {
        ensure!((0.0..=1.0).contains(&limit), InvalidArgument, "iou_threshold must be in [0, 1]");
    }
    let pads = node.attrs.contains_key("pad_to_max_output_size") && node.attr_bool("pad_to_max_output_size")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let overlap = match fixed {
            Some(limit) => limit,
            None => threshold(cx, 3, "iou_threshold")?,
        };
        ensure!((0.0..=1.0).contains(&overlap), InvalidArgument, "iou_threshold must be in [0, 1]");
        let least = if cx.num_inputs() > 4 { threshold(cx, 4, "score_threshold")? } else { f32::MIN };
        let sigma = if cx.num_inputs() > 5 { threshold(cx, 5, "soft_nms_sigma")? } else { 0.0 };
        ensure!(sigma >= 0.0, InvalidArgument, "soft_nms_sigma_val must be >= 0, got {sigma}");
        let limits = Limits { most: most_of(cx)?, overlap, least, sigma };
        let (mut chosen, mut chosen_scores) = suppress(cx.input(0)?, cx.input(1)?, limits)?;
        let (valid, dtype, last) = (chosen.len() as i32, cx.input(1)?.dtype(), cx.num_outputs() - 1);
        if pads {
            ensure!(limits.most >= 0, InvalidArgument, "max_output_size must be at least 0, got {}", limits.most);
            Tensor::check_size(Float, &tensor::Shape::vector(limits.most as usize))?;
            chosen.resize(limits.most as usize, 0);
            chosen_scores.resize(limits.most as usize, 0.0);
        }
        cx.set_output(0, Tensor::vector(&chosen));
        if last == 2 {
            cx.set_output(1, narrow(&Tensor::vector(&chosen_scores), dtype)?);
        }
        if last > 0 {
            cx.set_output(last, valid);
        }
        Ok(())
    }))
}

fn overlaps_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (overlaps, scores) = (cx.input(0)?, cx.input(1)?);
        let &[rows, columns] = overlaps.dims() else {
            bail!(InvalidArgument, "overlaps must be 2-D{}", overlaps.shape())
        };
        ensure!(rows == columns, InvalidArgument, "overlaps must be square{}", overlaps.shape());
        check_scores(scores, rows)?;
        let (overlap, least) = (threshold(cx, 3, "overlap_threshold")?, threshold(cx, 4, "score_threshold")?);
        let limits = Limits { most: most_of(cx)?, overlap, least, sigma: 0.0 };
        let overlaps = overlaps.as_slice::<f32>()?;
        let (chosen, _) = choose(scores.as_slice()?, limits, |a, b| overlaps[a * rows as usize + b]);
        cx.set_output(0, Tensor::vector(&chosen));
        Ok(())
    }))
}

fn threshold(cx: &OpContext<'_>, index: usize, name: &str) -> Result<f32> {
    let value = cx.input(index)?;
    ensure!(value.shape().is_scalar(), InvalidArgument, "{name} must be 0-D, got shape {}", value.shape());
    widen(value)?.to_scalar::<f32>()
}

fn most_of(cx: &OpContext<'_>) -> Result<i32> {
    let most = cx.input(2)?;
    ensure!(most.shape().is_scalar(), InvalidArgument, "max_output_size must be 0-D, got shape {}", most.shape());
    most.to_scalar::<i32>()
}

fn check_scores(scores: &Tensor, count: i64) -> Result<()> {
    ensure!(scores.shape().rank() == 1, InvalidArgument, "scores must be 1-D{}", scores.shape());
    ensure!(
        scores.num_elements() as i64 == count,
        InvalidArgument,
        "scores has incompatible shape: {} for {count} boxes",
        scores.shape()
    );
    Ok(())
}

fn suppress(boxes: &Tensor, scores: &Tensor, limits: Limits) -> Result<(Vec<i32>, Vec<f32>)> {
    ensure!(boxes.shape().rank() == 2, InvalidArgument, "boxes must be 2-D{}", boxes.shape());
    let &[count, 4] = boxes.dims() else { bail!(InvalidArgument, "boxes must have 4 columns") };
    check_scores(scores, count)?;
    let (boxes, scores) = (widen(boxes)?, widen(scores)?);
    let (boxes, scores) = (boxes.as_slice::<f32>()?.as_chunks::<4>().0, scores.as_slice::<f32>()?);
    Ok(choose(scores, limits, |a, b| shared(&boxes[a], &boxes[b])))
}

/// A box that waits to be chosen: the best comes first, of equal ones the one that was given first.
struct Candidate {
    score: f32,
    place: usize,
    /// So many of those chosen have been looked at already.
    compared: usize,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.score.total_cmp(&other.score).then(other.place.cmp(&self.place))
    }
}

/// The places that are chosen, and their scores.
pub(super) fn choose(scores: &[f32], limits: Limits, alike: impl Fn(usize, usize) -> f32) -> (Vec<i32>, Vec<f32>) {
    let Limits { most, overlap, least, sigma } = limits;
    let soft = sigma > 0.0;
    let waiting = (0..scores.len()).filter(|place| scores[*place] > least);
    let mut waiting: BinaryHeap<Candidate> =
        waiting.map(|place| Candidate { score: scores[place], place, compared: 0 }).collect();
    let (mut chosen, mut chosen_scores): (Vec<i32>, Vec<f32>) = (Vec::new(), Vec::new());
    while (chosen.len() as i64) < i64::from(most) {
        let Some(mut next) = waiting.pop() else { break };
        let (before, mut hidden) = (next.score, false);
        for other in chosen[next.compared..].iter().rev() {
            let common = alike(next.place, *other as usize);
            if !soft && common > overlap {
                hidden = true;
                break;
            }
            if soft {
                next.score *= (-0.5 / sigma * common * common).exp();
            }
            if next.score <= least {
                break;
            }
        }
        next.compared = chosen.len();
        if hidden {
            continue;
        }
        if next.score == before {
            chosen.push(next.place as i32);
            chosen_scores.push(next.score);
        } else if next.score > least {
            waiting.push(next);
        }
    }
    (chosen, chosen_scores)
}

/// The area that two boxes share, as a part of the area that they cover together.
pub(super) fn shared(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let sorted = |[y1, x1, y2, x2]: [f32; 4]| [y1.min(y2), x1.min(x2), y1.max(y2), x1.max(x2)];
    let ([a_top, a_left, a_bottom, a_right], [b_top, b_left, b_bottom, b_right]) = (sorted(*a), sorted(*b));
    let a_area = (a_bottom - a_top) * (a_right - a_left);
    let b_area = (b_bottom - b_top) * (b_right - b_left);
    if a_area <= 0.0 || b_area <= 0.0 {
        return 0.0;
    }
    let height = (a_bottom.min(b_bottom) - a_top.max(b_top)).max(0.0);
    let width = (a_right.min(b_right) - a_left.max(b_left)).max(0.0);
    let both = height * width;
    both / (a_area + b_area - both)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives this.
    #[test]
    fn the_best_of_each_cluster() {
        let boxes = Tensor::from([
            [0f32, 0.0, 1.0, 1.0],
            [0.0, 0.1, 1.0, 1.1],
            [0.0, -0.1, 1.0, 0.9],
            [0.0, 10.0, 1.0, 11.0],
            [0.0, 10.1, 1.0, 11.1],
            [0.0, 100.0, 1.0, 101.0],
        ]);
        let scores = Tensor::from([0.9f32, 0.75, 0.6, 0.95, 0.5, 0.3]);
        let limits = Limits { most: 3, overlap: 0.5, least: f32::MIN, sigma: 0.0 };
        assert_eq!(suppress(&boxes, &scores, limits).unwrap().0, [3, 0, 5]);
        assert_eq!(suppress(&boxes, &scores, Limits { most: 30, least: 0.4, ..limits }).unwrap().0, [3, 0]);
    }
}
