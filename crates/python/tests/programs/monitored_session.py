"""Training in a monitored session: hooks stop it at a step and save checkpoints, and a second session goes on from there."""

import tempfile

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(13)
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    w = tf.get_variable("w", [3, 1], initializer=tf.random_uniform_initializer(seed=1))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)[:, 0] - y), name="loss")
    global_step = tf.train.get_or_create_global_step()
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
    data = rng.randn(16, 3).astype(np.float32)
    feed = {x: data, y: data.sum(1)}
    numbers = []
    with tempfile.TemporaryDirectory() as folder:
        for last in (steps // 2, steps):
            hooks = [tf.train.StopAtStepHook(last_step=last), tf.train.NanTensorHook(loss)]
            with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=5,
                                                   save_summaries_steps=None, save_summaries_secs=None,
                                                   log_step_count_steps=None) as sess:
                while not sess.should_stop():
                    number, cost, _ = sess.run([global_step, loss, step], feed)
                    numbers.append(cost)
            numbers.append(float(tf.train.latest_checkpoint(folder).rsplit("-", 1)[1]))
    return numbers
