"""What elements of datasets are made of: tensors, nested in tuples and dicts. Lists are no structures here: they become tensors."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import IndexedSlices, SparseTensor, convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape, as_shape


class TensorSpec:
    """The type and the shape of a tensor.

    >>> TensorSpec([None, 2], "float32")
    TensorSpec(shape=(?, 2), dtype=tf.float32)
    """

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = as_shape(shape), dtypes.as_dtype(dtype).base_dtype, name

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """A name, if there is one."""
        return self._name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return self._dtype == other._dtype and str(self._shape) == str(other._shape)

    def __hash__(self) -> int:
        return hash((self._dtype, str(self._shape)))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r})"


class DatasetSpec(TensorSpec):
    """A dataset as a part of an element of another, as windows are."""

    def __init__(self, element_spec: Any) -> None:
        super().__init__(TensorShape([]), dtypes.variant)
        self.element_spec = element_spec

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r})"


def is_structure(value: Any) -> bool:
    """Whether a value is a structure of others."""
    return isinstance(value, (tuple, dict))


def flatten(value: Any) -> list[Any]:
    """The leaves of a structure; those of a dict in the order of its sorted keys.

    >>> flatten(({"b": 1, "a": [2, 3]}, 4))
    [[2, 3], 1, 4]
    """
    return list(_leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key])
    elif isinstance(value, tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def pack(structure: Any, leaves: Any) -> Any:
    """Leaves put together as a structure is."""
    rest = iter(leaves)

    def build(part: Any) -> Any:
        if isinstance(part, dict):
            built = {key: build(part[key]) for key in sorted(part)}
            return type(part)((key, built[key]) for key in part)
        if isinstance(part, tuple):
            items = [build(item) for item in part]
            return type(part)(*items) if hasattr(part, "_fields") else tuple(items)
        return next(rest)

    return build(structure)


def map_leaves(function: Callable[..., Any], structure: Any, *others: Any) -> Any:
    """A structure of what a function gives for the leaves."""
    flat = [flatten(structure), *[flatten(other) for other in others]]
    if any(len(leaves) != len(flat[0]) for leaves in flat):
        raise ValueError(f"structures with unequal numbers of leaves: {[structure, *others]!r}")
    return pack(structure, [function(*leaves) for leaves in zip(*flat)])


def spec_of(tensors: Any) -> Any:
    """The specs of a structure of tensors and datasets."""

    def one(value: Any) -> TensorSpec:
        if hasattr(value, "_variant_tensor"):
            return DatasetSpec(value._spec)
        return TensorSpec(value.shape, value.dtype)

    return map_leaves(one, tensors)


def to_tensors(element: Any, name: str = "component_{}") -> Any:
    """A structure whose leaves are tensors or datasets."""
    index = -1

    def one(value: Any) -> Any:
        nonlocal index
        index += 1
        if hasattr(value, "_variant_tensor"):
            return value
        if isinstance(value, (SparseTensor, IndexedSlices)) or type(value).__name__ == "SparseTensorValue":
            raise TypeError(
                f"An element of a dataset holds a {type(value).__name__}: elements are dense tensors here; "
                "tf.sparse_tensor_to_dense makes one of it within the function that gives it"
            )
        if value is None:
            raise TypeError("An element of a dataset cannot hold None")
        return convert_to_tensor(value, name=name.format(index))

    return map_leaves(one, element)


def normalized(element: Any) -> Any:
    """A structure of tensors of Python values, arrays and tensors, with TensorFlow's names."""
    with get_default_graph().name_scope("normalize_element"):
        return to_tensors(element)


def variants(element: Any) -> list[Tensor]:
    """The tensors of an element; that of a dataset is its handle."""
    return [value._variant_tensor if hasattr(value, "_variant_tensor") else value for value in flatten(element)]


def types_and_shapes(spec: Any) -> dict[str, Any]:
    """The attributes by which operations know what elements are."""
    leaves = flatten(spec)
    return {"output_types": [leaf.dtype for leaf in leaves], "output_shapes": [leaf.shape for leaf in leaves]}


def relaxed(one: TensorShape, other: TensorShape) -> TensorShape:
    """What is certain of a shape that is one of two."""
    if one.ndims is None or other.ndims is None or one.ndims != other.ndims:
        return TensorShape(None)
    return TensorShape([a if a == b else None for a, b in zip(one.as_list(), other.as_list())])
