"""Modules of the models of TensorFlow 0.x's own tree: they read their files, and what they build learns."""

import os
import random
import tempfile
import unittest

import numpy as np

import tensorfleet
import tensorfleet.v1 as tf


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tensorfleet.install_alias()

    @classmethod
    def tearDownClass(cls):
        tensorfleet.remove_alias()

    def setUp(self):
        tf.reset_default_graph()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def test_words_of_a_text(self):
        from tensorflow.models.rnn.ptb import reader

        for part, text in (("train", b"a b a c\nb a\n"), ("valid", b"a d b\n"), ("test", b"c\n")):
            self.write(f"ptb.{part}.txt", text)
        # By how often: a (3), then <eos> and b (2 each), then c.
        train, valid, test, size = reader.ptb_raw_data(self.folder)
        self.assertEqual((train, valid, test, size), ([0, 2, 0, 3, 1, 2, 0, 1], [0, 2, 1], [3, 1], 4))
        with self.assertRaisesRegex(ValueError, "too few"):
            next(reader.ptb_iterator([1, 2, 3], 2, 2))

    def test_sentences_become_numbers(self):
        from tensorflow.models.rnn.translate import data_utils

        with self.assertRaisesRegex(FileNotFoundError, "giga-fren.release2.en is missing"):
            data_utils.prepare_wmt_data(self.folder, 8, 8)
        for text in ("giga-fren.release2", "newstest2013"):
            self.write(f"{text}.en", b"the dog sees 12 dogs.\nthe end.\n")
            self.write(f"{text}.fr", b"le chien.\n")
        paths = data_utils.prepare_wmt_data(self.folder, 40, 40)
        vocabulary, words = data_utils.initialize_vocabulary(paths[4])
        self.assertEqual(words[:4], [b"_PAD", b"_GO", b"_EOS", b"_UNK"])
        self.assertIn(b"00", words)
        with open(paths[0]) as file:
            first = file.readline().split()
        self.assertEqual([words[int(number)] for number in first], [b"the", b"dog", b"sees", b"00", b"dogs", b"."])
        self.assertEqual(data_utils.sentence_to_token_ids("the cat", vocabulary), [vocabulary[b"the"], data_utils.UNK_ID])

    def test_a_small_translator_learns(self):
        from tensorflow.models.rnn.translate import seq2seq_model

        random.seed(1)
        tf.set_random_seed(1)
        model = seq2seq_model.Seq2SeqModel(9, 9, [(3, 4)], 8, 1, 5.0, 16, 0.5, 0.9, num_samples=5)
        data = [[([word, word], [word, 2]) for word in range(4, 9)]]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [model.step(sess, *model.get_batch(data, 0), 0, False)[1] for _ in range(60)]
            self.assertLess(np.mean(losses[-5:]), np.mean(losses[:5]) / 2)
            with self.assertRaisesRegex(ValueError, "encoder_inputs has 0 steps, but bucket 0 has 3"):
                model.step(sess, [], [], [], 0, False)

    def test_ten_kinds_of_images(self):
        from tensorflow.models.image.cifar10 import cifar10, cifar10_input

        folder = os.path.join(self.folder, "cifar-10-batches-bin")
        cifar10.FLAGS(["test"])
        cifar10.FLAGS.data_dir, cifar10.FLAGS.batch_size = self.folder, 4
        with self.assertRaisesRegex(FileNotFoundError, "cifar-10-binary.tar.gz is missing"):
            cifar10.maybe_download_and_extract()
        os.mkdir(folder)
        numbers = np.random.RandomState(0)
        for name in [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]:
            records = numbers.randint(0, 256, [8, 3073], np.uint8)
            records[:, 0] %= 10
            self.write(os.path.join("cifar-10-batches-bin", name), records.tobytes())
        many = cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN
        # The queue waits for a part of them.
        cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 20
        try:
            images, labels = cifar10.distorted_inputs()
        finally:
            cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = many
        tested, _ = cifar10.inputs(eval_data=True)
        self.assertEqual(tested.get_shape().as_list(), [4, 24, 24, 3])
        loss = cifar10.loss(cifar10.inference(images), labels)
        step = tf.Variable(0, trainable=False)
        train = cifar10.train(loss, step)
        names = {variable.op.name for variable in tf.trainable_variables()}
        self.assertLessEqual({"conv1/weights", "local3/biases", "softmax_linear/weights"}, names)
        with tf.train.MonitoredSession() as sess:
            _, value, _ = sess.run([train, loss, tested])
            self.assertTrue(np.isfinite(value))
            self.assertEqual(sess.run(step), 1)

    def test_pairs_of_words(self):
        from tensorflow.models.embedding import gen_word2vec

        self.write("text", b"one two three four five six " * 20)
        words, counts, total, _, _, examples, labels = gen_word2vec.skipgram(
            filename=os.path.join(self.folder, "text"), batch_size=8, window_size=2, min_count=1, subsample=0.0)
        with tf.Session() as sess:
            words, counts, total = sess.run([words, counts, total])
            self.assertEqual((len(words), counts.sum(), total), (7, 120, 120))
        w_in, w_out = (tf.Variable(tf.ones([7, 3]) * 0.1) for _ in range(2))
        train = gen_word2vec.neg_train(w_in, w_out, examples, labels, 0.5, vocab_count=counts.tolist(), num_negative_samples=2)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            before = sess.run(w_in)
            sess.run(train)
            self.assertFalse(np.array_equal(sess.run(w_in), before))


if __name__ == "__main__":
    unittest.main()
