# Written by stubs.py; do not edit.

from tensorfleet.v1.examples import tutorials as tutorials

__all__ = [
    "tutorials"
]
