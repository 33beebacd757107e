"""Cells made of other cells: several in a row, dropout, residual connections, devices."""

from __future__ import annotations

import hashlib
from typing import Any, Callable

from tensorfleet._framework import nest
from tensorfleet._framework.convert import constant_value, convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.variable_scope import variable_scope
from tensorfleet._layers.rnn_cell import LSTMStateTuple, RNNCell
from tensorfleet._ops import array_ops, nn_activation


class MultiRNNCell(RNNCell):
    """Cells in a row: each takes what the one before gives."""

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("MultiRNNCell was given no cells")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"`cells` is {cells!r}; give a list or a tuple")
        self._cells, self._state_is_tuple = list(cells), state_is_tuple
        if not state_is_tuple and any(isinstance(cell.state_size, (list, tuple)) for cell in cells):
            raise ValueError(
                "state_is_tuple=False, but there are cells whose state is a tuple: "
                f"{[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self) -> Any:
        """The sizes of the cells' states."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return self._cells[-1].output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """The weights of all cells."""
        return [weight for cell in self._cells for weight in cell.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The weights of all cells that optimizers leave alone."""
        return [weight for cell in self._cells for weight in cell.non_trainable_weights]

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros for each cell."""
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Builds the step of each cell."""
        at, states = 0, []
        for i, cell in enumerate(self._cells):
            with variable_scope(f"cell_{i}"):
                if self._state_is_tuple:
                    if not isinstance(state, (list, tuple)):
                        raise ValueError(
                            f"{len(self._cells)} cells need a tuple of {len(self._cells)} states, not {state!r}"
                        )
                    before = state[i]
                else:
                    before = array_ops.slice(state, [0, at], [-1, cell.state_size])
                    at += cell.state_size
                inputs, after = cell(inputs, before)
                states.append(after)
        return inputs, tuple(states) if self._state_is_tuple else array_ops.concat(states, 1)


class _Wrapper(RNNCell):
    """A cell around another, without weights and without a scope of its own."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self._cell

    @property
    def state_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.output_size

    @property
    def trainable_weights(self) -> list[Any]:
        """Those of the cell inside."""
        return self._cell.trainable_weights

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those of the cell inside."""
        return self._cell.non_trainable_weights

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """That of the cell inside."""
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        return self._step(inputs, state, scope)

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        return self._cell(inputs, state, scope=scope)


def _map_index(function: Callable[[int, Any], Any], *structures: Any) -> Any:
    flat = [nest.flatten(structure) for structure in structures]
    return nest.pack_sequence_as(structures[0], [function(i, *values) for i, values in enumerate(zip(*flat))])


class DropoutWrapper(_Wrapper):
    """A cell with dropout of its inputs, its outputs and its state."""

    def __init__(
        self, cell: Any, input_keep_prob: Any = 1.0, output_keep_prob: Any = 1.0, state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False, input_size: Any = None, dtype: Any = None, seed: int | None = None,
        dropout_state_filter_visitor: Any = None, **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if variational_recurrent:
            raise NotImplementedError("DropoutWrapper has no variational_recurrent here: dropout is drawn anew at each step")
        self._seed = seed
        self._filter = dropout_state_filter_visitor or _not_the_memory
        with get_default_graph().name_scope("DropoutWrapperInit"):
            self._input_keep_prob = self._probability("input_keep_prob", input_keep_prob)
            self._state_keep_prob = self._probability("state_keep_prob", state_keep_prob)
            self._output_keep_prob = self._probability("output_keep_prob", output_keep_prob)

    @staticmethod
    def _probability(name: str, value: Any) -> Any:
        tensor = convert_to_tensor(value)
        known = constant_value(tensor)
        if known is None:
            return tensor
        if not 0 <= float(known) <= 1:
            raise ValueError(f"{name} is a probability, from 0 to 1, not {float(known)}")
        return float(known) if isinstance(value, (int, float)) else tensor

    def _gen_seed(self, salt: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, values: Any, salt: str, keep: Any, chosen: Any = None) -> Any:
        def drop(index: int, value: Tensor, wanted: Any = True) -> Tensor:
            if not wanted:
                return value
            return nn_activation.dropout(value, keep_prob=keep, seed=self._gen_seed(salt, index))

        if chosen is None:
            return _map_index(drop, values)
        flat = nest.flatten(values)
        return nest.pack_sequence_as(values, [drop(i, value, wanted) for i, (value, wanted) in enumerate(zip(flat, chosen))])

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        if _drops(self._input_keep_prob):
            inputs = self._dropped(inputs, "input", self._input_keep_prob)
        output, new_state = self._cell(inputs, state, scope=scope)
        if _drops(self._state_keep_prob):
            new_state = self._dropped(new_state, "state", self._state_keep_prob, _chosen(self._filter, new_state))
        if _drops(self._output_keep_prob):
            output = self._dropped(output, "output", self._output_keep_prob)
        return output, new_state


def _drops(keep: Any) -> bool:
    return isinstance(keep, Tensor) or keep < 1


def _not_the_memory(state: Any) -> Any:
    """The memory of an LSTM cell is never dropped, nor is a TensorArray."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return isinstance(state, Tensor)


def _chosen(function: Any, state: Any) -> list[bool]:
    """What a filter says of each tensor of a state."""
    said = function(state)
    if nest.is_nested(said):
        return nest.flatten(said)
    if nest.is_nested(state):
        parts = [state[key] for key in sorted(state)] if isinstance(state, dict) else state
        return [flag for part in parts for flag in _chosen(function, part)]
    return [bool(said)]


class ResidualWrapper(_Wrapper):
    """A cell whose inputs are added to its outputs."""

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, new_state = self._cell(inputs, state, scope=scope)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), new_state
        nest.assert_same_structure(inputs, outputs)
        for given, made in zip(nest.flatten(inputs), nest.flatten(outputs)):
            if not given.shape.is_compatible_with(made.shape):
                raise ValueError(f"the input of a residual cell has shape {given.shape}, its output {made.shape}")
        return nest.map_structure(lambda given, made: given + made, inputs, outputs), new_state


class DeviceWrapper(_Wrapper):
    """A cell on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros on the device."""
        graph = get_default_graph()
        with graph.name_scope(type(self).__name__ + "ZeroState"), graph.device(self._device):
            return self._cell.zero_state(batch_size, dtype)

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        with get_default_graph().device(self._device):
            return self._cell(inputs, state, scope=scope)
