//! Random numbers, the same as TensorFlow's for the same seeds.

pub(crate) mod generator;
mod unigram;

op_list! {
    binomial, candidate_sampler, compute_accidental_hits, distributions, gamma, multinomial, poisson, random_crop, random_index_shuffle, random_shuffle,
    stateful, stateless, truncated_between,
}
