//! Random numbers, the same as TensorFlow's for the same seeds.

mod generator;
mod unigram;

op_list! {
    candidate_sampler, compute_accidental_hits, distributions, gamma, multinomial, poisson, random_crop, random_shuffle,
    stateful, stateless,
}
