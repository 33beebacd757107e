//! The ops of the group `io`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `DecodeCompressed`.
    ///
    /// ```text
    /// DecodeCompressed(bytes: string) -> (output: string)
    ///   compression_type: string = ''
    /// ```
    decode_compressed DecodeCompressed bytes (bytes: one "bytes") -> one {
        /// Sets `compression_type: string = ''`.
        compression_type: string "compression_type";
    }

    /// Begins a node of `DecodeJSONExample`.
    ///
    /// ```text
    /// DecodeJSONExample(json_examples: string) -> (binary_examples: string)
    /// ```
    decode_json_example DecodeJSONExample json_examples (json_examples: one "json_examples") -> one {}

    /// Begins a node of `DecodePaddedRaw`.
    ///
    /// ```text
    /// DecodePaddedRaw(input_bytes: string, fixed_length: int32) -> (output: out_type)
    ///   out_type: type in {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}
    ///   little_endian: bool = true
    /// ```
    decode_padded_raw DecodePaddedRaw input_bytes (input_bytes: one "input_bytes", fixed_length: one "fixed_length", out_type: dtype "out_type") -> one {
        /// Sets `little_endian: bool = true`.
        little_endian: bool "little_endian";
    }

    /// Begins a node of `DecodeProtoV2`.
    ///
    /// ```text
    /// DecodeProtoV2(bytes: string) -> (sizes: int32, values: output_types)
    ///   message_type: string
    ///   field_names: list(string)
    ///   output_types: list(type) >= 0
    ///   descriptor_source: string = 'local://'
    ///   message_format: string = 'binary'
    ///   sanitize: bool = false
    /// ```
    decode_proto_v2 DecodeProtoV2 bytes (bytes: one "bytes", message_type: string "message_type", field_names: strings "field_names", output_types: dtypes "output_types") -> (DecodeProtoV2Outputs sizes: one, values: list) {
        /// Sets `descriptor_source: string = 'local://'`.
        descriptor_source: string "descriptor_source";
        /// Sets `message_format: string = 'binary'`.
        message_format: string "message_format";
        /// Sets `sanitize: bool = false`.
        sanitize: bool "sanitize";
    }

    /// Begins a node of `DecodeRaw`.
    ///
    /// ```text
    /// DecodeRaw(bytes: string) -> (output: out_type)
    ///   out_type: type in {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool,
    ///     bfloat16}
    ///   little_endian: bool = true
    /// ```
    decode_raw DecodeRaw bytes (bytes: one "bytes", out_type: dtype "out_type") -> one {
        /// Sets `little_endian: bool = true`.
        little_endian: bool "little_endian";
    }

    /// Begins a node of `EncodeProto`.
    ///
    /// ```text
    /// EncodeProto(sizes: int32, values: Tinput_types) -> (bytes: string)
    ///   field_names: list(string)
    ///   message_type: string
    ///   descriptor_source: string = 'local://'
    ///   Tinput_types: list(type) >= 1
    /// ```
    encode_proto EncodeProto sizes (sizes: one "sizes", values: list "values", field_names: strings "field_names", message_type: string "message_type") -> one {
        /// Sets `descriptor_source: string = 'local://'`.
        descriptor_source: string "descriptor_source";
    }

    /// Begins a node of `FixedLengthRecordReader`, which has state.
    ///
    /// ```text
    /// FixedLengthRecordReader() -> (reader_handle: Ref(string))
    ///   header_bytes: int = 0
    ///   record_bytes: int
    ///   footer_bytes: int = 0
    ///   hop_bytes: int = 0
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    fixed_length_record_reader FixedLengthRecordReader graph (graph: graph "", record_bytes: int "record_bytes") -> one {
        /// Sets `header_bytes: int = 0`.
        header_bytes: int "header_bytes";
        /// Sets `footer_bytes: int = 0`.
        footer_bytes: int "footer_bytes";
        /// Sets `hop_bytes: int = 0`.
        hop_bytes: int "hop_bytes";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `FixedLengthRecordReaderV2`, which has state.
    ///
    /// ```text
    /// FixedLengthRecordReaderV2() -> (reader_handle: resource)
    ///   header_bytes: int = 0
    ///   record_bytes: int
    ///   footer_bytes: int = 0
    ///   hop_bytes: int = 0
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   encoding: string = ''
    /// ```
    fixed_length_record_reader_v2 FixedLengthRecordReaderV2 graph (graph: graph "", record_bytes: int "record_bytes") -> one {
        /// Sets `header_bytes: int = 0`.
        header_bytes: int "header_bytes";
        /// Sets `footer_bytes: int = 0`.
        footer_bytes: int "footer_bytes";
        /// Sets `hop_bytes: int = 0`.
        hop_bytes: int "hop_bytes";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `encoding: string = ''`.
        encoding: string "encoding";
    }

    /// Begins a node of `GenerateVocabRemapping`.
    ///
    /// ```text
    /// GenerateVocabRemapping(new_vocab_file: string, old_vocab_file: string) -> (remapping: int64, num_present:
    ///     int32)
    ///   new_vocab_offset: int >= 0
    ///   num_new_vocab: int >= 0
    ///   old_vocab_size: int >= -1 = -1
    /// ```
    generate_vocab_remapping GenerateVocabRemapping new_vocab_file (new_vocab_file: one "new_vocab_file", old_vocab_file: one "old_vocab_file", new_vocab_offset: int "new_vocab_offset", num_new_vocab: int "num_new_vocab") -> (GenerateVocabRemappingOutputs remapping: one, num_present: one) {
        /// Sets `old_vocab_size: int >= -1 = -1`.
        old_vocab_size: int "old_vocab_size";
    }

    /// Begins a node of `IdentityReader`, which has state.
    ///
    /// ```text
    /// IdentityReader() -> (reader_handle: Ref(string))
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    identity_reader IdentityReader graph (graph: graph "") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `IdentityReaderV2`, which has state.
    ///
    /// ```text
    /// IdentityReaderV2() -> (reader_handle: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    identity_reader_v2 IdentityReaderV2 graph (graph: graph "") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `ImmutableConst`.
    ///
    /// ```text
    /// ImmutableConst() -> (tensor: dtype)
    ///   dtype: type
    ///   shape: shape
    ///   memory_region_name: string
    /// ```
    immutable_const ImmutableConst graph (graph: graph "", dtype: dtype "dtype", shape: shape "shape", memory_region_name: string "memory_region_name") -> one {}

    /// Begins a node of `LoadAndRemapMatrix`, which has state.
    ///
    /// ```text
    /// LoadAndRemapMatrix(ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64,
    ///     initializing_values: float) -> (output_matrix: float)
    ///   num_rows: int >= 0
    ///   num_cols: int >= 1
    ///   max_rows_in_memory: int = -1
    /// ```
    load_and_remap_matrix LoadAndRemapMatrix ckpt_path (ckpt_path: one "ckpt_path", old_tensor_name: one "old_tensor_name", row_remapping: one "row_remapping", col_remapping: one "col_remapping", initializing_values: one "initializing_values", num_rows: int "num_rows", num_cols: int "num_cols") -> one {
        /// Sets `max_rows_in_memory: int = -1`.
        max_rows_in_memory: int "max_rows_in_memory";
    }

    /// Begins a node of `MatchingFiles`.
    ///
    /// ```text
    /// MatchingFiles(pattern: string) -> (filenames: string)
    /// ```
    matching_files MatchingFiles pattern (pattern: one "pattern") -> one {}

    /// Begins a node of `MergeV2Checkpoints`, which has state.
    ///
    /// ```text
    /// MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string) -> ()
    ///   delete_old_dirs: bool = true
    ///   allow_missing_files: bool = false
    /// ```
    merge_v2_checkpoints MergeV2Checkpoints checkpoint_prefixes (checkpoint_prefixes: one "checkpoint_prefixes", destination_prefix: one "destination_prefix") -> none {
        /// Sets `delete_old_dirs: bool = true`.
        delete_old_dirs: bool "delete_old_dirs";
        /// Sets `allow_missing_files: bool = false`.
        allow_missing_files: bool "allow_missing_files";
    }

    /// Begins a node of `ParseExample`.
    ///
    /// ```text
    /// ParseExample(serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string,
    ///     dense_defaults: Tdense) -> (sparse_indices: Nsparse * int64, sparse_values: sparse_types, sparse_shapes:
    ///     Nsparse * int64, dense_values: Tdense)
    ///   Nsparse: int >= 0
    ///   Ndense: int >= 0
    ///   sparse_types: list(type) in {float, int64, string} >= 0
    ///   Tdense: list(type) in {float, int64, string} >= 0
    ///   dense_shapes: list(shape) >= 0
    /// ```
    parse_example ParseExample serialized (serialized: one "serialized", names: one "names", sparse_keys: list "sparse_keys", dense_keys: list "dense_keys", dense_defaults: list "dense_defaults", sparse_types: dtypes "sparse_types", dense_shapes: shapes "dense_shapes") -> (ParseExampleOutputs sparse_indices: list, sparse_values: list, sparse_shapes: list, dense_values: list) {}

    /// Begins a node of `ParseExampleV2`.
    ///
    /// ```text
    /// ParseExampleV2(serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string,
    ///     dense_defaults: Tdense) -> (sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes:
    ///     num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits:
    ///     ragged_split_types)
    ///   Tdense: list(type) in {float, int64, string} >= 0
    ///   num_sparse: int >= 0
    ///   sparse_types: list(type) in {float, int64, string} >= 0
    ///   ragged_value_types: list(type) in {float, int64, string} >= 0
    ///   ragged_split_types: list(type) in {int32, int64} >= 0
    ///   dense_shapes: list(shape) >= 0
    /// ```
    parse_example_v2 ParseExampleV2 serialized (serialized: one "serialized", names: one "names", sparse_keys: one "sparse_keys", dense_keys: one "dense_keys", ragged_keys: one "ragged_keys", dense_defaults: list "dense_defaults", num_sparse: int "num_sparse", sparse_types: dtypes "sparse_types", ragged_value_types: dtypes "ragged_value_types", ragged_split_types: dtypes "ragged_split_types", dense_shapes: shapes "dense_shapes") -> (ParseExampleV2Outputs sparse_indices: list, sparse_values: list, sparse_shapes: list, dense_values: list, ragged_values: list, ragged_row_splits: list) {}

    /// Begins a node of `ParseSequenceExample`.
    ///
    /// ```text
    /// ParseSequenceExample(serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense) ->
    ///     (context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types,
    ///     context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense,
    ///     feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values:
    ///     feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values:
    ///     feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense * int64)
    ///   feature_list_dense_missing_assumed_empty: list(string) >= 0
    ///   context_sparse_keys: list(string) >= 0
    ///   context_dense_keys: list(string) >= 0
    ///   feature_list_sparse_keys: list(string) >= 0
    ///   feature_list_dense_keys: list(string) >= 0
    ///   Ncontext_sparse: int >= 0 = 0
    ///   Ncontext_dense: int >= 0 = 0
    ///   Nfeature_list_sparse: int >= 0 = 0
    ///   Nfeature_list_dense: int >= 0 = 0
    ///   context_sparse_types: list(type) in {float, int64, string} >= 0 = []
    ///   Tcontext_dense: list(type) in {float, int64, string} >= 0 = []
    ///   feature_list_dense_types: list(type) in {float, int64, string} >= 0 = []
    ///   context_dense_shapes: list(shape) >= 0 = []
    ///   feature_list_sparse_types: list(type) in {float, int64, string} >= 0 = []
    ///   feature_list_dense_shapes: list(shape) >= 0 = []
    /// ```
    parse_sequence_example ParseSequenceExample serialized (serialized: one "serialized", debug_name: one "debug_name", context_dense_defaults: list "context_dense_defaults", feature_list_dense_missing_assumed_empty: strings "feature_list_dense_missing_assumed_empty", context_sparse_keys: strings "context_sparse_keys", context_dense_keys: strings "context_dense_keys", feature_list_sparse_keys: strings "feature_list_sparse_keys", feature_list_dense_keys: strings "feature_list_dense_keys") -> (ParseSequenceExampleOutputs context_sparse_indices: list, context_sparse_values: list, context_sparse_shapes: list, context_dense_values: list, feature_list_sparse_indices: list, feature_list_sparse_values: list, feature_list_sparse_shapes: list, feature_list_dense_values: list, feature_list_dense_lengths: list) {
        /// Sets `Ncontext_sparse: int >= 0 = 0`.
        ncontext_sparse: int "Ncontext_sparse";
        /// Sets `Ncontext_dense: int >= 0 = 0`.
        ncontext_dense: int "Ncontext_dense";
        /// Sets `Nfeature_list_sparse: int >= 0 = 0`.
        nfeature_list_sparse: int "Nfeature_list_sparse";
        /// Sets `Nfeature_list_dense: int >= 0 = 0`.
        nfeature_list_dense: int "Nfeature_list_dense";
        /// Sets `context_sparse_types: list(type) in {float, int64, string} >= 0 = []`.
        context_sparse_types: dtypes "context_sparse_types";
        /// Sets `feature_list_dense_types: list(type) in {float, int64, string} >= 0 = []`.
        feature_list_dense_types: dtypes "feature_list_dense_types";
        /// Sets `context_dense_shapes: list(shape) >= 0 = []`.
        context_dense_shapes: shapes "context_dense_shapes";
        /// Sets `feature_list_sparse_types: list(type) in {float, int64, string} >= 0 = []`.
        feature_list_sparse_types: dtypes "feature_list_sparse_types";
        /// Sets `feature_list_dense_shapes: list(shape) >= 0 = []`.
        feature_list_dense_shapes: shapes "feature_list_dense_shapes";
    }

    /// Begins a node of `ParseSequenceExampleV2`.
    ///
    /// ```text
    /// ParseSequenceExampleV2(serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys:
    ///     string, context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string,
    ///     feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, context_dense_defaults:
    ///     Tcontext_dense) -> (context_sparse_indices: Ncontext_sparse * int64, context_sparse_values:
    ///     context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense,
    ///     context_ragged_values: context_ragged_value_types, context_ragged_row_splits: context_ragged_split_types,
    ///     feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values:
    ///     feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values:
    ///     feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense * int64, feature_list_ragged_values:
    ///     feature_list_ragged_value_types, feature_list_ragged_outer_splits: feature_list_ragged_split_types,
    ///     feature_list_ragged_inner_splits: feature_list_ragged_split_types)
    ///   Ncontext_sparse: int >= 0 = 0
    ///   Tcontext_dense: list(type) in {float, int64, string} >= 0 = []
    ///   context_sparse_types: list(type) in {float, int64, string} >= 0 = []
    ///   context_ragged_value_types: list(type) in {float, int64, string} >= 0 = []
    ///   context_ragged_split_types: list(type) in {int32, int64} >= 0 = []
    ///   context_dense_shapes: list(shape) >= 0 = []
    ///   Nfeature_list_sparse: int >= 0 = 0
    ///   Nfeature_list_dense: int >= 0 = 0
    ///   feature_list_dense_types: list(type) in {float, int64, string} >= 0 = []
    ///   feature_list_sparse_types: list(type) in {float, int64, string} >= 0 = []
    ///   feature_list_ragged_value_types: list(type) in {float, int64, string} >= 0 = []
    ///   feature_list_ragged_split_types: list(type) in {int32, int64} >= 0 = []
    ///   feature_list_dense_shapes: list(shape) >= 0 = []
    /// ```
    parse_sequence_example_v2 ParseSequenceExampleV2 serialized (serialized: one "serialized", debug_name: one "debug_name", context_sparse_keys: one "context_sparse_keys", context_dense_keys: one "context_dense_keys", context_ragged_keys: one "context_ragged_keys", feature_list_sparse_keys: one "feature_list_sparse_keys", feature_list_dense_keys: one "feature_list_dense_keys", feature_list_ragged_keys: one "feature_list_ragged_keys", feature_list_dense_missing_assumed_empty: one "feature_list_dense_missing_assumed_empty", context_dense_defaults: list "context_dense_defaults") -> (ParseSequenceExampleV2Outputs context_sparse_indices: list, context_sparse_values: list, context_sparse_shapes: list, context_dense_values: list, context_ragged_values: list, context_ragged_row_splits: list, feature_list_sparse_indices: list, feature_list_sparse_values: list, feature_list_sparse_shapes: list, feature_list_dense_values: list, feature_list_dense_lengths: list, feature_list_ragged_values: list, feature_list_ragged_outer_splits: list, feature_list_ragged_inner_splits: list) {
        /// Sets `Ncontext_sparse: int >= 0 = 0`.
        ncontext_sparse: int "Ncontext_sparse";
        /// Sets `context_sparse_types: list(type) in {float, int64, string} >= 0 = []`.
        context_sparse_types: dtypes "context_sparse_types";
        /// Sets `context_ragged_value_types: list(type) in {float, int64, string} >= 0 = []`.
        context_ragged_value_types: dtypes "context_ragged_value_types";
        /// Sets `context_ragged_split_types: list(type) in {int32, int64} >= 0 = []`.
        context_ragged_split_types: dtypes "context_ragged_split_types";
        /// Sets `context_dense_shapes: list(shape) >= 0 = []`.
        context_dense_shapes: shapes "context_dense_shapes";
        /// Sets `Nfeature_list_sparse: int >= 0 = 0`.
        nfeature_list_sparse: int "Nfeature_list_sparse";
        /// Sets `Nfeature_list_dense: int >= 0 = 0`.
        nfeature_list_dense: int "Nfeature_list_dense";
        /// Sets `feature_list_dense_types: list(type) in {float, int64, string} >= 0 = []`.
        feature_list_dense_types: dtypes "feature_list_dense_types";
        /// Sets `feature_list_sparse_types: list(type) in {float, int64, string} >= 0 = []`.
        feature_list_sparse_types: dtypes "feature_list_sparse_types";
        /// Sets `feature_list_ragged_value_types: list(type) in {float, int64, string} >= 0 = []`.
        feature_list_ragged_value_types: dtypes "feature_list_ragged_value_types";
        /// Sets `feature_list_ragged_split_types: list(type) in {int32, int64} >= 0 = []`.
        feature_list_ragged_split_types: dtypes "feature_list_ragged_split_types";
        /// Sets `feature_list_dense_shapes: list(shape) >= 0 = []`.
        feature_list_dense_shapes: shapes "feature_list_dense_shapes";
    }

    /// Begins a node of `ParseSingleExample`.
    ///
    /// ```text
    /// ParseSingleExample(serialized: string, dense_defaults: Tdense) -> (sparse_indices: num_sparse * int64,
    ///     sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: Tdense)
    ///   num_sparse: int >= 0
    ///   sparse_keys: list(string) >= 0
    ///   dense_keys: list(string) >= 0
    ///   sparse_types: list(type) in {float, int64, string} >= 0
    ///   Tdense: list(type) in {float, int64, string} >= 0
    ///   dense_shapes: list(shape) >= 0
    /// ```
    parse_single_example ParseSingleExample serialized (serialized: one "serialized", dense_defaults: list "dense_defaults", num_sparse: int "num_sparse", sparse_keys: strings "sparse_keys", dense_keys: strings "dense_keys", sparse_types: dtypes "sparse_types", dense_shapes: shapes "dense_shapes") -> (ParseSingleExampleOutputs sparse_indices: list, sparse_values: list, sparse_shapes: list, dense_values: list) {}

    /// Begins a node of `ParseSingleSequenceExample`.
    ///
    /// ```text
    /// ParseSingleSequenceExample(serialized: string, feature_list_dense_missing_assumed_empty: string,
    ///     context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string,
    ///     feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string,
    ///     context_dense_defaults: Tcontext_dense, debug_name: string) -> (context_sparse_indices: Ncontext_sparse *
    ///     int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64,
    ///     context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64,
    ///     feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse *
    ///     int64, feature_list_dense_values: feature_list_dense_types)
    ///   Ncontext_sparse: int >= 0 = 0
    ///   Ncontext_dense: int >= 0 = 0
    ///   Nfeature_list_sparse: int >= 0 = 0
    ///   Nfeature_list_dense: int >= 0 = 0
    ///   context_sparse_types: list(type) in {float, int64, string} >= 0 = []
    ///   Tcontext_dense: list(type) in {float, int64, string} >= 0 = []
    ///   feature_list_dense_types: list(type) in {float, int64, string} >= 0 = []
    ///   context_dense_shapes: list(shape) >= 0 = []
    ///   feature_list_sparse_types: list(type) in {float, int64, string} >= 0 = []
    ///   feature_list_dense_shapes: list(shape) >= 0 = []
    /// ```
    parse_single_sequence_example ParseSingleSequenceExample serialized (serialized: one "serialized", feature_list_dense_missing_assumed_empty: one "feature_list_dense_missing_assumed_empty", context_sparse_keys: list "context_sparse_keys", context_dense_keys: list "context_dense_keys", feature_list_sparse_keys: list "feature_list_sparse_keys", feature_list_dense_keys: list "feature_list_dense_keys", context_dense_defaults: list "context_dense_defaults", debug_name: one "debug_name") -> (ParseSingleSequenceExampleOutputs context_sparse_indices: list, context_sparse_values: list, context_sparse_shapes: list, context_dense_values: list, feature_list_sparse_indices: list, feature_list_sparse_values: list, feature_list_sparse_shapes: list, feature_list_dense_values: list) {
        /// Sets `context_sparse_types: list(type) in {float, int64, string} >= 0 = []`.
        context_sparse_types: dtypes "context_sparse_types";
        /// Sets `feature_list_dense_types: list(type) in {float, int64, string} >= 0 = []`.
        feature_list_dense_types: dtypes "feature_list_dense_types";
        /// Sets `context_dense_shapes: list(shape) >= 0 = []`.
        context_dense_shapes: shapes "context_dense_shapes";
        /// Sets `feature_list_sparse_types: list(type) in {float, int64, string} >= 0 = []`.
        feature_list_sparse_types: dtypes "feature_list_sparse_types";
        /// Sets `feature_list_dense_shapes: list(shape) >= 0 = []`.
        feature_list_dense_shapes: shapes "feature_list_dense_shapes";
    }

    /// Begins a node of `ReadFile`.
    ///
    /// ```text
    /// ReadFile(filename: string) -> (contents: string)
    /// ```
    read_file ReadFile filename (filename: one "filename") -> one {}

    /// Begins a node of `ReaderNumRecordsProduced`.
    ///
    /// ```text
    /// ReaderNumRecordsProduced(reader_handle: Ref(string)) -> (records_produced: int64)
    /// ```
    reader_num_records_produced ReaderNumRecordsProduced reader_handle (reader_handle: one "reader_handle") -> one {}

    /// Begins a node of `ReaderNumRecordsProducedV2`, which has state.
    ///
    /// ```text
    /// ReaderNumRecordsProducedV2(reader_handle: resource) -> (records_produced: int64)
    /// ```
    reader_num_records_produced_v2 ReaderNumRecordsProducedV2 reader_handle (reader_handle: one "reader_handle") -> one {}

    /// Begins a node of `ReaderNumWorkUnitsCompleted`.
    ///
    /// ```text
    /// ReaderNumWorkUnitsCompleted(reader_handle: Ref(string)) -> (units_completed: int64)
    /// ```
    reader_num_work_units_completed ReaderNumWorkUnitsCompleted reader_handle (reader_handle: one "reader_handle") -> one {}

    /// Begins a node of `ReaderNumWorkUnitsCompletedV2`, which has state.
    ///
    /// ```text
    /// ReaderNumWorkUnitsCompletedV2(reader_handle: resource) -> (units_completed: int64)
    /// ```
    reader_num_work_units_completed_v2 ReaderNumWorkUnitsCompletedV2 reader_handle (reader_handle: one "reader_handle") -> one {}

    /// Begins a node of `ReaderRead`.
    ///
    /// ```text
    /// ReaderRead(reader_handle: Ref(string), queue_handle: Ref(string)) -> (key: string, value: string)
    /// ```
    reader_read ReaderRead reader_handle (reader_handle: one "reader_handle", queue_handle: one "queue_handle") -> (ReaderReadOutputs key: one, value: one) {}

    /// Begins a node of `ReaderReadUpTo`.
    ///
    /// ```text
    /// ReaderReadUpTo(reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64) -> (keys: string,
    ///     values: string)
    /// ```
    reader_read_up_to ReaderReadUpTo reader_handle (reader_handle: one "reader_handle", queue_handle: one "queue_handle", num_records: one "num_records") -> (ReaderReadUpToOutputs keys: one, values: one) {}

    /// Begins a node of `ReaderReadUpToV2`, which has state.
    ///
    /// ```text
    /// ReaderReadUpToV2(reader_handle: resource, queue_handle: resource, num_records: int64) -> (keys: string, values:
    ///     string)
    /// ```
    reader_read_up_to_v2 ReaderReadUpToV2 reader_handle (reader_handle: one "reader_handle", queue_handle: one "queue_handle", num_records: one "num_records") -> (ReaderReadUpToV2Outputs keys: one, values: one) {}

    /// Begins a node of `ReaderReadV2`, which has state.
    ///
    /// ```text
    /// ReaderReadV2(reader_handle: resource, queue_handle: resource) -> (key: string, value: string)
    /// ```
    reader_read_v2 ReaderReadV2 reader_handle (reader_handle: one "reader_handle", queue_handle: one "queue_handle") -> (ReaderReadV2Outputs key: one, value: one) {}

    /// Begins a node of `ReaderReset`.
    ///
    /// ```text
    /// ReaderReset(reader_handle: Ref(string)) -> ()
    /// ```
    reader_reset ReaderReset reader_handle (reader_handle: one "reader_handle") -> none {}

    /// Begins a node of `ReaderResetV2`, which has state.
    ///
    /// ```text
    /// ReaderResetV2(reader_handle: resource) -> ()
    /// ```
    reader_reset_v2 ReaderResetV2 reader_handle (reader_handle: one "reader_handle") -> none {}

    /// Begins a node of `ReaderRestoreState`.
    ///
    /// ```text
    /// ReaderRestoreState(reader_handle: Ref(string), state: string) -> ()
    /// ```
    reader_restore_state ReaderRestoreState reader_handle (reader_handle: one "reader_handle", state: one "state") -> none {}

    /// Begins a node of `ReaderRestoreStateV2`, which has state.
    ///
    /// ```text
    /// ReaderRestoreStateV2(reader_handle: resource, state: string) -> ()
    /// ```
    reader_restore_state_v2 ReaderRestoreStateV2 reader_handle (reader_handle: one "reader_handle", state: one "state") -> none {}

    /// Begins a node of `ReaderSerializeState`.
    ///
    /// ```text
    /// ReaderSerializeState(reader_handle: Ref(string)) -> (state: string)
    /// ```
    reader_serialize_state ReaderSerializeState reader_handle (reader_handle: one "reader_handle") -> one {}

    /// Begins a node of `ReaderSerializeStateV2`, which has state.
    ///
    /// ```text
    /// ReaderSerializeStateV2(reader_handle: resource) -> (state: string)
    /// ```
    reader_serialize_state_v2 ReaderSerializeStateV2 reader_handle (reader_handle: one "reader_handle") -> one {}

    /// Begins a node of `RecordInput`, which has state.
    ///
    /// ```text
    /// RecordInput() -> (records: string)
    ///   file_pattern: string
    ///   file_random_seed: int = 301
    ///   file_shuffle_shift_ratio: float = 0
    ///   file_buffer_size: int = 10000
    ///   file_parallelism: int = 16
    ///   batch_size: int = 32
    ///   compression_type: string = ''
    /// ```
    record_input RecordInput graph (graph: graph "", file_pattern: string "file_pattern") -> one {
        /// Sets `file_random_seed: int = 301`.
        file_random_seed: int "file_random_seed";
        /// Sets `file_shuffle_shift_ratio: float = 0`.
        file_shuffle_shift_ratio: float "file_shuffle_shift_ratio";
        /// Sets `file_buffer_size: int = 10000`.
        file_buffer_size: int "file_buffer_size";
        /// Sets `file_parallelism: int = 16`.
        file_parallelism: int "file_parallelism";
        /// Sets `batch_size: int = 32`.
        batch_size: int "batch_size";
        /// Sets `compression_type: string = ''`.
        compression_type: string "compression_type";
    }

    /// Begins a node of `Restore`, which has state.
    ///
    /// ```text
    /// Restore(file_pattern: string, tensor_name: string) -> (tensor: dt)
    ///   dt: type
    ///   preferred_shard: int = -1
    /// ```
    restore Restore file_pattern (file_pattern: one "file_pattern", tensor_name: one "tensor_name", dt: dtype "dt") -> one {
        /// Sets `preferred_shard: int = -1`.
        preferred_shard: int "preferred_shard";
    }

    /// Begins a node of `RestoreSlice`, which has state.
    ///
    /// ```text
    /// RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string) -> (tensor: dt)
    ///   dt: type
    ///   preferred_shard: int = -1
    /// ```
    restore_slice RestoreSlice file_pattern (file_pattern: one "file_pattern", tensor_name: one "tensor_name", shape_and_slice: one "shape_and_slice", dt: dtype "dt") -> one {
        /// Sets `preferred_shard: int = -1`.
        preferred_shard: int "preferred_shard";
    }

    /// Begins a node of `RestoreV2`, which has state.
    ///
    /// ```text
    /// RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> (tensors: dtypes)
    ///   dtypes: list(type) >= 1
    /// ```
    restore_v2 RestoreV2 prefix (prefix: one "prefix", tensor_names: one "tensor_names", shape_and_slices: one "shape_and_slices", dtypes: dtypes "dtypes") -> list {}

    /// Begins a node of `Save`, which has state.
    ///
    /// ```text
    /// Save(filename: string, tensor_names: string, data: T) -> ()
    ///   T: list(type) >= 1
    /// ```
    save Save filename (filename: one "filename", tensor_names: one "tensor_names", data: list "data") -> none {}

    /// Begins a node of `SaveSlices`, which has state.
    ///
    /// ```text
    /// SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string, data: T) -> ()
    ///   T: list(type) >= 1
    /// ```
    save_slices SaveSlices filename (filename: one "filename", tensor_names: one "tensor_names", shapes_and_slices: one "shapes_and_slices", data: list "data") -> none {}

    /// Begins a node of `SaveV2`, which has state.
    ///
    /// ```text
    /// SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes) -> ()
    ///   dtypes: list(type) >= 1
    /// ```
    save_v2 SaveV2 prefix (prefix: one "prefix", tensor_names: one "tensor_names", shape_and_slices: one "shape_and_slices", tensors: list "tensors") -> none {}

    /// Begins a node of `ShardedFilename`.
    ///
    /// ```text
    /// ShardedFilename(basename: string, shard: int32, num_shards: int32) -> (filename: string)
    /// ```
    sharded_filename ShardedFilename basename (basename: one "basename", shard: one "shard", num_shards: one "num_shards") -> one {}

    /// Begins a node of `ShardedFilespec`.
    ///
    /// ```text
    /// ShardedFilespec(basename: string, num_shards: int32) -> (filename: string)
    /// ```
    sharded_filespec ShardedFilespec basename (basename: one "basename", num_shards: one "num_shards") -> one {}

    /// Begins a node of `TFRecordReader`, which has state.
    ///
    /// ```text
    /// TFRecordReader() -> (reader_handle: Ref(string))
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   compression_type: string = ''
    /// ```
    tf_record_reader TFRecordReader graph (graph: graph "") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `compression_type: string = ''`.
        compression_type: string "compression_type";
    }

    /// Begins a node of `TFRecordReaderV2`, which has state.
    ///
    /// ```text
    /// TFRecordReaderV2() -> (reader_handle: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   compression_type: string = ''
    /// ```
    tf_record_reader_v2 TFRecordReaderV2 graph (graph: graph "") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `compression_type: string = ''`.
        compression_type: string "compression_type";
    }

    /// Begins a node of `TextLineReader`, which has state.
    ///
    /// ```text
    /// TextLineReader() -> (reader_handle: Ref(string))
    ///   skip_header_lines: int = 0
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    text_line_reader TextLineReader graph (graph: graph "") -> one {
        /// Sets `skip_header_lines: int = 0`.
        skip_header_lines: int "skip_header_lines";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `TextLineReaderV2`, which has state.
    ///
    /// ```text
    /// TextLineReaderV2() -> (reader_handle: resource)
    ///   skip_header_lines: int = 0
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    text_line_reader_v2 TextLineReaderV2 graph (graph: graph "") -> one {
        /// Sets `skip_header_lines: int = 0`.
        skip_header_lines: int "skip_header_lines";
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `WholeFileReader`, which has state.
    ///
    /// ```text
    /// WholeFileReader() -> (reader_handle: Ref(string))
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    whole_file_reader WholeFileReader graph (graph: graph "") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `WholeFileReaderV2`, which has state.
    ///
    /// ```text
    /// WholeFileReaderV2() -> (reader_handle: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    whole_file_reader_v2 WholeFileReaderV2 graph (graph: graph "") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `WriteFile`, which has state.
    ///
    /// ```text
    /// WriteFile(filename: string, contents: string) -> ()
    /// ```
    write_file WriteFile filename (filename: one "filename", contents: one "contents") -> none {}
}
