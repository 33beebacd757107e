"""The network of the CIFAR-10 tutorial: two convolutions, two full layers, and how it learns."""

from __future__ import annotations

import os
import tarfile
from typing import Any

import tensorfleet.v1 as tf
from tensorfleet.v1.models.image.cifar10 import cifar10_input

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("batch_size", 128, "Number of images in a batch.")
tf.app.flags.DEFINE_string("data_dir", "/tmp/cifar10_data", "The folder of the CIFAR-10 files.")
tf.app.flags.DEFINE_boolean("use_fp16", False, "Whether the model computes with half the bits.")

IMAGE_SIZE = cifar10_input.IMAGE_SIZE
NUM_CLASSES = cifar10_input.NUM_CLASSES
NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN
NUM_EXAMPLES_PER_EPOCH_FOR_EVAL = cifar10_input.NUM_EXAMPLES_PER_EPOCH_FOR_EVAL

MOVING_AVERAGE_DECAY = 0.9999
NUM_EPOCHS_PER_DECAY = 350.0
LEARNING_RATE_DECAY_FACTOR = 0.1
INITIAL_LEARNING_RATE = 0.1
# Before the names of what belongs to one of several processors.
TOWER_NAME = "tower"

_ARCHIVE = "cifar-10-binary.tar.gz"
_FOLDER = "cifar-10-batches-bin"


def _dtype() -> Any:
    return tf.float16 if FLAGS.use_fp16 else tf.float32


def _variable(name: str, shape: list[int], initializer: Any) -> Any:
    with tf.device("/cpu:0"):
        return tf.get_variable(name, shape, initializer=initializer, dtype=_dtype())


def _weights(shape: list[int], stddev: float, decay: float | None) -> Any:
    """Weights, whose squares count among the losses if there is a decay."""
    weights = _variable("weights", shape, tf.truncated_normal_initializer(stddev=stddev, dtype=_dtype()))
    if decay is not None:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(weights), decay, name="weight_loss"))
    return weights


def _watched(activation: Any) -> Any:
    name = activation.op.name
    tf.summary.histogram(name + "/activations", activation)
    tf.summary.scalar(name + "/sparsity", tf.nn.zero_fraction(activation))
    return activation


def _batches_folder() -> str:
    if not FLAGS.data_dir:
        raise ValueError("the flag --data_dir is empty: it names the folder of the CIFAR-10 files")
    return os.path.join(FLAGS.data_dir, _FOLDER)


def _of_the_type(batches: tuple[Any, Any]) -> tuple[Any, Any]:
    images, labels = batches
    return (tf.cast(images, tf.float16), tf.cast(labels, tf.float16)) if FLAGS.use_fp16 else (images, labels)


def distorted_inputs() -> tuple[Any, Any]:
    """Batches of changed images to learn from, and their labels."""
    return _of_the_type(cifar10_input.distorted_inputs(_batches_folder(), FLAGS.batch_size))


def inputs(eval_data: Any) -> tuple[Any, Any]:
    """Batches of images as they are, and their labels."""
    return _of_the_type(cifar10_input.inputs(eval_data, _batches_folder(), FLAGS.batch_size))


def _convolution(scope: str, below: Any, channels: int, bias: float) -> Any:
    with tf.variable_scope(scope) as inside:
        kernel = _weights([5, 5, below.get_shape()[-1].value, channels], stddev=5e-2, decay=0.0)
        convolved = tf.nn.conv2d(below, kernel, [1, 1, 1, 1], padding="SAME")
        biases = _variable("biases", [channels], tf.constant_initializer(bias))
        return _watched(tf.nn.relu(tf.nn.bias_add(convolved, biases), name=inside.name))


def _full(scope: str, below: Any, units: int) -> Any:
    with tf.variable_scope(scope) as inside:
        weights = _weights([below.get_shape()[1].value, units], stddev=0.04, decay=0.004)
        biases = _variable("biases", [units], tf.constant_initializer(0.1))
        return _watched(tf.nn.relu(tf.matmul(below, weights) + biases, name=inside.name))


def _pool(below: Any, name: str) -> Any:
    return tf.nn.max_pool(below, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name=name)


def _normalized(below: Any, name: str) -> Any:
    return tf.nn.lrn(below, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name=name)


def inference(images: Any) -> Any:
    """The network: for each image, a number for each kind, before the softmax."""
    first = _normalized(_pool(_convolution("conv1", images, 64, 0.0), "pool1"), "norm1")
    second = _pool(_normalized(_convolution("conv2", first, 64, 0.1), "norm2"), "pool2")
    batch = images.get_shape()[0].value or FLAGS.batch_size
    flat = tf.reshape(second, [batch, second.get_shape()[1:].num_elements()])
    top = _full("local4", _full("local3", flat, 384), 192)
    with tf.variable_scope("softmax_linear") as inside:
        weights = _weights([192, NUM_CLASSES], stddev=1 / 192.0, decay=None)
        biases = _variable("biases", [NUM_CLASSES], tf.constant_initializer(0.0))
        return _watched(tf.add(tf.matmul(top, weights), biases, name=inside.name))


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross entropy, and the squares of weights that have a decay."""
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.cast(labels, tf.int64), logits=logits, name="cross_entropy_per_example")
    tf.add_to_collection("losses", tf.reduce_mean(entropy, name="cross_entropy"))
    return tf.add_n(tf.get_collection("losses"), name="total_loss")


def _watch_losses(total_loss: Any) -> Any:
    averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
    losses = tf.get_collection("losses") + [total_loss]
    averaged = averages.apply(losses)
    for one in losses:
        tf.summary.scalar(one.op.name + " (raw)", one)
        tf.summary.scalar(one.op.name, averages.average(one))
    return averaged


def train(total_loss: Any, global_step: Any) -> Any:
    """An operation that makes one step: gradient descent with a rate that falls, and moving averages of all variables."""
    steps_per_decay = int(NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN / FLAGS.batch_size * NUM_EPOCHS_PER_DECAY)
    rate = tf.train.exponential_decay(
        INITIAL_LEARNING_RATE, global_step, steps_per_decay, LEARNING_RATE_DECAY_FACTOR, staircase=True)
    tf.summary.scalar("learning_rate", rate)
    with tf.control_dependencies([_watch_losses(total_loss)]):
        optimizer = tf.train.GradientDescentOptimizer(rate)
        gradients = optimizer.compute_gradients(total_loss)
    applied = optimizer.apply_gradients(gradients, global_step=global_step)
    for variable in tf.trainable_variables():
        tf.summary.histogram(variable.op.name, variable)
    for gradient, variable in gradients:
        if gradient is not None:
            tf.summary.histogram(variable.op.name + "/gradients", gradient)
    averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    averaged = averages.apply(tf.trainable_variables())
    with tf.control_dependencies([applied, averaged]):
        return tf.no_op(name="train")


def maybe_download_and_extract() -> None:
    """Unpacks the archive of the binary version in the folder that the flag `data_dir` names, unless that has been done. Nothing is
    downloaded.

    :raises FileNotFoundError: if there is neither the archive nor what is in it.
    """
    if os.path.exists(_batches_folder()):
        return
    archive = os.path.join(FLAGS.data_dir, _ARCHIVE)
    if not os.path.exists(archive):
        raise FileNotFoundError(f"{archive} is missing: put the binary version of CIFAR-10 there, nothing is downloaded")
    with tarfile.open(archive, "r:gz") as packed:
        packed.extractall(FLAGS.data_dir, filter="data")
