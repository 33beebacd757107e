"""Placement between workers and parameter servers: variables go to the ps tasks in turn, all else to the worker."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework.device_spec import DeviceSpec
from tensorfleet._train.cluster import ClusterSpec

STANDARD_PS_OPS = (
    "Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2", "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp", "BoostedTreesQuantileStreamResourceHandleOp", "ResourceConditionalAccumulator",
    "DecisionTreeResource",
)


class RoundRobinStrategy:
    """One ps task after the other."""

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks, self._next = num_tasks, 0

    def __call__(self, op: Any) -> int:
        task, self._next = self._next, (self._next + 1) % self._num_tasks
        return task


# Programs name it as TensorFlow's module does.
_RoundRobinStrategy = RoundRobinStrategy


class GreedyLoadBalancingStrategy:
    """The ps task that has the least so far, as `load_fn` measures it."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        self._loads, self._load_fn = [0.0] * num_tasks, load_fn

    def __call__(self, op: Any) -> int:
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """How many bytes the variable of an operation has."""
    from tensorfleet._framework import dtypes
    from tensorfleet._framework.tensor_shape import TensorShape

    shape = TensorShape(op.get_attr("shape"))
    if not shape.is_fully_defined():
        raise ValueError(f"The size of the variable '{op.name}' is not known: its shape is {shape}")
    elements = 1
    for dim in shape.as_list():
        elements *= dim  # type: ignore[operator]
    return elements * dtypes.as_dtype(op.get_attr("dtype")).base_dtype.size


class _ReplicaDeviceChooser:
    """A device function: which device an operation goes to."""

    def __init__(
        self, ps_device: str | None, worker_device: str | None, merge_devices: bool, ps_ops: Any, ps_strategy: Any
    ) -> None:
        self._ps_device, self._worker_device, self._merge = ps_device, worker_device, merge_devices
        self._ps_ops, self._ps_strategy = ps_ops, ps_strategy

    def device_function(self, op: Any) -> str:
        """The device for an operation that is being built."""
        if not self._merge and op.device:
            return op.device
        own = DeviceSpec.from_string(op.device or "")
        if self._ps_device and op.type in self._ps_ops:
            ps = DeviceSpec.from_string(self._ps_device)
            if ps.job and (not own.job or own.job == ps.job):
                ps.task = self._ps_strategy(op)
            return ps.make_merged_spec(own).to_string()
        return DeviceSpec.from_string(self._worker_device or "").make_merged_spec(own).to_string()

    __call__ = device_function


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Any = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Any:
    """A device function for `tf.device`: variables go to the tasks of the ps job in turn, all else to the worker. None if there
    are no ps tasks.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.device(replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:7")):
    ...     a, b, c = [tf.Variable(1.0) for _ in range(3)]
    ...     a.device, b.device, c.device, (a + b).device
    ('/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:0', '/job:worker/task:7')
    """
    if cluster is not None:
        tasks = ClusterSpec(cluster)
        job = DeviceSpec.from_string(ps_device).job
        if job is None or job not in tasks.jobs:
            return None
        ps_tasks = tasks.num_tasks(job)
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        ps_strategy = RoundRobinStrategy(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError(f"ps_strategy is {ps_strategy!r}; give a function of an operation")
    ps_ops = list(STANDARD_PS_OPS) if ps_ops is None else ps_ops
    return _ReplicaDeviceChooser(ps_device, worker_device, merge_devices, ps_ops, ps_strategy)
