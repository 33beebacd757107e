"""What programs ask of TensorFlow beside ops: modes, messages of tensors, names of choices, Python functions in graphs."""

from __future__ import annotations

import contextlib
import enum
import sys
from typing import Any, Callable, Iterator

from tensorfleet._framework import dtypes, nest
from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph, name_scope
from tensorfleet._framework.tensor_shape import Dimension, as_shape

__all__ = [
    "AggregationMethod", "NoGradient", "NotDifferentiable", "RegisterGradient", "UnconnectedGradients", "VariableAggregation",
    "VariableSynchronization", "add_check_numerics_ops", "control_flow_v2_enabled", "custom_gradient", "dimension_at_index",
    "disable_control_flow_v2", "disable_eager_execution", "disable_tensor_equality", "disable_v2_behavior",
    "disable_v2_tensorshape", "enable_eager_execution", "executing_eagerly", "executing_eagerly_outside_functions",
    "get_logger",
    "init_scope", "is_symbolic_tensor", "load_file_system_library", "load_library", "load_op_library", "make_ndarray", "make_template",
    "make_tensor_proto", "no_gradient", "op_scope", "print", "py_function", "timestamp",
    "unravel_index",
]


class AggregationMethod:
    """How gradients that meet are added; they are added in one way here, whatever is asked for."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """What the gradient is where there is no connection."""

    NONE = "none"
    ZERO = "zero"


class VariableSynchronization(enum.Enum):
    """When copies of a variable are made equal."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How changes of copies of a variable come together."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


# Modes of TensorFlow 2, which are off here.


def executing_eagerly() -> bool:
    """False: operations are added to graphs."""
    return False


def executing_eagerly_outside_functions() -> bool:
    """False: operations are added to graphs."""
    return False


def control_flow_v2_enabled() -> bool:
    """False: conditions and loops are nodes of the graph."""
    return False


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of a graph."""
    return isinstance(tensor, Tensor)


def disable_v2_behavior() -> None:
    """Does nothing: TensorFlow 1's behaviour is the only one here."""


disable_eager_execution = disable_tensor_equality = disable_v2_tensorshape = disable_control_flow_v2 = disable_v2_behavior


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Not here: operations are added to graphs, which sessions run."""
    raise NotImplementedError("tensorfleet builds graphs that sessions run; there is no eager execution: use tf.Session")


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Operations built within wait for nothing of the scopes around."""
    with get_default_graph().control_dependencies(None):
        yield


def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Any:
    """As `name_scope`, with its arguments in the order that TensorFlow 0.x had."""
    return name_scope(name, default_name, values)


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """A dimension of a shape, unknown if the rank is."""
    return Dimension(None) if as_shape(shape).ndims is None else as_shape(shape)[index]


def get_logger() -> Any:
    """The logger of the package."""
    import logging

    return logging.getLogger("tensorflow")


def make_template(
    name_: str, func_: Callable[..., Any], create_scope_now_: bool = False, unique_name_: str | None = None,
    custom_getter_: Any = None, **kwargs: Any,
) -> Callable[..., Any]:
    """A function that makes its variables when it is first called, and uses the same ones in every later call.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     scaled = tf.make_template("scale", lambda x: x * tf.get_variable("w", [], tf.float32))
    ...     _ = scaled(1.0), scaled(2.0)
    ...     [v.name for v in tf.global_variables()]
    ['scale/w:0']
    """
    from tensorfleet._framework.variable_scope import variable_scope

    made: list[Any] = []

    def enter() -> Any:
        if unique_name_ is not None:
            return variable_scope(unique_name_, custom_getter=custom_getter_)
        return variable_scope(None, default_name=name_, custom_getter=custom_getter_)

    if create_scope_now_:
        with enter() as scope:
            made.append([scope, False])

    def template(*args: Any, **more: Any) -> Any:
        if not made:
            with enter() as scope:
                made.append([scope, True])
                return func_(*args, **kwargs, **more)
        scope, called = made[0]
        made[0][1] = True
        with variable_scope(scope, reuse=called):
            return func_(*args, **kwargs, **more)

    return template


# Messages of tensors


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> Any:
    """The message of a value.

    >>> make_ndarray(make_tensor_proto([1, 2])).tolist()
    [1, 2]
    """
    from tensorfleet._framework.convert import constant
    from tensorfleet._framework.graph import Graph

    with Graph().as_default():
        return constant(values, dtype, shape, verify_shape=verify_shape).op.node_def.attr["value"].tensor


