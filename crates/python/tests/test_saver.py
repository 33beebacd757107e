"""Savers, checkpoints and meta graphs."""

import os
import shutil
import tempfile
import unittest

import numpy as np
import tensorfleet.v1 as tf


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="tensorfleet-saver-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)


class Savers(InFolder):
    def test_save_and_restore(self) -> None:
        for options in ({}, {"sharded": True}):
            with self.subTest(**options), tf.Graph().as_default(), tf.Session() as sess:
                a = tf.Variable([1.0, 2.0], name="a")
                b = tf.get_variable("b", [], tf.int64, initializer=tf.zeros_initializer(), use_resource=True)
                step = tf.train.get_or_create_global_step()
                saver = tf.train.Saver(**options)
                sess.run(tf.global_variables_initializer())
                sess.run([a.assign([3.0, 4.0]), b.assign(7), step.assign(12)])
                path = saver.save(sess, self.path("model.ckpt"), global_step=step)
                self.assertEqual(path, self.path("model.ckpt-12"))
                sess.run(tf.global_variables_initializer())
                saver.restore(sess, path)
                self.assertEqual(sess.run(a).tolist(), [3.0, 4.0])
                self.assertEqual(sess.run([b, step]), [7, 12])

    def test_names(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
            sess.run(tf.global_variables_initializer())
            path = tf.train.Saver({"x": a}).save(sess, self.path("m"))
            tf.train.Saver({"x": b}).restore(sess, path)
            self.assertEqual(sess.run(b), 1.0)
            self.assertEqual(tf.train.list_variables(path), [("x", [])])
            with self.assertRaisesRegex(tf.errors.NotFoundError, "Restoring from checkpoint failed"):
                tf.train.Saver([a]).restore(sess, path)

    def test_what_is_kept(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable(1.0, name="a").initializer.run()
            saver = tf.train.Saver(max_to_keep=2)
            for step in range(4):
                saver.save(sess, self.path("m"), global_step=step)
            self.assertEqual(saver.last_checkpoints, [self.path("m-2"), self.path("m-3")])
            self.assertEqual(tf.train.latest_checkpoint(self.folder), self.path("m-3"))
            state = tf.train.get_checkpoint_state(self.folder)
            self.assertEqual(list(state.all_model_checkpoint_paths), saver.last_checkpoints)
            self.assertFalse(tf.train.checkpoint_exists(self.path("m-1")))
            self.assertFalse(os.path.exists(self.path("m-1.meta")))
            again = tf.train.Saver(max_to_keep=2)
            again.recover_last_checkpoints(list(state.all_model_checkpoint_paths) + [self.path("gone")])
            again.save(sess, self.path("m"), global_step=9)
            self.assertEqual(again.last_checkpoints, [self.path("m-3"), self.path("m-9")])

    def test_forms_of_paths(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable(1.0, name="a").initializer.run()
            saver = tf.train.Saver(pad_step_number=True, save_relative_paths=True)
            self.assertEqual(saver.save(sess, self.path("m"), global_step=5, write_meta_graph=False), self.path("m-00000005"))
            self.assertFalse(os.path.exists(self.path("m-00000005.meta")))
            with open(self.path("checkpoint")) as stream:
                self.assertIn('model_checkpoint_path: "m-00000005"', stream.read())
            moved = self.folder + "-moved"
            shutil.copytree(self.folder, moved)
            self.addCleanup(shutil.rmtree, moved)
            self.assertEqual(tf.train.latest_checkpoint(moved), os.path.join(moved, "m-00000005"))
            os.remove(self.path("checkpoint"))
            saver.save(sess, self.path("n"), write_state=False)
            self.assertIsNone(tf.train.latest_checkpoint(self.folder))

    def test_other_shapes(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable([1.0, 2.0, 3.0, 4.0], name="a").initializer.run()
            path = tf.train.Saver().save(sess, self.path("m"))
        with tf.Graph().as_default(), tf.Session() as sess:
            a = tf.Variable(tf.zeros([2, 2]), name="a")
            with self.assertRaises(tf.errors.InvalidArgumentError):
                tf.train.Saver().restore(sess, path)
            tf.train.Saver(reshape=True).restore(sess, path)
            self.assertEqual(sess.run(a).tolist(), [[1, 2], [3, 4]])

    def test_mistakes(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            with self.assertRaisesRegex(ValueError, "No variables to save"):
                tf.train.Saver()
            empty = tf.train.Saver(allow_empty=True)
            self.assertIsNone(empty.save(sess, self.path("empty")))
            a = tf.Variable(1.0, name="a")
            with self.assertRaisesRegex(ValueError, "not a valid checkpoint"):
                tf.train.Saver().restore(sess, self.path("nothing"))
            with self.assertRaisesRegex(ValueError, "save_path is None"):
                tf.train.Saver().restore(sess, None)
            with self.assertRaises(TypeError):
                tf.train.Saver([tf.constant(1.0)])
            with self.assertRaisesRegex(ValueError, "same name"):
                tf.train.Saver([a, a])
            with self.assertRaises(tf.errors.FailedPreconditionError):
                tf.train.Saver().save(sess, self.path("m"))
            later = tf.train.Saver(defer_build=True)
            with self.assertRaisesRegex(RuntimeError, "build"):
                later.save(sess, self.path("m"))
            later.build()
            sess.run(a.initializer)
            later.save(sess, self.path("m"))


class Readers(InFolder):
    def test_reading_without_a_graph(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable([[1.0, 2.0]], name="layer/w").initializer.run()
            path = tf.train.Saver().save(sess, self.path("m"))
        reader = tf.train.NewCheckpointReader(path)
        self.assertTrue(reader.has_tensor("layer/w"))
        self.assertEqual(reader.get_variable_to_shape_map(), {"layer/w": [1, 2]})
        self.assertEqual(reader.get_variable_to_dtype_map(), {"layer/w": tf.float32})
        np.testing.assert_array_equal(reader.get_tensor("layer/w"), [[1, 2]])
        np.testing.assert_array_equal(tf.train.load_variable(self.folder, "layer/w"), [[1, 2]])
        with self.assertRaises(tf.errors.NotFoundError):
            reader.get_tensor("other")
        with self.assertRaises(tf.errors.NotFoundError):
            tf.train.NewCheckpointReader(self.path("nothing"))

    def test_variables_that_begin_with_a_checkpoint(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable([1.0, 2.0], name="old/w").initializer.run()
            path = tf.train.Saver().save(sess, self.path("m"))
        for use_resource in (False, True):
            with tf.Graph().as_default(), tf.Session() as sess:
                with tf.variable_scope("new", use_resource=use_resource):
                    w = tf.get_variable("w", [2])
                tf.train.init_from_checkpoint(path, {"old/": "new/"})
                sess.run(tf.global_variables_initializer())
                self.assertEqual(sess.run(w).tolist(), [1.0, 2.0])
                with self.assertRaisesRegex(ValueError, "not found"):
                    tf.train.init_from_checkpoint(path, {"nothing": w})


class MetaGraphs(InFolder):
    def save(self) -> str:
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [None], name="x")
            w = tf.Variable(3.0, name="w")
            y = tf.multiply(x, w, name="y")
            tf.add_to_collection("outputs", y)
            tf.add_to_collection("numbers", 7)
            tf.add_to_collection("words", "seven")
            tf.train.range_input_producer(3, num_epochs=1)
            tf.train.AdamOptimizer().minimize(tf.reduce_sum(y))
            sess.run(tf.global_variables_initializer())
            return tf.train.Saver().save(sess, self.path("m"))

    def test_import(self) -> None:
        path = self.save()
        with tf.Graph().as_default(), tf.Session() as sess:
            saver = tf.train.import_meta_graph(path + ".meta")
            saver.restore(sess, path)
            [y] = tf.get_collection("outputs")
            self.assertEqual(sess.run(y, {"x:0": [1.0, 2.0]}).tolist(), [3.0, 6.0])
            self.assertEqual(tf.get_collection("numbers"), [7])
            self.assertEqual(tf.get_collection("words"), [b"seven"])
            self.assertEqual([v.op.name for v in tf.trainable_variables()], ["w"])
            self.assertEqual(len(tf.global_variables()), 5)
            self.assertEqual(len(tf.get_collection("queue_runners")), 1)
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            coord.join(threads)
            # What was imported can be trained further, and saved again.
            w = tf.trainable_variables()[0]
            train = tf.train.GradientDescentOptimizer(1.0).minimize(w * w)
            sess.run(train)
            self.assertEqual(sess.run(w), -3.0)
            tf.train.Saver().save(sess, self.path("again"))

    def test_import_under_a_scope(self) -> None:
        path = self.save()
        with tf.Graph().as_default(), tf.Session() as sess:
            saver = tf.train.import_meta_graph(path + ".meta", import_scope="old", clear_devices=True)
            saver.restore(sess, path)
            self.assertEqual(sess.run("old/w:0"), 3.0)
            self.assertEqual([v.op.name for v in tf.trainable_variables()], ["old/w"])

    def test_export(self) -> None:
        with tf.Graph().as_default():
            tf.Variable(1.0, name="w")
            meta = tf.train.export_meta_graph(self.path("text.meta"), as_text=True)
            self.assertEqual(sorted(meta.collection_def), ["trainable_variables", "variables"])
        with tf.Graph().as_default():
            self.assertIsNotNone(tf.train.import_meta_graph(self.path("text.meta")))
            self.assertEqual([v.op.name for v in tf.global_variables()], ["w"])
        with tf.Graph().as_default():
            tf.train.import_meta_graph(meta)
        with self.assertRaises(OSError):
            tf.train.import_meta_graph(self.path("nothing.meta"))

    def test_write_graph(self) -> None:
        with tf.Graph().as_default() as graph:
            tf.constant(1, name="one")
            path = tf.train.write_graph(graph, self.folder, "graph.pbtxt")
            with open(path) as stream:
                self.assertIn('name: "one"', stream.read())
            binary = tf.train.write_graph(graph.as_graph_def(), self.folder, "graph.pb", as_text=False)
            with open(binary, "rb") as stream:
                self.assertEqual(tf.GraphDef.FromString(stream.read()).node[0].name, "one")


class FirstFormat(unittest.TestCase):
    def test_written_and_read(self) -> None:
        """Checkpoints as TensorFlow wrote them before 1.0, where the runtime has the op; else those of today."""
        from tensorfleet._framework.apply import definitions

        with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.Session() as sess:
            v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(7, name="w")
            saver = tf.train.Saver(write_version=tf.train.SaverDef.V1, max_to_keep=1)
            sess.run(tf.global_variables_initializer())
            saver.save(sess, os.path.join(folder, "old"), global_step=1)
            sess.run([v.assign([0.0, 0.0]), w.assign(0)])
            path = saver.save(sess, os.path.join(folder, "old"), global_step=2)
            if "SaveSlices" in definitions():
                self.assertEqual(sorted(os.listdir(folder)), ["checkpoint", "old-2", "old-2.meta"])
            self.assertEqual(tf.train.latest_checkpoint(folder), path)
            self.assertEqual(dict(tf.train.list_variables(path)), {"v": [2], "w": []})
            sess.run([v.assign([5.0, 5.0]), w.assign(5)])
            saver.restore(sess, path)
            self.assertEqual((sess.run(v).tolist(), sess.run(w)), ([0.0, 0.0], 0))


if __name__ == "__main__":
    unittest.main()
