"""Lookup tables: from keys to values, held by the device while a session lasts."""

from __future__ import annotations

import uuid
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import apply_op, many, one
from tensorfleet._framework.convert import SparseTensor, constant, convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph
from tensorfleet._ops.op_scope import op_scope

__all__ = ["tables_initializer", "initialize_all_tables"]

_INITIALIZERS = "table_initializer"


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An operation that fills every table of the default graph."""
    from tensorfleet._ops.group_ops import group, no_op

    initializers = get_default_graph().get_collection(_INITIALIZERS)
    return group(*initializers, name=name) if initializers else no_op(name)


initialize_all_tables = tables_initializer


class KeyValueTensorInitializer:
    """What fills a table: keys and values that are tensors."""

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
        self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = name or "key_value_init"
        self.key_dtype, self.value_dtype = self._keys.dtype.base_dtype, self._values.dtype.base_dtype

    def shared_name(self) -> str:
        """A name of which there is no other."""
        return f"hash_table_{uuid.uuid4()}"

    def initialize(self, table: Any) -> Operation:
        """An operation that fills a table."""
        _check_types(table, self.key_dtype, self.value_dtype)
        with op_scope(self._name, "key_value_init", [table.resource_handle, self._keys, self._values]):
            filled = apply_op("LookupTableImportV2", table.resource_handle, self._keys, self._values)
        get_default_graph().add_to_collection(_INITIALIZERS, filled)
        return filled


class TextFileIndex:
    """What a key or value of a text file is: the whole line, or the line's number; other numbers are columns."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer:
    """What fills a table: the lines of a text file."""

    def __init__(
        self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int, vocab_size: int | None = None,
        delimiter: str = "\t", name: str | None = None, value_index_offset: int = 0,
    ) -> None:
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        if not isinstance(filename, Tensor) and not str(filename):
            raise ValueError("`filename` argument required for a table that is filled from a file")
        if key_index == TextFileIndex.LINE_NUMBER and self.key_dtype != dtypes.int64:
            raise ValueError(f"line numbers as keys are int64, not {self.key_dtype.name}")
        if value_index == TextFileIndex.LINE_NUMBER and self.value_dtype != dtypes.int64:
            raise ValueError(f"line numbers as values are int64, not {self.value_dtype.name}")
        self._filename, self._key_index, self._value_index = filename, key_index, value_index
        self._size, self._delimiter, self._offset = -1 if vocab_size is None else vocab_size, delimiter, value_index_offset
        self._name = name or "text_file_init"
        with get_default_graph().device("/cpu:*"):
            self._path = convert_to_tensor(filename, dtype=dtypes.string, name="asset_path")
        get_default_graph().add_to_collection("asset_filepaths", self._path)

    def shared_name(self) -> str:
        """A name that tables of the same file share."""
        if isinstance(self._filename, Tensor):
            return f"hash_table_{uuid.uuid4()}"
        parts = [self._filename] + ([self._size] if self._size != -1 else []) + [self._key_index, self._value_index]
        return "hash_table_" + "_".join(str(part) for part in parts)

    def initialize(self, table: Any) -> Operation:
        """An operation that fills a table."""
        _check_types(table, self.key_dtype, self.value_dtype)
        with op_scope(self._name, "text_file_init", [table.resource_handle]):
            filled = apply_op(
                "InitializeTableFromTextFileV2", table.resource_handle, self._path, key_index=self._key_index,
                value_index=self._value_index, vocab_size=self._size, delimiter=self._delimiter,
            )
        get_default_graph().add_to_collection(_INITIALIZERS, filled)
        return filled


