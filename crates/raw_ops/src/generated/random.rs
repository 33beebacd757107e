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

    /// Begins a node of `NonDeterministicInts`, which has state.
    ///
    /// ```text
    /// NonDeterministicInts(shape: shape_dtype) -> (output: dtype)
    ///   dtype: type = int64
    ///   shape_dtype: type = int64
    /// ```
    non_deterministic_ints NonDeterministicInts shape (shape: one "shape") -> one {
        /// Sets `dtype: type = int64`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `ParameterizedTruncatedNormal`, which has state.
    ///
    /// ```text
    /// ParameterizedTruncatedNormal(shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype) -> (output:
    ///     dtype)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   dtype: type in {half, bfloat16, float, double}
    ///   T: type in {int32, int64}
    /// ```
    parameterized_truncated_normal ParameterizedTruncatedNormal shape (shape: one "shape", means: one "means", stdevs: one "stdevs", minvals: one "minvals", maxvals: one "maxvals") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `RandomCrop`, which has state.
    ///
    /// ```text
    /// RandomCrop(image: T, size: int64) -> (output: T)
    ///   T: type in {uint8, int8, int16, int32, int64, float, double}
    ///   seed: int = 0
    ///   seed2: int = 0
    /// ```
    random_crop RandomCrop image (image: one "image", size: one "size") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `RandomGamma`, which has state.
    ///
    /// ```text
    /// RandomGamma(shape: S, alpha: T) -> (output: T)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   S: type in {int32, int64}
    ///   T: type in {half, float, double}
    /// ```
    random_gamma RandomGamma shape (shape: one "shape", alpha: one "alpha") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `RandomIndexShuffle`.
    ///
    /// ```text
    /// RandomIndexShuffle(index: dtype, seed: Tseed, max_index: dtype) -> (output: dtype)
    ///   rounds: int = 4
    ///   dtype: type in {int32, uint32, int64, uint64}
    ///   Tseed: type in {int32, uint32, int64, uint64}
    /// ```
    random_index_shuffle RandomIndexShuffle index (index: one "index", seed: one "seed", max_index: one "max_index") -> one {
        /// Sets `rounds: int = 4`.
        rounds: int "rounds";
    }

    /// Begins a node of `RandomPoisson`, which has state.
    ///
    /// ```text
    /// RandomPoisson(shape: S, rate: dtype) -> (output: dtype)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   S: type in {int32, int64}
    ///   dtype: type in {half, float, double}
    /// ```
    random_poisson RandomPoisson shape (shape: one "shape", rate: one "rate") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
    }

    /// Begins a node of `RandomPoissonV2`, which has state.
    ///
    /// ```text
    /// RandomPoissonV2(shape: S, rate: R) -> (output: dtype)
    ///   seed: int = 0
    ///   seed2: int = 0
    ///   S: type in {int32, int64}
    ///   R: type in {half, float, double, int32, int64} = double
    ///   dtype: type in {half, float, double, int32, int64} = int64
    /// ```
    random_poisson_v2 RandomPoissonV2 shape (shape: one "shape", rate: one "rate") -> one {
        /// Sets `seed: int = 0`.
        seed: int "seed";
        /// Sets `seed2: int = 0`.
        seed2: int "seed2";
        /// Sets `dtype: type in {half, float, double, int32, int64} = int64`.
        dtype: dtype "dtype";
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

    /// Begins a node of `RngReadAndSkip`, which has state.
    ///
    /// ```text
    /// RngReadAndSkip(resource: resource, alg: int32, delta: uint64) -> (value: int64)
    /// ```
    rng_read_and_skip RngReadAndSkip resource (resource: one "resource", alg: one "alg", delta: one "delta") -> one {}

    /// Begins a node of `RngSkip`, which has state.
    ///
    /// ```text
    /// RngSkip(resource: resource, algorithm: int64, delta: int64) -> ()
    /// ```
    rng_skip RngSkip resource (resource: one "resource", algorithm: one "algorithm", delta: one "delta") -> none {}

    /// Begins a node of `StatefulRandomBinomial`, which has state.
    ///
    /// ```text
    /// StatefulRandomBinomial(resource: resource, algorithm: int64, shape: S, counts: T, probs: T) -> (output: dtype)
    ///   S: type in {int32, int64}
    ///   T: type in {half, float, double, int32, int64} = double
    ///   dtype: type in {half, float, double, int32, int64} = int64
    /// ```
    stateful_random_binomial StatefulRandomBinomial resource (resource: one "resource", algorithm: one "algorithm", shape: one "shape", counts: one "counts", probs: one "probs") -> one {
        /// Sets `dtype: type in {half, float, double, int32, int64} = int64`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatefulStandardNormal`, which has state.
    ///
    /// ```text
    /// StatefulStandardNormal(resource: resource, shape: shape_dtype) -> (output: dtype)
    ///   dtype: type = float
    ///   shape_dtype: type = int64
    /// ```
    stateful_standard_normal StatefulStandardNormal resource (resource: one "resource", shape: one "shape") -> one {
        /// Sets `dtype: type = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatefulStandardNormalV2`, which has state.
    ///
    /// ```text
    /// StatefulStandardNormalV2(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
    ///   dtype: type = float
    ///   shape_dtype: type = int64
    /// ```
    stateful_standard_normal_v2 StatefulStandardNormalV2 resource (resource: one "resource", algorithm: one "algorithm", shape: one "shape") -> one {
        /// Sets `dtype: type = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatefulTruncatedNormal`, which has state.
    ///
    /// ```text
    /// StatefulTruncatedNormal(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
    ///   dtype: type = float
    ///   shape_dtype: type = int64
    /// ```
    stateful_truncated_normal StatefulTruncatedNormal resource (resource: one "resource", algorithm: one "algorithm", shape: one "shape") -> one {
        /// Sets `dtype: type = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatefulUniform`, which has state.
    ///
    /// ```text
    /// StatefulUniform(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
    ///   dtype: type = float
    ///   shape_dtype: type = int64
    /// ```
    stateful_uniform StatefulUniform resource (resource: one "resource", algorithm: one "algorithm", shape: one "shape") -> one {
        /// Sets `dtype: type = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatefulUniformFullInt`, which has state.
    ///
    /// ```text
    /// StatefulUniformFullInt(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
    ///   dtype: type = uint64
    ///   shape_dtype: type = int64
    /// ```
    stateful_uniform_full_int StatefulUniformFullInt resource (resource: one "resource", algorithm: one "algorithm", shape: one "shape") -> one {
        /// Sets `dtype: type = uint64`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatefulUniformInt`, which has state.
    ///
    /// ```text
    /// StatefulUniformInt(resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype) ->
    ///     (output: dtype)
    ///   dtype: type = int64
    ///   shape_dtype: type = int64
    /// ```
    stateful_uniform_int StatefulUniformInt resource (resource: one "resource", algorithm: one "algorithm", shape: one "shape", minval: one "minval", maxval: one "maxval") -> one {}

    /// Begins a node of `StatelessMultinomial`.
    ///
    /// ```text
    /// StatelessMultinomial(logits: T, num_samples: int32, seed: Tseed) -> (output: output_dtype)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tseed: type in {int32, int64} = int64
    ///   output_dtype: type in {int32, int64} = int64
    /// ```
    stateless_multinomial StatelessMultinomial logits (logits: one "logits", num_samples: one "num_samples", seed: one "seed") -> one {
        /// Sets `output_dtype: type in {int32, int64} = int64`.
        output_dtype: dtype "output_dtype";
    }

    /// Begins a node of `StatelessParameterizedTruncatedNormal`.
    ///
    /// ```text
    /// StatelessParameterizedTruncatedNormal(shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype,
    ///     maxvals: dtype) -> (output: dtype)
    ///   S: type in {int32, int64}
    ///   Tseed: type in {int32, int64} = int64
    ///   dtype: type in {half, float, double}
    /// ```
    stateless_parameterized_truncated_normal StatelessParameterizedTruncatedNormal shape (shape: one "shape", seed: one "seed", means: one "means", stddevs: one "stddevs", minvals: one "minvals", maxvals: one "maxvals") -> one {}

    /// Begins a node of `StatelessRandomBinomial`.
    ///
    /// ```text
    /// StatelessRandomBinomial(shape: S, seed: Tseed, counts: T, probs: T) -> (output: dtype)
    ///   S: type in {int32, int64}
    ///   Tseed: type in {int32, int64} = int64
    ///   T: type in {half, float, double, int32, int64} = double
    ///   dtype: type in {half, float, double, int32, int64} = int64
    /// ```
    stateless_random_binomial StatelessRandomBinomial shape (shape: one "shape", seed: one "seed", counts: one "counts", probs: one "probs") -> one {
        /// Sets `dtype: type in {half, float, double, int32, int64} = int64`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessRandomGammaV2`.
    ///
    /// ```text
    /// StatelessRandomGammaV2(shape: T, seed: Tseed, alpha: dtype) -> (output: dtype)
    ///   dtype: type in {half, float, double}
    ///   T: type in {int32, int64}
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_random_gamma_v2 StatelessRandomGammaV2 shape (shape: one "shape", seed: one "seed", alpha: one "alpha") -> one {}

    /// Begins a node of `StatelessRandomGammaV3`.
    ///
    /// ```text
    /// StatelessRandomGammaV3(shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype) -> (output:
    ///     dtype)
    ///   dtype: type in {half, float, double}
    ///   shape_dtype: type in {int32, int64} = int32
    /// ```
    stateless_random_gamma_v3 StatelessRandomGammaV3 shape (shape: one "shape", key: one "key", counter: one "counter", alg: one "alg", alpha: one "alpha") -> one {}

    /// Begins a node of `StatelessRandomGetAlg`, which has state.
    ///
    /// ```text
    /// StatelessRandomGetAlg() -> (alg: int32)
    /// ```
    stateless_random_get_alg StatelessRandomGetAlg graph (graph: graph "") -> one {}

    /// Begins a node of `StatelessRandomGetKeyCounter`.
    ///
    /// ```text
    /// StatelessRandomGetKeyCounter(seed: Tseed) -> (key: uint64, counter: uint64)
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_random_get_key_counter StatelessRandomGetKeyCounter seed (seed: one "seed") -> (StatelessRandomGetKeyCounterOutputs key: one, counter: one) {}

    /// Begins a node of `StatelessRandomGetKeyCounterAlg`.
    ///
    /// ```text
    /// StatelessRandomGetKeyCounterAlg(seed: Tseed) -> (key: uint64, counter: uint64, alg: int32)
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_random_get_key_counter_alg StatelessRandomGetKeyCounterAlg seed (seed: one "seed") -> (StatelessRandomGetKeyCounterAlgOutputs key: one, counter: one, alg: one) {}

    /// Begins a node of `StatelessRandomNormal`.
    ///
    /// ```text
    /// StatelessRandomNormal(shape: T, seed: Tseed) -> (output: dtype)
    ///   dtype: type in {half, bfloat16, float, double} = float
    ///   T: type in {int32, int64} = int32
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_random_normal StatelessRandomNormal shape (shape: one "shape", seed: one "seed") -> one {
        /// Sets `dtype: type in {half, bfloat16, float, double} = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessRandomNormalV2`.
    ///
    /// ```text
    /// StatelessRandomNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
    ///   dtype: type in {half, bfloat16, float, double} = float
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    stateless_random_normal_v2 StatelessRandomNormalV2 shape (shape: one "shape", key: one "key", counter: one "counter", alg: one "alg") -> one {
        /// Sets `dtype: type in {half, bfloat16, float, double} = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessRandomPoisson`.
    ///
    /// ```text
    /// StatelessRandomPoisson(shape: T, seed: Tseed, lam: Rtype) -> (output: dtype)
    ///   Rtype: type in {half, float, double, int32, int64}
    ///   dtype: type in {half, float, double, int32, int64}
    ///   T: type in {int32, int64}
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_random_poisson StatelessRandomPoisson shape (shape: one "shape", seed: one "seed", lam: one "lam", dtype: dtype "dtype") -> one {}

    /// Begins a node of `StatelessRandomUniform`.
    ///
    /// ```text
    /// StatelessRandomUniform(shape: T, seed: Tseed) -> (output: dtype)
    ///   dtype: type in {half, bfloat16, float, double} = float
    ///   T: type in {int32, int64} = int32
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_random_uniform StatelessRandomUniform shape (shape: one "shape", seed: one "seed") -> one {
        /// Sets `dtype: type in {half, bfloat16, float, double} = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessRandomUniformFullInt`.
    ///
    /// ```text
    /// StatelessRandomUniformFullInt(shape: T, seed: Tseed) -> (output: dtype)
    ///   dtype: type in {int32, int64, uint32, uint64} = uint64
    ///   T: type in {int32, int64} = int32
    ///   Tseed: type in {int32, int64, uint32, uint64} = int64
    /// ```
    stateless_random_uniform_full_int StatelessRandomUniformFullInt shape (shape: one "shape", seed: one "seed") -> one {
        /// Sets `dtype: type in {int32, int64, uint32, uint64} = uint64`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessRandomUniformFullIntV2`.
    ///
    /// ```text
    /// StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
    ///   dtype: type in {int32, int64, uint32, uint64} = uint64
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    stateless_random_uniform_full_int_v2 StatelessRandomUniformFullIntV2 shape (shape: one "shape", key: one "key", counter: one "counter", alg: one "alg") -> one {
        /// Sets `dtype: type in {int32, int64, uint32, uint64} = uint64`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessRandomUniformInt`.
    ///
    /// ```text
    /// StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype) -> (output: dtype)
    ///   dtype: type in {int32, int64}
    ///   T: type in {int32, int64}
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_random_uniform_int StatelessRandomUniformInt shape (shape: one "shape", seed: one "seed", minval: one "minval", maxval: one "maxval") -> one {}

    /// Begins a node of `StatelessRandomUniformIntV2`.
    ///
    /// ```text
    /// StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval:
    ///     dtype) -> (output: dtype)
    ///   dtype: type in {int32, int64, uint32, uint64}
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    stateless_random_uniform_int_v2 StatelessRandomUniformIntV2 shape (shape: one "shape", key: one "key", counter: one "counter", alg: one "alg", minval: one "minval", maxval: one "maxval") -> one {}

    /// Begins a node of `StatelessRandomUniformV2`.
    ///
    /// ```text
    /// StatelessRandomUniformV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
    ///   dtype: type in {half, bfloat16, float, double} = float
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    stateless_random_uniform_v2 StatelessRandomUniformV2 shape (shape: one "shape", key: one "key", counter: one "counter", alg: one "alg") -> one {
        /// Sets `dtype: type in {half, bfloat16, float, double} = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessShuffle`.
    ///
    /// ```text
    /// StatelessShuffle(value: T, key: uint64, counter: uint64, alg: int32) -> (output: T)
    ///   T: type
    /// ```
    stateless_shuffle StatelessShuffle value (value: one "value", key: one "key", counter: one "counter", alg: one "alg") -> one {}

    /// Begins a node of `StatelessTruncatedNormal`.
    ///
    /// ```text
    /// StatelessTruncatedNormal(shape: T, seed: Tseed) -> (output: dtype)
    ///   dtype: type in {half, bfloat16, float, double} = float
    ///   T: type in {int32, int64} = int32
    ///   Tseed: type in {int32, int64} = int64
    /// ```
    stateless_truncated_normal StatelessTruncatedNormal shape (shape: one "shape", seed: one "seed") -> one {
        /// Sets `dtype: type in {half, bfloat16, float, double} = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `StatelessTruncatedNormalV2`.
    ///
    /// ```text
    /// StatelessTruncatedNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
    ///   dtype: type in {half, bfloat16, float, double} = float
    ///   Tshape: type in {int32, int64} = int32
    /// ```
    stateless_truncated_normal_v2 StatelessTruncatedNormalV2 shape (shape: one "shape", key: one "key", counter: one "counter", alg: one "alg") -> one {
        /// Sets `dtype: type in {half, bfloat16, float, double} = float`.
        dtype: dtype "dtype";
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
