"""The values of sparse tensors and of rows, as sessions return and take them."""

from __future__ import annotations

from typing import Any, NamedTuple


class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor."""

    indices: Any
    values: Any
    dense_shape: Any


class IndexedSlicesValue(NamedTuple):
    """The value of rows of a larger tensor."""

    values: Any
    indices: Any
    dense_shape: Any
