"""Every optimizer on a vector and on rows of a matrix, with and without a global step."""


def build(tf):
    step = tf.Variable(0, name="global_step", trainable=False)
    count = tf.Variable(tf.constant(0, tf.int64), name="count", trainable=False)
    w = tf.Variable([1.0, 2.0], name="w")
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="table")
    loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(table, [1, 1]))
    optimizers = [
        tf.train.GradientDescentOptimizer(0.1),
        tf.train.AdamOptimizer(),
        tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.2),
        tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        tf.train.RMSPropOptimizer(0.1),
        tf.train.RMSPropOptimizer(0.1, centered=True, name="Centered"),
        tf.train.AdadeltaOptimizer(),
        tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        tf.train.AdagradDAOptimizer(0.1, count, l1_regularization_strength=0.01),
    ]
    for i, optimizer in enumerate(optimizers):
        pairs = optimizer.compute_gradients(loss, gate_gradients=tf.train.Optimizer.GATE_NONE)
        optimizer.apply_gradients(pairs, global_step=step if i % 2 else None)
    locked = tf.train.GradientDescentOptimizer(0.1, use_locking=True)
    locked.apply_gradients([(tf.constant([1.0, 1.0]), w)], name="locked")
