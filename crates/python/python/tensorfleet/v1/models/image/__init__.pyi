# Written by stubs.py; do not edit.

from tensorfleet.v1.models.image import cifar10 as cifar10

__all__ = [
    "cifar10"
]
