"""Words in a table of ids, sentences as sparse tensors, and sums of their embeddings."""

import numpy as np

WORDS = ["red", "green", "blue", "round", "square", "small", "large"]


def train(tf, steps=20):
    keys = tf.constant(WORDS)
    values = tf.constant(np.arange(len(WORDS)), tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default_value=len(WORDS))
    sentences = tf.placeholder(tf.string, [None], name="sentences")
    target = tf.placeholder(tf.float32, [None, 2], name="target")
    words = tf.string_split(sentences)
    ids = tf.SparseTensor(words.indices, table.lookup(words.values), words.dense_shape)
    vectors = tf.get_variable("vectors", [len(WORDS) + 1, 2], initializer=tf.random_normal_initializer(stddev=0.5, seed=1))
    mean = tf.nn.embedding_lookup_sparse(vectors, ids, None, combiner="mean")
    total = tf.nn.embedding_lookup_sparse(vectors, ids, None, combiner="sum")
    dense = tf.sparse_tensor_to_dense(ids, default_value=-1)
    loss = tf.reduce_mean(tf.square(mean - target)) + 0.1 * tf.reduce_mean(tf.square(total))
    step = tf.train.AdamOptimizer(0.05).minimize(loss)
    feed = {sentences: ["small red round", "large blue", "green square unknown"],
            target: [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]}
    numbers = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for _ in range(steps):
            numbers.append(sess.run([loss, step], feed)[0])
        numbers += sess.run(dense, feed).ravel().tolist() + [sess.run(table.size())]
    return numbers
