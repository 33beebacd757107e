"""A table in several parts: variables cut by a partitioner, looked up across the parts, and saved as one."""

import os
import tempfile

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(20)
    ids = tf.placeholder(tf.int64, [None], name="ids")
    target = tf.placeholder(tf.float32, [None], name="target")
    start = tf.random_uniform_initializer(-0.5, 0.5, seed=1)
    with tf.variable_scope("table", partitioner=tf.fixed_size_partitioner(3)):
        table = tf.get_variable("rows", [20, 4], initializer=start)
        w = tf.get_variable("w", [4], initializer=tf.ones_initializer(), partitioner=None)
    looked = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
    guess = tf.reduce_sum(looked, 1)
    whole = tf.convert_to_tensor(table)
    loss = tf.reduce_mean(tf.square(guess - target)) + 1e-3 * tf.reduce_sum(tf.square(whole))
    step = tf.train.AdagradOptimizer(0.2).minimize(loss)
    numbers = [len(tf.trainable_variables()), len(list(table))]
    saver = tf.train.Saver()
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            chosen = rng.randint(0, 20, 12)
            numbers.append(sess.run([loss, step], {ids: chosen, target: chosen / 10.0})[0])
        path = saver.save(sess, os.path.join(folder, "model"))
        shapes = dict(tf.train.list_variables(path))
        numbers += list(shapes["table/rows"]) + sess.run(whole)[7].tolist()
    return numbers
