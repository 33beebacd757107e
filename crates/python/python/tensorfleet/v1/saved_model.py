"""`tf.saved_model`: models in folders, for serving."""

from __future__ import annotations

from tensorfleet._saved_model import (
    builder, constants, loader, main_op, signature_constants, signature_def_utils, tag_constants, utils,
)
from tensorfleet._saved_model.builder import SavedModelBuilder as Builder
from tensorfleet._saved_model.builder import simple_save
from tensorfleet._saved_model.constants import *  # noqa: F403
from tensorfleet._saved_model.loader import contains_saved_model, load, maybe_saved_model_directory
from tensorfleet._saved_model.signature_constants import *  # noqa: F403
from tensorfleet._saved_model.signature_def_utils import (
    build_signature_def, classification_signature_def, is_valid_signature, predict_signature_def, regression_signature_def,
)
from tensorfleet._saved_model.tag_constants import *  # noqa: F403
from tensorfleet._saved_model.utils import build_tensor_info, get_tensor_from_tensor_info

__all__ = [
    "Builder", "build_signature_def", "build_tensor_info", "builder", "classification_signature_def", "constants",
    "contains_saved_model", "get_tensor_from_tensor_info", "is_valid_signature", "load", "loader", "main_op",
    "maybe_saved_model_directory", "predict_signature_def", "regression_signature_def", "signature_constants",
    "signature_def_utils", "simple_save", "tag_constants", "utils",
]
