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

    /// Begins a node of `CloseSummaryWriter`, which has state.
    ///
    /// ```text
    /// CloseSummaryWriter(writer: resource) -> ()
    /// ```
    close_summary_writer CloseSummaryWriter writer (writer: one "writer") -> none {}

    /// Begins a node of `CreateSummaryDbWriter`, which has state.
    ///
    /// ```text
    /// CreateSummaryDbWriter(writer: resource, db_uri: string, experiment_name: string, run_name: string, user_name:
    ///     string) -> ()
    /// ```
    create_summary_db_writer CreateSummaryDbWriter writer (writer: one "writer", db_uri: one "db_uri", experiment_name: one "experiment_name", run_name: one "run_name", user_name: one "user_name") -> none {}

    /// Begins a node of `CreateSummaryFileWriter`, which has state.
    ///
    /// ```text
    /// CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32, flush_millis: int32,
    ///     filename_suffix: string) -> ()
    /// ```
    create_summary_file_writer CreateSummaryFileWriter writer (writer: one "writer", logdir: one "logdir", max_queue: one "max_queue", flush_millis: one "flush_millis", filename_suffix: one "filename_suffix") -> none {}

    /// Begins a node of `FlushSummaryWriter`, which has state.
    ///
    /// ```text
    /// FlushSummaryWriter(writer: resource) -> ()
    /// ```
    flush_summary_writer FlushSummaryWriter writer (writer: one "writer") -> none {}

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

    /// Begins a node of `ImportEvent`, which has state.
    ///
    /// ```text
    /// ImportEvent(writer: resource, event: string) -> ()
    /// ```
    import_event ImportEvent writer (writer: one "writer", event: one "event") -> none {}

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

    /// Begins a node of `SummaryWriter`, which has state.
    ///
    /// ```text
    /// SummaryWriter() -> (writer: resource)
    ///   shared_name: string = ''
    ///   container: string = ''
    /// ```
    summary_writer SummaryWriter graph (graph: graph "") -> one {
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `container: string = ''`.
        container: string "container";
    }

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

    /// Begins a node of `WriteAudioSummary`, which has state.
    ///
    /// ```text
    /// WriteAudioSummary(writer: resource, step: int64, tag: string, tensor: float, sample_rate: float) -> ()
    ///   max_outputs: int >= 1 = 3
    /// ```
    write_audio_summary WriteAudioSummary writer (writer: one "writer", step: one "step", tag: one "tag", tensor: one "tensor", sample_rate: one "sample_rate") -> none {
        /// Sets `max_outputs: int >= 1 = 3`.
        max_outputs: int "max_outputs";
    }

    /// Begins a node of `WriteGraphSummary`, which has state.
    ///
    /// ```text
    /// WriteGraphSummary(writer: resource, step: int64, tensor: string) -> ()
    /// ```
    write_graph_summary WriteGraphSummary writer (writer: one "writer", step: one "step", tensor: one "tensor") -> none {}

    /// Begins a node of `WriteHistogramSummary`, which has state.
    ///
    /// ```text
    /// WriteHistogramSummary(writer: resource, step: int64, tag: string, values: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, bool} =
    ///     float
    /// ```
    write_histogram_summary WriteHistogramSummary writer (writer: one "writer", step: one "step", tag: one "tag", values: one "values") -> none {}

    /// Begins a node of `WriteImageSummary`, which has state.
    ///
    /// ```text
    /// WriteImageSummary(writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8) -> ()
    ///   max_images: int >= 1 = 3
    ///   T: type in {uint8, double, float, half} = float
    /// ```
    write_image_summary WriteImageSummary writer (writer: one "writer", step: one "step", tag: one "tag", tensor: one "tensor", bad_color: one "bad_color") -> none {
        /// Sets `max_images: int >= 1 = 3`.
        max_images: int "max_images";
    }

    /// Begins a node of `WriteRawProtoSummary`, which has state.
    ///
    /// ```text
    /// WriteRawProtoSummary(writer: resource, step: int64, tensor: string) -> ()
    /// ```
    write_raw_proto_summary WriteRawProtoSummary writer (writer: one "writer", step: one "step", tensor: one "tensor") -> none {}

    /// Begins a node of `WriteScalarSummary`, which has state.
    ///
    /// ```text
    /// WriteScalarSummary(writer: resource, step: int64, tag: string, value: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    write_scalar_summary WriteScalarSummary writer (writer: one "writer", step: one "step", tag: one "tag", value: one "value") -> none {}

    /// Begins a node of `WriteSummary`, which has state.
    ///
    /// ```text
    /// WriteSummary(writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string) -> ()
    ///   T: type
    /// ```
    write_summary WriteSummary writer (writer: one "writer", step: one "step", tensor: one "tensor", tag: one "tag", summary_metadata: one "summary_metadata") -> none {}
}
