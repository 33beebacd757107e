"""Recurrent networks: a cell applied to the steps of sequences."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes, nest
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape
from tensorfleet._framework.variable_scope import variable_scope
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.rnn_step import batch_size_of, checked_lengths, rnn_step, state_dtype, transposed_batch_time

__all__ = [
    "bidirectional_dynamic_rnn", "dynamic_rnn", "raw_rnn", "static_bidirectional_rnn", "static_rnn", "static_state_saving_rnn",
]


def _cache(scope: Any) -> None:
    """Copies of variables are kept where the operations that read them are."""
    if scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def _shape_tools() -> Any:
    from tensorfleet._layers import rnn_cell

    return rnn_cell


def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
    parallel_iterations: int | None = None, swap_memory: bool = False, time_major: bool = False, scope: Any = None,
) -> tuple[Any, Any]:
    """A cell applied to each step of sequences, in a loop: the outputs of all steps, and the last state.

    The inputs are [batch, time, ...], or [time, batch, ...] if `time_major`.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), tf.ones([2, 5, 3]), dtype=tf.float32)
    ...     outputs.shape.as_list(), state.shape.as_list()
    ([2, 5, 4], [2, 4])
    """
    with variable_scope(scope or "rnn") as varscope:
        _cache(varscope)
        flat = nest.flatten(inputs)
        if not time_major:
            flat = [transposed_batch_time(convert_to_tensor(value)) for value in flat]
        else:
            flat = [convert_to_tensor(value) for value in flat]
        if sequence_length is not None:
            sequence_length = math_ops.cast(sequence_length, dtypes.int32)
            if sequence_length.shape.ndims not in (None, 1):
                raise ValueError(
                    f"sequence_length has shape {sequence_length.shape}; it is a list with one length an example"
                )
            sequence_length = array_ops.identity(sequence_length, name="sequence_length")
        batch_size = batch_size_of(flat)
        if initial_state is not None:
            state = initial_state
        else:
            if dtype is None:
                raise ValueError("If there is no initial_state, you must give a dtype.")
            state = cell.zero_state(batch_size, dtype)
        if sequence_length is not None:
            sequence_length = checked_lengths(sequence_length, batch_size)
        inputs = nest.pack_sequence_as(inputs, flat)
        outputs, final = _loop(cell, inputs, state, parallel_iterations or 32, swap_memory, sequence_length, dtype)
        if not time_major:
            outputs = nest.map_structure(transposed_batch_time, outputs)
        return outputs, final


def _loop(
    cell: Any, inputs: Any, state: Any, parallel_iterations: int, swap_memory: bool, sequence_length: Tensor | None, dtype: Any
) -> tuple[Any, Any]:
    from tensorfleet._ops.control_flow import while_loop
    from tensorfleet._ops.tensor_array import TensorArray

    tools = _shape_tools()
    flat_input = nest.flatten(inputs)
    output_sizes = tools._sizes(cell.output_size)
    steps = array_ops.shape(flat_input[0])[0]
    batch_size = batch_size_of(flat_input)
    for value in flat_input:
        if not value.shape[2:].is_fully_defined():
            raise ValueError(f"the inputs' last dimension is unknown: {value.shape}")
    known_steps, known_batch = flat_input[0].shape.as_list()[:2]
    kind = state_dtype(dtype, state)
    zero_output = tools._packed(
        cell.output_size, iter([array_ops.zeros(tools.joined_shape(batch_size, size), kind) for size in output_sizes])
    )
    if sequence_length is not None:
        shortest, longest = math_ops.reduce_min(sequence_length), math_ops.reduce_max(sequence_length)
    else:
        shortest = longest = steps
    time = constant(0, dtype=dtypes.int32, name="time")
    graph = get_default_graph()
    with graph.name_scope("dynamic_rnn") as base:
        pass
    outputs = tuple(
        TensorArray(
            kind, size=steps, element_shape=TensorShape([known_batch]).concatenate(_known_shape(size)),
            tensor_array_name=f"{base}output_{i}",
        )
        for i, size in enumerate(output_sizes)
    )
    arrays = tuple(
        TensorArray(value.dtype, size=steps, element_shape=value.shape[1:], tensor_array_name=f"{base}input_{i}")
        for i, value in enumerate(flat_input)
    )
    arrays = tuple(array.unstack(value) for array, value in zip(arrays, flat_input))

    def step(time: Tensor, written: Any, state: Any) -> Any:
        values = [array.read(time) for array in arrays]
        for value, like in zip(values, flat_input):
            value.set_shape(like.shape[1:])
        now = nest.pack_sequence_as(inputs, values)
        if sequence_length is not None:
            output, new_state = rnn_step(
                time, sequence_length, shortest, longest, zero_output, state, lambda: cell(now, state), skip_conditionals=True
            )
        else:
            output, new_state = cell(now, state)
        written = tuple(array.write(time, value) for array, value in zip(written, nest.flatten(output)))
        return time + 1, written, new_state

    bound = one("Minimum", steps, one("Maximum", 1, longest))
    _, written, final = while_loop(
        cond=lambda time, *_: time < bound, body=step, loop_vars=(time, outputs, state),
        parallel_iterations=parallel_iterations, maximum_iterations=steps, swap_memory=swap_memory,
    )
    stacked = [array.stack() for array in written]
    for value, size in zip(stacked, output_sizes):
        value.set_shape(tools.joined_shape([known_steps, known_batch], size, static=True))
    return tools._packed(cell.output_size, iter(stacked)), final


def _known_shape(size: Any) -> TensorShape:
    return size if isinstance(size, TensorShape) else TensorShape([size] if isinstance(size, int) else size)


def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: int | None = None, swap_memory: bool = False,
    time_major: bool = False, scope: Any = None,
) -> tuple[Any, Any]:
    """Two networks, one of which reads the sequences backwards: both outputs and both last states."""
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def reversed_(value: Tensor) -> Tensor:
        if sequence_length is not None:
            return array_ops.reverse_sequence(
                value, seq_lengths=sequence_length, seq_axis=time_axis, batch_axis=batch_axis
            )
        return array_ops.reverse(value, axis=[time_axis])

    rest = dict(dtype=dtype, parallel_iterations=parallel_iterations, swap_memory=swap_memory, time_major=time_major)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            output_fw, state_fw = dynamic_rnn(cell_fw, inputs, sequence_length, initial_state_fw, scope=fw_scope, **rest)
        with variable_scope("bw") as bw_scope:
            backwards = nest.map_structure(lambda value: reversed_(convert_to_tensor(value)), inputs)
            output_bw, state_bw = dynamic_rnn(cell_bw, backwards, sequence_length, initial_state_bw, scope=bw_scope, **rest)
    return (output_fw, nest.map_structure(reversed_, output_bw)), (state_fw, state_bw)


def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
) -> tuple[list[Any], Any]:
    """A cell applied to a list of inputs, one for each step: the list of outputs, and the last state."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a sequence, not {type(inputs).__name__}")
    if not inputs:
        raise ValueError("inputs must not be empty")
    tools = _shape_tools()
    inputs = [nest.map_structure(convert_to_tensor, value) for value in inputs]
    with variable_scope(scope or "rnn") as varscope:
        _cache(varscope)
        first = nest.flatten(inputs[0])[0]
        known = None
        if first.shape.ndims != 1:
            for value in nest.flatten(inputs[0]):
                if value.shape.ndims is not None and value.shape[0].value is not None:
                    known = value.shape[0].value
        batch_size = known if known is not None else array_ops.shape(first)[0]
        if initial_state is not None:
            state = initial_state
        else:
            if dtype is None:
                raise ValueError("If no initial_state is provided, dtype must be specified")
            state = cell.zero_state(batch_size, dtype)
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if sequence_length.shape.ndims not in (None, 1):
                raise ValueError("sequence_length is a list with one length an example")
            kind = state_dtype(dtype, state)

            def zeros(size: Any) -> Tensor:
                made = array_ops.zeros(tools.joined_shape(batch_size, size), kind)
                made.set_shape(tools.joined_shape(known, size, static=True))
                return made

            zero_output = tools._packed(cell.output_size, iter([zeros(size) for size in tools._sizes(cell.output_size)]))
            sequence_length = math_ops.cast(sequence_length, dtypes.int32)
            shortest, longest = math_ops.reduce_min(sequence_length), math_ops.reduce_max(sequence_length)
        outputs = []
        for time, value in enumerate(inputs):
            if time > 0:
                varscope.reuse_variables()
            if sequence_length is not None:
                output, state = rnn_step(
                    time, sequence_length, shortest, longest, zero_output, state,
                    lambda value=value, state=state: cell(value, state),  # type: ignore[misc]
                )
            else:
                output, state = cell(value, state)
            outputs.append(output)
        return outputs, state


