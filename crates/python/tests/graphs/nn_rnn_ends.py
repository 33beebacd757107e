"""A list of steps with sequences of different lengths, and the gradients of recurrent networks."""

import importlib.util
from pathlib import Path

OTHER_NODES = "gradients are built of other nodes, and what conditions take in is colocated otherwise"

_spec = importlib.util.spec_from_file_location("nn_rnn", Path(__file__).with_name("nn_rnn.py"))
_rnn = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_rnn)


def build(tf):
    r = _rnn.cells(tf)
    x = tf.reshape(tf.range(24.0), [2, 4, 3]) / 24
    lengths = tf.constant([2, 4])
    with tf.variable_scope("all", initializer=tf.constant_initializer(0.1)):
        outputs, _ = tf.nn.static_rnn(
            r.BasicRNNCell(4), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=lengths, scope="ends"
        )
        found = list(outputs)
        outputs, state = tf.nn.dynamic_rnn(r.BasicLSTMCell(4), x, dtype=tf.float32, sequence_length=lengths)
        loss = tf.reduce_sum(outputs * outputs) + tf.reduce_sum(state.c)
        found += [loss, *tf.gradients(loss, tf.trainable_variables("all/rnn"))]
        rows = r.MultiRNNCell([r.GRUCell(4), r.LSTMCell(3, use_peepholes=True)])
        outputs, _ = tf.nn.dynamic_rnn(rows, x, dtype=tf.float32, scope="rows")
        found += tf.gradients(tf.reduce_sum(outputs * outputs), tf.trainable_variables("all/rows"))
    return found
