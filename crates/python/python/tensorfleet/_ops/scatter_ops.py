"""Values put to places: scatter, dynamic partition and stitch."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import many, one
from tensorfleet._framework.graph import Tensor

__all__ = [
    "scatter_nd", "tensor_scatter_update", "tensor_scatter_add", "tensor_scatter_sub", "tensor_scatter_nd_update",
    "tensor_scatter_nd_add", "tensor_scatter_nd_sub", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "dynamic_partition",
    "dynamic_stitch",
]


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor of zeros with values put to places; values for one place are added."""
    return one("ScatterNd", indices, updates, shape, name=name)


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with other values at places."""
    return one("TensorScatterUpdate", tensor, indices, updates, name=name)


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with values added at places."""
    return one("TensorScatterAdd", tensor, indices, updates, name=name)


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with values taken away at places."""
    return one("TensorScatterSub", tensor, indices, updates, name=name)


def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with the larger of its elements and values at places."""
    return one("TensorScatterMax", tensor, indices, updates, name=name)


def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with the smaller of its elements and values at places."""
    return one("TensorScatterMin", tensor, indices, updates, name=name)


tensor_scatter_update = tensor_scatter_nd_update
tensor_scatter_add = tensor_scatter_nd_add
tensor_scatter_sub = tensor_scatter_nd_sub


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """Rows sorted into tensors by the number of each.

    >>> import tensorfleet.v1 as tf
    >>> [part.tolist() for part in tf.Session().run(tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2))]
    [[1, 3], [2]]
    """
    return many("DynamicPartition", data, partitions, name=name, num_partitions=num_partitions)


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Rows of several tensors put to places of one."""
    return one("DynamicStitch", list(indices), list(data), name=name)
