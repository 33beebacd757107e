"""Graphs, nodes, functions, op definitions and tensors."""

TABLE = """\
AttrValue
  list 1 AttrValue.ListValue in value
  s 2 bytes in value
  i 3 int64 in value
  f 4 float in value
  b 5 bool in value
  type 6 DataType in value
  shape 7 TensorShapeProto in value
  tensor 8 TensorProto in value
  placeholder 9 string in value
  func 10 NameAttrList in value
AttrValue.ListValue
  s 2 repeated bytes
  i 3 repeated int64
  f 4 repeated float
  b 5 repeated bool
  type 6 repeated DataType
  shape 7 repeated TensorShapeProto
  tensor 8 repeated TensorProto
  func 9 repeated NameAttrList
NameAttrList
  name 1 string
  attr 2 map string AttrValue
FullTypeDef
  type_id 1 FullTypeId
  args 2 repeated FullTypeDef
  s 3 string in attr
  i 4 int64 in attr
enum FullTypeId
  TFT_UNSET 0
  TFT_VAR 1
  TFT_ANY 2
  TFT_PRODUCT 3
  TFT_NAMED 4
  TFT_FOR_EACH 20
  TFT_CALLABLE 100
  TFT_TENSOR 1000
  TFT_ARRAY 1001
  TFT_OPTIONAL 1002
  TFT_LITERAL 1003
  TFT_ENCODED 1004
  TFT_SHAPE_TENSOR 1005
  TFT_BOOL 200
  TFT_UINT8 201
  TFT_UINT16 202
  TFT_UINT32 203
  TFT_UINT64 204
  TFT_INT8 205
  TFT_INT16 206
  TFT_INT32 207
  TFT_INT64 208
  TFT_HALF 209
  TFT_FLOAT 210
  TFT_DOUBLE 211
  TFT_BFLOAT16 215
  TFT_COMPLEX64 212
  TFT_COMPLEX128 213
  TFT_STRING 214
  TFT_DATASET 10102
  TFT_RAGGED 10103
  TFT_ITERATOR 10104
  TFT_MUTEX_LOCK 10202
  TFT_LEGACY_VARIANT 10203
FunctionDef
  signature 1 OpDef
  node_def 3 repeated NodeDef
  ret 4 map string string
  attr 5 map string AttrValue
  control_ret 6 map string string
  arg_attr 7 map uint32 FunctionDef.ArgAttrs
  resource_arg_unique_id 8 map uint32 uint32
FunctionDef.ArgAttrs
  attr 1 map string AttrValue
FunctionDefLibrary
  function 1 repeated FunctionDef
  gradient 2 repeated GradientDef
  registered_gradients 3 repeated RegisteredGradient
GradientDef
  function_name 1 string
  gradient_func 2 string
RegisteredGradient
  gradient_func 1 string
  registered_op_type 2 string
GraphDef
  node 1 repeated NodeDef
  library 2 FunctionDefLibrary
  version 3 int32
  versions 4 VersionDef
  debug_info 5 GraphDebugInfo
GraphDebugInfo
  files 1 repeated string
  traces 2 map string GraphDebugInfo.StackTrace
  frames_by_id 4 map fixed64 GraphDebugInfo.FileLineCol
  name_to_trace_id 5 map string fixed64
  traces_by_id 6 map fixed64 GraphDebugInfo.StackTrace
GraphDebugInfo.FileLineCol
  file_index 1 optional int32
  line 2 optional int32
  col 3 optional int32
  func 4 optional string
  code 5 optional string
GraphDebugInfo.StackTrace
  file_line_cols 1 repeated GraphDebugInfo.FileLineCol
  frame_id 2 repeated fixed64
NodeDef
  name 1 string
  op 2 string
  input 3 repeated string
  device 4 string
  attr 5 map string AttrValue
  experimental_debug_info 6 NodeDef.ExperimentalDebugInfo
  experimental_type 7 FullTypeDef
NodeDef.ExperimentalDebugInfo
  original_node_names 1 repeated string
  original_func_names 2 repeated string
OpDef
  name 1 string
  input_arg 2 repeated OpDef.ArgDef
  output_arg 3 repeated OpDef.ArgDef
  attr 4 repeated OpDef.AttrDef
  summary 5 string
  description 6 string
  deprecation 8 OpDeprecation
  is_aggregate 16 bool
  is_stateful 17 bool
  is_commutative 18 bool
  allows_uninitialized_input 19 bool
  control_output 20 repeated string
  is_distributed_communication 21 bool
OpDef.ArgDef
  name 1 string
  description 2 string
  type 3 DataType
  type_attr 4 string
  number_attr 5 string
  type_list_attr 6 string
  handle_data 7 repeated ResourceHandleProto.DtypeAndShape
  is_ref 16 bool
  experimental_full_type 17 FullTypeDef
OpDef.AttrDef
  name 1 string
  type 2 string
  default_value 3 AttrValue
  description 4 string
  has_minimum 5 bool
  minimum 6 int64
  allowed_values 7 AttrValue
OpDeprecation
  version 1 int32
  explanation 2 string
OpList
  op 1 repeated OpDef
ResourceHandleProto
  device 1 string
  container 2 string
  name 3 string
  hash_code 4 uint64
  maybe_type_name 5 string
  dtypes_and_shapes 6 repeated ResourceHandleProto.DtypeAndShape
ResourceHandleProto.DtypeAndShape
  dtype 1 DataType
  shape 2 TensorShapeProto
TensorProto
  dtype 1 DataType
  tensor_shape 2 TensorShapeProto
  version_number 3 int32
  tensor_content 4 bytes
  float_val 5 repeated float
  double_val 6 repeated double
  int_val 7 repeated int32
  string_val 8 repeated bytes
  scomplex_val 9 repeated float
  int64_val 10 repeated int64
  bool_val 11 repeated bool
  dcomplex_val 12 repeated double
  half_val 13 repeated int32
  resource_handle_val 14 repeated ResourceHandleProto
  variant_val 15 repeated VariantTensorDataProto
  uint32_val 16 repeated uint32
  uint64_val 17 repeated uint64
  float8_val 18 bytes
VariantTensorDataProto
  type_name 1 string
  metadata 2 bytes
  tensors 3 repeated TensorProto
TensorShapeProto
  dim 2 repeated TensorShapeProto.Dim
  unknown_rank 3 bool
TensorShapeProto.Dim
  size 1 int64
  name 2 string
enum DataType
  DT_INVALID 0
  DT_FLOAT 1
  DT_DOUBLE 2
  DT_INT32 3
  DT_UINT8 4
  DT_INT16 5
  DT_INT8 6
  DT_STRING 7
  DT_COMPLEX64 8
  DT_INT64 9
  DT_BOOL 10
  DT_QINT8 11
  DT_QUINT8 12
  DT_QINT32 13
  DT_BFLOAT16 14
  DT_QINT16 15
  DT_QUINT16 16
  DT_UINT16 17
  DT_COMPLEX128 18
  DT_HALF 19
  DT_RESOURCE 20
  DT_VARIANT 21
  DT_UINT32 22
  DT_UINT64 23
  DT_FLOAT8_E5M2 24
  DT_FLOAT8_E4M3FN 25
  DT_FLOAT8_E4M3FNUZ 26
  DT_FLOAT8_E4M3B11FNUZ 27
  DT_FLOAT8_E5M2FNUZ 28
  DT_INT4 29
  DT_UINT4 30
  DT_INT2 31
  DT_UINT2 32
  DT_FLOAT4_E2M1FN 33
  DT_FLOAT_REF 101
  DT_DOUBLE_REF 102
  DT_INT32_REF 103
  DT_UINT8_REF 104
  DT_INT16_REF 105
  DT_INT8_REF 106
  DT_STRING_REF 107
  DT_COMPLEX64_REF 108
  DT_INT64_REF 109
  DT_BOOL_REF 110
  DT_QINT8_REF 111
  DT_QUINT8_REF 112
  DT_QINT32_REF 113
  DT_BFLOAT16_REF 114
  DT_QINT16_REF 115
  DT_QUINT16_REF 116
  DT_UINT16_REF 117
  DT_COMPLEX128_REF 118
  DT_HALF_REF 119
  DT_RESOURCE_REF 120
  DT_VARIANT_REF 121
  DT_UINT32_REF 122
  DT_UINT64_REF 123
  DT_FLOAT8_E5M2_REF 124
  DT_FLOAT8_E4M3FN_REF 125
  DT_FLOAT8_E4M3FNUZ_REF 126
  DT_FLOAT8_E4M3B11FNUZ_REF 127
  DT_FLOAT8_E5M2FNUZ_REF 128
  DT_INT4_REF 129
  DT_UINT4_REF 130
  DT_INT2_REF 131
  DT_UINT2_REF 132
  DT_FLOAT4_E2M1FN_REF 133
VersionDef
  producer 1 int32
  min_consumer 2 int32
  bad_consumers 3 repeated int32
"""
