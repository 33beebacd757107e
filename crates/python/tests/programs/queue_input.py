"""Input by queues: names of files, lines, and batches that queue runners fill."""

import os
import tempfile

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(12)
    with tempfile.TemporaryDirectory() as folder:
        previous = os.getcwd()
        os.chdir(folder)
        try:
            for part in range(2):
                np.savetxt(f"part-{part}.csv", rng.randn(9, 3), delimiter=",", fmt="%.5f")
            names = tf.train.string_input_producer(["part-0.csv", "part-1.csv"], shuffle=False)
            reader = tf.TextLineReader()
            _, line = reader.read(names)
            a, b, c = tf.decode_csv(line, record_defaults=[[0.0], [0.0], [0.0]])
            x, y = tf.train.batch([tf.stack([a, b]), c], batch_size=6, capacity=30)
            w = tf.Variable([[0.3], [-0.2]], name="w")
            guess = tf.squeeze(tf.matmul(x, w), 1)
            loss = tf.reduce_mean(tf.square(guess - tf.sigmoid(y)))
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            losses = []
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                coordinator = tf.train.Coordinator()
                threads = tf.train.start_queue_runners(sess=sess, coord=coordinator)
                for _ in range(steps):
                    losses.append(sess.run([loss, step])[0])
                coordinator.request_stop()
                coordinator.join(threads)
            return losses
        finally:
            os.chdir(previous)
