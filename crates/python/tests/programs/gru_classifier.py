"""A gated recurrent unit in a loop over time, written with tf.while_loop and a TensorArray, as a classifier."""

import numpy as np

OTHER_GRADIENTS = "those of loops and conditionals are our own"


def train(tf, steps=20, size=8, length=6):
    rng = np.random.RandomState(5)
    x = tf.placeholder(tf.float32, [None, length, 4], name="x")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    start = tf.random_normal_initializer(stddev=0.3, seed=12)
    gates_w = tf.get_variable("gates_w", [4 + size, 2 * size], initializer=start)
    gates_b = tf.get_variable("gates_b", [2 * size], initializer=tf.ones_initializer())
    candidate_w = tf.get_variable("candidate_w", [4 + size, size], initializer=start)
    steps_first = tf.TensorArray(tf.float32, size=length, name="inputs").unstack(tf.transpose(x, [1, 0, 2]))

    def body(time, state):
        now = steps_first.read(time)
        r, u = tf.split(tf.sigmoid(tf.matmul(tf.concat([now, state], 1), gates_w) + gates_b), 2, axis=1)
        candidate = tf.tanh(tf.matmul(tf.concat([now, r * state], 1), candidate_w))
        return time + 1, u * state + (1 - u) * candidate

    zero = tf.zeros([tf.shape(x)[0], size])
    shapes = [tf.TensorShape([]), tf.TensorShape([None, size])]
    _, last = tf.while_loop(lambda time, state: time < length, body, [0, zero], shape_invariants=shapes)
    w = tf.get_variable("w", [size, 3], initializer=start)
    logits = tf.matmul(last, w)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.AdagradOptimizer(0.1).minimize(loss)
    data = rng.randn(16, length, 4).astype(np.float32)
    feed = {x: data, labels: np.argmax(data[:, -1, :3], 1)}
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            losses.append(sess.run([loss, step], feed)[0])
    return losses
