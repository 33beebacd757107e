"""Boxes in images: which of them to keep, and boxes at random."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "combined_non_max_suppression", "non_max_suppression_overlaps", "non_max_suppression_padded",
    "non_max_suppression_with_scores", "sample_distorted_bounding_box",
]


def non_max_suppression_with_scores(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The numbers and the scores of the boxes with the highest scores that do not overlap too much; with a `soft_nms_sigma`, those
    that overlap are not left out, but their scores become smaller."""
    with op_scope(name, "non_max_suppression_with_scores", [boxes, scores]):
        limit = convert_to_tensor(iou_threshold, name="iou_threshold")
        least = convert_to_tensor(score_threshold, name="score_threshold")
        sigma = convert_to_tensor(soft_nms_sigma, name="soft_nms_sigma")
        chosen, their_scores, _ = many(
            "NonMaxSuppressionV5", boxes, scores, max_output_size, limit, least, sigma, pad_to_max_output_size=False)
        return chosen, their_scores


def non_max_suppression_padded(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The numbers of the boxes to keep, with zeros behind them if asked for, and how many they are."""
    with op_scope(name, "non_max_suppression_padded", [boxes, scores]):
        limit = convert_to_tensor(iou_threshold, dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtypes.float32, name="score_threshold")
        chosen, count = many(
            "NonMaxSuppressionV4", boxes, scores, max_output_size, limit, least, pad_to_max_output_size=pad_to_max_output_size)
        return chosen, count


def non_max_suppression_overlaps(
    overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """As :func:`tf.image.non_max_suppression`, of how much each box overlaps with each other one."""
    with op_scope(name, "non_max_suppression_overlaps", [overlaps, scores]):
        limit = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return one("NonMaxSuppressionWithOverlaps", overlaps, scores, max_output_size, limit, score_threshold)


def combined_non_max_suppression(
    boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"), pad_per_class: bool = False, clip_boxes: bool = True, name: str | None = None,
) -> list[Tensor]:
    """Boxes, scores, classes and how many of them count, for each image of a batch and all classes together."""
    with op_scope(name, "combined_non_max_suppression", [boxes, scores]):
        limit = convert_to_tensor(iou_threshold, dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtypes.float32, name="score_threshold")
        total = convert_to_tensor(max_total_size)
        return many(
            "CombinedNonMaxSuppression", boxes, scores, max_output_size_per_class, total, limit, least, pad_per_class=pad_per_class,
            clip_boxes=clip_boxes)


def sample_distorted_bounding_box(
    image_size: Any, bounding_boxes: Any, seed: int | None = None, seed2: int | None = None, min_object_covered: float = 0.1,
    aspect_ratio_range: Any = None, area_range: Any = None, max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A part of an image at random that has enough of one of the boxes in it: where it begins, its size, and its box."""
    with op_scope(name, "sample_distorted_bounding_box", [image_size, bounding_boxes]):
        begin, size, box = many(
            "SampleDistortedBoundingBoxV2", image_size, bounding_boxes, min_object_covered, seed=seed, seed2=seed2,
            aspect_ratio_range=aspect_ratio_range, area_range=area_range, max_attempts=max_attempts,
            use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes)
        return begin, size, box
