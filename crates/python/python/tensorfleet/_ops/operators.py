"""Arithmetic, comparison and slicing of tensors and variables."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, graph_of

# Integers are divided as float32 up to 16 bits and as float64 above.
_DIVIDED_AS = {
    dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32, dtypes.uint16: dtypes.float32, dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64, dtypes.int32: dtypes.float64, dtypes.uint64: dtypes.float64, dtypes.int64: dtypes.float64,
}


def truediv(x: Tensor, y: Tensor, name: str) -> Tensor:
    """The quotient of two tensors; that of integers is a floating point number."""
    kind = _DIVIDED_AS.get(x.dtype.base_dtype)
    if kind is not None:
        with graph_of([x]).name_scope(name if name.endswith("/") else name):
            x, y = one("Cast", x, name="Cast", DstT=kind), one("Cast", y, name="Cast", DstT=kind)
    return one("RealDiv", x, y, name=name)


def _divide(x: Tensor, y: Tensor, name: str) -> Tensor:
    """The quotient of two tensors of one type, as Python 2 had it."""
    return one("RealDiv" if x.dtype.is_floating or x.dtype.is_complex else "FloorDiv", x, y, name=name)


def _simple(op: str) -> Callable[[Tensor, Tensor, str], Tensor]:
    return lambda x, y, name: one(op, x, y, name=name)


def _add(x: Tensor, y: Tensor, name: str) -> Tensor:
    return one("Add" if x.dtype.base_dtype is dtypes.string else "AddV2", x, y, name=name)


def _logical(op: str, bitwise: str) -> Callable[[Tensor, Tensor, str], Tensor]:
    return lambda x, y, name: one(op if x.dtype.base_dtype is dtypes.bool else bitwise, x, y, name=name)


_BINARY: dict[str, tuple[str, Callable[[Tensor, Tensor, str], Tensor]]] = {
    "add": ("add", _add),
    "sub": ("sub", _simple("Sub")),
    "mul": ("mul", _simple("Mul")),
    "truediv": ("truediv", truediv),
    "div": ("div", _divide),
    "floordiv": ("floordiv", _simple("FloorDiv")),
    "mod": ("mod", _simple("FloorMod")),
    "pow": ("pow", _simple("Pow")),
    "and": ("and", _logical("LogicalAnd", "BitwiseAnd")),
    "or": ("or", _logical("LogicalOr", "BitwiseOr")),
}


# Values of these types have no operators of their own for tensors: what is wrong with them is said.
_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


def _binary(method: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    scope, build = _BINARY[method]

    def forward(x: Any, y: Any) -> Any:
        graph = graph_of([x, y])
        with graph.as_default():
            x = convert_to_tensor(x)
        with graph.as_default(), graph.name_scope(scope) as name:
            try:
                y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y") if not isinstance(y, Tensor) else y
            except (TypeError, ValueError):
                if isinstance(y, _PLAIN) or not hasattr(type(y), f"__r{method}__"):
                    raise
                return NotImplemented
            return build(x, y, name)

    def backward(y: Any, x: Any) -> Any:
        graph = graph_of([y, x])
        with graph.as_default():
            y = convert_to_tensor(y)
        with graph.as_default(), graph.name_scope(scope) as name:
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return build(x, y, name)

    return forward, backward


def _xor(x: Any, y: Any) -> Any:
    from tensorfleet._ops import math_ops

    x = convert_to_tensor(x)
    return math_ops.logical_xor(x, y) if x.dtype.base_dtype is dtypes.bool else one("BitwiseXor", x, y)


def _compare(op: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: one(op, convert_to_tensor(x), y)


def _invert(x: Any) -> Any:
    x = convert_to_tensor(x)
    return one("LogicalNot" if x.dtype.base_dtype is dtypes.bool else "Invert", x)


def _matmul(x: Any, y: Any) -> Any:
    from tensorfleet._ops import math_ops

    return math_ops.matmul(convert_to_tensor(x), y, name="matmul")


def _rmatmul(y: Any, x: Any) -> Any:
    from tensorfleet._ops import math_ops

    return math_ops.matmul(x, convert_to_tensor(y), name="matmul")


def _slice(x: Any, key: Any) -> Any:
    from tensorfleet._ops import array_ops

    return array_ops._slice_helper(x, key)


def _abs(x: Any) -> Any:
    from tensorfleet._ops import math_ops

    return math_ops.abs(convert_to_tensor(x))


def _operators() -> dict[str, Callable[..., Any]]:
    methods: dict[str, Callable[..., Any]] = {}
    for method in _BINARY:
        methods[f"__{method}__"], methods[f"__r{method}__"] = _binary(method)
    methods["__xor__"], methods["__rxor__"] = _xor, lambda y, x: _xor(x, y)
    methods.update({
        "__lt__": _compare("Less"), "__le__": _compare("LessEqual"),
        "__gt__": _compare("Greater"), "__ge__": _compare("GreaterEqual"),
        "__neg__": lambda x: one("Neg", convert_to_tensor(x)), "__abs__": _abs, "__invert__": _invert,
        "__matmul__": _matmul, "__rmatmul__": _rmatmul, "__getitem__": _slice,
    })
    return methods


OPERATORS = _operators()


def add_operators(cls: type) -> None:
    """Gives a class the operators of tensors."""
    for name, method in OPERATORS.items():
        setattr(cls, name, method)


add_operators(Tensor)
