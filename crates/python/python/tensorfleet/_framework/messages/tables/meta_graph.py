"""Meta graphs, saved models, checkpoints, and what is stored in collections."""

TABLE = """\
AssetFileDef
  tensor_info 1 TensorInfo
  filename 2 string
CollectionDef
  node_list 1 CollectionDef.NodeList in kind
  bytes_list 2 CollectionDef.BytesList in kind
  int64_list 3 CollectionDef.Int64List in kind
  float_list 4 CollectionDef.FloatList in kind
  any_list 5 CollectionDef.AnyList in kind
CollectionDef.AnyList
  value 1 repeated Any
CollectionDef.BytesList
  value 1 repeated bytes
CollectionDef.FloatList
  value 1 repeated float
CollectionDef.Int64List
  value 1 repeated int64
CollectionDef.NodeList
  value 1 repeated string
MetaGraphDef
  meta_info_def 1 MetaGraphDef.MetaInfoDef
  graph_def 2 GraphDef
  saver_def 3 SaverDef
  collection_def 4 map string CollectionDef
  signature_def 5 map string SignatureDef
  asset_file_def 6 repeated AssetFileDef
  object_graph_def 7 SavedObjectGraph
MetaGraphDef.MetaInfoDef
  meta_graph_version 1 string
  stripped_op_list 2 OpList
  any_info 3 Any
  tags 4 repeated string
  tensorflow_version 5 string
  tensorflow_git_version 6 string
  stripped_default_attrs 7 bool
  function_aliases 8 map string string
SignatureDef
  inputs 1 map string TensorInfo
  outputs 2 map string TensorInfo
  method_name 3 string
  defaults 4 map string TensorProto
TensorInfo
  name 1 string in encoding
  dtype 2 DataType
  tensor_shape 3 TensorShapeProto
  coo_sparse 4 TensorInfo.CooSparse in encoding
  composite_tensor 5 TensorInfo.CompositeTensor in encoding
TensorInfo.CompositeTensor
  type_spec 1 TypeSpecProto
  components 2 repeated TensorInfo
TensorInfo.CooSparse
  values_tensor_name 1 string
  indices_tensor_name 2 string
  dense_shape_tensor_name 3 string
QueueRunnerDef
  queue_name 1 string
  enqueue_op_name 2 repeated string
  close_op_name 3 string
  cancel_op_name 4 string
  queue_closed_exception_types 5 repeated error.Code
SavedModel
  saved_model_schema_version 1 int64
  meta_graphs 2 repeated MetaGraphDef
SaverDef
  filename_tensor_name 1 string
  save_tensor_name 2 string
  restore_op_name 3 string
  max_to_keep 4 int32
  sharded 5 bool
  keep_checkpoint_every_n_hours 6 float
  version 7 SaverDef.CheckpointFormatVersion
enum SaverDef.CheckpointFormatVersion
  LEGACY 0
  V1 1
  V2 2
CondContextDef
  context_name 1 string
  pred_name 2 string
  pivot_name 3 string
  branch 4 int32
  values_def 5 ValuesDef
  nested_contexts 6 repeated ControlFlowContextDef
ControlFlowContextDef
  cond_ctxt 1 CondContextDef in ctxt
  while_ctxt 2 WhileContextDef in ctxt
ValuesDef
  values 1 repeated string
  external_values 2 map string string
WhileContextDef
  context_name 1 string
  parallel_iterations 2 int32
  back_prop 3 bool
  swap_memory 4 bool
  pivot_name 5 string
  pivot_for_pred_name 6 string
  pivot_for_body_name 7 string
  loop_exit_names 8 repeated string
  values_def 9 ValuesDef
  loop_enter_names 10 repeated string
  maximum_iterations_name 11 string
  nested_contexts 12 repeated ControlFlowContextDef
SaveSliceInfoDef
  full_name 1 string
  full_shape 2 repeated int64
  var_offset 3 repeated int64
  var_shape 4 repeated int64
VariableDef
  variable_name 1 string
  initializer_name 2 string
  snapshot_name 3 string
  save_slice_info_def 4 SaveSliceInfoDef
  is_resource 5 bool
  initial_value_name 6 string
  trainable 7 bool
  synchronization 8 VariableSynchronization
  aggregation 9 VariableAggregation
enum VariableSynchronization
  VARIABLE_SYNCHRONIZATION_AUTO 0
  VARIABLE_SYNCHRONIZATION_NONE 1
  VARIABLE_SYNCHRONIZATION_ON_WRITE 2
  VARIABLE_SYNCHRONIZATION_ON_READ 3
enum VariableAggregation
  VARIABLE_AGGREGATION_NONE 0
  VARIABLE_AGGREGATION_SUM 1
  VARIABLE_AGGREGATION_MEAN 2
  VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA 3
CheckpointState
  model_checkpoint_path 1 string
  all_model_checkpoint_paths 2 repeated string
  all_model_checkpoint_timestamps 3 repeated double
  last_preserved_timestamp 4 double
Any
  type_url 1 string
  value 2 bytes
"""
