"""Datasets that are not made of others: tensors, numbers, names of files."""

from __future__ import annotations

from typing import Any

from tensorfleet._data import structure
from tensorfleet._data.structure import TensorSpec
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph, graph_of
from tensorfleet._framework.tensor_shape import TensorShape


def int64(value: Any, name: str) -> Tensor:
    """A number of a pipeline as a tensor."""
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)


def from_tensors(tensors: Any) -> tuple[Tensor, Any]:
    """A dataset of one element."""
    element = structure.normalized(tensors)
    spec = structure.spec_of(element)
    attrs = structure.types_and_shapes(spec)
    return one("TensorDataset", structure.variants(element), output_shapes=attrs["output_shapes"]), spec


def from_tensor_slices(tensors: Any, is_files: bool = False) -> tuple[Tensor, Any]:
    """A dataset of the slices of tensors along their first dimensions, which must be equal."""
    element = structure.normalized(tensors)
    flat = structure.variants(element, sliced=True)
    if not flat:
        raise ValueError(f"Invalid `tensors`: {tensors!r} holds no tensor")
    for tensor in flat:
        if tensor.shape.ndims == 0:
            raise ValueError(f"{tensor.name} is a scalar: there is nothing to unbatch")
    sizes = {t.shape.as_list()[0] for t in flat if t.shape.ndims} - {None}
    if len(sizes) > 1:
        raise ValueError(f"Dimensions {' and '.join(map(str, sorted(sizes)))} are not compatible: all tensors need the same first "
                         f"dimension, but they have the shapes {[str(t.shape) for t in flat]}")
    spec = structure.map_leaves(lambda leaf: leaf.of_shape(sliced(leaf.shape)), structure.spec_of(element))
    shapes = structure.types_and_shapes(spec)["output_shapes"]
    return one("TensorSliceDataset", flat, output_shapes=shapes, is_files=is_files), spec


def sliced(shape: TensorShape) -> TensorShape:
    """A shape without its first dimension."""
    return TensorShape(None) if shape.ndims is None else TensorShape(shape.as_list()[1:])


def range_of(*args: Any, output_type: Any = dtypes.int64) -> tuple[Tensor, Any]:
    """A dataset of numbers, as Python's range has them."""
    if not 1 <= len(args) <= 3:
        raise ValueError(f"range takes one to three numbers, not {len(args)}")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    spec = TensorSpec(TensorShape([]), output_type)
    numbers = [int64(value, name) for value, name in ((start, "start"), (stop, "stop"), (step, "step"))]
    return one("RangeDataset", *numbers, **structure.types_and_shapes(spec)), spec


def list_files(file_pattern: Any) -> Tensor:
    """The names of the files that match a pattern; a step fails where there are none."""
    graph = graph_of([file_pattern])
    pattern = convert_to_tensor(file_pattern, dtype=dtypes.string, name="file_pattern")
    found = one("MatchingFiles", pattern)
    count = one("Shape", found)[0]  # type: ignore[index]
    some = one("Greater", count, 0, name="match_not_empty")
    with graph.name_scope("ReduceJoin"):
        dims = [] if pattern.shape.ndims == 0 else [0]
        axes = convert_to_tensor(dims, dtype=dtypes.int32, name="Const")
        joined = one("ReduceJoin", pattern, axes, separator=", ")
    message = one("Add", "No files matched pattern: ", joined, name="message")
    with graph.name_scope("assert_not_empty"):
        check = apply_op("Assert", some, [message], summarize=1)
    with graph.control_dependencies([check]):
        return one("Identity", found)


def shuffle_seeds(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of a shuffle: those of the graph and the operation; zeros if none is set."""
    graph = get_default_graph()
    if seed is None and graph.seed is None:
        return int64(0, "seed"), int64(0, "seed2")
    second: Any = seed
    if isinstance(seed, Tensor):
        first = graph._core.seeds(0)[0]
    else:
        first, second = graph._core.seeds(seed)
    one_seed = int64(first, "seed")
    with graph.name_scope("seed2") as scope:
        other = one("Cast", second, DstT=dtypes.int64) if isinstance(second, Tensor) and second.dtype != dtypes.int64 else second
        other = int64(other, "Const")
        both = one("LogicalAnd", one("Equal", one_seed, 0), one("Equal", other, 0))
        other = one("SelectV2", both, int64(2**31 - 1, "Const"), other, name=scope)
    return one_seed, other
