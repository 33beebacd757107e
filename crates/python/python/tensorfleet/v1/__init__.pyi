# Written by stubs.py; do not edit.

import builtins as _builtins
from tensorfleet._framework.variable_store import AUTO_REUSE as AUTO_REUSE
from tensorfleet._ops.misc_ops import AggregationMethod as AggregationMethod
from tensorfleet._ops.group_ops import Assert as Assert
from tensorfleet._framework.messages import AttrValue as AttrValue
from tensorfleet._ops.barrier import Barrier as Barrier
COMPILER_VERSION: _builtins.str
from tensorfleet._ops.queue_ops import ConditionalAccumulator as ConditionalAccumulator
from tensorfleet._ops.queue_ops import ConditionalAccumulatorBase as ConditionalAccumulatorBase
from tensorfleet._framework.messages import ConfigProto as ConfigProto
from tensorfleet._framework.dtypes import DType as DType
from tensorfleet._framework.device_spec import DeviceSpec as DeviceSpec
from tensorfleet._framework.tensor_shape import Dimension as Dimension
from tensorfleet._framework.messages import Event as Event
from tensorfleet._ops.queue_ops import FIFOQueue as FIFOQueue
from tensorfleet._ops.feature_ops import FixedLenFeature as FixedLenFeature
from tensorfleet._ops.feature_ops import FixedLenSequenceFeature as FixedLenSequenceFeature
from tensorfleet._ops.reader_ops import FixedLengthRecordReader as FixedLengthRecordReader
GIT_VERSION: _builtins.str
from tensorfleet._framework.messages import GPUOptions as GPUOptions
from tensorfleet._framework.graph import Graph as Graph
from tensorfleet._framework.messages import GraphDef as GraphDef
from tensorfleet._framework.variables import GraphKeys as GraphKeys
from tensorfleet._framework.messages import GraphOptions as GraphOptions
from tensorfleet._framework.messages import HistogramProto as HistogramProto
from tensorfleet._ops.reader_ops import IdentityReader as IdentityReader
from tensorfleet._framework.convert import IndexedSlices as IndexedSlices
from tensorfleet._framework.session import InteractiveSession as InteractiveSession
from tensorfleet._framework.messages import LogMessage as LogMessage
from tensorfleet._framework.messages import MetaGraphDef as MetaGraphDef
from tensorfleet._framework.messages import NameAttrList as NameAttrList
from tensorfleet._ops.misc_ops import no_gradient as NoGradient
from tensorfleet._framework.messages import NodeDef as NodeDef
from tensorfleet._ops.misc_ops import no_gradient as NotDifferentiable
from tensorfleet._framework.errors import OpError as OpError
from tensorfleet._framework.nodes import Operation as Operation
from tensorfleet._framework.messages import OptimizerOptions as OptimizerOptions
from tensorfleet._ops.queue_ops import PaddingFIFOQueue as PaddingFIFOQueue
from tensorfleet._ops.group_ops import Print as Print
from tensorfleet._ops.queue_ops import PriorityQueue as PriorityQueue
from tensorfleet._framework.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from tensorfleet._ops.queue_ops import QueueBase as QueueBase
from tensorfleet._ops.queue_ops import RandomShuffleQueue as RandomShuffleQueue
from tensorfleet._ops.reader_ops import ReaderBase as ReaderBase
from tensorfleet._ops.misc_ops import RegisterGradient as RegisterGradient
from tensorfleet._framework.messages import RunMetadata as RunMetadata
from tensorfleet._framework.messages import RunOptions as RunOptions
from tensorfleet._framework.session import Session as Session
from tensorfleet._framework.messages import SessionLog as SessionLog
from tensorfleet._ops.queue_ops import SparseConditionalAccumulator as SparseConditionalAccumulator
from tensorfleet._ops.feature_ops import SparseFeature as SparseFeature
from tensorfleet._framework.convert import SparseTensor as SparseTensor
from tensorfleet._framework.sparse_value import SparseTensorValue as SparseTensorValue
from tensorfleet._framework.messages import Summary as Summary
from tensorfleet._framework.messages import SummaryMetadata as SummaryMetadata
from tensorfleet._ops.reader_ops import TFRecordReader as TFRecordReader
from tensorfleet._framework.nodes import Tensor as Tensor
from tensorfleet._ops.tensor_array import TensorArray as TensorArray
from tensorfleet._framework.messages import TensorInfo as TensorInfo
from tensorfleet._framework.tensor_shape import TensorShape as TensorShape
from tensorfleet._ops.reader_ops import TextLineReader as TextLineReader
from tensorfleet._ops.misc_ops import UnconnectedGradients as UnconnectedGradients
VERSION: _builtins.str
from tensorfleet._ops.feature_ops import VarLenFeature as VarLenFeature
from tensorfleet._framework.variables import Variable as Variable
from tensorfleet._ops.misc_ops import VariableAggregation as VariableAggregation
from tensorfleet._framework.variable_scope import VariableScope as VariableScope
from tensorfleet._ops.misc_ops import VariableSynchronization as VariableSynchronization
from tensorfleet._ops.reader_ops import WholeFileReader as WholeFileReader
from tensorfleet._ops.arithmetic_ops import abs as abs
from tensorfleet._ops.arithmetic_ops import accumulate_n as accumulate_n
from tensorfleet._ops.unary_ops import acos as acos
from tensorfleet._ops.unary_ops import acosh as acosh
from tensorfleet._ops.arithmetic_ops import add as add
from tensorfleet._ops.misc_ops import add_check_numerics_ops as add_check_numerics_ops
from tensorfleet._ops.arithmetic_ops import add_n as add_n
from tensorfleet._framework.collections import add_to_collection as add_to_collection
from tensorfleet._framework.collections import add_to_collections as add_to_collections
from tensorfleet._framework.variable_lists import all_variables as all_variables
from tensorfleet._ops.arithmetic_ops import angle as angle
from tensorfleet.v1 import app as app
from tensorfleet._ops.arithmetic_ops import arg_max as arg_max
from tensorfleet._ops.arithmetic_ops import arg_min as arg_min
from tensorfleet._ops.arithmetic_ops import argmax as argmax
from tensorfleet._ops.arithmetic_ops import argmin as argmin
from tensorfleet._ops.slice_ops import argsort as argsort
from tensorfleet._framework.dtypes import as_dtype as as_dtype
from tensorfleet._ops.string_ops import as_string as as_string
from tensorfleet._ops.unary_ops import asin as asin
from tensorfleet._ops.unary_ops import asinh as asinh
from tensorfleet._ops.number_checks import assert_equal as assert_equal
from tensorfleet._ops.number_checks import assert_greater as assert_greater
from tensorfleet._ops.number_checks import assert_greater_equal as assert_greater_equal
from tensorfleet._ops.shape_checks import assert_integer as assert_integer
from tensorfleet._ops.number_checks import assert_less as assert_less
from tensorfleet._ops.number_checks import assert_less_equal as assert_less_equal
from tensorfleet._ops.number_checks import assert_near as assert_near
from tensorfleet._ops.number_checks import assert_negative as assert_negative
from tensorfleet._ops.number_checks import assert_non_negative as assert_non_negative
from tensorfleet._ops.number_checks import assert_non_positive as assert_non_positive
from tensorfleet._ops.number_checks import assert_none_equal as assert_none_equal
from tensorfleet._ops.number_checks import assert_positive as assert_positive
from tensorfleet._ops.shape_checks import assert_proper_iterable as assert_proper_iterable
from tensorfleet._ops.shape_checks import assert_rank as assert_rank
from tensorfleet._ops.shape_checks import assert_rank_at_least as assert_rank_at_least
from tensorfleet._ops.shape_checks import assert_rank_in as assert_rank_in
from tensorfleet._ops.shape_checks import assert_same_float_dtype as assert_same_float_dtype
from tensorfleet._ops.shape_checks import assert_scalar as assert_scalar
from tensorfleet._ops.shape_checks import assert_type as assert_type
from tensorfleet._ops.shape_checks import assert_variables_initialized as assert_variables_initialized
from tensorfleet._ops.state_ops import assign as assign
from tensorfleet._ops.state_ops import assign_add as assign_add
from tensorfleet._ops.state_ops import assign_sub as assign_sub
from tensorfleet._ops.unary_ops import atan as atan
from tensorfleet._ops.arithmetic_ops import atan2 as atan2
from tensorfleet._ops.unary_ops import atanh as atanh
from tensorfleet.v1._old_functions import audio_summary as audio_summary
from tensorfleet._ops.matrix_ops import cholesky as batch_cholesky
from tensorfleet._ops.matrix_ops import cholesky_solve as batch_cholesky_solve
from tensorfleet._ops.spectral_ops import fft as batch_fft
from tensorfleet._ops.spectral_ops import fft2d as batch_fft2d
from tensorfleet._ops.spectral_ops import fft3d as batch_fft3d
from tensorfleet._ops.slice_ops import batch_gather as batch_gather
from tensorfleet._ops.spectral_ops import ifft as batch_ifft
from tensorfleet._ops.spectral_ops import ifft2d as batch_ifft2d
from tensorfleet._ops.spectral_ops import ifft3d as batch_ifft3d
from tensorfleet.v1._old_functions import batch_matmul as batch_matmul
from tensorfleet._ops.matrix_ops import matrix_band_part as batch_matrix_band_part
from tensorfleet._ops.matrix_ops import matrix_determinant as batch_matrix_determinant
from tensorfleet._ops.matrix_ops import matrix_diag as batch_matrix_diag
from tensorfleet._ops.matrix_ops import matrix_diag_part as batch_matrix_diag_part
from tensorfleet._ops.matrix_ops import matrix_inverse as batch_matrix_inverse
from tensorfleet._ops.matrix_ops import matrix_set_diag as batch_matrix_set_diag
from tensorfleet._ops.matrix_ops import matrix_solve as batch_matrix_solve
from tensorfleet._ops.decomposition_ops import matrix_solve_ls as batch_matrix_solve_ls
from tensorfleet.v1._old_functions import batch_matrix_transpose as batch_matrix_transpose
from tensorfleet._ops.matrix_ops import matrix_triangular_solve as batch_matrix_triangular_solve
from tensorfleet._ops.state_ops import batch_scatter_update as batch_scatter_update
from tensorfleet._ops.decomposition_ops import self_adjoint_eig as batch_self_adjoint_eig
from tensorfleet._ops.decomposition_ops import self_adjoint_eigvals as batch_self_adjoint_eigvals
from tensorfleet._ops.decomposition_ops import svd as batch_svd
from tensorfleet._ops.shape_ops import batch_to_space as batch_to_space
from tensorfleet._ops.shape_ops import batch_to_space_nd as batch_to_space_nd
from tensorfleet._ops.special_ops import betainc as betainc
from tensorfleet._framework.dtypes import bfloat16 as bfloat16
from tensorfleet._ops.segment_ops import bincount as bincount
from tensorfleet._ops.shape_ops import bitcast as bitcast
from tensorfleet.v1 import bitwise as bitwise
from tensorfleet._framework.dtypes import bool as bool
from tensorfleet._ops.slice_ops import boolean_mask as boolean_mask
from tensorfleet._ops.shape_ops import broadcast_dynamic_shape as broadcast_dynamic_shape
from tensorfleet._ops.shape_ops import broadcast_static_shape as broadcast_static_shape
from tensorfleet._ops.shape_ops import broadcast_to as broadcast_to
from tensorfleet._ops.cond_ops import case as case
from tensorfleet._ops.arithmetic_ops import cast as cast
from tensorfleet._ops.unary_ops import ceil as ceil
from tensorfleet._ops.arithmetic_ops import check_numerics as check_numerics
from tensorfleet._ops.matrix_ops import cholesky as cholesky
from tensorfleet._ops.matrix_ops import cholesky_solve as cholesky_solve
from tensorfleet._ops.clip_ops import clip_by_average_norm as clip_by_average_norm
from tensorfleet._ops.clip_ops import clip_by_global_norm as clip_by_global_norm
from tensorfleet._ops.clip_ops import clip_by_norm as clip_by_norm
from tensorfleet._ops.clip_ops import clip_by_value as clip_by_value
from tensorfleet._framework.graph import colocate_with as colocate_with
from tensorfleet.v1 import compat as compat
from tensorfleet._ops.arithmetic_ops import complex as complex
from tensorfleet._framework.dtypes import complex128 as complex128
from tensorfleet._framework.dtypes import complex64 as complex64
from tensorfleet.v1._old_functions import complex_abs as complex_abs
from tensorfleet._ops.join_ops import concat as concat
from tensorfleet._ops.join_ops import concat as concat_v2
from tensorfleet._ops.cond_ops import cond as cond
from tensorfleet._ops.segment_ops import confusion_matrix as confusion_matrix
from tensorfleet._ops.arithmetic_ops import conj as conj
from tensorfleet._framework.convert import constant as constant
from tensorfleet._framework.init_ops import Constant as constant_initializer
from tensorfleet._framework.graph import container as container
from tensorfleet.v1 import contrib as contrib
from tensorfleet._framework.graph import control_dependencies as control_dependencies
from tensorfleet._ops.misc_ops import control_flow_v2_enabled as control_flow_v2_enabled
from tensorfleet._framework.convert import convert_to_tensor as convert_to_tensor
from tensorfleet._framework.convert import convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices
from tensorfleet._ops.sparse_math_ops import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from tensorfleet._ops.unary_ops import cos as cos
from tensorfleet._ops.unary_ops import cosh as cosh
from tensorfleet._ops.reduction_ops import count_nonzero as count_nonzero
from tensorfleet._ops.state_ops import count_up_to as count_up_to
from tensorfleet._framework.variable_scope import create_partitioned_variables as create_partitioned_variables
from tensorfleet._ops.arithmetic_ops import cross as cross
from tensorfleet._ops.arithmetic_ops import cumprod as cumprod
from tensorfleet._ops.arithmetic_ops import cumsum as cumsum
from tensorfleet._ops.misc_ops import custom_gradient as custom_gradient
from tensorfleet.v1 import data as data
from tensorfleet.v1 import debugging as debugging
from tensorfleet._ops.string_ops import decode_base64 as decode_base64
from tensorfleet._ops.text_ops import decode_compressed as decode_compressed
from tensorfleet._ops.text_ops import decode_csv as decode_csv
from tensorfleet._ops.text_ops import decode_raw as decode_raw
from tensorfleet._ops.state_ops import delete_session_tensor as delete_session_tensor
from tensorfleet._ops.shape_ops import depth_to_space as depth_to_space
from tensorfleet._ops.sparse_combine_ops import deserialize_many_sparse as deserialize_many_sparse
from tensorfleet._framework.graph import device as device
from tensorfleet._ops.matrix_ops import diag as diag
from tensorfleet._ops.matrix_ops import diag_part as diag_part
from tensorfleet._ops.unary_ops import digamma as digamma
from tensorfleet._ops.misc_ops import dimension_at_index as dimension_at_index
from tensorfleet._framework.tensor_shape import dimension_value as dimension_value
from tensorfleet._ops.misc_ops import disable_v2_behavior as disable_control_flow_v2
from tensorfleet._ops.misc_ops import disable_v2_behavior as disable_eager_execution
from tensorfleet._framework.variables import disable_resource_variables as disable_resource_variables
from tensorfleet._ops.misc_ops import disable_v2_behavior as disable_tensor_equality
from tensorfleet._ops.misc_ops import disable_v2_behavior as disable_v2_behavior
from tensorfleet._ops.misc_ops import disable_v2_behavior as disable_v2_tensorshape
from tensorfleet._ops.arithmetic_ops import div as div
from tensorfleet._ops.arithmetic_ops import div_no_nan as div_no_nan
from tensorfleet._ops.arithmetic_ops import div_no_nan as div_no_nan_v2
from tensorfleet._ops.arithmetic_ops import divide as divide
from tensorfleet._framework.dtypes import double as double
from tensorfleet.v1 import dtypes as dtypes
from tensorfleet._ops.scatter_ops import dynamic_partition as dynamic_partition
from tensorfleet._ops.scatter_ops import dynamic_stitch as dynamic_stitch
from tensorfleet._ops.sparse_math_ops import edit_distance as edit_distance
from tensorfleet._ops.arithmetic_ops import einsum as einsum
from tensorfleet._ops.misc_ops import enable_eager_execution as enable_eager_execution
from tensorfleet._framework.variables import enable_resource_variables as enable_resource_variables
from tensorfleet._ops.string_ops import encode_base64 as encode_base64
from tensorfleet._ops.shape_ops import ensure_shape as ensure_shape
from tensorfleet._ops.binary_ops import equal as equal
from tensorfleet._ops.unary_ops import erf as erf
from tensorfleet._ops.unary_ops import erfc as erfc
from tensorfleet.v1 import errors as errors
from tensorfleet.v1 import estimator as estimator
from tensorfleet.v1 import examples as examples
from tensorfleet._ops.misc_ops import executing_eagerly as executing_eagerly
from tensorfleet._ops.misc_ops import executing_eagerly_outside_functions as executing_eagerly_outside_functions
from tensorfleet._ops.unary_ops import exp as exp
from tensorfleet._ops.shape_ops import expand_dims as expand_dims
from tensorfleet._ops.unary_ops import expm1 as expm1
from tensorfleet._ops.slice_ops import extract_image_patches as extract_image_patches
from tensorfleet._ops.fill_ops import eye as eye
from tensorfleet.v1 import feature_column as feature_column
from tensorfleet._ops.spectral_ops import fft as fft
from tensorfleet._ops.spectral_ops import fft2d as fft2d
from tensorfleet._ops.spectral_ops import fft3d as fft3d
from tensorfleet._ops.fill_ops import fill as fill
from tensorfleet._ops.text_ops import fingerprint as fingerprint
from tensorfleet._framework.partitioned import fixed_size_partitioner as fixed_size_partitioner
from tensorfleet.v1 import flags as flags
from tensorfleet._framework.dtypes import float16 as float16
from tensorfleet._framework.dtypes import float32 as float32
from tensorfleet._framework.dtypes import float64 as float64
from tensorfleet._ops.unary_ops import floor as floor
from tensorfleet._ops.binary_ops import floor_div as floor_div
from tensorfleet._ops.arithmetic_ops import floordiv as floordiv
from tensorfleet._ops.binary_ops import floormod as floormod
from tensorfleet._ops.functional_ops import foldl as foldl
from tensorfleet._ops.functional_ops import foldr as foldr
from tensorfleet._ops.functional_ops import foldr as foldr_v2
from tensorfleet._ops.slice_ops import gather as gather
from tensorfleet._ops.slice_ops import gather_nd as gather_nd
from tensorfleet._framework.collections import get_collection as get_collection
from tensorfleet._framework.collections import get_collection_ref as get_collection_ref
from tensorfleet._framework.graph import get_default_graph as get_default_graph
from tensorfleet._framework.session import get_default_session as get_default_session
from tensorfleet._framework.variable_scope import get_local_variable as get_local_variable
from tensorfleet._ops.misc_ops import get_logger as get_logger
from tensorfleet._framework.collections import get_seed as get_seed
from tensorfleet._ops.state_ops import get_session_handle as get_session_handle
from tensorfleet._ops.state_ops import get_session_tensor as get_session_tensor
from tensorfleet._ops.shape_ops import get_static_value as get_static_value
from tensorfleet._framework.variable_scope import get_variable as get_variable
from tensorfleet._framework.variable_scope import get_variable_scope as get_variable_scope
from tensorfleet.v1 import gfile as gfile
from tensorfleet._ops.clip_ops import global_norm as global_norm
from tensorfleet._framework.variable_lists import global_variables as global_variables
from tensorfleet._framework.variable_lists import global_variables_initializer as global_variables_initializer
from tensorfleet._framework.init_ops import GlorotNormal as glorot_normal_initializer
from tensorfleet._framework.init_ops import GlorotUniform as glorot_uniform_initializer
from tensorfleet._ops.gradient_ops import gradients as gradients
from tensorfleet.v1 import graph_util as graph_util
from tensorfleet._ops.binary_ops import greater as greater
from tensorfleet._ops.binary_ops import greater_equal as greater_equal
from tensorfleet._ops.group_ops import group as group
from tensorfleet._ops.shape_ops import guarantee_const as guarantee_const
from tensorfleet._framework.dtypes import half as half
from tensorfleet._ops.gradient_ops import hessians as hessians
from tensorfleet._ops.segment_ops import histogram_fixed_width as histogram_fixed_width
from tensorfleet._ops.segment_ops import histogram_fixed_width_bins as histogram_fixed_width_bins
from tensorfleet.v1._old_functions import histogram_summary as histogram_summary
from tensorfleet._ops.shape_ops import identity as identity
from tensorfleet._ops.shape_ops import identity_n as identity_n
from tensorfleet._ops.spectral_ops import ifft as ifft
from tensorfleet._ops.spectral_ops import ifft2d as ifft2d
from tensorfleet._ops.spectral_ops import ifft3d as ifft3d
from tensorfleet._ops.special_ops import igamma as igamma
from tensorfleet._ops.special_ops import igammac as igammac
from tensorfleet._ops.arithmetic_ops import imag as imag
from tensorfleet.v1 import image as image
from tensorfleet.v1._old_functions import image_summary as image_summary
from tensorfleet._framework.importer import import_graph_def as import_graph_def
from tensorfleet._ops.misc_ops import init_scope as init_scope
from tensorfleet._ops.lookup_ops import tables_initializer as initialize_all_tables
from tensorfleet._framework.variable_lists import initialize_all_variables as initialize_all_variables
from tensorfleet._framework.variable_lists import initialize_local_variables as initialize_local_variables
from tensorfleet._framework.variable_lists import initialize_variables as initialize_variables
from tensorfleet.v1 import initializers as initializers
from tensorfleet._framework.dtypes import int16 as int16
from tensorfleet._framework.dtypes import int32 as int32
from tensorfleet._framework.dtypes import int64 as int64
from tensorfleet._framework.dtypes import int8 as int8
from tensorfleet.v1._old_functions import inv as inv
from tensorfleet._ops.shape_ops import invert_permutation as invert_permutation
from tensorfleet.v1 import io as io
from tensorfleet._ops.unary_ops import is_finite as is_finite
from tensorfleet._ops.unary_ops import is_inf as is_inf
from tensorfleet._ops.unary_ops import is_nan as is_nan
from tensorfleet._ops.number_checks import is_non_decreasing as is_non_decreasing
from tensorfleet._ops.shape_checks import is_numeric_tensor as is_numeric_tensor
from tensorfleet._ops.number_checks import is_strictly_increasing as is_strictly_increasing
from tensorfleet._ops.misc_ops import is_symbolic_tensor as is_symbolic_tensor
from tensorfleet._ops.shape_ops import is_tensor as is_tensor
from tensorfleet._ops.state_ops import is_variable_initialized as is_variable_initialized
from tensorfleet.v1 import keras as keras
from tensorfleet._ops.clip_ops import l2_normalize as l2_normalize
from tensorfleet.v1 import layers as layers
from tensorfleet._ops.segment_ops import lbeta as lbeta
from tensorfleet._ops.binary_ops import less as less
from tensorfleet._ops.binary_ops import less_equal as less_equal
from tensorfleet._ops.unary_ops import lgamma as lgamma
from tensorfleet._ops.fill_ops import linspace as lin_space
from tensorfleet.v1 import linalg as linalg
from tensorfleet._ops.fill_ops import linspace as linspace
from tensorfleet._ops.slice_ops import setdiff1d as list_diff
from tensorfleet._ops.slice_ops import setdiff1d as listdiff
from tensorfleet._ops.misc_ops import load_op_library as load_file_system_library
from tensorfleet._ops.misc_ops import load_op_library as load_library
from tensorfleet._ops.misc_ops import load_op_library as load_op_library
from tensorfleet._framework.variable_lists import local_variables as local_variables
from tensorfleet._framework.variable_lists import local_variables_initializer as local_variables_initializer
from tensorfleet._ops.unary_ops import log as log
from tensorfleet._ops.unary_ops import log1p as log1p
from tensorfleet._ops.arithmetic_ops import log_sigmoid as log_sigmoid
from tensorfleet.v1 import logging as logging
from tensorfleet._ops.binary_ops import logical_and as logical_and
from tensorfleet._ops.unary_ops import logical_not as logical_not
from tensorfleet._ops.binary_ops import logical_or as logical_or
from tensorfleet._ops.arithmetic_ops import logical_xor as logical_xor
from tensorfleet.v1 import lookup as lookup
from tensorfleet.v1 import losses as losses
from tensorfleet._ops.misc_ops import make_ndarray as make_ndarray
from tensorfleet._ops.misc_ops import make_template as make_template
from tensorfleet._ops.misc_ops import make_tensor_proto as make_tensor_proto
from tensorfleet.v1 import manip as manip
from tensorfleet._ops.functional_ops import map_fn as map_fn
from tensorfleet._ops.file_ops import matching_files as matching_files
from tensorfleet.v1 import math as math
from tensorfleet._ops.arithmetic_ops import matmul as matmul
from tensorfleet._ops.matrix_ops import matrix_band_part as matrix_band_part
from tensorfleet._ops.matrix_ops import matrix_determinant as matrix_determinant
from tensorfleet._ops.matrix_ops import matrix_diag as matrix_diag
from tensorfleet._ops.matrix_ops import matrix_diag_part as matrix_diag_part
from tensorfleet._ops.matrix_ops import matrix_inverse as matrix_inverse
from tensorfleet._ops.matrix_ops import matrix_set_diag as matrix_set_diag
from tensorfleet._ops.matrix_ops import matrix_solve as matrix_solve
from tensorfleet._ops.decomposition_ops import matrix_solve_ls as matrix_solve_ls
from tensorfleet._ops.decomposition_ops import matrix_square_root as matrix_square_root
from tensorfleet._ops.shape_ops import matrix_transpose as matrix_transpose
from tensorfleet._ops.matrix_ops import matrix_triangular_solve as matrix_triangular_solve
from tensorfleet._ops.binary_ops import maximum as maximum
from tensorfleet.v1._old_functions import merge_all_summaries as merge_all_summaries
from tensorfleet.v1._old_functions import merge_summary as merge_summary
from tensorfleet._ops.fill_ops import meshgrid as meshgrid
from tensorfleet.v1 import metrics as metrics
from tensorfleet._framework.partitioned import min_max_variable_partitioner as min_max_variable_partitioner
from tensorfleet._ops.binary_ops import minimum as minimum
from tensorfleet._ops.arithmetic_ops import mod as mod
from tensorfleet._framework.variable_lists import model_variables as model_variables
from tensorfleet.v1 import models as models
from tensorfleet._framework.variable_lists import moving_average_variables as moving_average_variables
from tensorfleet._ops.binary_ops import multiply as mul
from tensorfleet._ops.random_ops import multinomial as multinomial
from tensorfleet._ops.binary_ops import multiply as multiply
from tensorfleet._ops.binary_ops import multiply_no_nan as multiply_no_nan
from tensorfleet._framework.graph import name_scope as name_scope
from tensorfleet._ops.unary_ops import negative as neg
from tensorfleet._ops.unary_ops import negative as negative
newaxis: None
from tensorfleet.v1 import nn as nn
from tensorfleet.v1 import nn_rnn_cell as nn_rnn_cell
from tensorfleet._ops.misc_ops import no_gradient as no_gradient
from tensorfleet._ops.group_ops import no_op as no_op
from tensorfleet._framework.variable_scope import no_regularizer as no_regularizer
from tensorfleet._ops.clip_ops import norm as norm
from tensorfleet._ops.binary_ops import not_equal as not_equal
from tensorfleet._ops.script_ops import numpy_function as numpy_function
from tensorfleet._ops.fill_ops import one_hot as one_hot
from tensorfleet._ops.fill_ops import ones as ones
from tensorfleet._framework.init_ops import Ones as ones_initializer
from tensorfleet._ops.fill_ops import ones_like as ones_like
from tensorfleet._ops.misc_ops import op_scope as op_scope
from tensorfleet._framework.init_ops import Orthogonal as orthogonal_initializer
from tensorfleet.v1._old_functions import pack as pack
from tensorfleet._ops.shape_ops import pad as pad
from tensorfleet._ops.join_ops import parallel_stack as parallel_stack
from tensorfleet._ops.feature_ops import parse_example as parse_example
from tensorfleet._ops.feature_ops import parse_single_example as parse_single_example
from tensorfleet._ops.feature_ops import parse_single_sequence_example as parse_single_sequence_example
from tensorfleet._ops.text_ops import parse_tensor as parse_tensor
from tensorfleet._ops.fill_ops import placeholder as placeholder
from tensorfleet._ops.fill_ops import placeholder_with_default as placeholder_with_default
from tensorfleet._ops.special_ops import polygamma as polygamma
from tensorfleet._ops.binary_ops import pow as pow
from tensorfleet._ops.misc_ops import print as print
from tensorfleet._ops.script_ops import py_func as py_func
from tensorfleet._ops.misc_ops import py_function as py_function
from tensorfleet.v1 import python as python
from tensorfleet.v1 import python_io as python_io
from tensorfleet._framework.dtypes import qint16 as qint16
from tensorfleet._framework.dtypes import qint32 as qint32
from tensorfleet._framework.dtypes import qint8 as qint8
from tensorfleet._ops.decomposition_ops import qr as qr
from tensorfleet._framework.dtypes import quint16 as quint16
from tensorfleet._framework.dtypes import quint8 as quint8
from tensorfleet.v1 import random as random
from tensorfleet._ops.random_ops import random_crop as random_crop
from tensorfleet._ops.random_ops import random_gamma as random_gamma
from tensorfleet._ops.random_ops import random_normal as random_normal
from tensorfleet._framework.init_ops import RandomNormal as random_normal_initializer
from tensorfleet._ops.random_ops import random_poisson as random_poisson
from tensorfleet._ops.random_ops import random_shuffle as random_shuffle
from tensorfleet._ops.random_ops import random_uniform as random_uniform
from tensorfleet._framework.init_ops import RandomUniform as random_uniform_initializer
from tensorfleet._ops.fill_ops import range as range
from tensorfleet._ops.shape_ops import rank as rank
from tensorfleet.v1 import raw_ops as raw_ops
from tensorfleet._ops.file_ops import read_file as read_file
from tensorfleet._ops.arithmetic_ops import real as real
from tensorfleet._ops.binary_ops import realdiv as realdiv
from tensorfleet._ops.unary_ops import reciprocal as reciprocal
from tensorfleet._ops.reduction_ops import reduce_all as reduce_all
from tensorfleet._ops.reduction_ops import reduce_any as reduce_any
from tensorfleet._ops.reduction_ops import reduce_euclidean_norm as reduce_euclidean_norm
from tensorfleet._ops.string_ops import reduce_join as reduce_join
from tensorfleet._ops.reduction_ops import reduce_logsumexp as reduce_logsumexp
from tensorfleet._ops.reduction_ops import reduce_max as reduce_max
from tensorfleet._ops.reduction_ops import reduce_mean as reduce_mean
from tensorfleet._ops.reduction_ops import reduce_min as reduce_min
from tensorfleet._ops.reduction_ops import reduce_prod as reduce_prod
from tensorfleet._ops.reduction_ops import reduce_std as reduce_std
from tensorfleet._ops.reduction_ops import reduce_sum as reduce_sum
from tensorfleet._ops.reduction_ops import reduce_variance as reduce_variance
from tensorfleet._ops.string_ops import regex_full_match as regex_full_match
from tensorfleet._ops.string_ops import regex_replace as regex_replace
from tensorfleet._ops.join_ops import repeat as repeat
from tensorfleet._framework.variable_lists import report_uninitialized_variables as report_uninitialized_variables
from tensorfleet._ops.shape_ops import required_space_to_batch_paddings as required_space_to_batch_paddings
from tensorfleet._framework.graph import reset_default_graph as reset_default_graph
from tensorfleet._ops.shape_ops import reshape as reshape
from tensorfleet._framework.dtypes import resource as resource
from tensorfleet._framework.variables import resource_variables_enabled as resource_variables_enabled
from tensorfleet._ops.slice_ops import reverse as reverse
from tensorfleet._ops.slice_ops import reverse_sequence as reverse_sequence
from tensorfleet._ops.slice_ops import reverse as reverse_v2
from tensorfleet._ops.unary_ops import rint as rint
from tensorfleet._ops.slice_ops import roll as roll
from tensorfleet._ops.arithmetic_ops import round as round
from tensorfleet._ops.unary_ops import rsqrt as rsqrt
from tensorfleet._ops.arithmetic_ops import saturate_cast as saturate_cast
from tensorfleet.v1 import saved_model as saved_model
from tensorfleet._ops.arithmetic_ops import scalar_mul as scalar_mul
from tensorfleet.v1._old_functions import scalar_summary as scalar_summary
from tensorfleet._ops.functional_ops import scan as scan
from tensorfleet._ops.state_ops import scatter_add as scatter_add
from tensorfleet._ops.state_ops import scatter_div as scatter_div
from tensorfleet._ops.state_ops import scatter_max as scatter_max
from tensorfleet._ops.state_ops import scatter_min as scatter_min
from tensorfleet._ops.state_ops import scatter_mul as scatter_mul
from tensorfleet._ops.scatter_ops import scatter_nd as scatter_nd
from tensorfleet._ops.state_ops import scatter_nd_add as scatter_nd_add
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_add as scatter_nd_non_aliasing_add
from tensorfleet._ops.state_ops import scatter_nd_sub as scatter_nd_sub
from tensorfleet._ops.state_ops import scatter_nd_update as scatter_nd_update
from tensorfleet._ops.state_ops import scatter_sub as scatter_sub
from tensorfleet._ops.state_ops import scatter_update as scatter_update
from tensorfleet._ops.slice_ops import searchsorted as searchsorted
from tensorfleet._ops.segment_ops import segment_max as segment_max
from tensorfleet._ops.segment_ops import segment_mean as segment_mean
from tensorfleet._ops.segment_ops import segment_min as segment_min
from tensorfleet._ops.segment_ops import segment_prod as segment_prod
from tensorfleet._ops.segment_ops import segment_sum as segment_sum
from tensorfleet.v1._old_functions import select as select
from tensorfleet._ops.decomposition_ops import self_adjoint_eig as self_adjoint_eig
from tensorfleet._ops.decomposition_ops import self_adjoint_eigvals as self_adjoint_eigvals
from tensorfleet._ops.fill_ops import sequence_mask as sequence_mask
from tensorfleet._ops.sparse_combine_ops import serialize_many_sparse as serialize_many_sparse
from tensorfleet._ops.sparse_combine_ops import serialize_sparse as serialize_sparse
from tensorfleet._ops.text_ops import serialize_tensor as serialize_tensor
from tensorfleet._framework.collections import set_random_seed as set_random_seed
from tensorfleet._ops.slice_ops import setdiff1d as setdiff1d
from tensorfleet.v1 import sets as sets
from tensorfleet._ops.shape_ops import shape as shape
from tensorfleet._ops.shape_ops import shape_n as shape_n
from tensorfleet._ops.unary_ops import sigmoid as sigmoid
from tensorfleet._ops.unary_ops import sign as sign
from tensorfleet.v1 import signal as signal
from tensorfleet._ops.unary_ops import sin as sin
from tensorfleet._ops.unary_ops import sinh as sinh
from tensorfleet._ops.shape_ops import size as size
from tensorfleet._ops.slice_ops import slice as slice
from tensorfleet._ops.slice_ops import sort as sort
from tensorfleet._ops.shape_ops import space_to_batch as space_to_batch
from tensorfleet._ops.shape_ops import space_to_batch_nd as space_to_batch_nd
from tensorfleet._ops.shape_ops import space_to_depth as space_to_depth
from tensorfleet.v1 import sparse as sparse
from tensorfleet._ops.sparse_math_ops import sparse_add as sparse_add
from tensorfleet._ops.sparse_combine_ops import sparse_concat as sparse_concat
from tensorfleet._ops.sparse_combine_ops import sparse_fill_empty_rows as sparse_fill_empty_rows
from tensorfleet._ops.sparse_math_ops import sparse_mask as sparse_mask
from tensorfleet._ops.sparse_math_ops import sparse_matmul as sparse_matmul
from tensorfleet._ops.sparse_combine_ops import sparse_merge as sparse_merge
from tensorfleet._ops.sparse_combine_ops import sparse_placeholder as sparse_placeholder
from tensorfleet._ops.sparse_math_ops import sparse_reduce_max as sparse_reduce_max
from tensorfleet._ops.sparse_math_ops import sparse_reduce_max_sparse as sparse_reduce_max_sparse
from tensorfleet._ops.sparse_math_ops import sparse_reduce_sum as sparse_reduce_sum
from tensorfleet._ops.sparse_math_ops import sparse_reduce_sum_sparse as sparse_reduce_sum_sparse
from tensorfleet._ops.sparse_combine_ops import sparse_reorder as sparse_reorder
from tensorfleet._ops.sparse_combine_ops import sparse_reset_shape as sparse_reset_shape
from tensorfleet._ops.sparse_combine_ops import sparse_reshape as sparse_reshape
from tensorfleet._ops.sparse_combine_ops import sparse_retain as sparse_retain
from tensorfleet._ops.segment_ops import sparse_segment_mean as sparse_segment_mean
from tensorfleet._ops.segment_ops import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from tensorfleet._ops.segment_ops import sparse_segment_sum as sparse_segment_sum
from tensorfleet._ops.sparse_combine_ops import sparse_slice as sparse_slice
from tensorfleet._ops.sparse_math_ops import sparse_softmax as sparse_softmax
from tensorfleet._ops.sparse_combine_ops import sparse_split as sparse_split
from tensorfleet._ops.sparse_math_ops import sparse_tensor_dense_matmul as sparse_tensor_dense_matmul
from tensorfleet._ops.sparse_math_ops import sparse_tensor_to_dense as sparse_tensor_to_dense
from tensorfleet._ops.sparse_math_ops import sparse_to_dense as sparse_to_dense
from tensorfleet._ops.sparse_combine_ops import sparse_to_indicator as sparse_to_indicator
from tensorfleet._ops.sparse_combine_ops import sparse_transpose as sparse_transpose
from tensorfleet.v1 import spectral as spectral
from tensorfleet._ops.join_ops import split as split
from tensorfleet._ops.join_ops import split as split_v
from tensorfleet._ops.unary_ops import sqrt as sqrt
from tensorfleet._ops.unary_ops import square as square
from tensorfleet._ops.binary_ops import squared_difference as squared_difference
from tensorfleet._ops.shape_ops import squeeze as squeeze
from tensorfleet._ops.join_ops import stack as stack
from tensorfleet._ops.gradient_ops import stop_gradient as stop_gradient
from tensorfleet._ops.slice_ops import strided_slice as strided_slice
from tensorfleet._framework.dtypes import string as string
from tensorfleet._ops.string_ops import string_format as string_format
from tensorfleet._ops.string_ops import string_join as string_join
from tensorfleet._ops.string_ops import string_length as string_length
from tensorfleet._ops.string_ops import string_lower as string_lower
from tensorfleet._ops.string_ops import string_split as string_split
from tensorfleet._ops.string_ops import string_strip as string_strip
from tensorfleet._ops.string_ops import string_to_hash_bucket as string_to_hash_bucket
from tensorfleet._ops.string_ops import string_to_hash_bucket_fast as string_to_hash_bucket_fast
from tensorfleet._ops.string_ops import string_to_hash_bucket_strong as string_to_hash_bucket_strong
from tensorfleet._ops.string_ops import string_to_number as string_to_number
from tensorfleet._ops.string_ops import string_upper as string_upper
from tensorfleet.v1 import strings as strings
from tensorfleet._ops.binary_ops import subtract as sub
from tensorfleet._ops.string_ops import substr as substr
from tensorfleet._ops.binary_ops import subtract as subtract
from tensorfleet.v1 import summary as summary
from tensorfleet._ops.decomposition_ops import svd as svd
from tensorfleet._ops.cond_ops import switch_case as switch_case
from tensorfleet._ops.lookup_ops import tables_initializer as tables_initializer
from tensorfleet._ops.unary_ops import tan as tan
from tensorfleet._ops.unary_ops import tanh as tanh
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_add as tensor_scatter_add
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_add as tensor_scatter_nd_add
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_max as tensor_scatter_nd_max
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_min as tensor_scatter_nd_min
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_update as tensor_scatter_nd_update
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_sub as tensor_scatter_sub
from tensorfleet._ops.scatter_ops import tensor_scatter_nd_update as tensor_scatter_update
from tensorfleet._ops.segment_ops import tensordot as tensordot
from tensorfleet.v1 import test as test
from tensorfleet._ops.shape_ops import tile as tile
from tensorfleet._ops.misc_ops import timestamp as timestamp
from tensorfleet._ops.arithmetic_ops import to_bfloat16 as to_bfloat16
from tensorfleet._ops.arithmetic_ops import to_complex128 as to_complex128
from tensorfleet._ops.arithmetic_ops import to_complex64 as to_complex64
from tensorfleet._ops.arithmetic_ops import to_double as to_double
from tensorfleet._ops.arithmetic_ops import to_float as to_float
from tensorfleet._ops.arithmetic_ops import to_int32 as to_int32
from tensorfleet._ops.arithmetic_ops import to_int64 as to_int64
from tensorfleet._ops.matrix_ops import trace as trace
from tensorfleet.v1 import train as train
from tensorfleet._framework.variable_lists import trainable_variables as trainable_variables
from tensorfleet._ops.shape_ops import transpose as transpose
from tensorfleet._ops.arithmetic_ops import truediv as truediv
from tensorfleet._ops.random_ops import truncated_normal as truncated_normal
from tensorfleet._framework.init_ops import TruncatedNormal as truncated_normal_initializer
from tensorfleet._ops.binary_ops import truncatediv as truncatediv
from tensorfleet._ops.binary_ops import truncatemod as truncatemod
from tensorfleet._ops.group_ops import tuple as tuple
from tensorfleet._framework.dtypes import uint16 as uint16
from tensorfleet._framework.dtypes import uint32 as uint32
from tensorfleet._framework.dtypes import uint64 as uint64
from tensorfleet._framework.dtypes import uint8 as uint8
from tensorfleet._framework.init_ops import UniformUnitScaling as uniform_unit_scaling_initializer
from tensorfleet._ops.slice_ops import unique as unique
from tensorfleet._ops.slice_ops import unique_with_counts as unique_with_counts
from tensorfleet.v1._old_functions import unpack as unpack
from tensorfleet._ops.misc_ops import unravel_index as unravel_index
from tensorfleet._ops.segment_ops import unsorted_segment_max as unsorted_segment_max
from tensorfleet._ops.segment_ops import unsorted_segment_mean as unsorted_segment_mean
from tensorfleet._ops.segment_ops import unsorted_segment_min as unsorted_segment_min
from tensorfleet._ops.segment_ops import unsorted_segment_prod as unsorted_segment_prod
from tensorfleet._ops.segment_ops import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from tensorfleet._ops.segment_ops import unsorted_segment_sqrt_n as unsorted_segment_sqrtn
from tensorfleet._ops.segment_ops import unsorted_segment_sum as unsorted_segment_sum
from tensorfleet._ops.join_ops import unstack as unstack
from tensorfleet._framework.partitioned import variable_axis_size_partitioner as variable_axis_size_partitioner
from tensorfleet._framework.variable_scope import variable_op_scope as variable_op_scope
from tensorfleet._framework.variable_scope import variable_scope as variable_scope
from tensorfleet._framework.variable_lists import variables_initializer as variables_initializer
from tensorfleet._framework.init_ops import VarianceScaling as variance_scaling_initializer
from tensorfleet._framework.dtypes import variant as variant
from tensorfleet._ops.arithmetic_ops import verify_tensor_all_finite as verify_tensor_all_finite
from tensorfleet._ops.slice_ops import where as where
from tensorfleet._ops.slice_ops import where_v2 as where_v2
from tensorfleet._ops.while_ops import while_loop as while_loop
from tensorfleet._ops.group_ops import with_dependencies as with_dependencies
from tensorfleet._ops.file_ops import write_file as write_file
from tensorfleet._ops.binary_ops import xdivy as xdivy
from tensorfleet._ops.binary_ops import xlogy as xlogy
from tensorfleet._ops.fill_ops import zeros as zeros
from tensorfleet._framework.init_ops import Zeros as zeros_initializer
from tensorfleet._ops.fill_ops import zeros_like as zeros_like
from tensorfleet._ops.special_ops import zeta as zeta

