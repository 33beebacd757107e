"""Datasets: sequences of elements that a pipeline of operations makes."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._data import folds, generators, iterators, sources, structure, transforms
from tensorfleet._data.sources import int64
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph


class Dataset(structure.HasElements):
    """A sequence of elements, each a structure of tensors. Methods make new datasets of it; an iterator gives the elements.

    >>> import tensorfleet.v1 as tf
    >>> pairs = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> element = pairs.make_one_shot_iterator().get_next()
    >>> with tf.Session() as sess:
    ...     [sess.run(element).tolist() for _ in range(3)]
    [[0, 1], [4, 9], [16]]
    """

    def __init__(self, variant_tensor: Tensor, spec: Any) -> None:
        self._variant_tensor, self._spec = variant_tensor, spec

    @staticmethod
    def _of(made: tuple[Tensor, Any]) -> Dataset:
        return Dataset(*made)

    # Sources

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of one element."""
        return Dataset(*sources.from_tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of the slices of tensors along their first dimension."""
        return Dataset(*sources.from_tensor_slices(tensors))

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """A dataset of the rows of a sparse tensor, which are sparse tensors too."""
        return Dataset(*sources.from_tensor_slices(sparse_tensor))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: str | None = None,
    ) -> Dataset:
        """A dataset of what a generator gives. It runs in the process that builds the graph, so sessions on other machines cannot
        have it."""
        return generators.from_generator(generator, output_types, output_shapes, args, output_signature)

    @staticmethod
    def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Dataset:
        """A dataset of numbers, as Python's range has them."""
        return Dataset(*sources.range_of(*args, output_type=output_type))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """A dataset whose elements are put together of those of several datasets; the shortest ends it."""
        if datasets is None:
            if not args:
                raise TypeError("zip was given no dataset")
            datasets = args[0] if len(args) == 1 else tuple(args)
        if isinstance(datasets, list):
            raise TypeError("The argument to `Dataset.zip()` must be a (nested) structure of datasets: a tuple, not a list")
        return Dataset(*transforms.zipped(datasets))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: bool | None = None, seed: int | None = None, name: str | None = None) -> Dataset:
        """A dataset of the names of the files that match a pattern, in random order unless `shuffle` is false."""
        with get_default_graph().name_scope("list_files"):
            found = sources.list_files(file_pattern)
            spec = structure.TensorSpec([], dtypes.string)
            dataset = Dataset(one("TensorSliceDataset", [found], output_shapes=[spec.shape], is_files=True), spec)
            if shuffle is False:
                return dataset
            count = one("Shape", found, out_type=dtypes.int64)[0]  # type: ignore[index]
            return dataset.shuffle(one("Maximum", count, 1), seed=seed)

    # Elements

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """What a function makes of each element. A tuple comes to it as several arguments, a dict as one."""
        return Dataset(*transforms.map_elements(self, map_func, num_parallel_calls, deterministic))

    def map_with_legacy_function(self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
                                 deterministic: bool | None = None) -> Dataset:
        """As :meth:`map`."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that a function makes of each element, one after the other."""
        return Dataset(*transforms.flat_map(self, map_func))

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:
        """The elements of the datasets that a function makes of each element: `block_length` of each of `cycle_length` in turns."""
        return Dataset(*transforms.interleave(self, map_func, cycle_length, block_length, num_parallel_calls, deterministic))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which a function gives true."""
        return Dataset(*transforms.filter_elements(self, predicate))

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Dataset:
        """As :meth:`filter`."""
        return self.filter(predicate)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first for which a function gives false."""
        return Dataset(*transforms.take_while(self, predicate))

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """What a function gives that takes a state and an element and returns the next state and a new element."""
        return Dataset(*folds.scan(self, initial_state, scan_func))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The state, as tensors, after a function has taken it and each element in turn."""
        return folds.reduce(self, initial_state, reduce_func, name)

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
        window_size_func: Any = None, name: str | None = None,
    ) -> Dataset:
        """The elements of what `reduce_func` makes of each key and a dataset of elements with that key."""
        return Dataset(*folds.group_by_window(self, key_func, reduce_func, window_size, window_size_func))

    def unique(self, name: str | None = None) -> Dataset:
        """Each element once."""
        return Dataset(*transforms.simple("UniqueDataset", self))

    # Batches

    def batch(
        self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None, deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements put together, `batch_size` at a time; the last batch may be smaller unless `drop_remainder` is true."""
        return Dataset(*transforms.batch(self, batch_size, drop_remainder, num_parallel_calls, deterministic))

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Elements put together after they are padded to shapes; an unknown dimension is as large as the largest of the batch."""
        return Dataset(*transforms.padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The slices of each element along the first dimension."""
        return Dataset(*transforms.unbatch(self))

    def window(self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None) -> Dataset:
        """Datasets of `size` elements each."""
        return Dataset(*transforms.window(self, size, shift, stride, drop_remainder))

    # Order and number

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """The elements in random order, each drawn from a buffer of `buffer_size`."""
        return Dataset(*transforms.shuffle(self, buffer_size, seed, reshuffle_each_iteration))

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements several times; without end if `count` is None or -1."""
        return Dataset(*transforms.simple("RepeatDataset", self, int64(-1 if count is None else count, "count")))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first elements."""
        return Dataset(*transforms.simple("TakeDataset", self, int64(count, "count")))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All but the first elements."""
        return Dataset(*transforms.simple("SkipDataset", self, int64(count, "count")))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every `num_shards`th element, beginning with number `index`."""
        if isinstance(num_shards, int) and num_shards < 1:
            raise ValueError(f"num_shards must be >= 1; got: {num_shards}")
        if isinstance(index, int) and (index < 0 or isinstance(num_shards, int) and index >= num_shards):
            raise ValueError(f"index must be between 0 and num_shards ({num_shards}); got: {index}")
        return Dataset(*transforms.simple("ShardDataset", self, int64(num_shards, "num_shards"), int64(index, "index")))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """This dataset's elements, followed by those of another."""
        return Dataset(*transforms.concatenate(self, dataset))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number and an element."""
        numbers = Dataset.range(start, 2**63 - 1)
        numbers = Dataset(*transforms.simple("RewriteDataset", numbers, "replicate_on_split"))
        return Dataset.zip((numbers, self))

    # How it is run

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """The same elements, kept in memory or in a file when they have been made once."""
        file = convert_to_tensor(filename, dtype=dtypes.string, name="filename")
        return Dataset(*transforms.simple("CacheDataset", self, file))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements, up to `buffer_size` of them made before they are asked for."""
        return Dataset(*transforms.prefetch(self, buffer_size))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that can be made without an error."""
        return Dataset(*transforms.simple("IgnoreErrorsDataset", self, log_warning=log_warning))

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of the dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"transformation_func returned {type(dataset).__name__}, where a tf.data.Dataset is needed")
        return dataset

    def with_options(self, options: Any, name: str | None = None) -> Dataset:
        """The same dataset: options of TensorFlow's optimizer change nothing here."""
        return self

    # Its elements

    def make_one_shot_iterator(self) -> iterators.Iterator:
        """An iterator that begins by itself when it is first used."""
        return iterators.one_shot(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> iterators.Iterator:
        """An iterator that begins when its initializer is run."""
        return iterators.initializable(self, shared_name)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element, as tensors; a step fails if there is not exactly one."""
        flat = many("DatasetToSingleElement", self._variant_tensor, name=name, **structure.types_and_shapes(self._spec))
        return structure.pack(self._spec, flat)

    def __iter__(self) -> Any:
        raise RuntimeError("A Dataset is not iterable while a graph is built: make an iterator and run its get_next() in a session")

    def __repr__(self) -> str:
        return f"<Dataset {self._variant_tensor.op.name!r} shapes: {self.output_shapes}, types: {self.output_types}>"
