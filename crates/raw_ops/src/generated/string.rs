//! The ops of the group `string`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AsString`.
    ///
    /// ```text
    /// AsString(input: T) -> (output: string)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64,
    ///     complex128, bool, variant, string}
    ///   precision: int = -1
    ///   scientific: bool = false
    ///   shortest: bool = false
    ///   width: int = -1
    ///   fill: string = ''
    /// ```
    as_string AsString input (input: one "input") -> one {
        /// Sets `precision: int = -1`.
        precision: int "precision";
        /// Sets `scientific: bool = false`.
        scientific: bool "scientific";
        /// Sets `shortest: bool = false`.
        shortest: bool "shortest";
        /// Sets `width: int = -1`.
        width: int "width";
        /// Sets `fill: string = ''`.
        fill: string "fill";
    }

    /// Begins a node of `DecodeBase64`.
    ///
    /// ```text
    /// DecodeBase64(input: string) -> (output: string)
    /// ```
    decode_base64 DecodeBase64 input (input: one "input") -> one {}

    /// Begins a node of `DecodeCSV`.
    ///
    /// ```text
    /// DecodeCSV(records: string, record_defaults: OUT_TYPE) -> (output: OUT_TYPE)
    ///   OUT_TYPE: list(type) in {float, double, int32, int64, string} >= 1
    ///   field_delim: string = ','
    ///   use_quote_delim: bool = true
    ///   na_value: string = ''
    ///   select_cols: list(int) = []
    /// ```
    decode_csv DecodeCSV records (records: one "records", record_defaults: list "record_defaults") -> list {
        /// Sets `field_delim: string = ','`.
        field_delim: string "field_delim";
        /// Sets `use_quote_delim: bool = true`.
        use_quote_delim: bool "use_quote_delim";
        /// Sets `na_value: string = ''`.
        na_value: string "na_value";
        /// Sets `select_cols: list(int) = []`.
        select_cols: ints "select_cols";
    }

    /// Begins a node of `EncodeBase64`.
    ///
    /// ```text
    /// EncodeBase64(input: string) -> (output: string)
    ///   pad: bool = false
    /// ```
    encode_base64 EncodeBase64 input (input: one "input") -> one {
        /// Sets `pad: bool = false`.
        pad: bool "pad";
    }

    /// Begins a node of `Fingerprint`.
    ///
    /// ```text
    /// Fingerprint(data: T, method: string) -> (fingerprint: uint8)
    ///   T: type
    /// ```
    fingerprint Fingerprint data (data: one "data", method: one "method") -> one {}

    /// Begins a node of `ParseTensor`.
    ///
    /// ```text
    /// ParseTensor(serialized: string) -> (output: out_type)
    ///   out_type: type
    /// ```
    parse_tensor ParseTensor serialized (serialized: one "serialized", out_type: dtype "out_type") -> one {}

    /// Begins a node of `Print`, which has state.
    ///
    /// ```text
    /// Print(input: T, data: U) -> (output: T)
    ///   T: type
    ///   U: list(type) >= 0
    ///   message: string = ''
    ///   first_n: int = -1
    ///   summarize: int = 3
    /// ```
    print Print input (input: one "input", data: list "data") -> one {
        /// Sets `message: string = ''`.
        message: string "message";
        /// Sets `first_n: int = -1`.
        first_n: int "first_n";
        /// Sets `summarize: int = 3`.
        summarize: int "summarize";
    }

    /// Begins a node of `PrintV2`, which has state.
    ///
    /// ```text
    /// PrintV2(input: string) -> ()
    ///   output_stream: string = 'stderr'
    ///   end: string = '\n'
    /// ```
    print_v2 PrintV2 input (input: one "input") -> none {
        /// Sets `output_stream: string = 'stderr'`.
        output_stream: string "output_stream";
        /// Sets `end: string = '\n'`.
        end: string "end";
    }

    /// Begins a node of `ReduceJoin`.
    ///
    /// ```text
    /// ReduceJoin(inputs: string, reduction_indices: int32) -> (output: string)
    ///   keep_dims: bool = false
    ///   separator: string = ''
    /// ```
    reduce_join ReduceJoin inputs (inputs: one "inputs", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
        /// Sets `separator: string = ''`.
        separator: string "separator";
    }

    /// Begins a node of `RegexFullMatch`.
    ///
    /// ```text
    /// RegexFullMatch(input: string, pattern: string) -> (output: bool)
    /// ```
    regex_full_match RegexFullMatch input (input: one "input", pattern: one "pattern") -> one {}

    /// Begins a node of `RegexReplace`.
    ///
    /// ```text
    /// RegexReplace(input: string, pattern: string, rewrite: string) -> (output: string)
    ///   replace_global: bool = true
    /// ```
    regex_replace RegexReplace input (input: one "input", pattern: one "pattern", rewrite: one "rewrite") -> one {
        /// Sets `replace_global: bool = true`.
        replace_global: bool "replace_global";
    }

    /// Begins a node of `SerializeTensor`.
    ///
    /// ```text
    /// SerializeTensor(tensor: T) -> (serialized: string)
    ///   T: type
    /// ```
    serialize_tensor SerializeTensor tensor (tensor: one "tensor") -> one {}

    /// Begins a node of `StaticRegexFullMatch`.
    ///
    /// ```text
    /// StaticRegexFullMatch(input: string) -> (output: bool)
    ///   pattern: string
    /// ```
    static_regex_full_match StaticRegexFullMatch input (input: one "input", pattern: string "pattern") -> one {}

    /// Begins a node of `StaticRegexReplace`.
    ///
    /// ```text
    /// StaticRegexReplace(input: string) -> (output: string)
    ///   pattern: string
    ///   rewrite: string
    ///   replace_global: bool = true
    /// ```
    static_regex_replace StaticRegexReplace input (input: one "input", pattern: string "pattern", rewrite: string "rewrite") -> one {
        /// Sets `replace_global: bool = true`.
        replace_global: bool "replace_global";
    }

    /// Begins a node of `StringFormat`.
    ///
    /// ```text
    /// StringFormat(inputs: T) -> (output: string)
    ///   T: list(type) >= 0
    ///   template: string = '%s'
    ///   placeholder: string = '%s'
    ///   summarize: int = 3
    /// ```
    string_format StringFormat graph (graph: graph "", inputs: list "inputs") -> one {
        /// Sets `template: string = '%s'`.
        template: string "template";
        /// Sets `placeholder: string = '%s'`.
        placeholder: string "placeholder";
        /// Sets `summarize: int = 3`.
        summarize: int "summarize";
    }

    /// Begins a node of `StringJoin`.
    ///
    /// ```text
    /// StringJoin(inputs: N * string) -> (output: string)
    ///   N: int >= 0
    ///   separator: string = ''
    /// ```
    string_join StringJoin graph (graph: graph "", inputs: list "inputs") -> one {
        /// Sets `separator: string = ''`.
        separator: string "separator";
    }

    /// Begins a node of `StringLength`.
    ///
    /// ```text
    /// StringLength(input: string) -> (output: int32)
    ///   unit: string in ["BYTE", "UTF8_CHAR"] = 'BYTE'
    /// ```
    string_length StringLength input (input: one "input") -> one {
        /// Sets `unit: string in ["BYTE", "UTF8_CHAR"] = 'BYTE'`.
        unit: string "unit";
    }

    /// Begins a node of `StringLower`.
    ///
    /// ```text
    /// StringLower(input: string) -> (output: string)
    ///   encoding: string = ''
    /// ```
    string_lower StringLower input (input: one "input") -> one {
        /// Sets `encoding: string = ''`.
        encoding: string "encoding";
    }

    /// Begins a node of `StringNGrams`.
    ///
    /// ```text
    /// StringNGrams(data: string, data_splits: Tsplits) -> (ngrams: string, ngrams_splits: Tsplits)
    ///   separator: string
    ///   ngram_widths: list(int) >= 0
    ///   left_pad: string
    ///   right_pad: string
    ///   pad_width: int
    ///   preserve_short_sequences: bool
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    string_n_grams StringNGrams data (data: one "data", data_splits: one "data_splits", separator: string "separator", ngram_widths: ints "ngram_widths", left_pad: string "left_pad", right_pad: string "right_pad", pad_width: int "pad_width", preserve_short_sequences: bool "preserve_short_sequences") -> (StringNGramsOutputs ngrams: one, ngrams_splits: one) {}

    /// Begins a node of `StringSplit`.
    ///
    /// ```text
    /// StringSplit(input: string, delimiter: string) -> (indices: int64, values: string, shape: int64)
    ///   skip_empty: bool = true
    /// ```
    string_split StringSplit input (input: one "input", delimiter: one "delimiter") -> (StringSplitOutputs indices: one, values: one, shape: one) {
        /// Sets `skip_empty: bool = true`.
        skip_empty: bool "skip_empty";
    }

    /// Begins a node of `StringSplitV2`.
    ///
    /// ```text
    /// StringSplitV2(input: string, sep: string) -> (indices: int64, values: string, shape: int64)
    ///   maxsplit: int = -1
    /// ```
    string_split_v2 StringSplitV2 input (input: one "input", sep: one "sep") -> (StringSplitV2Outputs indices: one, values: one, shape: one) {
        /// Sets `maxsplit: int = -1`.
        maxsplit: int "maxsplit";
    }

    /// Begins a node of `StringStrip`.
    ///
    /// ```text
    /// StringStrip(input: string) -> (output: string)
    /// ```
    string_strip StringStrip input (input: one "input") -> one {}

    /// Begins a node of `StringToHashBucket`.
    ///
    /// ```text
    /// StringToHashBucket(string_tensor: string) -> (output: int64)
    ///   num_buckets: int >= 1
    /// ```
    string_to_hash_bucket StringToHashBucket string_tensor (string_tensor: one "string_tensor", num_buckets: int "num_buckets") -> one {}

    /// Begins a node of `StringToHashBucketFast`.
    ///
    /// ```text
    /// StringToHashBucketFast(input: string) -> (output: int64)
    ///   num_buckets: int >= 1
    /// ```
    string_to_hash_bucket_fast StringToHashBucketFast input (input: one "input", num_buckets: int "num_buckets") -> one {}

    /// Begins a node of `StringToHashBucketStrong`.
    ///
    /// ```text
    /// StringToHashBucketStrong(input: string) -> (output: int64)
    ///   num_buckets: int >= 1
    ///   key: list(int)
    /// ```
    string_to_hash_bucket_strong StringToHashBucketStrong input (input: one "input", num_buckets: int "num_buckets", key: ints "key") -> one {}

    /// Begins a node of `StringToNumber`.
    ///
    /// ```text
    /// StringToNumber(string_tensor: string) -> (output: out_type)
    ///   out_type: type in {float, double, int32, int64, uint32, uint64} = float
    /// ```
    string_to_number StringToNumber string_tensor (string_tensor: one "string_tensor") -> one {
        /// Sets `out_type: type in {float, double, int32, int64, uint32, uint64} = float`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `StringUpper`.
    ///
    /// ```text
    /// StringUpper(input: string) -> (output: string)
    ///   encoding: string = ''
    /// ```
    string_upper StringUpper input (input: one "input") -> one {
        /// Sets `encoding: string = ''`.
        encoding: string "encoding";
    }

    /// Begins a node of `Substr`.
    ///
    /// ```text
    /// Substr(input: string, pos: T, len: T) -> (output: string)
    ///   T: type in {int32, int64}
    ///   unit: string in ["BYTE", "UTF8_CHAR"] = 'BYTE'
    /// ```
    substr Substr input (input: one "input", pos: one "pos", len: one "len") -> one {
        /// Sets `unit: string in ["BYTE", "UTF8_CHAR"] = 'BYTE'`.
        unit: string "unit";
    }

    /// Begins a node of `Timestamp`, which has state.
    ///
    /// ```text
    /// Timestamp() -> (ts: double)
    /// ```
    timestamp Timestamp graph (graph: graph "") -> one {}

    /// Begins a node of `UnicodeDecode`.
    ///
    /// ```text
    /// UnicodeDecode(input: string) -> (row_splits: Tsplits, char_values: int32)
    ///   input_encoding: string
    ///   errors: string in ["strict", "replace", "ignore"] = 'replace'
    ///   replacement_char: int = 65533
    ///   replace_control_characters: bool = false
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    unicode_decode UnicodeDecode input (input: one "input", input_encoding: string "input_encoding") -> (UnicodeDecodeOutputs row_splits: one, char_values: one) {
        /// Sets `errors: string in ["strict", "replace", "ignore"] = 'replace'`.
        errors: string "errors";
        /// Sets `replacement_char: int = 65533`.
        replacement_char: int "replacement_char";
        /// Sets `replace_control_characters: bool = false`.
        replace_control_characters: bool "replace_control_characters";
        /// Sets `Tsplits: type in {int32, int64} = int64`.
        tsplits: dtype "Tsplits";
    }

    /// Begins a node of `UnicodeDecodeWithOffsets`.
    ///
    /// ```text
    /// UnicodeDecodeWithOffsets(input: string) -> (row_splits: Tsplits, char_values: int32, char_to_byte_starts:
    ///     int64)
    ///   input_encoding: string
    ///   errors: string in ["strict", "replace", "ignore"] = 'replace'
    ///   replacement_char: int = 65533
    ///   replace_control_characters: bool = false
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    unicode_decode_with_offsets UnicodeDecodeWithOffsets input (input: one "input", input_encoding: string "input_encoding") -> (UnicodeDecodeWithOffsetsOutputs row_splits: one, char_values: one, char_to_byte_starts: one) {
        /// Sets `errors: string in ["strict", "replace", "ignore"] = 'replace'`.
        errors: string "errors";
        /// Sets `replacement_char: int = 65533`.
        replacement_char: int "replacement_char";
        /// Sets `replace_control_characters: bool = false`.
        replace_control_characters: bool "replace_control_characters";
        /// Sets `Tsplits: type in {int32, int64} = int64`.
        tsplits: dtype "Tsplits";
    }

    /// Begins a node of `UnicodeEncode`.
    ///
    /// ```text
    /// UnicodeEncode(input_values: int32, input_splits: Tsplits) -> (output: string)
    ///   errors: string in ["ignore", "replace", "strict"] = 'replace'
    ///   output_encoding: string in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]
    ///   replacement_char: int = 65533
    ///   Tsplits: type in {int32, int64} = int64
    /// ```
    unicode_encode UnicodeEncode input_values (input_values: one "input_values", input_splits: one "input_splits", output_encoding: string "output_encoding") -> one {
        /// Sets `errors: string in ["ignore", "replace", "strict"] = 'replace'`.
        errors: string "errors";
        /// Sets `replacement_char: int = 65533`.
        replacement_char: int "replacement_char";
    }

    /// Begins a node of `UnicodeScript`.
    ///
    /// ```text
    /// UnicodeScript(input: int32) -> (output: int32)
    /// ```
    unicode_script UnicodeScript input (input: one "input") -> one {}

    /// Begins a node of `UnicodeTranscode`.
    ///
    /// ```text
    /// UnicodeTranscode(input: string) -> (output: string)
    ///   input_encoding: string
    ///   output_encoding: string in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]
    ///   errors: string in ["strict", "replace", "ignore"] = 'replace'
    ///   replacement_char: int = 65533
    ///   replace_control_characters: bool = false
    /// ```
    unicode_transcode UnicodeTranscode input (input: one "input", input_encoding: string "input_encoding", output_encoding: string "output_encoding") -> one {
        /// Sets `errors: string in ["strict", "replace", "ignore"] = 'replace'`.
        errors: string "errors";
        /// Sets `replacement_char: int = 65533`.
        replacement_char: int "replacement_char";
        /// Sets `replace_control_characters: bool = false`.
        replace_control_characters: bool "replace_control_characters";
    }

    /// Begins a node of `UnsortedSegmentJoin`.
    ///
    /// ```text
    /// UnsortedSegmentJoin(inputs: string, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: string)
    ///   separator: string = ''
    ///   Tindices: type in {int32, int64}
    ///   Tnumsegments: type in {int32, int64} = int32
    /// ```
    unsorted_segment_join UnsortedSegmentJoin inputs (inputs: one "inputs", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {
        /// Sets `separator: string = ''`.
        separator: string "separator";
    }
}
