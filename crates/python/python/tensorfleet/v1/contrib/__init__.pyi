# Written by stubs.py; do not edit.

from tensorfleet.v1.contrib import data as data
from tensorfleet.v1.contrib import framework as framework
from tensorfleet.v1.contrib import image as image
from tensorfleet.v1.contrib import layers as layers
from tensorfleet.v1.contrib import learn as learn
from tensorfleet.v1.contrib import legacy_seq2seq as legacy_seq2seq
from tensorfleet.v1 import lookup as lookup
from tensorfleet.v1.contrib import losses as losses
from tensorfleet.v1.contrib import metrics as metrics
from tensorfleet.v1.contrib import resampler as resampler
from tensorfleet.v1.contrib import rnn as rnn
from tensorfleet.v1.contrib import seq2seq as seq2seq
from tensorfleet.v1.contrib import slim as slim
from tensorfleet.v1.contrib import staging as staging
from tensorfleet.v1 import summary as summary
from tensorfleet.v1.contrib import training as training

__all__ = [
    "data", "framework", "image", "layers", "learn", "legacy_seq2seq", "lookup", "losses", "metrics", "resampler",
    "rnn", "seq2seq", "slim", "staging", "summary", "training"
]
