"""Values kept within bounds, and norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import IndexedSlices, constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._ops.op_scope import op_scope, renamed
from tensorfleet._ops.reduction_ops import reduce_max, reduce_sum

__all__ = [
    "clip_by_value", "clip_by_norm", "clip_by_global_norm", "clip_by_average_norm", "global_norm", "norm", "l2_normalize",
]


def _values(t: Any) -> Any:
    return t.values if isinstance(t, IndexedSlices) else t


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """The elements, with those below and above two bounds replaced by the bounds.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.clip_by_value([-1.0, 0.5, 2.0], 0.0, 1.0)).tolist()
    [0.0, 0.5, 1.0]
    """
    with op_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
        values = convert_to_tensor(_values(t), name="t")
        below = one("Minimum", values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        clipped = one("Maximum", below, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(clipped.shape)
        return IndexedSlices(clipped, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else clipped


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """A tensor made shorter, if its norm is above `clip_norm`, so that it has that norm."""
    from tensorfleet._ops.fill_ops import ones_like

    with op_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        values: Any = convert_to_tensor(_values(t), name="t")
        squares = reduce_sum(values * values, axes, True)
        positive = squares > 0  # type: ignore[operator]
        safe = one("Select", positive, squares, ones_like(squares))
        length = one("Select", positive, one("Sqrt", safe), squares)
        scaled = values * clip_norm
        values.shape.assert_is_compatible_with(scaled.shape)
        clipped = one("Identity", scaled / one("Maximum", length, clip_norm), name=scope)
        return IndexedSlices(clipped, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else clipped


def global_norm(t_list: Any, name: str | None = None) -> Tensor | None:
    """The norm of all elements of several tensors taken together."""
    from tensorfleet._ops.join_ops import stack

    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` is {type(t_list)}; give a list of tensors")
    with op_scope(name, "global_norm", _flat(t_list)):
        halves = []
        for i, t in enumerate(t_list):
            if t is None:
                continue
            value = convert_to_tensor(_values(t), name=f"t_{i}")
            with get_default_graph().colocate_with(value):
                halves.append(one("L2Loss", value))
        half: Any = reduce_sum(stack(halves))
        return one("Sqrt", half * constant(2.0, half.dtype.base_dtype), name="global_norm")


def _flat(t_list: Any) -> list[Any]:
    return [_values(t) for t in t_list if t is not None]


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Several tensors made shorter by one factor, if their norm taken together is above `clip_norm`; and that norm."""
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` is {type(t_list)}; give a list of tensors")
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with op_scope(name, "clip_by_global_norm", _flat(t_list)) as scope:
        unit = constant(1.0, use_norm.dtype.base_dtype)
        scale = clip_norm * one("Minimum", 1.0 / use_norm, unit / clip_norm)
        # Zero for a norm that is a number, and no number for one that is infinite: then all are no numbers.
        scale = scale + (use_norm - use_norm)
        clipped: list[Any] = []
        for i, t in enumerate(t_list):
            if t is None:
                clipped.append(None)
                continue
            value = convert_to_tensor(_values(t), name=f"t_{i}")
            with get_default_graph().colocate_with(value):
                made = one("Identity", one("Mul", value, scale, name="mul"), name=f"{scope}_{i}")
            clipped.append(IndexedSlices(made, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else made)
        return clipped, use_norm


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """A tensor made shorter, if its norm for each element is above `clip_norm`, so that it has that norm."""
    from tensorfleet._ops import arithmetic_ops, fill_ops, shape_ops

    with op_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count: Any = arithmetic_ops.cast(shape_ops.size(t), dtypes.float32)
        inverse: Any = one("Rsqrt", reduce_sum(t * t, fill_ops.range(shape_ops.rank(t))))
        scaled = t * clip_norm
        factor = one("Minimum", inverse * count, constant(1.0) / clip_norm)  # type: ignore[operator]
        return one("Identity", scaled * factor, name=scope)


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None, name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm of vectors or matrices: "euclidean", "fro", 1, 2, any positive number, or `np.inf`."""
    from tensorfleet._ops import arithmetic_ops, shape_ops

    keepdims = bool(renamed(keepdims, keep_dims, "keepdims", "keep_dims"))
    matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    if isinstance(axis, (int, np.integer)):
        axis = (int(axis),)
    if axis is not None:
        axis = tuple(axis)
        if len(axis) not in (1, 2) or not all(isinstance(a, (int, np.integer)) for a in axis):
            raise ValueError(f"`axis` is {axis}; give None, one number or two different ones")
        if len(axis) == 2 and axis[0] == axis[1]:
            raise ValueError(f"`axis` is {axis}; give None, one number or two different ones")
    known: list[Any] = ["euclidean", "fro", 1, np.inf] if matrix else ["euclidean", 1, 2, np.inf]
    if ord not in known and (matrix or isinstance(ord, str) or ord <= 0):
        raise ValueError(f"'ord' must be a supported {'matrix' if matrix else 'vector'} norm in {known}, got {ord}")
    with op_scope(name, "norm", [tensor]):
        tensor = convert_to_tensor(tensor)
        if ord in ("fro", "euclidean", 2, 2.0):
            squares = reduce_sum(tensor * arithmetic_ops.conj(tensor), axis, True)
            result = one("Sqrt", squares)
        else:
            result = arithmetic_ops.abs(tensor)
            axis = axis if axis is None or matrix else axis[0]
            if ord == 1:
                result = reduce_max(
                    reduce_sum(result, axis[0], True), axis[1], True
                ) if matrix else reduce_sum(result, axis, True)
            elif ord == np.inf:
                result = reduce_max(
                    reduce_sum(result, axis[1], True), axis[0], True
                ) if matrix else reduce_max(result, axis, True)
            else:
                result = one("Pow", reduce_sum(one("Pow", result, ord), axis, True), 1.0 / ord)
        return result if keepdims else shape_ops.squeeze(result, axis)


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """A tensor divided by its norm along a dimension.

    >>> import tensorfleet.v1 as tf
    >>> [round(float(x), 3) for x in tf.Session().run(tf.nn.l2_normalize([3.0, 4.0], 0))]
    [0.6, 0.8]
    """
    axis = renamed(axis, dim, "axis", "dim")
    with op_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        squares = reduce_sum(one("Square", x), axis, True)
        inverse = one("Rsqrt", one("Maximum", squares, epsilon))
        return one("Mul", x, inverse, name=scope)


