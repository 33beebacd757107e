"""Convolutions over one to three dimensions, and their transposes."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework import dtypes
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops
from tensorfleet._ops.nn_pool import padding_attrs, window
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "atrous_conv2d", "atrous_conv2d_transpose", "conv1d", "conv1d_transpose", "conv2d", "conv2d_backprop_filter",
    "conv2d_backprop_input", "conv2d_transpose", "conv3d", "conv3d_backprop_filter_v2", "conv3d_transpose", "conv_transpose",
    "convolution", "depthwise_conv2d", "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input",
    "depthwise_conv2d_native", "depthwise_conv2d_native_backprop_filter", "depthwise_conv2d_native_backprop_input",
    "separable_conv2d", "with_space_to_batch",
]


def _first(data_format: str | None) -> bool:
    return data_format is not None and data_format.startswith("NC")


def _dilations(value: Any, n: int, first: bool) -> list[int] | None:
    return None if value is None else window(value, n, first, "dilations")


def conv2d(
    input: Any, filter: Any = None, strides: Any = None, padding: Any = None, use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None, filters: Any = None,
) -> Tensor:
    """Images and a filter, which is [height, width, in, out], convolved.

    >>> import tensorfleet.v1 as tf
    >>> x, w = tf.ones([1, 3, 3, 1]), tf.ones([3, 3, 1, 1])
    >>> tf.Session().run(tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID")).ravel().tolist()
    [9.0]
    """
    filter = renamed(filter, filters, "filter", "filters")
    first = _first(data_format)
    return one(
        "Conv2D", input, filter, name=name, strides=window(strides, 2, first, "strides"), data_format=data_format,
        dilations=_dilations(dilations, 2, first), use_cudnn_on_gpu=use_cudnn_on_gpu, **padding_attrs(padding),
    )


def conv2d_backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its filter."""
    first = _first(data_format)
    return one(
        "Conv2DBackpropFilter", input, filter_sizes, out_backprop, name=name, strides=window(strides, 2, first, "strides"),
        data_format=data_format, dilations=_dilations(dilations, 2, first), use_cudnn_on_gpu=use_cudnn_on_gpu,
        **padding_attrs(padding),
    )


def conv2d_backprop_input(
    input_sizes: Any, filter: Any = None, out_backprop: Any = None, strides: Any = None, padding: Any = None,
    use_cudnn_on_gpu: bool = True, data_format: str = "NHWC", dilations: Any = None, name: str | None = None, filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its input."""
    first = _first(data_format)
    return one(
        "Conv2DBackpropInput", input_sizes, renamed(filter, filters, "filter", "filters"), out_backprop, name=name,
        strides=window(strides, 2, first, "strides"), data_format=data_format, dilations=_dilations(dilations, 2, first),
        use_cudnn_on_gpu=use_cudnn_on_gpu, **padding_attrs(padding),
    )


def conv2d_transpose(
    value: Any = None, filter: Any = None, output_shape: Any = None, strides: Any = None, padding: Any = "SAME",
    data_format: str = "NHWC", name: str | None = None, input: Any = None, filters: Any = None, dilations: Any = None,
) -> Tensor:
    """What `conv2d` takes back: images made larger by a filter, which is [height, width, out, in]."""
    value, filter = renamed(value, input, "value", "input"), renamed(filter, filters, "filter", "filters")
    with op_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        return conv2d_backprop_input(
            output_shape, convert_to_tensor(filter), convert_to_tensor(value), strides, padding, data_format=data_format,
            dilations=dilations, name=scope,
        )


def conv1d(
    value: Any = None, filters: Any = None, stride: Any = None, padding: Any = None, use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None, name: str | None = None, input: Any = None, dilations: Any = None,
) -> Tensor:
    """Sequences and a filter, which is [width, in, out], convolved."""
    value = renamed(value, input, "value", "input")
    data_format = data_format or "NWC"
    first = data_format in ("NCW", "NCHW")
    with op_scope(name, "conv1d", [value, filters]) as scope:
        at = 2 if first else 1
        strides, rates = window(stride, 1, first, "stride"), window(1 if dilations is None else dilations, 1, first, "dilations")
        wide = array_ops.expand_dims(value, at - 4)
        made = one(
            "Conv2D", wide, array_ops.expand_dims(filters, 0), name=scope, strides=[*strides[:at], 1, *strides[at:]],
            data_format="NCHW" if first else "NHWC", dilations=[*rates[:at], 1, *rates[at:]], use_cudnn_on_gpu=use_cudnn_on_gpu,
            **padding_attrs(padding),
        )
        return array_ops.squeeze(made, [at - 4])


def conv1d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: str = "SAME", data_format: str | None = "NWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:
    """What `conv1d` takes back: sequences made longer by a filter, which is [width, out, in]."""
    first = _first(data_format)
    with op_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        at = 2 if first else 1
        steps, rates = window(strides, 1, first, "strides"), window(1 if dilations is None else dilations, 1, first, "dilations")
        wide = array_ops.expand_dims(input, at)
        filters = array_ops.expand_dims(filters, 0)
        output_shape = list(output_shape) if isinstance(output_shape, (list, tuple)) else output_shape
        shape = array_ops.concat([output_shape[:at], [1], output_shape[at:]], 0)
        made = one(
            "Conv2DBackpropInput", shape, filters, wide, name=scope, strides=[*steps[:at], 1, *steps[at:]],
            data_format="NCHW" if first else "NHWC", dilations=[*rates[:at], 1, *rates[at:]], **padding_attrs(padding),
        )
        return array_ops.squeeze(made, [at])


def conv3d(
    input: Any, filter: Any = None, strides: Any = None, padding: str | None = None, data_format: str = "NDHWC",
    dilations: Any = None, name: str | None = None, filters: Any = None,
) -> Tensor:
    """Volumes and a filter, which is [depth, height, width, in, out], convolved."""
    first = _first(data_format)
    return one(
        "Conv3D", input, renamed(filter, filters, "filter", "filters"), name=name, strides=window(strides, 3, first, "strides"),
        padding=padding, data_format=data_format, dilations=_dilations(dilations, 3, first),
    )


def conv3d_backprop_filter_v2(
    input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: str, data_format: str = "NDHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to its filter."""
    return one(
        "Conv3DBackpropFilterV2", input, filter_sizes, out_backprop, name=name, strides=list(strides), padding=padding,
        data_format=data_format, dilations=dilations,
    )


def conv3d_transpose(
    value: Any = None, filter: Any = None, output_shape: Any = None, strides: Any = None, padding: str = "SAME",
    data_format: str = "NDHWC", name: str | None = None, input: Any = None, filters: Any = None, dilations: Any = None,
) -> Tensor:
    """What `conv3d` takes back: volumes made larger by a filter, which is [depth, height, width, out, in]."""
    value, filter = renamed(value, input, "value", "input"), renamed(filter, filters, "filter", "filters")
    first = _first(data_format)
    with op_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        return one(
            "Conv3DBackpropInputV2", output_shape, filter, value, name=scope, strides=window(strides, 3, first, "strides"),
            padding=padding, data_format=data_format, dilations=_dilations(dilations, 3, first),
        )


def conv_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: str = "SAME", data_format: str | None = None,
    dilations: Any = None, name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over one to three dimensions."""
    with op_scope(name, "conv_transpose", [input, filters, output_shape]) as scope:
        count = convert_to_tensor(filters).shape.ndims
        made: dict[int | None, Callable[..., Tensor]] = {3: conv1d_transpose, 4: conv2d_transpose, 5: conv3d_transpose}
        if count not in made:
            raise ValueError(f"`filters` must have 3, 4 or 5 dimensions, not {count}")
        default = {3: "NWC", 4: "NHWC", 5: "NDHWC"}[count]  # type: ignore[index]
        return made[count](
            input, filters, output_shape, strides, padding, data_format=data_format or default, dilations=dilations, name=scope
        )


def with_space_to_batch(
    input: Tensor, dilation_rate: Any, padding: str, op: Callable[[Tensor, str], Tensor], filter_shape: Any = None,
    channels_first: bool = False, filter_tensor: Tensor | None = None,
) -> Tensor:
    """Applies an op with its window dilated: the input is cut into interleaved parts on which the op works as usual."""
    rates = np.asarray(dilation_rate, dtype=np.int32)
    blocks = constant(rates, dtypes.int32, name="dilation_rate")
    if (rates == 1).all():
        return op(input, padding)
    base: Any = np.zeros([len(rates), 2], dtype=np.int32)
    if padding == "SAME":
        sizes = np.asarray(filter_shape, dtype=np.int32)[: len(rates)]
        if filter_tensor is None:
            constant(np.asarray(filter_shape, dtype=np.int32), dtypes.int32, name="filter_shape")
        extra = (sizes - 1) * rates
        base = np.stack([extra // 2, extra - extra // 2], axis=1)
        constant(base, dtypes.int32, name="stack")
    at = 2 if channels_first else 1
    known = None if input.shape.ndims is None else input.shape.as_list()[at : at + len(rates)]
    if known is None or None in known:
        raise ValueError(f"the sizes of {input.name} must be known for a dilated window, but its shape is {input.shape}")
    with op_scope(None, "required_space_to_batch_paddings", [input]):
        constant(np.asarray(known, dtype=np.int32), dtypes.int32, name="input_shape")
        if padding != "SAME":
            constant(base, dtypes.int32, name="base_paddings")
        extra = -(np.asarray(known) + base.sum(axis=1)) % rates
        paddings = constant(np.stack([base[:, 0], base[:, 1] + extra], axis=1), dtypes.int32, name="paddings")
        crops = constant(np.stack([np.zeros_like(extra), extra], axis=1), dtypes.int32, name="crops")
    del paddings, crops
    before = np.stack([base[:, 0], base[:, 1] + extra], axis=1).astype(np.int32)
    after = np.stack([np.zeros_like(extra), extra], axis=1).astype(np.int32)
    if channels_first:
        lead = np.ones(1, dtype=np.int32)
        rates, before, after = (
            np.concatenate([lead, rates]), np.concatenate([[[0, 0]], before]), np.concatenate([[[0, 0]], after])
        )
    del blocks
    parts = one("SpaceToBatchND", input, rates, before.astype(np.int32))
    return one("BatchToSpaceND", op(parts, "VALID"), rates, after.astype(np.int32))


def convolution(
    input: Any, filter: Any, padding: str, strides: Any = None, dilation_rate: Any = None, name: str | None = None,
    data_format: str | None = None, filters: Any = None, dilations: Any = None,
) -> Tensor:
    """A convolution over as many dimensions as the filter has, with strides or with a dilated filter."""
    filter = renamed(filter, filters, "filter", "filters")
    dilation_rate = renamed(dilation_rate, dilations, "dilation_rate", "dilations")
    with op_scope(name, "convolution", [input, filter]) as scope:
        input, filter = convert_to_tensor(input, name="input"), convert_to_tensor(filter, name="filter")
        if filter.shape.ndims is None:
            raise ValueError(f"the rank of the filter {filter.name} is unknown")
        n = filter.shape.ndims - 2
        first = _first(data_format)
        steps, rates = _numbers(strides, n, "strides"), _numbers(dilation_rate, n, "dilation_rate")
        if any(step > 1 for step in steps) and any(rate > 1 for rate in rates):
            raise ValueError(f"a convolution has strides or a dilation_rate above 1, not both: {steps} and {rates}")

        def op(x: Tensor, how: str) -> Tensor:
            if n == 1:
                return conv1d(x, filter, steps, how, data_format=data_format, name=scope)
            if n == 2:
                return conv2d(x, filter, window(steps, 2, first, ""), how, data_format=data_format or "NHWC", name=scope)
            return conv3d(x, filter, window(steps, 3, first, ""), how, data_format=data_format or "NDHWC", name=scope)

        if all(rate == 1 for rate in rates):
            return op(input, padding)
        if n == 2 and not _sizes_known(input, first):
            # The paddings of the parts would depend on the step, so the op itself dilates.
            layout = data_format or "NHWC"
            return conv2d(input, filter, [1, 1, 1, 1], padding, data_format=layout, dilations=rates, name=scope)
        return with_space_to_batch(input, rates, padding, op, filter_shape=filter.shape.as_list(), channels_first=first)


def _sizes_known(images: Tensor, first: bool) -> bool:
    if images.shape.ndims is None:
        return False
    dims = images.shape.as_list()
    return None not in (dims[2:] if first else dims[1:-1])


def _numbers(value: Any, n: int, what: str) -> list[int]:
    if value is None:
        return [1] * n
    values = [int(value)] * n if not hasattr(value, "__len__") else [int(item) for item in value]
    if len(values) != n:
        raise ValueError(f"`{what}` has {len(values)} numbers for {n} spatial dimensions: {value}")
    return values


def atrous_conv2d(value: Any, filters: Any, rate: int, padding: str, name: str | None = None) -> Tensor:
    """`conv2d` with a filter whose elements are `rate` apart."""
    return convolution(value, filters, padding, dilation_rate=[rate, rate], name=name)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """What `atrous_conv2d` takes back."""
    return conv2d_backprop_input(
        output_shape, filters, value, [1, 1, 1, 1], padding, dilations=[1, rate, rate, 1], name=name or "atrous_conv2d_transpose"
    )


def _depthwise(input: Tensor, filter: Tensor, strides: Any, padding: str, data_format: str | None, name: str | None) -> Tensor:
    return one(
        "DepthwiseConv2dNative", input, filter, name=name, strides=[int(step) for step in strides], data_format=data_format,
        **padding_attrs(padding),
    )


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: str, rate: Any = None, name: str | None = None,
    data_format: str | None = None, dilations: Any = None,
) -> Tensor:
    """Each channel convolved with filters of its own; the filter is [height, width, in, how many for each]."""
    rate = renamed(rate, dilations, "rate", "dilations")
    with op_scope(name, "depthwise", [input, filter]) as scope:
        input, filter = convert_to_tensor(input, name="tensor_in"), convert_to_tensor(filter, name="filter_in")
        rate = [1, 1] if rate is None else _numbers(rate, 2, "rate")
        shape = array_ops.shape(filter)
        return with_space_to_batch(
            input, rate, padding, lambda x, how: _depthwise(x, filter, strides, how, data_format, scope),
            filter_shape=filter.shape.as_list(), filter_tensor=shape, channels_first=_first(data_format),
        )


def depthwise_conv2d_native(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: str = "NHWC", dilations: Any = None, name: str | None = None
) -> Tensor:
    """As `depthwise_conv2d`, as one op."""
    return one(
        "DepthwiseConv2dNative", input, filter, name=name, strides=list(strides), data_format=data_format, dilations=dilations,
        **padding_attrs(padding),
    )


def depthwise_conv2d_native_backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` with respect to its filter."""
    return one(
        "DepthwiseConv2dNativeBackpropFilter", input, filter_sizes, out_backprop, name=name, strides=list(strides),
        data_format=data_format, dilations=dilations, **padding_attrs(padding),
    )


def depthwise_conv2d_native_backprop_input(
    input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` with respect to its input."""
    return one(
        "DepthwiseConv2dNativeBackpropInput", input_sizes, filter, out_backprop, name=name, strides=list(strides),
        data_format=data_format, dilations=dilations, **padding_attrs(padding),
    )


depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter
depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: str, rate: Any = None,
    name: str | None = None, data_format: str | None = None, dilations: Any = None,
) -> Tensor:
    """Each channel convolved on its own, then mixed by a filter of one element."""
    rate = renamed(rate, dilations, "rate", "dilations")
    with op_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        rate = [1, 1] if rate is None else _numbers(rate, 2, "rate")
        shape = array_ops.shape(depthwise_filter)
        channels = with_space_to_batch(
            input, rate, padding, lambda x, how: _depthwise(x, depthwise_filter, strides, how, data_format, "depthwise"),
            filter_shape=depthwise_filter.shape.as_list(), filter_tensor=shape, channels_first=_first(data_format),
        )
        return conv2d(channels, pointwise_filter, [1, 1, 1, 1], "VALID", data_format=data_format or "NHWC", name=scope)
