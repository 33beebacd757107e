"""The MNIST digits, as float32 rows from 0 to 1 and one-hot labels."""

import functools
import gzip
import os

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "mnist")


@functools.lru_cache
def digits(part, count, folder=FOLDER):
    """The first `count` digits of "train" or "t10k" (the test set)."""
    images = read(folder, f"{part}-images-idx3-ubyte.gz", 16)[: count * 784].reshape(count, 784)
    labels = read(folder, f"{part}-labels-idx1-ubyte.gz", 8)[:count]
    return images.astype(np.float32) / 255.0, np.eye(10, dtype=np.float32)[labels]


def read(folder, name, offset):
    with gzip.open(os.path.join(folder, name)) as file:
        return np.frombuffer(file.read(), np.uint8, offset=offset)


def batches(data, size, begin=0):
    """Batches of consecutive digits without end, from the batch of number `begin`."""
    images, labels = data
    count = len(images) // size
    while True:
        rows = slice(begin % count * size, begin % count * size + size)
        yield images[rows], labels[rows]
        begin += 1
