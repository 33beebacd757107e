# Written by stubs.py; do not edit.

from tensorfleet._saved_model.builder import SavedModelBuilder as Builder
from tensorfleet._saved_model.signature_def_utils import build_signature_def as build_signature_def
from tensorfleet._saved_model.utils import build_tensor_info as build_tensor_info
from tensorfleet._saved_model import builder as builder
from tensorfleet._saved_model.signature_def_utils import classification_signature_def as classification_signature_def
from tensorfleet._saved_model import constants as constants
from tensorfleet._saved_model.loader import maybe_saved_model_directory as contains_saved_model
from tensorfleet._saved_model.utils import get_tensor_from_tensor_info as get_tensor_from_tensor_info
from tensorfleet._saved_model.signature_def_utils import is_valid_signature as is_valid_signature
from tensorfleet._saved_model.loader import load as load
from tensorfleet._saved_model import loader as loader
from tensorfleet._saved_model import main_op as main_op
from tensorfleet._saved_model.loader import maybe_saved_model_directory as maybe_saved_model_directory
from tensorfleet._saved_model.signature_def_utils import predict_signature_def as predict_signature_def
from tensorfleet._saved_model.signature_def_utils import regression_signature_def as regression_signature_def
from tensorfleet._saved_model import signature_constants as signature_constants
from tensorfleet._saved_model import signature_def_utils as signature_def_utils
from tensorfleet._saved_model.builder import simple_save as simple_save
from tensorfleet._saved_model import tag_constants as tag_constants
from tensorfleet._saved_model import utils as utils

__all__ = [
    "Builder", "build_signature_def", "build_tensor_info", "builder", "classification_signature_def", "constants",
    "contains_saved_model", "get_tensor_from_tensor_info", "is_valid_signature", "load", "loader", "main_op",
    "maybe_saved_model_directory", "predict_signature_def", "regression_signature_def", "signature_constants",
    "signature_def_utils", "simple_save", "tag_constants", "utils"
]
