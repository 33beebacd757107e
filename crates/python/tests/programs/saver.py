"""Checkpoints: several are kept, the latest is found and restored, and training goes on as if nothing had happened."""

import os
import tempfile

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(18)
    x = tf.placeholder(tf.float32, [None, 5], name="x")
    w = tf.Variable(tf.random_normal([5, 3], seed=1), name="w")
    counts = tf.Variable([1, 2, 3], name="counts", trainable=False)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(tf.matmul(x, w) - 1.0), 1))
    step = tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True).minimize(loss)
    saver = tf.train.Saver(max_to_keep=2)
    only_w = tf.train.Saver({"renamed": w}, name="only_w")
    data = rng.randn(16, 5).astype(np.float32)
    numbers = []
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(tf.assign_add(counts, [10, 10, 10]))
            for number in range(steps // 2):
                numbers.append(sess.run([loss, step], {x: data})[0])
                if number % 3 == 0:
                    saver.save(sess, prefix, global_step=number)
            only_w.save(sess, os.path.join(folder, "other"))
        latest = tf.train.latest_checkpoint(folder, latest_filename="checkpoint")
        state = tf.train.get_checkpoint_state(folder)
        numbers += [len(state.all_model_checkpoint_paths), float(len(saver.last_checkpoints))]
        kept = sorted(name for name in os.listdir(folder) if name.endswith(".index"))
        numbers += [len(kept), float(kept[0].split("-")[1].split(".")[0]) if "-" in kept[0] else -1.0]
        reader = tf.train.load_checkpoint(os.path.join(folder, "other"))
        numbers += reader.get_tensor("renamed")[0].tolist()
        with tf.Session() as sess:
            saver.restore(sess, prefix + "-9")
            numbers += sess.run(counts).tolist()
            for _ in range(steps // 2):
                numbers.append(sess.run([loss, step], {x: data})[0])
        numbers.append(float(latest is not None))
    return numbers
