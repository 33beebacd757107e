"""Rows of tables, and losses over samples of classes."""


def build(tf):
    ids = tf.constant([[1, 4], [0, 3]], name="ids")
    table = tf.get_variable("table", initializer=tf.reshape(tf.range(10.0), [5, 2]))
    parts = [tf.constant([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]), tf.constant([[6.0, 7.0], [8.0, 9.0]])]
    cut = tf.get_variable("cut", [5, 2], initializer=tf.constant_initializer(1.0), partitioner=tf.fixed_size_partitioner(2))
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 2], tf.int64), [2, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    found = [
        tf.nn.embedding_lookup(table, ids), tf.nn.embedding_lookup(parts, ids), tf.nn.embedding_lookup(parts, ids, "div"),
        tf.nn.embedding_lookup(cut, ids, name="cut_rows"), tf.nn.embedding_lookup(table, ids, max_norm=1.0),
        tf.nn.embedding_lookup_sparse(table, sparse, None, combiner="mean"),
        tf.nn.embedding_lookup_sparse(table, sparse, weights, combiner="sum"),
        tf.nn.embedding_lookup_sparse(table, sparse, weights, combiner="mean"),
        tf.nn.embedding_lookup_sparse(table, sparse, weights, combiner="sqrtn"),
        tf.nn.embedding_lookup_sparse(parts, sparse, None, combiner="sqrtn"),
    ]
    labels = tf.constant([[1], [3], [2]], tf.int64)
    inputs = tf.constant([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]])
    sampled = tf.nn.all_candidate_sampler(labels, 1, 5, True)
    bias = tf.zeros([5])
    found += [
        tf.nn.nce_loss(table, bias, labels, inputs, 5, 5, sampled_values=sampled),
        tf.nn.sampled_softmax_loss(table, bias, labels, inputs, 5, 5, sampled_values=sampled),
        tf.nn.sampled_softmax_loss(parts, bias, labels, inputs, 5, 5, sampled_values=sampled, partition_strategy="div", name="s"),
        *tf.nn.compute_accidental_hits(labels, tf.constant([1, 2], tf.int64), 1),
    ]
    tf.nn.nce_loss(weights=table, biases=bias, labels=labels, inputs=inputs, num_sampled=2, num_classes=5)
    tf.nn.log_uniform_candidate_sampler(labels, 1, 2, True, 5)
    tf.nn.uniform_candidate_sampler(labels, 1, 2, True, 5, seed=1)
    tf.nn.learned_unigram_candidate_sampler(labels, 1, 2, True, 5)
    tf.nn.fixed_unigram_candidate_sampler(labels, 1, 2, True, 5, unigrams=[1.0, 2.0, 3.0, 4.0, 5.0], distortion=0.75)
    return found
