"""Records of features (`Example` and `SequenceExample` messages) made into tensors."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import SparseTensor, constant, convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "FixedLenFeature", "VarLenFeature", "SparseFeature", "FixedLenSequenceFeature", "parse_example", "parse_single_example",
    "parse_single_sequence_example",
]


class VarLenFeature(NamedTuple):
    """A feature of any number of values, which becomes a sparse tensor."""

    dtype: Any


class FixedLenFeature(NamedTuple):
    """A feature of values that fill a shape; without a default a record must have it."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of parts, each of which fills a shape."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """Two features that together are a sparse tensor: places and values."""

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class _Wanted:
    """What an op that reads features is told: names, types and shapes, sorted by name."""

    def __init__(self, features: dict[str, Any], allowed: tuple[type, ...]) -> None:
        self.sparse: dict[str, DType] = {}
        self.dense: dict[str, Any] = {}
        for key in sorted(features):
            feature = features[key]
            if not isinstance(feature, allowed):
                raise ValueError(
                    f"the feature {key!r} is {feature!r}, not one of {', '.join(kind.__name__ for kind in allowed)}"
                )
            if isinstance(feature, VarLenFeature):
                self._add_sparse(key, feature.dtype)
            elif isinstance(feature, SparseFeature):
                for index_key in _index_keys(feature):
                    self._add_sparse(index_key, dtypes.int64)
                self._add_sparse(feature.value_key, feature.dtype)
            else:
                fixed: Any = feature
                if fixed.dtype is None or fixed.shape is None:
                    raise ValueError(f"the feature {key!r} needs a type and a shape: {feature!r}")
                self.dense[key] = fixed
        both = set(self.sparse) & set(self.dense)
        if both:
            raise ValueError(f"keys that are both dense and sparse: {sorted(both)}")

    def _add_sparse(self, key: str, dtype: Any) -> None:
        kind = dtypes.as_dtype(dtype)
        if self.sparse.setdefault(key, kind) != kind:
            raise ValueError(f"feature {key!r} is given two types, {kind.name} and {self.sparse[key].name}")

    def types(self) -> list[DType]:
        """The types of the dense features."""
        return [dtypes.as_dtype(feature.dtype) for feature in self.dense.values()]

    def shapes(self) -> list[TensorShape]:
        """The shapes of the dense features; a sequence has one dimension more."""
        return [
            TensorShape([None]).concatenate(feature.shape) if isinstance(feature,
            FixedLenSequenceFeature) else as_shape(feature.shape)
            for feature in self.dense.values()
        ]

    def defaults(self) -> list[Tensor]:
        """The default values of the dense features; an empty one where there is none."""
        return [_default(key, feature) for key, feature in self.dense.items()]


def _index_keys(feature: SparseFeature) -> list[str]:
    return [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)


def _default(key: str, feature: Any) -> Tensor:
    kind = dtypes.as_dtype(feature.dtype)
    label = "key_" + re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
    value = feature.default_value
    if isinstance(feature, FixedLenSequenceFeature):
        if not feature.allow_missing:
            raise ValueError(f"the feature {key!r} is a sequence: allow_missing must be True for parse_example")
        if value is None:
            return convert_to_tensor("" if kind == dtypes.string else 0, dtype=kind)
        return _reshaped(convert_to_tensor(value, dtype=kind, name=label), TensorShape([]))
    if value is None:
        return constant([], kind)
    return _reshaped(convert_to_tensor(value, dtype=kind, name=label), as_shape(feature.shape))


def _reshaped(tensor: Tensor, shape: TensorShape) -> Tensor:
    with op_scope(None, "Reshape", [tensor]) as scope:
        return one("Reshape", tensor, constant(shape.as_list(), dtypes.int32, name="shape"), name=scope)


_PARSED = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


