"""Functions of TensorFlow 0.x whose successors take other arguments."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.variables import GraphKeys


def _collected(tensor: Tensor, collections: Any) -> Tensor:
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        tensor.graph.add_to_collection(key, tensor)
    return tensor


def scalar_summary(tags: Any, values: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """A summary of numbers, each with a tag."""
    return _collected(one("ScalarSummary", tags, values, name=name), collections)


def histogram_summary(tag: Any, values: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """A summary of how values are distributed."""
    return _collected(one("HistogramSummary", tag, values, name=name), collections)


def image_summary(tag: Any, tensor: Any, max_images: int = 3, collections: Any = None, name: str | None = None) -> Tensor:
    """A summary of images."""
    return _collected(one("ImageSummary", tag, tensor, name=name, max_images=max_images), collections)


def audio_summary(
    tag: Any, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None, name: str | None = None
) -> Tensor:
    """A summary of sounds."""
    return _collected(one("AudioSummaryV2", tag, tensor, sample_rate, name=name, max_outputs=max_outputs), collections)


def merge_summary(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """Several summaries as one."""
    made = one("MergeSummary", list(inputs), name=name)
    for key in collections or ():
        made.graph.add_to_collection(key, made)
    return made


def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Tensor | None:
    """All summaries of the default graph as one, or None if there are none."""
    from tensorfleet._framework.graph import get_default_graph

    found = get_default_graph().get_collection(key)
    return merge_summary(found) if found else None


def pack(values: Any, axis: int = 0, name: str = "pack") -> Tensor:
    """Tensors of one shape joined along a new dimension."""
    from tensorfleet._ops.join_ops import stack

    return stack(values, axis, name)


def unpack(value: Any, num: int | None = None, axis: int = 0, name: str = "unpack") -> list[Tensor]:
    """The slices of a tensor along a dimension, which goes away."""
    from tensorfleet._ops.join_ops import unstack

    return unstack(value, num, axis, name)


def select(condition: Any, t: Any, e: Any, name: str | None = None) -> Tensor:
    """The elements of `t` where a condition holds and of `e` elsewhere."""
    return one("Select", condition, t, e, name=name)


def inv(x: Any, name: str | None = None) -> Tensor:
    """One divided by the elements."""
    return one("Inv", x, name=name)


def batch_matmul(x: Any, y: Any, adj_x: bool = False, adj_y: bool = False, name: str | None = None) -> Tensor:
    """The products of batches of matrices."""
    return one("BatchMatMul", x, y, name=name, adj_x=adj_x, adj_y=adj_y)


def complex_abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute values of complex numbers."""
    from tensorfleet._ops.arithmetic_ops import abs

    return abs(x, name)


def batch_matrix_transpose(a: Any, name: str = "batch_matrix_transpose") -> Tensor:
    """Matrices with rows for columns."""
    from tensorfleet._ops.shape_ops import matrix_transpose

    return matrix_transpose(a, name)