def static_state_saving_rnn(
    cell: Any, inputs: Any, state_saver: Any, state_name: Any, sequence_length: Any = None, scope: Any = None
) -> tuple[list[Any], Any]:
    """As `static_rnn`, from a state that an object keeps between steps: it has `state(name)` and `save_state(name, value)`."""
    names = nest.flatten(state_name)
    state = nest.pack_sequence_as(cell.state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state=state, sequence_length=sequence_length, scope=scope)
    saves = [state_saver.save_state(name, value) for name, value in zip(names, nest.flatten(state))]
    with get_default_graph().control_dependencies(saves):
        last = nest.map_structure(array_ops.identity, outputs[-1])
    return [*outputs[:-1], last], state


def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None, initial_state_bw: Any = None, dtype: Any = None,
    sequence_length: Any = None, scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Two networks over a list of inputs, one of which reads it backwards: joined outputs, and both last states."""
    if not isinstance(inputs, list):
        raise TypeError(f"`inputs` is {type(inputs).__name__}; give a list with a tensor for each time")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=fw_scope)
        with variable_scope("bw") as bw_scope:
            backwards = _reversed_list(inputs, sequence_length)
            backwards_out, state_bw = static_rnn(cell_bw, backwards, initial_state_bw, dtype, sequence_length, scope=bw_scope)
    output_bw = _reversed_list(backwards_out, sequence_length)
    flat_fw, flat_bw = [nest.flatten(o) for o in output_fw], [nest.flatten(o) for o in output_bw]
    joined = [
        nest.pack_sequence_as(output_fw[0], [array_ops.concat([f, b], 1) for f, b in zip(fw, bw)])
        for fw, bw in zip(flat_fw, flat_bw)
    ]
    return joined, state_fw, state_bw


def _reversed_list(values: list[Any], lengths: Any) -> list[Any]:
    if lengths is None:
        return list(reversed(values))
    flat = [nest.flatten(value) for value in values]
    columns = []
    for column in zip(*flat):
        shape = TensorShape(None)
        for value in column:
            shape = shape.merge_with(value.shape)
            value.set_shape(shape)
        turned = array_ops.reverse_sequence(array_ops.stack(list(column)), lengths, 0, 1)
        made = array_ops.unstack(turned)
        for value in made:
            value.set_shape(shape)
        columns.append(made)
    return [nest.pack_sequence_as(values[0], list(row)) for row in zip(*columns)]


def raw_rnn(
    cell: Any, loop_fn: Any, parallel_iterations: int | None = None, swap_memory: bool = False, scope: Any = None
) -> tuple[Any, Any, Any]:
    """A cell in a loop that a function steers.

    `loop_fn(time, cell_output, cell_state, loop_state)` gives whether sequences have ended, the next input, the next state, what
    is to be kept as output, and the next loop state. The first time, its last three arguments are None.
    """
    from tensorfleet._ops.control_flow import while_loop
    from tensorfleet._ops.tensor_array import TensorArray

    if not callable(loop_fn):
        raise TypeError(f"loop_fn must be a callable, not {loop_fn!r}")
    tools = _shape_tools()
    with variable_scope(scope or "rnn") as varscope:
        _cache(varscope)
        time = constant(0, dtype=dtypes.int32)
        finished, next_input, state, emitted, loop_state = loop_fn(time, None, None, None)
        loop_state = constant(0, dtype=dtypes.int32) if loop_state is None else loop_state
        flat_input = nest.flatten(next_input)
        known = flat_input[0].shape[0].value
        batch_size = known if known is not None else array_ops.shape(flat_input[0])[0]
        structure = cell.output_size if emitted is None else emitted
        if emitted is not None:
            sizes = [value.shape if value.shape.is_fully_defined() else array_ops.shape(value) for value in nest.flatten(emitted)]
            kinds = [value.dtype for value in nest.flatten(emitted)]
        else:
            sizes = tools._sizes(cell.output_size)
            kinds = [flat_input[0].dtype] * len(sizes)
        arrays = [
            TensorArray(kind, size=0, dynamic_size=True, element_shape=None, tensor_array_name=f"rnn_output_{i}")
            for i, kind in enumerate(kinds)
        ]
        zeros = [array_ops.zeros(tools.joined_shape(batch_size, size), kind) for size, kind in zip(sizes, kinds)]
        zero_emit = tools._packed(structure, iter(zeros)) if emitted is None else nest.pack_sequence_as(structure, zeros)

        def step(time: Any, finished: Any, current: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
            output, cell_state = cell(current, state)
            after = time + 1
            ended, next_input, next_state, emit, next_loop = loop_fn(after, output, cell_state, loop_state)
            nest.assert_same_structure(state, next_state)
            next_loop = loop_state if next_loop is None else next_loop

            def kept(before: Any, new: Any) -> Any:
                if not isinstance(new, Tensor) or new.shape.ndims == 0:
                    return new
                with new.graph.colocate_with(new.op):
                    return one("Select", finished, before, new)

            emit = output if emit is None else emit
            emit = [kept(zero, new) for zero, new in zip(nest.flatten(zero_emit), nest.flatten(emit))]
            next_state = nest.pack_sequence_as(
                state, [kept(a, b) for a, b in zip(nest.flatten(state), nest.flatten(next_state))]
            )
            arrays = tuple(array.write(time, value) for array, value in zip(arrays, emit))
            ended = one("LogicalOr", finished, ended)
            return after, ended, next_input, arrays, next_state, next_loop

        results = while_loop(
            lambda time, finished, *_: one("LogicalNot", math_ops.reduce_all(finished)), step,
            (time, finished, next_input, tuple(arrays), state, loop_state),
            parallel_iterations=parallel_iterations or 32, swap_memory=swap_memory,
        )
        written, state, loop_state = results[3], results[4], results[5]
        flat = list(written)
        packed = tools._packed(structure, iter(flat)) if emitted is None else nest.pack_sequence_as(structure, flat)
        return packed, state, loop_state
