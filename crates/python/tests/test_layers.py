"""Layers, losses, metrics, cells and slim, by their numbers."""

import unittest

import numpy as np

import tensorfleet.v1 as tf


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class InGraph(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)

    def run_all(self, *fetches, feed=None):
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            return sess.run(list(fetches), feed)


class Layers(InGraph):
    def test_dense(self):
        y = tf.layers.dense(tf.ones([2, 3]), 4, tf.nn.relu, kernel_initializer=tf.ones_initializer(), name="d")
        self.assertEqual([v.op.name for v in tf.trainable_variables()], ["d/kernel", "d/bias"])
        self.assertEqual(self.run_all(y)[0].tolist(), [[3.0] * 4] * 2)
        with self.assertRaisesRegex(ValueError, "already exists"):
            tf.layers.dense(tf.ones([2, 3]), 4, name="d")
        tf.layers.dense(tf.ones([2, 3]), 4, name="d", reuse=True)
        with self.assertRaisesRegex(ValueError, "last dimension"):
            tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 4)
        with self.assertRaisesRegex(ValueError, "expected ndim=4, found ndim=2"):
            tf.layers.conv2d(tf.ones([2, 3]), 4, 3)

    def test_a_layer_of_ones_own(self):
        class Affine(tf.layers.Layer):
            def build(self, shape):
                self.w = self.add_variable("w", [int(shape[-1])], initializer=tf.constant_initializer(3.0))
                super().build(shape)

            def call(self, x, add=0.0):
                return x * self.w + add

        layer = Affine(name="affine")
        found = self.run_all(layer(tf.ones([1, 2])), layer(tf.ones([1, 2]), add=1.0))
        np.testing.assert_array_equal(found, [[[3, 3]], [[4, 4]]])
        self.assertEqual([v.op.name for v in layer.trainable_variables], ["affine/w"])
        self.assertEqual(layer.count_params(), 2)

    def test_convolution_and_pooling(self):
        x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        y = tf.layers.conv2d(x, 1, 2, kernel_initializer=tf.ones_initializer(), padding="same", use_bias=False)
        t = tf.layers.conv2d_transpose(x, 2, 3, strides=2, padding="same")
        d = tf.layers.conv2d(x, 1, 2, dilation_rate=2, kernel_initializer=tf.ones_initializer())
        y, p, a, t, d = self.run_all(y, tf.layers.max_pooling2d(x, 2, 2), tf.layers.average_pooling2d(x, 2, 2), t, d)
        self.assertEqual(y[0, 0, :, 0].tolist(), [10, 14, 18, 10])
        self.assertEqual(p.ravel().tolist(), [5, 7, 13, 15])
        self.assertEqual(a.ravel().tolist(), [2.5, 4.5, 10.5, 12.5])
        self.assertEqual(t.shape, (1, 8, 8, 2))
        # Elements two apart: 0 + 2 + 8 + 10.
        self.assertEqual(d.ravel().tolist(), [20, 24, 36, 40])

    def test_batch_normalization(self):
        rng = np.random.RandomState(0)
        for shape in ([64, 3], [8, 4, 4, 3]):
            with tf.Graph().as_default(), tf.Session() as sess:
                x, training = tf.placeholder(tf.float32, shape), tf.placeholder(tf.bool, [])
                y = tf.layers.batch_normalization(x, training=training, momentum=0.9, name="bn")
                self.assertEqual(
                    [v.op.name for v in tf.global_variables()],
                    ["bn/gamma", "bn/beta", "bn/moving_mean", "bn/moving_variance"],
                )
                self.assertEqual(len(tf.trainable_variables()), 2)
                updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
                self.assertEqual(len(updates), 2)
                sess.run(tf.global_variables_initializer())
                value = rng.normal(5.0, 2.0, shape).astype(np.float32)
                axes = tuple(range(len(shape) - 1))
                mean, variance = value.mean(axes), value.var(axes)
                out, _ = sess.run([y, updates], {x: value, training: True})
                np.testing.assert_allclose(out, (value - mean) / np.sqrt(variance + 1e-3), rtol=1e-3, atol=1e-3)
                moved = sess.run(tf.global_variables()[2:])
                np.testing.assert_allclose(moved[0], 0.1 * mean, rtol=1e-3)
                # The op for images keeps the variance of a sample, with one element less.
                count = value.size / 3
                sample = variance * count / (count - 1) if len(shape) == 4 else variance
                np.testing.assert_allclose(moved[1], 0.9 + 0.1 * sample, rtol=1e-3)
                sess.run(updates, {x: value, training: False})
                if len(shape) == 4:
                    np.testing.assert_allclose(sess.run(tf.global_variables()[2]), moved[0], rtol=1e-6)
                out = sess.run(y, {x: value, training: False})
                np.testing.assert_allclose(out, (value - moved[0]) / np.sqrt(moved[1] + 1e-3), rtol=1e-3, atol=1e-3)

    def test_dropout(self):
        tf.set_random_seed(1)
        x, training = tf.ones([1000]), tf.placeholder_with_default(False, [])
        y = tf.layers.dropout(x, 0.4, training=training)
        kept = self.run_all(y, feed={training: True})[0]
        self.assertTrue(set(np.round(kept, 4)) == {0.0, np.float32(1.6667)})
        self.assertLess(abs((kept > 0).mean() - 0.6), 0.06)
        self.assertTrue((self.run_all(y)[0] == 1).all())
        with self.assertRaisesRegex(ValueError, "`rate` is 1.5"):
            tf.nn.dropout(x, rate=1.5)


