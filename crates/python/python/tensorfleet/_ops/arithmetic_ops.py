"""Arithmetic that chooses its op by the type of its operands, products of matrices, and changes of type."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import (
    IndexedSlices, SparseTensor, constant, convert_to_tensor, convert_to_tensor_or_indexed_slices,
)
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import operators
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "abs", "accumulate_n", "add", "add_n", "angle", "arg_max", "arg_min", "argmax", "argmin", "atan2", "cast", "complex",
    "conj",
    "cross", "cumprod", "cumsum", "div", "div_no_nan", "divide", "einsum", "floordiv", "imag", "log_sigmoid", "logical_xor",
    "matmul", "mod", "real", "round", "saturate_cast", "scalar_mul", "to_bfloat16", "to_complex128", "to_complex64",
    "to_double", "to_float", "to_int32", "to_int64", "truediv", "check_numerics",
    "verify_tensor_all_finite",
]


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x and y added, element by element.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.add([1, 2], 1)).tolist()
    [2, 3]
    """
    with op_scope(name, "Add", [x, y]) as scope:
        x = convert_to_tensor(
            x, name="x", dtype=None if not isinstance(y, Tensor) or isinstance(x, Tensor) else y.dtype.base_dtype
        )
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        return one("Add" if x.dtype.base_dtype == dtypes.string else "AddV2", x, y, name=scope)


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y as Python 3 does it: the quotient of integers is a floating point number."""
    return truediv(x, y, name)


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y; integers are made floating point numbers first."""
    with op_scope(name, "truediv", [x, y]) as scope:
        x, y = _pair(x, y)
        if x.dtype.base_dtype != y.dtype.base_dtype:
            raise TypeError(f"`x` is {x.dtype!r} but `y` is {y.dtype!r}: they need one dtype")
        return operators.truediv(x, y, scope)


