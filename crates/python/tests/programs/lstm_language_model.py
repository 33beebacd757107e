"""A language model of characters: embeddings, an LSTM cell written out and unrolled, gradients clipped by their norm."""

import numpy as np

TEXT = "the quick brown fox jumps over the lazy dog and the dog sleeps on "


def train(tf, steps=20, batch=4, length=6, size=16):
    letters = sorted(set(TEXT))
    codes = np.array([letters.index(letter) for letter in TEXT * 4], np.int32)
    tf.set_random_seed(11)
    inputs = tf.placeholder(tf.int32, [batch, length], name="inputs")
    targets = tf.placeholder(tf.int32, [batch, length], name="targets")
    with tf.variable_scope("model", initializer=tf.random_uniform_initializer(-0.2, 0.2, seed=5)):
        table = tf.get_variable("embedding", [len(letters), size])
        kernel = tf.get_variable("kernel", [2 * size, 4 * size])
        bias = tf.get_variable("bias", [4 * size], initializer=tf.constant_initializer(0.1))
        w = tf.get_variable("softmax_w", [size, len(letters)])
        b = tf.get_variable("softmax_b", [len(letters)])
    embedded = tf.nn.embedding_lookup(table, inputs)
    c = h = tf.zeros([batch, size])
    outputs = []
    with tf.variable_scope("unrolled"):
        for x in tf.unstack(embedded, axis=1):
            i, j, f, o = tf.split(tf.matmul(tf.concat([x, h], 1), kernel) + bias, 4, axis=1)
            c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            h = tf.tanh(c) * tf.sigmoid(o)
            outputs.append(h)
    flat = tf.reshape(tf.stack(outputs, axis=1), [-1, size])
    logits = tf.nn.xw_plus_b(flat, w, b)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(targets, [-1]), logits=logits))
    variables = tf.trainable_variables()
    gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    step = tf.train.GradientDescentOptimizer(1.0).apply_gradients(zip(gradients, variables))
    numbers = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(steps):
            rows = [number * 3 + k * 17 for k in range(batch)]
            feed = {inputs: [codes[r : r + length] for r in rows], targets: [codes[r + 1 : r + 1 + length] for r in rows]}
            numbers += sess.run([loss, norm, step], feed)[:2]
    return numbers
