"""The handwritten digits under the name that `tf.contrib.learn` has for them."""

from tensorfleet.v1.examples.tutorials.mnist.input_data import (
    DataSet,
    Datasets,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    load_mnist,
    read_data_sets,
)

__all__ = [
    "DataSet", "Datasets", "dense_to_one_hot", "extract_images", "extract_labels", "load_mnist", "read_data_sets",
]
