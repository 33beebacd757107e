# Written by stubs.py; do not edit.

from tensorfleet.v1.examples.tutorials.mnist import input_data as input_data
from tensorfleet.v1.examples.tutorials.mnist import mnist as mnist

__all__ = [
    "input_data", "mnist"
]
