//! The ops of the group `ragged`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `RaggedCross`.
    ///
    /// ```text
    /// RaggedCross(ragged_values: ragged_values_types, ragged_row_splits: ragged_splits_types, sparse_indices: Nsparse
    ///     * int64, sparse_values: sparse_values_types, sparse_shape: Nsparse * int64, dense_inputs: dense_types) ->
    ///     (output_values: out_values_type, output_row_splits: out_row_splits_type)
    ///   Nsparse: int >= 0
    ///   input_order: string
    ///   hashed_output: bool
    ///   num_buckets: int >= 0
    ///   hash_key: int
    ///   ragged_values_types: list(type) in {int64, string} >= 0
    ///   ragged_splits_types: list(type) in {int32, int64} >= 0
    ///   sparse_values_types: list(type) in {int64, string} >= 0
    ///   dense_types: list(type) in {int64, string} >= 0
    ///   out_values_type: type in {int64, string}
    ///   out_row_splits_type: type in {int32, int64}
    /// ```
    ragged_cross RaggedCross graph (graph: graph "", ragged_values: list "ragged_values", ragged_row_splits: list "ragged_row_splits", sparse_indices: list "sparse_indices", sparse_values: list "sparse_values", sparse_shape: list "sparse_shape", dense_inputs: list "dense_inputs", input_order: string "input_order", hashed_output: bool "hashed_output", num_buckets: int "num_buckets", hash_key: int "hash_key", out_values_type: dtype "out_values_type", out_row_splits_type: dtype "out_row_splits_type") -> (RaggedCrossOutputs output_values: one, output_row_splits: one) {}

    /// Begins a node of `RaggedFillEmptyRows`.
    ///
    /// ```text
    /// RaggedFillEmptyRows(value_rowids: int64, values: T, nrows: int64, default_value: T) -> (output_value_rowids:
    ///     int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64)
    ///   T: type
    /// ```
    ragged_fill_empty_rows RaggedFillEmptyRows value_rowids (value_rowids: one "value_rowids", values: one "values", nrows: one "nrows", default_value: one "default_value") -> (RaggedFillEmptyRowsOutputs output_value_rowids: one, output_values: one, empty_row_indicator: one, reverse_index_map: one) {}

    /// Begins a node of `RaggedFillEmptyRowsGrad`.
    ///
    /// ```text
    /// RaggedFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T) -> (d_values: T, d_default_value: T)
    ///   T: type
    /// ```
    ragged_fill_empty_rows_grad RaggedFillEmptyRowsGrad reverse_index_map (reverse_index_map: one "reverse_index_map", grad_values: one "grad_values") -> (RaggedFillEmptyRowsGradOutputs d_values: one, d_default_value: one) {}

    /// Begins a node of `RaggedGather`.
    ///
    /// ```text
    /// RaggedGather(params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices:
    ///     Tindices) -> (output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues)
    ///   Tvalues: type
    ///   Tindices: type in {int32, int64}
    ///   Tsplits: type in {int32, int64} = int64
    ///   PARAMS_RAGGED_RANK: int >= 1
    ///   OUTPUT_RAGGED_RANK: int >= 0
    /// ```
    ragged_gather RaggedGather params_dense_values (params_nested_splits: list "params_nested_splits", params_dense_values: one "params_dense_values", indices: one "indices", output_ragged_rank: int "OUTPUT_RAGGED_RANK") -> (RaggedGatherOutputs output_nested_splits: list, output_dense_values: one) {}

    /// Begins a node of `RaggedRange`.
    ///
    /// ```text
    /// RaggedRange(starts: T, limits: T, deltas: T) -> (rt_nested_splits: Tsplits, rt_dense_values: T)
    ///   T: type in {bfloat16, float, double, int32, int64} = int32
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    ragged_range RaggedRange starts (starts: one "starts", limits: one "limits", deltas: one "deltas") -> (RaggedRangeOutputs rt_nested_splits: one, rt_dense_values: one) {
        /// Sets `Tsplits: type in {int32, int64} = int64`.
        tsplits: dtype "Tsplits";
    }

    /// Begins a node of `RaggedTensorFromVariant`.
    ///
    /// ```text
    /// RaggedTensorFromVariant(encoded_ragged: variant) -> (output_nested_splits: output_ragged_rank * Tsplits,
    ///     output_dense_values: Tvalues)
    ///   input_ragged_rank: int >= -1
    ///   output_ragged_rank: int >= 0
    ///   Tvalues: type
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    ragged_tensor_from_variant RaggedTensorFromVariant encoded_ragged (encoded_ragged: one "encoded_ragged", input_ragged_rank: int "input_ragged_rank", output_ragged_rank: int "output_ragged_rank", tvalues: dtype "Tvalues") -> (RaggedTensorFromVariantOutputs output_nested_splits: list, output_dense_values: one) {
        /// Sets `Tsplits: type in {int32, int64} = int64`.
        tsplits: dtype "Tsplits";
    }

    /// Begins a node of `RaggedTensorToSparse`.
    ///
    /// ```text
    /// RaggedTensorToSparse(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T) -> (sparse_indices: int64,
    ///     sparse_values: T, sparse_dense_shape: int64)
    ///   RAGGED_RANK: int >= 1
    ///   T: type
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    ragged_tensor_to_sparse RaggedTensorToSparse rt_dense_values (rt_nested_splits: list "rt_nested_splits", rt_dense_values: one "rt_dense_values") -> (RaggedTensorToSparseOutputs sparse_indices: one, sparse_values: one, sparse_dense_shape: one) {}

    /// Begins a node of `RaggedTensorToTensor`.
    ///
    /// ```text
    /// RaggedTensorToTensor(shape: Tshape, values: T, default_value: T, row_partition_tensors:
    ///     num_row_partition_tensors * Tindex) -> (result: T)
    ///   T: type
    ///   Tindex: type in {int64, int32}
    ///   Tshape: type in {int64, int32}
    ///   num_row_partition_tensors: int >= 1
    ///   row_partition_types: list(string)
    /// ```
    ragged_tensor_to_tensor RaggedTensorToTensor shape (shape: one "shape", values: one "values", default_value: one "default_value", row_partition_tensors: list "row_partition_tensors", row_partition_types: strings "row_partition_types") -> one {}

    /// Begins a node of `RaggedTensorToVariant`.
    ///
    /// ```text
    /// RaggedTensorToVariant(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues) -> (encoded_ragged:
    ///     variant)
    ///   RAGGED_RANK: int >= 0
    ///   Tvalues: type
    ///   Tsplits: type in {int32, int64} = int64
    ///   batched_input: bool
    /// ```
    ragged_tensor_to_variant RaggedTensorToVariant rt_dense_values (rt_nested_splits: list "rt_nested_splits", rt_dense_values: one "rt_dense_values", batched_input: bool "batched_input") -> one {
        /// Sets `Tsplits`, which follows from the inputs unless there are none.
        tsplits: dtype "Tsplits";
    }

    /// Begins a node of `RaggedTensorToVariantGradient`.
    ///
    /// ```text
    /// RaggedTensorToVariantGradient(encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32) ->
    ///     (dense_values_grad: Tvalues)
    ///   Tvalues: type
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    ragged_tensor_to_variant_gradient RaggedTensorToVariantGradient encoded_ragged_grad (encoded_ragged_grad: one "encoded_ragged_grad", row_splits: one "row_splits", dense_values_shape: one "dense_values_shape", tvalues: dtype "Tvalues") -> one {}
}
