"""Datasets that are made of others. Each function takes a dataset and gives the handle and the specs of a new one."""

from __future__ import annotations

from typing import Any

from tensorfleet._data import structure
from tensorfleet._data.functions import ElementFunction
from tensorfleet._data.sources import int64, shuffle_seeds, sliced
from tensorfleet._data.structure import TensorSpec
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant_value, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape, as_shape

AUTOTUNE = -1
Made = tuple[Tensor, Any]


def simple(op: str, dataset: Any, *inputs: Any, spec: Any = None, **attrs: Any) -> Made:
    """A dataset of an op whose first input is another dataset; its elements are alike unless specs are given."""
    spec = dataset._spec if spec is None else spec
    return one(op, dataset._variant_tensor, *inputs, **structure.types_and_shapes(spec), **attrs), spec


def order(deterministic: bool | None) -> str:
    """The attribute that says whether elements come in order."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def map_elements(dataset: Any, function: Any, num_parallel_calls: Any, deterministic: bool | None) -> Made:
    """What a function makes of each element."""
    f = ElementFunction("map", function, dataset._spec)
    attrs = {"f": f.name, "Targuments": f.capture_types, "spec": f.spec}
    if num_parallel_calls is None:
        return simple("MapDataset", dataset, f.captures, **attrs)
    calls = int64(num_parallel_calls, "num_parallel_calls")
    return simple("ParallelMapDatasetV2", dataset, f.captures, calls, deterministic=order(deterministic), **attrs)


def filter_elements(dataset: Any, predicate: Any) -> Made:
    """The elements for which a function gives true."""
    f = _predicate("filter", dataset, predicate)
    return simple("FilterDataset", dataset, f.captures, predicate=f.name, Targuments=f.capture_types)


def take_while(dataset: Any, predicate: Any) -> Made:
    """The elements before the first for which a function gives false."""
    f = _predicate("take_while", dataset, predicate)
    return simple("TakeWhileDataset", dataset, f.captures, predicate=f.name, Targuments=f.capture_types)


def _predicate(what: str, dataset: Any, predicate: Any) -> ElementFunction:
    f = ElementFunction(what, predicate, dataset._spec)
    if not (isinstance(f.spec, TensorSpec) and f.spec.dtype == dtypes.bool and f.spec.shape.is_compatible_with([])):
        raise ValueError(f"The function given to {what} must return a scalar tf.bool tensor, but it returned {f.result!r}")
    return f


def flat_map(dataset: Any, function: Any) -> Made:
    """The elements of the datasets that a function makes of each element, one after the other."""
    f = ElementFunction("flat_map", function, dataset._spec)
    spec = f.element_spec_of_dataset("flat_map")
    return simple("FlatMapDataset", dataset, f.captures, f=f.name, Targuments=f.capture_types, spec=spec)


def interleave(dataset: Any, function: Any, cycle: Any, block: Any, calls: Any, deterministic: bool | None) -> Made:
    """The elements of the datasets that a function makes of each element, of several in turns."""
    f = ElementFunction("interleave", function, dataset._spec)
    attrs = {"f": f.name, "Targuments": f.capture_types, "spec": f.element_spec_of_dataset("interleave")}
    cycle, block = AUTOTUNE if cycle is None else cycle, 1 if block is None else block
    lengths = [int64(cycle, "cycle_length"), int64(block, "block_length")]
    if calls is None:
        return simple("InterleaveDataset", dataset, f.captures, *lengths, **attrs)
    ahead = [int64(AUTOTUNE, "buffer_output_elements"), int64(AUTOTUNE, "prefetch_input_elements")]
    calls = int64(calls, "num_parallel_calls")
    attrs["deterministic"] = order(deterministic)
    return simple("ParallelInterleaveDatasetV4", dataset, f.captures, *lengths, *ahead, calls, **attrs)


def batched(spec: Any, size: Tensor, drop_remainder: Tensor) -> Any:
    """The specs of batches; their size is known if none is smaller."""
    known = constant_value(size) if constant_value(drop_remainder) else None
    first = None if known is None else int(known)

    def one_leaf(leaf: Any) -> Any:
        if isinstance(leaf, structure.DatasetSpec):
            raise TypeError("Datasets that are elements of a dataset cannot be put into batches: use flat_map first")
        return leaf.of_shape(TensorShape([first]).concatenate(leaf.shape))

    return structure.map_leaves(one_leaf, spec)


def batch(dataset: Any, batch_size: Any, drop_remainder: Any, calls: Any, deterministic: bool | None) -> Made:
    """Several elements as one."""
    size = int64(batch_size, "batch_size")
    if calls is not None:
        calls = int64(calls, "num_parallel_calls")
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    spec = batched(dataset._spec, size, drop)
    if calls is None:
        return simple("BatchDatasetV2", dataset, size, drop, spec=spec)
    return simple("ParallelBatchDataset", dataset, size, calls, drop, spec=spec, deterministic=order(deterministic))


def map_and_batch(dataset: Any, function: Any, batch_size: Any, calls: Any, drop_remainder: Any) -> Made:
    """What a function makes of each element, several as one."""
    f = ElementFunction("map_and_batch", function, dataset._spec)
    size, calls = int64(batch_size, "batch_size"), int64(calls, "num_parallel_calls")
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    spec = batched(f.spec, size, drop)
    return simple("MapAndBatchDataset", dataset, f.captures, size, calls, drop, f=f.name, Targuments=f.capture_types, spec=spec,
                  preserve_cardinality=True)


def padded_batch(dataset: Any, batch_size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: Any) -> Made:
    """Several elements as one, each padded to a shape, or to the largest of the batch where that is not known."""
    specs = structure.flatten(dataset._spec)
    structure.dense_only(dataset._spec, "padded_batch")
    if padded_shapes is None:
        shapes: list[Any] = [leaf.shape for leaf in specs]
        if any(shape.ndims is None for shape in shapes):
            raise ValueError(f"padded_batch needs padded_shapes: the ranks of {dataset!r} are not all known")
    else:
        shapes = _leaves_like(dataset._spec, padded_shapes)
    given = [None] * len(specs) if padding_values is None else _leaves_like(dataset._spec, padding_values)
    size = int64(batch_size, "batch_size")
    dims = [_padded_dims(shape, leaf) for shape, leaf in zip(shapes, specs)]
    values = []
    for value, leaf in zip(given, specs):
        if value is None:
            value = "" if leaf.dtype == dtypes.string else False if leaf.dtype == dtypes.bool else 0
        values.append(convert_to_tensor(value, dtype=leaf.dtype, name="padding_value"))
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    padded = [TensorSpec(_known_shape(dim), leaf.dtype) for dim, leaf in zip(dims, specs)]
    spec = batched(structure.pack(dataset._spec, padded), size, drop)
    attrs = structure.types_and_shapes(spec)
    handle = one("PaddedBatchDatasetV2", dataset._variant_tensor, size, dims, values, drop, output_shapes=attrs["output_shapes"])
    return handle, spec


def _leaves_like(spec: Any, values: Any) -> list[Any]:
    """Values that stand where the leaves of specs do; there a list or a tuple is a value."""
    if isinstance(spec, dict):
        return [leaf for key in sorted(spec) for leaf in _leaves_like(spec[key], values[key])]
    if isinstance(spec, tuple):
        if not isinstance(values, (tuple, list)) or len(values) != len(spec):
            raise ValueError(f"{values!r} does not have the structure of the elements, which is {spec!r}")
        return [leaf for a, b in zip(spec, values) for leaf in _leaves_like(a, b)]
    return [values]


def _padded_dims(shape: Any, leaf: TensorSpec) -> Tensor:
    if isinstance(shape, Tensor):
        return shape
    shape = as_shape(shape)
    if leaf.shape.ndims is not None and shape.ndims != leaf.shape.ndims:
        raise ValueError(f"elements of shape {leaf.shape} cannot be padded to {shape}")
    for wanted, have in zip(shape.as_list(), leaf.shape.as_list() if leaf.shape.ndims is not None else []):
        if wanted is not None and have is not None and wanted < have:
            raise ValueError(f"The padded shape {shape} is smaller than the input component's shape {leaf.shape}.")
    return int64([-1 if dim is None else dim for dim in shape.as_list()], "Const")


def _known_shape(dims: Tensor) -> TensorShape:
    value = constant_value(dims)
    if value is None:
        return TensorShape([None] * (dims.shape.as_list()[0] or 0)) if dims.shape.ndims else TensorShape(None)
    return TensorShape([None if dim < 0 else int(dim) for dim in value])


def unbatch(dataset: Any) -> Made:
    """The slices of each element, one after the other."""

    def normalize(*args: Any) -> Any:
        return args[0] if len(args) == 1 else args

    whole = type(dataset)._of(map_elements(dataset, normalize, None, None))
    structure.dense_only(dataset._spec, "unbatch")
    spec = structure.map_leaves(lambda leaf: TensorSpec(sliced(leaf.shape), leaf.dtype), dataset._spec)
    return simple("UnbatchDataset", whole, spec=spec)


def shuffle(dataset: Any, buffer_size: Any, seed: Any, reshuffle: bool | None) -> Made:
    """Elements in random order, drawn from a buffer of some size."""
    size = int64(buffer_size, "buffer_size")
    return simple("ShuffleDataset", dataset, size, *shuffle_seeds(seed), reshuffle_each_iteration=reshuffle is not False)


def shuffle_and_repeat(dataset: Any, buffer_size: Any, count: Any, seed: Any) -> Made:
    """Elements in random order, several times, with no border between the times."""
    size = int64(buffer_size, "buffer_size")
    times = int64(-1 if count is None else count, "count")
    return simple("ShuffleAndRepeatDataset", dataset, size, *shuffle_seeds(seed), times)


def prefetch(dataset: Any, buffer_size: Any) -> Made:
    """The same elements, some of them made before they are asked for."""
    size = int64(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size")
    variant = dataset._variant_tensor
    with variant.graph.colocate_with(variant.op):
        return simple("PrefetchDataset", dataset, size, slack_period=0, legacy_autotune=False)


def concatenate(dataset: Any, other: Any) -> Made:
    """The elements of one dataset and then those of another."""
    ours, theirs = structure.flatten(dataset._spec), structure.flatten(other._spec)
    if [leaf.dtype for leaf in ours] != [leaf.dtype for leaf in theirs]:
        raise TypeError(
            f"concatenate joins datasets of one type, not {dataset.output_types!r} and {other.output_types!r}"
        )
    leaves = [a.of_shape(structure.relaxed(a.shape, b.shape)) for a, b in zip(ours, theirs)]
    return simple("ConcatenateDataset", dataset, other._variant_tensor, spec=structure.pack(dataset._spec, leaves))


def zipped(datasets: Any) -> Made:
    """Elements put together of the elements of several datasets."""
    flat = structure.flatten(datasets)
    for dataset in flat:
        if not hasattr(dataset, "_variant_tensor"):
            raise TypeError(f"The argument to `Dataset.zip()` must be a (nested) structure of datasets: {dataset!r} is none")
    spec = structure.map_leaves(lambda dataset: dataset._spec, datasets)
    return one("ZipDataset", [dataset._variant_tensor for dataset in flat], **structure.types_and_shapes(spec)), spec


def window(dataset: Any, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> Made:
    """Datasets of several elements each."""
    numbers = [int64(size, "size"), int64(size if shift is None else shift, "shift"), int64(stride, "stride")]
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    spec = structure.map_leaves(lambda leaf: structure.DatasetSpec(leaf), dataset._spec)
    return simple("WindowDataset", dataset, *numbers, drop, spec=spec)
