"""The names that programs use are there: all of tiers S and A, and of B and C what docs/python.md does not leave out."""

import importlib
import unittest
from pathlib import Path

import tensorfleet
import tensorfleet.v1 as tf

NAMES = Path(__file__).with_name("names.tsv")

# What is refused by name, with the reason in its error and in docs/python.md. A name stands for what is in it.
LEFT_OUT = (
    "tf.estimator", "tf.keras", "tf.feature_column", "tf.contrib.learn", "tf.contrib.keras", "tf.contrib.distribute",
    "tf.contrib.tpu", "tf.contrib.eager", "tf.contrib.estimator", "Estimator", "Experiment",
    # Columns of features, under their older names.
    "tf.contrib.layers.bucketized_column", "tf.contrib.layers.crossed_column", "tf.contrib.layers.embedding_column",
    "tf.contrib.layers.real_valued_column", "tf.contrib.layers.sparse_column_with_hash_bucket",
    "tf.contrib.layers.sparse_column_with_keys",
    # The runtime has no ops for them.
    "tf.contrib.boosted_trees", "tf.contrib.cudnn_rnn", "tf.contrib.factorization", "tf.contrib.tensor_forest",
    "tf.python.grappler",
)


def owners():
    """The classes whose methods the list names by the class alone."""
    from tensorfleet._framework import messages
    from tensorfleet._framework.tensor_shape import TensorShape

    train = tf.train
    with tf.Graph().as_default():
        # Some of its attributes are there once it has been used.
        sync = train.SyncReplicasOptimizer(train.GradientDescentOptimizer(0.1), 1)
        sync.minimize(tf.Variable(1.0) * 2.0, global_step=train.get_or_create_global_step())
    return {
        "Session": tf.Session, "Graph/Session": tf.Session, "Graph": tf.Graph, "Tensor": tf.Tensor, "Variable": tf.Variable,
        "Tensor/Variable": tf.Tensor, "TensorShape": TensorShape, "Optimizer": train.Optimizer, "Saver": train.Saver,
        "Server": train.Server, "Supervisor": train.Supervisor, "SyncReplicasOptimizer": sync,
        "Coordinator": train.Coordinator, "QueueRunner": train.QueueRunner, "Queue": tf.QueueBase, "Reader": tf.ReaderBase,
        "Dataset": tf.data.Dataset, "Iterator": tf.data.Iterator, "FileWriter": tf.summary.FileWriter,
        "ExponentialMovingAverage": train.ExponentialMovingAverage, "MonitoredSession": train.MonitoredSession,
        "VariableScope": tf.VariableScope, "RNNCell": tf.nn.rnn_cell.RNNCell, "TFRecordWriter": tf.python_io.TFRecordWriter,
        "CheckpointState": messages.CheckpointState, "ConfigProto": tf.ConfigProto, "Summary": tf.Summary,
        "proto": tf.ConfigProto, "ClusterSpec": train.ClusterSpec, "Operation": tf.Operation, "Event": tf.Event,
        "TensorArray": tf.TensorArray, "Iterator/Dataset": tf.data.Iterator, "RunMetadata": tf.RunMetadata,
        "DType": tf.DType, "GraphDef": tf.GraphDef, "Tensor/Operation": tf.Operation, "Scaffold": train.Scaffold, "SessionRunContext": train.SessionRunContext, "RunContext": train.SessionRunContext,
    }


def find(name, known):
    """What a name stands for; AttributeError if there is nothing."""
    if name.startswith("Tensor.__"):
        for method in name.partition(".")[2].split("/"):
            getattr(tf.Tensor, method)
        return tf.Tensor
    if name.startswith("mnist."):
        from tensorfleet.v1.examples.tutorials.mnist.input_data import DataSet

        for attribute in name.partition(".")[2].split("/"):
            getattr(DataSet, attribute)
        return DataSet
    first, *rest = name.split(".")
    value, path = tf if first == "tf" else known[first], "tensorflow"
    for part in rest:
        if isinstance(value, type) and hasattr(value, "SerializeToString") and not hasattr(value, part):
            value = value()
        path += "." + part
        try:
            value = getattr(value, part)
        except AttributeError as error:
            # A module of a package is an attribute of it once it has been imported.
            if first != "tf" or not isinstance(value, type(tf)):
                raise
            try:
                value = importlib.import_module(path)
            except ModuleNotFoundError:
                raise error from None
    return value


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tensorfleet.install_alias()

    @classmethod
    def tearDownClass(cls):
        tensorfleet.remove_alias()

    def missing(self, tier):
        known, missing = owners(), []
        for line in NAMES.read_text().splitlines():
            if line.startswith("#"):
                continue
            its_tier, name = line.split("\t")
            if its_tier != tier or any(name == out or name.startswith(out + ".") for out in LEFT_OUT):
                continue
            try:
                find(name, known)
            except (AttributeError, KeyError, ModuleNotFoundError) as error:
                missing.append(f"{name}: {error}")
        return missing

    def test_all_of_the_documents(self):
        self.assertEqual(self.missing("S"), [])

    def test_all_that_many_programs_use(self):
        self.assertEqual(self.missing("A"), [])

    def test_all_that_some_programs_use(self):
        self.assertEqual(self.missing("B"), [])

    def test_all_that_single_programs_use(self):
        self.assertEqual(self.missing("C"), [])

    def test_what_is_left_out_says_so(self):
        """Each name that is left out raises an error that tells what to use, and the guide names it."""
        guide = Path(__file__).parents[3] / "docs" / "python.md"
        guide = guide.read_text() if guide.exists() else None
        known = owners()
        for name in LEFT_OUT:
            if not name.startswith("tf."):
                continue
            with self.subTest(name):
                message = ""
                try:
                    # Some are modules that refuse whatever is asked of them.
                    message = f"{find(name + '.Anything', known)}"
                except (AttributeError, ModuleNotFoundError) as error:
                    message = str(error)
                self.assertRegex(message, "tensorfleet has no .*(; use |: )")
                if guide is not None:
                    self.assertIn(name.partition("tf.")[2].split(".")[-1], guide)


if __name__ == "__main__":
    unittest.main()
