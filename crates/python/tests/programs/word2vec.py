"""Word vectors by noise-contrastive estimation, with a sampler whose seed is fixed."""

import numpy as np


def train(tf, steps=20, words=50, size=8):
    rng = np.random.RandomState(6)
    inputs = tf.placeholder(tf.int32, [16], name="inputs")
    labels = tf.placeholder(tf.int64, [16, 1], name="labels")
    with tf.name_scope("embeddings"):
        vectors = tf.Variable(tf.random_uniform([words, size], -1.0, 1.0, seed=1), name="vectors")
        embedded = tf.nn.embedding_lookup(vectors, inputs)
    with tf.name_scope("weights"):
        weights = tf.Variable(tf.truncated_normal([words, size], stddev=1.0 / np.sqrt(size), seed=2))
        biases = tf.Variable(tf.zeros([words]))
    sampled = tf.nn.log_uniform_candidate_sampler(
        true_classes=labels, num_true=1, num_sampled=6, unique=True, range_max=words, seed=3)
    nce = tf.nn.nce_loss(weights=weights, biases=biases, labels=labels, inputs=embedded, num_sampled=6, num_classes=words,
                         sampled_values=sampled)
    loss = tf.reduce_mean(nce, name="loss")
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(vectors), 1, keepdims=True))
    similarity = tf.matmul(vectors / norm, vectors / norm, transpose_b=True)
    numbers = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            words_in = rng.randint(0, words, 16)
            feed = {inputs: words_in, labels: ((words_in + 1) % words)[:, None]}
            numbers.append(sess.run([loss, step], feed)[0])
        numbers += sess.run(similarity)[:2, :3].ravel().tolist()
    return numbers
