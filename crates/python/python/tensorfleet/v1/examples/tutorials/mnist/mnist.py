"""The model of the tutorial on handwritten digits: two hidden layers and a softmax.

`inference` builds the model, `loss` what to make small, `training` the step that does so, and `evaluation` the number
of digits that are told right.
"""

from __future__ import annotations

import math
from typing import Any

NUM_CLASSES = 10
"""Digits from 0 to 9."""

IMAGE_SIZE = 28
"""Rows and columns of an image."""

IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE
"""Numbers of an image."""


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """The logits of the digits on images, through two hidden layers of these sizes."""
    import tensorfleet.v1 as tf

    hidden1 = _layer("hidden1", images, IMAGE_PIXELS, hidden1_units, tf.nn.relu)
    hidden2 = _layer("hidden2", hidden1, hidden1_units, hidden2_units, tf.nn.relu)
    return _layer("softmax_linear", hidden2, hidden2_units, NUM_CLASSES, None)


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross entropy between the logits and the labels, which are numbers from 0 to 9."""
    import tensorfleet.v1 as tf

    return tf.losses.sparse_softmax_cross_entropy(labels=tf.to_int64(labels), logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    """The operation of one step of gradient descent. It counts steps in a variable `global_step`."""
    import tensorfleet.v1 as tf

    tf.summary.scalar("loss", loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """How many of the images have their largest logit at their label."""
    import tensorfleet.v1 as tf

    correct = tf.nn.in_top_k(logits, labels, 1)
    return tf.reduce_sum(tf.cast(correct, tf.int32))


def _layer(scope: str, inputs: Any, size: int, units: int, activation: Any) -> Any:
    """A layer of all units with all inputs; weights begin small, so that sums have the size of one input."""
    import tensorfleet.v1 as tf

    with tf.name_scope(scope):
        initial = tf.truncated_normal([size, units], stddev=1.0 / math.sqrt(float(size)))
        weights = tf.Variable(initial, name="weights")
        biases = tf.Variable(tf.zeros([units]), name="biases")
        sums = tf.matmul(inputs, weights) + biases
        return sums if activation is None else activation(sums)
