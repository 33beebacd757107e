"""Checks: `tf.debugging`."""

from __future__ import annotations

from tensorfleet._ops.arithmetic_ops import verify_tensor_all_finite as assert_all_finite, check_numerics
from tensorfleet._ops.group_ops import Assert
from tensorfleet._ops.number_checks import (
    assert_equal, assert_greater, assert_greater_equal, assert_less, assert_less_equal, assert_near, assert_negative,
    assert_non_negative, assert_non_positive, assert_none_equal, assert_positive, is_non_decreasing,
    is_strictly_increasing,
)
from tensorfleet._ops.shape_checks import (
    assert_integer, assert_proper_iterable, assert_rank, assert_rank_at_least, assert_rank_in,
    assert_same_float_dtype, assert_scalar, assert_type, is_numeric_tensor,
)
from tensorfleet._ops.unary_ops import is_finite, is_inf, is_nan

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
    "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative",
    "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank",
    "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type",
    "check_numerics", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor",
    "is_strictly_increasing",
]
