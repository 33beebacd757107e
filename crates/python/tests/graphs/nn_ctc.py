"""Connectionist temporal classification: the loss and both decoders."""


def build(tf):
    tf.set_random_seed(1)
    logits = tf.random_normal([5, 2, 4], seed=3)
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 2]), [2, 2])
    lengths = tf.constant([5, 4])
    loss = tf.nn.ctc_loss(labels, logits, lengths)
    greedy, score = tf.nn.ctc_greedy_decoder(logits, lengths)
    beams, likelihoods = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=5, top_paths=2, merge_repeated=False)
    by_batch = tf.nn.ctc_loss(labels, logits=tf.transpose(logits, [1, 0, 2]), sequence_length=lengths, time_major=False)
    return [loss, greedy[0].indices, greedy[0].values, score, beams[0].values, beams[1].dense_shape, likelihoods, by_batch]