__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "AttrValue", "Barrier", "COMPILER_VERSION", "ConditionalAccumulator",
    "ConditionalAccumulatorBase", "ConfigProto", "DType", "DeviceSpec", "Dimension", "Event", "FIFOQueue",
    "FixedLenFeature", "FixedLenSequenceFeature", "FixedLengthRecordReader", "GIT_VERSION", "GPUOptions", "Graph",
    "GraphDef", "GraphKeys", "GraphOptions", "HistogramProto", "IdentityReader", "IndexedSlices", "InteractiveSession",
    "LogMessage", "MetaGraphDef", "NameAttrList", "NoGradient", "NodeDef", "NotDifferentiable", "OpError", "Operation",
    "OptimizerOptions", "PaddingFIFOQueue", "Print", "PriorityQueue", "QUANTIZED_DTYPES", "QueueBase",
    "RandomShuffleQueue", "ReaderBase", "RegisterGradient", "RunMetadata", "RunOptions", "Session", "SessionLog",
    "SparseConditionalAccumulator", "SparseFeature", "SparseTensor", "SparseTensorValue", "Summary", "SummaryMetadata",
    "TFRecordReader", "Tensor", "TensorArray", "TensorInfo", "TensorShape", "TextLineReader", "UnconnectedGradients",
    "VERSION", "VarLenFeature", "Variable", "VariableAggregation", "VariableScope", "VariableSynchronization",
    "WholeFileReader", "abs", "accumulate_n", "acos", "acosh", "add", "add_check_numerics_ops", "add_n",
    "add_to_collection", "add_to_collections", "all_variables", "angle", "app", "arg_max", "arg_min", "argmax",
    "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh", "assert_equal", "assert_greater",
    "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative",
    "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable",
    "assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type",
    "assert_variables_initialized", "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh", "audio_summary",
    "batch_cholesky", "batch_cholesky_solve", "batch_fft", "batch_fft2d", "batch_fft3d", "batch_gather", "batch_ifft",
    "batch_ifft2d", "batch_ifft3d", "batch_matmul", "batch_matrix_band_part", "batch_matrix_determinant",
    "batch_matrix_diag", "batch_matrix_diag_part", "batch_matrix_inverse", "batch_matrix_set_diag",
    "batch_matrix_solve", "batch_matrix_solve_ls", "batch_matrix_transpose", "batch_matrix_triangular_solve",
    "batch_scatter_update", "batch_self_adjoint_eig", "batch_self_adjoint_eigvals", "batch_svd", "batch_to_space",
    "batch_to_space_nd", "betainc", "bfloat16", "bincount", "bitcast", "bitwise", "bool", "boolean_mask",
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "case", "cast", "ceil", "check_numerics",
    "cholesky", "cholesky_solve", "clip_by_average_norm", "clip_by_global_norm", "clip_by_norm", "clip_by_value",
    "colocate_with", "compat", "complex", "complex128", "complex64", "complex_abs", "concat", "concat_v2", "cond",
    "confusion_matrix", "conj", "constant", "constant_initializer", "container", "contrib", "control_dependencies",
    "control_flow_v2_enabled", "convert_to_tensor", "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor", "cos", "cosh", "count_nonzero", "count_up_to", "create_partitioned_variables",
    "cross", "cumprod", "cumsum", "custom_gradient", "data", "debugging", "decode_base64", "decode_compressed",
    "decode_csv", "decode_raw", "delete_session_tensor", "depth_to_space", "deserialize_many_sparse", "device", "diag",
    "diag_part", "digamma", "dimension_at_index", "dimension_value", "disable_control_flow_v2",
    "disable_eager_execution", "disable_resource_variables", "disable_tensor_equality", "disable_v2_behavior",
    "disable_v2_tensorshape", "div", "div_no_nan", "div_no_nan_v2", "divide", "double", "dtypes", "dynamic_partition",
    "dynamic_stitch", "edit_distance", "einsum", "enable_eager_execution", "enable_resource_variables", "encode_base64",
    "ensure_shape", "equal", "erf", "erfc", "errors", "estimator", "examples", "executing_eagerly",
    "executing_eagerly_outside_functions", "exp", "expand_dims", "expm1", "extract_image_patches", "eye",
    "feature_column", "fft", "fft2d", "fft3d", "fill", "fingerprint", "fixed_size_partitioner", "flags", "float16",
    "float32", "float64", "floor", "floor_div", "floordiv", "floormod", "foldl", "foldr", "foldr_v2", "gather",
    "gather_nd", "get_collection", "get_collection_ref", "get_default_graph", "get_default_session",
    "get_local_variable", "get_logger", "get_seed", "get_session_handle", "get_session_tensor", "get_static_value",
    "get_variable", "get_variable_scope", "gfile", "global_norm", "global_variables", "global_variables_initializer",
    "glorot_normal_initializer", "glorot_uniform_initializer", "gradients", "graph_util", "greater", "greater_equal",
    "group", "guarantee_const", "half", "hessians", "histogram_fixed_width", "histogram_fixed_width_bins",
    "histogram_summary", "identity", "identity_n", "ifft", "ifft2d", "ifft3d", "igamma", "igammac", "imag", "image",
    "image_summary", "import_graph_def", "init_scope", "initialize_all_tables", "initialize_all_variables",
    "initialize_local_variables", "initialize_variables", "initializers", "int16", "int32", "int64", "int8", "inv",
    "invert_permutation", "io", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor",
    "is_strictly_increasing", "is_symbolic_tensor", "is_tensor", "is_variable_initialized", "keras", "l2_normalize",
    "layers", "lbeta", "less", "less_equal", "lgamma", "lin_space", "linalg", "linspace", "list_diff", "listdiff",
    "load_file_system_library", "load_library", "load_op_library", "local_variables", "local_variables_initializer",
    "log", "log1p", "log_sigmoid", "logging", "logical_and", "logical_not", "logical_or", "logical_xor", "lookup",
    "losses", "make_ndarray", "make_template", "make_tensor_proto", "manip", "map_fn", "matching_files", "math",
    "matmul", "matrix_band_part", "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_inverse",
    "matrix_set_diag", "matrix_solve", "matrix_solve_ls", "matrix_square_root", "matrix_transpose",
    "matrix_triangular_solve", "maximum", "merge_all_summaries", "merge_summary", "meshgrid", "metrics",
    "min_max_variable_partitioner", "minimum", "mod", "model_variables", "models", "moving_average_variables", "mul",
    "multinomial", "multiply", "multiply_no_nan", "name_scope", "neg", "negative", "newaxis", "nn", "nn_rnn_cell",
    "no_gradient", "no_op", "no_regularizer", "norm", "not_equal", "numpy_function", "one_hot", "ones",
    "ones_initializer", "ones_like", "op_scope", "orthogonal_initializer", "pack", "pad", "parallel_stack",
    "parse_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor", "placeholder",
    "placeholder_with_default", "polygamma", "pow", "print", "py_func", "py_function", "python", "python_io", "qint16",
    "qint32", "qint8", "qr", "quint16", "quint8", "random", "random_crop", "random_gamma", "random_normal",
    "random_normal_initializer", "random_poisson", "random_shuffle", "random_uniform", "random_uniform_initializer",
    "range", "rank", "raw_ops", "read_file", "real", "realdiv", "reciprocal", "reduce_all", "reduce_any",
    "reduce_euclidean_norm", "reduce_join", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "regex_full_match", "regex_replace", "repeat",
    "report_uninitialized_variables", "required_space_to_batch_paddings", "reset_default_graph", "reshape", "resource",
    "resource_variables_enabled", "reverse", "reverse_sequence", "reverse_v2", "rint", "roll", "round", "rsqrt",
    "saturate_cast", "saved_model", "scalar_mul", "scalar_summary", "scan", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_non_aliasing_add", "scatter_nd_sub",
    "scatter_nd_update", "scatter_sub", "scatter_update", "searchsorted", "segment_max", "segment_mean", "segment_min",
    "segment_prod", "segment_sum", "select", "self_adjoint_eig", "self_adjoint_eigvals", "sequence_mask",
    "serialize_many_sparse", "serialize_sparse", "serialize_tensor", "set_random_seed", "setdiff1d", "sets", "shape",
    "shape_n", "sigmoid", "sign", "signal", "sin", "sinh", "size", "slice", "sort", "space_to_batch",
    "space_to_batch_nd", "space_to_depth", "sparse", "sparse_add", "sparse_concat", "sparse_fill_empty_rows",
    "sparse_mask", "sparse_matmul", "sparse_merge", "sparse_placeholder", "sparse_reduce_max",
    "sparse_reduce_max_sparse", "sparse_reduce_sum", "sparse_reduce_sum_sparse", "sparse_reorder", "sparse_reset_shape",
    "sparse_reshape", "sparse_retain", "sparse_segment_mean", "sparse_segment_sqrt_n", "sparse_segment_sum",
    "sparse_slice", "sparse_softmax", "sparse_split", "sparse_tensor_dense_matmul", "sparse_tensor_to_dense",
    "sparse_to_dense", "sparse_to_indicator", "sparse_transpose", "spectral", "split", "split_v", "sqrt", "square",
    "squared_difference", "squeeze", "stack", "stop_gradient", "strided_slice", "string", "string_format",
    "string_join", "string_length", "string_lower", "string_split", "string_strip", "string_to_hash_bucket",
    "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number", "string_upper", "strings", "sub",
    "substr", "subtract", "summary", "svd", "switch_case", "tables_initializer", "tan", "tanh", "tensor_scatter_add",
    "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update", "tensor_scatter_sub", "tensor_scatter_update", "tensordot", "test", "tile", "timestamp",
    "to_bfloat16", "to_complex128", "to_complex64", "to_double", "to_float", "to_int32", "to_int64", "trace", "train",
    "trainable_variables", "transpose", "truediv", "truncated_normal", "truncated_normal_initializer", "truncatediv",
    "truncatemod", "tuple", "uint16", "uint32", "uint64", "uint8", "uniform_unit_scaling_initializer", "unique",
    "unique_with_counts", "unpack", "unravel_index", "unsorted_segment_max", "unsorted_segment_mean",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sqrtn",
    "unsorted_segment_sum", "unstack", "variable_axis_size_partitioner", "variable_op_scope", "variable_scope",
    "variables_initializer", "variance_scaling_initializer", "variant", "verify_tensor_all_finite", "where", "where_v2",
    "while_loop", "with_dependencies", "write_file", "xdivy", "xlogy", "zeros", "zeros_initializer", "zeros_like",
    "zeta"
]