class TextFileStringTableInitializer(TextFileInitializer):
    """What fills a table from line numbers to the words of a file."""

    def __init__(self, filename: Any, vocab_size: int | None = None, name: str = "text_file_string_table_init") -> None:
        super().__init__(
            filename, dtypes.int64, TextFileIndex.LINE_NUMBER, dtypes.string, TextFileIndex.WHOLE_LINE, vocab_size, name=name
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """What fills a table from the words of a file to their line numbers."""

    def __init__(
        self, filename: Any, vocab_size: int | None = None, name: str = "text_file_id_table_init",
        key_dtype: Any = dtypes.string
    ) -> None:
        super().__init__(
            filename, key_dtype, TextFileIndex.WHOLE_LINE, dtypes.int64, TextFileIndex.LINE_NUMBER, vocab_size, name=name
        )


def _check_types(table: Any, key: DType, value: DType) -> None:
    if table.key_dtype != key or table.value_dtype != value:
        raise TypeError(f"the table is from {table.key_dtype.name} to {table.value_dtype.name}, but what fills it is from "
                        f"{key.name} to {value.name}")


class _Table:
    """What all tables can do."""

    resource_handle: Tensor
    key_dtype: DType
    value_dtype: DType
    _name: str

    @property
    def name(self) -> str:
        """The table's name."""
        return self._name

    def _keys(self, keys: Any) -> Any:
        if keys.dtype.base_dtype != self.key_dtype:
            raise TypeError(
                f"the table's keys are {self.key_dtype.name}, not {keys.dtype.base_dtype.name} as {keys}"
            )
        return keys


class HashTable(_Table):
    """A table that is filled once.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    ...     sess.run(tf.tables_initializer())
    ...     sess.run(table.lookup(tf.constant(["b", "z"]))).tolist()
    [2, -1]
    """

    def __init__(self, initializer: Any, default_value: Any, shared_name: str | None = None, name: str | None = None) -> None:
        self.key_dtype, self.value_dtype = initializer.key_dtype, initializer.value_dtype
        self.default_value = convert_to_tensor(default_value, dtype=self.value_dtype)
        if self.default_value.shape.ndims not in (None, 0):
            raise ValueError(f"the default value of a table is a scalar, not of shape {self.default_value.shape}")
        self.resource_handle = one(
            "HashTableV2", name=name or "hash_table", key_dtype=self.key_dtype, value_dtype=self.value_dtype,
            shared_name=shared_name or initializer.shared_name(),
        )
        self._name = self.resource_handle.op.name.split("/")[-1]
        self._initializer = initializer.initialize(self)

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table."""
        return self._initializer

    init = initializer

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys; the default one where there is none."""
        sparse = keys if isinstance(keys, SparseTensor) else None
        tensor = self._keys(sparse.values if sparse is not None else convert_to_tensor(keys, dtype=self.key_dtype))
        with op_scope(name, f"{self._name}_Lookup", [self.resource_handle, tensor]):
            values = one("LookupTableFindV2", self.resource_handle, tensor, self.default_value)
        return values if sparse is None else SparseTensor(sparse.indices, values, sparse.dense_shape)

    __getitem__ = lookup

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are."""
        with op_scope(name, f"{self._name}_Size", [self.resource_handle]):
            return one("LookupTableSizeV2", self.resource_handle)


StaticHashTable = HashTable


class MutableHashTable(_Table):
    """A table that steps add to."""

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, shared_name: str | None = None,
        name: str = "MutableHashTable", checkpoint: bool = True,
    ) -> None:
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self.default_value = convert_to_tensor(default_value, dtype=self.value_dtype)
        attrs: dict[str, Any] = {"key_dtype": self.key_dtype, "value_dtype": self.value_dtype, "shared_name": shared_name or ""}
        attrs["use_node_name_sharing"] = shared_name is None
        if self.default_value.shape.ndims == 0:
            self.resource_handle = one("MutableHashTableV2", name=name, **attrs)
        else:
            self.resource_handle = one("MutableHashTableOfTensorsV2", name=name, value_shape=self.default_value.shape, **attrs)
        self._name = self.resource_handle.op.name.split("/")[-1]

    def _scope(self, name: str | None, word: str) -> Any:
        return op_scope(name, f"{self._name}_lookup_table_{word}", [self.resource_handle])

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys; the default one where there is none."""
        with self._scope(name, "find"):
            keys = self._keys(convert_to_tensor(keys, dtype=self.key_dtype, name="keys"))
            with get_default_graph().colocate_with(self.resource_handle):
                return one("LookupTableFindV2", self.resource_handle, keys, self.default_value)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """An operation that adds keys with their values, or changes the values of keys."""
        with self._scope(name, "insert"):
            keys = convert_to_tensor(keys, self.key_dtype, name="keys")
            values = convert_to_tensor(values, self.value_dtype, name="values")
            with get_default_graph().colocate_with(self.resource_handle):
                return apply_op("LookupTableInsertV2", self.resource_handle, keys, values)

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """An operation that takes keys away."""
        with self._scope(name, "remove"):
            keys = convert_to_tensor(keys, self.key_dtype, name="keys")
            return apply_op("LookupTableRemoveV2", self.resource_handle, keys)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values."""
        with self._scope(name, "export_values"):
            with get_default_graph().colocate_with(self.resource_handle):
                keys, values = many(
                    "LookupTableExportV2", self.resource_handle, Tkeys=self.key_dtype, Tvalues=self.value_dtype
                )
                return keys, values

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are."""
        with self._scope(name, "size"):
            with get_default_graph().colocate_with(self.resource_handle):
                return one("LookupTableSizeV2", self.resource_handle)


class IdTableWithHashBuckets(_Table):
    """A table of numbers of words, in which words that it does not have get the number of a bucket after the others."""

    def __init__(
        self, table: HashTable | None, num_oov_buckets: int, hasher_spec: Any = None, name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if num_oov_buckets < 1:
            raise ValueError(f"num_oov_buckets must be positive, not {num_oov_buckets}")
        self._table, self._buckets = table, num_oov_buckets
        self.key_dtype = table.key_dtype if table is not None else dtypes.as_dtype(key_dtype or dtypes.string)
        self.value_dtype = dtypes.int64
        self._name = (name or (f"{table.name}_bucket" if table is not None else "hash_bucket")).split("/")[-1]

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table."""
        from tensorfleet._ops.group_ops import no_op

        return self._table.initializer if self._table is not None else no_op()

    init = initializer

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are, buckets included."""
        with op_scope(name, f"{self._name}_Size", []):
            count = self._table.size() if self._table is not None else constant(0, dtypes.int64)
            return count + self._buckets  # type: ignore[operator]

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of words."""
        from tensorfleet._ops import arithmetic_ops, string_ops

        sparse = keys if isinstance(keys, SparseTensor) else None
        words = self._keys(sparse.values if sparse is not None else convert_to_tensor(keys, dtype=self.key_dtype))
        with op_scope(name, f"{self._name}_Lookup", [words]):
            text = words if words.dtype.base_dtype == dtypes.string else string_ops.as_string(words)
            found = string_ops.string_to_hash_bucket_fast(text, self._buckets, name="hash_bucket")
            if self._table is not None:
                known = arithmetic_ops.cast(self._table.lookup(words), dtypes.int64)
                found = found + self._table.size()  # type: ignore[operator]
                default = arithmetic_ops.cast(self._table.default_value, dtypes.int64)
                found = one("SelectV2", one("NotEqual", known, default), known, found)
        return found if sparse is None else SparseTensor(sparse.indices, found, sparse.dense_shape)


class StaticVocabularyTable(IdTableWithHashBuckets):
    """A table of numbers of words, in which words that it does not have get the number of a bucket after the others."""

    def __init__(
        self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: str | None = None
    ) -> None:
        table = HashTable(initializer, -1) if initializer is not None else None
        super().__init__(table, num_oov_buckets, name=name, key_dtype=lookup_key_dtype)


def index_table_from_tensor(
    vocabulary_list: Any = None, num_oov_buckets: int = 0, default_value: int = -1, hasher_spec: Any = None,
    dtype: Any = dtypes.string, name: str | None = None, mapping: Any = None,
) -> Any:
    """A table from the words of a list to their places in it."""
    words = mapping if vocabulary_list is None else vocabulary_list
    if words is None:
        raise ValueError("the table needs a `vocabulary_list`")
    with op_scope(name, "string_to_index", []):
        keys = convert_to_tensor(words, dtype=dtype)
        count = keys.shape.num_elements()
        if count is None:
            raise ValueError(f"a table needs to know how many words there are: {keys}")
        filled = KeyValueTensorInitializer(keys, constant(list(range(count)), dtypes.int64), name="table_init")
        table = HashTable(filled, default_value, name="hash_table")
        return IdTableWithHashBuckets(table, num_oov_buckets) if num_oov_buckets else table


def index_table_from_file(
    vocabulary_file: Any = None, num_oov_buckets: int = 0, vocab_size: int | None = None, default_value: int = -1,
    hasher_spec: Any = None, key_dtype: Any = dtypes.string, name: str | None = None, key_column_index: int = -2,
    value_column_index: int = -1, delimiter: str = "\t",
) -> Any:
    """A table from the words of a file, one a line, to their line numbers."""
    if vocabulary_file is None or not isinstance(vocabulary_file, Tensor) and not vocabulary_file:
        raise ValueError("`vocabulary_file` names no file")
    with op_scope(name, "string_to_index", []):
        filled = TextFileInitializer(
            vocabulary_file, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter,
            name="table_init"
        )
        table = HashTable(filled, default_value, name="hash_table")
        return IdTableWithHashBuckets(table, num_oov_buckets) if num_oov_buckets else table


def index_to_string_table_from_tensor(
    vocabulary_list: Any = None, default_value: str = "UNK", name: str | None = None, mapping: Any = None
) -> HashTable:
    """A table from places in a list to its words."""
    words = mapping if vocabulary_list is None else vocabulary_list
    if words is None:
        raise ValueError("the table needs a `vocabulary_list`")
    with op_scope(name, "index_to_string", []):
        values = convert_to_tensor(words, dtype=dtypes.string)
        keys = constant(list(range(int(values.shape.num_elements() or 0))), dtypes.int64)
        return HashTable(KeyValueTensorInitializer(keys, values, name="table_init"), default_value, name="hash_table")


def index_to_string_table_from_file(
    vocabulary_file: Any, vocab_size: int | None = None, default_value: str = "UNK", name: str | None = None
) -> HashTable:
    """A table from line numbers to the words of a file."""
    with op_scope(name, "index_to_string", []):
        return HashTable(TextFileStringTableInitializer(vocabulary_file, vocab_size), default_value, name="hash_table")
