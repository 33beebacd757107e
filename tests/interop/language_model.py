"""Recurrent language models, trained by truncated backpropagation on our servers and on TensorFlow's.

Run by on_both.py.
"""

import collections

import numpy as np

from both import connect
from server import tf

v1 = tf.compat.v1
WORDS, WIDTH, BATCH, LENGTH, STEPS = 50, 24, 4, 7, 12
State = collections.namedtuple("State", ["c", "h"])


def weights(name, shape):
    return v1.get_variable(name, shape, initializer=v1.random_uniform_initializer(-0.3, 0.3, seed=len(name)))


class Cell:
    """What TensorFlow's functions for recurrent networks ask of a cell."""

    output_size = WIDTH

    def zero_state(self, batch, dtype):
        return tf.nest.map_structure(lambda size: tf.zeros(tf.stack([batch, size]), dtype), self.state_size)


class Lstm(Cell):
    state_size = State(WIDTH, WIDTH)

    def __call__(self, x, state, scope=None):
        with v1.variable_scope(scope or "lstm", reuse=v1.AUTO_REUSE):
            w = weights("kernel", [x.shape[1] + WIDTH, 4 * WIDTH])
            b = v1.get_variable("bias", [4 * WIDTH], initializer=v1.zeros_initializer())
            i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x, state.h], 1), w), b), 4, axis=1)
            c = state.c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            h = tf.tanh(c) * tf.sigmoid(o)
            return h, State(c, h)


class Gru(Cell):
    state_size = WIDTH

    def __call__(self, x, state, scope=None):
        with v1.variable_scope(scope or "gru", reuse=v1.AUTO_REUSE):
            w = weights("gates", [x.shape[1] + WIDTH, 2 * WIDTH])
            r, u = tf.split(tf.sigmoid(tf.matmul(tf.concat([x, state], 1), w) + 1.0), 2, axis=1)
            w = weights("candidate", [x.shape[1] + WIDTH, WIDTH])
            h = u * state + (1 - u) * tf.tanh(tf.matmul(tf.concat([x, r * state], 1), w))
            return h, h


def setter(cluster):
    return v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=tf.train.ClusterSpec(cluster)))


def batches():
    """A text of numbers, cut into as many rows as the batch has, and along these into pieces."""
    text = np.cumsum(np.random.RandomState(3).randint(0, 4, size=BATCH * (LENGTH * STEPS + 1))) % WORDS
    rows = text.reshape(BATCH, -1)
    for step in range(STEPS):
        yield rows[:, step * LENGTH : (step + 1) * LENGTH], rows[:, step * LENGTH + 1 : (step + 1) * LENGTH + 1]


def train(cluster, cell, unroll, optimizer, resource):
    """Losses and norms; the last state of a step is fed to the next, so that gradients end at the piece's begin."""
    with setter(cluster), v1.variable_scope("model", use_resource=resource):
        x, y = v1.placeholder(tf.int32, [BATCH, LENGTH]), v1.placeholder(tf.int32, [BATCH, LENGTH])
        table = weights("embedding", [WORDS, WIDTH])
        inputs = tf.nn.embedding_lookup(table, x)
        first = cell.zero_state(BATCH, tf.float32)
        outputs, last = unroll(cell, inputs, first)
        logits = tf.matmul(tf.reshape(outputs, [-1, WIDTH]), weights("softmax", [WIDTH, WORDS]))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(y, [-1]), logits=logits)
        loss = tf.reduce_sum(losses) / BATCH
        rate = v1.get_variable("rate", [], initializer=v1.constant_initializer(0.5), trainable=False)
        step = v1.train.get_or_create_global_step()
        variables = v1.trainable_variables()
        clipped, norm = tf.clip_by_global_norm(v1.gradients(loss, variables), 5.0)
        minimize = optimizer(rate).apply_gradients(zip(clipped, variables), global_step=step)
        decay = v1.assign(rate, rate * 0.9)
    with connect(cluster) as session:
        session.run(v1.global_variables_initializer())
        results, state = [], session.run(first)
        for words, following in batches():
            feed = {x: words, y: following}
            feed.update(zip(tf.nest.flatten(first), tf.nest.flatten(state)))
            value, size, state, _ = session.run([loss, norm, last, minimize], feed)
            results.append((value, size))
        session.run(decay)
        return results, state, session.run([step, rate])


def dynamically(cell, inputs, state):
    return v1.nn.dynamic_rnn(cell, inputs, initial_state=state, sequence_length=[LENGTH, LENGTH - 2, LENGTH, 1])


def statically(cell, inputs, state):
    outputs, state = v1.nn.static_rnn(cell, tf.unstack(inputs, axis=1), initial_state=state)
    return tf.stack(outputs, axis=1), state


def in_both_directions(cell, inputs, state):
    with v1.variable_scope("pair"):
        (forward, backward), (last, _) = v1.nn.bidirectional_dynamic_rnn(
            cell, Gru(), inputs, initial_state_fw=state, dtype=tf.float32, sequence_length=[LENGTH, 3, 2, LENGTH]
        )
    return forward + backward, last


def lstm_dynamic(cluster):
    return train(cluster, Lstm(), dynamically, v1.train.GradientDescentOptimizer, False)


def lstm_dynamic_adam(cluster):
    return train(cluster, Lstm(), dynamically, lambda _: v1.train.AdamOptimizer(0.01), True)


def gru_dynamic_momentum(cluster):
    return train(cluster, Gru(), dynamically, lambda rate: v1.train.MomentumOptimizer(rate * 0.1, 0.9), False)


def lstm_static_rms_prop(cluster):
    return train(cluster, Lstm(), statically, lambda _: v1.train.RMSPropOptimizer(0.01), True)


def gru_in_both_directions(cluster):
    return train(cluster, Gru(), in_both_directions, v1.train.GradientDescentOptimizer, True)


def lstm_on_both_workers(cluster):
    """Two layers, one on each worker: the loop spans the two tasks and the parameter server, forwards and backwards."""

    class Layers(Cell):
        state_size = (State(WIDTH, WIDTH), WIDTH)

        def __call__(self, x, state, scope=None):
            with v1.variable_scope(scope or "layers"):
                x, lower = Lstm()(x, state[0])
                with v1.device("/job:worker/task:1"):
                    x, upper = Gru()(x, state[1])
                return x, (lower, upper)

    return train(cluster, Layers(), dynamically, v1.train.GradientDescentOptimizer, False)


PROGRAMS = [
    lstm_dynamic,
    lstm_dynamic_adam,
    gru_dynamic_momentum,
    lstm_static_rms_prop,
    gru_in_both_directions,
    lstm_on_both_workers,
]
