"""The images of CIFAR-10 as batches, from the files of its binary version, read by queues."""

from __future__ import annotations

import os
from typing import Any

import tensorfleet.v1 as tf

__all__ = [
    "IMAGE_SIZE", "NUM_CLASSES", "NUM_EXAMPLES_PER_EPOCH_FOR_EVAL", "NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN", "distorted_inputs", "inputs",
    "read_cifar10",
]

# Images are cut to so many pixels in height and width.
IMAGE_SIZE = 24
NUM_CLASSES = 10
NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 50000
NUM_EXAMPLES_PER_EPOCH_FOR_EVAL = 10000

_HEIGHT = _WIDTH = 32
_DEPTH = 3
# Of the examples of an epoch so many wait in the queue, so that batches are well mixed.
_WAITING = 0.4


class CIFAR10Record:
    """One example: `key`, `label` (a vector of one int32) and `uint8image`, with its `height`, `width` and `depth`."""

    def __init__(self, key: Any, label: Any, image: Any) -> None:
        self.height, self.width, self.depth = _HEIGHT, _WIDTH, _DEPTH
        self.key, self.label, self.uint8image = key, label, image


def read_cifar10(filename_queue: Any) -> CIFAR10Record:
    """The next example of the files that a queue names: a byte of the label, then all red, green and blue bytes, by rows."""
    reader = tf.FixedLengthRecordReader(record_bytes=1 + _DEPTH * _HEIGHT * _WIDTH)
    key, value = reader.read(filename_queue)
    numbers = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.slice(numbers, [0], [1]), tf.int32)
    label.set_shape([1])
    by_depth = tf.reshape(tf.slice(numbers, [1], [_DEPTH * _HEIGHT * _WIDTH]), [_DEPTH, _HEIGHT, _WIDTH])
    return CIFAR10Record(key, label, tf.transpose(by_depth, [1, 2, 0]))


def _batch(image: Any, label: Any, examples: int, batch_size: int, shuffle: bool) -> tuple[Any, Any]:
    waiting = int(examples * _WAITING)
    capacity = waiting + 3 * batch_size
    if shuffle:
        images, labels = tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=16, capacity=capacity, min_after_dequeue=waiting)
    else:
        images, labels = tf.train.batch([image, label], batch_size=batch_size, num_threads=16, capacity=capacity)
    tf.summary.image("images", images)
    return images, tf.reshape(labels, [batch_size])


def _example(files: list[str]) -> tuple[Any, Any]:
    for file in files:
        if not tf.gfile.Exists(file):
            raise ValueError(f"the file {file} is missing: unpack the binary version of CIFAR-10 there")
    record = read_cifar10(tf.train.string_input_producer(files))
    return tf.cast(record.uint8image, tf.float32), record.label


def distorted_inputs(data_dir: str, batch_size: int) -> tuple[Any, Any]:
    """Batches to learn from: parts of images, some mirrored, with other brightness and contrast, and their labels."""
    image, label = _example([os.path.join(data_dir, f"data_batch_{i}.bin") for i in range(1, 6)])
    image = tf.random_crop(image, [IMAGE_SIZE, IMAGE_SIZE, _DEPTH])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    image = tf.image.per_image_standardization(image)
    image.set_shape([IMAGE_SIZE, IMAGE_SIZE, _DEPTH])
    return _batch(image, label, NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN, batch_size, shuffle=True)


def inputs(eval_data: Any, data_dir: str, batch_size: int) -> tuple[Any, Any]:
    """Batches of the middle of images and their labels: of those to test with, or of those to learn from."""
    if eval_data:
        files, examples = [os.path.join(data_dir, "test_batch.bin")], NUM_EXAMPLES_PER_EPOCH_FOR_EVAL
    else:
        files = [os.path.join(data_dir, f"data_batch_{i}.bin") for i in range(1, 6)]
        examples = NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN
    image, label = _example(files)
    image = tf.image.resize_image_with_crop_or_pad(image, IMAGE_SIZE, IMAGE_SIZE)
    image = tf.image.per_image_standardization(image)
    image.set_shape([IMAGE_SIZE, IMAGE_SIZE, _DEPTH])
    return _batch(image, label, examples, batch_size, shuffle=False)
