//! Random numbers, the same as TensorFlow's for the same seeds.

op_list! { candidate_sampler, distributions, generator, multinomial, shuffle, unigram }
