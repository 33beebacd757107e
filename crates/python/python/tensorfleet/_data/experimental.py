"""``tf.data.experimental``: functions for `Dataset.apply`, and a few datasets and iterators more."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._data import folds, readers, structure, transforms
from tensorfleet._data.buckets import bucket_by_sequence_length
from tensorfleet._data.csv import CsvDataset
from tensorfleet._data.dataset import Dataset
from tensorfleet._data.options import OptionGroup as OptimizationOptions
from tensorfleet._data.options import OptionGroup as ThreadingOptions
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2
Transformation = Callable[[Dataset], Dataset]

__all__ = [
    "AUTOTUNE", "Counter", "CsvDataset", "INFINITE_CARDINALITY", "OptimizationOptions", "ThreadingOptions", "UNKNOWN_CARDINALITY",
    "bucket_by_sequence_length", "choose_from_datasets", "enumerate_dataset", "get_single_element", "group_by_window", "ignore_errors",
    "map_and_batch", "parallel_interleave", "prefetch_to_device", "copy_to_device", "scan", "shuffle_and_repeat", "take_while",
    "unbatch", "unique",
]


def map_and_batch(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: int | None = None, drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """As `map` and then `batch`."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            f"give map_and_batch num_parallel_batches or num_parallel_calls, not both: {num_parallel_batches} and "
            f"{num_parallel_calls}"
        )
    if num_parallel_calls is None:
        num_parallel_calls = batch_size * (1 if num_parallel_batches is None else num_parallel_batches)
    return lambda dataset: Dataset(*transforms.map_and_batch(dataset, map_func, batch_size, num_parallel_calls, drop_remainder))


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """As `shuffle` and then `repeat`, with no border between the times."""
    return lambda dataset: Dataset(*transforms.shuffle_and_repeat(dataset, buffer_size, count, seed))


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, sloppy: bool | None = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Transformation:
    """As `interleave`, with several datasets read at once."""
    return lambda dataset: Dataset(*readers.parallel_interleave(dataset, map_func, cycle_length, block_length, bool(sloppy)))


def ignore_errors(log_warning: bool = False) -> Transformation:
    """The elements that can be made without an error."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def unbatch() -> Transformation:
    """As `Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """Each element once."""
    return lambda dataset: dataset.unique()


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements before the first for which a function gives false."""
    return lambda dataset: dataset.take_while(predicate)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """What a function gives that takes a state and an element and returns the next state and a new element."""
    return lambda dataset: Dataset(*folds.scan(dataset, initial_state, scan_func))


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a number and an element."""
    return lambda dataset: dataset.enumerate(start)


def group_by_window(
    key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None, window_size_func: Any = None
) -> Transformation:
    """The elements of what `reduce_func` makes of each key and a dataset of elements with that key."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """As `prefetch`: elements are in the memory of the process that reads them."""
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """The same dataset: elements are in the memory of the process that reads them."""
    return lambda dataset: dataset


def get_single_element(dataset: Dataset) -> Any:
    """The only element of a dataset, as tensors."""
    return dataset.get_single_element()


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:
    """A dataset of numbers without end."""
    return Dataset.range(start, 2**63 - 1 if step > 0 else -(2**63), step, output_type=dtype)


def choose_from_datasets(datasets: list[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False) -> Dataset:
    """Elements of several datasets: which one the next is of is what a dataset of numbers says."""
    if not datasets:
        raise ValueError("the list `datasets` is empty")
    spec = datasets[0]._spec
    for dataset in datasets[1:]:
        if [leaf.dtype for leaf in structure.flatten(dataset._spec)] != [leaf.dtype for leaf in structure.flatten(spec)]:
            raise TypeError(f"The datasets have different types: {datasets[0].output_types!r} and {dataset.output_types!r}")
        spec = structure.map_leaves(
            lambda a, b: a.of_shape(structure.relaxed(a.shape, b.shape)), spec, dataset._spec)
    handles = [dataset._variant_tensor for dataset in datasets]
    choices, _ = transforms.simple("RewriteDataset", choice_dataset, "replicate_on_split")
    made = one("DirectedInterleaveDataset", choices, handles, stop_on_empty_dataset=stop_on_empty_dataset,
               **structure.types_and_shapes(spec))
    return Dataset(made, spec)
