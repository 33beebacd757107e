# Written by stubs.py; do not edit.

from tensorfleet.v1.models import embedding as embedding
from tensorfleet.v1.models import image as image
from tensorfleet.v1.models import rnn as rnn

__all__ = [
    "embedding", "image", "rnn"
]
