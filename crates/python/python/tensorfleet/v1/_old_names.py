"""Names of TensorFlow's earlier versions and of other modules, and what is said of names that are not here."""

from __future__ import annotations

import importlib
from typing import Any

# Names that changed: what each is called now, or the function that keeps its old arguments.
_OLD = {
    "mul": "multiply", "sub": "subtract", "neg": "negative", "concat_v2": "concat", "split_v": "split", "listdiff": "setdiff1d",
    "list_diff": "setdiff1d", "all_variables": "global_variables", "initialize_all_variables": "global_variables_initializer",
    "initialize_variables": "variables_initializer", "initialize_local_variables": "local_variables_initializer",
    "batch_cholesky": "cholesky", "batch_cholesky_solve": "cholesky_solve", "batch_matrix_band_part": "matrix_band_part",
    "batch_matrix_determinant": "matrix_determinant", "batch_matrix_diag": "matrix_diag",
    "batch_matrix_diag_part": "matrix_diag_part", "batch_matrix_inverse": "matrix_inverse",
    "batch_matrix_set_diag": "matrix_set_diag", "batch_matrix_solve": "matrix_solve",
    "batch_matrix_triangular_solve": "matrix_triangular_solve", "batch_matrix_solve_ls": "matrix_solve_ls", "batch_svd": "svd",
    "batch_self_adjoint_eig": "self_adjoint_eig", "batch_self_adjoint_eigvals": "self_adjoint_eigvals", "batch_fft": "fft",
    "batch_fft2d": "fft2d", "batch_fft3d": "fft3d", "batch_ifft": "ifft", "batch_ifft2d": "ifft2d", "batch_ifft3d": "ifft3d", "foldr_v2": "foldr",
    "unsorted_segment_sqrtn": "unsorted_segment_sqrt_n",
    "div_no_nan_v2": "div_no_nan", "scatter_nd_non_aliasing_add": "tensor_scatter_nd_add",
}
_FUNCTIONS = {
    "scalar_summary", "histogram_summary", "image_summary", "audio_summary", "merge_summary", "merge_all_summaries", "pack",
    "unpack", "select", "inv", "batch_matmul", "complex_abs", "batch_matrix_transpose",
}
# Names that are in modules which are loaded when they are first asked for.
_ELSEWHERE = {
    "Barrier": "tensorfleet._ops.barrier",
    "DeviceSpec": "tensorfleet._framework.device_spec", "OpError": "tensorfleet._framework.errors",
    "import_graph_def": "tensorfleet._framework.importer",
}
_MODULES = {"lookup", "sets"}

# What to use instead of names that are not here.
_INSTEAD = {
    "GradientTape": "tf.gradients", "function": "the functions themselves: they add ops to the graph",
    "wrap_function": "the functions themselves: they add ops to the graph", "Module": "tf.variable_scope",
    "estimator": "tf.train.MonitoredTrainingSession with a loop of one's own", "keras": "tf.layers, tf.losses and tf.train",
    "feature_column": "tf.nn.embedding_lookup, tf.one_hot and tf.layers",
    "distribute": "tf.train.Server and tf.train.replica_device_setter",
    "RaggedTensor": "tf.SparseTensor, or dense tensors with tf.sequence_mask",
    "ragged": "tf.SparseTensor, or dense tensors with tf.sequence_mask", "vectorized_map": "tf.map_fn",
    "tpu": "tf.device",
    "enable_v2_behavior": "tensorfleet.v1 as it is: there is no version 2", "config": "tf.ConfigProto",
    "lite": "tf.graph_util.convert_variables_to_constants and a runtime of its own",
    "distributions": "tf.random_normal and others, with the densities written out",
    "map_fn_v2": "tf.map_fn", "recompute_grad": "the function itself", "user_ops": "tf.raw_ops",
}


def find(name: str) -> Any:
    """What a name stands for that is not in the namespace itself; AttributeError for a name that is not here at all."""
    if name.startswith("__"):
        raise AttributeError(f"module 'tensorfleet.v1' has no attribute {name!r}")
    namespace = importlib.import_module("tensorfleet.v1")
    value = _lookup(name, vars(namespace))
    setattr(namespace, name, value)
    return value


def names() -> set[str]:
    """All that `find` finds."""
    misc = importlib.import_module("tensorfleet._ops.misc_ops")
    return {*_OLD, *_FUNCTIONS, *_ELSEWHERE, *_MODULES, *misc.__all__}


def _lookup(name: str, known: dict[str, Any]) -> Any:
    if name in _OLD and _OLD[name] in known:
        return known[_OLD[name]]
    if name in _FUNCTIONS:
        return getattr(importlib.import_module("tensorfleet.v1._old_functions"), name)
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"tensorfleet.v1.{name}")
    misc = importlib.import_module("tensorfleet._ops.misc_ops")
    if name in misc.__all__:
        return getattr(misc, name)
    raise AttributeError(_missing(name, known))


def _missing(name: str, known: dict[str, Any]) -> str:
    """A sentence about a name that is not here: whether TensorFlow had it, and what to use."""
    import difflib

    from tensorfleet.v1._known_names import NAMES

    if name in NAMES or name in _INSTEAD:
        hint = f"; use {_INSTEAD[name]}" if name in _INSTEAD else "; docs/python.md lists what is here"
        return f"tensorfleet has no tf.{name}, which TensorFlow 1.x had{hint}"
    here = [word for word in known if not word.startswith("_")] + list(_OLD) + sorted(_FUNCTIONS)
    near = difflib.get_close_matches(name, here, 3)
    hint = f"; did you mean {' or '.join('tf.' + word for word in near)}?" if near else ""
    return f"tensorfleet has no tf.{name}, and TensorFlow 1.x had none either{hint}"
