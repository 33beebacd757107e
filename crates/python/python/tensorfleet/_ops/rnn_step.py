"""One step of a recurrent network over sequences of different lengths."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework import nest
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant_value
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops


def batch_size_of(inputs: list[Tensor]) -> Any:
    """The size of the batch of tensors that have time first: a number if it is known, else a tensor."""
    for value in inputs:
        if value.shape.ndims is None:
            continue
        if value.shape.ndims < 2:
            raise ValueError(
                f"{value.name} has shape {value.shape}; inputs have at least the dimensions of examples and time"
            )
        if value.shape[1].value is not None:
            return value.shape[1].value
    return array_ops.shape(inputs[0])[1]


def transposed_batch_time(x: Tensor) -> Tensor:
    """A tensor with its first two dimensions exchanged."""
    if x.shape.ndims is not None and x.shape.ndims < 2:
        return x
    known = x.shape
    rank = array_ops.rank(x)
    made = array_ops.transpose(x, array_ops.concat([[1, 0], array_ops.range(2, rank)], 0))
    if known.ndims is not None:
        dims = known.as_list()
        made.set_shape([dims[1], dims[0], *dims[2:]])
    return made


def state_dtype(explicit: Any, state: Any) -> Any:
    """The element type of outputs: the given one, else the state's."""
    if explicit is not None:
        return explicit
    if nest.is_nested(state):
        kinds = [value.dtype for value in nest.flatten(state)]
        if not kinds:
            raise ValueError("Unable to infer dtype from empty state.")
        if any(kind != kinds[0] for kind in kinds):
            raise ValueError(f"State has tensors of different inferred_dtypes: {kinds}")
        return kinds[0]
    return state.dtype


def rnn_step(
    time: Any, sequence_length: Tensor, min_length: Tensor, max_length: Tensor, zero_output: Any, state: Any,
    call_cell: Callable[[], Any], skip_conditionals: bool = False,
) -> tuple[Any, Any]:
    """A step in which sequences that have ended give zeros and keep their state."""
    from tensorfleet._ops import control_flow

    flat_state, flat_zero = nest.flatten(state), nest.flatten(zero_output)
    ended = time >= sequence_length

    def copied_one(before: Any, after: Any) -> Any:
        if not isinstance(after, Tensor) or after.shape.ndims == 0:
            return after
        with after.graph.colocate_with(after.op):
            return one("Select", ended, before, after)

    def copied(outputs: list[Any], states: list[Any]) -> list[Any]:
        made = [copied_one(zero, output) for zero, output in zip(flat_zero, outputs)]
        return made + [copied_one(before, after) for before, after in zip(flat_state, states)]

    def called() -> tuple[list[Any], list[Any]]:
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return nest.flatten(output), nest.flatten(new_state)

    def some() -> list[Any]:
        outputs, states = called()
        return control_flow.cond(time < min_length, lambda: outputs + states, lambda: copied(outputs, states))

    if skip_conditionals:
        final = copied(*called())
    else:
        final = control_flow.cond(time >= max_length, lambda: flat_zero + flat_state, some)
    outputs, states = list(final)[: len(flat_zero)], list(final)[len(flat_zero) :]
    for made, like in zip(outputs + states, flat_zero + flat_state):
        if isinstance(made, Tensor) and isinstance(like, Tensor):
            made.set_shape(like.shape)
    return nest.pack_sequence_as(zero_output, outputs), nest.pack_sequence_as(state, states)


def checked_lengths(lengths: Any, batch_size: Any) -> Tensor:
    """Lengths of sequences that are as many as there are sequences, which a step checks."""
    from tensorfleet._ops import control_flow, math_ops

    shape = array_ops.shape(lengths)
    wanted = array_ops.stack([batch_size])
    data = [f"Expected shape for Tensor {lengths.name} is ", wanted, " but saw shape: ", shape]
    check = control_flow.Assert(math_ops.reduce_all(one("Equal", shape, wanted)), data)
    with lengths.graph.control_dependencies([check] if check is not None else []):
        return array_ops.identity(lengths, name="CheckSeqLen")


def known_number(value: Any) -> int | None:
    """The value of a number that may be a tensor, if it is known."""
    if isinstance(value, Tensor):
        value = constant_value(value)
    return None if value is None else int(value)