class Losses(InGraph):
    def test_weights_must_fit(self):
        with self.assertRaisesRegex(ValueError, "broadcast"):
            tf.losses.mean_squared_error(tf.ones([2, 3]), tf.ones([2, 3]), weights=tf.ones([2, 2]))
        with self.assertRaises(ValueError):
            tf.losses.mean_squared_error(tf.ones([2, 3]), tf.ones([3, 2]))

    def test_old_orders(self):
        logits, labels = tf.constant([[1.0, 2.0]]), tf.constant([[0.0, 1.0]])
        old = tf.nn.softmax_cross_entropy_with_logits(logits, labels)
        new = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(logits, tf.constant([1]))
        single = tf.nn.sigmoid_cross_entropy_with_logits(logits, labels)
        named = tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, targets=labels)
        old, new, sparse, single, named = self.run_all(old, new, sparse, single, named)
        np.testing.assert_allclose([old[0], new[0], sparse[0]], np.log1p(np.exp(-1.0)), rtol=1e-6)
        np.testing.assert_allclose(single, named)
        with self.assertRaises(ValueError):
            tf.nn.softmax_cross_entropy_with_logits(logits)

    def test_metrics_over_steps(self):
        labels, guesses = tf.placeholder(tf.int64, [2]), tf.placeholder(tf.int64, [2])
        value, update = tf.metrics.accuracy(labels, guesses)
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            sess.run(update, {labels: [1, 2], guesses: [1, 0]})
            sess.run(update, {labels: [1, 2], guesses: [1, 2]})
            self.assertEqual(sess.run(value), 0.75)


class Cells(InGraph):
    def weights(self, *shapes):
        rng = np.random.RandomState(3)
        return [rng.normal(size=shape).astype(np.float32) for shape in shapes]

    def load(self, sess, values):
        for variable, value in zip(tf.trainable_variables(), values):
            variable.load(value, sess)

    def test_lstm(self):
        x, c, h, kernel, bias = self.weights((2, 3), (2, 4), (2, 4), (7, 16), (16,))
        cell = tf.nn.rnn_cell.BasicLSTMCell(4)
        output, state = cell(tf.constant(x), tf.nn.rnn_cell.LSTMStateTuple(tf.constant(c), tf.constant(h)))
        with tf.Session() as sess:
            self.load(sess, [kernel, bias])
            output, state = sess.run([output, state])
        i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, axis=1)
        new_c = c * sigmoid(f + 1.0) + sigmoid(i) * np.tanh(j)
        np.testing.assert_allclose(state.c, new_c, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(output, np.tanh(new_c) * sigmoid(o), rtol=1e-4, atol=1e-5)

    def test_a_cell_of_ones_own_in_a_loop(self):
        class Sum(tf.nn.rnn_cell.RNNCell):
            state_size = output_size = 2

            def call(self, inputs, state):
                w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
                total = state + w * inputs
                return total, total

        x = tf.ones([1, 3, 2])
        outputs, state = tf.nn.dynamic_rnn(Sum(), x, dtype=tf.float32)
        self.assertEqual([v.op.name for v in tf.global_variables()], ["rnn/sum/w"])
        outputs, state = self.run_all(outputs, state)
        self.assertEqual(outputs[0, :, 0].tolist(), [2, 4, 6])

    def test_training_learns(self):
        rng = np.random.RandomState(0)
        data = rng.randint(0, 2, (32, 6)).astype(np.float32)
        x = tf.constant(data[:, :, None])
        y = tf.constant(data.sum(1, keepdims=True))
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(8), tf.nn.rnn_cell.BasicLSTMCell(8)])
        tf.set_random_seed(1)
        outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        loss = tf.losses.mean_squared_error(y, tf.layers.dense(outputs[:, -1], 1))
        step = tf.train.AdamOptimizer(0.05).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run([loss, step])[0] for _ in range(40)]
        self.assertLess(losses[-1], losses[0] / 10)

    def test_raw_rnn(self):
        x = tf.reshape(tf.range(6.0), [3, 1, 2])
        array = tf.TensorArray(tf.float32, size=3).unstack(x)
        cell = tf.nn.rnn_cell.BasicRNNCell(2)

        def loop(time, output, state, loop_state):
            ended = time >= [3]
            following = tf.cond(tf.reduce_all(ended), lambda: tf.zeros([1, 2]), lambda: array.read(time))
            return ended, following, cell.zero_state(1, tf.float32) if output is None else state, output, None

        with tf.variable_scope("raw", initializer=tf.constant_initializer(0.1)):
            written, final, _ = tf.nn.raw_rnn(cell, loop)
        stacked = written.stack()
        with tf.variable_scope("raw", initializer=tf.constant_initializer(0.1)):
            expected, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(2), x, dtype=tf.float32, time_major=True, scope="other")
        stacked, expected = self.run_all(stacked, expected)
        np.testing.assert_allclose(stacked, expected, rtol=1e-5)

    def test_bad_use(self):
        with self.assertRaisesRegex(ValueError, "dtype"):
            tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), tf.ones([2, 5, 3]))
        with self.assertRaises(TypeError):
            tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(4), tf.ones([2, 5, 3]), dtype=tf.float32)
        with self.assertRaises(ValueError):
            tf.nn.rnn_cell.MultiRNNCell([])