def parse_example(
    serialized: Any, features: dict[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of records, a tensor or sparse tensor for each name.

    >>> import tensorfleet.v1 as tf
    >>> record = tf.train.Example(features=tf.train.Features(feature={
    ...     "x": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})).SerializeToString()
    >>> parsed = tf.parse_example([record], {"x": tf.FixedLenFeature([], tf.int64)})
    >>> tf.Session().run(parsed["x"]).tolist()
    [7]
    """
    if not features:
        raise ValueError("`features` names no feature: there is nothing to parse")
    wanted = _Wanted(features, _PARSED)
    with op_scope(name, "ParseExample", [serialized, example_names]):
        serialized = convert_to_tensor(serialized, dtype=dtypes.string, name="serialized")
        defaults = wanted.defaults()
        outputs = many(
            "ParseExampleV2", serialized, _strings([] if example_names is None else example_names),
            _strings(list(wanted.sparse)), _strings(list(wanted.dense)),
            _strings([]), defaults, name=name, Tdense=wanted.types(), num_sparse=len(wanted.sparse),
            sparse_types=list(wanted.sparse.values()), ragged_value_types=[], ragged_split_types=[],
            dense_shapes=wanted.shapes(),
        )
    return _with_sparse_features(features, _named(wanted, outputs))


def _strings(values: Any) -> Any:
    """Strings as an array of text, also if there are none."""
    return values if isinstance(values, Tensor) else np.array(list(values), dtype=object)


def _named(wanted: _Wanted, outputs: list[Tensor]) -> dict[str, Any]:
    """The outputs of an op by the names of the features."""
    count = len(wanted.sparse)
    found: dict[str, Any] = {}
    for i, key in enumerate(wanted.sparse):
        found[key] = SparseTensor(outputs[i], outputs[count + i], outputs[2 * count + i])
    for i, key in enumerate(wanted.dense):
        found[key] = outputs[3 * count + i]
    return found


def _with_sparse_features(features: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The features that were asked for, with places and values put together."""
    from tensorfleet._ops.sparse_ops import sparse_merge

    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            places = [found[index_key] for index_key in _index_keys(feature)]
            sizes = [feature.size] if isinstance(feature.index_key, str) else list(feature.size)
            found[key] = sparse_merge(places, found[feature.value_key], sizes, already_sorted=feature.already_sorted)
    return {key: found[key] for key in found if key in features}


def parse_single_example(
    serialized: Any, features: dict[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of one record, a tensor or sparse tensor for each name."""
    if not features:
        raise ValueError("`features` names no feature: there is nothing to parse")
    with op_scope(name, "ParseSingleExample", [serialized]):
        serialized = _scalar(convert_to_tensor(serialized, dtype=dtypes.string, name="serialized"))
        return parse_example(serialized, features, name, example_names)


def _scalar(serialized: Tensor) -> Tensor:
    """A string that is checked, when a step runs, to be one, if that is not known."""
    from tensorfleet._ops.group_ops import Assert, with_dependencies
    from tensorfleet._ops.shape_ops import rank

    if serialized.shape.ndims is None:
        checked = Assert(one("Equal", rank(serialized), 0), ["Input serialized must be a scalar"], name="SerializedIsScalar")
        return with_dependencies([checked], serialized, name="serializedDependencies")
    if serialized.shape.ndims != 0:
        raise ValueError(
            f"one record is a scalar string, not a tensor of shape {serialized.shape}; tf.parse_example takes several"
        )
    return serialized


def parse_single_sequence_example(
    serialized: Any, context_features: dict[str, Any] | None = None, sequence_features: dict[str, Any] | None = None,
    example_name: Any = None, name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one record of sequences: those of the whole, and those of its parts."""
    if not context_features and not sequence_features:
        raise ValueError("Missing features: neither context_features nor sequence_features are given")
    context = _Wanted(context_features or {}, (VarLenFeature, FixedLenFeature))
    sequence = _Wanted(sequence_features or {}, (VarLenFeature, FixedLenSequenceFeature))
    with op_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        serialized = convert_to_tensor(serialized, dtype=dtypes.string, name="serialized")
        missing_allowed = [key for key, feature in sequence.dense.items() if feature.allow_missing]
        outputs = many(
            "ParseSingleSequenceExample", serialized, _strings(missing_allowed), list(context.sparse), list(context.dense),
            list(sequence.sparse), list(sequence.dense), context.defaults(), "" if example_name is None else example_name,
            Ncontext_sparse=len(context.sparse), Ncontext_dense=len(context.dense), Nfeature_list_sparse=len(sequence.sparse),
            Nfeature_list_dense=len(sequence.dense), context_sparse_types=list(context.sparse.values()),
            Tcontext_dense=context.types(), feature_list_dense_types=sequence.types(), context_dense_shapes=context.shapes(),
            feature_list_sparse_types=list(sequence.sparse.values()),
            feature_list_dense_shapes=[as_shape(feature.shape) for feature in sequence.dense.values()],
        )
    split = 3 * len(context.sparse) + len(context.dense)
    return _named(context, outputs[:split]), _named(sequence, outputs[split:])
