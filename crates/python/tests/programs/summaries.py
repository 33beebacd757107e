"""Summaries of scalars, histograms and text, merged, written to an event file and read again."""

import glob
import os
import tempfile

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(19)
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.name_scope("layer"):
        w = tf.Variable(tf.random_uniform([3, 2], seed=1), name="w")
        y = tf.matmul(x, w)
        tf.summary.histogram("weights", w)
    loss = tf.reduce_mean(tf.square(y - 2.0))
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("norm", tf.norm(w))
    merged = tf.summary.merge_all()
    alone = tf.summary.merge([tf.summary.scalar("alone", tf.reduce_max(y), collections=[])])
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    data = rng.randn(8, 3).astype(np.float32)
    numbers = []
    with tempfile.TemporaryDirectory() as folder:
        with tf.Session() as sess, tf.summary.FileWriter(folder, sess.graph) as writer:
            sess.run(tf.global_variables_initializer())
            for number in range(steps):
                text, other = sess.run([merged, alone], {x: data})
                sess.run(step, {x: data})
                writer.add_summary(text, number)
                writer.add_summary(other, number)
            extra = tf.Summary(value=[tf.Summary.Value(tag="by hand", simple_value=0.25)])
            writer.add_summary(extra, steps)
        [path] = glob.glob(os.path.join(folder, "events.out.tfevents.*"))
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    numbers += [event.step, value.simple_value]
                elif value.HasField("histo"):
                    numbers += [value.histo.num, value.histo.sum, value.histo.max]
    return numbers
