//! The ops of the group `random`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `AllCandidateSampler`, which has state.
    ///
    /// ```text
    /// AllCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
    ///     sampled_expected_count: float)
    ///   num_true: int >= 1
    ///   num_sampled: int >= 1
    ///   unique: bool
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    all_candidate_sampler AllCandidateSampler true_classes (true_classes: one "true_classes", num_true: int "num_true", num_sampled: int "num_sampled", unique: bool "unique") -> (AllCandidateSamplerOutputs sampled_candidates: one, true_expected_count: one, sampled_expected_count: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `ComputeAccidentalHits`.
    ///
    /// ```text
    /// ComputeAccidentalHits(true_classes: int64, sampled_candidates: int64) -> (indices: int32, ids: int64, weights:
    ///     float)
    ///   num_true: int
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    compute_accidental_hits ComputeAccidentalHits true_classes (true_classes: one "true_classes", sampled_candidates: one "sampled_candidates", num_true: int "num_true") -> (ComputeAccidentalHitsOutputs indices: one, ids: one, weights: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `FixedUnigramCandidateSampler`, which has state.
    ///
    /// ```text
    /// FixedUnigramCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
    ///     sampled_expected_count: float)
    ///   num_true: int >= 1
    ///   num_sampled: int >= 1
    ///   unique: bool
    ///   range_max: int >= 1
    ///   vocab_file: string = ''
    ///   distortion: float = 1
    ///   num_reserved_ids: int = 0
    ///   num_shards: int >= 1 = 1
    ///   shard: int >= 0 = 0
    ///   unigrams: list(float) = []
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    fixed_unigram_candidate_sampler FixedUnigramCandidateSampler true_classes (true_classes: one "true_classes", num_true: int "num_true", num_sampled: int "num_sampled", unique: bool "unique", range_max: int "range_max") -> (FixedUnigramCandidateSamplerOutputs sampled_candidates: one, true_expected_count: one, sampled_expected_count: one) {
        /// Sets `vocab_file: string = ''`.
        vocab_file: string "vocab_file";
        /// Sets `distortion: float = 1`.
        distortion: float "distortion";
        /// Sets `num_reserved_ids: int = 0`.
        num_reserved_ids: int "num_reserved_ids";
        /// Sets `num_shards: int >= 1 = 1`.
        num_shards: int "num_shards";
        /// Sets `shard: int >= 0 = 0`.
        shard: int "shard";
        /// Sets `unigrams: list(float) = []`.
        unigrams: floats "unigrams";
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `LearnedUnigramCandidateSampler`, which has state.
    ///
    /// ```text
    /// LearnedUnigramCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
    ///     sampled_expected_count: float)
    ///   num_true: int >= 1
    ///   num_sampled: int >= 1
    ///   unique: bool
    ///   range_max: int >= 1
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    learned_unigram_candidate_sampler LearnedUnigramCandidateSampler true_classes (true_classes: one "true_classes", num_true: int "num_true", num_sampled: int "num_sampled", unique: bool "unique", range_max: int "range_max") -> (LearnedUnigramCandidateSamplerOutputs sampled_candidates: one, true_expected_count: one, sampled_expected_count: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `LogUniformCandidateSampler`, which has state.
    ///
    /// ```text
    /// LogUniformCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
    ///     sampled_expected_count: float)
    ///   num_true: int >= 1
    ///   num_sampled: int >= 1
    ///   unique: bool
    ///   range_max: int >= 1
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    log_uniform_candidate_sampler LogUniformCandidateSampler true_classes (true_classes: one "true_classes", num_true: int "num_true", num_sampled: int "num_sampled", unique: bool "unique", range_max: int "range_max") -> (LogUniformCandidateSamplerOutputs sampled_candidates: one, true_expected_count: one, sampled_expected_count: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `Multinomial`, which has state.
    ///
    /// ```text
    /// Multinomial(logits: T, num_samples: int32) -> (output: output_dtype)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   output_dtype: type in {int32, int64} = int64
    /// ```
    multinomial Multinomial logits (logits: one "logits", num_samples: one "num_samples") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
        /// Sets `output_dtype: type in {int32, int64} = int64`.
        output_dtype: dtype "output_dtype";
    }

    /// Begins a node of `RandomShuffle`, which has state.
    ///
    /// ```text
    /// RandomShuffle(value: T) -> (output: T)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   T: type
    /// ```
    random_shuffle RandomShuffle value (value: one "value") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `RandomStandardNormal`, which has state.
    ///
    /// ```text
    /// RandomStandardNormal(shape: T) -> (output: dtype)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   dtype: type in {half, bfloat16, float, double}
    ///   T: type in {int32, int64}
    /// ```
    random_standard_normal RandomStandardNormal shape (shape: one "shape", dtype: dtype "dtype") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `RandomUniform`, which has state.
    ///
    /// ```text
    /// RandomUniform(shape: T) -> (output: dtype)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   dtype: type in {half, bfloat16, float, double}
    ///   T: type in {int32, int64}
    /// ```
    random_uniform RandomUniform shape (shape: one "shape", dtype: dtype "dtype") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `RandomUniformInt`, which has state.
    ///
    /// ```text
    /// RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> (output: Tout)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   Tout: type in {int32, int64}
    ///   T: type in {int32, int64}
    /// ```
    random_uniform_int RandomUniformInt shape (shape: one "shape", minval: one "minval", maxval: one "maxval") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `ThreadUnsafeUnigramCandidateSampler`, which has state.
    ///
    /// ```text
    /// ThreadUnsafeUnigramCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count:
    ///     float, sampled_expected_count: float)
    ///   num_true: int >= 1
    ///   num_sampled: int >= 1
    ///   unique: bool
    ///   range_max: int >= 1
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    thread_unsafe_unigram_candidate_sampler ThreadUnsafeUnigramCandidateSampler true_classes (true_classes: one "true_classes", num_true: int "num_true", num_sampled: int "num_sampled", unique: bool "unique", range_max: int "range_max") -> (ThreadUnsafeUnigramCandidateSamplerOutputs sampled_candidates: one, true_expected_count: one, sampled_expected_count: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `TruncatedNormal`, which has state.
    ///
    /// ```text
    /// TruncatedNormal(shape: T) -> (output: dtype)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   dtype: type in {half, bfloat16, float, double}
    ///   T: type in {int32, int64}
    /// ```
    truncated_normal TruncatedNormal shape (shape: one "shape", dtype: dtype "dtype") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `UniformCandidateSampler`, which has state.
    ///
    /// ```text
    /// UniformCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float,
    ///     sampled_expected_count: float)
    ///   num_true: int >= 1
    ///   num_sampled: int >= 1
    ///   unique: bool
    ///   range_max: int >= 1
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    uniform_candidate_sampler UniformCandidateSampler true_classes (true_classes: one "true_classes", num_true: int "num_true", num_sampled: int "num_sampled", unique: bool "unique", range_max: int "range_max") -> (UniformCandidateSamplerOutputs sampled_candidates: one, true_expected_count: one, sampled_expected_count: one) {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }
}
