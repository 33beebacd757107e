"""Recurrent networks over sequences of several lengths by a cell of the program's own: unrolled at run time, and before it."""

import numpy as np

OTHER_GRADIENTS = "those of loops and conditionals are our own"


def make_cell(tf, size):
    class Cell:
        """Adds a gated share of what it sees to its state."""

        state_size = output_size = size

        def zero_state(self, batch_size, dtype):
            return tf.zeros([batch_size, size], dtype)

        def __call__(self, inputs, state, scope=None):
            with tf.variable_scope(scope or "cell", reuse=tf.AUTO_REUSE):
                start = tf.random_normal_initializer(stddev=0.3, seed=9)
                w = tf.get_variable("w", [int(inputs.shape[1]) + size, 2 * size], initializer=start)
                b = tf.get_variable("b", [2 * size], initializer=tf.zeros_initializer())
                gate, new = tf.split(tf.matmul(tf.concat([inputs, state], 1), w) + b, 2, axis=1)
                gate = tf.sigmoid(gate)
                state = gate * state + (1.0 - gate) * tf.tanh(new)
            return state, state

    return Cell()


def train(tf, steps=20):
    rng = np.random.RandomState(4)
    x = tf.placeholder(tf.float32, [8, 5, 3], name="x")
    lengths = tf.placeholder(tf.int32, [8], name="lengths")
    target = tf.placeholder(tf.float32, [8], name="target")
    outputs, last = tf.nn.dynamic_rnn(make_cell(tf, 6), x, sequence_length=lengths, dtype=tf.float32, scope="dynamic")
    unrolled, final = tf.nn.static_rnn(make_cell(tf, 6), tf.unstack(x, axis=1), dtype=tf.float32, scope="static")
    v = tf.get_variable("v", [12, 1], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3))
    guess = tf.squeeze(tf.matmul(tf.concat([last, final], 1), v), 1)
    loss = tf.reduce_mean(tf.square(guess - target)) + 0.01 * tf.reduce_mean(tf.square(outputs))
    step = tf.train.RMSPropOptimizer(0.01).minimize(loss)
    data = rng.randn(8, 5, 3).astype(np.float32)
    feed = {x: data, lengths: rng.randint(1, 6, 8), target: data.sum((1, 2))}
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            losses.append(sess.run([loss, step], feed)[0])
    return losses
