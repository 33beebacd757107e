"""A hook of the program's own: it asks for more in each step, sees what comes, and ends the training."""

import numpy as np


def make_hook(tf, w, limit, seen):
    class Watch(tf.train.SessionRunHook):
        """Notes the size of the weights and stops when the loss is small."""

        def begin(self):
            seen.append(100.0)
            self.norm = tf.norm(w, name="watched")

        def after_create_session(self, session, coord):
            seen.append(float(session.run(self.norm)))

        def before_run(self, run_context):
            return tf.train.SessionRunArgs({"norm": self.norm, "loss": "loss:0"})

        def after_run(self, run_context, run_values):
            seen.append(float(run_values.results["norm"]))
            if run_values.results["loss"] < limit:
                run_context.request_stop()

        def end(self, session):
            seen.append(float(session.run(self.norm)))

    return Watch()


def train(tf, steps=20):
    rng = np.random.RandomState(14)
    data = rng.randn(16, 3).astype(np.float32)
    x = tf.constant(data)
    w = tf.Variable(tf.zeros([3, 1]), name="w")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.reduce_sum(x, 1, keepdims=True)), name="loss")
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    seen = []
    with tf.train.SingularMonitoredSession(hooks=[make_hook(tf, w, 0.05, seen)]) as sess:
        for _ in range(steps):
            if sess.should_stop():
                break
            seen.append(sess.run([loss, step])[0])
    return seen
