"""Cells of recurrent networks: one step each, from an input and a state to an output and the next state."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tensorfleet._framework import dtypes, nest
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, constant_value
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.init_ops import Constant, Zeros
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._framework.variable_scope import get_variable_scope, variable_scope
from tensorfleet._layers.layer import InputSpec, Layer
from tensorfleet._ops import array_ops, math_ops, nn_activation

LSTMStateTuple = namedtuple("LSTMStateTuple", ["c", "h"])
LSTMStateTuple.__doc__ = "The state of an LSTM cell: its memory `c` and its output `h`."


def joined_shape(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """A batch size and the shape of one element put together: as a tensor, or as what is known."""
    first, first_known = _shape_part(prefix)
    second, second_known = _shape_part(suffix)
    if static:
        return TensorShape(first_known).concatenate(TensorShape(second_known))
    if first is None or second is None:
        raise ValueError(f"both parts of a shape are needed, not None: {prefix} and {suffix}")
    return array_ops.concat([first, second], 0)


def _shape_part(value: Any) -> tuple[Tensor | None, Any]:
    if isinstance(value, Tensor):
        known = constant_value(value)
        if value.shape.ndims == 0:
            return array_ops.expand_dims(value, 0), [None if known is None else int(known)]
        if value.shape.ndims != 1:
            raise ValueError(
                f"a part of a shape is a number or a list of them, but {value.name} has shape {value.shape}"
            )
        return value, [None] * int(value.shape[0]) if known is None else [int(dim) for dim in known]
    shape = as_shape(value if isinstance(value, (list, tuple, TensorShape)) else [value])
    dims = shape.as_list()
    return (constant(dims, dtypes.int32) if shape.is_fully_defined() else None), dims


def zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros in the structure of a state."""

    def make(size: Any, kind: Any) -> Tensor:
        made = array_ops.zeros(joined_shape(batch_size, size), dtype=kind)
        made.set_shape(joined_shape(batch_size, size, static=True))
        return made

    sizes = _sizes(state_size)
    kinds = nest.flatten(dtype) if nest.is_nested(dtype) else [dtype] * len(sizes)
    return _packed(state_size, iter([make(size, kind) for size, kind in zip(sizes, kinds)]))


def _sizes(state_size: Any) -> list[Any]:
    """The shapes in a structure of them."""
    if isinstance(state_size, (list, tuple)) and not isinstance(state_size, TensorShape):
        return [size for part in state_size for size in _sizes(part)]
    return [state_size]


