# Written by stubs.py; do not edit.

from tensorfleet._ops.group_ops import Assert as Assert
from tensorfleet._ops.arithmetic_ops import verify_tensor_all_finite as assert_all_finite
from tensorfleet._ops.number_checks import assert_equal as assert_equal
from tensorfleet._ops.number_checks import assert_greater as assert_greater
from tensorfleet._ops.number_checks import assert_greater_equal as assert_greater_equal
from tensorfleet._ops.shape_checks import assert_integer as assert_integer
from tensorfleet._ops.number_checks import assert_less as assert_less
from tensorfleet._ops.number_checks import assert_less_equal as assert_less_equal
from tensorfleet._ops.number_checks import assert_near as assert_near
from tensorfleet._ops.number_checks import assert_negative as assert_negative
from tensorfleet._ops.number_checks import assert_non_negative as assert_non_negative
from tensorfleet._ops.number_checks import assert_non_positive as assert_non_positive
from tensorfleet._ops.number_checks import assert_none_equal as assert_none_equal
from tensorfleet._ops.number_checks import assert_positive as assert_positive
from tensorfleet._ops.shape_checks import assert_proper_iterable as assert_proper_iterable
from tensorfleet._ops.shape_checks import assert_rank as assert_rank
from tensorfleet._ops.shape_checks import assert_rank_at_least as assert_rank_at_least
from tensorfleet._ops.shape_checks import assert_rank_in as assert_rank_in
from tensorfleet._ops.shape_checks import assert_same_float_dtype as assert_same_float_dtype
from tensorfleet._ops.shape_checks import assert_scalar as assert_scalar
from tensorfleet._ops.shape_checks import assert_type as assert_type
from tensorfleet._ops.arithmetic_ops import check_numerics as check_numerics
from tensorfleet._ops.unary_ops import is_finite as is_finite
from tensorfleet._ops.unary_ops import is_inf as is_inf
from tensorfleet._ops.unary_ops import is_nan as is_nan
from tensorfleet._ops.number_checks import is_non_decreasing as is_non_decreasing
from tensorfleet._ops.shape_checks import is_numeric_tensor as is_numeric_tensor
from tensorfleet._ops.number_checks import is_strictly_increasing as is_strictly_increasing

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
    "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive",
    "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least",
    "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type", "check_numerics", "is_finite",
    "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing"
]
