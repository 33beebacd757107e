"""Recurrent networks (`tf.contrib.rnn`): the cells of `tf.nn.rnn_cell` and functions that apply them."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import nest
from tensorfleet._framework.variable_scope import variable_scope
from tensorfleet._layers import core
from tensorfleet._layers.rnn_cell import (
    BasicLSTMCell,
    BasicRNNCell,
    GRUCell,
    LayerRNNCell,
    LSTMCell,
    LSTMStateTuple,
    RNNCell,
)
from tensorfleet._layers.rnn_wrappers import DeviceWrapper, DropoutWrapper, MultiRNNCell, ResidualWrapper, _Wrapper
from tensorfleet._ops import array_ops
from tensorfleet._ops.rnn import bidirectional_dynamic_rnn, static_bidirectional_rnn, static_rnn, static_state_saving_rnn
from tensorfleet.v1._refused import refusing

__all__ = [
    "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "EmbeddingWrapper", "GRUBlockCellV2", "GRUCell",
    "InputProjectionWrapper", "LSTMBlockCell", "LSTMCell", "LSTMStateTuple", "LayerRNNCell", "MultiRNNCell",
    "OutputProjectionWrapper", "RNNCell", "ResidualWrapper", "bidirectional_dynamic_rnn", "stack_bidirectional_dynamic_rnn",
    "static_bidirectional_rnn", "static_rnn", "static_state_saving_rnn", "transpose_batch_time",
]


class LSTMBlockCell(LSTMCell):
    """An LSTM cell with the weights of TensorFlow's fused one, built of single operations."""

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, cell_clip: float | None = None, use_peephole: bool = False,
        dtype: Any = None, reuse: Any = None, name: str | None = "lstm_cell",
    ) -> None:
        super().__init__(
            num_units, use_peepholes=use_peephole, cell_clip=cell_clip, forget_bias=forget_bias, reuse=reuse, name=name, dtype=dtype
        )


class GRUBlockCellV2(GRUCell):
    """A GRU cell, built of single operations."""


class EmbeddingWrapper(_Wrapper):
    """A cell whose inputs are the numbers of symbols, each of which has a row of numbers of its own."""

    def __init__(
        self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(cell)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(f"embeddings of {embedding_classes} symbols in {embedding_size} numbers: both must be positive")
        self._classes, self._width, self._initializer, self._reuse_it = embedding_classes, embedding_size, initializer, reuse

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        from tensorfleet._framework.init_ops import random_uniform_initializer
        from tensorfleet._framework.variable_scope import get_variable
        from tensorfleet._ops.nn_embedding import embedding_lookup

        with variable_scope("embedding_wrapper", reuse=self._reuse_it):
            # Numbers of variance one, unless something else is asked for.
            first = self._initializer or random_uniform_initializer(-(3.0 ** 0.5), 3.0 ** 0.5)
            table = get_variable("embedding", [self._classes, self._width], initializer=first, dtype=nest.flatten(state)[0].dtype)
            rows = embedding_lookup(table, array_ops.reshape(inputs, [-1]))
            return self._cell(rows, state, scope=scope)


class InputProjectionWrapper(_Wrapper):
    """A cell whose inputs go through a dense layer first."""

    def __init__(self, cell: Any, num_proj: int, activation: Any = None, input_size: Any = None, reuse: Any = None) -> None:
        super().__init__(cell)
        self._project = core.Dense(num_proj, activation=activation, name="input_projection_wrapper", _reuse=reuse)

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        return self._cell(self._project(inputs), state, scope=scope)


class OutputProjectionWrapper(_Wrapper):
    """A cell whose outputs go through a dense layer."""

    def __init__(self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None) -> None:
        super().__init__(cell)
        self._size = output_size
        self._project = core.Dense(output_size, activation=activation, name="output_projection_wrapper", _reuse=reuse)

    @property
    def output_size(self) -> int:
        """The size of the dense layer."""
        return self._size

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        output, new_state = self._cell(inputs, state, scope=scope)
        return self._project(output), new_state


def stack_bidirectional_dynamic_rnn(
    cells_fw: Any, cells_bw: Any, inputs: Any, initial_states_fw: Any = None, initial_states_bw: Any = None, dtype: Any = None,
    sequence_length: Any = None, parallel_iterations: int | None = None, time_major: bool = False, scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """Bidirectional networks on top of each other: each takes the joined outputs of the one below."""
    if not cells_fw or not cells_bw or len(cells_fw) != len(cells_bw):
        raise ValueError(f"there must be as many forward as backward cells, and at least one: {cells_fw!r}, {cells_bw!r}")
    states_fw, states_bw, layer = [], [], inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope(f"cell_{i}"):
                outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
                    forward, backward, layer, initial_state_fw=initial_states_fw[i] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[i] if initial_states_bw else None, sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations, dtype=dtype, time_major=time_major, swap_memory=swap_memory,
                )
                layer = array_ops.concat(list(outputs), 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)


def transpose_batch_time(x: Any) -> Any:
    """A tensor with its first two dimensions exchanged."""
    from tensorfleet._ops.rnn_step import transposed_batch_time

    return nest.map_structure(transposed_batch_time, x)


__getattr__ = refusing("tf.contrib.rnn", "the cells of tf.nn.rnn_cell")
