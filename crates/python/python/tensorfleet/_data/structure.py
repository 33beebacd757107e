"""What elements of datasets are made of: tensors, also sparse ones, nested in tuples and dicts. Lists are no structures here: they become tensors."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import IndexedSlices, SparseTensor, constant, convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.sparse_value import SparseTensorValue
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

    @property
    def value_class(self) -> type:
        """The class of what user code sees."""
        return Tensor

    @property
    def carried(self) -> tuple[DType, TensorShape]:
        """The type and the shape of the tensor that operations hand on for it."""
        return self._dtype, self._shape

    def of_shape(self, shape: TensorShape) -> TensorSpec:
        """The same with another shape."""
        return TensorSpec(shape, self._dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return self._dtype == other._dtype and str(self._shape) == str(other._shape)

    def __hash__(self) -> int:
        return hash((self._dtype, str(self._shape)))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r})"


class SparseTensorSpec(TensorSpec):
    """The type and the shape of a sparse tensor. It is handed on as a variant that holds its three parts.

    >>> SparseTensorSpec([None, 2], "float32")
    SparseTensorSpec(shape=(?, 2), dtype=tf.float32)
    """

    @property
    def value_class(self) -> type:
        """The class of what user code sees."""
        return SparseTensor

    @property
    def carried(self) -> tuple[DType, TensorShape]:
        """The type and the shape of the tensor that operations hand on for it."""
        return dtypes.variant, TensorShape(None)

    def of_shape(self, shape: TensorShape) -> TensorSpec:
        """The same with another shape."""
        return SparseTensorSpec(shape, self._dtype)

    def of_variant(self, tensor: Tensor) -> SparseTensor:
        """The sparse tensor that a variant holds."""
        indices, values, dense_shape = many("DeserializeSparse", tensor, dtype=self._dtype)
        rank = self._shape.ndims
        indices.set_shape([None, rank])
        dense_shape.set_shape([rank])
        # What is known of the shape is written down, for those who look at it.
        if self._shape.is_fully_defined():
            dense_shape = constant(self._shape.as_list(), dtypes.int64, name="shape")
        elif rank is not None and any(dim is not None for dim in self._shape.as_list()):
            dims = many("Unpack", dense_shape, num=rank, name="unstack")
            known = [dims[i] if dim is None else constant(dim, dtypes.int64) for i, dim in enumerate(self._shape.as_list())]
            dense_shape = one("Pack", known, name="stack")
        return SparseTensor(indices, values, dense_shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparseTensorSpec) and super().__eq__(other)

    __hash__ = TensorSpec.__hash__

    def __repr__(self) -> str:
        return f"Sparse{super().__repr__()}"


class DatasetSpec(TensorSpec):
    """A dataset as a part of an element of another, as windows are."""

    def __init__(self, element_spec: Any) -> None:
        super().__init__(TensorShape([]), dtypes.variant)
        self.element_spec = element_spec

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r})"


class HasElements:
    """What datasets and iterators say of their elements."""

    _spec: Any

    @property
    def element_spec(self) -> Any:
        """What the elements are."""
        return self._spec

    @property
    def output_types(self) -> Any:
        """The types of the elements' components."""
        return map_leaves(lambda leaf: leaf.dtype, self._spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements' components."""
        return map_leaves(lambda leaf: leaf.shape, self._spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements' components."""
        return map_leaves(lambda leaf: leaf.value_class, self._spec)


def is_structure(value: Any) -> bool:
    """Whether a value is a structure of others."""
    return isinstance(value, (tuple, dict)) and not isinstance(value, SparseTensorValue)


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
    elif is_structure(value):
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
        if is_structure(part):
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

    def spec(value: Any) -> TensorSpec:
        if hasattr(value, "_variant_tensor"):
            return DatasetSpec(value._spec)
        return (SparseTensorSpec if isinstance(value, SparseTensor) else TensorSpec)(value.shape, value.dtype)

    return map_leaves(spec, tensors)


def to_tensors(element: Any, name: str = "component_{}") -> Any:
    """A structure whose leaves are tensors or datasets."""
    index = -1

    def tensor(value: Any) -> Any:
        nonlocal index
        index += 1
        if hasattr(value, "_variant_tensor") or isinstance(value, SparseTensor):
            return value
        if isinstance(value, SparseTensorValue):
            return SparseTensor(*value)
        if isinstance(value, IndexedSlices):
            raise TypeError("An element of a dataset holds IndexedSlices: tf.convert_to_tensor makes a tensor of them")
        if value is None:
            raise TypeError("An element of a dataset cannot hold None")
        return convert_to_tensor(value, name=name.format(index))

    return map_leaves(tensor, element)


def normalized(element: Any) -> Any:
    """A structure of tensors of Python values, arrays and tensors, with TensorFlow's names."""
    with get_default_graph().name_scope("normalize_element"):
        return to_tensors(element)


def variants(element: Any, sliced: bool = False) -> list[Tensor]:
    """The tensors of an element; that of a dataset is its handle, and of a sparse tensor a variant, or one for each of its rows."""
    op = "SerializeManySparse" if sliced else "SerializeSparse"

    def carried(value: Any) -> Tensor:
        if isinstance(value, SparseTensor):
            return one(op, value.indices, value.values, value.dense_shape, out_type=dtypes.variant)
        return value._variant_tensor if hasattr(value, "_variant_tensor") else value

    return [carried(value) for value in flatten(element)]


def dense_only(spec: Any, what: str) -> None:
    """Refuses elements with sparse tensors, for what is not defined for them."""
    if any(isinstance(leaf, SparseTensorSpec) for leaf in flatten(spec)):
        raise TypeError(f"{what} is not offered for elements with sparse tensors: tf.sparse_tensor_to_dense makes them dense")


def types_and_shapes(spec: Any) -> dict[str, Any]:
    """The attributes by which operations know what elements are."""
    carried = [leaf.carried for leaf in flatten(spec)]
    return {"output_types": [dtype for dtype, _ in carried], "output_shapes": [shape for _, shape in carried]}


def relaxed(first: TensorShape, other: TensorShape) -> TensorShape:
    """What is certain of a shape that is one of two."""
    if first.ndims is None or other.ndims is None or first.ndims != other.ndims:
        return TensorShape(None)
    return TensorShape([a if a == b else None for a, b in zip(first.as_list(), other.as_list())])
