"""Gradients."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import errors
from tensorfleet._framework.convert import IndexedSlices, convert_to_tensor
from tensorfleet._framework.graph import Graph, Tensor, user_location

__all__ = ["gradients", "stop_gradient", "hessians"]


def _tensors(values: Any) -> list[Tensor]:
    values = values if isinstance(values, (list, tuple)) else [values]
    return [value.values if isinstance(value, IndexedSlices) else _endpoint(value) for value in values]


def _endpoint(value: Any) -> Tensor:
    """What a gradient is taken of: a variable's value, or the handle of a resource, is what operations took."""
    return value.handle if getattr(value, "_is_resource", False) else convert_to_tensor(value)


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: Any = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """How the sum of `ys` changes with each of `xs`: its gradients, None where `ys` do not depend on it.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     x = tf.constant(3.0)
    ...     sess.run(tf.gradients(x * x, x))
    [np.float32(6.0)]
    """
    outputs, inputs = _tensors(ys), _tensors(xs)
    if not outputs:
        raise ValueError("gradients of nothing were asked for")
    graph: Graph = outputs[0].graph
    graph._check_open()
    given = [None] * len(outputs) if grad_ys is None else list(grad_ys if isinstance(grad_ys, (list, tuple)) else [grad_ys])
    if len(given) != len(outputs):
        raise ValueError(f"Must pass one grad_y for each y in ys: there are {len(given)} grad_ys for {len(outputs)} ys")
    with graph.as_default():
        starts = [
            None if dy is None else convert_to_tensor(dy, dtype=y.dtype.base_dtype, name=f"grad_ys_{i}")
            for i, (dy, y) in enumerate(zip(given, outputs))
        ]
        stops = [] if stop_gradients is None else _tensors(stop_gradients)
        try:
            found = graph._core.gradients(
                [y._place for y in outputs], [x._place for x in inputs],
                [] if grad_ys is None else [None if dy is None else dy._place for dy in starts],
                [stop._place for stop in stops], name or "gradients", bool(gate_gradients), bool(colocate_gradients_with_ops),
            )
        except errors.InvalidArgumentError as error:
            kind = LookupError if "has no gradient" in error.message else ValueError
            raise kind(f"{error.message} (asked for at {user_location()})") from None
        except errors.UnimplementedError as error:
            raise NotImplementedError(f"{error.message} (asked for at {user_location()})") from None
    results = [_gradient(graph, gradient) for gradient in found]
    if unconnected_gradients in ("zero", "ZERO") or getattr(unconnected_gradients, "value", None) == "zero":
        from tensorfleet._ops import array_ops

        results = [array_ops.zeros_like(x) if dx is None else dx for x, dx in zip(inputs, results)]
    return results


def _gradient(graph: Graph, gradient: Any) -> Any:
    if gradient is None:
        return None
    if isinstance(gradient[0], tuple):
        rows, indices, shape = gradient
        return IndexedSlices(graph._tensor(rows), graph._tensor(indices), None if shape is None else graph._tensor(shape))
    return graph._tensor(gradient)


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same value, through which no gradient goes."""
    from tensorfleet._framework.apply import one

    return one("StopGradient", input, name=name)


def hessians(ys: Any, xs: Any, name: str = "hessians", **_: Any) -> list[Tensor]:
    """The second derivatives of `ys` by vectors `xs`: a matrix for each vector."""
    from tensorfleet._ops import array_ops

    made = []
    for x in xs if isinstance(xs, (list, tuple)) else [xs]:
        x = convert_to_tensor(x)
        length = x.shape.num_elements()
        if length is None:
            raise ValueError(f"Cannot take the Hessian with respect to {x.name}: its shape {x.shape} is not fully known")
        slope = array_ops.reshape(gradients(ys, x, name=name)[0], [-1])
        rows = [gradients(slope[i], x)[0] for i in range(length)]
        made.append(array_ops.stack([array_ops.reshape(row, [-1]) for row in rows]))
    return made