def make_ndarray(tensor: Any) -> Any:
    """The array that a message of a tensor holds."""
    from tensorfleet._framework.convert import constant_value
    from tensorfleet._framework.graph import Graph
    from tensorfleet._framework.messages import GraphDef

    definition = GraphDef()
    node = definition.node.add(name="value", op="Const")
    node.attr["dtype"].type = tensor.dtype
    node.attr["value"].tensor.CopyFrom(tensor)
    graph = Graph()
    graph._core.import_graph_def(definition.SerializeToString())
    return constant_value(graph.get_tensor_by_name("value:0"))


# Ops


def timestamp(name: str | None = None) -> Tensor:
    """The time when the step runs, in seconds since 1970."""
    return one("Timestamp", name=name)


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that writes values, when a step runs it, to standard error or another stream."""
    stream, name = kwargs.pop("output_stream", sys.stderr), kwargs.pop("name", None)
    summarize, separator, end = kwargs.pop("summarize", 3), kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"tf.print does not know the arguments {', '.join(kwargs)}")
    streams = {sys.stdout: "stdout", sys.stderr: "stderr"}
    where = stream if isinstance(stream, str) and stream.startswith("file://") else streams.get(stream)
    if where is None:
        raise ValueError(f"tf.print writes to sys.stdout, sys.stderr or a file given as 'file://...', not to {stream!r}")
    parts, tensors = [], []
    for value in inputs:
        leaves = [leaf for leaf in nest.flatten(value) if isinstance(leaf, Tensor) or hasattr(leaf, "_as_graph_element")]
        if leaves:
            tensors += leaves
            shown = nest.map_structure(lambda leaf: "{}" if leaf in leaves else leaf, value)
            parts.append(str(shown).replace("'{}'", "{}") if nest.is_nested(value) else "{}")
        else:
            parts.append(str(value))
    text = one("StringFormat", tensors, template=separator.join(parts), placeholder="{}", summarize=summarize) if tensors \
        else convert_to_tensor(separator.join(parts))
    return apply_op("PrintV2", text, name=name, output_stream=where, end=end)


def add_check_numerics_ops() -> Operation:
    """An operation that checks that all floating point tensors of the default graph, up to now, are finite numbers."""
    from tensorfleet._ops.group_ops import group

    checks: list[Operation] = []
    for operation in get_default_graph().get_operations():
        for output in operation.outputs:
            if output.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
                with get_default_graph().control_dependencies(checks[-1:]):
                    checks.append(apply_op("CheckNumerics", output, message=output.name))
    return group(*checks)


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The places in a shape that numbers of elements stand for."""
    from tensorfleet._ops import op_scope as scopes
    from tensorfleet._ops.arithmetic_ops import cumprod, floordiv, mod
    from tensorfleet._ops.shape_ops import expand_dims, reshape

    with scopes.op_scope(name, "UnravelIndex", [indices, dims]):
        indices, dims = convert_to_tensor(indices), convert_to_tensor(dims)
        strides = cumprod(dims, exclusive=True, reverse=True)
        if indices.shape.ndims:
            strides, dims = reshape(strides, [-1, 1]), reshape(dims, [-1, 1])
            indices = expand_dims(indices, 0)
        return mod(floordiv(indices, strides), dims)


# What is not here


def _no_python(word: str) -> Any:
    raise NotImplementedError(
        f"{word}: graphs are run by servers that may be other processes, which cannot call Python functions. Feed what the "
        "function computes (feed_dict), make it before the step (a tf.data generator or an enqueueing thread), or build it of ops"
    )


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Not here: graphs cannot call Python functions."""
    return _no_python("tf.py_function")


def custom_gradient(f: Any = None) -> Any:
    """Not here: the gradients of ops are part of the package."""
    raise NotImplementedError("tf.custom_gradient: a gradient of one's own is built of tf.stop_gradient: with y = f(x) and the wanted "
                              "slope s, tf.stop_gradient(y - s * x) + s * x has the value of y and the gradient s")


class RegisterGradient:
    """Not here: the gradients of ops are part of the package."""

    def __init__(self, op_type: str) -> None:
        raise NotImplementedError(f"tf.RegisterGradient({op_type!r}): the gradients of ops are part of the package; a gradient of one's "
                                  "own is built of tf.stop_gradient, or given to tf.gradients as grad_ys")


def no_gradient(op_type: str) -> None:
    """Not here: the gradients of ops are part of the package."""
    raise NotImplementedError(
        f"tf.no_gradient({op_type!r}): the gradients of ops are part of the package; tf.stop_gradient stops one"
    )


NoGradient = NotDifferentiable = no_gradient


def load_op_library(library_filename: str) -> Any:
    """Not here: kernels that are compiled for TensorFlow cannot be loaded."""
    raise NotImplementedError(f"tf.load_op_library({library_filename!r}): kernels that are compiled for TensorFlow cannot be loaded; "
                              "an op is written in Rust, see CONTRIBUTING.md")


load_library = load_file_system_library = load_op_library
