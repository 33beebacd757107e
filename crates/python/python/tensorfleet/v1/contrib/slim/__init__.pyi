# Written by stubs.py; do not edit.

from tensorfleet._contrib.arg_scope import add_arg_scope as add_arg_scope
from tensorfleet._contrib.variables import add_model_variable as add_model_variable
from tensorfleet._contrib.regularizers import apply_regularization as apply_regularization
from tensorfleet._contrib.arg_scope import arg_scope as arg_scope
from tensorfleet._contrib.arg_scope import arg_scoped_arguments as arg_scoped_arguments
from tensorfleet._contrib.variables import assert_global_step as assert_global_step
from tensorfleet._contrib.variables import assert_or_get_global_step as assert_or_get_global_step
from tensorfleet._contrib.assign import assign_from_checkpoint as assign_from_checkpoint
from tensorfleet._contrib.assign import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from tensorfleet._contrib.assign import assign_from_values as assign_from_values
from tensorfleet._contrib.assign import assign_from_values_fn as assign_from_values_fn
from tensorfleet._contrib.layer_functions import avg_pool2d as avg_pool2d
from tensorfleet._contrib.layer_functions import avg_pool3d as avg_pool3d
from tensorfleet._contrib.more_layers import batch_norm as batch_norm
from tensorfleet._contrib.more_layers import bias_add as bias_add
from tensorfleet._contrib.layer_functions import convolution1d as conv1d
from tensorfleet._contrib.layer_functions import convolution2d as conv2d
from tensorfleet._contrib.layer_functions import convolution2d_transpose as conv2d_transpose
from tensorfleet._contrib.layer_functions import convolution3d as conv3d
from tensorfleet._contrib.layer_functions import convolution3d_transpose as conv3d_transpose
from tensorfleet._contrib.layer_functions import convolution as convolution
from tensorfleet._contrib.layer_functions import convolution2d as convolution2d
from tensorfleet._contrib.layer_functions import convolution2d_transpose as convolution2d_transpose
from tensorfleet._contrib.layer_functions import convolution3d as convolution3d
from tensorfleet._contrib.variables import create_global_step as create_global_step
from tensorfleet._contrib.layer_functions import dropout as dropout
from tensorfleet._contrib.more_layers import embed_sequence as embed_sequence
from tensorfleet._contrib.more_layers import embedding_lookup_unique as embedding_lookup_unique
from tensorfleet._contrib.layer_functions import flatten as flatten
from tensorfleet._contrib.layer_functions import fully_connected as fully_connected
from tensorfleet._contrib.variables import get_global_step as get_global_step
from tensorfleet._contrib.variables import get_local_variables as get_local_variables
from tensorfleet._contrib.variables import get_model_variables as get_model_variables
from tensorfleet._contrib.variables import get_or_create_global_step as get_or_create_global_step
from tensorfleet._contrib.variables import get_trainable_variables as get_trainable_variables
from tensorfleet._contrib.variables import get_unique_variable as get_unique_variable
from tensorfleet._contrib.variables import get_variable_full_name as get_variable_full_name
from tensorfleet._contrib.variables import get_variables as get_variables
from tensorfleet._contrib.variables import get_variables_by_name as get_variables_by_name
from tensorfleet._contrib.variables import get_variables_by_suffix as get_variables_by_suffix
from tensorfleet._contrib.variables import get_variables_to_restore as get_variables_to_restore
from tensorfleet._contrib.variables import global_variable as global_variable
from tensorfleet._contrib.arg_scope import has_arg_scope as has_arg_scope
from tensorfleet._contrib.regularizers import l1_l2_regularizer as l1_l2_regularizer
from tensorfleet._contrib.regularizers import l1_regularizer as l1_regularizer
from tensorfleet._contrib.regularizers import l2_regularizer as l2_regularizer
from tensorfleet._contrib.more_layers import layer_norm as layer_norm
from tensorfleet.v1.contrib.slim import layers as layers
from tensorfleet.v1.contrib.slim import learning as learning
from tensorfleet._contrib.variables import local_variable as local_variable
from tensorfleet.v1.contrib.slim import losses as losses
from tensorfleet._contrib.layer_functions import max_pool2d as max_pool2d
from tensorfleet._contrib.layer_functions import max_pool3d as max_pool3d
from tensorfleet.v1.contrib import metrics as metrics
from tensorfleet.v1.contrib.slim import model_analyzer as model_analyzer
from tensorfleet._contrib.variables import model_variable as model_variable
from tensorfleet._contrib.more_layers import one_hot_encoding as one_hot_encoding
from tensorfleet.v1.contrib.slim import prefetch_queue as prefetch_queue
from tensorfleet._contrib.more_layers import repeat as repeat
from tensorfleet._contrib.layer_functions import separable_convolution2d as separable_conv2d
from tensorfleet._contrib.layer_functions import separable_convolution2d as separable_convolution2d
from tensorfleet._contrib.layer_functions import softmax as softmax
from tensorfleet._contrib.more_layers import stack as stack
from tensorfleet._contrib.regularizers import sum_regularizer as sum_regularizer
from tensorfleet.v1 import summary as summaries
from tensorfleet._contrib.more_layers import unit_norm as unit_norm
from tensorfleet._contrib.variables import variable as variable
from tensorfleet._contrib import variables as variables
from tensorfleet._contrib.regularizers import variance_scaling_initializer as variance_scaling_initializer
from tensorfleet._contrib.regularizers import xavier_initializer as xavier_initializer
from tensorfleet._contrib.regularizers import xavier_initializer as xavier_initializer_conv2d

__all__ = [
    "add_arg_scope", "add_model_variable", "apply_regularization", "arg_scope", "arg_scoped_arguments",
    "assert_global_step", "assert_or_get_global_step", "assign_from_checkpoint", "assign_from_checkpoint_fn",
    "assign_from_values", "assign_from_values_fn", "avg_pool2d", "avg_pool3d", "batch_norm", "bias_add", "conv1d",
    "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "convolution", "convolution2d",
    "convolution2d_transpose", "convolution3d", "create_global_step", "dropout", "embed_sequence",
    "embedding_lookup_unique", "flatten", "fully_connected", "get_global_step", "get_local_variables",
    "get_model_variables", "get_or_create_global_step", "get_trainable_variables", "get_unique_variable",
    "get_variable_full_name", "get_variables", "get_variables_by_name", "get_variables_by_suffix",
    "get_variables_to_restore", "global_variable", "has_arg_scope", "l1_l2_regularizer", "l1_regularizer",
    "l2_regularizer", "layer_norm", "layers", "learning", "local_variable", "losses", "max_pool2d", "max_pool3d",
    "metrics", "model_analyzer", "model_variable", "one_hot_encoding", "prefetch_queue", "repeat", "separable_conv2d",
    "separable_convolution2d", "softmax", "stack", "sum_regularizer", "summaries", "unit_norm", "variable", "variables",
    "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"
]
