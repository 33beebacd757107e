# Written by stubs.py; do not edit.

from tensorfleet._contrib.optimize import OPTIMIZER_CLS_NAMES as OPTIMIZER_CLS_NAMES
from tensorfleet._contrib.optimize import OPTIMIZER_SUMMARIES as OPTIMIZER_SUMMARIES
from tensorfleet._contrib.regularizers import apply_regularization as apply_regularization
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
from tensorfleet._contrib.layer_functions import dropout as dropout
from tensorfleet._contrib.more_layers import embed_sequence as embed_sequence
from tensorfleet._contrib.more_layers import embedding_lookup_unique as embedding_lookup_unique
from tensorfleet._contrib.layer_functions import flatten as flatten
from tensorfleet._contrib.layer_functions import fully_connected as fully_connected
from tensorfleet._contrib.regularizers import l1_l2_regularizer as l1_l2_regularizer
from tensorfleet._contrib.regularizers import l1_regularizer as l1_regularizer
from tensorfleet._contrib.regularizers import l2_regularizer as l2_regularizer
from tensorfleet._contrib.more_layers import layer_norm as layer_norm
from tensorfleet._contrib.layer_functions import max_pool2d as max_pool2d
from tensorfleet._contrib.layer_functions import max_pool3d as max_pool3d
from tensorfleet._contrib.more_layers import one_hot_encoding as one_hot_encoding
from tensorfleet._contrib.optimize import optimize_loss as optimize_loss
from tensorfleet._contrib.more_layers import repeat as repeat
from tensorfleet._ops.nn_embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from tensorfleet._contrib.layer_functions import separable_convolution2d as separable_conv2d
from tensorfleet._contrib.layer_functions import separable_convolution2d as separable_convolution2d
from tensorfleet._contrib.layer_functions import softmax as softmax
from tensorfleet._contrib.more_layers import stack as stack
from tensorfleet._contrib.regularizers import sum_regularizer as sum_regularizer
from tensorfleet._contrib.more_layers import unit_norm as unit_norm
from tensorfleet._contrib.regularizers import variance_scaling_initializer as variance_scaling_initializer
from tensorfleet._contrib.regularizers import xavier_initializer as xavier_initializer
from tensorfleet._contrib.regularizers import xavier_initializer as xavier_initializer_conv2d

__all__ = [
    "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "apply_regularization", "avg_pool2d", "avg_pool3d", "batch_norm",
    "bias_add", "conv1d", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "convolution", "convolution2d",
    "convolution2d_transpose", "convolution3d", "dropout", "embed_sequence", "embedding_lookup_unique", "flatten",
    "fully_connected", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "layer_norm", "max_pool2d",
    "max_pool3d", "one_hot_encoding", "optimize_loss", "repeat", "safe_embedding_lookup_sparse", "separable_conv2d",
    "separable_convolution2d", "softmax", "stack", "sum_regularizer", "unit_norm", "variance_scaling_initializer",
    "xavier_initializer", "xavier_initializer_conv2d"
]
