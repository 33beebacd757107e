"""Datasets of what Python generators give. The generators run in the process that built the graph, one step each time an element is
asked for."""

from __future__ import annotations

import itertools
import threading
from typing import Any, Callable, Iterator

import numpy as np

from tensorfleet._data import structure
from tensorfleet._data.iterators import _spec
from tensorfleet._framework import dtypes
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.values import to_array


class _Running:
    """The generators of one dataset that have begun, by their numbers."""

    def __init__(self, generator: Callable[..., Any], spec: Any) -> None:
        self._generator, self._spec, self._leaves = generator, spec, structure.flatten(spec)
        self._lock, self._numbers = threading.Lock(), itertools.count()
        self._running: dict[int, Iterator[Any]] = {}

    def begin(self, *args: Any) -> Any:
        """Begins a generator and gives its number."""
        begun = iter(self._generator(*args))
        with self._lock:
            number = next(self._numbers)
            self._running[number] = begun
        return np.int64(number)

    def following(self, number: Any) -> list[Any]:
        """Whether there is another element, and its components."""
        try:
            element = next(self._running[int(number)])
        except StopIteration:
            with self._lock:
                del self._running[int(number)]
            return [np.bool_(False), *[_nothing(leaf) for leaf in self._leaves]]
        return [np.bool_(True), *self._components(element)]

    def _components(self, element: Any) -> list[Any]:
        parts = _parts(self._spec, element)
        components = []
        for leaf, part in zip(self._leaves, parts):
            try:
                array, _ = to_array(part, leaf.dtype)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"the generator gave {part!r}, which does not turn into {leaf.dtype.name}: {error}") from None
            if not leaf.shape.is_compatible_with(array.shape):
                raise ValueError(
                    f"the generator gave an element of shape {array.shape}, but output_shapes says {leaf.shape}"
                )
            components.append(array)
        return components


def _nothing(leaf: Any) -> Any:
    return np.array([], dtype=object if leaf.dtype == dtypes.string else leaf.dtype.as_numpy_dtype)


def _parts(spec: Any, element: Any) -> list[Any]:
    """The parts of an element that stand where the leaves of specs do; there lists may stand for tuples."""
    if isinstance(spec, dict):
        if not isinstance(element, dict) or set(element) != set(spec):
            raise TypeError(f"`generator` yielded {element!r}, but elements are dicts with the keys {sorted(spec)}")
        return [part for key in sorted(spec) for part in _parts(spec[key], element[key])]
    if isinstance(spec, tuple):
        if not isinstance(element, (tuple, list)) or len(element) != len(spec):
            raise TypeError(f"`generator` yielded {element!r}, but elements have {len(spec)} components")
        return [part for one, other in zip(spec, element) for part in _parts(one, other)]
    return [element]


def from_generator(generator: Any, output_types: Any, output_shapes: Any, args: Any, output_signature: Any) -> Any:
    """A dataset of what a generator gives, which is begun anew each time the dataset is."""
    from tensorfleet._data.dataset import Dataset
    from tensorfleet._ops.script_ops import py_func

    if not callable(generator):
        raise TypeError(f"`generator` is {type(generator).__name__}; give a function without arguments")
    if (output_types is None) == (output_signature is None):
        raise TypeError("Either `output_types` or `output_signature` must be specified, and not both")
    spec = output_signature if output_signature is not None else _spec(output_types, output_shapes)
    leaves = structure.flatten(spec)
    running = _Running(generator, spec)
    given = tuple(args) if args is not None else ()

    def expand(*values: Tensor) -> Dataset:
        number = py_func(running.begin, list(values) if given else [], dtypes.int64)
        number.set_shape([])

        def following(_: Tensor) -> tuple[Tensor, ...]:
            flag, *components = py_func(running.following, [number], [dtypes.bool, *[leaf.dtype for leaf in leaves]])
            flag.set_shape([])
            for component, leaf in zip(components, leaves):
                component.set_shape(leaf.shape)
            return (flag, *components)

        elements = Dataset.range(2**63 - 1).map(following).take_while(lambda flag, *_: flag)
        return elements.map(lambda _, *components: structure.pack(spec, components))

    return Dataset.from_tensors(given if given else 0).flat_map(expand)
