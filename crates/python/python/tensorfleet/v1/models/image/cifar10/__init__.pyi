# Written by stubs.py; do not edit.

from tensorfleet.v1.models.image.cifar10 import cifar10 as cifar10
from tensorfleet.v1.models.image.cifar10 import cifar10_input as cifar10_input

__all__ = [
    "cifar10", "cifar10_input"
]
