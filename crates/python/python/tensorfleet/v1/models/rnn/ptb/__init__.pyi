# Written by stubs.py; do not edit.

from tensorfleet.v1.models.rnn.ptb import reader as reader

__all__ = [
    "reader"
]
