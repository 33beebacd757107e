"""Datasets and values that carry a state from element to element, and groups of elements by a key."""

from __future__ import annotations

from typing import Any

from tensorfleet._data import structure
from tensorfleet._data.functions import ElementFunction
from tensorfleet._data.structure import TensorSpec
from tensorfleet._data.transforms import Made, simple
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.graph import get_default_graph


def _weakened(state: Any, given: Any, what: str) -> Any:
    """The specs that hold for a state before and after a function; TypeError if there are none."""
    if len(structure.flatten(state)) != len(structure.flatten(given)):
        raise TypeError(f"The state of {what} has the structure {state!r}, but the function returned {given!r}")

    def one_leaf(a: TensorSpec, b: TensorSpec) -> TensorSpec:
        if a.dtype != b.dtype:
            raise TypeError(f"The state of {what} is of type {a.dtype!r}, but the function returned {b.dtype!r}")
        return a.of_shape(structure.relaxed(a.shape, b.shape))

    return structure.map_leaves(one_leaf, state, given)


def reduce(dataset: Any, initial_state: Any, function: Any, name: str | None) -> Any:
    """What a function of a state and an element makes of a state and all elements."""
    with get_default_graph().name_scope("initial_state"):
        state = structure.normalized(initial_state)
    spec = structure.spec_of(state)
    while True:
        f = ElementFunction("reduce", function, spec, dataset._spec)
        weaker = _weakened(spec, f.spec, "reduce")
        if weaker == spec:
            break
        spec = weaker
    attrs = {"f": f.name, "Tstate": [leaf.carried[0] for leaf in structure.flatten(spec)], "Targuments": f.capture_types}
    flat = many("ReduceDataset", dataset._variant_tensor, structure.variants(state), f.captures, name=name,
                **attrs, **structure.types_and_shapes(spec))
    return structure.pack(spec, flat)


def scan(dataset: Any, initial_state: Any, function: Any) -> Made:
    """What a function of a state and an element gives beside the next state."""
    state = structure.normalized(initial_state)
    spec = structure.spec_of(state)
    while True:
        f = ElementFunction("scan", function, spec, dataset._spec)
        if not (isinstance(f.spec, tuple) and len(f.spec) == 2):
            raise TypeError("The function given to scan must return a pair of the new state and an element")
        weaker = _weakened(spec, f.spec[0], "scan")
        if weaker == spec:
            break
        spec = weaker
    types = [leaf.carried[0] for leaf in structure.flatten(spec)]
    return simple("ScanDataset", dataset, structure.variants(state), f.captures, f=f.name, Tstate=types,
                  Targuments=f.capture_types, spec=f.spec[1], preserve_cardinality=True)


def group_by_window(dataset: Any, key_func: Any, reduce_func: Any, window_size: Any, window_size_func: Any) -> Made:
    """What a function makes of a key and a dataset of the elements that have it, for each window of such elements."""
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Exactly one of the `window_size` and `window_size_func` arguments must be set.")
    if window_size is not None:
        def window_size_func(key: Any) -> Any:
            return window_size

    def number(function: Any) -> Any:
        def as_int64(*args: Any) -> Any:
            result = function(*args)
            return one("Cast", result, DstT=dtypes.int64) if getattr(result, "dtype", dtypes.int64) != dtypes.int64 else \
                structure.convert_to_tensor(result, dtype=dtypes.int64)

        return as_int64

    key_spec = TensorSpec([], dtypes.int64)
    key = ElementFunction("group_by_window_key", number(key_func), dataset._spec)
    if not key.spec.shape.is_compatible_with([]):
        raise ValueError(f"key_func must return a single integer, but it returned {key.result!r}")
    reduced = ElementFunction("group_by_window", reduce_func, key_spec, structure.DatasetSpec(dataset._spec))
    size = ElementFunction("group_by_window_size", number(window_size_func), key_spec)
    return simple(
        "GroupByWindowDataset", dataset, key.captures, reduced.captures, size.captures, key_func=key.name,
        reduce_func=reduced.name, window_size_func=size.name, Tkey_func_other_arguments=key.capture_types,
        Treduce_func_other_arguments=reduced.capture_types, Twindow_size_func_other_arguments=size.capture_types,
        spec=reduced.element_spec_of_dataset("group_by_window"),
    )
