"""Decoders that look back, step by step."""

import unittest

import numpy as np

import tensorfleet.v1 as tf


class Attention(unittest.TestCase):
    def setUp(self) -> None:
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        tf.set_random_seed(1)

    def model(self, own):
        """Three symbols are read and two written, one example a row."""
        read = [tf.placeholder(tf.int32, [None]) for _ in range(3)]
        written = [tf.placeholder(tf.int32, [None]) for _ in range(2)]
        cell = tf.nn.rnn_cell.GRUCell(8)
        outputs, state = tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(
            read, written, cell, num_encoder_symbols=5, num_decoder_symbols=4, embedding_size=6, feed_previous=own)
        return read, written, outputs, state

    def feeds(self, read, written):
        return {symbols: np.arange(2) + i % 3 for i, symbols in enumerate([*read, *written])}

    def test_shapes_and_variables(self) -> None:
        read, written, outputs, state = self.model(False)
        names = {variable.op.name for variable in tf.trainable_variables()}
        self.assertIn("embedding_attention_seq2seq/embedding_attention_decoder/attention_decoder/AttnW_0", names)
        self.assertIn("embedding_attention_seq2seq/rnn/embedding_wrapper/embedding", names)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values, last = sess.run([outputs, state], self.feeds(read, written))
        self.assertEqual([value.shape for value in values], [(2, 4), (2, 4)])
        self.assertEqual(last.shape, (2, 8))

    def test_a_decoder_that_reads_what_it_wrote(self) -> None:
        """Whether it does is chosen when it runs; its first step does not depend on it."""
        own = tf.placeholder(tf.bool, [])
        read, written, outputs, _ = self.model(own)
        feeds = self.feeds(read, written)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            told = sess.run(outputs, {**feeds, own: False})
            free = sess.run(outputs, {**feeds, own: True})
            # What was written first, given as the next input, gives the same as reading it by itself.
            same = sess.run(outputs, {**feeds, own: False, written[1]: free[0].argmax(1)})
        np.testing.assert_allclose(told[0], free[0], rtol=1e-6)
        np.testing.assert_allclose(same[1], free[1], rtol=1e-6)

    def test_a_loss_that_becomes_smaller(self) -> None:
        read = [tf.placeholder(tf.int32, [None]) for _ in range(2)]
        written = [tf.placeholder(tf.int32, [None]) for _ in range(3)]
        weights = [tf.ones([2]) for _ in written]
        cell = tf.nn.rnn_cell.GRUCell(8)
        outputs, losses = tf.contrib.legacy_seq2seq.model_with_buckets(
            read, written, written, weights, [(1, 2), (2, 3)],
            lambda x, y: tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(x, y, cell, 5, 6, 4))
        self.assertEqual([len(made) for made in outputs], [2, 3])
        train = tf.train.AdamOptimizer(0.05).minimize(losses[1])
        feeds = {symbols: [1, 2] for symbols in read} | {symbols: [i, i + 1] for i, symbols in enumerate(written)}
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            before = sess.run(losses, feeds)
            for _ in range(30):
                sess.run(train, feeds)
            after = sess.run(losses, feeds)
        self.assertLess(after[0], before[0])
        self.assertLess(after[1], before[1] / 2)

    def test_mistakes(self) -> None:
        with self.assertRaisesRegex(ValueError, "at least one input"):
            tf.contrib.legacy_seq2seq.attention_decoder([], None, tf.zeros([1, 2, 3]), None)
        with self.assertRaisesRegex(ValueError, "largest bucket needs 4"):
            tf.contrib.legacy_seq2seq.model_with_buckets([0], [0], [0], [0], [(4, 4)], None)


if __name__ == "__main__":
    unittest.main()
