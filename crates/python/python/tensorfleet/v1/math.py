"""Arithmetic and other mathematics: `tf.math`."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.arithmetic_ops import (
    abs, accumulate_n, add, add_n, angle, argmax, argmin, atan2, conj, cumprod, cumsum, divide,
    div_no_nan as divide_no_nan, floordiv, imag, log_sigmoid, logical_xor, mod, real, round, scalar_mul, truediv,
)
from tensorfleet._ops.binary_ops import (
    equal, floormod, greater, greater_equal, less, less_equal, logical_and, logical_or, maximum, minimum, multiply,
    multiply_no_nan, not_equal, pow, squared_difference, subtract, xdivy, xlogy,
)
from tensorfleet._ops.clip_ops import l2_normalize
from tensorfleet._ops.nn_activation import in_top_k, log_softmax, softmax, softplus, softsign, top_k, zero_fraction
from tensorfleet._ops.number_checks import is_non_decreasing, is_strictly_increasing
from tensorfleet._ops.reduction_ops import (
    count_nonzero, reduce_all, reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean,
    reduce_min, reduce_prod, reduce_std, reduce_sum, reduce_variance,
)
from tensorfleet._ops.segment_ops import (
    bincount, confusion_matrix, lbeta, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sqrt_n, unsorted_segment_sum,
)
from tensorfleet._ops.shape_ops import invert_permutation
from tensorfleet._ops.special_ops import (
    bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, betainc, cumulative_logsumexp, erfcinv, erfinv, igamma, igammac,
    ndtri, nextafter, polygamma, xlog1py, zeta,
)
from tensorfleet._ops.unary_ops import (
    acos, acosh, asin, asinh, atan, atanh, ceil, cos, cosh, digamma, erf, erfc, exp, expm1, floor, is_finite, is_inf,
    is_nan, lgamma, log, log1p, logical_not, negative, reciprocal, rint, rsqrt, sigmoid, sign, sin, sinh, sqrt,
    square, tan, tanh,
)

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh", "atan",
    "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc", "bincount", "ceil", "confusion_matrix", "conj", "cos", "cosh", "count_nonzero", "cumprod",
    "cumsum", "cumulative_logsumexp", "digamma", "divide", "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor", "floordiv",
    "floormod", "greater", "greater_equal", "igamma", "igammac", "imag", "in_top_k", "invert_permutation", "is_finite", "is_inf",
    "is_nan", "is_non_decreasing", "is_strictly_increasing", "l2_normalize", "lbeta", "less", "less_equal", "lgamma",
    "log", "log1p", "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or", "logical_xor",
    "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal", "polygamma", "polyval", "pow", "real",
    "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint",
    "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "sigmoid", "sign", "sin", "sinh", "softmax", "softplus", "softsign", "sqrt", "square", "squared_difference",
    "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max", "unsorted_segment_mean",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "xdivy",
    "xlog1py", "xlogy", "zero_fraction", "zeta",
]


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """One divided by the elements, and zero for those that are zero."""
    from tensorfleet._framework.convert import constant, convert_to_tensor
    from tensorfleet._ops.op_scope import op_scope

    with op_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return divide_no_nan(constant(1, x.dtype.base_dtype, name="one"), x, scope)


def polyval(coeffs: list[Any], x: Any, name: str | None = None) -> Any:
    """The polynomial with given coefficients, of the highest power first, at the elements."""
    from tensorfleet._framework.convert import convert_to_tensor
    from tensorfleet._ops.fill_ops import zeros_like
    from tensorfleet._ops.op_scope import op_scope

    if not isinstance(coeffs, list):
        raise ValueError(f"coeffs is {type(coeffs)}; give a list")
    with op_scope(name, "polyval", [x]):
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x)
        terms = [convert_to_tensor(value, dtype=x.dtype.base_dtype, name=f"coeff_{i}") for i, value in enumerate(coeffs)]
        made: Any = terms[0]
        for term in terms[1:]:
            made = term + made * x
        return made
