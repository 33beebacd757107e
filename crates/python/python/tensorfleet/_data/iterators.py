"""Iterators: what gives a program the elements of a dataset, one each step."""

from __future__ import annotations

import itertools
from typing import Any

from tensorfleet._data import structure
from tensorfleet._framework import dtypes, errors
from tensorfleet._framework.apply import apply_op, definitions, many, one
from tensorfleet._framework.convert import SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Graph, Operation, Tensor
from tensorfleet._framework.tensor_shape import TensorShape, as_shape

_numbers = itertools.count()


class Iterator(structure.HasElements):
    """The place in a dataset. Steps that run what :meth:`get_next` gives move it on, and raise `OutOfRangeError` at the end."""

    def __init__(self, resource: Tensor, initializer: Operation | None, spec: Any) -> None:
        self._iterator_resource, self._initializer, self._spec = resource, initializer, spec
        self._string_handle = one("IteratorToStringHandle", resource)

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: Any = None
    ) -> Iterator:
        """An iterator for any dataset with elements of these types and shapes; :meth:`make_initializer` gives it one."""
        spec = _spec(output_types, output_shapes, output_classes)
        resource = one("IteratorV2", shared_name=shared_name or "", container="", **structure.types_and_shapes(spec))
        return Iterator(resource, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """The iterator whose handle is a string, such as one that is fed."""
        spec = _spec(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtype=dtypes.string)
        resource = one("IteratorFromStringHandleV2", handle, **structure.types_and_shapes(spec))
        return Iterator(resource, None, spec)

    @property
    def initializer(self) -> Operation:
        """The operation that begins the iteration; ValueError if the iterator has none."""
        if self._initializer is None:
            raise ValueError("this iterator has no initializer: it begins by itself, or make_initializer() gives one")
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """An operation that begins to iterate over a dataset.

        :raises TypeError: if its elements are of other types
        """
        mine, its = structure.flatten(self._spec), structure.flatten(dataset._spec)
        if [leaf.dtype for leaf in mine] != [leaf.dtype for leaf in its]:
            raise TypeError(f"the iterator gives types {self.output_types!r}, the dataset {dataset.output_types!r}")
        for a, b in zip(mine, its):
            if not a.shape.is_compatible_with(b.shape):
                raise TypeError(
                    f"the iterator gives shapes {self.output_shapes!r}, with which the dataset's "
                    f"{dataset.output_shapes!r} do not agree"
                )
        graph = self._iterator_resource.graph
        with graph.colocate_with(self._iterator_resource.op):
            return apply_op("MakeIterator", dataset._variant_tensor, self._iterator_resource, name=name or "make_initializer")

    def get_next(self, name: str | None = None) -> Any:
        """The next element: tensors, nested as the elements of the dataset are."""
        graph = self._iterator_resource.graph
        with graph.colocate_with(self._iterator_resource.op):
            flat = many("IteratorGetNext", self._iterator_resource, name=name, **structure.types_and_shapes(self._spec))
            from tensorfleet._data.functions import _wrap

            return structure.pack(self._spec, [_wrap(spec, t) for spec, t in zip(structure.flatten(self._spec), flat)])

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string by which :meth:`from_string_handle` finds the iterator."""
        if name is None:
            return self._string_handle
        return one("IteratorToStringHandle", self._iterator_resource, name=name)


def _spec(types: Any, shapes: Any, classes: Any = None) -> Any:
    if isinstance(types, list):
        types = tuple(types)
    types = structure.map_leaves(dtypes.as_dtype, types)
    flat = structure.flatten(types)
    given = [TensorShape(None)] * len(flat) if shapes is None else _shape_leaves(types, shapes)
    kinds = [Tensor] * len(flat) if classes is None else structure.flatten(classes)
    specs = [
        (structure.SparseTensorSpec if kind is SparseTensor else structure.TensorSpec)(shape, dtype)
        for kind, shape, dtype in zip(kinds, given, flat, strict=True)
    ]
    return structure.pack(types, specs)


def _shape_leaves(types: Any, shapes: Any) -> list[TensorShape]:
    """The shapes that stand where the types do; lists and tuples of numbers are shapes."""
    if isinstance(types, dict):
        return [leaf for key in sorted(types) for leaf in _shape_leaves(types[key], shapes[key])]
    if isinstance(types, tuple):
        if len(types) != len(shapes):
            raise ValueError(f"the types {types!r} and the shapes {shapes!r} are nested differently")
        return [leaf for a, b in zip(types, shapes) for leaf in _shape_leaves(a, b)]
    return [as_shape(shapes)]


def initializable(dataset: Any, shared_name: str | None) -> Iterator:
    """An iterator over a dataset that begins when its initializer is run."""
    variant = dataset._variant_tensor
    with variant.graph.colocate_with(variant.op):
        attrs = structure.types_and_shapes(dataset._spec)
        resource = one("IteratorV2", shared_name=shared_name or "", container="", **attrs)
        return Iterator(resource, apply_op("MakeIterator", variant, resource), dataset._spec)


def one_shot(dataset: Any) -> Iterator:
    """An iterator over a dataset that begins by itself when it is first used."""
    variant = dataset._variant_tensor
    factory = _factory(variant)
    with variant.graph.colocate_with(variant.op):
        resource = one("OneShotIterator", dataset_factory=factory, **structure.types_and_shapes(dataset._spec))
        return Iterator(resource, None, dataset._spec)


def _factory(variant: Tensor) -> str:
    """A function that makes a dataset again: what it is made of, copied."""
    graph = variant.graph
    needed: dict[int, Operation] = {}
    waiting = [variant.op]
    while waiting:
        op = waiting.pop()
        if op._id in needed:
            continue
        _check_copied(op)
        needed[op._id] = op
        waiting += [tensor.op for tensor in op.inputs] + op.control_inputs
    from tensorfleet._framework.messages import GraphDef

    body, message = Graph(), GraphDef()
    names = {b"loc:@" + op.name.encode() for op in needed.values()}
    for number in sorted(needed):
        node = needed[number].node_def
        if "_class" in node.attr and not set(node.attr["_class"].list.s) <= names:
            del node.attr["_class"]
        message.node.append(node)
    try:
        body._core.import_graph_def(message.SerializeToString())
        name = f"_make_dataset_{next(_numbers)}"
        graph._core.add_function(name, body._core, [], [body.get_tensor_by_name(variant.name)._place])
    except errors.OpError as error:
        raise ValueError(f"No one-shot iterator can be made of the dataset {variant.op.name!r}: {error.message}") from None
    return name


def _check_copied(op: Operation) -> None:
    """A one-shot iterator takes along what its dataset is made of, but not what programs feed or change."""
    definition = definitions().get(op.type)
    stateful = definition is not None and definition["stateful"] and "Dataset" not in op.type and op.type != "Assert"
    if op.type in ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault") or stateful:
        raise ValueError(
            f"Failed to create a one-shot iterator: the dataset depends on {op.name!r}, a {op.type}, whose value is not part of the "
            "dataset. Use `Dataset.make_initializable_iterator()` and run the iterator's initializer"
        )


def make_one_shot_iterator(dataset: Any) -> Iterator:
    """An iterator over a dataset that begins by itself when it is first used."""
    return one_shot(dataset)


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator over a dataset that begins when its initializer is run."""
    return initializable(dataset, shared_name)
