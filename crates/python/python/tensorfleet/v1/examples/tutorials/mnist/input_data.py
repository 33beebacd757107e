"""The MNIST database of handwritten digits, read and cut into batches as TensorFlow 1.x does.

    from tensorflow.examples.tutorials.mnist import input_data
    mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
    images, labels = mnist.train.next_batch(100)

The four files are taken from the folder that is named, else from the folder in the environment variable
`TENSORFLEET_MNIST`, else from `~/.cache/tensorfleet/mnist`; if they are nowhere they are downloaded.
"""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ._mnist_files import DEFAULT_SOURCE_URL, find_or_download

__all__ = [
    "DEFAULT_SOURCE_URL", "DataSet", "Datasets", "dense_to_one_hot", "extract_images", "extract_labels", "load_mnist",
    "maybe_download", "read_data_sets",
]

TRAIN_IMAGES = "train-images-idx3-ubyte.gz"
TRAIN_LABELS = "train-labels-idx1-ubyte.gz"
TEST_IMAGES = "t10k-images-idx3-ubyte.gz"
TEST_LABELS = "t10k-labels-idx1-ubyte.gz"

_IMAGES_MAGIC = 2051
_LABELS_MAGIC = 2049


class DataSet:
    """Images with their labels, given out in batches.

    Images are rows of 784 numbers from 0 to 1, or with `reshape=False` of shape 28 x 28 x 1; with `dtype` uint8 they
    stay whole numbers from 0 to 255. A `seed` seeds `numpy.random`, from which the order of the examples comes;
    without one numpy's generator is left as the program has it.
    """

    def __init__(
        self,
        images: np.ndarray,
        labels: np.ndarray,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = np.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        if seed is not None:
            np.random.seed(seed)
        dtype = _numpy_type(dtype)
        self.one_hot = one_hot
        self._is_fake = fake_data
        if fake_data:
            self._num_examples = 10000
        else:
            if len(images) != len(labels):
                raise ValueError(f"there are {len(images)} images but {len(labels)} labels")
            self._num_examples = len(images)
            if reshape:
                if images.shape[3] != 1:
                    raise ValueError(f"images of shape {images.shape} have more than one channel to reshape")
                images = images.reshape(len(images), images.shape[1] * images.shape[2])
            if dtype == np.float32:
                images = np.multiply(images, 1.0 / 255.0, dtype=np.float32)
        self._images = images
        self._labels = labels
        self._epochs_completed = 0
        self._index_in_epoch = 0
        self._order: Any = None

    @property
    def images(self) -> np.ndarray:
        """All images, in the order of their file."""
        return self._images

    @property
    def labels(self) -> np.ndarray:
        """All labels: numbers from 0 to 9, or rows with a one at that place if `one_hot`."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many images there are."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How often all examples have been given out."""
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """The next examples: images and labels.

        The first epoch and each further one have an order of their own, unless `shuffle` is false. What is left of an
        epoch and is less than a batch is joined with the beginning of the next.
        """
        if fake_data or self._is_fake:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        if batch_size < 0 or (batch_size and not self._num_examples):
            raise ValueError(f"cannot take a batch of {batch_size} from {self._num_examples} examples")
        if self._epochs_completed == 0 and self._index_in_epoch == 0:
            self._reorder(shuffle)
        start = self._index_in_epoch
        end = start + batch_size
        if end <= self._num_examples:
            self._index_in_epoch = end
            picked = self._order[start:end]
        else:
            parts = []
            while end > self._num_examples:
                parts.append(self._order[start:])
                end -= self._num_examples
                start = 0
                self._epochs_completed += 1
                self._reorder(shuffle)
            self._index_in_epoch = end
            picked = np.concatenate([*parts, self._order[:end]])
        return self._images[picked], self._labels[picked]

    def _reorder(self, shuffle: bool) -> None:
        """Shuffle the order, which begins as that of the file."""
        if self._order is None:
            self._order = np.arange(self._num_examples)
        if shuffle:
            places = np.arange(self._num_examples)
            np.random.shuffle(places)
            self._order = self._order[places]


class Datasets(NamedTuple):
    """The three parts of the database."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(
    train_dir: str | os.PathLike,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = np.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """The digits in three parts: `train`, `validation` (the first images of the training files) and `test`.

    Args:
      train_dir: the folder with the four files; they are downloaded into it if they are nowhere else either.
      fake_data: read nothing and give out images of ones.
      one_hot: labels as rows of ten numbers instead of one number each.
      dtype: float32 for images from 0 to 1, uint8 for images from 0 to 255.
      reshape: images as rows of 784 numbers instead of 28 x 28 x 1.
      validation_size: how many training images to set apart.
      seed: seeds `numpy.random`, which shuffles the examples.
      source_url: where to download from. Files from another place than the usual ones are not checked, and other
        folders are not looked into for them.
    """
    options = {"one_hot": one_hot, "dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        nothing = np.zeros(0)
        return Datasets(*(DataSet(nothing, nothing, fake_data=True, **options) for _ in range(3)))

    def read(name: str, extract: Any, **arguments: Any) -> np.ndarray:
        path = find_or_download(name, train_dir, source_url)
        print("Extracting", path)
        with open(path, "rb") as file:
            return extract(file, **arguments)

    train_images = read(TRAIN_IMAGES, extract_images)
    train_labels = read(TRAIN_LABELS, extract_labels, one_hot=one_hot)
    test_images = read(TEST_IMAGES, extract_images)
    test_labels = read(TEST_LABELS, extract_labels, one_hot=one_hot)
    if not 0 <= validation_size <= len(train_images):
        raise ValueError(f"validation_size is {validation_size}, not between 0 and {len(train_images)}")
    return Datasets(
        train=DataSet(train_images[validation_size:], train_labels[validation_size:], **options),
        validation=DataSet(train_images[:validation_size], train_labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str | os.PathLike = "MNIST-data") -> Datasets:
    """The digits with the usual options."""
    return read_data_sets(train_dir)


def maybe_download(filename: str, work_directory: str | os.PathLike, source_url: str = DEFAULT_SOURCE_URL) -> str:
    """The path of one of the files, which is downloaded into the folder if it is nowhere."""
    return find_or_download(filename, work_directory, source_url.removesuffix(filename))


def extract_images(f: BinaryIO) -> np.ndarray:
    """Images of a file in the IDX format, as whole numbers of shape number x rows x columns x 1."""
    data, (count, rows, columns) = _read_idx(f, _IMAGES_MAGIC, "images")
    return data.reshape(count, rows, columns, 1)


def extract_labels(f: BinaryIO, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """Labels of a file in the IDX format."""
    labels, _ = _read_idx(f, _LABELS_MAGIC, "labels")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """Rows with a one at the place of each label.

    >>> dense_to_one_hot(np.array([1, 0]), 3)
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    rows = np.zeros((len(labels_dense), num_classes))
    rows[np.arange(len(labels_dense)), labels_dense.ravel()] = 1
    return rows


def _read_idx(file: BinaryIO, magic: int, what: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """The bytes of an IDX file, compressed or not, with its sizes."""
    name = getattr(file, "name", "the file")
    data = file.read()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{name} is damaged: {error}; remove it, so that it is fetched again") from None
    dimensions = magic & 0xFF
    header = np.frombuffer(data, ">u4", 1 + dimensions) if len(data) >= 4 * (1 + dimensions) else None
    if header is None or header[0] != magic:
        found = "too short" if header is None else f"of kind {header[0]}"
        raise ValueError(f"{name} is no file of MNIST {what} (kind {magic}): it is {found}")
    sizes = tuple(int(size) for size in header[1:])
    pixels = np.frombuffer(data, np.uint8, offset=4 * len(header))
    expected = 1
    for size in sizes:
        expected *= size
    if len(pixels) != expected:
        raise ValueError(f"{name} has {len(pixels)} bytes of {what}, but its sizes {sizes} need {expected}")
    return pixels.copy(), sizes


def _numpy_type(dtype: Any) -> np.dtype:
    found = np.dtype(getattr(dtype, "as_numpy_dtype", dtype))
    if found not in (np.uint8, np.float32):
        raise TypeError(f"images can be of type uint8 or float32, not {found.name}")
    return found
