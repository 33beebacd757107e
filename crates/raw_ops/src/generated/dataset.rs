//! The ops of the group `dataset`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AnonymousIterator`, which has state.
    ///
    /// ```text
    /// AnonymousIterator() -> (handle: resource)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    anonymous_iterator AnonymousIterator graph (graph: graph "", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `AnonymousIteratorV2`, which has state.
    ///
    /// ```text
    /// AnonymousIteratorV2() -> (handle: resource, deleter: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    anonymous_iterator_v2 AnonymousIteratorV2 graph (graph: graph "", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> (AnonymousIteratorV2Outputs handle: one, deleter: one) {}

    /// Begins a node of `AnonymousIteratorV3`, which has state.
    ///
    /// ```text
    /// AnonymousIteratorV3() -> (handle: resource)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    anonymous_iterator_v3 AnonymousIteratorV3 graph (graph: graph "", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `AnonymousRandomSeedGenerator`, which has state.
    ///
    /// ```text
    /// AnonymousRandomSeedGenerator(seed: int64, seed2: int64) -> (handle: resource, deleter: variant)
    /// ```
    anonymous_random_seed_generator AnonymousRandomSeedGenerator seed (seed: one "seed", seed2: one "seed2") -> (AnonymousRandomSeedGeneratorOutputs handle: one, deleter: one) {}

    /// Begins a node of `AnonymousSeedGenerator`, which has state.
    ///
    /// ```text
    /// AnonymousSeedGenerator(seed: int64, seed2: int64, reshuffle: bool) -> (handle: resource, deleter: variant)
    /// ```
    anonymous_seed_generator AnonymousSeedGenerator seed (seed: one "seed", seed2: one "seed2", reshuffle: one "reshuffle") -> (AnonymousSeedGeneratorOutputs handle: one, deleter: one) {}

    /// Begins a node of `AssertCardinalityDataset`.
    ///
    /// ```text
    /// AssertCardinalityDataset(input_dataset: variant, cardinality: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    assert_cardinality_dataset AssertCardinalityDataset input_dataset (input_dataset: one "input_dataset", cardinality: one "cardinality", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `BatchDataset`.
    ///
    /// ```text
    /// BatchDataset(input_dataset: variant, batch_size: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    batch_dataset BatchDataset input_dataset (input_dataset: one "input_dataset", batch_size: one "batch_size", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `BatchDatasetV2`.
    ///
    /// ```text
    /// BatchDatasetV2(input_dataset: variant, batch_size: int64, drop_remainder: bool) -> (handle: variant)
    ///   parallel_copy: bool = false
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    batch_dataset_v2 BatchDatasetV2 input_dataset (input_dataset: one "input_dataset", batch_size: one "batch_size", drop_remainder: one "drop_remainder", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `parallel_copy: bool = false`.
        parallel_copy: bool "parallel_copy";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `CSVDataset`, which has state.
    ///
    /// ```text
    /// CSVDataset(filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string,
    ///     use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types) -> (handle:
    ///     variant)
    ///   output_types: list(type) in {float, double, int32, int64, string} >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    csv_dataset CSVDataset filenames (filenames: one "filenames", compression_type: one "compression_type", buffer_size: one "buffer_size", header: one "header", field_delim: one "field_delim", use_quote_delim: one "use_quote_delim", na_value: one "na_value", select_cols: one "select_cols", record_defaults: list "record_defaults", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `CSVDatasetV2`, which has state.
    ///
    /// ```text
    /// CSVDatasetV2(filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim:
    ///     string, use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types,
    ///     exclude_cols: int64) -> (handle: variant)
    ///   output_types: list(type) in {float, double, int32, int64, string} >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    csv_dataset_v2 CSVDatasetV2 filenames (filenames: one "filenames", compression_type: one "compression_type", buffer_size: one "buffer_size", header: one "header", field_delim: one "field_delim", use_quote_delim: one "use_quote_delim", na_value: one "na_value", select_cols: one "select_cols", record_defaults: list "record_defaults", exclude_cols: one "exclude_cols", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `CacheDataset`.
    ///
    /// ```text
    /// CacheDataset(input_dataset: variant, filename: string) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    cache_dataset CacheDataset input_dataset (input_dataset: one "input_dataset", filename: one "filename", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `CacheDatasetV2`, which has state.
    ///
    /// ```text
    /// CacheDatasetV2(input_dataset: variant, filename: string, cache: resource) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    cache_dataset_v2 CacheDatasetV2 input_dataset (input_dataset: one "input_dataset", filename: one "filename", cache: one "cache", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ConcatenateDataset`.
    ///
    /// ```text
    /// ConcatenateDataset(input_dataset: variant, another_dataset: variant) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    concatenate_dataset ConcatenateDataset input_dataset (input_dataset: one "input_dataset", another_dataset: one "another_dataset", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `DatasetCardinality`.
    ///
    /// ```text
    /// DatasetCardinality(input_dataset: variant) -> (cardinality: int64)
    ///   cardinality_options: string = ''
    /// ```
    dataset_cardinality DatasetCardinality input_dataset (input_dataset: one "input_dataset") -> one {
        /// Sets `cardinality_options: string = ''`.
        cardinality_options: string "cardinality_options";
    }

    /// Begins a node of `DatasetToSingleElement`, which has state.
    ///
    /// ```text
    /// DatasetToSingleElement(dataset: variant) -> (components: output_types)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    dataset_to_single_element DatasetToSingleElement dataset (dataset: one "dataset", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> list {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `DatasetToTFRecord`, which has state.
    ///
    /// ```text
    /// DatasetToTFRecord(input_dataset: variant, filename: string, compression_type: string) -> ()
    /// ```
    dataset_to_tf_record DatasetToTFRecord input_dataset (input_dataset: one "input_dataset", filename: one "filename", compression_type: one "compression_type") -> none {}

    /// Begins a node of `DeleteIterator`, which has state.
    ///
    /// ```text
    /// DeleteIterator(handle: resource, deleter: variant) -> ()
    /// ```
    delete_iterator DeleteIterator handle (handle: one "handle", deleter: one "deleter") -> none {}

    /// Begins a node of `DeleteRandomSeedGenerator`, which has state.
    ///
    /// ```text
    /// DeleteRandomSeedGenerator(handle: resource, deleter: variant) -> ()
    /// ```
    delete_random_seed_generator DeleteRandomSeedGenerator handle (handle: one "handle", deleter: one "deleter") -> none {}

    /// Begins a node of `DeleteSeedGenerator`, which has state.
    ///
    /// ```text
    /// DeleteSeedGenerator(handle: resource, deleter: variant) -> ()
    /// ```
    delete_seed_generator DeleteSeedGenerator handle (handle: one "handle", deleter: one "deleter") -> none {}

    /// Begins a node of `DenseToSparseBatchDataset`.
    ///
    /// ```text
    /// DenseToSparseBatchDataset(input_dataset: variant, batch_size: int64, row_shape: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    dense_to_sparse_batch_dataset DenseToSparseBatchDataset input_dataset (input_dataset: one "input_dataset", batch_size: one "batch_size", row_shape: one "row_shape", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `DeserializeIterator`, which has state.
    ///
    /// ```text
    /// DeserializeIterator(resource_handle: resource, serialized: variant) -> ()
    /// ```
    deserialize_iterator DeserializeIterator resource_handle (resource_handle: one "resource_handle", serialized: one "serialized") -> none {}

    /// Begins a node of `DirectedInterleaveDataset`.
    ///
    /// ```text
    /// DirectedInterleaveDataset(selector_input_dataset: variant, data_input_datasets: N * variant) -> (handle:
    ///     variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   N: int >= 1
    ///   stop_on_empty_dataset: bool = false
    /// ```
    directed_interleave_dataset DirectedInterleaveDataset selector_input_dataset (selector_input_dataset: one "selector_input_dataset", data_input_datasets: list "data_input_datasets", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `stop_on_empty_dataset: bool = false`.
        stop_on_empty_dataset: bool "stop_on_empty_dataset";
    }

    /// Begins a node of `DummyMemoryCache`, which has state.
    ///
    /// ```text
    /// DummyMemoryCache() -> (handle: resource)
    /// ```
    dummy_memory_cache DummyMemoryCache graph (graph: graph "") -> one {}

    /// Begins a node of `DummySeedGenerator`, which has state.
    ///
    /// ```text
    /// DummySeedGenerator() -> (handle: resource)
    /// ```
    dummy_seed_generator DummySeedGenerator graph (graph: graph "") -> one {}

    /// Begins a node of `FilterDataset`.
    ///
    /// ```text
    /// FilterDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
    ///   predicate: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    filter_dataset FilterDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", predicate: function "predicate", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `FinalizeDataset`.
    ///
    /// ```text
    /// FinalizeDataset(input_dataset: variant) -> (handle: variant)
    ///   has_captured_ref: bool = false
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    finalize_dataset FinalizeDataset input_dataset (input_dataset: one "input_dataset", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `has_captured_ref: bool = false`.
        has_captured_ref: bool "has_captured_ref";
    }

    /// Begins a node of `FixedLengthRecordDataset`, which has state.
    ///
    /// ```text
    /// FixedLengthRecordDataset(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64,
    ///     buffer_size: int64) -> (handle: variant)
    ///   metadata: string = ''
    /// ```
    fixed_length_record_dataset FixedLengthRecordDataset filenames (filenames: one "filenames", header_bytes: one "header_bytes", record_bytes: one "record_bytes", footer_bytes: one "footer_bytes", buffer_size: one "buffer_size") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `FixedLengthRecordDatasetV2`, which has state.
    ///
    /// ```text
    /// FixedLengthRecordDatasetV2(filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64,
    ///     buffer_size: int64, compression_type: string) -> (handle: variant)
    ///   metadata: string = ''
    /// ```
    fixed_length_record_dataset_v2 FixedLengthRecordDatasetV2 filenames (filenames: one "filenames", header_bytes: one "header_bytes", record_bytes: one "record_bytes", footer_bytes: one "footer_bytes", buffer_size: one "buffer_size", compression_type: one "compression_type") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `FlatMapDataset`.
    ///
    /// ```text
    /// FlatMapDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    flat_map_dataset FlatMapDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `GeneratorDataset`, which has state.
    ///
    /// ```text
    /// GeneratorDataset(init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args,
    ///     finalize_func_other_args: Tfinalize_func_args) -> (handle: variant)
    ///   init_func: func
    ///   next_func: func
    ///   finalize_func: func
    ///   Tinit_func_args: list(type) >= 0
    ///   Tnext_func_args: list(type) >= 0
    ///   Tfinalize_func_args: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    generator_dataset GeneratorDataset graph (graph: graph "", init_func_other_args: list "init_func_other_args", next_func_other_args: list "next_func_other_args", finalize_func_other_args: list "finalize_func_other_args", init_func: function "init_func", next_func: function "next_func", finalize_func: function "finalize_func", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `GroupByReducerDataset`, which has state.
    ///
    /// ```text
    /// GroupByReducerDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
    ///     init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments:
    ///     Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments) -> (handle:
    ///     variant)
    ///   key_func: func
    ///   init_func: func
    ///   reduce_func: func
    ///   finalize_func: func
    ///   Tkey_func_other_arguments: list(type) >= 0
    ///   Tinit_func_other_arguments: list(type) >= 0
    ///   Treduce_func_other_arguments: list(type) >= 0
    ///   Tfinalize_func_other_arguments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    group_by_reducer_dataset GroupByReducerDataset input_dataset (input_dataset: one "input_dataset", key_func_other_arguments: list "key_func_other_arguments", init_func_other_arguments: list "init_func_other_arguments", reduce_func_other_arguments: list "reduce_func_other_arguments", finalize_func_other_arguments: list "finalize_func_other_arguments", key_func: function "key_func", init_func: function "init_func", reduce_func: function "reduce_func", finalize_func: function "finalize_func", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `GroupByWindowDataset`.
    ///
    /// ```text
    /// GroupByWindowDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
    ///     reduce_func_other_arguments: Treduce_func_other_arguments, window_size_func_other_arguments:
    ///     Twindow_size_func_other_arguments) -> (handle: variant)
    ///   key_func: func
    ///   reduce_func: func
    ///   window_size_func: func
    ///   Tkey_func_other_arguments: list(type) >= 0
    ///   Treduce_func_other_arguments: list(type) >= 0
    ///   Twindow_size_func_other_arguments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    group_by_window_dataset GroupByWindowDataset input_dataset (input_dataset: one "input_dataset", key_func_other_arguments: list "key_func_other_arguments", reduce_func_other_arguments: list "reduce_func_other_arguments", window_size_func_other_arguments: list "window_size_func_other_arguments", key_func: function "key_func", reduce_func: function "reduce_func", window_size_func: function "window_size_func", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `IgnoreErrorsDataset`.
    ///
    /// ```text
    /// IgnoreErrorsDataset(input_dataset: variant) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   log_warning: bool = false
    /// ```
    ignore_errors_dataset IgnoreErrorsDataset input_dataset (input_dataset: one "input_dataset", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `log_warning: bool = false`.
        log_warning: bool "log_warning";
    }

    /// Begins a node of `InitializeTableFromDataset`, which has state.
    ///
    /// ```text
    /// InitializeTableFromDataset(table_handle: resource, dataset: variant) -> ()
    /// ```
    initialize_table_from_dataset InitializeTableFromDataset table_handle (table_handle: one "table_handle", dataset: one "dataset") -> none {}

    /// Begins a node of `InterleaveDataset`.
    ///
    /// ```text
    /// InterleaveDataset(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length:
    ///     int64) -> (handle: variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    interleave_dataset InterleaveDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", cycle_length: one "cycle_length", block_length: one "block_length", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `Iterator`, which has state.
    ///
    /// ```text
    /// Iterator() -> (handle: resource)
    ///   shared_name: string
    ///   container: string
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    iterator Iterator graph (graph: graph "", shared_name: string "shared_name", container: string "container", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `IteratorFromStringHandle`, which has state.
    ///
    /// ```text
    /// IteratorFromStringHandle(string_handle: string) -> (resource_handle: resource)
    ///   output_types: list(type) >= 0 = []
    ///   output_shapes: list(shape) >= 0 = []
    /// ```
    iterator_from_string_handle IteratorFromStringHandle string_handle (string_handle: one "string_handle") -> one {
        /// Sets `output_types: list(type) >= 0 = []`.
        output_types: dtypes "output_types";
        /// Sets `output_shapes: list(shape) >= 0 = []`.
        output_shapes: shapes "output_shapes";
    }

    /// Begins a node of `IteratorFromStringHandleV2`, which has state.
    ///
    /// ```text
    /// IteratorFromStringHandleV2(string_handle: string) -> (resource_handle: resource)
    ///   output_types: list(type) >= 0 = []
    ///   output_shapes: list(shape) >= 0 = []
    /// ```
    iterator_from_string_handle_v2 IteratorFromStringHandleV2 string_handle (string_handle: one "string_handle") -> one {
        /// Sets `output_types: list(type) >= 0 = []`.
        output_types: dtypes "output_types";
        /// Sets `output_shapes: list(shape) >= 0 = []`.
        output_shapes: shapes "output_shapes";
    }

    /// Begins a node of `IteratorGetDevice`, which has state.
    ///
    /// ```text
    /// IteratorGetDevice(resource: resource) -> (device: string)
    /// ```
    iterator_get_device IteratorGetDevice resource (resource: one "resource") -> one {}

    /// Begins a node of `IteratorGetNext`, which has state.
    ///
    /// ```text
    /// IteratorGetNext(iterator: resource) -> (components: output_types)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    iterator_get_next IteratorGetNext iterator (iterator: one "iterator", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> list {}

    /// Begins a node of `IteratorGetNextAsOptional`, which has state.
    ///
    /// ```text
    /// IteratorGetNextAsOptional(iterator: resource) -> (optional: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    iterator_get_next_as_optional IteratorGetNextAsOptional iterator (iterator: one "iterator", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `IteratorGetNextSync`, which has state.
    ///
    /// ```text
    /// IteratorGetNextSync(iterator: resource) -> (components: output_types)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    iterator_get_next_sync IteratorGetNextSync iterator (iterator: one "iterator", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> list {}

    /// Begins a node of `IteratorToStringHandle`, which has state.
    ///
    /// ```text
    /// IteratorToStringHandle(resource_handle: resource) -> (string_handle: string)
    /// ```
    iterator_to_string_handle IteratorToStringHandle resource_handle (resource_handle: one "resource_handle") -> one {}

    /// Begins a node of `IteratorV2`, which has state.
    ///
    /// ```text
    /// IteratorV2() -> (handle: resource)
    ///   shared_name: string
    ///   container: string
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    iterator_v2 IteratorV2 graph (graph: graph "", shared_name: string "shared_name", container: string "container", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `LegacyParallelInterleaveDatasetV2`.
    ///
    /// ```text
    /// LegacyParallelInterleaveDatasetV2(input_dataset: variant, other_arguments: Targuments, cycle_length: int64,
    ///     block_length: int64, buffer_output_elements: int64, prefetch_input_elements: int64) -> (handle: variant)
    ///   f: func
    ///   deterministic: string = 'default'
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    legacy_parallel_interleave_dataset_v2 LegacyParallelInterleaveDatasetV2 input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", cycle_length: one "cycle_length", block_length: one "block_length", buffer_output_elements: one "buffer_output_elements", prefetch_input_elements: one "prefetch_input_elements", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `deterministic: string = 'default'`.
        deterministic: string "deterministic";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `MakeIterator`, which has state.
    ///
    /// ```text
    /// MakeIterator(dataset: variant, iterator: resource) -> ()
    /// ```
    make_iterator MakeIterator dataset (dataset: one "dataset", iterator: one "iterator") -> none {}

    /// Begins a node of `MapAndBatchDataset`.
    ///
    /// ```text
    /// MapAndBatchDataset(input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls:
    ///     int64, drop_remainder: bool) -> (handle: variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   preserve_cardinality: bool = false
    ///   metadata: string = ''
    /// ```
    map_and_batch_dataset MapAndBatchDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", batch_size: one "batch_size", num_parallel_calls: one "num_parallel_calls", drop_remainder: one "drop_remainder", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `preserve_cardinality: bool = false`.
        preserve_cardinality: bool "preserve_cardinality";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `MapDataset`.
    ///
    /// ```text
    /// MapDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   use_inter_op_parallelism: bool = true
    ///   preserve_cardinality: bool = false
    ///   force_synchronous: bool = false
    ///   metadata: string = ''
    /// ```
    map_dataset MapDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `use_inter_op_parallelism: bool = true`.
        use_inter_op_parallelism: bool "use_inter_op_parallelism";
        /// Sets `preserve_cardinality: bool = false`.
        preserve_cardinality: bool "preserve_cardinality";
        /// Sets `force_synchronous: bool = false`.
        force_synchronous: bool "force_synchronous";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `MatchingFilesDataset`, which has state.
    ///
    /// ```text
    /// MatchingFilesDataset(patterns: string) -> (handle: variant)
    /// ```
    matching_files_dataset MatchingFilesDataset patterns (patterns: one "patterns") -> one {}

    /// Begins a node of `MaxIntraOpParallelismDataset`.
    ///
    /// ```text
    /// MaxIntraOpParallelismDataset(input_dataset: variant, max_intra_op_parallelism: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    max_intra_op_parallelism_dataset MaxIntraOpParallelismDataset input_dataset (input_dataset: one "input_dataset", max_intra_op_parallelism: one "max_intra_op_parallelism", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `ModelDataset`.
    ///
    /// ```text
    /// ModelDataset(input_dataset: variant) -> (handle: variant)
    ///   algorithm: int = 0
    ///   cpu_budget: int = 0
    ///   ram_budget: int = 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    model_dataset ModelDataset input_dataset (input_dataset: one "input_dataset", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `algorithm: int = 0`.
        algorithm: int "algorithm";
        /// Sets `cpu_budget: int = 0`.
        cpu_budget: int "cpu_budget";
        /// Sets `ram_budget: int = 0`.
        ram_budget: int "ram_budget";
    }

    /// Begins a node of `OneShotIterator`, which has state.
    ///
    /// ```text
    /// OneShotIterator() -> (handle: resource)
    ///   dataset_factory: func
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    one_shot_iterator OneShotIterator graph (graph: graph "", dataset_factory: function "dataset_factory", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `OptimizeDataset`.
    ///
    /// ```text
    /// OptimizeDataset(input_dataset: variant, optimizations: string) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   optimization_configs: list(string) = []
    /// ```
    optimize_dataset OptimizeDataset input_dataset (input_dataset: one "input_dataset", optimizations: one "optimizations", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `optimization_configs: list(string) = []`.
        optimization_configs: strings "optimization_configs";
    }

    /// Begins a node of `OptimizeDatasetV2`.
    ///
    /// ```text
    /// OptimizeDatasetV2(input_dataset: variant, optimizations_enabled: string, optimizations_disabled: string,
    ///     optimizations_default: string) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   optimization_configs: list(string) = []
    /// ```
    optimize_dataset_v2 OptimizeDatasetV2 input_dataset (input_dataset: one "input_dataset", optimizations_enabled: one "optimizations_enabled", optimizations_disabled: one "optimizations_disabled", optimizations_default: one "optimizations_default", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `optimization_configs: list(string) = []`.
        optimization_configs: strings "optimization_configs";
    }

    /// Begins a node of `OptionsDataset`.
    ///
    /// ```text
    /// OptionsDataset(input_dataset: variant) -> (handle: variant)
    ///   serialized_options: string
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    options_dataset OptionsDataset input_dataset (input_dataset: one "input_dataset", serialized_options: string "serialized_options", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `PaddedBatchDataset`.
    ///
    /// ```text
    /// PaddedBatchDataset(input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values:
    ///     Toutput_types) -> (handle: variant)
    ///   Toutput_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   N: int >= 1
    ///   metadata: string = ''
    /// ```
    padded_batch_dataset PaddedBatchDataset input_dataset (input_dataset: one "input_dataset", batch_size: one "batch_size", padded_shapes: list "padded_shapes", padding_values: list "padding_values", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `PaddedBatchDatasetV2`.
    ///
    /// ```text
    /// PaddedBatchDatasetV2(input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values:
    ///     Toutput_types, drop_remainder: bool) -> (handle: variant)
    ///   parallel_copy: bool = false
    ///   Toutput_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   N: int >= 1
    ///   metadata: string = ''
    /// ```
    padded_batch_dataset_v2 PaddedBatchDatasetV2 input_dataset (input_dataset: one "input_dataset", batch_size: one "batch_size", padded_shapes: list "padded_shapes", padding_values: list "padding_values", drop_remainder: one "drop_remainder", output_shapes: shapes "output_shapes") -> one {
        /// Sets `parallel_copy: bool = false`.
        parallel_copy: bool "parallel_copy";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelBatchDataset`.
    ///
    /// ```text
    /// ParallelBatchDataset(input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder:
    ///     bool) -> (handle: variant)
    ///   parallel_copy: bool = false
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   deterministic: string = 'default'
    ///   metadata: string = ''
    /// ```
    parallel_batch_dataset ParallelBatchDataset input_dataset (input_dataset: one "input_dataset", batch_size: one "batch_size", num_parallel_calls: one "num_parallel_calls", drop_remainder: one "drop_remainder", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `parallel_copy: bool = false`.
        parallel_copy: bool "parallel_copy";
        /// Sets `deterministic: string = 'default'`.
        deterministic: string "deterministic";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelFilterDataset`.
    ///
    /// ```text
    /// ParallelFilterDataset(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) ->
    ///     (handle: variant)
    ///   predicate: func
    ///   deterministic: string = 'default'
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    parallel_filter_dataset ParallelFilterDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", num_parallel_calls: one "num_parallel_calls", predicate: function "predicate", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `deterministic: string = 'default'`.
        deterministic: string "deterministic";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelInterleaveDataset`.
    ///
    /// ```text
    /// ParallelInterleaveDataset(input_dataset: variant, other_arguments: Targuments, cycle_length: int64,
    ///     block_length: int64, sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64) -> (handle:
    ///     variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    parallel_interleave_dataset ParallelInterleaveDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", cycle_length: one "cycle_length", block_length: one "block_length", sloppy: one "sloppy", buffer_output_elements: one "buffer_output_elements", prefetch_input_elements: one "prefetch_input_elements", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelInterleaveDatasetV2`.
    ///
    /// ```text
    /// ParallelInterleaveDatasetV2(input_dataset: variant, other_arguments: Targuments, cycle_length: int64,
    ///     block_length: int64, num_parallel_calls: int64) -> (handle: variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   sloppy: bool = false
    ///   metadata: string = ''
    /// ```
    parallel_interleave_dataset_v2 ParallelInterleaveDatasetV2 input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", cycle_length: one "cycle_length", block_length: one "block_length", num_parallel_calls: one "num_parallel_calls", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `sloppy: bool = false`.
        sloppy: bool "sloppy";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelInterleaveDatasetV3`.
    ///
    /// ```text
    /// ParallelInterleaveDatasetV3(input_dataset: variant, other_arguments: Targuments, cycle_length: int64,
    ///     block_length: int64, num_parallel_calls: int64) -> (handle: variant)
    ///   f: func
    ///   deterministic: string = 'default'
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    parallel_interleave_dataset_v3 ParallelInterleaveDatasetV3 input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", cycle_length: one "cycle_length", block_length: one "block_length", num_parallel_calls: one "num_parallel_calls", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `deterministic: string = 'default'`.
        deterministic: string "deterministic";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelInterleaveDatasetV4`.
    ///
    /// ```text
    /// ParallelInterleaveDatasetV4(input_dataset: variant, other_arguments: Targuments, cycle_length: int64,
    ///     block_length: int64, buffer_output_elements: int64, prefetch_input_elements: int64, num_parallel_calls: int64)
    ///     -> (handle: variant)
    ///   f: func
    ///   deterministic: string = 'default'
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    parallel_interleave_dataset_v4 ParallelInterleaveDatasetV4 input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", cycle_length: one "cycle_length", block_length: one "block_length", buffer_output_elements: one "buffer_output_elements", prefetch_input_elements: one "prefetch_input_elements", num_parallel_calls: one "num_parallel_calls", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `deterministic: string = 'default'`.
        deterministic: string "deterministic";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelMapDataset`.
    ///
    /// ```text
    /// ParallelMapDataset(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32) -> (handle:
    ///     variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   use_inter_op_parallelism: bool = true
    ///   sloppy: bool = false
    ///   preserve_cardinality: bool = false
    ///   metadata: string = ''
    /// ```
    parallel_map_dataset ParallelMapDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", num_parallel_calls: one "num_parallel_calls", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `use_inter_op_parallelism: bool = true`.
        use_inter_op_parallelism: bool "use_inter_op_parallelism";
        /// Sets `sloppy: bool = false`.
        sloppy: bool "sloppy";
        /// Sets `preserve_cardinality: bool = false`.
        preserve_cardinality: bool "preserve_cardinality";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParallelMapDatasetV2`.
    ///
    /// ```text
    /// ParallelMapDatasetV2(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) ->
    ///     (handle: variant)
    ///   f: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   use_inter_op_parallelism: bool = true
    ///   deterministic: string = 'default'
    ///   preserve_cardinality: bool = false
    ///   use_unbounded_threadpool: bool = false
    ///   metadata: string = ''
    /// ```
    parallel_map_dataset_v2 ParallelMapDatasetV2 input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", num_parallel_calls: one "num_parallel_calls", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `use_inter_op_parallelism: bool = true`.
        use_inter_op_parallelism: bool "use_inter_op_parallelism";
        /// Sets `deterministic: string = 'default'`.
        deterministic: string "deterministic";
        /// Sets `preserve_cardinality: bool = false`.
        preserve_cardinality: bool "preserve_cardinality";
        /// Sets `use_unbounded_threadpool: bool = false`.
        use_unbounded_threadpool: bool "use_unbounded_threadpool";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ParseExampleDataset`.
    ///
    /// ```text
    /// ParseExampleDataset(input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> (handle:
    ///     variant)
    ///   sparse_keys: list(string) >= 0
    ///   dense_keys: list(string) >= 0
    ///   sparse_types: list(type) in {float, int64, string} >= 0
    ///   Tdense: list(type) in {float, int64, string} >= 0
    ///   dense_shapes: list(shape) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   sloppy: bool = false
    ///   ragged_keys: list(string) >= 0 = []
    ///   ragged_value_types: list(type) in {float, int64, string} >= 0 = []
    ///   ragged_split_types: list(type) in {int32, int64} >= 0 = []
    /// ```
    parse_example_dataset ParseExampleDataset input_dataset (input_dataset: one "input_dataset", num_parallel_calls: one "num_parallel_calls", dense_defaults: list "dense_defaults", sparse_keys: strings "sparse_keys", dense_keys: strings "dense_keys", sparse_types: dtypes "sparse_types", dense_shapes: shapes "dense_shapes", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `sloppy: bool = false`.
        sloppy: bool "sloppy";
        /// Sets `ragged_keys: list(string) >= 0 = []`.
        ragged_keys: strings "ragged_keys";
        /// Sets `ragged_value_types: list(type) in {float, int64, string} >= 0 = []`.
        ragged_value_types: dtypes "ragged_value_types";
        /// Sets `ragged_split_types: list(type) in {int32, int64} >= 0 = []`.
        ragged_split_types: dtypes "ragged_split_types";
    }

    /// Begins a node of `ParseExampleDatasetV2`.
    ///
    /// ```text
    /// ParseExampleDatasetV2(input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> (handle:
    ///     variant)
    ///   sparse_keys: list(string) >= 0
    ///   dense_keys: list(string) >= 0
    ///   sparse_types: list(type) in {float, int64, string} >= 0
    ///   Tdense: list(type) in {float, int64, string} >= 0
    ///   dense_shapes: list(shape) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   deterministic: string = 'default'
    ///   ragged_keys: list(string) >= 0 = []
    ///   ragged_value_types: list(type) in {float, int64, string} >= 0 = []
    ///   ragged_split_types: list(type) in {int32, int64} >= 0 = []
    /// ```
    parse_example_dataset_v2 ParseExampleDatasetV2 input_dataset (input_dataset: one "input_dataset", num_parallel_calls: one "num_parallel_calls", dense_defaults: list "dense_defaults", sparse_keys: strings "sparse_keys", dense_keys: strings "dense_keys", sparse_types: dtypes "sparse_types", dense_shapes: shapes "dense_shapes", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `deterministic: string = 'default'`.
        deterministic: string "deterministic";
        /// Sets `ragged_keys: list(string) >= 0 = []`.
        ragged_keys: strings "ragged_keys";
        /// Sets `ragged_value_types: list(type) in {float, int64, string} >= 0 = []`.
        ragged_value_types: dtypes "ragged_value_types";
        /// Sets `ragged_split_types: list(type) in {int32, int64} >= 0 = []`.
        ragged_split_types: dtypes "ragged_split_types";
    }

    /// Begins a node of `PrefetchDataset`.
    ///
    /// ```text
    /// PrefetchDataset(input_dataset: variant, buffer_size: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   slack_period: int = 0
    ///   legacy_autotune: bool = true
    ///   buffer_size_min: int = 0
    ///   metadata: string = ''
    /// ```
    prefetch_dataset PrefetchDataset input_dataset (input_dataset: one "input_dataset", buffer_size: one "buffer_size", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `slack_period: int = 0`.
        slack_period: int "slack_period";
        /// Sets `legacy_autotune: bool = true`.
        legacy_autotune: bool "legacy_autotune";
        /// Sets `buffer_size_min: int = 0`.
        buffer_size_min: int "buffer_size_min";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `PrivateThreadPoolDataset`.
    ///
    /// ```text
    /// PrivateThreadPoolDataset(input_dataset: variant, num_threads: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    private_thread_pool_dataset PrivateThreadPoolDataset input_dataset (input_dataset: one "input_dataset", num_threads: one "num_threads", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `RandomDataset`, which has state.
    ///
    /// ```text
    /// RandomDataset(seed: int64, seed2: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    random_dataset RandomDataset seed (seed: one "seed", seed2: one "seed2", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `RandomDatasetV2`, which has state.
    ///
    /// ```text
    /// RandomDatasetV2(seed: int64, seed2: int64, seed_generator: resource) -> (handle: variant)
    ///   rerandomize_each_iteration: bool = false
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    random_dataset_v2 RandomDatasetV2 seed (seed: one "seed", seed2: one "seed2", seed_generator: one "seed_generator", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `rerandomize_each_iteration: bool = false`.
        rerandomize_each_iteration: bool "rerandomize_each_iteration";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `RangeDataset`, which has state.
    ///
    /// ```text
    /// RangeDataset(start: int64, stop: int64, step: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    ///   replicate_on_split: bool = false
    /// ```
    range_dataset RangeDataset start (start: one "start", stop: one "stop", step: one "step", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
        /// Sets `replicate_on_split: bool = false`.
        replicate_on_split: bool "replicate_on_split";
    }

    /// Begins a node of `RebatchDataset`.
    ///
    /// ```text
    /// RebatchDataset(input_dataset: variant, num_replicas: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   use_fallback: bool = true
    /// ```
    rebatch_dataset RebatchDataset input_dataset (input_dataset: one "input_dataset", num_replicas: one "num_replicas", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `use_fallback: bool = true`.
        use_fallback: bool "use_fallback";
    }

    /// Begins a node of `RebatchDatasetV2`.
    ///
    /// ```text
    /// RebatchDatasetV2(input_dataset: variant, batch_sizes: int64, drop_remainder: bool) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    rebatch_dataset_v2 RebatchDatasetV2 input_dataset (input_dataset: one "input_dataset", batch_sizes: one "batch_sizes", drop_remainder: one "drop_remainder", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `ReduceDataset`, which has state.
    ///
    /// ```text
    /// ReduceDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (components:
    ///     output_types)
    ///   f: func
    ///   Tstate: list(type) >= 1
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   use_inter_op_parallelism: bool = true
    ///   metadata: string = ''
    /// ```
    reduce_dataset ReduceDataset input_dataset (input_dataset: one "input_dataset", initial_state: list "initial_state", other_arguments: list "other_arguments", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> list {
        /// Sets `use_inter_op_parallelism: bool = true`.
        use_inter_op_parallelism: bool "use_inter_op_parallelism";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `RepeatDataset`.
    ///
    /// ```text
    /// RepeatDataset(input_dataset: variant, count: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    repeat_dataset RepeatDataset input_dataset (input_dataset: one "input_dataset", count: one "count", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `RewriteDataset`.
    ///
    /// ```text
    /// RewriteDataset(input_dataset: variant, rewrite_name: string) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    rewrite_dataset RewriteDataset input_dataset (input_dataset: one "input_dataset", rewrite_name: one "rewrite_name", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `SamplingDataset`.
    ///
    /// ```text
    /// SamplingDataset(input_dataset: variant, rate: float, seed: int64, seed2: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    sampling_dataset SamplingDataset input_dataset (input_dataset: one "input_dataset", rate: one "rate", seed: one "seed", seed2: one "seed2", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `ScanDataset`.
    ///
    /// ```text
    /// ScanDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (handle: variant)
    ///   f: func
    ///   Tstate: list(type) >= 1
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   preserve_cardinality: bool = false
    ///   use_default_device: bool = true
    ///   metadata: string = ''
    /// ```
    scan_dataset ScanDataset input_dataset (input_dataset: one "input_dataset", initial_state: list "initial_state", other_arguments: list "other_arguments", f: function "f", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `preserve_cardinality: bool = false`.
        preserve_cardinality: bool "preserve_cardinality";
        /// Sets `use_default_device: bool = true`.
        use_default_device: bool "use_default_device";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `SerializeIterator`, which has state.
    ///
    /// ```text
    /// SerializeIterator(resource_handle: resource) -> (serialized: variant)
    ///   external_state_policy: int = 0
    /// ```
    serialize_iterator SerializeIterator resource_handle (resource_handle: one "resource_handle") -> one {
        /// Sets `external_state_policy: int = 0`.
        external_state_policy: int "external_state_policy";
    }

    /// Begins a node of `ShardDataset`.
    ///
    /// ```text
    /// ShardDataset(input_dataset: variant, num_shards: int64, index: int64) -> (handle: variant)
    ///   require_non_empty: bool = false
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    shard_dataset ShardDataset input_dataset (input_dataset: one "input_dataset", num_shards: one "num_shards", index: one "index", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `require_non_empty: bool = false`.
        require_non_empty: bool "require_non_empty";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ShuffleAndRepeatDataset`.
    ///
    /// ```text
    /// ShuffleAndRepeatDataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64) ->
    ///     (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   reshuffle_each_iteration: bool = true
    ///   metadata: string = ''
    /// ```
    shuffle_and_repeat_dataset ShuffleAndRepeatDataset input_dataset (input_dataset: one "input_dataset", buffer_size: one "buffer_size", seed: one "seed", seed2: one "seed2", count: one "count", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `reshuffle_each_iteration: bool = true`.
        reshuffle_each_iteration: bool "reshuffle_each_iteration";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ShuffleAndRepeatDatasetV2`, which has state.
    ///
    /// ```text
    /// ShuffleAndRepeatDatasetV2(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64,
    ///     seed_generator: resource) -> (handle: variant)
    ///   reshuffle_each_iteration: bool = true
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    shuffle_and_repeat_dataset_v2 ShuffleAndRepeatDatasetV2 input_dataset (input_dataset: one "input_dataset", buffer_size: one "buffer_size", seed: one "seed", seed2: one "seed2", count: one "count", seed_generator: one "seed_generator", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `reshuffle_each_iteration: bool = true`.
        reshuffle_each_iteration: bool "reshuffle_each_iteration";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ShuffleDataset`.
    ///
    /// ```text
    /// ShuffleDataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64) -> (handle: variant)
    ///   reshuffle_each_iteration: bool = true
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    shuffle_dataset ShuffleDataset input_dataset (input_dataset: one "input_dataset", buffer_size: one "buffer_size", seed: one "seed", seed2: one "seed2", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `reshuffle_each_iteration: bool = true`.
        reshuffle_each_iteration: bool "reshuffle_each_iteration";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ShuffleDatasetV2`, which has state.
    ///
    /// ```text
    /// ShuffleDatasetV2(input_dataset: variant, buffer_size: int64, seed_generator: resource) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    shuffle_dataset_v2 ShuffleDatasetV2 input_dataset (input_dataset: one "input_dataset", buffer_size: one "buffer_size", seed_generator: one "seed_generator", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `ShuffleDatasetV3`, which has state.
    ///
    /// ```text
    /// ShuffleDatasetV3(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, seed_generator:
    ///     resource) -> (handle: variant)
    ///   reshuffle_each_iteration: bool = true
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    shuffle_dataset_v3 ShuffleDatasetV3 input_dataset (input_dataset: one "input_dataset", buffer_size: one "buffer_size", seed: one "seed", seed2: one "seed2", seed_generator: one "seed_generator", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `reshuffle_each_iteration: bool = true`.
        reshuffle_each_iteration: bool "reshuffle_each_iteration";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `SkipDataset`.
    ///
    /// ```text
    /// SkipDataset(input_dataset: variant, count: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    skip_dataset SkipDataset input_dataset (input_dataset: one "input_dataset", count: one "count", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `SlidingWindowDataset`.
    ///
    /// ```text
    /// SlidingWindowDataset(input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64) ->
    ///     (handle: variant)
    ///   drop_remainder: bool = true
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    sliding_window_dataset SlidingWindowDataset input_dataset (input_dataset: one "input_dataset", window_size: one "window_size", window_shift: one "window_shift", window_stride: one "window_stride", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `drop_remainder: bool = true`.
        drop_remainder: bool "drop_remainder";
    }

    /// Begins a node of `SparseTensorSliceDataset`, which has state.
    ///
    /// ```text
    /// SparseTensorSliceDataset(indices: int64, values: Tvalues, dense_shape: int64) -> (handle: variant)
    ///   Tvalues: type
    /// ```
    sparse_tensor_slice_dataset SparseTensorSliceDataset indices (indices: one "indices", values: one "values", dense_shape: one "dense_shape") -> one {}

    /// Begins a node of `TFRecordDataset`, which has state.
    ///
    /// ```text
    /// TFRecordDataset(filenames: string, compression_type: string, buffer_size: int64) -> (handle: variant)
    ///   metadata: string = ''
    /// ```
    tf_record_dataset TFRecordDataset filenames (filenames: one "filenames", compression_type: one "compression_type", buffer_size: one "buffer_size") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `TFRecordDatasetV2`, which has state.
    ///
    /// ```text
    /// TFRecordDatasetV2(filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64) ->
    ///     (handle: variant)
    ///   metadata: string = ''
    /// ```
    tf_record_dataset_v2 TFRecordDatasetV2 filenames (filenames: one "filenames", compression_type: one "compression_type", buffer_size: one "buffer_size", byte_offsets: one "byte_offsets") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `TakeDataset`.
    ///
    /// ```text
    /// TakeDataset(input_dataset: variant, count: int64) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    take_dataset TakeDataset input_dataset (input_dataset: one "input_dataset", count: one "count", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `TakeWhileDataset`.
    ///
    /// ```text
    /// TakeWhileDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
    ///   predicate: func
    ///   Targuments: list(type) >= 0
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    take_while_dataset TakeWhileDataset input_dataset (input_dataset: one "input_dataset", other_arguments: list "other_arguments", predicate: function "predicate", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `TensorDataset`, which has state.
    ///
    /// ```text
    /// TensorDataset(components: Toutput_types) -> (handle: variant)
    ///   Toutput_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    tensor_dataset TensorDataset graph (graph: graph "", components: list "components", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `TensorSliceDataset`, which has state.
    ///
    /// ```text
    /// TensorSliceDataset(components: Toutput_types) -> (handle: variant)
    ///   Toutput_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   is_files: bool = false
    ///   metadata: string = ''
    ///   replicate_on_split: bool = false
    /// ```
    tensor_slice_dataset TensorSliceDataset graph (graph: graph "", components: list "components", output_shapes: shapes "output_shapes") -> one {
        /// Sets `is_files: bool = false`.
        is_files: bool "is_files";
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
        /// Sets `replicate_on_split: bool = false`.
        replicate_on_split: bool "replicate_on_split";
    }

    /// Begins a node of `TextLineDataset`, which has state.
    ///
    /// ```text
    /// TextLineDataset(filenames: string, compression_type: string, buffer_size: int64) -> (handle: variant)
    ///   metadata: string = ''
    /// ```
    text_line_dataset TextLineDataset filenames (filenames: one "filenames", compression_type: one "compression_type", buffer_size: one "buffer_size") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `UnbatchDataset`.
    ///
    /// ```text
    /// UnbatchDataset(input_dataset: variant) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    unbatch_dataset UnbatchDataset input_dataset (input_dataset: one "input_dataset", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `UniqueDataset`.
    ///
    /// ```text
    /// UniqueDataset(input_dataset: variant) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    unique_dataset UniqueDataset input_dataset (input_dataset: one "input_dataset", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `WindowDataset`.
    ///
    /// ```text
    /// WindowDataset(input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool) ->
    ///     (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   metadata: string = ''
    /// ```
    window_dataset WindowDataset input_dataset (input_dataset: one "input_dataset", size: one "size", shift: one "shift", stride: one "stride", drop_remainder: one "drop_remainder", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }

    /// Begins a node of `WindowOp`.
    ///
    /// ```text
    /// WindowOp(inputs: Tinputs) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   Tinputs: list(type) >= 1
    /// ```
    window_op WindowOp graph (graph: graph "", inputs: list "inputs", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {}

    /// Begins a node of `ZipDataset`.
    ///
    /// ```text
    /// ZipDataset(input_datasets: N * variant) -> (handle: variant)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   N: int >= 1
    ///   metadata: string = ''
    /// ```
    zip_dataset ZipDataset graph (graph: graph "", input_datasets: list "input_datasets", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> one {
        /// Sets `metadata: string = ''`.
        metadata: string "metadata";
    }
}
