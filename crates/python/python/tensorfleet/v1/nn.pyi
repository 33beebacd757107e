# Written by stubs.py; do not edit.

from tensorfleet._ops.nn_candidate import all_candidate_sampler as all_candidate_sampler
from tensorfleet._ops.nn_conv import atrous_conv2d as atrous_conv2d
from tensorfleet._ops.nn_conv import atrous_conv2d_transpose as atrous_conv2d_transpose
from tensorfleet._ops.nn_pool import avg_pool as avg_pool
from tensorfleet._ops.nn_pool import avg_pool1d as avg_pool1d
from tensorfleet._ops.nn_pool import avg_pool as avg_pool2d
from tensorfleet._ops.nn_pool import avg_pool3d as avg_pool3d
from tensorfleet._ops.nn_norm import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from tensorfleet._ops.nn_norm import batch_normalization as batch_normalization
from tensorfleet._ops.nn_activation import bias_add as bias_add
from tensorfleet._ops.nn_activation import bias_add_v1 as bias_add_v1
from tensorfleet._ops.rnn import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from tensorfleet._ops.nn_candidate import compute_accidental_hits as compute_accidental_hits
from tensorfleet._ops.nn_conv import conv1d as conv1d
from tensorfleet._ops.nn_conv import conv1d_transpose as conv1d_transpose
from tensorfleet._ops.nn_conv import conv2d as conv2d
from tensorfleet._ops.nn_conv import conv2d_backprop_filter as conv2d_backprop_filter
from tensorfleet._ops.nn_conv import conv2d_backprop_input as conv2d_backprop_input
from tensorfleet._ops.nn_conv import conv2d_transpose as conv2d_transpose
from tensorfleet._ops.nn_conv import conv3d as conv3d
from tensorfleet._ops.nn_conv import conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2
from tensorfleet._ops.nn_conv import conv3d_transpose as conv3d_transpose
from tensorfleet._ops.nn_conv import conv_transpose as conv_transpose
from tensorfleet._ops.nn_conv import convolution as convolution
from tensorfleet._ops.nn_activation import crelu as crelu
from tensorfleet._ops.ctc_ops import ctc_beam_search_decoder as ctc_beam_search_decoder
from tensorfleet._ops.ctc_ops import ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2
from tensorfleet._ops.ctc_ops import ctc_greedy_decoder as ctc_greedy_decoder
from tensorfleet._ops.ctc_ops import ctc_loss as ctc_loss
from tensorfleet._ops.shape_ops import depth_to_space as depth_to_space
from tensorfleet._ops.nn_conv import depthwise_conv2d as depthwise_conv2d
from tensorfleet._ops.nn_conv import depthwise_conv2d_native_backprop_filter as depthwise_conv2d_backprop_filter
from tensorfleet._ops.nn_conv import depthwise_conv2d_native_backprop_input as depthwise_conv2d_backprop_input
from tensorfleet._ops.nn_conv import depthwise_conv2d_native as depthwise_conv2d_native
from tensorfleet._ops.nn_conv import depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter
from tensorfleet._ops.nn_conv import depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input
from tensorfleet._ops.nn_pool import dilation2d as dilation2d
from tensorfleet._ops.nn_activation import dropout as dropout
from tensorfleet._ops.rnn import dynamic_rnn as dynamic_rnn
from tensorfleet._ops.nn_activation import elu as elu
from tensorfleet._ops.nn_embedding import embedding_lookup as embedding_lookup
from tensorfleet._ops.nn_embedding import embedding_lookup_sparse as embedding_lookup_sparse
from tensorfleet._ops.nn_pool import erosion2d as erosion2d
from tensorfleet._ops.nn_candidate import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tensorfleet._ops.nn_pool import fractional_avg_pool as fractional_avg_pool
from tensorfleet._ops.nn_pool import fractional_max_pool as fractional_max_pool
from tensorfleet._ops.nn_norm import fused_batch_norm as fused_batch_norm
from tensorfleet._ops.nn_activation import gelu as gelu
from tensorfleet._ops.nn_activation import in_top_k as in_top_k
from tensorfleet._ops.nn_activation import l2_loss as l2_loss
from tensorfleet._ops.nn_norm import l2_normalize as l2_normalize
from tensorfleet._ops.nn_activation import leaky_relu as leaky_relu
from tensorfleet._ops.nn_candidate import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from tensorfleet._ops.nn_norm import lrn as local_response_normalization
from tensorfleet._ops.nn_loss import log_poisson_loss as log_poisson_loss
from tensorfleet._ops.arithmetic_ops import log_sigmoid as log_sigmoid
from tensorfleet._ops.nn_activation import log_softmax as log_softmax
from tensorfleet._ops.nn_candidate import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from tensorfleet._ops.nn_norm import lrn as lrn
from tensorfleet._ops.nn_pool import max_pool as max_pool
from tensorfleet._ops.nn_pool import max_pool1d as max_pool1d
from tensorfleet._ops.nn_pool import max_pool2d as max_pool2d
from tensorfleet._ops.nn_pool import max_pool3d as max_pool3d
from tensorfleet._ops.nn_pool import max_pool_with_argmax as max_pool_with_argmax
from tensorfleet._ops.nn_norm import moments as moments
from tensorfleet._ops.nn_candidate import nce_loss as nce_loss
from tensorfleet._ops.nn_norm import normalize_moments as normalize_moments
from tensorfleet._ops.nn_pool import pool as pool
from tensorfleet._ops.rnn import raw_rnn as raw_rnn
from tensorfleet._ops.nn_activation import relu as relu
from tensorfleet._ops.nn_activation import relu6 as relu6
from tensorfleet._ops.nn_activation import relu_layer as relu_layer
from tensorfleet.v1 import nn_rnn_cell as rnn_cell
from tensorfleet._ops.nn_embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from tensorfleet._ops.nn_candidate import sampled_softmax_loss as sampled_softmax_loss
from tensorfleet._ops.nn_activation import selu as selu
from tensorfleet._ops.nn_conv import separable_conv2d as separable_conv2d
from tensorfleet._ops.nn_activation import sigmoid as sigmoid
from tensorfleet._ops.nn_loss import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from tensorfleet._ops.nn_activation import swish as silu
from tensorfleet._ops.nn_activation import softmax as softmax
from tensorfleet._ops.nn_loss import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from tensorfleet._ops.nn_loss import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from tensorfleet._ops.nn_activation import softplus as softplus
from tensorfleet._ops.nn_activation import softsign as softsign
from tensorfleet._ops.shape_ops import space_to_batch as space_to_batch
from tensorfleet._ops.shape_ops import space_to_depth as space_to_depth
from tensorfleet._ops.nn_loss import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from tensorfleet._ops.rnn import static_bidirectional_rnn as static_bidirectional_rnn
from tensorfleet._ops.rnn import static_rnn as static_rnn
from tensorfleet._ops.rnn import static_state_saving_rnn as static_state_saving_rnn
from tensorfleet._ops.nn_norm import sufficient_statistics as sufficient_statistics
from tensorfleet._ops.nn_activation import swish as swish
from tensorfleet._ops.nn_activation import tanh as tanh
from tensorfleet._ops.nn_activation import top_k as top_k
from tensorfleet._ops.nn_candidate import uniform_candidate_sampler as uniform_candidate_sampler
from tensorfleet._ops.nn_loss import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from tensorfleet._ops.nn_norm import weighted_moments as weighted_moments
from tensorfleet._ops.nn_conv import with_space_to_batch as with_space_to_batch
from tensorfleet._ops.nn_activation import xw_plus_b as xw_plus_b
from tensorfleet._ops.nn_activation import zero_fraction as zero_fraction

