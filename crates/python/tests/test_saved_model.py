"""Saved models, written and read."""

import os
import shutil
import tempfile
import unittest

import tensorfleet.v1 as tf


class SavedModels(unittest.TestCase):
    def setUp(self) -> None:
        self.root = tempfile.mkdtemp(prefix="tensorfleet-saved-model-")
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.folder = os.path.join(self.root, "model")

    def write(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [None], name="x")
            w = tf.Variable(3.0, name="w")
            y = tf.multiply(x, w, name="y")
            sess.run(w.initializer)
            tf.saved_model.simple_save(sess, self.folder, {"x": x}, {"y": y})

    def test_round_trip(self) -> None:
        self.write()
        self.assertTrue(tf.saved_model.loader.maybe_saved_model_directory(self.folder))
        with tf.Graph().as_default(), tf.Session() as sess:
            meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], self.folder)
            signature = meta.signature_def["serving_default"]
            self.assertEqual(signature.method_name, "tensorflow/serving/predict")
            x, y = signature.inputs["x"].name, signature.outputs["y"].name
            self.assertEqual(sess.run(y, {x: [1.0, 2.0]}).tolist(), [3.0, 6.0])
            info = tf.saved_model.utils.get_tensor_from_tensor_info(signature.outputs["y"])
            self.assertEqual(info.shape.as_list(), [None])
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.saved_model.load(sess, ["serve"], self.folder, import_scope="old")
            self.assertEqual(sess.run("old/y:0", {"old/x:0": [2.0]}).tolist(), [6.0])

    def test_assets_and_several_graphs(self) -> None:
        path = os.path.join(self.root, "words.txt")
        with open(path, "w") as stream:
            stream.write("hello")
        with tf.Graph().as_default(), tf.Session() as sess:
            name = tf.constant(path, name="name")
            content = tf.Variable("", name="content")
            sess.run(content.initializer)
            builder = tf.saved_model.builder.SavedModelBuilder(self.folder)
            builder.add_meta_graph_and_variables(
                sess, ["serve"], assets_collection=[name], main_op=tf.group(content.assign(tf.read_file(name))))
            builder.add_meta_graph(["train"])
            builder.save(as_text=True)
        os.remove(path)
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.saved_model.load(sess, ["serve"], self.folder)
            self.assertEqual(sess.run("content:0"), b"hello")
        with tf.Graph().as_default(), tf.Session() as sess:
            with self.assertRaisesRegex(RuntimeError, "could not be found"):
                tf.saved_model.load(sess, ["gpu"], self.folder)

    def test_mistakes(self) -> None:
        self.write()
        with self.assertRaises(AssertionError):
            tf.saved_model.builder.SavedModelBuilder(self.folder)
        with tf.Graph().as_default(), tf.Session() as sess, self.assertRaises(OSError):
            tf.saved_model.load(sess, ["serve"], self.root)
        with self.assertRaises(AssertionError):
            tf.saved_model.builder.SavedModelBuilder(os.path.join(self.root, "new")).add_meta_graph(["serve"])


if __name__ == "__main__":
    unittest.main()
