"""Pooling: the largest or the mean element of windows."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "dilation2d", "erosion2d", "fractional_avg_pool", "fractional_max_pool",
    "max_pool", "max_pool1d", "max_pool2d", "max_pool3d", "max_pool_with_argmax", "pool",
]


def window(value: Any, n: int, channels_first: bool, what: str) -> list[int]:
    """Sizes for each dimension of a tensor with `n` spatial ones, from one number, `n` of them, or all.

    >>> window(2, 2, False, "ksize")
    [1, 2, 2, 1]
    """
    values = [int(value)] if not hasattr(value, "__len__") else [int(size) for size in value]
    if len(values) == 1:
        values = values * n
    if len(values) == n + 2:
        return values
    if len(values) != n:
        raise ValueError(f"{what} has {len(values)} numbers, where 1, {n} or {n + 2} fit: {value}")
    return [1, 1, *values] if channels_first else [1, *values, 1]


def padding_attrs(padding: Any) -> dict[str, Any]:
    """The attributes for a way of padding: its name, or how much there is before and after each dimension."""
    if isinstance(padding, str):
        return {"padding": padding.upper()}
    flat = [int(amount) for pair in padding for amount in pair]
    return {"padding": "EXPLICIT", "explicit_paddings": flat}


def _channels_first(data_format: str | None) -> bool:
    return data_format is not None and data_format.startswith("NC")


def max_pool(
    value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None, data_format: str = "NHWC",
    name: str | None = None, input: Any = None,
) -> Tensor:
    """The largest element of each window of images.

    >>> import tensorfleet.v1 as tf
    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.Session().run(tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")).ravel().tolist()
    [5.0, 7.0, 13.0, 15.0]
    """
    value = renamed(value, input, "value", "input")
    with op_scope(name, "MaxPool", [value]) as scope:
        value = convert_to_tensor(value, name="input")
        first = _channels_first(data_format)
        return one(
            "MaxPool", value, name=scope, ksize=window(ksize, 2, first, "ksize"), strides=window(strides, 2, first, "strides"),
            data_format=data_format, **padding_attrs(padding),
        )


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """As `max_pool`."""
    return max_pool(input, ksize, strides, padding, data_format, "MaxPool2d" if name is None else name)


def avg_pool(
    value: Any = None, ksize: Any = None, strides: Any = None, padding: Any = None, data_format: str = "NHWC",
    name: str | None = None, input: Any = None,
) -> Tensor:
    """The mean of each window of images."""
    value = renamed(value, input, "value", "input")
    with op_scope(name, "AvgPool", [value]) as scope:
        value = convert_to_tensor(value, name="input")
        first = _channels_first(data_format)
        return one(
            "AvgPool", value, name=scope, ksize=window(ksize, 2, first, "ksize"), strides=window(strides, 2, first, "strides"),
            data_format=data_format, padding=padding.upper(),
        )


avg_pool2d = avg_pool


def _pool1d(op: str, scope_name: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str, name: Any) -> Tensor:
    first = _channels_first(data_format)
    with op_scope(name, scope_name, [input]) as scope:
        sizes, steps = window(ksize, 1, first, "ksize"), window(strides, 1, first, "strides")
        at = 2 if first else 1
        wide = array_ops.expand_dims(input, at)
        sizes, steps = [*sizes[:at], 1, *sizes[at:]], [*steps[:at], 1, *steps[at:]]
        attrs = padding_attrs(padding) if op == "MaxPool" else {"padding": padding.upper()}
        pooled = one(op, wide, name=scope, ksize=sizes, strides=steps, data_format="NCHW" if first else "NHWC", **attrs)
        return array_ops.squeeze(pooled, [at])


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Tensor:
    """The largest element of each window of sequences."""
    return _pool1d("MaxPool", "MaxPool1d", input, ksize, strides, padding, data_format, name)


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Tensor:
    """The mean of each window of sequences."""
    return _pool1d("AvgPool", "AvgPool1D", input, ksize, strides, padding, data_format, name)


def _pool3d(op: str, input: Any, ksize: Any, strides: Any, padding: str, data_format: str, name: Any) -> Tensor:
    first = _channels_first(data_format)
    with op_scope(name, op, [input]) as scope:
        return one(
            op, convert_to_tensor(input), name=scope, ksize=window(ksize, 3, first, "ksize"),
            strides=window(strides, 3, first, "strides"), padding=padding.upper(), data_format=data_format,
        )


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC", name: str | None = None
) -> Tensor:
    """The largest element of each window of volumes."""
    return _pool3d("MaxPool3D", input, ksize, strides, padding, data_format, name)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC", name: str | None = None
) -> Tensor:
    """The mean of each window of volumes."""
    return _pool3d("AvgPool3D", input, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(
    input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC", Targmax: Any = None, name: str | None = None,
    output_dtype: Any = None, include_batch_in_index: bool = False,
) -> list[Tensor]:
    """The largest element of each window of images, and where each is in its image."""
    if data_format != "NHWC":
        raise ValueError(f"Attr 'data_format' of 'MaxPoolWithArgmax' must be 'NHWC', not {data_format!r}")
    kind = Targmax if Targmax is not None else output_dtype if output_dtype is not None else dtypes.int64
    return many(
        "MaxPoolWithArgmax", input, name=name, ksize=window(ksize, 2, False, "ksize"),
        strides=window(strides, 2, False, "strides"), padding=padding.upper(), Targmax=kind,
        include_batch_in_index=include_batch_in_index,
    )


def pool(
    input: Any, window_shape: Any, pooling_type: str, padding: str, dilation_rate: Any = None, strides: Any = None,
    name: str | None = None, data_format: str | None = None, dilations: Any = None,
) -> Tensor:
    """Pooling over one to three dimensions; `pooling_type` is "MAX" or "AVG"."""
    dilation_rate = renamed(dilation_rate, dilations, "dilation_rate", "dilations")
    kind = pooling_type.upper()
    if kind not in ("MAX", "AVG"):
        raise ValueError(f"Value for `pooling_type`={pooling_type!r} is not 'MAX' or 'AVG'")
    with op_scope(name, f"{kind.lower()}_pool", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        n = len(window_shape)
        if n not in (1, 2, 3):
            raise ValueError(f"`window_shape` has {n} dimensions; it must have 1, 2 or 3")
        rates = [1] * n if dilation_rate is None else [int(rate) for rate in dilation_rate]
        steps = [1] * n if strides is None else [int(step) for step in strides]
        if kind == "AVG" and padding == "SAME" and any(rate > 1 for rate in rates):
            raise ValueError("average pooling of SAME padding cannot be dilated")
        if any(rate > 1 for rate in rates) and any(step > 1 for step in steps):
            raise ValueError(f"a pooling has strides or a dilation_rate above 1, not both: {steps} and {rates}")
        from tensorfleet._ops.nn_conv import with_space_to_batch

        first = _channels_first(data_format)

        def op(x: Tensor, how: str) -> Tensor:
            if n == 1:
                made: Any = max_pool1d if kind == "MAX" else avg_pool1d
                return made(x, window_shape, steps, how, data_format or "NWC", name=scope)
            if n == 2:
                made = max_pool if kind == "MAX" else avg_pool
                return made(x, window(window_shape, 2, first, ""), window(steps, 2, first, ""), how, data_format or "NHWC", name=scope)
            made = max_pool3d if kind == "MAX" else avg_pool3d
            return made(x, window(window_shape, 3, first, ""), window(steps, 3, first, ""), how, data_format or "NDHWC", name=scope)

        return with_space_to_batch(input, rates, padding, op, filter_shape=list(window_shape), channels_first=first)


def fractional_max_pool(
    value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False, deterministic: bool = False,
    seed: int = 0, seed2: int = 0, name: str | None = None,
) -> list[Tensor]:
    """The largest elements of windows whose sizes vary, so that the result is smaller by a fraction."""
    return many(
        "FractionalMaxPool", value, name=name, pooling_ratio=list(pooling_ratio), pseudo_random=pseudo_random,
        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
    )


def fractional_avg_pool(
    value: Any, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False, deterministic: bool = False,
    seed: int = 0, seed2: int = 0, name: str | None = None,
) -> list[Tensor]:
    """The means of windows whose sizes vary, so that the result is smaller by a fraction."""
    return many(
        "FractionalAvgPool", value, name=name, pooling_ratio=list(pooling_ratio), pseudo_random=pseudo_random,
        overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2,
    )


def dilation2d(
    input: Any, filter: Any = None, strides: Any = None, rates: Any = None, padding: str | None = None, name: str | None = None,
    filters: Any = None, dilations: Any = None,
) -> Tensor:
    """The largest sum of a window of an image and a filter."""
    return one(
        "Dilation2D", input, renamed(filter, filters, "filter", "filters"), name=name, strides=list(strides),
        rates=list(renamed(rates, dilations, "rates", "dilations")), padding=padding,
    )


def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Tensor:
    """The smallest difference of a window of an image and a filter."""
    with op_scope(name, "erosion2d", [value, kernel]) as scope:
        turned = array_ops.reverse(convert_to_tensor(kernel), [0, 1])
        grown = dilation2d(-convert_to_tensor(value), turned, strides, rates, padding)
        return one("Neg", grown, name=scope)
