"""A pipeline of records: examples are written to files, read again, parsed and put into batches."""

import os
import tempfile

import numpy as np


def write(tf, folder):
    rng = np.random.RandomState(11)
    names = []
    for part in range(2):
        names.append(os.path.join(folder, f"part-{part}.tfrecord"))
        with tf.python_io.TFRecordWriter(names[-1]) as writer:
            for _ in range(12):
                x = rng.randn(4)
                feature = {
                    "x": tf.train.Feature(float_list=tf.train.FloatList(value=x)),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(x[0] > 0)])),
                    "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"example"])),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return names


def train(tf, steps=20):
    with tempfile.TemporaryDirectory() as folder:
        names = write(tf, folder)
        files = tf.placeholder(tf.string, [None], name="files")

        def parse(record):
            features = {"x": tf.FixedLenFeature([4], tf.float32), "label": tf.FixedLenFeature([], tf.int64),
                        "missing": tf.FixedLenFeature([], tf.float32, default_value=0.5)}
            example = tf.parse_single_example(record, features)
            return example["x"] + example["missing"], example["label"]

        dataset = tf.data.TFRecordDataset(files).map(parse).shuffle(10, seed=1).repeat().batch(6)
        iterator = dataset.make_initializable_iterator()
        x, label = iterator.get_next()
        w = tf.get_variable("w", [4, 2], initializer=tf.random_normal_initializer(seed=1))
        loss = tf.losses.sparse_softmax_cross_entropy(labels=label, logits=tf.matmul(x, w))
        step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        losses = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(iterator.initializer, {files: names})
            for _ in range(steps):
                losses.append(sess.run([loss, step])[0])
        return losses
