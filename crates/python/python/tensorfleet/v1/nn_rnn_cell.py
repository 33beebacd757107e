"""Cells of recurrent networks (`tf.nn.rnn_cell`)."""

from __future__ import annotations

from tensorfleet._layers.rnn_cell import BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell, LSTMStateTuple, RNNCell
from tensorfleet._layers.rnn_wrappers import DeviceWrapper, DropoutWrapper, MultiRNNCell, ResidualWrapper
