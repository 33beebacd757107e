"""Object graphs and structured values, which saved models of TensorFlow 2 carry."""

TABLE = """\
CapturedTensor
  name 1 string
  concrete_function 2 string
FunctionSpec
  fullargspec 1 StructuredValue
  is_method 2 bool
  input_signature 5 StructuredValue
  jit_compile 6 FunctionSpec.JitCompile
SaveableObject
  save_function 2 int32
  restore_function 3 int32
SavedAsset
  asset_file_def_index 1 int32
SavedBareConcreteFunction
  concrete_function_name 1 string
  argument_keywords 2 repeated string
  allowed_positional_arguments 3 int64
  function_spec 4 FunctionSpec
SavedConcreteFunction
  bound_inputs 2 repeated int32
  canonicalized_input_signature 3 StructuredValue
  output_signature 4 StructuredValue
SavedConstant
  operation 1 string
SavedFunction
  concrete_functions 1 repeated string
  function_spec 2 FunctionSpec
SavedObject
  children 1 repeated TrackableObjectGraph.TrackableObject.ObjectReference
  slot_variables 3 repeated TrackableObjectGraph.TrackableObject.SlotVariableReference
  user_object 4 SavedUserObject in kind
  asset 5 SavedAsset in kind
  function 6 SavedFunction in kind
  variable 7 SavedVariable in kind
  bare_concrete_function 8 SavedBareConcreteFunction in kind
  constant 9 SavedConstant in kind
  resource 10 SavedResource in kind
  saveable_objects 11 map string SaveableObject
  captured_tensor 12 CapturedTensor in kind
  registered_name 13 string
  serialized_user_proto 14 Any
  dependencies 15 repeated TrackableObjectGraph.TrackableObject.ObjectReference
  registered_saver 16 string
SavedObjectGraph
  nodes 1 repeated SavedObject
  concrete_functions 2 map string SavedConcreteFunction
SavedResource
  device 1 string
SavedUserObject
  identifier 1 string
  version 2 VersionDef
  metadata 3 string
SavedVariable
  dtype 1 DataType
  shape 2 TensorShapeProto
  trainable 3 bool
  synchronization 4 VariableSynchronization
  aggregation 5 VariableAggregation
  name 6 string
  device 7 string
  experimental_distributed_variable_components 8 repeated SavedVariable
enum FunctionSpec.JitCompile
  DEFAULT 0
  ON 1
  OFF 2
BoundedTensorSpecProto
  name 1 string
  shape 2 TensorShapeProto
  dtype 3 DataType
  minimum 4 TensorProto
  maximum 5 TensorProto
DictValue
  fields 1 map string StructuredValue
ListValue
  values 1 repeated StructuredValue
NamedTupleValue
  name 1 string
  values 2 repeated PairValue
NoneValue
PairValue
  key 1 string
  value 2 StructuredValue
StructuredValue
  none_value 1 NoneValue in kind
  float64_value 11 double in kind
  int64_value 12 sint64 in kind
  string_value 13 string in kind
  bool_value 14 bool in kind
  tensor_shape_value 31 TensorShapeProto in kind
  tensor_dtype_value 32 DataType in kind
  tensor_spec_value 33 TensorSpecProto in kind
  type_spec_value 34 TypeSpecProto in kind
  bounded_tensor_spec_value 35 BoundedTensorSpecProto in kind
  list_value 51 ListValue in kind
  tuple_value 52 TupleValue in kind
  dict_value 53 DictValue in kind
  named_tuple_value 54 NamedTupleValue in kind
  tensor_value 55 TensorProto in kind
  numpy_value 56 TensorProto in kind
TensorSpecProto
  name 1 string
  shape 2 TensorShapeProto
  dtype 3 DataType
TupleValue
  values 1 repeated StructuredValue
TypeSpecProto
  type_spec_class 1 TypeSpecProto.TypeSpecClass
  type_state 2 StructuredValue
  type_spec_class_name 3 string
  num_flat_components 4 int32
enum TypeSpecProto.TypeSpecClass
  UNKNOWN 0
  SPARSE_TENSOR_SPEC 1
  INDEXED_SLICES_SPEC 2
  RAGGED_TENSOR_SPEC 3
  TENSOR_ARRAY_SPEC 4
  DATA_DATASET_SPEC 5
  DATA_ITERATOR_SPEC 6
  OPTIONAL_SPEC 7
  PER_REPLICA_SPEC 8
  VARIABLE_SPEC 9
  ROW_PARTITION_SPEC 10
  REGISTERED_TYPE_SPEC 12
  EXTENSION_TYPE_SPEC 13
TrackableObjectGraph.TrackableObject.ObjectReference
  node_id 1 int32
  local_name 2 string
TrackableObjectGraph.TrackableObject.SlotVariableReference
  original_variable_node_id 1 int32
  slot_name 2 string
  slot_variable_node_id 3 int32
"""
