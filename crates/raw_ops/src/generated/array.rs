//! The ops of the group `array`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `BatchMatrixBandPart`.
    ///
    /// ```text
    /// BatchMatrixBandPart(input: T, num_lower: int64, num_upper: int64) -> (band: T)
    ///   T: type
    /// ```
    batch_matrix_band_part BatchMatrixBandPart input (input: one "input", num_lower: one "num_lower", num_upper: one "num_upper") -> one {}

    /// Begins a node of `BatchMatrixDiag`.
    ///
    /// ```text
    /// BatchMatrixDiag(diagonal: T) -> (output: T)
    ///   T: type
    /// ```
    batch_matrix_diag BatchMatrixDiag diagonal (diagonal: one "diagonal") -> one {}

    /// Begins a node of `BatchMatrixDiagPart`.
    ///
    /// ```text
    /// BatchMatrixDiagPart(input: T) -> (diagonal: T)
    ///   T: type
    /// ```
    batch_matrix_diag_part BatchMatrixDiagPart input (input: one "input") -> one {}

    /// Begins a node of `BatchMatrixSetDiag`.
    ///
    /// ```text
    /// BatchMatrixSetDiag(input: T, diagonal: T) -> (output: T)
    ///   T: type
    /// ```
    batch_matrix_set_diag BatchMatrixSetDiag input (input: one "input", diagonal: one "diagonal") -> one {}

    /// Begins a node of `BatchToSpace`.
    ///
    /// ```text
    /// BatchToSpace(input: T, crops: Tidx) -> (output: T)
    ///   T: type
    ///   block_size: int >= 2
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    batch_to_space BatchToSpace input (input: one "input", crops: one "crops", block_size: int "block_size") -> one {}

    /// Begins a node of `BatchToSpaceND`.
    ///
    /// ```text
    /// BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> (output: T)
    ///   T: type
    ///   Tblock_shape: type in {int32, int64} = int32
    ///   Tcrops: type in {int32, int64} = int32
    /// ```
    batch_to_space_nd BatchToSpaceND input (input: one "input", block_shape: one "block_shape", crops: one "crops") -> one {}

    /// Begins a node of `Bitcast`.
    ///
    /// ```text
    /// Bitcast(input: T) -> (output: type)
    ///   T: type in {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64,
    ///     complex128, qint8, quint8, qint16, quint16, qint32}
    ///   type: type in {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16,
    ///     complex64, complex128, qint8, quint8, qint16, quint16, qint32}
    /// ```
    bitcast Bitcast input (input: one "input", type_: dtype "type") -> one {}

    /// Begins a node of `BroadcastArgs`.
    ///
    /// ```text
    /// BroadcastArgs(s0: T, s1: T) -> (r0: T)
    ///   T: type in {int32, int64} = int32
    /// ```
    broadcast_args BroadcastArgs s0 (s0: one "s0", s1: one "s1") -> one {}

    /// Begins a node of `BroadcastGradientArgs`.
    ///
    /// ```text
    /// BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T)
    ///   T: type in {int32, int64} = int32
    /// ```
    broadcast_gradient_args BroadcastGradientArgs s0 (s0: one "s0", s1: one "s1") -> (BroadcastGradientArgsOutputs r0: one, r1: one) {}

    /// Begins a node of `BroadcastTo`.
    ///
    /// ```text
    /// BroadcastTo(input: T, shape: Tidx) -> (output: T)
    ///   T: type
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    broadcast_to BroadcastTo input (input: one "input", shape: one "shape") -> one {}

    /// Begins a node of `CheckNumerics`, which has state.
    ///
    /// ```text
    /// CheckNumerics(tensor: T) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   message: string
    /// ```
    check_numerics CheckNumerics tensor (tensor: one "tensor", message: string "message") -> one {}

    /// Begins a node of `CheckNumericsV2`, which has state.
    ///
    /// ```text
    /// CheckNumericsV2(tensor: T) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   message: string
    /// ```
    check_numerics_v2 CheckNumericsV2 tensor (tensor: one "tensor", message: string "message") -> one {}

    /// Begins a node of `Concat`.
    ///
    /// ```text
    /// Concat(concat_dim: int32, values: N * T) -> (output: T)
    ///   N: int >= 2
    ///   T: type
    /// ```
    concat Concat concat_dim (concat_dim: one "concat_dim", values: list "values") -> one {}

    /// Begins a node of `ConcatOffset`.
    ///
    /// ```text
    /// ConcatOffset(concat_dim: int32, shape: N * shape_type) -> (offset: N * shape_type)
    ///   N: int >= 2
    ///   shape_type: type in {int32, int64} = int32
    /// ```
    concat_offset ConcatOffset concat_dim (concat_dim: one "concat_dim", shape: list "shape") -> list {}

    /// Begins a node of `ConcatV2`.
    ///
    /// ```text
    /// ConcatV2(values: N * T, axis: Tidx) -> (output: T)
    ///   N: int >= 2
    ///   T: type
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    concat_v2 ConcatV2 axis (values: list "values", axis: one "axis") -> one {}

    /// Begins a node of `ConjugateTranspose`.
    ///
    /// ```text
    /// ConjugateTranspose(x: T, perm: Tperm) -> (y: T)
    ///   T: type
    ///   Tperm: type in {int32, int64} = int32
    /// ```
    conjugate_transpose ConjugateTranspose x (x: one "x", perm: one "perm") -> one {}

    /// Begins a node of `Const`.
    ///
    /// ```text
    /// Const() -> (output: dtype)
    ///   value: tensor
    ///   dtype: type
    /// ```
    const_ Const graph (graph: graph "", value: tensor "value", dtype: dtype "dtype") -> one {}

    /// Begins a node of `DataFormatDimMap`.
    ///
    /// ```text
    /// DataFormatDimMap(x: T) -> (y: T)
    ///   T: type in {int32, int64} = int32
    ///   src_format: string = 'NHWC'
    ///   dst_format: string = 'NCHW'
    /// ```
    data_format_dim_map DataFormatDimMap x (x: one "x") -> one {
        /// Sets `src_format: string = 'NHWC'`.
        src_format: string "src_format";
        /// Sets `dst_format: string = 'NCHW'`.
        dst_format: string "dst_format";
    }

    /// Begins a node of `DataFormatVecPermute`.
    ///
    /// ```text
    /// DataFormatVecPermute(x: T) -> (y: T)
    ///   T: type in {int32, int64} = int32
    ///   src_format: string = 'NHWC'
    ///   dst_format: string = 'NCHW'
    /// ```
    data_format_vec_permute DataFormatVecPermute x (x: one "x") -> one {
        /// Sets `src_format: string = 'NHWC'`.
        src_format: string "src_format";
        /// Sets `dst_format: string = 'NCHW'`.
        dst_format: string "dst_format";
    }

    /// Begins a node of `DeepCopy`, which has state.
    ///
    /// ```text
    /// DeepCopy(x: T) -> (y: T)
    ///   T: type
    /// ```
    deep_copy DeepCopy x (x: one "x") -> one {}

    /// Begins a node of `DepthToSpace`.
    ///
    /// ```text
    /// DepthToSpace(input: T) -> (output: T)
    ///   T: type
    ///   block_size: int >= 2
    ///   data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'
    /// ```
    depth_to_space DepthToSpace input (input: one "input", block_size: int "block_size") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `Diag`.
    ///
    /// ```text
    /// Diag(diagonal: T) -> (output: T)
    ///   T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}
    /// ```
    diag Diag diagonal (diagonal: one "diagonal") -> one {}

    /// Begins a node of `DiagPart`.
    ///
    /// ```text
    /// DiagPart(input: T) -> (diagonal: T)
    ///   T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}
    /// ```
    diag_part DiagPart input (input: one "input") -> one {}

    /// Begins a node of `DynamicPartition`.
    ///
    /// ```text
    /// DynamicPartition(data: T, partitions: int32) -> (outputs: num_partitions * T)
    ///   num_partitions: int >= 1
    ///   T: type
    /// ```
    dynamic_partition DynamicPartition data (data: one "data", partitions: one "partitions", num_partitions: int "num_partitions") -> list {}

    /// Begins a node of `DynamicStitch`.
    ///
    /// ```text
    /// DynamicStitch(indices: N * int32, data: N * T) -> (merged: T)
    ///   N: int >= 1
    ///   T: type
    /// ```
    dynamic_stitch DynamicStitch graph (graph: graph "", indices: list "indices", data: list "data") -> one {}

    /// Begins a node of `Empty`, which has state.
    ///
    /// ```text
    /// Empty(shape: int32) -> (output: dtype)
    ///   dtype: type
    ///   init: bool = false
    /// ```
    empty Empty shape (shape: one "shape", dtype: dtype "dtype") -> one {
        /// Sets `init: bool = false`.
        init: bool "init";
    }

    /// Begins a node of `EnsureShape`.
    ///
    /// ```text
    /// EnsureShape(input: T) -> (output: T)
    ///   shape: shape
    ///   T: type
    /// ```
    ensure_shape EnsureShape input (input: one "input", shape: shape "shape") -> one {}

    /// Begins a node of `ExpandDims`.
    ///
    /// ```text
    /// ExpandDims(input: T, dim: Tdim) -> (output: T)
    ///   T: type
    ///   Tdim: type in {int32, int64} = int32
    /// ```
    expand_dims ExpandDims input (input: one "input", dim: one "dim") -> one {}

    /// Begins a node of `FakeParam`.
    ///
    /// ```text
    /// FakeParam() -> (output: dtype)
    ///   dtype: type
    ///   shape: shape
    /// ```
    fake_param FakeParam graph (graph: graph "", dtype: dtype "dtype", shape: shape "shape") -> one {}

    /// Begins a node of `Fill`.
    ///
    /// ```text
    /// Fill(dims: index_type, value: T) -> (output: T)
    ///   T: type
    ///   index_type: type in {int32, int64} = int32
    /// ```
    fill Fill dims (dims: one "dims", value: one "value") -> one {}

    /// Begins a node of `Gather`.
    ///
    /// ```text
    /// Gather(params: Tparams, indices: Tindices) -> (output: Tparams)
    ///   validate_indices: bool = true
    ///   Tparams: type
    ///   Tindices: type in {int32, int64}
    /// ```
    gather Gather params (params: one "params", indices: one "indices") -> one {
        /// Sets `validate_indices: bool = true`.
        validate_indices: bool "validate_indices";
    }

    /// Begins a node of `GatherNd`.
    ///
    /// ```text
    /// GatherNd(params: Tparams, indices: Tindices) -> (output: Tparams)
    ///   Tparams: type
    ///   Tindices: type in {int16, int32, int64}
    ///   bad_indices_policy: string = ''
    /// ```
    gather_nd GatherNd params (params: one "params", indices: one "indices") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `GatherV2`.
    ///
    /// ```text
    /// GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> (output: Tparams)
    ///   batch_dims: int = 0
    ///   Tparams: type
    ///   Tindices: type in {int16, int32, int64}
    ///   Taxis: type in {int32, int64}
    /// ```
    gather_v2 GatherV2 params (params: one "params", indices: one "indices", axis: one "axis") -> one {
        /// Sets `batch_dims: int = 0`.
        batch_dims: int "batch_dims";
    }

    /// Begins a node of `GuaranteeConst`, which has state.
    ///
    /// ```text
    /// GuaranteeConst(input: T) -> (output: T)
    ///   T: type
    /// ```
    guarantee_const GuaranteeConst input (input: one "input") -> one {}

    /// Begins a node of `Identity`.
    ///
    /// ```text
    /// Identity(input: T) -> (output: T)
    ///   T: type
    /// ```
    identity Identity input (input: one "input") -> one {}

    /// Begins a node of `IdentityN`.
    ///
    /// ```text
    /// IdentityN(input: T) -> (output: T)
    ///   T: list(type) >= 1
    /// ```
    identity_n IdentityN graph (graph: graph "", input: list "input") -> list {}

    /// Begins a node of `InplaceAdd`.
    ///
    /// ```text
    /// InplaceAdd(x: T, i: int32, v: T) -> (y: T)
    ///   T: type
    /// ```
    inplace_add InplaceAdd x (x: one "x", i: one "i", v: one "v") -> one {}

    /// Begins a node of `InplaceSub`.
    ///
    /// ```text
    /// InplaceSub(x: T, i: int32, v: T) -> (y: T)
    ///   T: type
    /// ```
    inplace_sub InplaceSub x (x: one "x", i: one "i", v: one "v") -> one {}

    /// Begins a node of `InplaceUpdate`.
    ///
    /// ```text
    /// InplaceUpdate(x: T, i: int32, v: T) -> (y: T)
    ///   T: type
    /// ```
    inplace_update InplaceUpdate x (x: one "x", i: one "i", v: one "v") -> one {}

    /// Begins a node of `InvertPermutation`.
    ///
    /// ```text
    /// InvertPermutation(x: T) -> (y: T)
    ///   T: type in {int32, int64} = int32
    /// ```
    invert_permutation InvertPermutation x (x: one "x") -> one {}

    /// Begins a node of `LinSpace`.
    ///
    /// ```text
    /// LinSpace(start: T, stop: T, num: Tidx) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    lin_space LinSpace start (start: one "start", stop: one "stop", num: one "num") -> one {}

    /// Begins a node of `ListDiff`.
    ///
    /// ```text
    /// ListDiff(x: T, y: T) -> (out: T, idx: out_idx)
    ///   T: type
    ///   out_idx: type in {int32, int64} = int32
    /// ```
    list_diff ListDiff x (x: one "x", y: one "y") -> (ListDiffOutputs out: one, idx: one) {
        /// Sets `out_idx: type in {int32, int64} = int32`.
        out_idx: dtype "out_idx";
    }

    /// Begins a node of `MatrixBandPart`.
    ///
    /// ```text
    /// MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> (band: T)
    ///   T: type
    ///   Tindex: type in {int32, int64} = int64
    /// ```
    matrix_band_part MatrixBandPart input (input: one "input", num_lower: one "num_lower", num_upper: one "num_upper") -> one {}

    /// Begins a node of `MatrixDiag`.
    ///
    /// ```text
    /// MatrixDiag(diagonal: T) -> (output: T)
    ///   T: type
    /// ```
    matrix_diag MatrixDiag diagonal (diagonal: one "diagonal") -> one {}

    /// Begins a node of `MatrixDiagPart`.
    ///
    /// ```text
    /// MatrixDiagPart(input: T) -> (diagonal: T)
    ///   T: type
    /// ```
    matrix_diag_part MatrixDiagPart input (input: one "input") -> one {}

    /// Begins a node of `MatrixDiagPartV2`.
    ///
    /// ```text
    /// MatrixDiagPartV2(input: T, k: int32, padding_value: T) -> (diagonal: T)
    ///   T: type
    /// ```
    matrix_diag_part_v2 MatrixDiagPartV2 input (input: one "input", k: one "k", padding_value: one "padding_value") -> one {}

    /// Begins a node of `MatrixDiagPartV3`.
    ///
    /// ```text
    /// MatrixDiagPartV3(input: T, k: int32, padding_value: T) -> (diagonal: T)
    ///   T: type
    ///   align: string in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"] = 'RIGHT_LEFT'
    /// ```
    matrix_diag_part_v3 MatrixDiagPartV3 input (input: one "input", k: one "k", padding_value: one "padding_value") -> one {
        /// Sets `align: string in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"] = 'RIGHT_LEFT'`.
        align: string "align";
    }

    /// Begins a node of `MatrixDiagV2`.
    ///
    /// ```text
    /// MatrixDiagV2(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> (output: T)
    ///   T: type
    /// ```
    matrix_diag_v2 MatrixDiagV2 diagonal (diagonal: one "diagonal", k: one "k", num_rows: one "num_rows", num_cols: one "num_cols", padding_value: one "padding_value") -> one {}

    /// Begins a node of `MatrixDiagV3`.
    ///
    /// ```text
    /// MatrixDiagV3(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> (output: T)
    ///   T: type
    ///   align: string in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"] = 'RIGHT_LEFT'
    /// ```
    matrix_diag_v3 MatrixDiagV3 diagonal (diagonal: one "diagonal", k: one "k", num_rows: one "num_rows", num_cols: one "num_cols", padding_value: one "padding_value") -> one {
        /// Sets `align: string in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"] = 'RIGHT_LEFT'`.
        align: string "align";
    }

    /// Begins a node of `MatrixSetDiag`.
    ///
    /// ```text
    /// MatrixSetDiag(input: T, diagonal: T) -> (output: T)
    ///   T: type
    /// ```
    matrix_set_diag MatrixSetDiag input (input: one "input", diagonal: one "diagonal") -> one {}

    /// Begins a node of `MatrixSetDiagV2`.
    ///
    /// ```text
    /// MatrixSetDiagV2(input: T, diagonal: T, k: int32) -> (output: T)
    ///   T: type
    /// ```
    matrix_set_diag_v2 MatrixSetDiagV2 input (input: one "input", diagonal: one "diagonal", k: one "k") -> one {}

    /// Begins a node of `MatrixSetDiagV3`.
    ///
    /// ```text
    /// MatrixSetDiagV3(input: T, diagonal: T, k: int32) -> (output: T)
    ///   T: type
    ///   align: string in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"] = 'RIGHT_LEFT'
    /// ```
    matrix_set_diag_v3 MatrixSetDiagV3 input (input: one "input", diagonal: one "diagonal", k: one "k") -> one {
        /// Sets `align: string in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"] = 'RIGHT_LEFT'`.
        align: string "align";
    }

    /// Begins a node of `MirrorPad`.
    ///
    /// ```text
    /// MirrorPad(input: T, paddings: Tpaddings) -> (output: T)
    ///   T: type
    ///   Tpaddings: type in {int32, int64} = int32
    ///   mode: string in ["REFLECT", "SYMMETRIC"]
    /// ```
    mirror_pad MirrorPad input (input: one "input", paddings: one "paddings", mode: string "mode") -> one {}

    /// Begins a node of `MirrorPadGrad`.
    ///
    /// ```text
    /// MirrorPadGrad(input: T, paddings: Tpaddings) -> (output: T)
    ///   T: type
    ///   Tpaddings: type in {int32, int64} = int32
    ///   mode: string in ["REFLECT", "SYMMETRIC"]
    /// ```
    mirror_pad_grad MirrorPadGrad input (input: one "input", paddings: one "paddings", mode: string "mode") -> one {}

    /// Begins a node of `OneHot`.
    ///
    /// ```text
    /// OneHot(indices: TI, depth: int32, on_value: T, off_value: T) -> (output: T)
    ///   axis: int = -1
    ///   T: type
    ///   TI: type in {uint8, int8, int32, int64} = int64
    /// ```
    one_hot OneHot indices (indices: one "indices", depth: one "depth", on_value: one "on_value", off_value: one "off_value") -> one {
        /// Sets `axis: int = -1`.
        axis: int "axis";
    }

    /// Begins a node of `OnesLike`.
    ///
    /// ```text
    /// OnesLike(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64,
    ///     complex128, bool}
    /// ```
    ones_like OnesLike x (x: one "x") -> one {}

    /// Begins a node of `Pack`.
    ///
    /// ```text
    /// Pack(values: N * T) -> (output: T)
    ///   N: int >= 1
    ///   T: type
    ///   axis: int = 0
    /// ```
    pack Pack graph (graph: graph "", values: list "values") -> one {
        /// Sets `axis: int = 0`.
        axis: int "axis";
    }

    /// Begins a node of `Pad`.
    ///
    /// ```text
    /// Pad(input: T, paddings: Tpaddings) -> (output: T)
    ///   T: type
    ///   Tpaddings: type in {int32, int64} = int32
    /// ```
    pad Pad input (input: one "input", paddings: one "paddings") -> one {}

    /// Begins a node of `PadV2`.
    ///
    /// ```text
    /// PadV2(input: T, paddings: Tpaddings, constant_values: T) -> (output: T)
    ///   T: type
    ///   Tpaddings: type in {int32, int64} = int32
    /// ```
    pad_v2 PadV2 input (input: one "input", paddings: one "paddings", constant_values: one "constant_values") -> one {}

    /// Begins a node of `ParallelConcat`.
    ///
    /// ```text
    /// ParallelConcat(values: N * T) -> (output: T)
    ///   N: int >= 1
    ///   T: type
    ///   shape: shape
    /// ```
    parallel_concat ParallelConcat graph (graph: graph "", values: list "values", shape: shape "shape") -> one {}

    /// Begins a node of `ParallelDynamicStitch`.
    ///
    /// ```text
    /// ParallelDynamicStitch(indices: N * int32, data: N * T) -> (merged: T)
    ///   N: int >= 1
    ///   T: type
    /// ```
    parallel_dynamic_stitch ParallelDynamicStitch graph (graph: graph "", indices: list "indices", data: list "data") -> one {}

    /// Begins a node of `Placeholder`.
    ///
    /// ```text
    /// Placeholder() -> (output: dtype)
    ///   dtype: type
    ///   shape: shape = <unknown>
    /// ```
    placeholder Placeholder graph (graph: graph "", dtype: dtype "dtype") -> one {
        /// Sets `shape: shape = <unknown>`.
        shape: shape "shape";
    }

    /// Begins a node of `PlaceholderV2`.
    ///
    /// ```text
    /// PlaceholderV2() -> (output: dtype)
    ///   dtype: type
    ///   shape: shape
    /// ```
    placeholder_v2 PlaceholderV2 graph (graph: graph "", dtype: dtype "dtype", shape: shape "shape") -> one {}

    /// Begins a node of `PlaceholderWithDefault`.
    ///
    /// ```text
    /// PlaceholderWithDefault(input: dtype) -> (output: dtype)
    ///   dtype: type
    ///   shape: shape
    /// ```
    placeholder_with_default PlaceholderWithDefault input (input: one "input", shape: shape "shape") -> one {}

    /// Begins a node of `PreventGradient`.
    ///
    /// ```text
    /// PreventGradient(input: T) -> (output: T)
    ///   T: type
    ///   message: string = ''
    /// ```
    prevent_gradient PreventGradient input (input: one "input") -> one {
        /// Sets `message: string = ''`.
        message: string "message";
    }

    /// Begins a node of `Range`.
    ///
    /// ```text
    /// Range(start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx)
    ///   Tidx: type in {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = int32
    /// ```
    range Range start (start: one "start", limit: one "limit", delta: one "delta") -> one {}

    /// Begins a node of `Rank`.
    ///
    /// ```text
    /// Rank(input: T) -> (output: int32)
    ///   T: type
    /// ```
    rank Rank input (input: one "input") -> one {}

    /// Begins a node of `Reshape`.
    ///
    /// ```text
    /// Reshape(tensor: T, shape: Tshape) -> (output: T)
    ///   T: type
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    reshape Reshape tensor (tensor: one "tensor", shape: one "shape") -> one {}

    /// Begins a node of `Reverse`.
    ///
    /// ```text
    /// Reverse(tensor: T, dims: bool) -> (output: T)
    ///   T: type in {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double,
    ///     complex64, complex128, string}
    /// ```
    reverse Reverse tensor (tensor: one "tensor", dims: one "dims") -> one {}

    /// Begins a node of `ReverseSequence`.
    ///
    /// ```text
    /// ReverseSequence(input: T, seq_lengths: Tlen) -> (output: T)
    ///   seq_dim: int
    ///   batch_dim: int = 0
    ///   T: type
    ///   Tlen: type in {int32, int64} = int64
    /// ```
    reverse_sequence ReverseSequence input (input: one "input", seq_lengths: one "seq_lengths", seq_dim: int "seq_dim") -> one {
        /// Sets `batch_dim: int = 0`.
        batch_dim: int "batch_dim";
    }

    /// Begins a node of `ReverseV2`.
    ///
    /// ```text
    /// ReverseV2(tensor: T, axis: Tidx) -> (output: T)
    ///   Tidx: type in {int32, int64} = int32
    ///   T: type in {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double,
    ///     complex64, complex128, string}
    /// ```
    reverse_v2 ReverseV2 tensor (tensor: one "tensor", axis: one "axis") -> one {}

    /// Begins a node of `Roll`.
    ///
    /// ```text
    /// Roll(input: T, shift: Tshift, axis: Taxis) -> (output: T)
    ///   T: type
    ///   Tshift: type in {int32, int64}
    ///   Taxis: type in {int32, int64}
    /// ```
    roll Roll input (input: one "input", shift: one "shift", axis: one "axis") -> one {}

    /// Begins a node of `ScatterNd`.
    ///
    /// ```text
    /// ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> (output: T)
    ///   T: type
    ///   Tindices: type in {int16, int32, int64}
    ///   bad_indices_policy: string = ''
    /// ```
    scatter_nd ScatterNd indices (indices: one "indices", updates: one "updates", shape: one "shape") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ScatterNdNonAliasingAdd`.
    ///
    /// ```text
    /// ScatterNdNonAliasingAdd(input: T, indices: Tindices, updates: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64, bool}
    ///   Tindices: type in {int32, int64}
    ///   bad_indices_policy: string = ''
    /// ```
    scatter_nd_non_aliasing_add ScatterNdNonAliasingAdd input (input: one "input", indices: one "indices", updates: one "updates") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `Select`.
    ///
    /// ```text
    /// Select(condition: bool, t: T, e: T) -> (output: T)
    ///   T: type
    /// ```
    select Select condition (condition: one "condition", t: one "t", e: one "e") -> one {}

    /// Begins a node of `SelectV2`.
    ///
    /// ```text
    /// SelectV2(condition: bool, t: T, e: T) -> (output: T)
    ///   T: type
    /// ```
    select_v2 SelectV2 condition (condition: one "condition", t: one "t", e: one "e") -> one {}

    /// Begins a node of `Shape`.
    ///
    /// ```text
    /// Shape(input: T) -> (output: out_type)
    ///   T: type
    ///   out_type: type in {int32, int64} = int32
    /// ```
    shape Shape input (input: one "input") -> one {
        /// Sets `out_type: type in {int32, int64} = int32`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `ShapeN`.
    ///
    /// ```text
    /// ShapeN(input: N * T) -> (output: N * out_type)
    ///   N: int >= 1
    ///   T: type
    ///   out_type: type in {int32, int64} = int32
    /// ```
    shape_n ShapeN graph (graph: graph "", input: list "input") -> list {
        /// Sets `out_type: type in {int32, int64} = int32`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `Size`.
    ///
    /// ```text
    /// Size(input: T) -> (output: out_type)
    ///   T: type
    ///   out_type: type in {int32, int64} = int32
    /// ```
    size Size input (input: one "input") -> one {
        /// Sets `out_type: type in {int32, int64} = int32`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `Slice`.
    ///
    /// ```text
    /// Slice(input: T, begin: Index, size: Index) -> (output: T)
    ///   T: type
    ///   Index: type in {int32, int64}
    /// ```
    slice Slice input (input: one "input", begin: one "begin", size: one "size") -> one {}

    /// Begins a node of `Snapshot`.
    ///
    /// ```text
    /// Snapshot(input: T) -> (output: T)
    ///   T: type
    /// ```
    snapshot Snapshot input (input: one "input") -> one {}

    /// Begins a node of `SpaceToBatch`.
    ///
    /// ```text
    /// SpaceToBatch(input: T, paddings: Tpaddings) -> (output: T)
    ///   T: type
    ///   Tpaddings: type in {int32, int64} = int32
    ///   block_size: int >= 2
    /// ```
    space_to_batch SpaceToBatch input (input: one "input", paddings: one "paddings", block_size: int "block_size") -> one {}

    /// Begins a node of `SpaceToBatchND`.
    ///
    /// ```text
    /// SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> (output: T)
    ///   T: type
    ///   Tblock_shape: type in {int32, int64} = int32
    ///   Tpaddings: type in {int32, int64} = int32
    /// ```
    space_to_batch_nd SpaceToBatchND input (input: one "input", block_shape: one "block_shape", paddings: one "paddings") -> one {}

    /// Begins a node of `SpaceToDepth`.
    ///
    /// ```text
    /// SpaceToDepth(input: T) -> (output: T)
    ///   T: type
    ///   block_size: int >= 2
    ///   data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'
    /// ```
    space_to_depth SpaceToDepth input (input: one "input", block_size: int "block_size") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `Split`.
    ///
    /// ```text
    /// Split(split_dim: int32, value: T) -> (output: num_split * T)
    ///   num_split: int >= 1
    ///   T: type
    /// ```
    split Split split_dim (split_dim: one "split_dim", value: one "value", num_split: int "num_split") -> list {}

    /// Begins a node of `SplitV`.
    ///
    /// ```text
    /// SplitV(value: T, size_splits: Tlen, split_dim: int32) -> (output: num_split * T)
    ///   num_split: int >= 1
    ///   T: type
    ///   Tlen: type in {int8, int32, int64} = int64
    /// ```
    split_v SplitV value (value: one "value", size_splits: one "size_splits", split_dim: one "split_dim", num_split: int "num_split") -> list {}

    /// Begins a node of `Squeeze`.
    ///
    /// ```text
    /// Squeeze(input: T) -> (output: T)
    ///   T: type
    ///   squeeze_dims: list(int) >= 0 = []
    /// ```
    squeeze Squeeze input (input: one "input") -> one {
        /// Sets `squeeze_dims: list(int) >= 0 = []`.
        squeeze_dims: ints "squeeze_dims";
    }

    /// Begins a node of `StopGradient`.
    ///
    /// ```text
    /// StopGradient(input: T) -> (output: T)
    ///   T: type
    /// ```
    stop_gradient StopGradient input (input: one "input") -> one {}

    /// Begins a node of `StridedSlice`.
    ///
    /// ```text
    /// StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> (output: T)
    ///   T: type
    ///   Index: type in {int16, int32, int64}
    ///   begin_mask: int = 0
    ///   end_mask: int = 0
    ///   ellipsis_mask: int = 0
    ///   new_axis_mask: int = 0
    ///   shrink_axis_mask: int = 0
    /// ```
    strided_slice StridedSlice input (input: one "input", begin: one "begin", end: one "end", strides: one "strides") -> one {
        /// Sets `begin_mask: int = 0`.
        begin_mask: int "begin_mask";
        /// Sets `end_mask: int = 0`.
        end_mask: int "end_mask";
        /// Sets `ellipsis_mask: int = 0`.
        ellipsis_mask: int "ellipsis_mask";
        /// Sets `new_axis_mask: int = 0`.
        new_axis_mask: int "new_axis_mask";
        /// Sets `shrink_axis_mask: int = 0`.
        shrink_axis_mask: int "shrink_axis_mask";
    }

    /// Begins a node of `StridedSliceGrad`.
    ///
    /// ```text
    /// StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> (output: T)
    ///   T: type
    ///   Index: type in {int32, int64}
    ///   begin_mask: int = 0
    ///   end_mask: int = 0
    ///   ellipsis_mask: int = 0
    ///   new_axis_mask: int = 0
    ///   shrink_axis_mask: int = 0
    /// ```
    strided_slice_grad StridedSliceGrad shape (shape: one "shape", begin: one "begin", end: one "end", strides: one "strides", dy: one "dy") -> one {
        /// Sets `begin_mask: int = 0`.
        begin_mask: int "begin_mask";
        /// Sets `end_mask: int = 0`.
        end_mask: int "end_mask";
        /// Sets `ellipsis_mask: int = 0`.
        ellipsis_mask: int "ellipsis_mask";
        /// Sets `new_axis_mask: int = 0`.
        new_axis_mask: int "new_axis_mask";
        /// Sets `shrink_axis_mask: int = 0`.
        shrink_axis_mask: int "shrink_axis_mask";
    }

    /// Begins a node of `TensorScatterAdd`.
    ///
    /// ```text
    /// TensorScatterAdd(tensor: T, indices: Tindices, updates: T) -> (output: T)
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   bad_indices_policy: string = ''
    /// ```
    tensor_scatter_add TensorScatterAdd tensor (tensor: one "tensor", indices: one "indices", updates: one "updates") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `TensorScatterMax`.
    ///
    /// ```text
    /// TensorScatterMax(tensor: T, indices: Tindices, updates: T) -> (output: T)
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   bad_indices_policy: string = ''
    /// ```
    tensor_scatter_max TensorScatterMax tensor (tensor: one "tensor", indices: one "indices", updates: one "updates") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `TensorScatterMin`.
    ///
    /// ```text
    /// TensorScatterMin(tensor: T, indices: Tindices, updates: T) -> (output: T)
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   bad_indices_policy: string = ''
    /// ```
    tensor_scatter_min TensorScatterMin tensor (tensor: one "tensor", indices: one "indices", updates: one "updates") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `TensorScatterSub`.
    ///
    /// ```text
    /// TensorScatterSub(tensor: T, indices: Tindices, updates: T) -> (output: T)
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   bad_indices_policy: string = ''
    /// ```
    tensor_scatter_sub TensorScatterSub tensor (tensor: one "tensor", indices: one "indices", updates: one "updates") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `TensorScatterUpdate`.
    ///
    /// ```text
    /// TensorScatterUpdate(tensor: T, indices: Tindices, updates: T) -> (output: T)
    ///   T: type
    ///   Tindices: type in {int16, int32, int64, uint16}
    ///   bad_indices_policy: string = ''
    /// ```
    tensor_scatter_update TensorScatterUpdate tensor (tensor: one "tensor", indices: one "indices", updates: one "updates") -> one {
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `Tile`.
    ///
    /// ```text
    /// Tile(input: T, multiples: Tmultiples) -> (output: T)
    ///   T: type
    ///   Tmultiples: type in {int32, int64} = int32
    /// ```
    tile Tile input (input: one "input", multiples: one "multiples") -> one {}

    /// Begins a node of `TileGrad`.
    ///
    /// ```text
    /// TileGrad(input: T, multiples: int32) -> (output: T)
    ///   T: type
    /// ```
    tile_grad TileGrad input (input: one "input", multiples: one "multiples") -> one {}

    /// Begins a node of `ToBool`.
    ///
    /// ```text
    /// ToBool(input: T) -> (output: bool)
    ///   T: type
    /// ```
    to_bool ToBool input (input: one "input") -> one {}

    /// Begins a node of `Transpose`.
    ///
    /// ```text
    /// Transpose(x: T, perm: Tperm) -> (y: T)
    ///   T: type
    ///   Tperm: type in {int32, int64} = int32
    /// ```
    transpose Transpose x (x: one "x", perm: one "perm") -> one {}

    /// Begins a node of `Unique`.
    ///
    /// ```text
    /// Unique(x: T) -> (y: T, idx: out_idx)
    ///   T: type
    ///   out_idx: type in {int32, int64} = int32
    /// ```
    unique Unique x (x: one "x") -> (UniqueOutputs y: one, idx: one) {
        /// Sets `out_idx: type in {int32, int64} = int32`.
        out_idx: dtype "out_idx";
    }

    /// Begins a node of `UniqueV2`.
    ///
    /// ```text
    /// UniqueV2(x: T, axis: Taxis) -> (y: T, idx: out_idx)
    ///   T: type
    ///   Taxis: type in {int32, int64} = int64
    ///   out_idx: type in {int32, int64} = int32
    /// ```
    unique_v2 UniqueV2 x (x: one "x", axis: one "axis") -> (UniqueV2Outputs y: one, idx: one) {
        /// Sets `out_idx: type in {int32, int64} = int32`.
        out_idx: dtype "out_idx";
    }

    /// Begins a node of `UniqueWithCounts`.
    ///
    /// ```text
    /// UniqueWithCounts(x: T) -> (y: T, idx: out_idx, count: out_idx)
    ///   T: type
    ///   out_idx: type in {int32, int64} = int32
    /// ```
    unique_with_counts UniqueWithCounts x (x: one "x") -> (UniqueWithCountsOutputs y: one, idx: one, count: one) {
        /// Sets `out_idx: type in {int32, int64} = int32`.
        out_idx: dtype "out_idx";
    }

    /// Begins a node of `UniqueWithCountsV2`.
    ///
    /// ```text
    /// UniqueWithCountsV2(x: T, axis: Taxis) -> (y: T, idx: out_idx, count: out_idx)
    ///   T: type
    ///   Taxis: type in {int32, int64} = int64
    ///   out_idx: type in {int32, int64} = int32
    /// ```
    unique_with_counts_v2 UniqueWithCountsV2 x (x: one "x", axis: one "axis") -> (UniqueWithCountsV2Outputs y: one, idx: one, count: one) {
        /// Sets `out_idx: type in {int32, int64} = int32`.
        out_idx: dtype "out_idx";
    }

    /// Begins a node of `Unpack`.
    ///
    /// ```text
    /// Unpack(value: T) -> (output: num * T)
    ///   num: int >= 0
    ///   T: type
    ///   axis: int = 0
    /// ```
    unpack Unpack value (value: one "value", num: int "num") -> list {
        /// Sets `axis: int = 0`.
        axis: int "axis";
    }

    /// Begins a node of `UnravelIndex`.
    ///
    /// ```text
    /// UnravelIndex(indices: Tidx, dims: Tidx) -> (output: Tidx)
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    unravel_index UnravelIndex indices (indices: one "indices", dims: one "dims") -> one {}

    /// Begins a node of `Where`.
    ///
    /// ```text
    /// Where(input: T) -> (index: int64)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = bool
    /// ```
    where_ Where input (input: one "input") -> one {}

    /// Begins a node of `ZerosLike`.
    ///
    /// ```text
    /// ZerosLike(x: T) -> (y: T)
    ///   T: type
    /// ```
    zeros_like ZerosLike x (x: one "x") -> one {}
}
