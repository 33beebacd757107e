# Written by stubs.py; do not edit.

from tensorfleet._layers.rnn_cell import BasicLSTMCell as BasicLSTMCell
from tensorfleet._layers.rnn_cell import BasicRNNCell as BasicRNNCell
from tensorfleet._layers.rnn_wrappers import DeviceWrapper as DeviceWrapper
from tensorfleet._layers.rnn_wrappers import DropoutWrapper as DropoutWrapper
from tensorfleet._layers.rnn_cell import GRUCell as GRUCell
from tensorfleet._layers.rnn_cell import LSTMCell as LSTMCell
from tensorfleet._layers.rnn_cell import LSTMStateTuple as LSTMStateTuple
from tensorfleet._layers.rnn_wrappers import MultiRNNCell as MultiRNNCell
from tensorfleet._layers.rnn_cell import RNNCell as RNNCell
from tensorfleet._layers.rnn_wrappers import ResidualWrapper as ResidualWrapper

__all__ = [
    "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "GRUCell", "LSTMCell", "LSTMStateTuple",
    "MultiRNNCell", "RNNCell", "ResidualWrapper"
]
