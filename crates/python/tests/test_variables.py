"""Variable scopes, sharing, partitioned variables and initializers."""

import threading
import unittest

import numpy as np

import tensorfleet.v1 as tf


class Scopes(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)

    def test_names_nest_and_scopes_are_entered_again(self):
        with tf.variable_scope("a") as a:
            with tf.variable_scope("b"):
                self.assertEqual(tf.get_variable("w", [1]).name, "a/b/w:0")
            self.assertEqual(tf.get_variable_scope().name, "a")
        with tf.variable_scope("other"), tf.variable_scope(a):
            self.assertEqual(tf.get_variable("late", [1]).name, "a/late:0")
            self.assertEqual(tf.get_variable_scope().original_name_scope, "a/")
        self.assertEqual(tf.get_variable_scope().name, "")

    def test_default_names_are_unique(self):
        names = []
        for _ in range(3):
            with tf.variable_scope(None, default_name="layer"):
                names.append(tf.get_variable("w", [1]).op.name)
        self.assertEqual(names, ["layer/w", "layer_1/w", "layer_2/w"])

    def test_sharing(self):
        with tf.variable_scope("s") as scope:
            w = tf.get_variable("w", [2])
            with self.assertRaisesRegex(ValueError, "Variable s/w already exists.*test_variables.py"):
                tf.get_variable("w", [2])
            scope.reuse_variables()
            self.assertIs(tf.get_variable("w", [2]), w)
            with self.assertRaisesRegex(ValueError, r"s/w is shared.*shape: \(3,\) is asked for, it has \(2,\)"):
                tf.get_variable("w", [3])
            with self.assertRaisesRegex(ValueError, "dtype: int32 is asked for, it has float32"):
                tf.get_variable("w", [2], tf.int32)
            with self.assertRaisesRegex(ValueError, "Variable s/none does not exist"):
                tf.get_variable("none", [2])
        for _ in range(2):
            with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
                self.assertIs(tf.get_variable("w", [2]), w)
                made = tf.get_variable("x", [2])
        self.assertEqual([v.op.name for v in tf.global_variables()], ["s/w", "s/x"])
        self.assertIs(made, tf.global_variables()[1])
        with tf.variable_scope("s", reuse=True), tf.variable_scope("inner"):
            self.assertTrue(tf.get_variable_scope().reuse)

    def test_a_scope_leaves_when_its_block_fails(self):
        with self.assertRaises(ZeroDivisionError):
            with tf.variable_scope("a"):
                1 / 0
        self.assertEqual(tf.get_variable_scope().name, "")
        self.assertEqual(tf.constant(1.0, name="c").op.name, "c")

    def test_settings_are_inherited(self):
        penalty = lambda w: tf.reduce_sum(w)  # noqa: E731
        with tf.variable_scope("a", initializer=tf.constant_initializer(3.0), regularizer=penalty, dtype=tf.float64):
            with tf.variable_scope("b"):
                w = tf.get_variable("w", [2])
                tf.get_variable("free", [2], regularizer=tf.no_regularizer)
        self.assertEqual(w.dtype.base_dtype, tf.float64)
        self.assertEqual(len(tf.losses.get_regularization_losses()), 1)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            self.assertEqual(sess.run(w).tolist(), [3.0, 3.0])
            self.assertEqual(sess.run(tf.losses.get_regularization_losses()), [6.0])

    def test_getters_nest(self):
        asked = []

        def getter(label):
            def get(getter, name, *args, **kwargs):
                asked.append((label, name))
                return getter(name, *args, **kwargs)

            return get

        with tf.variable_scope("a", custom_getter=getter("outer")), tf.variable_scope("b", custom_getter=getter("inner")):
            tf.get_variable("w", [1])
        self.assertEqual(asked, [("inner", "a/b/w"), ("outer", "a/b/w")])

    def test_bad_requests(self):
        with self.assertRaisesRegex(ValueError, "must be fully defined"):
            tf.get_variable("w", [None, 2])
        with self.assertRaisesRegex(ValueError, "do not specify shape"):
            tf.get_variable("w", [2], initializer=tf.constant([1.0, 2.0]))
        with self.assertRaisesRegex(ValueError, "required"):
            tf.get_variable("w", [2], tf.string)
        with self.assertRaises(TypeError):
            tf.variable_scope(None)
        with self.assertRaisesRegex(ValueError, "reuse"):
            tf.variable_scope("a", reuse="yes")
        with self.assertRaises(ValueError):
            tf.variable_scope(None, "a", reuse=True)
        # The graph stays of use.
        tf.get_variable("w", [2])

    def test_threads_have_their_own_scopes(self):
        graph, names = tf.get_default_graph(), []

        def build():
            with graph.as_default(), tf.variable_scope("thread"):
                names.append(tf.get_variable("w", [1]).op.name)

        with tf.variable_scope("main"):
            thread = threading.Thread(target=build)
            thread.start()
            thread.join(30)
        self.assertEqual(names, ["thread/w"])

    def test_lists(self):
        a = tf.Variable(1.0, name="a")
        b = tf.Variable(1.0, trainable=False, name="scope/b")
        c = tf.get_local_variable("c", [1])
        self.assertEqual(tf.global_variables(), [a, b])
        self.assertEqual(tf.trainable_variables(), [a])
        self.assertEqual(tf.local_variables(), [c])
        self.assertEqual(tf.global_variables(scope="scope/"), [b])
        with tf.Session() as sess:
            self.assertEqual(sorted(sess.run(tf.report_uninitialized_variables())), [b"a", b"c", b"scope/b"])
            sess.run([tf.initialize_all_variables(), tf.local_variables_initializer()])
            self.assertEqual(sess.run(tf.report_uninitialized_variables()).size, 0)
            sess.run(tf.assert_variables_initialized())

    def test_parts(self):
        rows = tf.constant_initializer(np.arange(2.0))
        with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(3)):
            w = tf.get_variable("w", [5, 2], initializer=rows)
            self.assertEqual([part.op.name for part in w], ["p/w/part_0", "p/w/part_1", "p/w/part_2"])
            self.assertEqual([part.shape.as_list() for part in w], [[2, 2], [2, 2], [1, 2]])
            tf.get_variable_scope().reuse_variables()
            self.assertIs(tf.get_variable("w", [5, 2]), w)
        info = list(w)[2]._get_save_slice_info()
        self.assertEqual((info.full_name, info.full_shape, info.var_offset), ("p/w", [5, 2], [4, 0]))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            self.assertEqual(sess.run(tf.convert_to_tensor(w)).shape, (5, 2))
            sess.run(w.assign(np.arange(10.0).reshape(5, 2)))
            self.assertEqual(sess.run(tf.nn.embedding_lookup(list(w), [4, 0], "div")).tolist(), [[8.0, 9.0], [0.0, 1.0]])
        shape = tf.TensorShape([100, 10])
        self.assertEqual(tf.variable_axis_size_partitioner(400)(shape=shape, dtype=tf.float32), [10, 1])
        self.assertEqual(tf.min_max_variable_partitioner(8, min_slice_size=1000)(shape=shape, dtype=tf.float32), [4, 1])

    def test_initializers(self):
        tf.set_random_seed(1)
        shape = [200, 50]
        made = {
            "zeros": tf.get_variable("zeros", shape, initializer=tf.zeros_initializer),
            "old": tf.get_variable("old", shape, initializer=tf.ones_initializer),
            "uniform": tf.get_variable("uniform", shape, initializer=tf.random_uniform_initializer(-2, 2)),
            "truncated": tf.get_variable("truncated", shape, initializer=tf.truncated_normal_initializer(stddev=0.5)),
            "glorot": tf.get_variable("glorot", shape),
            "orthogonal": tf.get_variable("orthogonal", shape, initializer=tf.orthogonal_initializer(2.0)),
            "function": tf.get_variable("function", shape, initializer=lambda shape, dtype, partition_info: tf.fill(shape, 7.0)),
        }
        self.assertEqual(tf.zeros_initializer([2, 3], tf.int32).shape.as_list(), [2, 3])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values = {key: sess.run(variable) for key, variable in made.items()}
        self.assertTrue((values["zeros"] == 0).all() and (values["old"] == 1).all() and (values["function"] == 7).all())
        self.assertLess(abs(values["uniform"].std() - 4 / np.sqrt(12)), 0.05)
        self.assertLessEqual(np.abs(values["truncated"]).max(), 1.0)
        self.assertLessEqual(np.abs(values["glorot"]).max(), np.sqrt(6 / 250))
        np.testing.assert_allclose(values["orthogonal"].T @ values["orthogonal"], 4 * np.eye(50), atol=1e-4)


if __name__ == "__main__":
    unittest.main()