def _pair(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Two operands of one type."""
    wanted = y.dtype.base_dtype if _has_type(y) and not _has_type(x) else None
    x = convert_to_tensor(x, name="x", dtype=wanted)
    return x, convert_to_tensor(y, name="y", dtype=None if _has_type(y) else x.dtype.base_dtype)


def _has_type(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y as Python 2 did it: the quotient of integers is rounded down."""
    with op_scope(name, "div", [x, y]) as scope:
        x, y = _pair(x, y)
        if x.dtype.base_dtype != y.dtype.base_dtype:
            raise TypeError(f"`x` is {x.dtype!r} but `y` is {y.dtype!r}: they need one dtype")
        return operators._divide(x, y, scope)


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y, and zero where y is zero."""
    with op_scope(name, "div_no_nan", [x, y]) as scope:
        x, y = _pair(x, y)
        return one("DivNoNan", x, y, name=scope)


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y, rounded down."""
    with op_scope(name, "floordiv", [x, y]) as scope:
        return one("FloorDiv", x, y, name=scope)


def mod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """What is left of x after dividing by y with rounding down."""
    return one("FloorMod", x, y, name=name)


def abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute values of the elements."""
    with op_scope(name, "Abs", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return one("ComplexAbs", x, name=scope, Tout=x.dtype.real_dtype)
        return one("Abs", x, name=scope)


def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest integers, the even one of two that are as near."""
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else one("Round", x, name=name)


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Whether one of x and y is true but not both, element by element."""
    either, both = one("LogicalOr", x, y), one("LogicalAnd", x, y)
    return one("LogicalAnd", either, one("LogicalNot", both), name=name)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid of the elements."""
    with op_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return one("Neg", one("Softplus", one("Neg", x)), name=scope)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A tensor, or rows of one, times a number."""
    kind = x.dtype.base_dtype if hasattr(x, "dtype") and not isinstance(x, np.ndarray) else None
    scalar = convert_to_tensor(scalar, dtype=kind, name="scalar")
    if scalar.shape.ndims not in (None, 0):
        raise ValueError(f"The first argument of scalar_mul must be a scalar, not of shape {scalar.shape}")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(one("Mul", scalar, x.values, name=name), x.indices, x.dense_shape)
    return one("Mul", scalar, x, name=name)


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angles of points: `y` is upwards and `x` to the right."""
    return one("Atan2", y, x, name=name)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross products of vectors of three elements."""
    return one("Cross", a, b, name=name)


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The same tensor; a step fails with a message if an element is infinite or no number."""
    return one("CheckNumerics", tensor, name=name, message=message)


def verify_tensor_all_finite(
    t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None, message: str | None = None
) -> Tensor:
    """The same tensor; a step fails with a message if an element is infinite or no number."""
    from tensorfleet._framework.graph import get_default_graph
    from tensorfleet._ops.group_ops import with_dependencies

    x, message = renamed(x, t, "x", "t"), renamed(message, msg, "message", "msg")
    with op_scope(name, "VerifyFinite", [x]):
        x = convert_to_tensor(x, name="x")
        with get_default_graph().colocate_with(x):
            verified = one("CheckNumerics", x, message=message)
            return with_dependencies([verified], x)


# Types


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """The elements as another type.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.cast([1.8, 2.2], tf.int32)).tolist()
    [1, 2]
    """
    wanted = dtypes.as_dtype(dtype).base_dtype
    if isinstance(x, Tensor) and x.dtype == wanted:
        return x
    with op_scope(name, "Cast", [x.values if isinstance(x, (SparseTensor, IndexedSlices)) else x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, wanted, name=scope), x.dense_shape)
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, wanted, name=scope), x.indices, x.dense_shape)
        x = convert_to_tensor(x, name="x")
        return x if x.dtype.base_dtype == wanted else one("Cast", x, name=scope, DstT=wanted)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The elements as another type; those that it cannot hold become its largest or smallest."""
    with op_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        wanted = dtypes.as_dtype(dtype).base_dtype
        kind = value.dtype.base_dtype
        limits = constant(max(kind.min, wanted.min), kind), constant(min(kind.max, wanted.max), kind)
        return cast(one("ClipByValue", value, *limits, name="clamp"), wanted, name=scope)


def to_float(x: Any, name: str = "ToFloat") -> Any:
    """The elements as float32."""
    return cast(x, dtypes.float32, name)


def to_double(x: Any, name: str = "ToDouble") -> Any:
    """The elements as float64."""
    return cast(x, dtypes.float64, name)


def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """The elements as int32."""
    return cast(x, dtypes.int32, name)


def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """The elements as int64."""
    return cast(x, dtypes.int64, name)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """The elements as bfloat16."""
    return cast(x, dtypes.bfloat16, name)


def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """The elements as complex64."""
    return cast(x, dtypes.complex64, name)


def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """The elements as complex128."""
    return cast(x, dtypes.complex128, name)


# Complex numbers


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Complex numbers of their parts."""
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with op_scope(name, "Complex", [real, imag]) as scope:
        kinds = {(dtypes.float32, dtypes.float32): dtypes.complex64, (dtypes.float64, dtypes.float64): dtypes.complex128}
        kind = kinds.get((real.dtype.base_dtype, imag.dtype.base_dtype))
        if kind is None:
            raise TypeError(f"real and imag must both be float32 or float64, not {real.dtype.name} and {imag.dtype.name}")
        return one("Complex", real, imag, name=scope, Tout=kind)


