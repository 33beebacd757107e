# Written by stubs.py; do not edit.

from tensorfleet.v1.models.rnn import ptb as ptb
from tensorfleet.v1.models.rnn import translate as translate

__all__ = [
    "ptb", "translate"
]
