"""Keras is not here: each name says what to use instead."""

from __future__ import annotations

from tensorfleet.v1._refused import refusing

_LAYERS = "tf.layers (dense, conv2d, dropout, batch_normalization, ...) and tf.nn.rnn_cell"

__getattr__ = refusing(
    "tf.keras",
    "tf.layers, tf.losses and tf.train (an optimizer and a session) for models",
    {
        "layers": _LAYERS, "Sequential": _LAYERS, "Model": _LAYERS, "Input": "tf.placeholder",
        "losses": "tf.losses", "metrics": "tf.metrics", "optimizers": "tf.train's optimizers", "initializers": "tf.initializers",
        "regularizers": "tf.contrib.layers.l1_regularizer and l2_regularizer", "activations": "tf.nn",
        "callbacks": "tf.train's SessionRunHook classes", "utils": "tf.gfile and numpy", "backend": "tf itself",
        "estimator": "tf.train.MonitoredTrainingSession with a loop of one's own",
        "datasets": "tf.examples.tutorials.mnist.input_data and tf.data", "preprocessing": "tf.image and tf.data",
        "models": _LAYERS, "applications": "a graph of one's own, restored by tf.train.Saver",
    },
)
