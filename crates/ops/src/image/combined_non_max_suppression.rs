//! `CombinedNonMaxSuppression`: the best boxes of each image over all classes, without those that overlap a better one of
//! their class too much.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::non_max_suppression::{Limits, choose, shared};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "CombinedNonMaxSuppression",
        "boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32, iou_threshold: float, \
         score_threshold: float -> nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float, valid_detections: int32",
    )
    .attr("pad_per_class: bool = false")
    .attr("clip_boxes: bool = true")
    .shape(shape)
    .any_kernel(kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (boxes, scores) = (cx.with_rank(0, 4)?, cx.with_rank(1, 3)?);
    for index in 2..6 {
        cx.with_rank(index, 0)?;
    }
    let batch = PartialShape::vector(boxes.dim(0)).merge(&PartialShape::vector(scores.dim(0)))?.dim(0);
    PartialShape::vector(boxes.dim(1)).merge(&PartialShape::vector(scores.dim(1)))?;
    let (each, total) = (cx.int(2), cx.int(3));
    let count = match cx.attr_bool("pad_per_class")? {
        false => total,
        true => match (each, total, scores.dim(2)) {
            (Some(each), Some(total), Some(classes)) => Some(total.min(each.saturating_mul(classes))),
            _ => None,
        },
    };
    let count = count.filter(|count| *count >= 0);
    cx.set(0, PartialShape::new(&[batch, count, Some(4)]));
    cx.set(1, PartialShape::new(&[batch, count]));
    cx.set(2, PartialShape::new(&[batch, count]));
    cx.set(3, PartialShape::vector(batch));
    Ok(())
}

fn scalar<T: tensor::Element>(cx: &OpContext<'_>, index: usize, name: &str) -> Result<T> {
    let value = cx.input(index)?;
    ensure!(value.shape().is_scalar(), InvalidArgument, "{name} must be 0-D, got shape {}", value.shape());
    value.to_scalar()
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (per_class, clip) = (node.attr_bool("pad_per_class")?, node.attr_bool("clip_boxes")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (boxes, scores) = (cx.input(0)?, cx.input(1)?);
        let &[batch, count, kinds, 4] = boxes.dims() else {
            bail!(InvalidArgument, "boxes must be 4-D with boxes of 4 numbers{}", boxes.shape())
        };
        let &[score_batch, score_count, classes] = scores.dims() else {
            bail!(InvalidArgument, "scores must be 3-D{}", scores.shape())
        };
        ensure!(
            (batch, count) == (score_batch, score_count),
            InvalidArgument,
            "boxes and scores do not fit together: {} and {}",
            boxes.shape(),
            scores.shape()
        );
        ensure!(
            kinds == 1 || kinds == classes,
            InvalidArgument,
            "third dimension of boxes must be either 1 or num classes: {kinds} and {classes}"
        );
        let each: i32 = scalar(cx, 2, "max_size_per_class")?;
        ensure!(each > 0, InvalidArgument, "max_size_per_class must be positive, got {each}");
        let total: i32 = scalar(cx, 3, "max_total_size")?;
        ensure!(total > 0, InvalidArgument, "max_total_size must be > 0, got {total}");
        let (overlap, least): (f32, f32) = (scalar(cx, 4, "iou_threshold")?, scalar(cx, 5, "score_threshold")?);
        ensure!((0.0..=1.0).contains(&overlap), InvalidArgument, "iou_threshold must be in [0, 1], got {overlap}");
        let room = match per_class {
            true => i64::from(total).min(i64::from(each).saturating_mul(classes)),
            false => i64::from(total),
        };
        let limits = Limits { most: each, overlap, least, sigma: 0.0 };
        let (all, all_scores) = (boxes.as_slice::<f32>()?.as_chunks::<4>().0, scores.as_slice::<f32>()?);
        let shape = Shape::new(&[batch, room, 4])?;
        Tensor::check_size(DType::Double, &shape)?;
        let (mut out_boxes, mut out_scores) = (Vec::new(), Vec::new());
        let (mut out_classes, mut valid) = (Vec::new(), Vec::new());
        let (count, kinds, classes, room) = (count as usize, kinds as usize, classes as usize, room as usize);
        for image in 0..batch as usize {
            let mut found: Vec<(f32, usize, [f32; 4])> = Vec::new();
            for class in 0..classes {
                let scores: Vec<f32> =
                    (0..count).map(|place| all_scores[(image * count + place) * classes + class]).collect();
                let kind = if kinds > 1 { class } else { 0 };
                let corners = |place: usize| &all[(image * count + place) * kinds + kind];
                let (chosen, chosen_scores) = choose(&scores, limits, |a, b| shared(corners(a), corners(b)));
                found.extend(
                    chosen.iter().zip(chosen_scores).map(|(place, score)| (score, class, *corners(*place as usize))),
                );
            }
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            found.truncate(room);
            valid.push(found.len() as i32);
            for number in 0..room {
                let (score, class, corners) = found.get(number).copied().unwrap_or_default();
                out_boxes.extend(if clip { corners.map(|place| place.clamp(0.0, 1.0)) } else { corners });
                out_scores.push(score);
                out_classes.push(class as f32);
            }
        }
        let rows = [batch, room as i64];
        cx.set_output(0, Tensor::from_slice(&shape, &out_boxes)?);
        cx.set_output(1, Tensor::new(rows, out_scores)?);
        cx.set_output(2, Tensor::new(rows, out_classes)?);
        cx.set_output(3, Tensor::vector(&valid));
        Ok(())
    }))
}
