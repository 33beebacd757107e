//! `NonMaxSuppression`, `NonMaxSuppressionV2` and `NonMaxSuppressionV3`: the best boxes, without those that overlap a
//! better one too much.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::DType::{Float, Half};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::narrow_floats::widen;

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
    cx.set(0, PartialShape::vector(None));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let fixed = if node.op == "NonMaxSuppression" { Some(node.attr_float("iou_threshold")?) } else { None };
    if let Some(limit) = fixed {
        ensure!((0.0..=1.0).contains(&limit), InvalidArgument, "iou_threshold must be in [0, 1]");
    }
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let threshold = |index: usize, name: &str| -> Result<f32> {
            let value = cx.input(index)?;
            ensure!(value.shape().is_scalar(), InvalidArgument, "{name} must be 0-D, got shape {}", value.shape());
            widen(value)?.to_scalar::<f32>()
        };
        let most = cx.input(2)?;
        ensure!(most.shape().is_scalar(), InvalidArgument, "max_output_size must be 0-D, got shape {}", most.shape());
        let most = most.to_scalar::<i32>()?;
        let overlap = match fixed {
            Some(limit) => limit,
            None => threshold(3, "iou_threshold")?,
        };
        ensure!((0.0..=1.0).contains(&overlap), InvalidArgument, "iou_threshold must be in [0, 1]");
        let least = if cx.num_inputs() > 4 { threshold(4, "score_threshold")? } else { f32::MIN };
        let (boxes, scores) = (cx.input(0)?, cx.input(1)?);
        let chosen = suppress(boxes, scores, most, overlap, least)?;
        cx.set_output(0, Tensor::vector(&chosen));
        Ok(())
    }))
}

fn suppress(boxes: &Tensor, scores: &Tensor, most: i32, overlap: f32, least: f32) -> Result<Vec<i32>> {
    ensure!(boxes.shape().rank() == 2, InvalidArgument, "boxes must be 2-D{}", boxes.shape());
    let &[count, 4] = boxes.dims() else { bail!(InvalidArgument, "boxes must have 4 columns") };
    ensure!(scores.shape().rank() == 1, InvalidArgument, "scores must be 1-D{}", scores.shape());
    ensure!(
        scores.num_elements() as i64 == count,
        InvalidArgument,
        "scores has incompatible shape: {} for {count} boxes",
        scores.shape()
    );
    let (boxes, scores) = (widen(boxes)?, widen(scores)?);
    let (boxes, scores) = (boxes.as_slice::<f32>()?.as_chunks::<4>().0, scores.as_slice::<f32>()?);
    let mut order: Vec<usize> = (0..scores.len()).filter(|place| scores[*place] > least).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut chosen: Vec<usize> = Vec::new();
    for place in order {
        if chosen.len() as i64 >= most as i64 {
            break;
        }
        if chosen.iter().rev().all(|other| shared(&boxes[place], &boxes[*other]) <= overlap) {
            chosen.push(place);
        }
    }
    Ok(chosen.into_iter().map(|place| place as i32).collect())
}

/// The area that two boxes share, as a part of the area that they cover together.
fn shared(a: &[f32; 4], b: &[f32; 4]) -> f32 {
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
        assert_eq!(suppress(&boxes, &scores, 3, 0.5, f32::MIN).unwrap(), [3, 0, 5]);
        assert_eq!(suppress(&boxes, &scores, 30, 0.5, 0.4).unwrap(), [3, 0]);
    }
}