def _packed(structure: Any, values: Any) -> Any:
    if isinstance(structure, (list, tuple)) and not isinstance(structure, TensorShape):
        parts = [_packed(part, values) for part in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
    return next(values)


class RNNCell(Layer):
    """What all cells have in common. A cell of one's own defines `state_size`, `output_size` and `call(inputs, state)`."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        if scope is not None:
            with variable_scope(scope, custom_getter=self._getter) as scope:
                return Layer.__call__(self, inputs, state, scope=scope)
        if not hasattr(self, "_cell_scope"):
            self._cell_scope = variable_scope(get_variable_scope(), custom_getter=self._getter)
        with self._cell_scope:
            return Layer.__call__(self, inputs, state)

    def _getter(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        """Keeps the variables that a cell asks for itself among its weights."""
        variable = getter(*args, **kwargs)
        trainable = variable in get_default_graph().get_collection("trainable_variables")
        weights = self._trainable_weights if trainable else self._non_trainable_weights
        if not any(variable is known for known in weights):
            weights.append(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """The sizes of the state: a number, a shape, or a structure of such."""
        raise NotImplementedError(f"{type(self).__name__} does not say its state_size")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError(f"{type(self).__name__} does not say its output_size")

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros."""
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return zero_state_tensors(self.state_size, batch_size, dtype)

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """The state that a network starts from: zeros."""
        if inputs is not None:
            inputs = nest.flatten(inputs)[0]
            batch_size, dtype = array_ops.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(f"batch_size and dtype are needed: batch_size={batch_size}, dtype={dtype}")
        return self.zero_state(batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell whose weights are made by `build`, as those of layers."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any) -> Any:
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _depth(self, inputs_shape: Any) -> int:
        depth = as_shape(inputs_shape)[-1].value
        if depth is None:
            raise ValueError(f"the inputs' last dimension is unknown: {inputs_shape}")
        return depth


def _activation(given: Any) -> Any:
    if isinstance(given, str):
        return getattr(nn_activation, given)
    return nn_activation.tanh if given is None else given


class BasicRNNCell(LayerRNNCell):
    """`activation(W [input, state] + b)`."""

    def __init__(
        self, num_units: int, activation: Any = None, reuse: Any = None, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation = num_units, _activation(activation)
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes kernel and bias."""
        depth = self._depth(inputs_shape)
        self._kernel = self.add_variable("kernel", shape=[depth + self._num_units, self._num_units])
        self._bias = self.add_variable("bias", shape=[self._num_units], initializer=Zeros(dtype=self.dtype or dtypes.float32))
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Builds the step."""
        gates = math_ops.matmul(array_ops.concat([inputs, state], 1), self._kernel)
        output = self._activation(nn_activation.bias_add(gates, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """A gated recurrent unit: two gates say what of the state is used and what is kept."""

    def __init__(
        self, num_units: int, activation: Any = None, reuse: Any = None, kernel_initializer: Any = None,
        bias_initializer: Any = None, name: str | None = None, dtype: Any = None, **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation = num_units, _activation(activation)
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the weights of the gates and of the candidate."""
        depth, kind = self._depth(inputs_shape), self.dtype or dtypes.float32
        units, bias = self._num_units, self._bias_initializer
        self._gate_kernel = self.add_variable(
            "gates/kernel", shape=[depth + units, 2 * units], initializer=self._kernel_initializer
        )
        self._gate_bias = self.add_variable(
            "gates/bias", shape=[2 * units], initializer=bias if bias is not None else Constant(1.0, dtype=kind)
        )
        self._candidate_kernel = self.add_variable(
            "candidate/kernel", shape=[depth + units, units], initializer=self._kernel_initializer
        )
        self._candidate_bias = self.add_variable(
            "candidate/bias", shape=[units], initializer=bias if bias is not None else Zeros(dtype=kind)
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Builds the step."""
        gates = math_ops.matmul(array_ops.concat([inputs, state], 1), self._gate_kernel)
        value = one("Sigmoid", nn_activation.bias_add(gates, self._gate_bias))
        r, u = array_ops.split(value=value, num_or_size_splits=2, axis=1)
        candidate = math_ops.matmul(array_ops.concat([inputs, r * state], 1), self._candidate_kernel)
        c = self._activation(nn_activation.bias_add(candidate, self._candidate_bias))
        new = u * state + (1 - u) * c
        return new, new


class BasicLSTMCell(LayerRNNCell):
    """A long short-term memory cell: gates say what is written into its memory, kept there and read from it."""

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None, reuse: Any = None,
        name: str | None = None, dtype: Any = None, **kwargs: Any,
    ) -> None:
        kwargs.pop("input_size", None)
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._forget_bias, self._state_is_tuple = num_units, forget_bias, state_is_tuple
        self._activation = _activation(activation)
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        """Two times the number of units: a pair, or one number if the state is not a tuple."""
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes kernel and bias."""
        depth = self._depth(inputs_shape)
        self._kernel = self.add_variable("kernel", shape=[depth + self._num_units, 4 * self._num_units])
        self._bias = self.add_variable("bias", shape=[4 * self._num_units], initializer=Zeros(dtype=self.dtype or dtypes.float32))
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """Builds the step."""
        axis = constant(1, dtype=dtypes.int32)
        c, h = state if self._state_is_tuple else array_ops.split(value=state, num_or_size_splits=2, axis=axis)
        gates = math_ops.matmul(array_ops.concat([inputs, h], 1), self._kernel)
        gates = nn_activation.bias_add(gates, self._bias)
        i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=axis)
        bias = constant(self._forget_bias, dtype=f.dtype.base_dtype)
        kept = one("Mul", c, one("Sigmoid", math_ops.add(f, bias)))
        new_c = math_ops.add(kept, one("Mul", one("Sigmoid", i), self._activation(j)))
        new_h = one("Mul", self._activation(new_c), one("Sigmoid", o))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, array_ops.concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """A long short-term memory cell whose gates may look at the memory, with clipping and a projection of the output."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False, cell_clip: float | None = None, initializer: Any = None,
        num_proj: int | None = None, proj_clip: float | None = None, num_unit_shards: int | None = None,
        num_proj_shards: int | None = None, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None,
        reuse: Any = None, name: str | None = None, dtype: Any = None, **kwargs: Any,
    ) -> None:
        kwargs.pop("input_size", None)
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._use_peepholes, self._cell_clip = num_units, use_peepholes, cell_clip
        self._initializer, self._num_proj, self._proj_clip = initializer, num_proj, proj_clip
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple, self._activation = forget_bias, state_is_tuple, _activation(activation)
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output: a pair, or their sum if the state is not a tuple."""
        sizes = LSTMStateTuple(self._num_units, self._num_proj or self._num_units)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The number of units, or of the projection."""
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the weights."""
        from tensorfleet._framework.partitioned import fixed_size_partitioner

        def cut(shards: int | None) -> Any:
            return fixed_size_partitioner(shards) if shards is not None else None

        depth, units = self._depth(inputs_shape), self._num_units
        self._kernel = self.add_variable(
            "kernel", shape=[depth + self.output_size, 4 * units], initializer=self._initializer,
            partitioner=cut(self._num_unit_shards),
        )
        kind = self.dtype or dtypes.float32
        self._bias = self.add_variable("bias", shape=[4 * units], initializer=Zeros(dtype=kind))
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_variable(f"w_{gate}_diag", shape=[units], initializer=self._initializer) for gate in "fio"
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                "projection/kernel", shape=[units, self._num_proj], initializer=self._initializer,
                partitioner=cut(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """Builds the step."""
        if self._state_is_tuple:
            c_before, m_before = state
        else:
            c_before = array_ops.slice(state, [0, 0], [-1, self._num_units])
            m_before = array_ops.slice(state, [0, self._num_units], [-1, self.output_size])
        gates = math_ops.matmul(array_ops.concat([inputs, m_before], 1), self._kernel)
        gates = nn_activation.bias_add(gates, self._bias)
        i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            c = one("Sigmoid", f + self._forget_bias + self._w_f_diag * c_before) * c_before + one(
                "Sigmoid", i + self._w_i_diag * c_before
            ) * self._activation(j)
        else:
            c = one("Sigmoid", f + self._forget_bias) * c_before + one("Sigmoid", i) * self._activation(j)
        if self._cell_clip is not None:
            c = math_ops.clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = one("Sigmoid", o + self._w_o_diag * c) * self._activation(c)
        else:
            m = one("Sigmoid", o) * self._activation(c)
        if self._num_proj is not None:
            m = math_ops.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = math_ops.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else array_ops.concat([c, m], 1)
