"""Changes of variables by operations: assign, scatter, count."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Operation, Tensor, control_dependencies

__all__ = [
    "assign", "assign_add", "assign_sub", "count_up_to", "is_variable_initialized", "scatter_update", "scatter_add",
    "scatter_sub",
    "scatter_mul", "scatter_div", "scatter_min", "scatter_max", "scatter_nd_update", "scatter_nd_add", "scatter_nd_sub",
    "batch_scatter_update", "get_session_handle", "get_session_tensor", "delete_session_tensor",
]


def _reference(ref: Any, word: str) -> Tensor:
    """The reference that an operation changes a variable by."""
    if hasattr(ref, "_as_tensor") and hasattr(ref, "handle"):
        return ref.handle
    if isinstance(ref, Tensor) and ref.dtype._is_ref_dtype:
        return ref
    raise TypeError(f"{word} takes a variable, or a tensor that refers to one, not {ref!r}")


def _is_resource(ref: Any) -> bool:
    return bool(getattr(ref, "_is_resource", False))


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Gives a variable a value; the variable after that.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     v = tf.Variable(1.0)
    ...     sess.run(v.initializer)
    ...     sess.run(tf.assign(v, 5.0))
    np.float32(5.0)
    """
    if _is_resource(ref):
        return ref.assign(value, name=name)
    return one("Assign", _reference(ref, "assign"), value, name=name, validate_shape=validate_shape, use_locking=use_locking)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Adds to a variable; the variable after that."""
    if _is_resource(ref):
        return ref.assign_add(value)
    return one("AssignAdd", _reference(ref, "assign_add"), value, name=name, use_locking=use_locking)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Takes from a variable; the variable after that."""
    if _is_resource(ref):
        return ref.assign_sub(value)
    return one("AssignSub", _reference(ref, "assign_sub"), value, name=name, use_locking=use_locking)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Adds one to a variable and gives what it was, until it reaches a limit; then it fails with OutOfRangeError."""
    if _is_resource(ref):
        return one("ResourceCountUpTo", ref.handle, name=name, limit=limit, T=ref.dtype.base_dtype)
    return one("CountUpTo", _reference(ref, "count_up_to"), name=name, limit=limit)


def is_variable_initialized(ref: Any, name: str | None = None) -> Tensor:
    """Whether a variable has a value."""
    if _is_resource(ref):
        return one("VarIsInitializedOp", ref.handle, name=name)
    return one("IsVariableInitialized", _reference(ref, "is_variable_initialized"), name=name)


def _scatter(kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Any:
    if _is_resource(ref):
        updates = convert_to_tensor(updates, dtype=ref.dtype.base_dtype)
        changed: Operation = apply_op(
            "ResourceScatter" + kind, ref.handle, indices, updates, name=name, dtype=ref.dtype.base_dtype
        )
        with control_dependencies([changed]):
            return one("ReadVariableOp", ref.handle, dtype=ref.dtype.base_dtype)
    return one("Scatter" + kind, _reference(ref, "scatter"), indices, updates, name=name, use_locking=use_locking)


def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Gives rows of a variable other values; the variable after that."""
    return _scatter("Update", ref, indices, updates, use_locking, name)


def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Adds to rows of a variable; the variable after that."""
    return _scatter("Add", ref, indices, updates, use_locking, name)


def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Takes from rows of a variable; the variable after that."""
    return _scatter("Sub", ref, indices, updates, use_locking, name)


def scatter_mul(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Multiplies rows of a variable; the variable after that."""
    return _scatter("Mul", ref, indices, updates, use_locking, name)


def scatter_div(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Divides rows of a variable; the variable after that."""
    return _scatter("Div", ref, indices, updates, use_locking, name)


def scatter_min(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Keeps the smaller of rows of a variable and other values; the variable after that."""
    return _scatter("Min", ref, indices, updates, use_locking, name)


def scatter_max(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Keeps the larger of rows of a variable and other values; the variable after that."""
    return _scatter("Max", ref, indices, updates, use_locking, name)


def scatter_nd_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Gives places of a variable other values; the variable after that."""
    return _scatter_nd("Update", ref, indices, updates, use_locking, name)


def scatter_nd_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Adds at places of a variable; the variable after that."""
    return _scatter_nd("Add", ref, indices, updates, use_locking, name)


def scatter_nd_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Takes away at places of a variable; the variable after that."""
    return _scatter_nd("Sub", ref, indices, updates, use_locking, name)


def _scatter_nd(kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Any:
    if _is_resource(ref):
        updates = convert_to_tensor(updates, dtype=ref.dtype.base_dtype)
        changed = apply_op("ResourceScatterNd" + kind, ref.handle, indices, updates, name=name)
        with control_dependencies([changed]):
            return one("ReadVariableOp", ref.handle, dtype=ref.dtype.base_dtype)
    return one("ScatterNd" + kind, _reference(ref, "scatter_nd"), indices, updates, name=name, use_locking=use_locking)


def batch_scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None) -> Any:
    """Gives elements of each of a batch other values; the variable after that."""
    from tensorfleet._ops import fill_ops, join_ops, shape_ops
    from tensorfleet._ops.op_scope import op_scope

    with op_scope(name, "batch_scatter_update", [ref, indices, updates]):
        indices = convert_to_tensor(indices, name="indices")
        dims = indices.shape.as_list()
        if None in dims:
            raise ValueError(f"batch_scatter_update needs indices of a known shape, not {indices.shape}")
        places = []
        for axis, length in enumerate(dims[:-1]):
            sizes = [1] * (len(dims) + 1)
            sizes[axis] = length  # type: ignore[call-overload]
            numbers = shape_ops.reshape(fill_ops.range(length, dtype=indices.dtype.base_dtype), sizes)
            places.append(shape_ops.broadcast_to(numbers, dims + [1]))
        places.append(shape_ops.expand_dims(indices, -1))
        return scatter_nd_update(ref, join_ops.concat(places, -1), updates, use_locking)


def get_session_handle(data: Any, name: str | None = None) -> Tensor:
    """A handle of a value that stays in the session."""
    return one("GetSessionHandle", convert_to_tensor(data), name=name)


def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A placeholder for a handle, and the value that it stands for."""
    from tensorfleet._framework import dtypes
    from tensorfleet._ops.fill_ops import placeholder

    holder = placeholder(dtypes.string)
    return holder, one("GetSessionTensor", holder, name=name, dtype=dtype)


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Operation]:
    """A placeholder for a handle, and an operation that forgets the value that it stands for."""
    from tensorfleet._framework import dtypes
    from tensorfleet._ops.fill_ops import placeholder

    holder = placeholder(dtypes.string)
    return holder, apply_op("DeleteSessionTensor", holder, name=name)
