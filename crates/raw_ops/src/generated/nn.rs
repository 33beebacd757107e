//! The ops of the group `nn`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `ApproxTopK`.
    ///
    /// ```text
    /// ApproxTopK(input: T) -> (values: T, indices: int32)
    ///   k: int >= 0
    ///   reduction_dimension: int = -1
    ///   recall_target: float = 0.95
    ///   is_max_k: bool = true
    ///   reduction_input_size_override: int = -1
    ///   aggregate_to_topk: bool = true
    ///   T: type in {half, bfloat16, float}
    /// ```
    approx_top_k ApproxTopK input (input: one "input", k: int "k") -> (ApproxTopKOutputs values: one, indices: one) {
        /// Sets `reduction_dimension: int = -1`.
        reduction_dimension: int "reduction_dimension";
        /// Sets `recall_target: float = 0.95`.
        recall_target: float "recall_target";
        /// Sets `is_max_k: bool = true`.
        is_max_k: bool "is_max_k";
        /// Sets `reduction_input_size_override: int = -1`.
        reduction_input_size_override: int "reduction_input_size_override";
        /// Sets `aggregate_to_topk: bool = true`.
        aggregate_to_topk: bool "aggregate_to_topk";
    }

    /// Begins a node of `AvgPool`.
    ///
    /// ```text
    /// AvgPool(value: T) -> (output: T)
    ///   ksize: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    avg_pool AvgPool value (value: one "value", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `AvgPool3D`.
    ///
    /// ```text
    /// AvgPool3D(input: T) -> (output: T)
    ///   ksize: list(int) >= 5
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    avg_pool3d AvgPool3D input (input: one "input", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `AvgPool3DGrad`.
    ///
    /// ```text
    /// AvgPool3DGrad(orig_input_shape: int32, grad: T) -> (output: T)
    ///   ksize: list(int) >= 5
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    avg_pool3d_grad AvgPool3DGrad orig_input_shape (orig_input_shape: one "orig_input_shape", grad: one "grad", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `AvgPoolGrad`.
    ///
    /// ```text
    /// AvgPoolGrad(orig_input_shape: int32, grad: T) -> (output: T)
    ///   ksize: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    avg_pool_grad AvgPoolGrad orig_input_shape (orig_input_shape: one "orig_input_shape", grad: one "grad", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `BatchNormWithGlobalNormalization`.
    ///
    /// ```text
    /// BatchNormWithGlobalNormalization(t: T, m: T, v: T, beta: T, gamma: T) -> (result: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   variance_epsilon: float
    ///   scale_after_normalization: bool
    /// ```
    batch_norm_with_global_normalization BatchNormWithGlobalNormalization t (t: one "t", m: one "m", v: one "v", beta: one "beta", gamma: one "gamma", variance_epsilon: float "variance_epsilon", scale_after_normalization: bool "scale_after_normalization") -> one {}

    /// Begins a node of `BatchNormWithGlobalNormalizationGrad`.
    ///
    /// ```text
    /// BatchNormWithGlobalNormalizationGrad(t: T, m: T, v: T, gamma: T, backprop: T) -> (dx: T, dm: T, dv: T, db: T,
    ///     dg: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   variance_epsilon: float
    ///   scale_after_normalization: bool
    /// ```
    batch_norm_with_global_normalization_grad BatchNormWithGlobalNormalizationGrad t (t: one "t", m: one "m", v: one "v", gamma: one "gamma", backprop: one "backprop", variance_epsilon: float "variance_epsilon", scale_after_normalization: bool "scale_after_normalization") -> (BatchNormWithGlobalNormalizationGradOutputs dx: one, dm: one, dv: one, db: one, dg: one) {}

    /// Begins a node of `BiasAdd`.
    ///
    /// ```text
    /// BiasAdd(value: T, bias: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    /// ```
    bias_add BiasAdd value (value: one "value", bias: one "bias") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `BiasAddGrad`.
    ///
    /// ```text
    /// BiasAddGrad(out_backprop: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    /// ```
    bias_add_grad BiasAddGrad out_backprop (out_backprop: one "out_backprop") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `BiasAddV1`.
    ///
    /// ```text
    /// BiasAddV1(value: T, bias: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    bias_add_v1 BiasAddV1 value (value: one "value", bias: one "bias") -> one {}

    /// Begins a node of `BlockLSTM`.
    ///
    /// ```text
    /// BlockLSTM(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T,
    ///     f: T, o: T, ci: T, co: T, h: T)
    ///   forget_bias: float = 1
    ///   cell_clip: float = 3
    ///   use_peephole: bool = false
    ///   T: type in {half, float}
    /// ```
    block_lstm BlockLSTM seq_len_max (seq_len_max: one "seq_len_max", x: one "x", cs_prev: one "cs_prev", h_prev: one "h_prev", w: one "w", wci: one "wci", wcf: one "wcf", wco: one "wco", b: one "b") -> (BlockLSTMOutputs i: one, cs: one, f: one, o: one, ci: one, co: one, h: one) {
        /// Sets `forget_bias: float = 1`.
        forget_bias: float "forget_bias";
        /// Sets `cell_clip: float = 3`.
        cell_clip: float "cell_clip";
        /// Sets `use_peephole: bool = false`.
        use_peephole: bool "use_peephole";
    }

    /// Begins a node of `BlockLSTMGrad`.
    ///
    /// ```text
    /// BlockLSTMGrad(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T,
    ///     f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> (x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad:
    ///     T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T)
    ///   use_peephole: bool
    ///   T: type in {half, float}
    /// ```
    block_lstm_grad BlockLSTMGrad seq_len_max (seq_len_max: one "seq_len_max", x: one "x", cs_prev: one "cs_prev", h_prev: one "h_prev", w: one "w", wci: one "wci", wcf: one "wcf", wco: one "wco", b: one "b", i: one "i", cs: one "cs", f: one "f", o: one "o", ci: one "ci", co: one "co", h: one "h", cs_grad: one "cs_grad", h_grad: one "h_grad", use_peephole: bool "use_peephole") -> (BlockLSTMGradOutputs x_grad: one, cs_prev_grad: one, h_prev_grad: one, w_grad: one, wci_grad: one, wcf_grad: one, wco_grad: one, b_grad: one) {}

    /// Begins a node of `BlockLSTMGradV2`.
    ///
    /// ```text
    /// BlockLSTMGradV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs:
    ///     T, f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> (x_grad: T, cs_prev_grad: T, h_prev_grad: T,
    ///     w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T)
    ///   use_peephole: bool
    ///   T: type in {half, float}
    /// ```
    block_lstm_grad_v2 BlockLSTMGradV2 seq_len_max (seq_len_max: one "seq_len_max", x: one "x", cs_prev: one "cs_prev", h_prev: one "h_prev", w: one "w", wci: one "wci", wcf: one "wcf", wco: one "wco", b: one "b", i: one "i", cs: one "cs", f: one "f", o: one "o", ci: one "ci", co: one "co", h: one "h", cs_grad: one "cs_grad", h_grad: one "h_grad", use_peephole: bool "use_peephole") -> (BlockLSTMGradV2Outputs x_grad: one, cs_prev_grad: one, h_prev_grad: one, w_grad: one, wci_grad: one, wcf_grad: one, wco_grad: one, b_grad: one) {}

    /// Begins a node of `BlockLSTMV2`.
    ///
    /// ```text
    /// BlockLSTMV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs:
    ///     T, f: T, o: T, ci: T, co: T, h: T)
    ///   cell_clip: float = 0
    ///   use_peephole: bool = false
    ///   T: type in {half, float}
    /// ```
    block_lstm_v2 BlockLSTMV2 seq_len_max (seq_len_max: one "seq_len_max", x: one "x", cs_prev: one "cs_prev", h_prev: one "h_prev", w: one "w", wci: one "wci", wcf: one "wcf", wco: one "wco", b: one "b") -> (BlockLSTMV2Outputs i: one, cs: one, f: one, o: one, ci: one, co: one, h: one) {
        /// Sets `cell_clip: float = 0`.
        cell_clip: float "cell_clip";
        /// Sets `use_peephole: bool = false`.
        use_peephole: bool "use_peephole";
    }

    /// Begins a node of `CTCBeamSearchDecoder`.
    ///
    /// ```text
    /// CTCBeamSearchDecoder(inputs: T, sequence_length: int32) -> (decoded_indices: top_paths * int64, decoded_values:
    ///     top_paths * int64, decoded_shape: top_paths * int64, log_probability: T)
    ///   beam_width: int >= 1
    ///   top_paths: int >= 1
    ///   merge_repeated: bool = true
    ///   T: type in {float, double} = float
    /// ```
    ctc_beam_search_decoder CTCBeamSearchDecoder inputs (inputs: one "inputs", sequence_length: one "sequence_length", beam_width: int "beam_width", top_paths: int "top_paths") -> (CTCBeamSearchDecoderOutputs decoded_indices: list, decoded_values: list, decoded_shape: list, log_probability: one) {
        /// Sets `merge_repeated: bool = true`.
        merge_repeated: bool "merge_repeated";
    }

    /// Begins a node of `CTCGreedyDecoder`.
    ///
    /// ```text
    /// CTCGreedyDecoder(inputs: T, sequence_length: int32) -> (decoded_indices: int64, decoded_values: int64,
    ///     decoded_shape: int64, log_probability: T)
    ///   merge_repeated: bool = false
    ///   blank_index: int = -1
    ///   T: type in {float, double} = float
    /// ```
    ctc_greedy_decoder CTCGreedyDecoder inputs (inputs: one "inputs", sequence_length: one "sequence_length") -> (CTCGreedyDecoderOutputs decoded_indices: one, decoded_values: one, decoded_shape: one, log_probability: one) {
        /// Sets `merge_repeated: bool = false`.
        merge_repeated: bool "merge_repeated";
        /// Sets `blank_index: int = -1`.
        blank_index: int "blank_index";
    }

    /// Begins a node of `CTCLoss`.
    ///
    /// ```text
    /// CTCLoss(inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32) -> (loss: T, gradient:
    ///     T)
    ///   preprocess_collapse_repeated: bool = false
    ///   ctc_merge_repeated: bool = true
    ///   ignore_longer_outputs_than_inputs: bool = false
    ///   T: type in {float, double} = float
    /// ```
    ctc_loss CTCLoss inputs (inputs: one "inputs", labels_indices: one "labels_indices", labels_values: one "labels_values", sequence_length: one "sequence_length") -> (CTCLossOutputs loss: one, gradient: one) {
        /// Sets `preprocess_collapse_repeated: bool = false`.
        preprocess_collapse_repeated: bool "preprocess_collapse_repeated";
        /// Sets `ctc_merge_repeated: bool = true`.
        ctc_merge_repeated: bool "ctc_merge_repeated";
        /// Sets `ignore_longer_outputs_than_inputs: bool = false`.
        ignore_longer_outputs_than_inputs: bool "ignore_longer_outputs_than_inputs";
    }

    /// Begins a node of `Conv`.
    ///
    /// ```text
    /// Conv(input: T, filter: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double, int32}
    ///   strides: list(int)
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["CHANNELS_FIRST", "CHANNELS_LAST"] = 'CHANNELS_LAST'
    ///   dilations: list(int) = []
    ///   batch_dims: int = 1
    ///   groups: int = 1
    /// ```
    conv Conv input (input: one "input", filter: one "filter", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["CHANNELS_FIRST", "CHANNELS_LAST"] = 'CHANNELS_LAST'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = []`.
        dilations: ints "dilations";
        /// Sets `batch_dims: int = 1`.
        batch_dims: int "batch_dims";
        /// Sets `groups: int = 1`.
        groups: int "groups";
    }

    /// Begins a node of `Conv2D`.
    ///
    /// ```text
    /// Conv2D(input: T, filter: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double, int32}
    ///   strides: list(int)
    ///   use_cudnn_on_gpu: bool = true
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   dilations: list(int) = [1, 1, 1, 1]
    /// ```
    conv2d Conv2D input (input: one "input", filter: one "filter", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `use_cudnn_on_gpu: bool = true`.
        use_cudnn_on_gpu: bool "use_cudnn_on_gpu";
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Conv2DBackpropFilter`.
    ///
    /// ```text
    /// Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   strides: list(int)
    ///   use_cudnn_on_gpu: bool = true
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   dilations: list(int) = [1, 1, 1, 1]
    /// ```
    conv2d_backprop_filter Conv2DBackpropFilter input (input: one "input", filter_sizes: one "filter_sizes", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `use_cudnn_on_gpu: bool = true`.
        use_cudnn_on_gpu: bool "use_cudnn_on_gpu";
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Conv2DBackpropInput`.
    ///
    /// ```text
    /// Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double, int32}
    ///   strides: list(int)
    ///   use_cudnn_on_gpu: bool = true
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   dilations: list(int) = [1, 1, 1, 1]
    /// ```
    conv2d_backprop_input Conv2DBackpropInput input_sizes (input_sizes: one "input_sizes", filter: one "filter", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `use_cudnn_on_gpu: bool = true`.
        use_cudnn_on_gpu: bool "use_cudnn_on_gpu";
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Conv3D`.
    ///
    /// ```text
    /// Conv3D(input: T, filter: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   dilations: list(int) = [1, 1, 1, 1, 1]
    /// ```
    conv3d Conv3D input (input: one "input", filter: one "filter", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Conv3DBackpropFilter`.
    ///
    /// ```text
    /// Conv3DBackpropFilter(input: T, filter: T, out_backprop: T) -> (output: T)
    ///   T: type in {half, float, double}
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   dilations: list(int) = [1, 1, 1, 1, 1]
    /// ```
    conv3d_backprop_filter Conv3DBackpropFilter input (input: one "input", filter: one "filter", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `dilations: list(int) = [1, 1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Conv3DBackpropFilterV2`.
    ///
    /// ```text
    /// Conv3DBackpropFilterV2(input: T, filter_sizes: int32, out_backprop: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   dilations: list(int) = [1, 1, 1, 1, 1]
    /// ```
    conv3d_backprop_filter_v2 Conv3DBackpropFilterV2 input (input: one "input", filter_sizes: one "filter_sizes", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Conv3DBackpropInput`.
    ///
    /// ```text
    /// Conv3DBackpropInput(input: T, filter: T, out_backprop: T) -> (output: T)
    ///   T: type in {half, float, double}
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   dilations: list(int) = [1, 1, 1, 1, 1]
    /// ```
    conv3d_backprop_input Conv3DBackpropInput input (input: one "input", filter: one "filter", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `dilations: list(int) = [1, 1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Conv3DBackpropInputV2`.
    ///
    /// ```text
    /// Conv3DBackpropInputV2(input_sizes: Tshape, filter: T, out_backprop: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   dilations: list(int) = [1, 1, 1, 1, 1]
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    conv3d_backprop_input_v2 Conv3DBackpropInputV2 input_sizes (input_sizes: one "input_sizes", filter: one "filter", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `DepthwiseConv2dNative`.
    ///
    /// ```text
    /// DepthwiseConv2dNative(input: T, filter: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   strides: list(int)
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   dilations: list(int) = [1, 1, 1, 1]
    /// ```
    depthwise_conv2d_native DepthwiseConv2dNative input (input: one "input", filter: one "filter", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `DepthwiseConv2dNativeBackpropFilter`.
    ///
    /// ```text
    /// DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   strides: list(int)
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   dilations: list(int) = [1, 1, 1, 1]
    /// ```
    depthwise_conv2d_native_backprop_filter DepthwiseConv2dNativeBackpropFilter input (input: one "input", filter_sizes: one "filter_sizes", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `DepthwiseConv2dNativeBackpropInput`.
    ///
    /// ```text
    /// DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   strides: list(int)
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   dilations: list(int) = [1, 1, 1, 1]
    /// ```
    depthwise_conv2d_native_backprop_input DepthwiseConv2dNativeBackpropInput input_sizes (input_sizes: one "input_sizes", filter: one "filter", out_backprop: one "out_backprop", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `dilations: list(int) = [1, 1, 1, 1]`.
        dilations: ints "dilations";
    }

    /// Begins a node of `Elu`.
    ///
    /// ```text
    /// Elu(features: T) -> (activations: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    elu Elu features (features: one "features") -> one {}

    /// Begins a node of `EluGrad`.
    ///
    /// ```text
    /// EluGrad(gradients: T, outputs: T) -> (backprops: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    elu_grad EluGrad gradients (gradients: one "gradients", outputs_: one "outputs") -> one {}

    /// Begins a node of `FractionalAvgPool`.
    ///
    /// ```text
    /// FractionalAvgPool(value: T) -> (output: T, row_pooling_sequence: int64, col_pooling_sequence: int64)
    ///   pooling_ratio: list(float) >= 4
    ///   pseudo_random: bool = false
    ///   overlapping: bool = false
    ///   deterministic: bool = false
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   T: type in {float, double, int32, int64}
    /// ```
    fractional_avg_pool FractionalAvgPool value (value: one "value", pooling_ratio: floats "pooling_ratio") -> (FractionalAvgPoolOutputs output: one, row_pooling_sequence: one, col_pooling_sequence: one) {
        /// Sets `pseudo_random: bool = false`.
        pseudo_random: bool "pseudo_random";
        /// Sets `overlapping: bool = false`.
        overlapping: bool "overlapping";
        /// Sets `deterministic: bool = false`.
        deterministic: bool "deterministic";
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `FractionalAvgPoolGrad`.
    ///
    /// ```text
    /// FractionalAvgPoolGrad(orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64,
    ///     col_pooling_sequence: int64) -> (output: T)
    ///   overlapping: bool = false
    ///   T: type in {float, double, int32, int64}
    /// ```
    fractional_avg_pool_grad FractionalAvgPoolGrad orig_input_tensor_shape (orig_input_tensor_shape: one "orig_input_tensor_shape", out_backprop: one "out_backprop", row_pooling_sequence: one "row_pooling_sequence", col_pooling_sequence: one "col_pooling_sequence") -> one {
        /// Sets `overlapping: bool = false`.
        overlapping: bool "overlapping";
    }

    /// Begins a node of `FractionalMaxPool`.
    ///
    /// ```text
    /// FractionalMaxPool(value: T) -> (output: T, row_pooling_sequence: int64, col_pooling_sequence: int64)
    ///   pooling_ratio: list(float) >= 4
    ///   pseudo_random: bool = false
    ///   overlapping: bool = false
    ///   deterministic: bool = false
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   T: type in {float, double, int32, int64}
    /// ```
    fractional_max_pool FractionalMaxPool value (value: one "value", pooling_ratio: floats "pooling_ratio") -> (FractionalMaxPoolOutputs output: one, row_pooling_sequence: one, col_pooling_sequence: one) {
        /// Sets `pseudo_random: bool = false`.
        pseudo_random: bool "pseudo_random";
        /// Sets `overlapping: bool = false`.
        overlapping: bool "overlapping";
        /// Sets `deterministic: bool = false`.
        deterministic: bool "deterministic";
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `FractionalMaxPoolGrad`.
    ///
    /// ```text
    /// FractionalMaxPoolGrad(orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64,
    ///     col_pooling_sequence: int64) -> (output: T)
    ///   overlapping: bool = false
    ///   T: type in {float, double, int32, int64}
    /// ```
    fractional_max_pool_grad FractionalMaxPoolGrad orig_input (orig_input: one "orig_input", orig_output: one "orig_output", out_backprop: one "out_backprop", row_pooling_sequence: one "row_pooling_sequence", col_pooling_sequence: one "col_pooling_sequence") -> one {
        /// Sets `overlapping: bool = false`.
        overlapping: bool "overlapping";
    }

    /// Begins a node of `FusedBatchNorm`.
    ///
    /// ```text
    /// FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> (y: T, batch_mean: T, batch_variance: T,
    ///     reserve_space_1: T, reserve_space_2: T)
    ///   T: type in {float}
    ///   epsilon: float = 0.0001
    ///   exponential_avg_factor: float = 1
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   is_training: bool = true
    /// ```
    fused_batch_norm FusedBatchNorm x (x: one "x", scale: one "scale", offset: one "offset", mean: one "mean", variance: one "variance") -> (FusedBatchNormOutputs y: one, batch_mean: one, batch_variance: one, reserve_space_1: one, reserve_space_2: one) {
        /// Sets `epsilon: float = 0.0001`.
        epsilon: float "epsilon";
        /// Sets `exponential_avg_factor: float = 1`.
        exponential_avg_factor: float "exponential_avg_factor";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `is_training: bool = true`.
        is_training: bool "is_training";
    }

    /// Begins a node of `FusedBatchNormGrad`.
    ///
    /// ```text
    /// FusedBatchNormGrad(y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T) -> (x_backprop: T,
    ///     scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T)
    ///   T: type in {float}
    ///   epsilon: float = 0.0001
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   is_training: bool = true
    /// ```
    fused_batch_norm_grad FusedBatchNormGrad y_backprop (y_backprop: one "y_backprop", x: one "x", scale: one "scale", reserve_space_1: one "reserve_space_1", reserve_space_2: one "reserve_space_2") -> (FusedBatchNormGradOutputs x_backprop: one, scale_backprop: one, offset_backprop: one, reserve_space_3: one, reserve_space_4: one) {
        /// Sets `epsilon: float = 0.0001`.
        epsilon: float "epsilon";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `is_training: bool = true`.
        is_training: bool "is_training";
    }

    /// Begins a node of `FusedBatchNormGradV2`.
    ///
    /// ```text
    /// FusedBatchNormGradV2(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U) -> (x_backprop:
    ///     T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U)
    ///   T: type in {half, bfloat16, float}
    ///   U: type in {float}
    ///   epsilon: float = 0.0001
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   is_training: bool = true
    /// ```
    fused_batch_norm_grad_v2 FusedBatchNormGradV2 y_backprop (y_backprop: one "y_backprop", x: one "x", scale: one "scale", reserve_space_1: one "reserve_space_1", reserve_space_2: one "reserve_space_2") -> (FusedBatchNormGradV2Outputs x_backprop: one, scale_backprop: one, offset_backprop: one, reserve_space_3: one, reserve_space_4: one) {
        /// Sets `epsilon: float = 0.0001`.
        epsilon: float "epsilon";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `is_training: bool = true`.
        is_training: bool "is_training";
    }

    /// Begins a node of `FusedBatchNormGradV3`.
    ///
    /// ```text
    /// FusedBatchNormGradV3(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U,
    ///     reserve_space_3: U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U,
    ///     reserve_space_5: U)
    ///   T: type in {half, bfloat16, float}
    ///   U: type in {float}
    ///   epsilon: float = 0.0001
    ///   data_format: string in ["NHWC", "NCHW", "NDHWC", "NCDHW"] = 'NHWC'
    ///   is_training: bool = true
    /// ```
    fused_batch_norm_grad_v3 FusedBatchNormGradV3 y_backprop (y_backprop: one "y_backprop", x: one "x", scale: one "scale", reserve_space_1: one "reserve_space_1", reserve_space_2: one "reserve_space_2", reserve_space_3: one "reserve_space_3") -> (FusedBatchNormGradV3Outputs x_backprop: one, scale_backprop: one, offset_backprop: one, reserve_space_4: one, reserve_space_5: one) {
        /// Sets `epsilon: float = 0.0001`.
        epsilon: float "epsilon";
        /// Sets `data_format: string in ["NHWC", "NCHW", "NDHWC", "NCDHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `is_training: bool = true`.
        is_training: bool "is_training";
    }

    /// Begins a node of `FusedBatchNormV2`.
    ///
    /// ```text
    /// FusedBatchNormV2(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U,
    ///     reserve_space_1: U, reserve_space_2: U)
    ///   T: type in {half, bfloat16, float}
    ///   U: type in {float}
    ///   epsilon: float = 0.0001
    ///   exponential_avg_factor: float = 1
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   is_training: bool = true
    /// ```
    fused_batch_norm_v2 FusedBatchNormV2 x (x: one "x", scale: one "scale", offset: one "offset", mean: one "mean", variance: one "variance") -> (FusedBatchNormV2Outputs y: one, batch_mean: one, batch_variance: one, reserve_space_1: one, reserve_space_2: one) {
        /// Sets `epsilon: float = 0.0001`.
        epsilon: float "epsilon";
        /// Sets `exponential_avg_factor: float = 1`.
        exponential_avg_factor: float "exponential_avg_factor";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `is_training: bool = true`.
        is_training: bool "is_training";
    }

    /// Begins a node of `FusedBatchNormV3`.
    ///
    /// ```text
    /// FusedBatchNormV3(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U,
    ///     reserve_space_1: U, reserve_space_2: U, reserve_space_3: U)
    ///   T: type in {half, bfloat16, float}
    ///   U: type in {bfloat16, float}
    ///   epsilon: float = 0.0001
    ///   exponential_avg_factor: float = 1
    ///   data_format: string in ["NHWC", "NCHW", "NDHWC", "NCDHW"] = 'NHWC'
    ///   is_training: bool = true
    /// ```
    fused_batch_norm_v3 FusedBatchNormV3 x (x: one "x", scale: one "scale", offset: one "offset", mean: one "mean", variance: one "variance") -> (FusedBatchNormV3Outputs y: one, batch_mean: one, batch_variance: one, reserve_space_1: one, reserve_space_2: one, reserve_space_3: one) {
        /// Sets `epsilon: float = 0.0001`.
        epsilon: float "epsilon";
        /// Sets `exponential_avg_factor: float = 1`.
        exponential_avg_factor: float "exponential_avg_factor";
        /// Sets `data_format: string in ["NHWC", "NCHW", "NDHWC", "NCDHW"] = 'NHWC'`.
        data_format: string "data_format";
        /// Sets `is_training: bool = true`.
        is_training: bool "is_training";
    }

    /// Begins a node of `FusedPadConv2D`.
    ///
    /// ```text
    /// FusedPadConv2D(input: T, paddings: int32, filter: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   mode: string in ["REFLECT", "SYMMETRIC"]
    ///   strides: list(int)
    ///   padding: string in ["SAME", "VALID"]
    /// ```
    fused_pad_conv2d FusedPadConv2D input (input: one "input", paddings: one "paddings", filter: one "filter", mode: string "mode", strides: ints "strides", padding: string "padding") -> one {}

    /// Begins a node of `FusedResizeAndPadConv2D`.
    ///
    /// ```text
    /// FusedResizeAndPadConv2D(input: T, size: int32, paddings: int32, filter: T) -> (output: T)
    ///   T: type in {half, float, double}
    ///   resize_align_corners: bool = false
    ///   mode: string in ["REFLECT", "SYMMETRIC"]
    ///   strides: list(int)
    ///   padding: string in ["SAME", "VALID"]
    /// ```
    fused_resize_and_pad_conv2d FusedResizeAndPadConv2D input (input: one "input", size: one "size", paddings: one "paddings", filter: one "filter", mode: string "mode", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `resize_align_corners: bool = false`.
        resize_align_corners: bool "resize_align_corners";
    }

    /// Begins a node of `GRUBlockCell`.
    ///
    /// ```text
    /// GRUBlockCell(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T) -> (r: T, u: T, c: T, h: T)
    ///   T: type in {float}
    /// ```
    gru_block_cell GRUBlockCell x (x: one "x", h_prev: one "h_prev", w_ru: one "w_ru", w_c: one "w_c", b_ru: one "b_ru", b_c: one "b_c") -> (GRUBlockCellOutputs r: one, u: one, c: one, h: one) {}

    /// Begins a node of `GRUBlockCellGrad`.
    ///
    /// ```text
    /// GRUBlockCellGrad(x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T) -> (d_x: T,
    ///     d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T)
    ///   T: type in {float}
    /// ```
    gru_block_cell_grad GRUBlockCellGrad x (x: one "x", h_prev: one "h_prev", w_ru: one "w_ru", w_c: one "w_c", b_ru: one "b_ru", b_c: one "b_c", r: one "r", u: one "u", c: one "c", d_h: one "d_h") -> (GRUBlockCellGradOutputs d_x: one, d_h_prev: one, d_c_bar: one, d_r_bar_u_bar: one) {}

    /// Begins a node of `InTopK`.
    ///
    /// ```text
    /// InTopK(predictions: float, targets: T) -> (precision: bool)
    ///   k: int
    ///   T: type in {int32, int64} = int32
    /// ```
    in_top_k InTopK predictions (predictions: one "predictions", targets: one "targets", k: int "k") -> one {}

    /// Begins a node of `InTopKV2`.
    ///
    /// ```text
    /// InTopKV2(predictions: float, targets: T, k: T) -> (precision: bool)
    ///   T: type in {int32, int64} = int32
    /// ```
    in_top_k_v2 InTopKV2 predictions (predictions: one "predictions", targets: one "targets", k: one "k") -> one {}

    /// Begins a node of `L2Loss`.
    ///
    /// ```text
    /// L2Loss(t: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    l2_loss L2Loss t (t: one "t") -> one {}

    /// Begins a node of `LRN`.
    ///
    /// ```text
    /// LRN(input: T) -> (output: T)
    ///   depth_radius: int = 5
    ///   bias: float = 1
    ///   alpha: float = 1
    ///   beta: float = 0.5
    ///   T: type in {half, bfloat16, float} = float
    /// ```
    lrn LRN input (input: one "input") -> one {
        /// Sets `depth_radius: int = 5`.
        depth_radius: int "depth_radius";
        /// Sets `bias: float = 1`.
        bias: float "bias";
        /// Sets `alpha: float = 1`.
        alpha: float "alpha";
        /// Sets `beta: float = 0.5`.
        beta: float "beta";
    }

    /// Begins a node of `LRNGrad`.
    ///
    /// ```text
    /// LRNGrad(input_grads: T, input_image: T, output_image: T) -> (output: T)
    ///   depth_radius: int = 5
    ///   bias: float = 1
    ///   alpha: float = 1
    ///   beta: float = 0.5
    ///   T: type in {half, bfloat16, float} = float
    /// ```
    lrn_grad LRNGrad input_grads (input_grads: one "input_grads", input_image: one "input_image", output_image: one "output_image") -> one {
        /// Sets `depth_radius: int = 5`.
        depth_radius: int "depth_radius";
        /// Sets `bias: float = 1`.
        bias: float "bias";
        /// Sets `alpha: float = 1`.
        alpha: float "alpha";
        /// Sets `beta: float = 0.5`.
        beta: float "beta";
    }

    /// Begins a node of `LSTMBlockCell`.
    ///
    /// ```text
    /// LSTMBlockCell(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T, f: T, o: T, ci:
    ///     T, co: T, h: T)
    ///   forget_bias: float = 1
    ///   cell_clip: float = 3
    ///   use_peephole: bool = false
    ///   T: type in {half, float}
    /// ```
    lstm_block_cell LSTMBlockCell x (x: one "x", cs_prev: one "cs_prev", h_prev: one "h_prev", w: one "w", wci: one "wci", wcf: one "wcf", wco: one "wco", b: one "b") -> (LSTMBlockCellOutputs i: one, cs: one, f: one, o: one, ci: one, co: one, h: one) {
        /// Sets `forget_bias: float = 1`.
        forget_bias: float "forget_bias";
        /// Sets `cell_clip: float = 3`.
        cell_clip: float "cell_clip";
        /// Sets `use_peephole: bool = false`.
        use_peephole: bool "use_peephole";
    }

    /// Begins a node of `LSTMBlockCellGrad`.
    ///
    /// ```text
    /// LSTMBlockCellGrad(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, o: T, ci:
    ///     T, co: T, cs_grad: T, h_grad: T) -> (cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T)
    ///   use_peephole: bool
    ///   T: type in {half, float}
    /// ```
    lstm_block_cell_grad LSTMBlockCellGrad x (x: one "x", cs_prev: one "cs_prev", h_prev: one "h_prev", w: one "w", wci: one "wci", wcf: one "wcf", wco: one "wco", b: one "b", i: one "i", cs: one "cs", f: one "f", o: one "o", ci: one "ci", co: one "co", cs_grad: one "cs_grad", h_grad: one "h_grad", use_peephole: bool "use_peephole") -> (LSTMBlockCellGradOutputs cs_prev_grad: one, dicfo: one, wci_grad: one, wcf_grad: one, wco_grad: one) {}

    /// Begins a node of `LeakyRelu`.
    ///
    /// ```text
    /// LeakyRelu(features: T) -> (activations: T)
    ///   alpha: float = 0.2
    ///   T: type in {half, bfloat16, float, double} = float
    /// ```
    leaky_relu LeakyRelu features (features: one "features") -> one {
        /// Sets `alpha: float = 0.2`.
        alpha: float "alpha";
    }

    /// Begins a node of `LeakyReluGrad`.
    ///
    /// ```text
    /// LeakyReluGrad(gradients: T, features: T) -> (backprops: T)
    ///   alpha: float = 0.2
    ///   T: type in {half, bfloat16, float, double} = float
    /// ```
    leaky_relu_grad LeakyReluGrad gradients (gradients: one "gradients", features: one "features") -> one {
        /// Sets `alpha: float = 0.2`.
        alpha: float "alpha";
    }

    /// Begins a node of `LogSoftmax`.
    ///
    /// ```text
    /// LogSoftmax(logits: T) -> (logsoftmax: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    log_softmax LogSoftmax logits (logits: one "logits") -> one {}

    /// Begins a node of `MaxPool`.
    ///
    /// ```text
    /// MaxPool(input: T) -> (output: T)
    ///   T: type in {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float
    ///   ksize: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'
    /// ```
    max_pool MaxPool input (input: one "input", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPool3D`.
    ///
    /// ```text
    /// MaxPool3D(input: T) -> (output: T)
    ///   ksize: list(int) >= 5
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   T: type in {half, bfloat16, float}
    /// ```
    max_pool3d MaxPool3D input (input: one "input", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPool3DGrad`.
    ///
    /// ```text
    /// MaxPool3DGrad(orig_input: TInput, orig_output: TInput, grad: T) -> (output: T)
    ///   ksize: list(int) >= 5
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   T: type in {half, bfloat16, float} = float
    ///   TInput: type in {half, bfloat16, float} = float
    /// ```
    max_pool3d_grad MaxPool3DGrad orig_input (orig_input: one "orig_input", orig_output: one "orig_output", grad: one "grad", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPool3DGradGrad`.
    ///
    /// ```text
    /// MaxPool3DGradGrad(orig_input: T, orig_output: T, grad: T) -> (output: T)
    ///   ksize: list(int) >= 5
    ///   strides: list(int) >= 5
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    max_pool3d_grad_grad MaxPool3DGradGrad orig_input (orig_input: one "orig_input", orig_output: one "orig_output", grad: one "grad", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NDHWC", "NCDHW"] = 'NDHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPoolGrad`.
    ///
    /// ```text
    /// MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> (output: T)
    ///   ksize: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   padding: string in ["SAME", "VALID", "EXPLICIT"]
    ///   explicit_paddings: list(int) = []
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float
    /// ```
    max_pool_grad MaxPoolGrad orig_input (orig_input: one "orig_input", orig_output: one "orig_output", grad: one "grad", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `explicit_paddings: list(int) = []`.
        explicit_paddings: ints "explicit_paddings";
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPoolGradGrad`.
    ///
    /// ```text
    /// MaxPoolGradGrad(orig_input: T, orig_output: T, grad: T) -> (output: T)
    ///   ksize: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    max_pool_grad_grad MaxPoolGradGrad orig_input (orig_input: one "orig_input", orig_output: one "orig_output", grad: one "grad", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPoolGradGradV2`.
    ///
    /// ```text
    /// MaxPoolGradGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> (output: T)
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    max_pool_grad_grad_v2 MaxPoolGradGradV2 orig_input (orig_input: one "orig_input", orig_output: one "orig_output", grad: one "grad", ksize: one "ksize", strides: one "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPoolGradV2`.
    ///
    /// ```text
    /// MaxPoolGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> (output: T)
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NHWC", "NCHW"] = 'NHWC'
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float
    /// ```
    max_pool_grad_v2 MaxPoolGradV2 orig_input (orig_input: one "orig_input", orig_output: one "orig_output", grad: one "grad", ksize: one "ksize", strides: one "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPoolGradWithArgmax`.
    ///
    /// ```text
    /// MaxPoolGradWithArgmax(input: T, grad: T, argmax: Targmax) -> (output: T)
    ///   ksize: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   padding: string in ["SAME", "VALID"]
    ///   include_batch_in_index: bool = false
    ///   Targmax: type in {int32, int64}
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    max_pool_grad_with_argmax MaxPoolGradWithArgmax input (input: one "input", grad: one "grad", argmax: one "argmax", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> one {
        /// Sets `include_batch_in_index: bool = false`.
        include_batch_in_index: bool "include_batch_in_index";
    }

    /// Begins a node of `MaxPoolV2`.
    ///
    /// ```text
    /// MaxPoolV2(input: T, ksize: int32, strides: int32) -> (output: T)
    ///   T: type in {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float
    ///   padding: string in ["SAME", "VALID"]
    ///   data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'
    /// ```
    max_pool_v2 MaxPoolV2 input (input: one "input", ksize: one "ksize", strides: one "strides", padding: string "padding") -> one {
        /// Sets `data_format: string in ["NHWC", "NCHW", "NCHW_VECT_C"] = 'NHWC'`.
        data_format: string "data_format";
    }

    /// Begins a node of `MaxPoolWithArgmax`.
    ///
    /// ```text
    /// MaxPoolWithArgmax(input: T) -> (output: T, argmax: Targmax)
    ///   ksize: list(int) >= 4
    ///   strides: list(int) >= 4
    ///   Targmax: type in {int32, int64} = int64
    ///   padding: string in ["SAME", "VALID"]
    ///   include_batch_in_index: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    max_pool_with_argmax MaxPoolWithArgmax input (input: one "input", ksize: ints "ksize", strides: ints "strides", padding: string "padding") -> (MaxPoolWithArgmaxOutputs output: one, argmax: one) {
        /// Sets `Targmax: type in {int32, int64} = int64`.
        targmax: dtype "Targmax";
        /// Sets `include_batch_in_index: bool = false`.
        include_batch_in_index: bool "include_batch_in_index";
    }

    /// Begins a node of `NthElement`.
    ///
    /// ```text
    /// NthElement(input: T, n: int32) -> (values: T)
    ///   reverse: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    nth_element NthElement input (input: one "input", n: one "n") -> one {
        /// Sets `reverse: bool = false`.
        reverse: bool "reverse";
    }

    /// Begins a node of `Relu`.
    ///
    /// ```text
    /// Relu(features: T) -> (activations: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}
    /// ```
    relu Relu features (features: one "features") -> one {}

    /// Begins a node of `Relu6`.
    ///
    /// ```text
    /// Relu6(features: T) -> (activations: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    relu6 Relu6 features (features: one "features") -> one {}

    /// Begins a node of `Relu6Grad`.
    ///
    /// ```text
    /// Relu6Grad(gradients: T, features: T) -> (backprops: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    relu6_grad Relu6Grad gradients (gradients: one "gradients", features: one "features") -> one {}

    /// Begins a node of `ReluGrad`.
    ///
    /// ```text
    /// ReluGrad(gradients: T, features: T) -> (backprops: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    relu_grad ReluGrad gradients (gradients: one "gradients", features: one "features") -> one {}

    /// Begins a node of `Selu`.
    ///
    /// ```text
    /// Selu(features: T) -> (activations: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    selu Selu features (features: one "features") -> one {}

    /// Begins a node of `SeluGrad`.
    ///
    /// ```text
    /// SeluGrad(gradients: T, outputs: T) -> (backprops: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    selu_grad SeluGrad gradients (gradients: one "gradients", outputs_: one "outputs") -> one {}

    /// Begins a node of `Softmax`.
    ///
    /// ```text
    /// Softmax(logits: T) -> (softmax: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    softmax Softmax logits (logits: one "logits") -> one {}

    /// Begins a node of `SoftmaxCrossEntropyWithLogits`.
    ///
    /// ```text
    /// SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> (loss: T, backprop: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    softmax_cross_entropy_with_logits SoftmaxCrossEntropyWithLogits features (features: one "features", labels: one "labels") -> (SoftmaxCrossEntropyWithLogitsOutputs loss: one, backprop: one) {}

    /// Begins a node of `Softplus`.
    ///
    /// ```text
    /// Softplus(features: T) -> (activations: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    softplus Softplus features (features: one "features") -> one {}

    /// Begins a node of `SoftplusGrad`.
    ///
    /// ```text
    /// SoftplusGrad(gradients: T, features: T) -> (backprops: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    softplus_grad SoftplusGrad gradients (gradients: one "gradients", features: one "features") -> one {}

    /// Begins a node of `Softsign`.
    ///
    /// ```text
    /// Softsign(features: T) -> (activations: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    softsign Softsign features (features: one "features") -> one {}

    /// Begins a node of `SoftsignGrad`.
    ///
    /// ```text
    /// SoftsignGrad(gradients: T, features: T) -> (backprops: T)
    ///   T: type in {half, bfloat16, float, double}
    /// ```
    softsign_grad SoftsignGrad gradients (gradients: one "gradients", features: one "features") -> one {}

    /// Begins a node of `SparseSoftmaxCrossEntropyWithLogits`.
    ///
    /// ```text
    /// SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> (loss: T, backprop: T)
    ///   T: type in {half, bfloat16, float, double}
    ///   Tlabels: type in {int32, int64} = int64
    /// ```
    sparse_softmax_cross_entropy_with_logits SparseSoftmaxCrossEntropyWithLogits features (features: one "features", labels: one "labels") -> (SparseSoftmaxCrossEntropyWithLogitsOutputs loss: one, backprop: one) {}

    /// Begins a node of `TopK`.
    ///
    /// ```text
    /// TopK(input: T) -> (values: T, indices: int32)
    ///   k: int >= 0
    ///   sorted: bool = true
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    top_k TopK input (input: one "input", k: int "k") -> (TopKOutputs values: one, indices: one) {
        /// Sets `sorted: bool = true`.
        sorted: bool "sorted";
    }

    /// Begins a node of `TopKV2`.
    ///
    /// ```text
    /// TopKV2(input: T, k: Tk) -> (values: T, indices: index_type)
    ///   sorted: bool = true
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tk: type in {int16, int32, int64} = int32
    ///   index_type: type in {int16, int32, int64} = int32
    /// ```
    top_k_v2 TopKV2 input (input: one "input", k: one "k") -> (TopKV2Outputs values: one, indices: one) {
        /// Sets `sorted: bool = true`.
        sorted: bool "sorted";
        /// Sets `index_type: type in {int16, int32, int64} = int32`.
        index_type: dtype "index_type";
    }
}
