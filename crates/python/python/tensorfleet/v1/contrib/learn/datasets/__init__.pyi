# Written by stubs.py; do not edit.

from tensorfleet.v1.contrib.learn.datasets import mnist as mnist

__all__ = [
    "mnist"
]