class Slim(InGraph):
    def test_arguments_within_a_scope(self):
        slim = tf.contrib.slim
        with slim.arg_scope([slim.fully_connected], activation_fn=None, weights_initializer=tf.ones_initializer()):
            with slim.arg_scope([slim.fully_connected], biases_initializer=tf.constant_initializer(-10.0)) as scope:
                y = slim.fully_connected(tf.ones([1, 2]), 3, scope="a")
            z = slim.fully_connected(tf.ones([1, 2]), 3, scope="b")
        with slim.arg_scope(scope):
            w = slim.fully_connected(tf.ones([1, 2]), 3, scope="c", activation_fn=tf.nn.relu)
        np.testing.assert_array_equal(self.run_all(y, z, w), [[[-8] * 3], [[2] * 3], [[0] * 3]])
        with self.assertRaisesRegex(ValueError, "add_arg_scope"):
            with slim.arg_scope([len], x=1):
                pass

    def test_a_network(self):
        slim = tf.contrib.slim
        tf.set_random_seed(1)
        x = tf.ones([2, 8, 8, 3])
        with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, weights_regularizer=slim.l2_regularizer(0.5)):
            h = slim.conv2d(x, 4, [3, 3], scope="conv1")
            h = slim.repeat(h, 2, slim.conv2d, 4, 3, scope="conv2")
        h = slim.flatten(slim.max_pool2d(h, 2))
        logits = slim.fully_connected(slim.dropout(h, 0.5), 3, activation_fn=None, scope="logits")
        names = [v.op.name for v in slim.get_model_variables()]
        self.assertIn("conv2/conv2_2/BatchNorm/moving_mean", names)
        self.assertIn("logits/biases", names)
        self.assertNotIn("conv1/biases", names)
        self.assertEqual(len(tf.losses.get_regularization_losses()), 3)
        slim.losses.softmax_cross_entropy(logits, tf.one_hot([0, 1], 3))
        train = slim.learning.create_train_op(slim.losses.get_total_loss(), tf.train.GradientDescentOptimizer(0.1))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run(train) for _ in range(5)]
            self.assertEqual(sess.run(tf.train.get_global_step()), 5)
            self.assertNotEqual(abs(sess.run("conv1/BatchNorm/moving_mean:0")).sum(), 0)
        self.assertLess(losses[-1], losses[0])

    def test_optimize_loss(self):
        w = tf.get_variable("w", initializer=[3.0, 4.0])
        step = tf.contrib.framework.get_or_create_global_step()
        train = tf.contrib.layers.optimize_loss(
            tf.reduce_sum(w * w) / 2, step, 0.1, "SGD", clip_gradients=1.0, summaries=["loss"]
        )
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            # The gradient (3, 4) has length 5, so that it is divided by 5.
            np.testing.assert_allclose(sess.run(w), [2.94, 3.92], rtol=1e-6)
            self.assertEqual(sess.run(step), 1)

    def test_what_is_not_here_says_what_to_use(self):
        for ask, word in (
            (lambda: tf.keras.Sequential, "tf.layers"), (lambda: tf.estimator.Estimator, "MonitoredTrainingSession"),
            (lambda: tf.feature_column.numeric_column, "parse_example"), (lambda: tf.contrib.learn.Estimator, "Monitored"),
            (lambda: tf.contrib.seq2seq.BasicDecoder, "raw_rnn"), (lambda: tf.contrib.cudnn_rnn, "dynamic_rnn"),
        ):
            with self.assertRaisesRegex(AttributeError, word):
                ask()
        self.assertFalse(hasattr(tf.keras, "layers"))


if __name__ == "__main__":
    unittest.main()
