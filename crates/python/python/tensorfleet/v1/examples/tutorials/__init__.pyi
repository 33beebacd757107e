# Written by stubs.py; do not edit.

from tensorfleet.v1.examples.tutorials import mnist as mnist

__all__ = [
    "mnist"
]
