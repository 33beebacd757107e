"""The paths of TensorFlow's source tree that programs import from (`tensorflow.python.framework.ops`), and where the same names are
here."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

_V1 = "tensorfleet.v1"
_MESSAGES = "tensorfleet._framework.messages"

# Modules by their paths below `tensorflow`; several paths may be one module here, which has the names of all of them.
_LEAVES = {
    "python.client.device_lib": f"{_V1}.python.client.device_lib",
    "python.client.session": _V1,
    "python.client.timeline": f"{_V1}.python.client.timeline",
    "python.framework.constant_op": _V1,
    "python.framework.device": "tensorfleet._framework.device_spec",
    "python.framework.dtypes": f"{_V1}.dtypes",
    "python.framework.errors": f"{_V1}.errors",
    "python.framework.errors_impl": f"{_V1}.errors",
    "python.framework.graph_util": f"{_V1}.graph_util",
    "python.framework.importer": _V1,
    "python.framework.ops": _V1,
    "python.framework.random_seed": _V1,
    "python.framework.tensor_shape": "tensorfleet._framework.tensor_shape",
    "python.framework.tensor_util": "tensorfleet._framework.convert",
    "python.layers.core": f"{_V1}.layers",
    "python.ops.nn": f"{_V1}.nn",
    "python.ops.nn_ops": f"{_V1}.nn",
    "python.ops.resources": "tensorfleet._framework.resources",
    "python.ops.rnn": f"{_V1}.nn",
    "python.ops.rnn_cell": f"{_V1}.nn.rnn_cell",
    "python.ops.rnn_cell_impl": f"{_V1}.nn.rnn_cell",
    "python.ops.image_ops": f"{_V1}.image",
    "python.ops.losses.losses": f"{_V1}.losses",
    "python.platform.app": f"{_V1}.app",
    "python.platform.flags": f"{_V1}.flags",
    "python.platform.gfile": f"{_V1}.gfile",
    "python.platform.tf_logging": f"{_V1}.logging",
    "python.pywrap_tensorflow": f"{_V1}.python.pywrap_tensorflow",
    "python.saved_model.builder": f"{_V1}.saved_model",
    "python.saved_model.loader": f"{_V1}.saved_model",
    "python.saved_model.signature_constants": f"{_V1}.saved_model.signature_constants",
    "python.saved_model.signature_def_utils": f"{_V1}.saved_model.signature_def_utils",
    "python.saved_model.tag_constants": f"{_V1}.saved_model.tag_constants",
    "python.summary.summary": f"{_V1}.summary",
    "python.training.device_setter": "tensorfleet._train.device_setter",
    "python.util.compat": f"{_V1}.compat",
    "python.util.nest": "tensorfleet._framework.nest",
    "contrib.learn.python.learn.datasets": f"{_V1}.contrib.learn.datasets",
    "contrib.learn.python.learn.datasets.mnist": f"{_V1}.contrib.learn.datasets.mnist",
    "compat.v1": _V1,
    "compat.v2": _V1,
}
for _name in (
    "array_ops check_ops clip_ops control_flow_ops data_flow_ops embedding_ops functional_ops gradients gradients_impl init_ops "
    "io_ops logging_ops lookup_ops math_ops parsing_ops random_ops resource_variable_ops sparse_ops state_ops string_ops "
    "tensor_array_ops variable_scope variables"
).split():
    _LEAVES[f"python.ops.{_name}"] = _V1
for _name in (
    "adagrad adam basic_session_run_hooks checkpoint_utils coordinator gradient_descent input learning_rate_decay "
    "momentum monitored_session moving_averages optimizer queue_runner rmsprop saver server_lib session_manager session_run_hook "
    "slot_creator supervisor sync_replicas_optimizer training training_util"
).split():
    _LEAVES[f"python.training.{_name}"] = f"{_V1}.train"
for _name in (
    "example.example_pb2 example.feature_pb2 framework.attr_value_pb2 framework.graph_pb2 framework.node_def_pb2 "
    "framework.step_stats_pb2 framework.summary_pb2 framework.tensor_pb2 framework.tensor_shape_pb2 framework.types_pb2 "
    "framework.variable_pb2 framework.versions_pb2 protobuf.cluster_pb2 protobuf.config_pb2 protobuf.meta_graph_pb2 "
    "protobuf.queue_runner_pb2 protobuf.rewriter_config_pb2 protobuf.saved_model_pb2 protobuf.saver_pb2 "
    "protobuf.tensorflow_server_pb2 util.event_pb2"
).split():
    _LEAVES[f"core.{_name}"] = _MESSAGES


# Folders that are not here, and what is said of them.
_INSTEAD = {"python.grappler": "sessions improve graphs by themselves, as graph_options.rewrite_options of a ConfigProto says"}


def refusal(path: str) -> str:
    """What is said of a path below `tensorflow` that is not here."""
    for folder, instead in _INSTEAD.items():
        if path == folder or path.startswith(folder + "."):
            return f"tensorfleet has no module tensorflow.{path}: {instead}"
    return f"tensorfleet has no module tensorflow.{path}; docs/python.md lists what is there and what to use instead"


def leaf(path: str) -> str | None:
    """The module here that a path below `tensorflow` stands for, if it is one of the source tree."""
    return _LEAVES.get(path)


def is_branch(path: str) -> bool:
    """Whether a path below `tensorflow` is a folder of modules that are here."""
    return any(known.startswith(path + ".") for known in _LEAVES)


class Branch(ModuleType):
    """A folder of TensorFlow's source tree: what is in it is loaded when it is first asked for."""

    def __init__(self, path: str) -> None:
        super().__init__(f"tensorflow.{path}")
        self.__dict__["_path"], self.__path__ = path, []  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return find(f"{self._path}.{name}")


def find(path: str) -> ModuleType:
    """The module or folder of a path below `tensorflow`; AttributeError if there is none."""
    real = leaf(path)
    if real is not None:
        return load(real)
    if is_branch(path):
        return Branch(path)
    raise AttributeError(refusal(path))


def load(real: str) -> Any:
    """A module, or what an attribute of a module stands for, such as `tensorfleet.v1.nn.rnn_cell`."""
    try:
        return importlib.import_module(real)
    except ModuleNotFoundError:
        parent, _, name = real.rpartition(".")
        return getattr(load(parent), name)