__all__ = [
    "all_candidate_sampler", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool", "avg_pool1d", "avg_pool2d",
    "avg_pool3d", "batch_norm_with_global_normalization", "batch_normalization", "bias_add", "bias_add_v1",
    "bidirectional_dynamic_rnn", "compute_accidental_hits", "conv1d", "conv1d_transpose", "conv2d",
    "conv2d_backprop_filter", "conv2d_backprop_input", "conv2d_transpose", "conv3d", "conv3d_backprop_filter_v2",
    "conv3d_transpose", "conv_transpose", "convolution", "crelu", "ctc_beam_search_decoder",
    "ctc_beam_search_decoder_v2", "ctc_greedy_decoder", "ctc_loss", "depth_to_space", "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input", "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter", "depthwise_conv2d_native_backprop_input", "dilation2d", "dropout",
    "dynamic_rnn", "elu", "embedding_lookup", "embedding_lookup_sparse", "erosion2d", "fixed_unigram_candidate_sampler",
    "fractional_avg_pool", "fractional_max_pool", "fused_batch_norm", "gelu", "in_top_k", "l2_loss", "l2_normalize",
    "leaky_relu", "learned_unigram_candidate_sampler", "local_response_normalization", "log_poisson_loss",
    "log_sigmoid", "log_softmax", "log_uniform_candidate_sampler", "lrn", "max_pool", "max_pool1d", "max_pool2d",
    "max_pool3d", "max_pool_with_argmax", "moments", "nce_loss", "normalize_moments", "pool", "raw_rnn", "relu",
    "relu6", "relu_layer", "rnn_cell", "safe_embedding_lookup_sparse", "sampled_softmax_loss", "selu",
    "separable_conv2d", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax",
    "softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2", "softplus", "softsign",
    "space_to_batch", "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "static_bidirectional_rnn",
    "static_rnn", "static_state_saving_rnn", "sufficient_statistics", "swish", "tanh", "top_k",
    "uniform_candidate_sampler", "weighted_cross_entropy_with_logits", "weighted_moments", "with_space_to_batch",
    "xw_plus_b", "zero_fraction"
]
