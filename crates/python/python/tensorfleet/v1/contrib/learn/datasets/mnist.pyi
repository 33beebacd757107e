# Written by stubs.py; do not edit.

from tensorfleet.v1.examples.tutorials.mnist.input_data import DataSet as DataSet
from tensorfleet.v1.examples.tutorials.mnist.input_data import Datasets as Datasets
from tensorfleet.v1.examples.tutorials.mnist.input_data import dense_to_one_hot as dense_to_one_hot
from tensorfleet.v1.examples.tutorials.mnist.input_data import extract_images as extract_images
from tensorfleet.v1.examples.tutorials.mnist.input_data import extract_labels as extract_labels
from tensorfleet.v1.examples.tutorials.mnist.input_data import load_mnist as load_mnist
from tensorfleet.v1.examples.tutorials.mnist.input_data import read_data_sets as read_data_sets

__all__ = [
    "DataSet", "Datasets", "dense_to_one_hot", "extract_images", "extract_labels", "load_mnist", "read_data_sets"
]
