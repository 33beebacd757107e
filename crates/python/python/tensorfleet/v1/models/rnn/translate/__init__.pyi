# Written by stubs.py; do not edit.

from tensorfleet.v1.models.rnn.translate import data_utils as data_utils
from tensorfleet.v1.models.rnn.translate import seq2seq_model as seq2seq_model

__all__ = [
    "data_utils", "seq2seq_model"
]
