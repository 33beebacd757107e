"""Initializers: what variables get as their first values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import constant
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape

__all__ = [
    "constant_initializer", "glorot_normal_initializer", "glorot_uniform_initializer", "ones_initializer",
    "orthogonal_initializer", "random_normal_initializer", "random_uniform_initializer", "truncated_normal_initializer",
    "uniform_unit_scaling_initializer", "variance_scaling_initializer", "zeros_initializer",
]


def _dims(shape: Any) -> list[int]:
    return TensorShape(shape).as_list()  # type: ignore[return-value]


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple, TensorShape))


def _floating(dtype: Any) -> DType:
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"this initializer makes floats, not {kind!r}")
    return kind


class Initializer:
    """A function of a shape and an element type that gives a tensor of them."""

    dtype: DType = dtypes.float32

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not say what it gives: define __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal one."""
        config = dict(self.__dict__)
        config["dtype"] = dtypes.as_dtype(self.dtype).name
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer that `get_config` describes."""
        return cls(**config)


class Zeros(Initializer):
    """Zeros. Called with a shape it gives zeros of that shape, as before TensorFlow 1.0.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.get_variable("w", [2], initializer=tf.zeros_initializer()).initial_value.name
    'w/Initializer/zeros:0'
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if args and _is_shape(args[0]):
            return cls()(*args, **kwargs)
        return super().__new__(cls)

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import array_ops

        return array_ops.zeros(shape, self.dtype if dtype is None else dtype)


class Ones(Initializer):
    """Ones. Called with a shape it gives ones of that shape, as before TensorFlow 1.0."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if args and _is_shape(args[0]):
            return cls()(*args, **kwargs)
        return super().__new__(cls)

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import array_ops

        return array_ops.ones(shape, self.dtype if dtype is None else dtype)


class Constant(Initializer):
    """One number everywhere, or the numbers of a list in order; the last of them fills what is left."""

    def __init__(self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"a constant is made of a number, a list or tuple of numbers, or a numpy array, not of {value!r} of "
                f"type {type(value).__name__}"
            )
        self.value, self.dtype, self._verify_shape = value, dtypes.as_dtype(dtype), verify_shape

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: bool | None = None
    ) -> Tensor:
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constant(self.value, dtype=self.dtype if dtype is None else dtype, shape=shape, verify_shape=verify)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal one."""
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """Random numbers between two bounds."""

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import random_ops

        return random_ops.random_uniform(
            shape, self.minval, self.maxval, self.dtype if dtype is None else dtype, seed=self.seed
        )


class RandomNormal(Initializer):
    """Random numbers of a normal distribution."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import random_ops

        return random_ops.random_normal(shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed)


class TruncatedNormal(Initializer):
    """Random numbers of a normal distribution, drawn again where they are more than two deviations from the mean."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import random_ops

        return random_ops.truncated_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed
        )


class UniformUnitScaling(Initializer):
    """Uniform random numbers that keep the scale of a layer's input: up to `factor * sqrt(3 / inputs)`."""

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import random_ops

        whole = shape if partition_info is None else partition_info.full_shape
        inputs = max(1.0, math.prod(float(dim) for dim in _dims(whole)[:-1]))
        bound = math.sqrt(3 / inputs) * self.factor
        return random_ops.random_uniform(shape, -bound, bound, self.dtype if dtype is None else dtype, seed=self.seed)


class VarianceScaling(Initializer):
    """Random numbers whose variance is `scale` over the number of inputs, of outputs, or their mean."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"`scale` is {scale}, but it must be above zero")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"`mode` is {mode!r}; it can be 'fan_in', 'fan_out' or 'fan_avg'")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"`distribution` is {distribution!r}; it can be 'normal', 'uniform', 'truncated_normal' or "
                             "'untruncated_normal'")
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import random_ops

        kind = self.dtype if dtype is None else dtype
        fan_in, fan_out = compute_fans(_dims(shape if partition_info is None else partition_info.full_shape))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution in ("normal", "truncated_normal"):
            # What is left of a unit normal distribution between -2 and 2 has this deviation.
            return random_ops.truncated_normal(shape, 0.0, math.sqrt(scale) / 0.87962566103423978, kind, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, math.sqrt(scale), kind, seed=self.seed)
        bound = math.sqrt(3.0 * scale)
        return random_ops.random_uniform(shape, -bound, bound, kind, seed=self.seed)


class GlorotUniform(VarianceScaling):
    """Uniform random numbers up to `sqrt(6 / (inputs + outputs))`."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(scale=1.0, mode="fan_avg", distribution="uniform", seed=seed, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal one."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Normal random numbers of the variance `2 / (inputs + outputs)`."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(scale=1.0, mode="fan_avg", distribution="truncated_normal", seed=seed, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal one."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class Orthogonal(Initializer):
    """A random matrix whose rows, or columns if there are fewer of these, are orthogonal and of length `gain`."""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._framework.apply import one
        from tensorfleet._ops import array_ops, math_ops, random_ops

        dims = _dims(shape)
        if len(dims) < 2:
            raise ValueError(f"an orthogonal matrix needs two dimensions or more, but the shape is {dims}")
        rows, columns = math.prod(dims[:-1]), dims[-1]
        flat = (columns, rows) if rows < columns else (rows, columns)
        start = random_ops.random_normal(flat, dtype=self.dtype if dtype is None else dtype, seed=self.seed)
        # A = QR with a positive diagonal of R, which is the transpose of the Cholesky factor of A^T A.
        wide = math_ops.cast(start, dtypes.float64)
        factor = one("Cholesky", math_ops.matmul(wide, wide, transpose_a=True))
        q = one("MatrixTriangularSolve", factor, array_ops.transpose(wide), lower=True)
        if rows >= columns:
            q = array_ops.transpose(q)
        q = math_ops.cast(q, start.dtype)
        return self.gain * array_ops.reshape(q, shape)


class Identity(Initializer):
    """The identity matrix times `gain`."""

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain, self.dtype = gain, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        from tensorfleet._ops import array_ops

        whole = _dims(shape if partition_info is None else partition_info.full_shape)
        if len(whole) != 2:
            raise ValueError(f"an identity matrix has two dimensions, but the shape is {whole}")
        made = array_ops.eye(whole[0], whole[1], dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            made = array_ops.slice(made, partition_info.var_offset, shape)
        return self.gain * made


def compute_fans(shape: list[int]) -> tuple[float, float]:
    """How many inputs and outputs a layer with weights of this shape has.

    >>> compute_fans([5, 5, 3, 16])
    (75, 400)
    """
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Normal random numbers of the variance `2 / inputs`."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform random numbers up to `sqrt(6 / inputs)`."""
    return VarianceScaling(scale=2.0, mode="fan_in", distribution="uniform", seed=seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Normal random numbers of the variance `1 / inputs`."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="truncated_normal", seed=seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform random numbers up to `sqrt(3 / inputs)`."""
    return VarianceScaling(scale=1.0, mode="fan_in", distribution="uniform", seed=seed)


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
orthogonal_initializer = Orthogonal
identity_initializer = Identity
