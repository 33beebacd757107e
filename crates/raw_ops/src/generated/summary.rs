//! The ops of the group `summary`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AudioSummary`.
    ///
    /// ```text
    /// AudioSummary(tag: string, tensor: float) -> (summary: string)
    ///   sample_rate: float
    ///   max_outputs: int >= 1 = 3
    /// ```
    audio_summary AudioSummary tag (tag: one "tag", tensor: one "tensor", sample_rate: float "sample_rate") -> one {
        /// Sets `max_outputs: int >= 1 = 3`.
        max_outputs: int "max_outputs";
    }

    /// Begins a node of `AudioSummaryV2`.
    ///
    /// ```text
    /// AudioSummaryV2(tag: string, tensor: float, sample_rate: float) -> (summary: string)
    ///   max_outputs: int >= 1 = 3
    /// ```
    audio_summary_v2 AudioSummaryV2 tag (tag: one "tag", tensor: one "tensor", sample_rate: one "sample_rate") -> one {
        /// Sets `max_outputs: int >= 1 = 3`.
        max_outputs: int "max_outputs";
    }

    /// Begins a node of `HistogramSummary`.
    ///
    /// ```text
    /// HistogramSummary(tag: string, values: T) -> (summary: string)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float
    /// ```
    histogram_summary HistogramSummary tag (tag: one "tag", values: one "values") -> one {}

    /// Begins a node of `ImageSummary`.
    ///
    /// ```text
    /// ImageSummary(tag: string, tensor: T) -> (summary: string)
    ///   max_images: int >= 1 = 3
    ///   T: type in {uint8, float, half, double} = float
    ///   bad_color: tensor = Tensor<uint8>[4] [255, 0, 0, 255]
    /// ```
    image_summary ImageSummary tag (tag: one "tag", tensor: one "tensor") -> one {
        /// Sets `max_images: int >= 1 = 3`.
        max_images: int "max_images";
        /// Sets `bad_color: tensor = Tensor<uint8>[4] [255, 0, 0, 255]`.
        bad_color: tensor "bad_color";
    }

    /// Begins a node of `MergeSummary`.
    ///
    /// ```text
    /// MergeSummary(inputs: N * string) -> (summary: string)
    ///   N: int >= 1
    /// ```
    merge_summary MergeSummary graph (graph: graph "", inputs: list "inputs") -> one {}

    /// Begins a node of `ScalarSummary`.
    ///
    /// ```text
    /// ScalarSummary(tags: string, values: T) -> (summary: string)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    scalar_summary ScalarSummary tags (tags: one "tags", values: one "values") -> one {}

    /// Begins a node of `TensorSummary`.
    ///
    /// ```text
    /// TensorSummary(tensor: T) -> (summary: string)
    ///   T: type
    ///   description: string = ''
    ///   labels: list(string) = []
    ///   display_name: string = ''
    /// ```
    tensor_summary TensorSummary tensor (tensor: one "tensor") -> one {
        /// Sets `description: string = ''`.
        description: string "description";
        /// Sets `labels: list(string) = []`.
        labels: strings "labels";
        /// Sets `display_name: string = ''`.
        display_name: string "display_name";
    }

    /// Begins a node of `TensorSummaryV2`.
    ///
    /// ```text
    /// TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) -> (summary: string)
    ///   T: type
    /// ```
    tensor_summary_v2 TensorSummaryV2 tag (tag: one "tag", tensor: one "tensor", serialized_summary_metadata: one "serialized_summary_metadata") -> one {}
}
