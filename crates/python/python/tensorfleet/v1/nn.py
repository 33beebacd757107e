"""Neural networks (`tf.nn`): activations, convolutions, pooling, losses, normalization, embeddings and recurrent networks."""

from __future__ import annotations

from tensorfleet._ops.array_ops import depth_to_space, space_to_batch, space_to_depth
from tensorfleet._ops.math_ops import log_sigmoid
from tensorfleet._ops.ctc_ops import *
from tensorfleet._ops.nn_activation import *
from tensorfleet._ops.nn_candidate import *
from tensorfleet._ops.nn_conv import *
from tensorfleet._ops.nn_embedding import *
from tensorfleet._ops.nn_loss import *
from tensorfleet._ops.nn_norm import *
from tensorfleet._ops.nn_pool import *
from tensorfleet._ops.rnn import *
from tensorfleet.v1 import nn_rnn_cell as rnn_cell
