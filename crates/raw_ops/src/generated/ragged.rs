//! The ops of the group `ragged`. Written by `cargo xtask generate`; not to be edited.

ops! {
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
}
