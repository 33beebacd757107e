//! The ops of the group `data_flow`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AccumulatorApplyGradient`.
    ///
    /// ```text
    /// AccumulatorApplyGradient(handle: Ref(string), local_step: int64, gradient: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    accumulator_apply_gradient AccumulatorApplyGradient handle (handle: one "handle", local_step: one "local_step", gradient: one "gradient") -> none {}

    /// Begins a node of `AccumulatorCounts`.
    ///
    /// ```text
    /// AccumulatorCounts(handle: Ref(string)) -> (accepted_and_dropped: int64, workers: string, by_worker: int64)
    /// ```
    accumulator_counts AccumulatorCounts handle (handle: one "handle") -> (AccumulatorCountsOutputs accepted_and_dropped: one, workers: one, by_worker: one) {}

    /// Begins a node of `AccumulatorNumAccumulated`.
    ///
    /// ```text
    /// AccumulatorNumAccumulated(handle: Ref(string)) -> (num_accumulated: int32)
    /// ```
    accumulator_num_accumulated AccumulatorNumAccumulated handle (handle: one "handle") -> one {}

    /// Begins a node of `AccumulatorSetGlobalStep`.
    ///
    /// ```text
    /// AccumulatorSetGlobalStep(handle: Ref(string), new_global_step: int64) -> ()
    /// ```
    accumulator_set_global_step AccumulatorSetGlobalStep handle (handle: one "handle", new_global_step: one "new_global_step") -> none {}

    /// Begins a node of `AccumulatorTakeGradient`.
    ///
    /// ```text
    /// AccumulatorTakeGradient(handle: Ref(string), num_required: int32) -> (average: dtype)
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    accumulator_take_gradient AccumulatorTakeGradient handle (handle: one "handle", num_required: one "num_required", dtype: dtype "dtype") -> one {}

    /// Begins a node of `AnonymousHashTable`, which has state.
    ///
    /// ```text
    /// AnonymousHashTable() -> (table_handle: resource)
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    anonymous_hash_table AnonymousHashTable graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {}

    /// Begins a node of `AnonymousMutableDenseHashTable`, which has state.
    ///
    /// ```text
    /// AnonymousMutableDenseHashTable(empty_key: key_dtype, deleted_key: key_dtype) -> (table_handle: resource)
    ///   key_dtype: type
    ///   value_dtype: type
    ///   value_shape: shape = []
    ///   initial_num_buckets: int = 131072
    ///   max_load_factor: float = 0.8
    /// ```
    anonymous_mutable_dense_hash_table AnonymousMutableDenseHashTable empty_key (empty_key: one "empty_key", deleted_key: one "deleted_key", value_dtype: dtype "value_dtype") -> one {
        /// Sets `value_shape: shape = []`.
        value_shape: shape "value_shape";
        /// Sets `initial_num_buckets: int = 131072`.
        initial_num_buckets: int "initial_num_buckets";
        /// Sets `max_load_factor: float = 0.8`.
        max_load_factor: float "max_load_factor";
    }

    /// Begins a node of `AnonymousMutableHashTable`, which has state.
    ///
    /// ```text
    /// AnonymousMutableHashTable() -> (table_handle: resource)
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    anonymous_mutable_hash_table AnonymousMutableHashTable graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {}

    /// Begins a node of `AnonymousMutableHashTableOfTensors`, which has state.
    ///
    /// ```text
    /// AnonymousMutableHashTableOfTensors() -> (table_handle: resource)
    ///   key_dtype: type
    ///   value_dtype: type
    ///   value_shape: shape = []
    /// ```
    anonymous_mutable_hash_table_of_tensors AnonymousMutableHashTableOfTensors graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {
        /// Sets `value_shape: shape = []`.
        value_shape: shape "value_shape";
    }

    /// Begins a node of `Barrier`, which has state.
    ///
    /// ```text
    /// Barrier() -> (handle: Ref(string))
    ///   component_types: list(type) >= 1
    ///   shapes: list(shape) >= 0 = []
    ///   capacity: int = -1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    barrier Barrier graph (graph: graph "", component_types: dtypes "component_types") -> one {
        /// Sets `shapes: list(shape) >= 0 = []`.
        shapes: shapes "shapes";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `BarrierClose`.
    ///
    /// ```text
    /// BarrierClose(handle: Ref(string)) -> ()
    ///   cancel_pending_enqueues: bool = false
    /// ```
    barrier_close BarrierClose handle (handle: one "handle") -> none {
        /// Sets `cancel_pending_enqueues: bool = false`.
        cancel_pending_enqueues: bool "cancel_pending_enqueues";
    }

    /// Begins a node of `BarrierIncompleteSize`.
    ///
    /// ```text
    /// BarrierIncompleteSize(handle: Ref(string)) -> (size: int32)
    /// ```
    barrier_incomplete_size BarrierIncompleteSize handle (handle: one "handle") -> one {}

    /// Begins a node of `BarrierInsertMany`.
    ///
    /// ```text
    /// BarrierInsertMany(handle: Ref(string), keys: string, values: T) -> ()
    ///   T: type
    ///   component_index: int
    /// ```
    barrier_insert_many BarrierInsertMany handle (handle: one "handle", keys: one "keys", values: one "values", component_index: int "component_index") -> none {}

    /// Begins a node of `BarrierReadySize`.
    ///
    /// ```text
    /// BarrierReadySize(handle: Ref(string)) -> (size: int32)
    /// ```
    barrier_ready_size BarrierReadySize handle (handle: one "handle") -> one {}

    /// Begins a node of `BarrierTakeMany`.
    ///
    /// ```text
    /// BarrierTakeMany(handle: Ref(string), num_elements: int32) -> (indices: int64, keys: string, values:
    ///     component_types)
    ///   component_types: list(type) >= 1
    ///   allow_small_batch: bool = false
    ///   wait_for_incomplete: bool = false
    ///   timeout_ms: int = -1
    /// ```
    barrier_take_many BarrierTakeMany handle (handle: one "handle", num_elements: one "num_elements", component_types: dtypes "component_types") -> (BarrierTakeManyOutputs indices: one, keys: one, values: list) {
        /// Sets `allow_small_batch: bool = false`.
        allow_small_batch: bool "allow_small_batch";
        /// Sets `wait_for_incomplete: bool = false`.
        wait_for_incomplete: bool "wait_for_incomplete";
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `ConditionalAccumulator`, which has state.
    ///
    /// ```text
    /// ConditionalAccumulator() -> (handle: Ref(string))
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   shape: shape
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   reduction_type: string in ["MEAN", "SUM"] = 'MEAN'
    /// ```
    conditional_accumulator ConditionalAccumulator graph (graph: graph "", dtype: dtype "dtype", shape: shape "shape") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `reduction_type: string in ["MEAN", "SUM"] = 'MEAN'`.
        reduction_type: string "reduction_type";
    }

    /// Begins a node of `DeleteSessionTensor`, which has state.
    ///
    /// ```text
    /// DeleteSessionTensor(handle: string) -> ()
    /// ```
    delete_session_tensor DeleteSessionTensor handle (handle: one "handle") -> none {}

    /// Begins a node of `EmptyTensorList`.
    ///
    /// ```text
    /// EmptyTensorList(element_shape: shape_type, max_num_elements: int32) -> (handle: variant)
    ///   element_dtype: type
    ///   shape_type: type in {int32, int64}
    /// ```
    empty_tensor_list EmptyTensorList element_shape (element_shape: one "element_shape", max_num_elements: one "max_num_elements", element_dtype: dtype "element_dtype") -> one {}

    /// Begins a node of `EmptyTensorMap`.
    ///
    /// ```text
    /// EmptyTensorMap() -> (handle: variant)
    /// ```
    empty_tensor_map EmptyTensorMap graph (graph: graph "") -> one {}

    /// Begins a node of `FIFOQueue`, which has state.
    ///
    /// ```text
    /// FIFOQueue() -> (handle: Ref(string))
    ///   component_types: list(type) >= 1
    ///   shapes: list(shape) >= 0 = []
    ///   capacity: int = -1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    fifo_queue FIFOQueue graph (graph: graph "", component_types: dtypes "component_types") -> one {
        /// Sets `shapes: list(shape) >= 0 = []`.
        shapes: shapes "shapes";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `FIFOQueueV2`, which has state.
    ///
    /// ```text
    /// FIFOQueueV2() -> (handle: resource)
    ///   component_types: list(type) >= 1
    ///   shapes: list(shape) >= 0 = []
    ///   capacity: int = -1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    fifo_queue_v2 FIFOQueueV2 graph (graph: graph "", component_types: dtypes "component_types") -> one {
        /// Sets `shapes: list(shape) >= 0 = []`.
        shapes: shapes "shapes";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `GetSessionHandle`, which has state.
    ///
    /// ```text
    /// GetSessionHandle(value: T) -> (handle: string)
    ///   T: type
    /// ```
    get_session_handle GetSessionHandle value (value: one "value") -> one {}

    /// Begins a node of `GetSessionHandleV2`, which has state.
    ///
    /// ```text
    /// GetSessionHandleV2(value: T) -> (handle: resource)
    ///   T: type
    /// ```
    get_session_handle_v2 GetSessionHandleV2 value (value: one "value") -> one {}

    /// Begins a node of `GetSessionTensor`, which has state.
    ///
    /// ```text
    /// GetSessionTensor(handle: string) -> (value: dtype)
    ///   dtype: type
    /// ```
    get_session_tensor GetSessionTensor handle (handle: one "handle", dtype: dtype "dtype") -> one {}

    /// Begins a node of `HashTable`, which has state.
    ///
    /// ```text
    /// HashTable() -> (table_handle: Ref(string))
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    hash_table HashTable graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
    }

    /// Begins a node of `HashTableV2`, which has state.
    ///
    /// ```text
    /// HashTableV2() -> (table_handle: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    hash_table_v2 HashTableV2 graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
    }

    /// Begins a node of `InitializeTable`.
    ///
    /// ```text
    /// InitializeTable(table_handle: Ref(string), keys: Tkey, values: Tval) -> ()
    ///   Tkey: type
    ///   Tval: type
    /// ```
    initialize_table InitializeTable table_handle (table_handle: one "table_handle", keys: one "keys", values: one "values") -> none {}

    /// Begins a node of `InitializeTableFromTextFile`.
    ///
    /// ```text
    /// InitializeTableFromTextFile(table_handle: Ref(string), filename: string) -> ()
    ///   key_index: int >= -2
    ///   value_index: int >= -2
    ///   vocab_size: int >= -1 = -1
    ///   delimiter: string = '\t'
    ///   offset: int = 0
    /// ```
    initialize_table_from_text_file InitializeTableFromTextFile table_handle (table_handle: one "table_handle", filename: one "filename", key_index: int "key_index", value_index: int "value_index") -> none {
        /// Sets `vocab_size: int >= -1 = -1`.
        vocab_size: int "vocab_size";
        /// Sets `delimiter: string = '\t'`.
        delimiter: string "delimiter";
        /// Sets `offset: int = 0`.
        offset: int "offset";
    }

    /// Begins a node of `InitializeTableFromTextFileV2`, which has state.
    ///
    /// ```text
    /// InitializeTableFromTextFileV2(table_handle: resource, filename: string) -> ()
    ///   key_index: int >= -2
    ///   value_index: int >= -2
    ///   vocab_size: int >= -1 = -1
    ///   delimiter: string = '\t'
    ///   offset: int = 0
    /// ```
    initialize_table_from_text_file_v2 InitializeTableFromTextFileV2 table_handle (table_handle: one "table_handle", filename: one "filename", key_index: int "key_index", value_index: int "value_index") -> none {
        /// Sets `vocab_size: int >= -1 = -1`.
        vocab_size: int "vocab_size";
        /// Sets `delimiter: string = '\t'`.
        delimiter: string "delimiter";
        /// Sets `offset: int = 0`.
        offset: int "offset";
    }

    /// Begins a node of `InitializeTableV2`, which has state.
    ///
    /// ```text
    /// InitializeTableV2(table_handle: resource, keys: Tkey, values: Tval) -> ()
    ///   Tkey: type
    ///   Tval: type
    /// ```
    initialize_table_v2 InitializeTableV2 table_handle (table_handle: one "table_handle", keys: one "keys", values: one "values") -> none {}

    /// Begins a node of `LookupTableExport`.
    ///
    /// ```text
    /// LookupTableExport(table_handle: Ref(string)) -> (keys: Tkeys, values: Tvalues)
    ///   Tkeys: type
    ///   Tvalues: type
    /// ```
    lookup_table_export LookupTableExport table_handle (table_handle: one "table_handle", tkeys: dtype "Tkeys", tvalues: dtype "Tvalues") -> (LookupTableExportOutputs keys: one, values: one) {}

    /// Begins a node of `LookupTableExportV2`, which has state.
    ///
    /// ```text
    /// LookupTableExportV2(table_handle: resource) -> (keys: Tkeys, values: Tvalues)
    ///   Tkeys: type
    ///   Tvalues: type
    /// ```
    lookup_table_export_v2 LookupTableExportV2 table_handle (table_handle: one "table_handle", tkeys: dtype "Tkeys", tvalues: dtype "Tvalues") -> (LookupTableExportV2Outputs keys: one, values: one) {}

    /// Begins a node of `LookupTableFind`.
    ///
    /// ```text
    /// LookupTableFind(table_handle: Ref(string), keys: Tin, default_value: Tout) -> (values: Tout)
    ///   Tin: type
    ///   Tout: type
    /// ```
    lookup_table_find LookupTableFind table_handle (table_handle: one "table_handle", keys: one "keys", default_value: one "default_value") -> one {}

    /// Begins a node of `LookupTableFindV2`, which has state.
    ///
    /// ```text
    /// LookupTableFindV2(table_handle: resource, keys: Tin, default_value: Tout) -> (values: Tout)
    ///   Tin: type
    ///   Tout: type
    /// ```
    lookup_table_find_v2 LookupTableFindV2 table_handle (table_handle: one "table_handle", keys: one "keys", default_value: one "default_value") -> one {}

    /// Begins a node of `LookupTableImport`.
    ///
    /// ```text
    /// LookupTableImport(table_handle: Ref(string), keys: Tin, values: Tout) -> ()
    ///   Tin: type
    ///   Tout: type
    /// ```
    lookup_table_import LookupTableImport table_handle (table_handle: one "table_handle", keys: one "keys", values: one "values") -> none {}

    /// Begins a node of `LookupTableImportV2`, which has state.
    ///
    /// ```text
    /// LookupTableImportV2(table_handle: resource, keys: Tin, values: Tout) -> ()
    ///   Tin: type
    ///   Tout: type
    /// ```
    lookup_table_import_v2 LookupTableImportV2 table_handle (table_handle: one "table_handle", keys: one "keys", values: one "values") -> none {}

    /// Begins a node of `LookupTableInsert`.
    ///
    /// ```text
    /// LookupTableInsert(table_handle: Ref(string), keys: Tin, values: Tout) -> ()
    ///   Tin: type
    ///   Tout: type
    /// ```
    lookup_table_insert LookupTableInsert table_handle (table_handle: one "table_handle", keys: one "keys", values: one "values") -> none {}

    /// Begins a node of `LookupTableInsertV2`, which has state.
    ///
    /// ```text
    /// LookupTableInsertV2(table_handle: resource, keys: Tin, values: Tout) -> ()
    ///   Tin: type
    ///   Tout: type
    /// ```
    lookup_table_insert_v2 LookupTableInsertV2 table_handle (table_handle: one "table_handle", keys: one "keys", values: one "values") -> none {}

    /// Begins a node of `LookupTableRemoveV2`, which has state.
    ///
    /// ```text
    /// LookupTableRemoveV2(table_handle: resource, keys: Tin) -> ()
    ///   Tin: type
    /// ```
    lookup_table_remove_v2 LookupTableRemoveV2 table_handle (table_handle: one "table_handle", keys: one "keys") -> none {}

    /// Begins a node of `LookupTableSize`.
    ///
    /// ```text
    /// LookupTableSize(table_handle: Ref(string)) -> (size: int64)
    /// ```
    lookup_table_size LookupTableSize table_handle (table_handle: one "table_handle") -> one {}

    /// Begins a node of `LookupTableSizeV2`, which has state.
    ///
    /// ```text
    /// LookupTableSizeV2(table_handle: resource) -> (size: int64)
    /// ```
    lookup_table_size_v2 LookupTableSizeV2 table_handle (table_handle: one "table_handle") -> one {}

    /// Begins a node of `MapClear`, which has state.
    ///
    /// ```text
    /// MapClear() -> ()
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    map_clear MapClear graph (graph: graph "", dtypes: dtypes "dtypes") -> none {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `MapIncompleteSize`, which has state.
    ///
    /// ```text
    /// MapIncompleteSize() -> (size: int32)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    map_incomplete_size MapIncompleteSize graph (graph: graph "", dtypes: dtypes "dtypes") -> one {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `MapPeek`, which has state.
    ///
    /// ```text
    /// MapPeek(key: int64, indices: int32) -> (values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    map_peek MapPeek key (key: one "key", indices: one "indices", dtypes: dtypes "dtypes") -> list {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `MapSize`, which has state.
    ///
    /// ```text
    /// MapSize() -> (size: int32)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    map_size MapSize graph (graph: graph "", dtypes: dtypes "dtypes") -> one {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `MapStage`, which has state.
    ///
    /// ```text
    /// MapStage(key: int64, indices: int32, values: fake_dtypes) -> ()
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   fake_dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    map_stage MapStage key (key: one "key", indices: one "indices", values: list "values", dtypes: dtypes "dtypes") -> none {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `MapUnstage`, which has state.
    ///
    /// ```text
    /// MapUnstage(key: int64, indices: int32) -> (values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    map_unstage MapUnstage key (key: one "key", indices: one "indices", dtypes: dtypes "dtypes") -> list {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `MapUnstageNoKey`, which has state.
    ///
    /// ```text
    /// MapUnstageNoKey(indices: int32) -> (key: int64, values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    map_unstage_no_key MapUnstageNoKey indices (indices: one "indices", dtypes: dtypes "dtypes") -> (MapUnstageNoKeyOutputs key: one, values: list) {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `MutableDenseHashTable`, which has state.
    ///
    /// ```text
    /// MutableDenseHashTable(empty_key: key_dtype) -> (table_handle: Ref(string))
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    ///   value_shape: shape = []
    ///   initial_num_buckets: int = 131072
    ///   max_load_factor: float = 0.8
    /// ```
    mutable_dense_hash_table MutableDenseHashTable empty_key (empty_key: one "empty_key", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
        /// Sets `value_shape: shape = []`.
        value_shape: shape "value_shape";
        /// Sets `initial_num_buckets: int = 131072`.
        initial_num_buckets: int "initial_num_buckets";
        /// Sets `max_load_factor: float = 0.8`.
        max_load_factor: float "max_load_factor";
    }

    /// Begins a node of `MutableDenseHashTableV2`, which has state.
    ///
    /// ```text
    /// MutableDenseHashTableV2(empty_key: key_dtype, deleted_key: key_dtype) -> (table_handle: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    ///   value_shape: shape = []
    ///   initial_num_buckets: int = 131072
    ///   max_load_factor: float = 0.8
    /// ```
    mutable_dense_hash_table_v2 MutableDenseHashTableV2 empty_key (empty_key: one "empty_key", deleted_key: one "deleted_key", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
        /// Sets `value_shape: shape = []`.
        value_shape: shape "value_shape";
        /// Sets `initial_num_buckets: int = 131072`.
        initial_num_buckets: int "initial_num_buckets";
        /// Sets `max_load_factor: float = 0.8`.
        max_load_factor: float "max_load_factor";
    }

    /// Begins a node of `MutableHashTable`, which has state.
    ///
    /// ```text
    /// MutableHashTable() -> (table_handle: Ref(string))
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    mutable_hash_table MutableHashTable graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
    }

    /// Begins a node of `MutableHashTableOfTensors`, which has state.
    ///
    /// ```text
    /// MutableHashTableOfTensors() -> (table_handle: Ref(string))
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    ///   value_shape: shape = []
    /// ```
    mutable_hash_table_of_tensors MutableHashTableOfTensors graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
        /// Sets `value_shape: shape = []`.
        value_shape: shape "value_shape";
    }

    /// Begins a node of `MutableHashTableOfTensorsV2`, which has state.
    ///
    /// ```text
    /// MutableHashTableOfTensorsV2() -> (table_handle: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    ///   value_shape: shape = []
    /// ```
    mutable_hash_table_of_tensors_v2 MutableHashTableOfTensorsV2 graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
        /// Sets `value_shape: shape = []`.
        value_shape: shape "value_shape";
    }

    /// Begins a node of `MutableHashTableV2`, which has state.
    ///
    /// ```text
    /// MutableHashTableV2() -> (table_handle: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   use_node_name_sharing: bool = false
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    mutable_hash_table_v2 MutableHashTableV2 graph (graph: graph "", key_dtype: dtype "key_dtype", value_dtype: dtype "value_dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `use_node_name_sharing: bool = false`.
        use_node_name_sharing: bool "use_node_name_sharing";
    }

    /// Begins a node of `OptionalFromValue`.
    ///
    /// ```text
    /// OptionalFromValue(components: Toutput_types) -> (optional: variant)
    ///   Toutput_types: list(type) >= 1
    /// ```
    optional_from_value OptionalFromValue graph (graph: graph "", components: list "components") -> one {}

    /// Begins a node of `OptionalGetValue`.
    ///
    /// ```text
    /// OptionalGetValue(optional: variant) -> (components: output_types)
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    /// ```
    optional_get_value OptionalGetValue optional (optional: one "optional", output_types: dtypes "output_types", output_shapes: shapes "output_shapes") -> list {}

    /// Begins a node of `OptionalHasValue`.
    ///
    /// ```text
    /// OptionalHasValue(optional: variant) -> (has_value: bool)
    /// ```
    optional_has_value OptionalHasValue optional (optional: one "optional") -> one {}

    /// Begins a node of `OptionalNone`.
    ///
    /// ```text
    /// OptionalNone() -> (optional: variant)
    /// ```
    optional_none OptionalNone graph (graph: graph "") -> one {}

    /// Begins a node of `OrderedMapClear`, which has state.
    ///
    /// ```text
    /// OrderedMapClear() -> ()
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    ordered_map_clear OrderedMapClear graph (graph: graph "", dtypes: dtypes "dtypes") -> none {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `OrderedMapIncompleteSize`, which has state.
    ///
    /// ```text
    /// OrderedMapIncompleteSize() -> (size: int32)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    ordered_map_incomplete_size OrderedMapIncompleteSize graph (graph: graph "", dtypes: dtypes "dtypes") -> one {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `OrderedMapPeek`, which has state.
    ///
    /// ```text
    /// OrderedMapPeek(key: int64, indices: int32) -> (values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    ordered_map_peek OrderedMapPeek key (key: one "key", indices: one "indices", dtypes: dtypes "dtypes") -> list {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `OrderedMapSize`, which has state.
    ///
    /// ```text
    /// OrderedMapSize() -> (size: int32)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    ordered_map_size OrderedMapSize graph (graph: graph "", dtypes: dtypes "dtypes") -> one {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `OrderedMapStage`, which has state.
    ///
    /// ```text
    /// OrderedMapStage(key: int64, indices: int32, values: fake_dtypes) -> ()
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   fake_dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    ordered_map_stage OrderedMapStage key (key: one "key", indices: one "indices", values: list "values", dtypes: dtypes "dtypes") -> none {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `OrderedMapUnstage`, which has state.
    ///
    /// ```text
    /// OrderedMapUnstage(key: int64, indices: int32) -> (values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    ordered_map_unstage OrderedMapUnstage key (key: one "key", indices: one "indices", dtypes: dtypes "dtypes") -> list {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `OrderedMapUnstageNoKey`, which has state.
    ///
    /// ```text
    /// OrderedMapUnstageNoKey(indices: int32) -> (key: int64, values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    ordered_map_unstage_no_key OrderedMapUnstageNoKey indices (indices: one "indices", dtypes: dtypes "dtypes") -> (OrderedMapUnstageNoKeyOutputs key: one, values: list) {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `PaddingFIFOQueue`, which has state.
    ///
    /// ```text
    /// PaddingFIFOQueue() -> (handle: Ref(string))
    ///   component_types: list(type) >= 1
    ///   shapes: list(shape) >= 0 = []
    ///   capacity: int = -1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    padding_fifo_queue PaddingFIFOQueue graph (graph: graph "", component_types: dtypes "component_types") -> one {
        /// Sets `shapes: list(shape) >= 0 = []`.
        shapes: shapes "shapes";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `PaddingFIFOQueueV2`, which has state.
    ///
    /// ```text
    /// PaddingFIFOQueueV2() -> (handle: resource)
    ///   component_types: list(type) >= 1
    ///   shapes: list(shape) >= 0 = []
    ///   capacity: int = -1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    padding_fifo_queue_v2 PaddingFIFOQueueV2 graph (graph: graph "", component_types: dtypes "component_types") -> one {
        /// Sets `shapes: list(shape) >= 0 = []`.
        shapes: shapes "shapes";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `PriorityQueue`, which has state.
    ///
    /// ```text
    /// PriorityQueue() -> (handle: Ref(string))
    ///   component_types: list(type) >= 0 = []
    ///   shapes: list(shape) >= 0
    ///   capacity: int = -1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    priority_queue PriorityQueue graph (graph: graph "", shapes: shapes "shapes") -> one {
        /// Sets `component_types: list(type) >= 0 = []`.
        component_types: dtypes "component_types";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `PriorityQueueV2`, which has state.
    ///
    /// ```text
    /// PriorityQueueV2() -> (handle: resource)
    ///   component_types: list(type) >= 0 = []
    ///   shapes: list(shape) >= 0
    ///   capacity: int = -1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    priority_queue_v2 PriorityQueueV2 graph (graph: graph "", shapes: shapes "shapes") -> one {
        /// Sets `component_types: list(type) >= 0 = []`.
        component_types: dtypes "component_types";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `QueueClose`.
    ///
    /// ```text
    /// QueueClose(handle: Ref(string)) -> ()
    ///   cancel_pending_enqueues: bool = false
    /// ```
    queue_close QueueClose handle (handle: one "handle") -> none {
        /// Sets `cancel_pending_enqueues: bool = false`.
        cancel_pending_enqueues: bool "cancel_pending_enqueues";
    }

    /// Begins a node of `QueueCloseV2`, which has state.
    ///
    /// ```text
    /// QueueCloseV2(handle: resource) -> ()
    ///   cancel_pending_enqueues: bool = false
    /// ```
    queue_close_v2 QueueCloseV2 handle (handle: one "handle") -> none {
        /// Sets `cancel_pending_enqueues: bool = false`.
        cancel_pending_enqueues: bool "cancel_pending_enqueues";
    }

    /// Begins a node of `QueueDequeue`.
    ///
    /// ```text
    /// QueueDequeue(handle: Ref(string)) -> (components: component_types)
    ///   component_types: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_dequeue QueueDequeue handle (handle: one "handle", component_types: dtypes "component_types") -> list {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueDequeueMany`.
    ///
    /// ```text
    /// QueueDequeueMany(handle: Ref(string), n: int32) -> (components: component_types)
    ///   component_types: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_dequeue_many QueueDequeueMany handle (handle: one "handle", n: one "n", component_types: dtypes "component_types") -> list {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueDequeueManyV2`, which has state.
    ///
    /// ```text
    /// QueueDequeueManyV2(handle: resource, n: int32) -> (components: component_types)
    ///   component_types: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_dequeue_many_v2 QueueDequeueManyV2 handle (handle: one "handle", n: one "n", component_types: dtypes "component_types") -> list {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueDequeueUpTo`.
    ///
    /// ```text
    /// QueueDequeueUpTo(handle: Ref(string), n: int32) -> (components: component_types)
    ///   component_types: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_dequeue_up_to QueueDequeueUpTo handle (handle: one "handle", n: one "n", component_types: dtypes "component_types") -> list {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueDequeueUpToV2`, which has state.
    ///
    /// ```text
    /// QueueDequeueUpToV2(handle: resource, n: int32) -> (components: component_types)
    ///   component_types: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_dequeue_up_to_v2 QueueDequeueUpToV2 handle (handle: one "handle", n: one "n", component_types: dtypes "component_types") -> list {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueDequeueV2`, which has state.
    ///
    /// ```text
    /// QueueDequeueV2(handle: resource) -> (components: component_types)
    ///   component_types: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_dequeue_v2 QueueDequeueV2 handle (handle: one "handle", component_types: dtypes "component_types") -> list {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueEnqueue`.
    ///
    /// ```text
    /// QueueEnqueue(handle: Ref(string), components: Tcomponents) -> ()
    ///   Tcomponents: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_enqueue QueueEnqueue handle (handle: one "handle", components: list "components") -> none {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueEnqueueMany`.
    ///
    /// ```text
    /// QueueEnqueueMany(handle: Ref(string), components: Tcomponents) -> ()
    ///   Tcomponents: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_enqueue_many QueueEnqueueMany handle (handle: one "handle", components: list "components") -> none {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueEnqueueManyV2`, which has state.
    ///
    /// ```text
    /// QueueEnqueueManyV2(handle: resource, components: Tcomponents) -> ()
    ///   Tcomponents: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_enqueue_many_v2 QueueEnqueueManyV2 handle (handle: one "handle", components: list "components") -> none {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueEnqueueV2`, which has state.
    ///
    /// ```text
    /// QueueEnqueueV2(handle: resource, components: Tcomponents) -> ()
    ///   Tcomponents: list(type) >= 1
    ///   timeout_ms: int = -1
    /// ```
    queue_enqueue_v2 QueueEnqueueV2 handle (handle: one "handle", components: list "components") -> none {
        /// Sets `timeout_ms: int = -1`.
        timeout_ms: int "timeout_ms";
    }

    /// Begins a node of `QueueIsClosed`.
    ///
    /// ```text
    /// QueueIsClosed(handle: Ref(string)) -> (is_closed: bool)
    /// ```
    queue_is_closed QueueIsClosed handle (handle: one "handle") -> one {}

    /// Begins a node of `QueueIsClosedV2`, which has state.
    ///
    /// ```text
    /// QueueIsClosedV2(handle: resource) -> (is_closed: bool)
    /// ```
    queue_is_closed_v2 QueueIsClosedV2 handle (handle: one "handle") -> one {}

    /// Begins a node of `QueueSize`.
    ///
    /// ```text
    /// QueueSize(handle: Ref(string)) -> (size: int32)
    /// ```
    queue_size QueueSize handle (handle: one "handle") -> one {}

    /// Begins a node of `QueueSizeV2`, which has state.
    ///
    /// ```text
    /// QueueSizeV2(handle: resource) -> (size: int32)
    /// ```
    queue_size_v2 QueueSizeV2 handle (handle: one "handle") -> one {}

    /// Begins a node of `RandomShuffleQueue`, which has state.
    ///
    /// ```text
    /// RandomShuffleQueue() -> (handle: Ref(string))
    ///   component_types: list(type) >= 1
    ///   shapes: list(shape) >= 0 = []
    ///   capacity: int = -1
    ///   min_after_dequeue: int = 0
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    random_shuffle_queue RandomShuffleQueue graph (graph: graph "", component_types: dtypes "component_types") -> one {
        /// Sets `shapes: list(shape) >= 0 = []`.
        shapes: shapes "shapes";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `min_after_dequeue: int = 0`.
        min_after_dequeue: int "min_after_dequeue";
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `RandomShuffleQueueV2`, which has state.
    ///
    /// ```text
    /// RandomShuffleQueueV2() -> (handle: resource)
    ///   component_types: list(type) >= 1
    ///   shapes: list(shape) >= 0 = []
    ///   capacity: int = -1
    ///   min_after_dequeue: int = 0
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    random_shuffle_queue_v2 RandomShuffleQueueV2 graph (graph: graph "", component_types: dtypes "component_types") -> one {
        /// Sets `shapes: list(shape) >= 0 = []`.
        shapes: shapes "shapes";
        /// Sets `capacity: int = -1`.
        capacity: int "capacity";
        /// Sets `min_after_dequeue: int = 0`.
        min_after_dequeue: int "min_after_dequeue";
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `Recv`, which has state.
    ///
    /// ```text
    /// Recv() -> (tensor: tensor_type)
    ///   tensor_type: type
    ///   tensor_name: string
    ///   send_device: string
    ///   send_device_incarnation: int
    ///   recv_device: string
    ///   client_terminated: bool = false
    /// ```
    recv Recv graph (graph: graph "", tensor_type: dtype "tensor_type", tensor_name: string "tensor_name", send_device: string "send_device", send_device_incarnation: int "send_device_incarnation", recv_device: string "recv_device") -> one {
        /// Sets `client_terminated: bool = false`.
        client_terminated: bool "client_terminated";
    }

    /// Begins a node of `ResourceAccumulatorApplyGradient`, which has state.
    ///
    /// ```text
    /// ResourceAccumulatorApplyGradient(handle: resource, local_step: int64, gradient: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    resource_accumulator_apply_gradient ResourceAccumulatorApplyGradient handle (handle: one "handle", local_step: one "local_step", gradient: one "gradient") -> none {}

    /// Begins a node of `ResourceAccumulatorCounts`, which has state.
    ///
    /// ```text
    /// ResourceAccumulatorCounts(handle: resource) -> (accepted_and_dropped: int64, workers: string, by_worker: int64)
    /// ```
    resource_accumulator_counts ResourceAccumulatorCounts handle (handle: one "handle") -> (ResourceAccumulatorCountsOutputs accepted_and_dropped: one, workers: one, by_worker: one) {}

    /// Begins a node of `ResourceAccumulatorNumAccumulated`, which has state.
    ///
    /// ```text
    /// ResourceAccumulatorNumAccumulated(handle: resource) -> (num_accumulated: int32)
    /// ```
    resource_accumulator_num_accumulated ResourceAccumulatorNumAccumulated handle (handle: one "handle") -> one {}

    /// Begins a node of `ResourceAccumulatorSetGlobalStep`, which has state.
    ///
    /// ```text
    /// ResourceAccumulatorSetGlobalStep(handle: resource, new_global_step: int64) -> ()
    /// ```
    resource_accumulator_set_global_step ResourceAccumulatorSetGlobalStep handle (handle: one "handle", new_global_step: one "new_global_step") -> none {}

    /// Begins a node of `ResourceAccumulatorTakeGradient`, which has state.
    ///
    /// ```text
    /// ResourceAccumulatorTakeGradient(handle: resource, num_required: int32) -> (average: dtype)
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    resource_accumulator_take_gradient ResourceAccumulatorTakeGradient handle (handle: one "handle", num_required: one "num_required", dtype: dtype "dtype") -> one {}

    /// Begins a node of `ResourceConditionalAccumulator`, which has state.
    ///
    /// ```text
    /// ResourceConditionalAccumulator() -> (handle: resource)
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   shape: shape
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   reduction_type: string in ["MEAN", "SUM"] = 'MEAN'
    /// ```
    resource_conditional_accumulator ResourceConditionalAccumulator graph (graph: graph "", dtype: dtype "dtype", shape: shape "shape") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `reduction_type: string in ["MEAN", "SUM"] = 'MEAN'`.
        reduction_type: string "reduction_type";
    }

    /// Begins a node of `Send`, which has state.
    ///
    /// ```text
    /// Send(tensor: T) -> ()
    ///   T: type
    ///   tensor_name: string
    ///   send_device: string
    ///   send_device_incarnation: int
    ///   recv_device: string
    ///   client_terminated: bool = false
    /// ```
    send Send tensor (tensor: one "tensor", tensor_name: string "tensor_name", send_device: string "send_device", send_device_incarnation: int "send_device_incarnation", recv_device: string "recv_device") -> none {
        /// Sets `client_terminated: bool = false`.
        client_terminated: bool "client_terminated";
    }

    /// Begins a node of `ShardAdvance`.
    ///
    /// ```text
    /// ShardAdvance(state: Ref(int64), ranges: int64, records: int64) -> (taken: bool)
    ///   lease_millis: int = 30000
    /// ```
    shard_advance ShardAdvance state (state: one "state", ranges: one "ranges", records: one "records") -> one {
        /// Sets `lease_millis: int = 30000`.
        lease_millis: int "lease_millis";
    }

    /// Begins a node of `ShardNext`.
    ///
    /// ```text
    /// ShardNext(state: Ref(int64), ranges: int64, worker: int64) -> (given: int64)
    ///   epochs: int = 1
    ///   lease_millis: int = 30000
    ///   seed: int = 0
    /// ```
    shard_next ShardNext state (state: one "state", ranges: one "ranges", worker: one "worker") -> one {
        /// Sets `epochs: int = 1`.
        epochs: int "epochs";
        /// Sets `lease_millis: int = 30000`.
        lease_millis: int "lease_millis";
        /// Sets `seed: int = 0`.
        seed: int "seed";
    }

    /// Begins a node of `ShardPass`, which has state.
    ///
    /// ```text
    /// ShardPass(taken: bool, input: T) -> (output: T)
    ///   T: list(type) >= 1
    /// ```
    shard_pass ShardPass taken (taken: one "taken", input: list "input") -> list {}

    /// Begins a node of `ShardReady`, which has state.
    ///
    /// ```text
    /// ShardReady(input: T) -> (output: T)
    ///   T: list(type) >= 1
    /// ```
    shard_ready ShardReady graph (graph: graph "", input: list "input") -> list {}

    /// Begins a node of `SparseAccumulatorApplyGradient`.
    ///
    /// ```text
    /// SparseAccumulatorApplyGradient(handle: Ref(string), local_step: int64, gradient_indices: int64,
    ///     gradient_values: dtype, gradient_shape: int64) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   has_known_shape: bool
    /// ```
    sparse_accumulator_apply_gradient SparseAccumulatorApplyGradient handle (handle: one "handle", local_step: one "local_step", gradient_indices: one "gradient_indices", gradient_values: one "gradient_values", gradient_shape: one "gradient_shape", has_known_shape: bool "has_known_shape") -> none {}

    /// Begins a node of `SparseAccumulatorTakeGradient`.
    ///
    /// ```text
    /// SparseAccumulatorTakeGradient(handle: Ref(string), num_required: int32) -> (indices: int64, values: dtype,
    ///     shape: int64)
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_accumulator_take_gradient SparseAccumulatorTakeGradient handle (handle: one "handle", num_required: one "num_required", dtype: dtype "dtype") -> (SparseAccumulatorTakeGradientOutputs indices: one, values: one, shape: one) {}

    /// Begins a node of `SparseConditionalAccumulator`, which has state.
    ///
    /// ```text
    /// SparseConditionalAccumulator() -> (handle: Ref(string))
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   shape: shape
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   reduction_type: string in ["MEAN", "SUM"] = 'MEAN'
    /// ```
    sparse_conditional_accumulator SparseConditionalAccumulator graph (graph: graph "", dtype: dtype "dtype", shape: shape "shape") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `reduction_type: string in ["MEAN", "SUM"] = 'MEAN'`.
        reduction_type: string "reduction_type";
    }

    /// Begins a node of `Stack`, which has state.
    ///
    /// ```text
    /// Stack() -> (handle: Ref(string))
    ///   elem_type: type
    ///   stack_name: string = ''
    /// ```
    stack Stack graph (graph: graph "", elem_type: dtype "elem_type") -> one {
        /// Sets `stack_name: string = ''`.
        stack_name: string "stack_name";
    }

    /// Begins a node of `StackClose`.
    ///
    /// ```text
    /// StackClose(handle: Ref(string)) -> ()
    /// ```
    stack_close StackClose handle (handle: one "handle") -> none {}

    /// Begins a node of `StackCloseV2`, which has state.
    ///
    /// ```text
    /// StackCloseV2(handle: resource) -> ()
    /// ```
    stack_close_v2 StackCloseV2 handle (handle: one "handle") -> none {}

    /// Begins a node of `StackPop`.
    ///
    /// ```text
    /// StackPop(handle: Ref(string)) -> (elem: elem_type)
    ///   elem_type: type
    /// ```
    stack_pop StackPop handle (handle: one "handle", elem_type: dtype "elem_type") -> one {}

    /// Begins a node of `StackPopV2`, which has state.
    ///
    /// ```text
    /// StackPopV2(handle: resource) -> (elem: elem_type)
    ///   elem_type: type
    /// ```
    stack_pop_v2 StackPopV2 handle (handle: one "handle", elem_type: dtype "elem_type") -> one {}

    /// Begins a node of `StackPush`.
    ///
    /// ```text
    /// StackPush(handle: Ref(string), elem: T) -> (output: T)
    ///   T: type
    ///   swap_memory: bool = false
    /// ```
    stack_push StackPush handle (handle: one "handle", elem: one "elem") -> one {
        /// Sets `swap_memory: bool = false`.
        swap_memory: bool "swap_memory";
    }

    /// Begins a node of `StackPushV2`, which has state.
    ///
    /// ```text
    /// StackPushV2(handle: resource, elem: T) -> (output: T)
    ///   T: type
    ///   swap_memory: bool = false
    /// ```
    stack_push_v2 StackPushV2 handle (handle: one "handle", elem: one "elem") -> one {
        /// Sets `swap_memory: bool = false`.
        swap_memory: bool "swap_memory";
    }

    /// Begins a node of `StackV2`, which has state.
    ///
    /// ```text
    /// StackV2(max_size: int32) -> (handle: resource)
    ///   elem_type: type
    ///   stack_name: string = ''
    /// ```
    stack_v2 StackV2 max_size (max_size: one "max_size", elem_type: dtype "elem_type") -> one {
        /// Sets `stack_name: string = ''`.
        stack_name: string "stack_name";
    }

    /// Begins a node of `Stage`, which has state.
    ///
    /// ```text
    /// Stage(values: dtypes) -> ()
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    stage Stage graph (graph: graph "", values: list "values") -> none {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `StageClear`, which has state.
    ///
    /// ```text
    /// StageClear() -> ()
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    stage_clear StageClear graph (graph: graph "", dtypes: dtypes "dtypes") -> none {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `StagePeek`, which has state.
    ///
    /// ```text
    /// StagePeek(index: int32) -> (values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    stage_peek StagePeek index (index: one "index", dtypes: dtypes "dtypes") -> list {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `StageSize`, which has state.
    ///
    /// ```text
    /// StageSize() -> (size: int32)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    stage_size StageSize graph (graph: graph "", dtypes: dtypes "dtypes") -> one {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `TensorArray`, which has state.
    ///
    /// ```text
    /// TensorArray(size: int32) -> (handle: Ref(string))
    ///   dtype: type
    ///   dynamic_size: bool = false
    ///   clear_after_read: bool = true
    ///   tensor_array_name: string = ''
    ///   element_shape: shape = <unknown>
    /// ```
    tensor_array TensorArray size (size: one "size", dtype: dtype "dtype") -> one {
        /// Sets `dynamic_size: bool = false`.
        dynamic_size: bool "dynamic_size";
        /// Sets `clear_after_read: bool = true`.
        clear_after_read: bool "clear_after_read";
        /// Sets `tensor_array_name: string = ''`.
        tensor_array_name: string "tensor_array_name";
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
    }

    /// Begins a node of `TensorArrayClose`.
    ///
    /// ```text
    /// TensorArrayClose(handle: Ref(string)) -> ()
    /// ```
    tensor_array_close TensorArrayClose handle (handle: one "handle") -> none {}

    /// Begins a node of `TensorArrayCloseV2`.
    ///
    /// ```text
    /// TensorArrayCloseV2(handle: string) -> ()
    /// ```
    tensor_array_close_v2 TensorArrayCloseV2 handle (handle: one "handle") -> none {}

    /// Begins a node of `TensorArrayCloseV3`, which has state.
    ///
    /// ```text
    /// TensorArrayCloseV3(handle: resource) -> ()
    /// ```
    tensor_array_close_v3 TensorArrayCloseV3 handle (handle: one "handle") -> none {}

    /// Begins a node of `TensorArrayConcat`.
    ///
    /// ```text
    /// TensorArrayConcat(handle: Ref(string), flow_in: float) -> (value: dtype, lengths: int64)
    ///   dtype: type
    ///   element_shape_except0: shape = <unknown>
    /// ```
    tensor_array_concat TensorArrayConcat handle (handle: one "handle", flow_in: one "flow_in", dtype: dtype "dtype") -> (TensorArrayConcatOutputs value: one, lengths: one) {
        /// Sets `element_shape_except0: shape = <unknown>`.
        element_shape_except0: shape "element_shape_except0";
    }

    /// Begins a node of `TensorArrayConcatV2`.
    ///
    /// ```text
    /// TensorArrayConcatV2(handle: string, flow_in: float) -> (value: dtype, lengths: int64)
    ///   dtype: type
    ///   element_shape_except0: shape = <unknown>
    /// ```
    tensor_array_concat_v2 TensorArrayConcatV2 handle (handle: one "handle", flow_in: one "flow_in", dtype: dtype "dtype") -> (TensorArrayConcatV2Outputs value: one, lengths: one) {
        /// Sets `element_shape_except0: shape = <unknown>`.
        element_shape_except0: shape "element_shape_except0";
    }

    /// Begins a node of `TensorArrayConcatV3`, which has state.
    ///
    /// ```text
    /// TensorArrayConcatV3(handle: resource, flow_in: float) -> (value: dtype, lengths: int64)
    ///   dtype: type
    ///   element_shape_except0: shape = <unknown>
    /// ```
    tensor_array_concat_v3 TensorArrayConcatV3 handle (handle: one "handle", flow_in: one "flow_in", dtype: dtype "dtype") -> (TensorArrayConcatV3Outputs value: one, lengths: one) {
        /// Sets `element_shape_except0: shape = <unknown>`.
        element_shape_except0: shape "element_shape_except0";
    }

    /// Begins a node of `TensorArrayGather`.
    ///
    /// ```text
    /// TensorArrayGather(handle: Ref(string), indices: int32, flow_in: float) -> (value: dtype)
    ///   dtype: type
    ///   element_shape: shape = <unknown>
    /// ```
    tensor_array_gather TensorArrayGather handle (handle: one "handle", indices: one "indices", flow_in: one "flow_in", dtype: dtype "dtype") -> one {
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
    }

    /// Begins a node of `TensorArrayGatherV2`.
    ///
    /// ```text
    /// TensorArrayGatherV2(handle: string, indices: int32, flow_in: float) -> (value: dtype)
    ///   dtype: type
    ///   element_shape: shape = <unknown>
    /// ```
    tensor_array_gather_v2 TensorArrayGatherV2 handle (handle: one "handle", indices: one "indices", flow_in: one "flow_in", dtype: dtype "dtype") -> one {
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
    }

    /// Begins a node of `TensorArrayGatherV3`, which has state.
    ///
    /// ```text
    /// TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float) -> (value: dtype)
    ///   dtype: type
    ///   element_shape: shape = <unknown>
    /// ```
    tensor_array_gather_v3 TensorArrayGatherV3 handle (handle: one "handle", indices: one "indices", flow_in: one "flow_in", dtype: dtype "dtype") -> one {
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
    }

    /// Begins a node of `TensorArrayGrad`, which has state.
    ///
    /// ```text
    /// TensorArrayGrad(handle: string, flow_in: float) -> (grad_handle: Ref(string))
    ///   source: string
    /// ```
    tensor_array_grad TensorArrayGrad handle (handle: one "handle", flow_in: one "flow_in", source: string "source") -> one {}

    /// Begins a node of `TensorArrayGradV2`, which has state.
    ///
    /// ```text
    /// TensorArrayGradV2(handle: string, flow_in: float) -> (grad_handle: string)
    ///   source: string
    /// ```
    tensor_array_grad_v2 TensorArrayGradV2 handle (handle: one "handle", flow_in: one "flow_in", source: string "source") -> one {}

    /// Begins a node of `TensorArrayGradV3`, which has state.
    ///
    /// ```text
    /// TensorArrayGradV3(handle: resource, flow_in: float) -> (grad_handle: resource, flow_out: float)
    ///   source: string
    /// ```
    tensor_array_grad_v3 TensorArrayGradV3 handle (handle: one "handle", flow_in: one "flow_in", source: string "source") -> (TensorArrayGradV3Outputs grad_handle: one, flow_out: one) {}

    /// Begins a node of `TensorArrayGradWithShape`, which has state.
    ///
    /// ```text
    /// TensorArrayGradWithShape(handle: resource, flow_in: float, shape_to_prepend: int32) -> (grad_handle: resource,
    ///     flow_out: float)
    ///   source: string
    /// ```
    tensor_array_grad_with_shape TensorArrayGradWithShape handle (handle: one "handle", flow_in: one "flow_in", shape_to_prepend: one "shape_to_prepend", source: string "source") -> (TensorArrayGradWithShapeOutputs grad_handle: one, flow_out: one) {}

    /// Begins a node of `TensorArrayPack`.
    ///
    /// ```text
    /// TensorArrayPack(handle: Ref(string), flow_in: float) -> (value: dtype)
    ///   dtype: type
    ///   element_shape: shape = <unknown>
    /// ```
    tensor_array_pack TensorArrayPack handle (handle: one "handle", flow_in: one "flow_in", dtype: dtype "dtype") -> one {
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
    }

    /// Begins a node of `TensorArrayRead`.
    ///
    /// ```text
    /// TensorArrayRead(handle: Ref(string), index: int32, flow_in: float) -> (value: dtype)
    ///   dtype: type
    /// ```
    tensor_array_read TensorArrayRead handle (handle: one "handle", index: one "index", flow_in: one "flow_in", dtype: dtype "dtype") -> one {}

    /// Begins a node of `TensorArrayReadV2`.
    ///
    /// ```text
    /// TensorArrayReadV2(handle: string, index: int32, flow_in: float) -> (value: dtype)
    ///   dtype: type
    /// ```
    tensor_array_read_v2 TensorArrayReadV2 handle (handle: one "handle", index: one "index", flow_in: one "flow_in", dtype: dtype "dtype") -> one {}

    /// Begins a node of `TensorArrayReadV3`, which has state.
    ///
    /// ```text
    /// TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> (value: dtype)
    ///   dtype: type
    /// ```
    tensor_array_read_v3 TensorArrayReadV3 handle (handle: one "handle", index: one "index", flow_in: one "flow_in", dtype: dtype "dtype") -> one {}

    /// Begins a node of `TensorArrayScatter`.
    ///
    /// ```text
    /// TensorArrayScatter(handle: Ref(string), indices: int32, value: T, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_scatter TensorArrayScatter handle (handle: one "handle", indices: one "indices", value: one "value", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArrayScatterV2`.
    ///
    /// ```text
    /// TensorArrayScatterV2(handle: string, indices: int32, value: T, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_scatter_v2 TensorArrayScatterV2 handle (handle: one "handle", indices: one "indices", value: one "value", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArrayScatterV3`, which has state.
    ///
    /// ```text
    /// TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_scatter_v3 TensorArrayScatterV3 handle (handle: one "handle", indices: one "indices", value: one "value", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArraySize`.
    ///
    /// ```text
    /// TensorArraySize(handle: Ref(string), flow_in: float) -> (size: int32)
    /// ```
    tensor_array_size TensorArraySize handle (handle: one "handle", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArraySizeV2`.
    ///
    /// ```text
    /// TensorArraySizeV2(handle: string, flow_in: float) -> (size: int32)
    /// ```
    tensor_array_size_v2 TensorArraySizeV2 handle (handle: one "handle", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArraySizeV3`, which has state.
    ///
    /// ```text
    /// TensorArraySizeV3(handle: resource, flow_in: float) -> (size: int32)
    /// ```
    tensor_array_size_v3 TensorArraySizeV3 handle (handle: one "handle", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArraySplit`.
    ///
    /// ```text
    /// TensorArraySplit(handle: Ref(string), value: T, lengths: int64, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_split TensorArraySplit handle (handle: one "handle", value: one "value", lengths: one "lengths", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArraySplitV2`.
    ///
    /// ```text
    /// TensorArraySplitV2(handle: string, value: T, lengths: int64, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_split_v2 TensorArraySplitV2 handle (handle: one "handle", value: one "value", lengths: one "lengths", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArraySplitV3`, which has state.
    ///
    /// ```text
    /// TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_split_v3 TensorArraySplitV3 handle (handle: one "handle", value: one "value", lengths: one "lengths", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArrayUnpack`.
    ///
    /// ```text
    /// TensorArrayUnpack(handle: Ref(string), value: T, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_unpack TensorArrayUnpack handle (handle: one "handle", value: one "value", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArrayV2`, which has state.
    ///
    /// ```text
    /// TensorArrayV2(size: int32) -> (handle: string)
    ///   dtype: type
    ///   element_shape: shape = <unknown>
    ///   dynamic_size: bool = false
    ///   clear_after_read: bool = true
    ///   tensor_array_name: string = ''
    /// ```
    tensor_array_v2 TensorArrayV2 size (size: one "size", dtype: dtype "dtype") -> one {
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
        /// Sets `dynamic_size: bool = false`.
        dynamic_size: bool "dynamic_size";
        /// Sets `clear_after_read: bool = true`.
        clear_after_read: bool "clear_after_read";
        /// Sets `tensor_array_name: string = ''`.
        tensor_array_name: string "tensor_array_name";
    }

    /// Begins a node of `TensorArrayV3`, which has state.
    ///
    /// ```text
    /// TensorArrayV3(size: int32) -> (handle: resource, flow: float)
    ///   dtype: type
    ///   element_shape: shape = <unknown>
    ///   dynamic_size: bool = false
    ///   clear_after_read: bool = true
    ///   identical_element_shapes: bool = false
    ///   tensor_array_name: string = ''
    /// ```
    tensor_array_v3 TensorArrayV3 size (size: one "size", dtype: dtype "dtype") -> (TensorArrayV3Outputs handle: one, flow: one) {
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
        /// Sets `dynamic_size: bool = false`.
        dynamic_size: bool "dynamic_size";
        /// Sets `clear_after_read: bool = true`.
        clear_after_read: bool "clear_after_read";
        /// Sets `identical_element_shapes: bool = false`.
        identical_element_shapes: bool "identical_element_shapes";
        /// Sets `tensor_array_name: string = ''`.
        tensor_array_name: string "tensor_array_name";
    }

    /// Begins a node of `TensorArrayWrite`.
    ///
    /// ```text
    /// TensorArrayWrite(handle: Ref(string), index: int32, value: T, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_write TensorArrayWrite handle (handle: one "handle", index: one "index", value: one "value", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArrayWriteV2`.
    ///
    /// ```text
    /// TensorArrayWriteV2(handle: string, index: int32, value: T, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_write_v2 TensorArrayWriteV2 handle (handle: one "handle", index: one "index", value: one "value", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorArrayWriteV3`, which has state.
    ///
    /// ```text
    /// TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float) -> (flow_out: float)
    ///   T: type
    /// ```
    tensor_array_write_v3 TensorArrayWriteV3 handle (handle: one "handle", index: one "index", value: one "value", flow_in: one "flow_in") -> one {}

    /// Begins a node of `TensorListConcat`.
    ///
    /// ```text
    /// TensorListConcat(input_handle: variant) -> (tensor: element_dtype, lengths: int64)
    ///   element_dtype: type
    ///   element_shape: shape = <unknown>
    /// ```
    tensor_list_concat TensorListConcat input_handle (input_handle: one "input_handle", element_dtype: dtype "element_dtype") -> (TensorListConcatOutputs tensor: one, lengths: one) {
        /// Sets `element_shape: shape = <unknown>`.
        element_shape: shape "element_shape";
    }

    /// Begins a node of `TensorListConcatLists`.
    ///
    /// ```text
    /// TensorListConcatLists(input_a: variant, input_b: variant) -> (output: variant)
    ///   element_dtype: type
    /// ```
    tensor_list_concat_lists TensorListConcatLists input_a (input_a: one "input_a", input_b: one "input_b", element_dtype: dtype "element_dtype") -> one {}

    /// Begins a node of `TensorListConcatV2`.
    ///
    /// ```text
    /// TensorListConcatV2(input_handle: variant, element_shape: shape_type, leading_dims: int64) -> (tensor:
    ///     element_dtype, lengths: int64)
    ///   element_dtype: type
    ///   shape_type: type in {int32, int64}
    /// ```
    tensor_list_concat_v2 TensorListConcatV2 input_handle (input_handle: one "input_handle", element_shape: one "element_shape", leading_dims: one "leading_dims", element_dtype: dtype "element_dtype") -> (TensorListConcatV2Outputs tensor: one, lengths: one) {}

    /// Begins a node of `TensorListElementShape`.
    ///
    /// ```text
    /// TensorListElementShape(input_handle: variant) -> (element_shape: shape_type)
    ///   shape_type: type in {int32, int64}
    /// ```
    tensor_list_element_shape TensorListElementShape input_handle (input_handle: one "input_handle", shape_type: dtype "shape_type") -> one {}

    /// Begins a node of `TensorListFromTensor`.
    ///
    /// ```text
    /// TensorListFromTensor(tensor: element_dtype, element_shape: shape_type) -> (output_handle: variant)
    ///   element_dtype: type
    ///   shape_type: type in {int32, int64}
    /// ```
    tensor_list_from_tensor TensorListFromTensor tensor (tensor: one "tensor", element_shape: one "element_shape") -> one {}

    /// Begins a node of `TensorListGather`.
    ///
    /// ```text
    /// TensorListGather(input_handle: variant, indices: int32, element_shape: int32) -> (values: element_dtype)
    ///   element_dtype: type
    /// ```
    tensor_list_gather TensorListGather input_handle (input_handle: one "input_handle", indices: one "indices", element_shape: one "element_shape", element_dtype: dtype "element_dtype") -> one {}

    /// Begins a node of `TensorListGetItem`.
    ///
    /// ```text
    /// TensorListGetItem(input_handle: variant, index: int32, element_shape: Tshape) -> (item: element_dtype)
    ///   element_dtype: type
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    tensor_list_get_item TensorListGetItem input_handle (input_handle: one "input_handle", index: one "index", element_shape: one "element_shape", element_dtype: dtype "element_dtype") -> one {}

    /// Begins a node of `TensorListLength`.
    ///
    /// ```text
    /// TensorListLength(input_handle: variant) -> (length: int32)
    /// ```
    tensor_list_length TensorListLength input_handle (input_handle: one "input_handle") -> one {}

    /// Begins a node of `TensorListPopBack`.
    ///
    /// ```text
    /// TensorListPopBack(input_handle: variant, element_shape: int32) -> (output_handle: variant, tensor:
    ///     element_dtype)
    ///   element_dtype: type
    /// ```
    tensor_list_pop_back TensorListPopBack input_handle (input_handle: one "input_handle", element_shape: one "element_shape", element_dtype: dtype "element_dtype") -> (TensorListPopBackOutputs output_handle: one, tensor: one) {}

    /// Begins a node of `TensorListPushBack`.
    ///
    /// ```text
    /// TensorListPushBack(input_handle: variant, tensor: element_dtype) -> (output_handle: variant)
    ///   element_dtype: type
    /// ```
    tensor_list_push_back TensorListPushBack input_handle (input_handle: one "input_handle", tensor: one "tensor") -> one {}

    /// Begins a node of `TensorListPushBackBatch`.
    ///
    /// ```text
    /// TensorListPushBackBatch(input_handles: variant, tensor: element_dtype) -> (output_handles: variant)
    ///   element_dtype: type
    /// ```
    tensor_list_push_back_batch TensorListPushBackBatch input_handles (input_handles: one "input_handles", tensor: one "tensor") -> one {}

    /// Begins a node of `TensorListReserve`.
    ///
    /// ```text
    /// TensorListReserve(element_shape: shape_type, num_elements: int32) -> (handle: variant)
    ///   element_dtype: type
    ///   shape_type: type in {int32, int64}
    /// ```
    tensor_list_reserve TensorListReserve element_shape (element_shape: one "element_shape", num_elements: one "num_elements", element_dtype: dtype "element_dtype") -> one {}

    /// Begins a node of `TensorListResize`.
    ///
    /// ```text
    /// TensorListResize(input_handle: variant, size: int32) -> (output_handle: variant)
    /// ```
    tensor_list_resize TensorListResize input_handle (input_handle: one "input_handle", size: one "size") -> one {}

    /// Begins a node of `TensorListScatter`.
    ///
    /// ```text
    /// TensorListScatter(tensor: element_dtype, indices: int32, element_shape: shape_type) -> (output_handle: variant)
    ///   element_dtype: type
    ///   shape_type: type in {int32, int64}
    /// ```
    tensor_list_scatter TensorListScatter tensor (tensor: one "tensor", indices: one "indices", element_shape: one "element_shape") -> one {}

    /// Begins a node of `TensorListScatterIntoExistingList`.
    ///
    /// ```text
    /// TensorListScatterIntoExistingList(input_handle: variant, tensor: element_dtype, indices: int32) ->
    ///     (output_handle: variant)
    ///   element_dtype: type
    /// ```
    tensor_list_scatter_into_existing_list TensorListScatterIntoExistingList input_handle (input_handle: one "input_handle", tensor: one "tensor", indices: one "indices") -> one {}

    /// Begins a node of `TensorListScatterV2`.
    ///
    /// ```text
    /// TensorListScatterV2(tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32) ->
    ///     (output_handle: variant)
    ///   element_dtype: type
    ///   shape_type: type in {int32, int64}
    /// ```
    tensor_list_scatter_v2 TensorListScatterV2 tensor (tensor: one "tensor", indices: one "indices", element_shape: one "element_shape", num_elements: one "num_elements") -> one {}

    /// Begins a node of `TensorListSetItem`.
    ///
    /// ```text
    /// TensorListSetItem(input_handle: variant, index: int32, item: element_dtype) -> (output_handle: variant)
    ///   element_dtype: type
    ///   resize_if_index_out_of_bounds: bool = false
    /// ```
    tensor_list_set_item TensorListSetItem input_handle (input_handle: one "input_handle", index: one "index", item: one "item") -> one {
        /// Sets `resize_if_index_out_of_bounds: bool = false`.
        resize_if_index_out_of_bounds: bool "resize_if_index_out_of_bounds";
    }

    /// Begins a node of `TensorListSplit`.
    ///
    /// ```text
    /// TensorListSplit(tensor: element_dtype, element_shape: shape_type, lengths: int64) -> (output_handle: variant)
    ///   element_dtype: type
    ///   shape_type: type in {int32, int64}
    /// ```
    tensor_list_split TensorListSplit tensor (tensor: one "tensor", element_shape: one "element_shape", lengths: one "lengths") -> one {}

    /// Begins a node of `TensorListStack`.
    ///
    /// ```text
    /// TensorListStack(input_handle: variant, element_shape: int32) -> (tensor: element_dtype)
    ///   element_dtype: type
    ///   num_elements: int = -1
    /// ```
    tensor_list_stack TensorListStack input_handle (input_handle: one "input_handle", element_shape: one "element_shape", element_dtype: dtype "element_dtype") -> one {
        /// Sets `num_elements: int = -1`.
        num_elements: int "num_elements";
    }

    /// Begins a node of `TensorMapErase`.
    ///
    /// ```text
    /// TensorMapErase(input_handle: variant, key: key_dtype) -> (output_handle: variant)
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    tensor_map_erase TensorMapErase input_handle (input_handle: one "input_handle", key: one "key", value_dtype: dtype "value_dtype") -> one {}

    /// Begins a node of `TensorMapHasKey`.
    ///
    /// ```text
    /// TensorMapHasKey(input_handle: variant, key: key_dtype) -> (has_key: bool)
    ///   key_dtype: type
    /// ```
    tensor_map_has_key TensorMapHasKey input_handle (input_handle: one "input_handle", key: one "key") -> one {}

    /// Begins a node of `TensorMapInsert`.
    ///
    /// ```text
    /// TensorMapInsert(input_handle: variant, key: key_dtype, value: value_dtype) -> (output_handle: variant)
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    tensor_map_insert TensorMapInsert input_handle (input_handle: one "input_handle", key: one "key", value: one "value") -> one {}

    /// Begins a node of `TensorMapLookup`.
    ///
    /// ```text
    /// TensorMapLookup(input_handle: variant, key: key_dtype) -> (value: value_dtype)
    ///   key_dtype: type
    ///   value_dtype: type
    /// ```
    tensor_map_lookup TensorMapLookup input_handle (input_handle: one "input_handle", key: one "key", value_dtype: dtype "value_dtype") -> one {}

    /// Begins a node of `TensorMapSize`.
    ///
    /// ```text
    /// TensorMapSize(input_handle: variant) -> (size: int32)
    /// ```
    tensor_map_size TensorMapSize input_handle (input_handle: one "input_handle") -> one {}

    /// Begins a node of `TensorMapStackKeys`.
    ///
    /// ```text
    /// TensorMapStackKeys(input_handle: variant) -> (keys: key_dtype)
    ///   key_dtype: type
    /// ```
    tensor_map_stack_keys TensorMapStackKeys input_handle (input_handle: one "input_handle", key_dtype: dtype "key_dtype") -> one {}

    /// Begins a node of `Unstage`, which has state.
    ///
    /// ```text
    /// Unstage() -> (values: dtypes)
    ///   capacity: int >= 0 = 0
    ///   memory_limit: int >= 0 = 0
    ///   dtypes: list(type) >= 1
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    unstage Unstage graph (graph: graph "", dtypes: dtypes "dtypes") -> list {
        /// Sets `capacity: int >= 0 = 0`.
        capacity: int "capacity";
        /// Sets `memory_limit: int >= 0 = 0`.
        memory_limit: int "memory_limit";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }
}
