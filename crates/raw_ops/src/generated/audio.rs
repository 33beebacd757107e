//! The ops of the group `audio`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AudioSpectrogram`.
    ///
    /// ```text
    /// AudioSpectrogram(input: float) -> (spectrogram: float)
    ///   window_size: int
    ///   stride: int
    ///   magnitude_squared: bool = false
    /// ```
    audio_spectrogram AudioSpectrogram input (input: one "input", window_size: int "window_size", stride: int "stride") -> one {
        /// Sets `magnitude_squared: bool = false`.
        magnitude_squared: bool "magnitude_squared";
    }

    /// Begins a node of `DecodeWav`.
    ///
    /// ```text
    /// DecodeWav(contents: string) -> (audio: float, sample_rate: int32)
    ///   desired_channels: int = -1
    ///   desired_samples: int = -1
    /// ```
    decode_wav DecodeWav contents (contents: one "contents") -> (DecodeWavOutputs audio: one, sample_rate: one) {
        /// Sets `desired_channels: int = -1`.
        desired_channels: int "desired_channels";
        /// Sets `desired_samples: int = -1`.
        desired_samples: int "desired_samples";
    }

    /// Begins a node of `EncodeWav`.
    ///
    /// ```text
    /// EncodeWav(audio: float, sample_rate: int32) -> (contents: string)
    /// ```
    encode_wav EncodeWav audio (audio: one "audio", sample_rate: one "sample_rate") -> one {}

    /// Begins a node of `Mfcc`.
    ///
    /// ```text
    /// Mfcc(spectrogram: float, sample_rate: int32) -> (output: float)
    ///   upper_frequency_limit: float = 4000
    ///   lower_frequency_limit: float = 20
    ///   filterbank_channel_count: int = 40
    ///   dct_coefficient_count: int = 13
    /// ```
    mfcc Mfcc spectrogram (spectrogram: one "spectrogram", sample_rate: one "sample_rate") -> one {
        /// Sets `upper_frequency_limit: float = 4000`.
        upper_frequency_limit: float "upper_frequency_limit";
        /// Sets `lower_frequency_limit: float = 20`.
        lower_frequency_limit: float "lower_frequency_limit";
        /// Sets `filterbank_channel_count: int = 40`.
        filterbank_channel_count: int "filterbank_channel_count";
        /// Sets `dct_coefficient_count: int = 13`.
        dct_coefficient_count: int "dct_coefficient_count";
    }
}
