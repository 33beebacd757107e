"""A pipeline of arrays: mapped, shuffled, repeated and put into batches, for training and for evaluation."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(10)
    data = rng.randn(40, 5).astype(np.float32)
    wanted = (data @ np.arange(5.0)).astype(np.float32)
    tf.set_random_seed(31)
    scale = tf.constant(0.5)

    def example(x, y):
        return {"x": x * scale, "noise": tf.random_uniform([], seed=1)}, y

    source = tf.data.Dataset.from_tensor_slices((data, wanted)).map(example)
    training = source.shuffle(20, seed=2).repeat().batch(8).prefetch(1)
    evaluation = source.batch(40)
    iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
    features, target = iterator.get_next()
    begin, begin_evaluation = iterator.make_initializer(training), iterator.make_initializer(evaluation)
    w = tf.get_variable("w", [5, 1], initializer=tf.zeros_initializer())
    guess = tf.matmul(features["x"], w)[:, 0] + 0.01 * features["noise"]
    loss = tf.reduce_mean(tf.squared_difference(guess, target))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    losses = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), begin])
        for _ in range(steps):
            losses.append(sess.run([loss, step])[0])
        sess.run(begin_evaluation)
        losses.append(sess.run(loss))
        try:
            sess.run(loss)
        except tf.errors.OutOfRangeError:
            losses.append(-1.0)
    return losses
