"""Recurrent networks. TensorFlow 2 keeps its old cells in a private place."""

import warnings


def cells(tf):
    if tf.__name__.startswith("tensorfleet"):
        return tf.nn.rnn_cell
    warnings.simplefilter("ignore")
    from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl

    return rnn_cell_impl


def build(tf):
    r = cells(tf)
    one = tf.constant_initializer(0.1)
    x = tf.placeholder_with_default(tf.reshape(tf.range(24.0), [2, 4, 3]) / 24, [None, 4, 3], name="x")
    fixed = tf.ones([2, 4, 3], name="fixed")
    lengths = tf.constant([2, 4], name="lengths")
    steps = tf.unstack(x, axis=1)
    found = []
    with tf.variable_scope("all", initializer=one):
        for name, cell in (
            ("basic", r.BasicRNNCell(4)), ("gru", r.GRUCell(4)), ("basic_lstm", r.BasicLSTMCell(4)), ("lstm", r.LSTMCell(4)),
            ("peephole", r.LSTMCell(4, use_peepholes=True, cell_clip=1.0, num_proj=2, proj_clip=0.5)),
            ("flat", r.LSTMCell(4, state_is_tuple=False)), ("flat_basic", r.BasicLSTMCell(4, state_is_tuple=False)),
            ("rows", r.MultiRNNCell([r.BasicLSTMCell(4), r.GRUCell(3)])),
            ("flat_rows", r.MultiRNNCell([r.BasicRNNCell(4), r.BasicRNNCell(3)], state_is_tuple=False)),
            ("residual", r.ResidualWrapper(r.BasicRNNCell(3))), ("device", r.DeviceWrapper(r.BasicRNNCell(3), "/cpu:0")),
        ):
            outputs, _ = tf.nn.static_rnn(cell, steps, dtype=tf.float32, scope=name)
            found += outputs
    with tf.variable_scope("loops", initializer=one):
        found.append(tf.nn.dynamic_rnn(r.BasicRNNCell(4), fixed, dtype=tf.float32, scope="fixed")[0])
        outputs, state = tf.nn.dynamic_rnn(r.BasicLSTMCell(4), x, dtype=tf.float32, sequence_length=lengths)
        found += [outputs, state.c, state.h]
        outputs, state = tf.nn.dynamic_rnn(r.GRUCell(4), tf.transpose(x, [1, 0, 2]), initial_state=tf.ones([2, 4]), time_major=True,
                                           scope="major")
        found += [outputs, state]
        cell = r.MultiRNNCell([r.LSTMCell(4), r.LSTMCell(2)])
        found.append(tf.nn.dynamic_rnn(cell, x, initial_state=cell.zero_state(2, tf.float32), scope="rows")[0])
        both, states = tf.nn.bidirectional_dynamic_rnn(r.BasicRNNCell(4), r.BasicRNNCell(4), x, dtype=tf.float32)
        found += [*both, *states]
        both, _ = tf.nn.bidirectional_dynamic_rnn(r.BasicRNNCell(4), r.BasicRNNCell(4), fixed, lengths, dtype=tf.float32, scope="some")
        found += [*both]
        outputs, *_ = tf.nn.static_bidirectional_rnn(r.BasicRNNCell(4), r.BasicRNNCell(4), steps, dtype=tf.float32, scope="lists")
        found += outputs
    dropped = r.DropoutWrapper(r.BasicLSTMCell(4), output_keep_prob=0.5, input_keep_prob=0.7, state_keep_prob=0.9, seed=3)
    tf.nn.static_rnn(dropped, steps, dtype=tf.float32, scope="dropped")
    return found
