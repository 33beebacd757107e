//! The ops of the group `sparse`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AddManySparseToTensorsMap`, which has state.
    ///
    /// ```text
    /// AddManySparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (sparse_handles:
    ///     int64)
    ///   T: type
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    add_many_sparse_to_tensors_map AddManySparseToTensorsMap sparse_indices (sparse_indices: one "sparse_indices", sparse_values: one "sparse_values", sparse_shape: one "sparse_shape") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `AddSparseToTensorsMap`, which has state.
    ///
    /// ```text
    /// AddSparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (sparse_handle: int64)
    ///   T: type
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    add_sparse_to_tensors_map AddSparseToTensorsMap sparse_indices (sparse_indices: one "sparse_indices", sparse_values: one "sparse_values", sparse_shape: one "sparse_shape") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `CSRSparseMatrixComponents`.
    ///
    /// ```text
    /// CSRSparseMatrixComponents(csr_sparse_matrix: variant, index: int32) -> (row_ptrs: int32, col_inds: int32,
    ///     values: type)
    ///   type: type in {float, double, complex64, complex128}
    /// ```
    csr_sparse_matrix_components CSRSparseMatrixComponents csr_sparse_matrix (csr_sparse_matrix: one "csr_sparse_matrix", index: one "index", type_: dtype "type") -> (CSRSparseMatrixComponentsOutputs row_ptrs: one, col_inds: one, values: one) {}

    /// Begins a node of `CSRSparseMatrixToDense`.
    ///
    /// ```text
    /// CSRSparseMatrixToDense(sparse_input: variant) -> (dense_output: type)
    ///   type: type in {float, double, complex64, complex128}
    /// ```
    csr_sparse_matrix_to_dense CSRSparseMatrixToDense sparse_input (sparse_input: one "sparse_input", type_: dtype "type") -> one {}

    /// Begins a node of `CSRSparseMatrixToSparseTensor`.
    ///
    /// ```text
    /// CSRSparseMatrixToSparseTensor(sparse_matrix: variant) -> (indices: int64, values: type, dense_shape: int64)
    ///   type: type in {float, double, complex64, complex128}
    /// ```
    csr_sparse_matrix_to_sparse_tensor CSRSparseMatrixToSparseTensor sparse_matrix (sparse_matrix: one "sparse_matrix", type_: dtype "type") -> (CSRSparseMatrixToSparseTensorOutputs indices: one, values: one, dense_shape: one) {}

    /// Begins a node of `DenseCountSparseOutput`.
    ///
    /// ```text
    /// DenseCountSparseOutput(values: T, weights: output_type) -> (output_indices: int64, output_values: output_type,
    ///     output_dense_shape: int64)
    ///   T: type in {int32, int64}
    ///   minlength: int >= -1 = -1
    ///   maxlength: int >= -1 = -1
    ///   binary_output: bool
    ///   output_type: type in {int32, int64, float, double}
    /// ```
    dense_count_sparse_output DenseCountSparseOutput values (values: one "values", weights: one "weights", binary_output: bool "binary_output") -> (DenseCountSparseOutputOutputs output_indices: one, output_values: one, output_dense_shape: one) {
        /// Sets `minlength: int >= -1 = -1`.
        minlength: int "minlength";
        /// Sets `maxlength: int >= -1 = -1`.
        maxlength: int "maxlength";
    }

    /// Begins a node of `DenseToCSRSparseMatrix`.
    ///
    /// ```text
    /// DenseToCSRSparseMatrix(dense_input: T, indices: int64) -> (sparse_output: variant)
    ///   T: type in {float, double, complex64, complex128}
    /// ```
    dense_to_csr_sparse_matrix DenseToCSRSparseMatrix dense_input (dense_input: one "dense_input", indices: one "indices") -> one {}

    /// Begins a node of `DenseToDenseSetOperation`.
    ///
    /// ```text
    /// DenseToDenseSetOperation(set1: T, set2: T) -> (result_indices: int64, result_values: T, result_shape: int64)
    ///   set_operation: string
    ///   validate_indices: bool = true
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, string}
    /// ```
    dense_to_dense_set_operation DenseToDenseSetOperation set1 (set1: one "set1", set2: one "set2", set_operation: string "set_operation") -> (DenseToDenseSetOperationOutputs result_indices: one, result_values: one, result_shape: one) {
        /// Sets `validate_indices: bool = true`.
        validate_indices: bool "validate_indices";
    }

    /// Begins a node of `DenseToSparseSetOperation`.
    ///
    /// ```text
    /// DenseToSparseSetOperation(set1: T, set2_indices: int64, set2_values: T, set2_shape: int64) -> (result_indices:
    ///     int64, result_values: T, result_shape: int64)
    ///   set_operation: string
    ///   validate_indices: bool = true
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, string}
    /// ```
    dense_to_sparse_set_operation DenseToSparseSetOperation set1 (set1: one "set1", set2_indices: one "set2_indices", set2_values: one "set2_values", set2_shape: one "set2_shape", set_operation: string "set_operation") -> (DenseToSparseSetOperationOutputs result_indices: one, result_values: one, result_shape: one) {
        /// Sets `validate_indices: bool = true`.
        validate_indices: bool "validate_indices";
    }

    /// Begins a node of `DeserializeManySparse`.
    ///
    /// ```text
    /// DeserializeManySparse(serialized_sparse: string) -> (sparse_indices: int64, sparse_values: dtype, sparse_shape:
    ///     int64)
    ///   dtype: type
    /// ```
    deserialize_many_sparse DeserializeManySparse serialized_sparse (serialized_sparse: one "serialized_sparse", dtype: dtype "dtype") -> (DeserializeManySparseOutputs sparse_indices: one, sparse_values: one, sparse_shape: one) {}

    /// Begins a node of `DeserializeSparse`.
    ///
    /// ```text
    /// DeserializeSparse(serialized_sparse: Tserialized) -> (sparse_indices: int64, sparse_values: dtype,
    ///     sparse_shape: int64)
    ///   dtype: type
    ///   Tserialized: type in {string, variant} = string
    /// ```
    deserialize_sparse DeserializeSparse serialized_sparse (serialized_sparse: one "serialized_sparse", dtype: dtype "dtype") -> (DeserializeSparseOutputs sparse_indices: one, sparse_values: one, sparse_shape: one) {}

    /// Begins a node of `EditDistance`.
    ///
    /// ```text
    /// EditDistance(hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64,
    ///     truth_values: T, truth_shape: int64) -> (output: float)
    ///   normalize: bool = true
    ///   T: type
    /// ```
    edit_distance EditDistance hypothesis_indices (hypothesis_indices: one "hypothesis_indices", hypothesis_values: one "hypothesis_values", hypothesis_shape: one "hypothesis_shape", truth_indices: one "truth_indices", truth_values: one "truth_values", truth_shape: one "truth_shape") -> one {
        /// Sets `normalize: bool = true`.
        normalize: bool "normalize";
    }

    /// Begins a node of `RaggedBincount`.
    ///
    /// ```text
    /// RaggedBincount(splits: int64, values: Tidx, size: Tidx, weights: T) -> (output: T)
    ///   Tidx: type in {int32, int64}
    ///   T: type in {int32, int64, float, double}
    ///   binary_output: bool = false
    /// ```
    ragged_bincount RaggedBincount splits (splits: one "splits", values: one "values", size: one "size", weights: one "weights") -> one {
        /// Sets `binary_output: bool = false`.
        binary_output: bool "binary_output";
    }

    /// Begins a node of `RaggedCountSparseOutput`.
    ///
    /// ```text
    /// RaggedCountSparseOutput(splits: int64, values: T, weights: output_type) -> (output_indices: int64,
    ///     output_values: output_type, output_dense_shape: int64)
    ///   T: type in {int32, int64}
    ///   minlength: int >= -1 = -1
    ///   maxlength: int >= -1 = -1
    ///   binary_output: bool
    ///   output_type: type in {int32, int64, float, double}
    /// ```
    ragged_count_sparse_output RaggedCountSparseOutput splits (splits: one "splits", values: one "values", weights: one "weights", binary_output: bool "binary_output") -> (RaggedCountSparseOutputOutputs output_indices: one, output_values: one, output_dense_shape: one) {
        /// Sets `minlength: int >= -1 = -1`.
        minlength: int "minlength";
        /// Sets `maxlength: int >= -1 = -1`.
        maxlength: int "maxlength";
    }

    /// Begins a node of `SerializeManySparse`.
    ///
    /// ```text
    /// SerializeManySparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse:
    ///     out_type)
    ///   T: type
    ///   out_type: type in {string, variant} = string
    /// ```
    serialize_many_sparse SerializeManySparse sparse_indices (sparse_indices: one "sparse_indices", sparse_values: one "sparse_values", sparse_shape: one "sparse_shape") -> one {
        /// Sets `out_type: type in {string, variant} = string`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `SerializeSparse`.
    ///
    /// ```text
    /// SerializeSparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse: out_type)
    ///   T: type
    ///   out_type: type in {string, variant} = string
    /// ```
    serialize_sparse SerializeSparse sparse_indices (sparse_indices: one "sparse_indices", sparse_values: one "sparse_values", sparse_shape: one "sparse_shape") -> one {
        /// Sets `out_type: type in {string, variant} = string`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `SetSize`.
    ///
    /// ```text
    /// SetSize(set_indices: int64, set_values: T, set_shape: int64) -> (size: int32)
    ///   validate_indices: bool = true
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, string}
    /// ```
    set_size SetSize set_indices (set_indices: one "set_indices", set_values: one "set_values", set_shape: one "set_shape") -> one {
        /// Sets `validate_indices: bool = true`.
        validate_indices: bool "validate_indices";
    }

    /// Begins a node of `SparseAdd`.
    ///
    /// ```text
    /// SparseAdd(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh:
    ///     Treal) -> (sum_indices: int64, sum_values: T, sum_shape: int64)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Treal: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    sparse_add SparseAdd a_indices (a_indices: one "a_indices", a_values: one "a_values", a_shape: one "a_shape", b_indices: one "b_indices", b_values: one "b_values", b_shape: one "b_shape", thresh: one "thresh") -> (SparseAddOutputs sum_indices: one, sum_values: one, sum_shape: one) {}

    /// Begins a node of `SparseAddGrad`.
    ///
    /// ```text
    /// SparseAddGrad(backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64) -> (a_val_grad: T,
    ///     b_val_grad: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_add_grad SparseAddGrad backprop_val_grad (backprop_val_grad: one "backprop_val_grad", a_indices: one "a_indices", b_indices: one "b_indices", sum_indices: one "sum_indices") -> (SparseAddGradOutputs a_val_grad: one, b_val_grad: one) {}

    /// Begins a node of `SparseBincount`.
    ///
    /// ```text
    /// SparseBincount(indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T) -> (output: T)
    ///   Tidx: type in {int32, int64}
    ///   T: type in {int32, int64, float, double}
    ///   binary_output: bool = false
    /// ```
    sparse_bincount SparseBincount indices (indices: one "indices", values: one "values", dense_shape: one "dense_shape", size: one "size", weights: one "weights") -> one {
        /// Sets `binary_output: bool = false`.
        binary_output: bool "binary_output";
    }

    /// Begins a node of `SparseConcat`.
    ///
    /// ```text
    /// SparseConcat(indices: N * int64, values: N * T, shapes: N * int64) -> (output_indices: int64, output_values: T,
    ///     output_shape: int64)
    ///   concat_dim: int
    ///   N: int >= 2
    ///   T: type
    /// ```
    sparse_concat SparseConcat graph (graph: graph "", indices: list "indices", values: list "values", shapes: list "shapes", concat_dim: int "concat_dim") -> (SparseConcatOutputs output_indices: one, output_values: one, output_shape: one) {}

    /// Begins a node of `SparseCountSparseOutput`.
    ///
    /// ```text
    /// SparseCountSparseOutput(indices: int64, values: T, dense_shape: int64, weights: output_type) ->
    ///     (output_indices: int64, output_values: output_type, output_dense_shape: int64)
    ///   T: type in {int32, int64}
    ///   minlength: int >= -1 = -1
    ///   maxlength: int >= -1 = -1
    ///   binary_output: bool
    ///   output_type: type in {int32, int64, float, double}
    /// ```
    sparse_count_sparse_output SparseCountSparseOutput indices (indices: one "indices", values: one "values", dense_shape: one "dense_shape", weights: one "weights", binary_output: bool "binary_output") -> (SparseCountSparseOutputOutputs output_indices: one, output_values: one, output_dense_shape: one) {
        /// Sets `minlength: int >= -1 = -1`.
        minlength: int "minlength";
        /// Sets `maxlength: int >= -1 = -1`.
        maxlength: int "maxlength";
    }

    /// Begins a node of `SparseCross`.
    ///
    /// ```text
    /// SparseCross(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types) ->
    ///     (output_indices: int64, output_values: out_type, output_shape: int64)
    ///   N: int >= 0
    ///   hashed_output: bool
    ///   num_buckets: int >= 0
    ///   hash_key: int
    ///   sparse_types: list(type) in {int64, string} >= 0
    ///   dense_types: list(type) in {int64, string} >= 0
    ///   out_type: type in {int64, string}
    ///   internal_type: type in {int64, string}
    /// ```
    sparse_cross SparseCross graph (graph: graph "", indices: list "indices", values: list "values", shapes: list "shapes", dense_inputs: list "dense_inputs", hashed_output: bool "hashed_output", num_buckets: int "num_buckets", hash_key: int "hash_key", out_type: dtype "out_type", internal_type: dtype "internal_type") -> (SparseCrossOutputs output_indices: one, output_values: one, output_shape: one) {}

    /// Begins a node of `SparseCrossHashed`.
    ///
    /// ```text
    /// SparseCrossHashed(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types,
    ///     num_buckets: int64, strong_hash: bool, salt: int64) -> (output_indices: int64, output_values: int64,
    ///     output_shape: int64)
    ///   N: int >= 0
    ///   sparse_types: list(type) in {int64, string} >= 0
    ///   dense_types: list(type) in {int64, string} >= 0
    /// ```
    sparse_cross_hashed SparseCrossHashed num_buckets (indices: list "indices", values: list "values", shapes: list "shapes", dense_inputs: list "dense_inputs", num_buckets: one "num_buckets", strong_hash: one "strong_hash", salt: one "salt") -> (SparseCrossHashedOutputs output_indices: one, output_values: one, output_shape: one) {}

    /// Begins a node of `SparseCrossV2`.
    ///
    /// ```text
    /// SparseCrossV2(indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types, sep:
    ///     string) -> (output_indices: int64, output_values: string, output_shape: int64)
    ///   N: int >= 0
    ///   sparse_types: list(type) in {int64, string} >= 0
    ///   dense_types: list(type) in {int64, string} >= 0
    /// ```
    sparse_cross_v2 SparseCrossV2 sep (indices: list "indices", values: list "values", shapes: list "shapes", dense_inputs: list "dense_inputs", sep: one "sep") -> (SparseCrossV2Outputs output_indices: one, output_values: one, output_shape: one) {}

    /// Begins a node of `SparseDenseCwiseAdd`.
    ///
    /// ```text
    /// SparseDenseCwiseAdd(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_dense_cwise_add SparseDenseCwiseAdd sp_indices (sp_indices: one "sp_indices", sp_values: one "sp_values", sp_shape: one "sp_shape", dense: one "dense") -> one {}

    /// Begins a node of `SparseDenseCwiseDiv`.
    ///
    /// ```text
    /// SparseDenseCwiseDiv(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_dense_cwise_div SparseDenseCwiseDiv sp_indices (sp_indices: one "sp_indices", sp_values: one "sp_values", sp_shape: one "sp_shape", dense: one "dense") -> one {}

    /// Begins a node of `SparseDenseCwiseMul`.
    ///
    /// ```text
    /// SparseDenseCwiseMul(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_dense_cwise_mul SparseDenseCwiseMul sp_indices (sp_indices: one "sp_indices", sp_values: one "sp_values", sp_shape: one "sp_shape", dense: one "dense") -> one {}

    /// Begins a node of `SparseFillEmptyRows`.
    ///
    /// ```text
    /// SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64, default_value: T) -> (output_indices: int64,
    ///     output_values: T, empty_row_indicator: bool, reverse_index_map: int64)
    ///   T: type
    /// ```
    sparse_fill_empty_rows SparseFillEmptyRows indices (indices: one "indices", values: one "values", dense_shape: one "dense_shape", default_value: one "default_value") -> (SparseFillEmptyRowsOutputs output_indices: one, output_values: one, empty_row_indicator: one, reverse_index_map: one) {}

    /// Begins a node of `SparseFillEmptyRowsGrad`.
    ///
    /// ```text
    /// SparseFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T) -> (d_values: T, d_default_value: T)
    ///   T: type
    /// ```
    sparse_fill_empty_rows_grad SparseFillEmptyRowsGrad reverse_index_map (reverse_index_map: one "reverse_index_map", grad_values: one "grad_values") -> (SparseFillEmptyRowsGradOutputs d_values: one, d_default_value: one) {}

    /// Begins a node of `SparseMatrixMatMul`.
    ///
    /// ```text
    /// SparseMatrixMatMul(a: variant, b: T) -> (output: T)
    ///   T: type
    ///   transpose_a: bool = false
    ///   transpose_b: bool = false
    ///   adjoint_a: bool = false
    ///   adjoint_b: bool = false
    ///   transpose_output: bool = false
    ///   conjugate_output: bool = false
    /// ```
    sparse_matrix_mat_mul SparseMatrixMatMul a (a: one "a", b: one "b") -> one {
        /// Sets `transpose_a: bool = false`.
        transpose_a: bool "transpose_a";
        /// Sets `transpose_b: bool = false`.
        transpose_b: bool "transpose_b";
        /// Sets `adjoint_a: bool = false`.
        adjoint_a: bool "adjoint_a";
        /// Sets `adjoint_b: bool = false`.
        adjoint_b: bool "adjoint_b";
        /// Sets `transpose_output: bool = false`.
        transpose_output: bool "transpose_output";
        /// Sets `conjugate_output: bool = false`.
        conjugate_output: bool "conjugate_output";
    }

    /// Begins a node of `SparseMatrixNNZ`.
    ///
    /// ```text
    /// SparseMatrixNNZ(sparse_matrix: variant) -> (nnz: int32)
    /// ```
    sparse_matrix_nnz SparseMatrixNNZ sparse_matrix (sparse_matrix: one "sparse_matrix") -> one {}

    /// Begins a node of `SparseMatrixSparseMatMul`.
    ///
    /// ```text
    /// SparseMatrixSparseMatMul(a: variant, b: variant) -> (c: variant)
    ///   type: type in {float, double, complex64, complex128}
    ///   transpose_a: bool = false
    ///   transpose_b: bool = false
    ///   adjoint_a: bool = false
    ///   adjoint_b: bool = false
    /// ```
    sparse_matrix_sparse_mat_mul SparseMatrixSparseMatMul a (a: one "a", b: one "b", type_: dtype "type") -> one {
        /// Sets `transpose_a: bool = false`.
        transpose_a: bool "transpose_a";
        /// Sets `transpose_b: bool = false`.
        transpose_b: bool "transpose_b";
        /// Sets `adjoint_a: bool = false`.
        adjoint_a: bool "adjoint_a";
        /// Sets `adjoint_b: bool = false`.
        adjoint_b: bool "adjoint_b";
    }

    /// Begins a node of `SparseMatrixTranspose`.
    ///
    /// ```text
    /// SparseMatrixTranspose(input: variant) -> (output: variant)
    ///   conjugate: bool = false
    ///   type: type in {float, double, complex64, complex128}
    /// ```
    sparse_matrix_transpose SparseMatrixTranspose input (input: one "input", type_: dtype "type") -> one {
        /// Sets `conjugate: bool = false`.
        conjugate: bool "conjugate";
    }

    /// Begins a node of `SparseReduceMax`.
    ///
    /// ```text
    /// SparseReduceMax(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> (output:
    ///     T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    sparse_reduce_max SparseReduceMax input_indices (input_indices: one "input_indices", input_values: one "input_values", input_shape: one "input_shape", reduction_axes: one "reduction_axes") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `SparseReduceMaxSparse`.
    ///
    /// ```text
    /// SparseReduceMaxSparse(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) ->
    ///     (output_indices: int64, output_values: T, output_shape: int64)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    sparse_reduce_max_sparse SparseReduceMaxSparse input_indices (input_indices: one "input_indices", input_values: one "input_values", input_shape: one "input_shape", reduction_axes: one "reduction_axes") -> (SparseReduceMaxSparseOutputs output_indices: one, output_values: one, output_shape: one) {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `SparseReduceSum`.
    ///
    /// ```text
    /// SparseReduceSum(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> (output:
    ///     T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_reduce_sum SparseReduceSum input_indices (input_indices: one "input_indices", input_values: one "input_values", input_shape: one "input_shape", reduction_axes: one "reduction_axes") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `SparseReduceSumSparse`.
    ///
    /// ```text
    /// SparseReduceSumSparse(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) ->
    ///     (output_indices: int64, output_values: T, output_shape: int64)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_reduce_sum_sparse SparseReduceSumSparse input_indices (input_indices: one "input_indices", input_values: one "input_values", input_shape: one "input_shape", reduction_axes: one "reduction_axes") -> (SparseReduceSumSparseOutputs output_indices: one, output_values: one, output_shape: one) {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `SparseReorder`.
    ///
    /// ```text
    /// SparseReorder(input_indices: int64, input_values: T, input_shape: int64) -> (output_indices: int64,
    ///     output_values: T)
    ///   T: type
    /// ```
    sparse_reorder SparseReorder input_indices (input_indices: one "input_indices", input_values: one "input_values", input_shape: one "input_shape") -> (SparseReorderOutputs output_indices: one, output_values: one) {}

    /// Begins a node of `SparseReshape`.
    ///
    /// ```text
    /// SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64) -> (output_indices: int64,
    ///     output_shape: int64)
    /// ```
    sparse_reshape SparseReshape input_indices (input_indices: one "input_indices", input_shape: one "input_shape", new_shape: one "new_shape") -> (SparseReshapeOutputs output_indices: one, output_shape: one) {}

    /// Begins a node of `SparseSlice`.
    ///
    /// ```text
    /// SparseSlice(indices: int64, values: T, shape: int64, start: int64, size: int64) -> (output_indices: int64,
    ///     output_values: T, output_shape: int64)
    ///   T: type
    /// ```
    sparse_slice SparseSlice indices (indices: one "indices", values: one "values", shape: one "shape", start: one "start", size: one "size") -> (SparseSliceOutputs output_indices: one, output_values: one, output_shape: one) {}

    /// Begins a node of `SparseSliceGrad`.
    ///
    /// ```text
    /// SparseSliceGrad(backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64) ->
    ///     (val_grad: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_slice_grad SparseSliceGrad backprop_val_grad (backprop_val_grad: one "backprop_val_grad", input_indices: one "input_indices", input_start: one "input_start", output_indices: one "output_indices") -> one {}

    /// Begins a node of `SparseSoftmax`.
    ///
    /// ```text
    /// SparseSoftmax(sp_indices: int64, sp_values: T, sp_shape: int64) -> (output: T)
    ///   T: type in {half, float, double}
    /// ```
    sparse_softmax SparseSoftmax sp_indices (sp_indices: one "sp_indices", sp_values: one "sp_values", sp_shape: one "sp_shape") -> one {}

    /// Begins a node of `SparseSparseMaximum`.
    ///
    /// ```text
    /// SparseSparseMaximum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape:
    ///     int64) -> (output_indices: int64, output_values: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    sparse_sparse_maximum SparseSparseMaximum a_indices (a_indices: one "a_indices", a_values: one "a_values", a_shape: one "a_shape", b_indices: one "b_indices", b_values: one "b_values", b_shape: one "b_shape") -> (SparseSparseMaximumOutputs output_indices: one, output_values: one) {}

    /// Begins a node of `SparseSparseMinimum`.
    ///
    /// ```text
    /// SparseSparseMinimum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape:
    ///     int64) -> (output_indices: int64, output_values: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    sparse_sparse_minimum SparseSparseMinimum a_indices (a_indices: one "a_indices", a_values: one "a_values", a_shape: one "a_shape", b_indices: one "b_indices", b_values: one "b_values", b_shape: one "b_shape") -> (SparseSparseMinimumOutputs output_indices: one, output_values: one) {}

    /// Begins a node of `SparseSplit`.
    ///
    /// ```text
    /// SparseSplit(split_dim: int64, indices: int64, values: T, shape: int64) -> (output_indices: num_split * int64,
    ///     output_values: num_split * T, output_shape: num_split * int64)
    ///   num_split: int >= 1
    ///   T: type
    /// ```
    sparse_split SparseSplit split_dim (split_dim: one "split_dim", indices: one "indices", values: one "values", shape: one "shape", num_split: int "num_split") -> (SparseSplitOutputs output_indices: list, output_values: list, output_shape: list) {}

    /// Begins a node of `SparseTensorDenseAdd`.
    ///
    /// ```text
    /// SparseTensorDenseAdd(a_indices: Tindices, a_values: T, a_shape: Tindices, b: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    sparse_tensor_dense_add SparseTensorDenseAdd a_indices (a_indices: one "a_indices", a_values: one "a_values", a_shape: one "a_shape", b: one "b") -> one {}

    /// Begins a node of `SparseTensorDenseMatMul`.
    ///
    /// ```text
    /// SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T) -> (product: T)
    ///   T: type
    ///   Tindices: type in {int32, int64} = int64
    ///   adjoint_a: bool = false
    ///   adjoint_b: bool = false
    /// ```
    sparse_tensor_dense_mat_mul SparseTensorDenseMatMul a_indices (a_indices: one "a_indices", a_values: one "a_values", a_shape: one "a_shape", b: one "b") -> one {
        /// Sets `adjoint_a: bool = false`.
        adjoint_a: bool "adjoint_a";
        /// Sets `adjoint_b: bool = false`.
        adjoint_b: bool "adjoint_b";
    }

    /// Begins a node of `SparseTensorToCSRSparseMatrix`.
    ///
    /// ```text
    /// SparseTensorToCSRSparseMatrix(indices: int64, values: T, dense_shape: int64) -> (sparse_matrix: variant)
    ///   T: type in {float, double, complex64, complex128}
    /// ```
    sparse_tensor_to_csr_sparse_matrix SparseTensorToCSRSparseMatrix indices (indices: one "indices", values: one "values", dense_shape: one "dense_shape") -> one {}

    /// Begins a node of `SparseToDense`.
    ///
    /// ```text
    /// SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T) -> (dense:
    ///     T)
    ///   validate_indices: bool = true
    ///   T: type
    ///   Tindices: type in {int32, int64}
    /// ```
    sparse_to_dense SparseToDense sparse_indices (sparse_indices: one "sparse_indices", output_shape: one "output_shape", sparse_values: one "sparse_values", default_value: one "default_value") -> one {
        /// Sets `validate_indices: bool = true`.
        validate_indices: bool "validate_indices";
    }

    /// Begins a node of `SparseToSparseSetOperation`.
    ///
    /// ```text
    /// SparseToSparseSetOperation(set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64,
    ///     set2_values: T, set2_shape: int64) -> (result_indices: int64, result_values: T, result_shape: int64)
    ///   set_operation: string
    ///   validate_indices: bool = true
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, string}
    /// ```
    sparse_to_sparse_set_operation SparseToSparseSetOperation set1_indices (set1_indices: one "set1_indices", set1_values: one "set1_values", set1_shape: one "set1_shape", set2_indices: one "set2_indices", set2_values: one "set2_values", set2_shape: one "set2_shape", set_operation: string "set_operation") -> (SparseToSparseSetOperationOutputs result_indices: one, result_values: one, result_shape: one) {
        /// Sets `validate_indices: bool = true`.
        validate_indices: bool "validate_indices";
    }

    /// Begins a node of `TakeManySparseFromTensorsMap`, which has state.
    ///
    /// ```text
    /// TakeManySparseFromTensorsMap(sparse_handles: int64) -> (sparse_indices: int64, sparse_values: dtype,
    ///     sparse_shape: int64)
    ///   dtype: type
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    take_many_sparse_from_tensors_map TakeManySparseFromTensorsMap sparse_handles (sparse_handles: one "sparse_handles", dtype: dtype "dtype") -> (TakeManySparseFromTensorsMapOutputs sparse_indices: one, sparse_values: one, sparse_shape: one) {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }
}
