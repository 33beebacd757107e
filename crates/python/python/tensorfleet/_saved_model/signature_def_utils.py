"""Signatures: what a saved model takes and gives."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.messages import SignatureDef
from tensorfleet._saved_model import signature_constants as names
from tensorfleet._saved_model.utils import build_tensor_info


def build_signature_def(inputs: Any = None, outputs: Any = None, method_name: str | None = None) -> Any:
    """A signature of messages that describe tensors, by name."""
    made = SignatureDef()
    for key, info in (inputs or {}).items():
        made.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        made.outputs[key].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    return made


def _infos(tensors: Any) -> dict[str, Any]:
    return {key: build_tensor_info(tensor) for key, tensor in tensors.items()}


def predict_signature_def(inputs: Any, outputs: Any) -> Any:
    """A signature of any tensors to any tensors, by name."""
    if not inputs:
        raise ValueError("a prediction needs `inputs`")
    if not outputs:
        raise ValueError("a prediction needs `outputs`")
    return build_signature_def(_infos(inputs), _infos(outputs), names.PREDICT_METHOD_NAME)


def _strings(tensor: Any, what: str) -> Any:
    info = build_tensor_info(tensor)
    if info.dtype != dtypes.string.as_datatype_enum:
        raise ValueError(f"{what} are strings, not {tensor.dtype.name}")
    return info


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """A signature from examples to classes, scores or both."""
    if examples is None:
        raise ValueError("a classification needs `examples`")
    if classes is None and scores is None:
        raise ValueError("a classification needs `classes` or `scores`")
    outputs = {}
    if classes is not None:
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = _strings(classes, "Classification classes")
    if scores is not None:
        outputs[names.CLASSIFY_OUTPUT_SCORES] = build_tensor_info(scores)
    return build_signature_def(
        {names.CLASSIFY_INPUTS: _strings(examples, "Classification examples")}, outputs, names.CLASSIFY_METHOD_NAME)


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """A signature from examples to numbers."""
    if examples is None or predictions is None:
        raise ValueError("Regression `examples` and `predictions` cannot be None.")
    return build_signature_def(
        {names.REGRESS_INPUTS: _strings(examples, "Regression examples")},
        {names.REGRESS_OUTPUTS: build_tensor_info(predictions)}, names.REGRESS_METHOD_NAME)


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature has inputs, outputs and a method that is known."""
    methods = (names.CLASSIFY_METHOD_NAME, names.PREDICT_METHOD_NAME, names.REGRESS_METHOD_NAME)
    return bool(signature_def.inputs) and bool(signature_def.outputs) and signature_def.method_name in methods
