"""Batches of the real MNIST, as both sides feed them: the same hundred batches over and over, in the files' order."""

import gzip
import itertools
import os

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "mnist")
BATCHES = 100


def read(name, header):
    with gzip.open(os.path.join(FOLDER, name)) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


def batches(size):
    """Images as floats between 0 and 1, and labels as rows with a single one; for ever."""
    count = size * BATCHES
    images = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:count].astype(np.float32) / 255
    labels = np.eye(10, dtype=np.float32)[read("train-labels-idx1-ubyte.gz", 8)[:count]]
    return itertools.cycle(list(zip(images.reshape(-1, size, 784), labels.reshape(-1, size, 10))))
