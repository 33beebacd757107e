"""TensorFlow 1.x's names: ``import tensorfleet.v1 as tf``."""

from __future__ import annotations

import importlib
from typing import Any

from tensorfleet._framework.convert import (
    IndexedSlices,
    SparseTensor,
    constant,
    convert_to_tensor,
    convert_to_tensor_or_indexed_slices,
)
from tensorfleet._framework.dtypes import (
    QUANTIZED_DTYPES, DType, as_dtype, bfloat16, bool, complex64, complex128, double, float16, float32, float64, half, int8, int16, int32, int64,
    qint8, qint16, qint32, quint8, quint16, resource, string, uint8, uint16, uint32, uint64, variant,
)
from tensorfleet._framework.importer import *
from tensorfleet._framework.graph import (
    Graph,
    Operation,
    Tensor,
    colocate_with,
    container,
    control_dependencies,
    device,
    get_default_graph,
    name_scope,
    reset_default_graph,
)
from tensorfleet._framework.session import InteractiveSession, Session, get_default_session
from tensorfleet._framework.sparse_value import SparseTensorValue
from tensorfleet._framework.tensor_shape import Dimension, TensorShape, dimension_value
from tensorfleet._framework.variables import (
    GraphKeys,
    Variable,
    disable_resource_variables,
    enable_resource_variables,
    resource_variables_enabled,
)
from tensorfleet._framework.init_ops import *
from tensorfleet._framework.variable_scope import *
from tensorfleet._framework.collections import *
from tensorfleet._ops.array_ops import *
from tensorfleet._ops.check_ops import *
from tensorfleet._ops.control_flow import *
from tensorfleet._ops.decomposition_ops import *
from tensorfleet._ops.gradient_ops import *
from tensorfleet._ops.lookup_ops import *
from tensorfleet._ops.math_ops import *
from tensorfleet._ops.parsing_ops import *
from tensorfleet._ops.queue_ops import *
from tensorfleet._ops.random_ops import *
from tensorfleet._ops.script_ops import *
from tensorfleet._ops.reader_ops import *
from tensorfleet._ops.sparse_ops import *
from tensorfleet._ops.spectral_ops import *
from tensorfleet._ops.state_ops import *
from tensorfleet._ops.string_ops import *

__version__ = "1.15.0"
VERSION = __version__
GIT_VERSION = "tensorfleet"
COMPILER_VERSION = "rustc"
newaxis = None

# Modules that are loaded when they are first asked for.
_MODULES = {
    "app", "bitwise", "compat", "contrib", "data", "debugging", "dtypes", "errors", "estimator", "examples", "feature_column", "flags",
    "gfile", "graph_util", "image", "initializers", "io", "keras", "layers", "linalg", "logging", "lookup", "losses", "manip", "math",
    "metrics", "models", "nn", "python", "python_io", "random", "raw_ops", "saved_model", "sets", "signal", "sparse",
    "spectral", "strings", "summary",
    "test", "train",
}
# Messages, which are classes of a module of their own.
_MESSAGES = {
    "AttrValue", "ConfigProto", "Event", "GPUOptions", "GraphDef", "GraphOptions", "HistogramProto", "LogMessage", "MetaGraphDef",
    "NameAttrList", "NodeDef", "OptimizerOptions", "RunMetadata", "RunOptions", "SessionLog", "Summary", "SummaryMetadata",
    "TensorInfo",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        from tensorfleet.v1._refused import explains

        module = importlib.import_module(f"tensorfleet.v1.{name}")
        explains(module, name)
        globals()[name] = module
        return module
    if name in _MESSAGES:
        from tensorfleet._framework import messages

        value = getattr(messages, name)
        globals()[name] = value
        return value
    return importlib.import_module("tensorfleet.v1._old_names").find(name)


def __dir__() -> list[str]:
    old = importlib.import_module("tensorfleet.v1._old_names")
    return sorted({*globals(), *_MODULES, *_MESSAGES, *old.names()})
