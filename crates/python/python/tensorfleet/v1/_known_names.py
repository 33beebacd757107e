"""The names that TensorFlow 1.x had at the top of its namespace, for messages about those that are not here."""

from __future__ import annotations

NAMES = frozenset(
    """
    AUTO_REUSE AggregationMethod Assert AttrValue Barrier BarrierBase COMPILER_VERSION CXX11_ABI_FLAG CXX_VERSION
    ConditionalAccumulator ConditionalAccumulatorBase ConfigProto CriticalSection DType DeviceSpec Dimension Event
    FIFOQueue FixedLenFeature FixedLenSequenceFeature FixedLengthRecordReader GIT_VERSION GPUOptions GRAPH_DEF_VERSION
    GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER GradientTape Graph GraphDef GraphKeys GraphOptions
    HistogramProto IdentityReader IndexedSlices IndexedSlicesSpec InteractiveSession LMDBReader LogMessage
    MONOLITHIC_BUILD MetaGraphDef Module NameAttrList NoGradient NodeDef NoneTensorSpec NotDifferentiable OpError
    Operation OptimizerOptions OptionalSpec PaddingFIFOQueue Print PriorityQueue QUANTIZED_DTYPES QueueBase
    RaggedTensor RaggedTensorSpec RandomShuffleQueue ReaderBase RegisterGradient RunMetadata RunOptions Session
    SessionLog SparseConditionalAccumulator SparseFeature SparseTensor SparseTensorSpec SparseTensorValue Summary
    SummaryMetadata TFRecordReader Tensor TensorArray TensorArraySpec TensorInfo TensorShape TensorSpec TextLineReader
    TypeSpec UnconnectedGradients VERSION VarLenFeature Variable VariableAggregation VariableScope
    VariableSynchronization WholeFileReader abs accumulate_n acos acosh add add_check_numerics_ops add_n
    add_to_collection add_to_collections all_variables angle app approx_top_k arg_max arg_min argmax argmin argsort
    as_dtype as_string asin asinh assert_equal assert_greater assert_greater_equal assert_integer assert_less
    assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal
    assert_positive assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype
    assert_scalar assert_type assert_variables_initialized assign assign_add assign_sub atan atan2 atanh audio
    audio_summary autograph batch_cholesky batch_cholesky_solve batch_fft batch_fft2d batch_fft3d batch_gather
    batch_ifft batch_ifft2d batch_ifft3d batch_matmul batch_matrix_band_part batch_matrix_determinant
    batch_matrix_diag batch_matrix_diag_part batch_matrix_inverse batch_matrix_set_diag batch_matrix_solve
    batch_matrix_solve_ls batch_matrix_transpose batch_matrix_triangular_solve batch_scatter_update
    batch_self_adjoint_eig batch_self_adjoint_eigvals batch_svd batch_to_space batch_to_space_nd bayesflow betainc
    bfloat16 bincount bitcast bitwise bool boolean_mask broadcast_dynamic_shape broadcast_static_shape broadcast_to
    bytes case cast ceil check_numerics check_pinned cholesky cholesky_solve clip_by_average_norm clip_by_global_norm
    clip_by_norm clip_by_value colocate_with compat complex complex128 complex64 complex_abs concat concat_v2 cond
    config confusion_matrix conj constant constant_initializer container contrib control_dependencies
    control_flow_v2_enabled conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2 convert_to_tensor
    convert_to_tensor_or_indexed_slices convert_to_tensor_or_sparse_tensor core cos cosh count_nonzero count_up_to
    create_partitioned_variables cross cumprod cumsum custom_gradient data debugging decode_base64 decode_compressed
    decode_csv decode_json_example decode_raw delete_session_tensor depth_to_space dequantize deserialize_many_sparse
    device diag diag_part digamma dimension_at_index dimension_value disable_control_flow_v2 disable_eager_execution
    disable_resource_variables disable_tensor_equality disable_v2_behavior disable_v2_tensorshape distribute
    distributions div div_no_nan divide double dtypes dynamic_partition dynamic_stitch edit_distance einsum
    enable_control_flow_v2 enable_eager_execution enable_resource_variables enable_tensor_equality enable_v2_behavior
    enable_v2_tensorshape encode_base64 ensure_shape equal erf erfc errors estimator examples executing_eagerly
    executing_eagerly_outside_functions exp expand_dims experimental expm1 extract_image_patches
    extract_volume_patches eye fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient
    fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
    fake_quant_with_min_max_vars_per_channel_gradient feature_column fft fft2d fft3d fftnd fill fingerprint
    fixed_size_partitioner flags float16 float32 float64 floor floor_div floordiv floormod foldl foldr function gather
    gather_nd get_collection get_collection_ref get_default_graph get_default_session get_local_variable get_logger
    get_seed get_session_handle get_session_tensor get_static_value get_variable get_variable_scope gfile global_norm
    global_variables global_variables_initializer glorot_normal_initializer glorot_uniform_initializer
    grad_pass_through gradients graph_util greater greater_equal group guarantee_const half hessians
    histogram_fixed_width histogram_fixed_width_bins histogram_summary identity identity_n ifft ifft2d ifft3d ifftnd
    igamma igammac imag image image_summary import_graph_def init_scope initialize_all_tables initialize_all_variables
    initialize_local_variables initialize_variables initializers int16 int32 int64 int8 inv invert_permutation io
    irfftnd is_finite is_inf is_nan is_non_decreasing is_numeric_tensor is_strictly_increasing is_symbolic_tensor
    is_tensor is_variable_initialized keras layers lbeta less less_equal lgamma lin_space linalg linspace list_diff
    listdiff lite load_file_system_library load_library load_op_library local_variables local_variables_initializer
    log log1p log_sigmoid logging logical_and logical_not logical_or logical_xor lookup losses make_ndarray
    make_template make_tensor_proto manip map_fn matching_files math matmul matrix_band_part matrix_determinant
    matrix_diag matrix_diag_part matrix_exponential matrix_inverse matrix_logarithm matrix_set_diag matrix_solve
    matrix_solve_ls matrix_square_root matrix_transpose matrix_triangular_solve maximum merge_all_summaries
    merge_summary meshgrid metrics min_max_variable_partitioner minimum mixed_precision mlir mod model_variables
    models moving_average_variables mul multinomial multiply name_scope neg negative nest newaxis nn no_gradient no_op
    no_regularizer nondifferentiable_batch_function norm not_equal numpy_function one_hot ones ones_initializer
    ones_like op_scope orthogonal_initializer pack pad parallel_stack parse_example parse_single_example
    parse_single_sequence_example parse_tensor placeholder placeholder_with_default polygamma pow print profiler
    py_func py_function python python_io qint16 qint32 qint8 qr quantization quantize quantize_v2 quantized_concat
    queue quint16 quint8 ragged ragged_fill_empty_rows ragged_fill_empty_rows_grad random random_crop random_gamma
    random_index_shuffle random_normal random_normal_initializer random_poisson random_shuffle random_uniform
    random_uniform_initializer range rank raw_ops read_file real realdiv reciprocal recompute_grad reduce_all
    reduce_any reduce_join reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum regex_replace
    register_tensor_conversion_function repeat report_uninitialized_variables required_space_to_batch_paddings
    reset_default_graph reshape resource resource_loader resource_variables_enabled reverse reverse_sequence
    reverse_v2 rfftnd rint roll round rsqrt saturate_cast saved_model scalar_mul scalar_summary scan scatter_add
    scatter_div scatter_max scatter_min scatter_mul scatter_nd scatter_nd_add scatter_nd_sub scatter_nd_update
    scatter_sub scatter_update searchsorted segment_max segment_mean segment_min segment_prod segment_sum select
    self_adjoint_eig self_adjoint_eigvals sequence_mask serialize_many_sparse serialize_sparse serialize_tensor
    session_bundle set_random_seed setdiff1d sets shape shape_n sigmoid sign signal sin sinh size slice sort
    space_to_batch space_to_batch_nd space_to_depth sparse sparse_add sparse_concat sparse_fill_empty_rows sparse_mask
    sparse_matmul sparse_maximum sparse_merge sparse_minimum sparse_placeholder sparse_reduce_max
    sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse sparse_reorder sparse_reset_shape
    sparse_reshape sparse_retain sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum sparse_slice
    sparse_softmax sparse_split sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense sparse_to_indicator
    sparse_transpose spectral split split_v sqrt square squared_difference squeeze stack stop_gradient strided_slice
    string string_join string_split string_strip string_to_hash_bucket string_to_hash_bucket_fast
    string_to_hash_bucket_strong string_to_number strings sub substr subtract summary svd switch_case sysconfig
    tables_initializer tan tanh tensor_scatter_add tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min
    tensor_scatter_nd_sub tensor_scatter_nd_update tensor_scatter_sub tensor_scatter_update tensordot test tile
    timestamp to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64 tools tpu trace train
    trainable_variables transpose truediv truncated_normal truncated_normal_initializer truncatediv truncatemod tuple
    type_spec_from_value types uint16 uint32 uint64 uint8 uniform_unit_scaling_initializer unique unique_with_counts
    unpack unravel_index unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod
    unsorted_segment_sqrt_n unsorted_segment_sum unstack user_ops variable_axis_size_partitioner
    variable_creator_scope variable_op_scope variable_scope variables_initializer variance_scaling_initializer variant
    vectorized_map verify_tensor_all_finite version where where_v2 while_loop wrap_function write_file xla zeros
    zeros_initializer zeros_like zeta
    """.split()
)

IN_MODULES: dict[str, str] = {}