def real(input: Any, name: str | None = None) -> Tensor:
    """The real parts of complex numbers."""
    with op_scope(name, "Real", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return one("Real", input, name=scope, Tout=input.dtype.real_dtype)
        if input.dtype.is_floating or input.dtype.is_integer:
            return input
        raise TypeError(f"real takes numbers, not {input.dtype.name}")


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary parts of complex numbers; zeros for real ones."""
    from tensorfleet._ops.fill_ops import zeros_like

    with op_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        return one("Imag", input, name=scope, Tout=input.dtype.real_dtype) if input.dtype.is_complex else zeros_like(input)


def angle(input: Any, name: str | None = None) -> Tensor:
    """The angles of complex numbers."""
    with op_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        return one("Angle", input, name=scope, Tout=input.dtype.real_dtype)


def conj(x: Any, name: str | None = None) -> Any:
    """The complex numbers with the other sign of their imaginary parts; real numbers as they are."""
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with op_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return one("Conj", x, name=scope) if x.dtype.is_complex else x


# Products and sums


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False,
    a_is_sparse: bool = False, b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:
    """The product of two matrices, or of batches of them.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.matmul([[1, 2]], [[3], [4]])).tolist()
    [[11]]
    """
    with op_scope(name, "MatMul", [a, b]) as scope:
        if transpose_a and adjoint_a:
            raise ValueError("transpose_a and adjoint_a are both True: choose one")
        if transpose_b and adjoint_b:
            raise ValueError("transpose_b and adjoint_b are both True: choose one")
        a = convert_to_tensor(a, name="a", preferred_dtype=b.dtype.base_dtype if _has_type(b) else None)
        b = convert_to_tensor(b, name="b", preferred_dtype=a.dtype.base_dtype)
        ranks = a.shape.ndims, b.shape.ndims
        if any(ndims is None or ndims > 2 for ndims in ranks):
            if transpose_a:
                a, adjoint_a = conj(a), True
            if transpose_b:
                b, adjoint_b = conj(b), True
            return one("BatchMatMulV2", a, b, name=scope, adj_x=adjoint_a, adj_y=adjoint_b)
        if adjoint_a:
            a, transpose_a = conj(a), True
        if adjoint_b:
            b, transpose_b = conj(b), True
        return one("MatMul", a, b, name=scope, transpose_a=transpose_a, transpose_b=transpose_b)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums of products by an equation such as `ij,jk->ik`."""
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"einsum does not know the arguments {', '.join(kwargs)}")
    with op_scope(name, "einsum", inputs):
        return one("Einsum", list(inputs), equation=equation.replace(" ", ""))


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of several tensors of one shape."""
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("add_n takes one tensor or more, in a list, all of one shape and type")
    tensors = [convert_to_tensor_or_indexed_slices(value) for value in inputs]
    if len(tensors) == 1:
        only = tensors[0]
        dense = convert_to_tensor(only) if isinstance(only, IndexedSlices) else only
        return one("Identity", dense, name=name) if name else dense
    return one("AddN", [convert_to_tensor(tensor) for tensor in tensors], name=name)


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of several tensors of one shape, without keeping all of them."""
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("accumulate_n takes one tensor or more, in a list, all of one shape and type")
    tensors = [convert_to_tensor(value) for value in inputs]
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) != tensors[0].dtype.base_dtype:
        raise TypeError(f"tensor_dtype is {dtypes.as_dtype(tensor_dtype).name}, but the tensors are {tensors[0].dtype.name}")
    if len(tensors) == 1 and name is None:
        return tensors[0]
    if len(tensors) == 1:
        return one("Identity", tensors[0], name=name)
    return add_n(tensors, name=name)


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The sums of the elements up to each, along a dimension.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.cumsum([1, 2, 3])).tolist()
    [1, 3, 6]
    """
    with op_scope(name, "Cumsum", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return one("Cumsum", x, axis, name=scope, exclusive=exclusive, reverse=reverse)


def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The products of the elements up to each, along a dimension."""
    with op_scope(name, "Cumprod", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return one("Cumprod", x, axis, name=scope, exclusive=exclusive, reverse=reverse)


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = dtypes.int64
) -> Tensor:
    """Where the largest element is along a dimension.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.argmax([[1, 3, 2]], 1)).tolist()
    [1]
    """
    axis = renamed(axis, dimension, "axis", "dimension")
    return one("ArgMax", input, 0 if axis is None else axis, name=name, output_type=output_type)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = dtypes.int64
) -> Tensor:
    """Where the smallest element is along a dimension."""
    axis = renamed(axis, dimension, "axis", "dimension")
    return one("ArgMin", input, 0 if axis is None else axis, name=name, output_type=output_type)


def arg_max(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    """Where the largest element is along a dimension."""
    return one("ArgMax", input, dimension, name=name, output_type=output_type)


def arg_min(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    """Where the smallest element is along a dimension."""
    return one("ArgMin", input, dimension, name=name, output_type=output_type)


