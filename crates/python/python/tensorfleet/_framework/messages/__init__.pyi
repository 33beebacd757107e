# Written by stubs.py; do not edit.

from typing import Any, ClassVar, Iterable, Mapping, Self, TypeVar, type_check_only

from .decode import DecodeError as DecodeError
from .enums import EnumType as EnumType
from .fields import Descriptor as _Descriptor, Field
from .text import ParseError as ParseError

_T = TypeVar("_T")
_K = TypeVar("_K")

@type_check_only
class _Messages(list[_T]):
    def add(self, **fields: Any) -> _T: ...
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

@type_check_only
class _Repeated(list[_T]):
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

@type_check_only
class _Map(dict[_K, _T]):
    def get_or_create(self, key: _K) -> _T: ...
    def MergeFrom(self, other: Mapping[_K, _T]) -> None: ...

class Message:
    DESCRIPTOR: ClassVar[_Descriptor]
    def __init__(self, **fields: Any) -> None: ...
    def ByteSize(self) -> int: ...
    def Clear(self) -> None: ...
    def ClearField(self, name: str) -> None: ...
    def CopyFrom(self, other: Message) -> None: ...
    def DiscardUnknownFields(self) -> None: ...
    @classmethod
    def FromString(cls, data: bytes) -> Self: ...
    def HasField(self, name: str) -> bool: ...
    def IsInitialized(self) -> bool: ...
    def ListFields(self) -> list[tuple[Field, Any]]: ...
    def MergeFrom(self, other: Message) -> None: ...
    def MergeFromString(self, data: bytes) -> int: ...
    def ParseFromString(self, data: bytes) -> int: ...
    def SerializePartialToString(self, deterministic: bool | None = ...) -> bytes: ...
    def SerializeToString(self, deterministic: bool | None = ...) -> bytes: ...
    def SetInParent(self) -> None: ...
    def WhichOneof(self, name: str) -> str | None: ...

AnyMessage = TypeVar("AnyMessage", bound=Message)

def enum_names() -> list[str]: ...
def enum_type(name: str) -> EnumType: ...
def message_class(name: str) -> type[Message]: ...
def message_names() -> list[str]: ...
def message_to_text(message: Message) -> str: ...
def parse_text(text: str | bytes, into: AnyMessage | type[AnyMessage]) -> AnyMessage: ...

DataClass: EnumType
DATA_CLASS_UNKNOWN: int
DATA_CLASS_SCALAR: int
DATA_CLASS_TENSOR: int
DATA_CLASS_BLOB_SEQUENCE: int

DataType: EnumType
DT_INVALID: int
DT_FLOAT: int
DT_DOUBLE: int
DT_INT32: int
DT_UINT8: int
DT_INT16: int
DT_INT8: int
DT_STRING: int
DT_COMPLEX64: int
DT_INT64: int
DT_BOOL: int
DT_QINT8: int
DT_QUINT8: int
DT_QINT32: int
DT_BFLOAT16: int
DT_QINT16: int
DT_QUINT16: int
DT_UINT16: int
DT_COMPLEX128: int
DT_HALF: int
DT_RESOURCE: int
DT_VARIANT: int
DT_UINT32: int
DT_UINT64: int
DT_FLOAT8_E5M2: int
DT_FLOAT8_E4M3FN: int
DT_FLOAT8_E4M3FNUZ: int
DT_FLOAT8_E4M3B11FNUZ: int
DT_FLOAT8_E5M2FNUZ: int
DT_INT4: int
DT_UINT4: int
DT_INT2: int
DT_UINT2: int
DT_FLOAT4_E2M1FN: int
DT_FLOAT_REF: int
DT_DOUBLE_REF: int
DT_INT32_REF: int
DT_UINT8_REF: int
DT_INT16_REF: int
DT_INT8_REF: int
DT_STRING_REF: int
DT_COMPLEX64_REF: int
DT_INT64_REF: int
DT_BOOL_REF: int
DT_QINT8_REF: int
DT_QUINT8_REF: int
DT_QINT32_REF: int
DT_BFLOAT16_REF: int
DT_QINT16_REF: int
DT_QUINT16_REF: int
DT_UINT16_REF: int
DT_COMPLEX128_REF: int
DT_HALF_REF: int
DT_RESOURCE_REF: int
DT_VARIANT_REF: int
DT_UINT32_REF: int
DT_UINT64_REF: int
DT_FLOAT8_E5M2_REF: int
DT_FLOAT8_E4M3FN_REF: int
DT_FLOAT8_E4M3FNUZ_REF: int
DT_FLOAT8_E4M3B11FNUZ_REF: int
DT_FLOAT8_E5M2FNUZ_REF: int
DT_INT4_REF: int
DT_UINT4_REF: int
DT_INT2_REF: int
DT_UINT2_REF: int
DT_FLOAT4_E2M1FN_REF: int

FullTypeId: EnumType
TFT_UNSET: int
TFT_VAR: int
TFT_ANY: int
TFT_PRODUCT: int
TFT_NAMED: int
TFT_FOR_EACH: int
TFT_CALLABLE: int
TFT_TENSOR: int
TFT_ARRAY: int
TFT_OPTIONAL: int
TFT_LITERAL: int
TFT_ENCODED: int
TFT_SHAPE_TENSOR: int
TFT_BOOL: int
TFT_UINT8: int
TFT_UINT16: int
TFT_UINT32: int
TFT_UINT64: int
TFT_INT8: int
TFT_INT16: int
TFT_INT32: int
TFT_INT64: int
TFT_HALF: int
TFT_FLOAT: int
TFT_DOUBLE: int
TFT_BFLOAT16: int
TFT_COMPLEX64: int
TFT_COMPLEX128: int
TFT_STRING: int
TFT_DATASET: int
TFT_RAGGED: int
TFT_ITERATOR: int
TFT_MUTEX_LOCK: int
TFT_LEGACY_VARIANT: int

VariableAggregation: EnumType
VARIABLE_AGGREGATION_NONE: int
VARIABLE_AGGREGATION_SUM: int
VARIABLE_AGGREGATION_MEAN: int
VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA: int

VariableSynchronization: EnumType
VARIABLE_SYNCHRONIZATION_AUTO: int
VARIABLE_SYNCHRONIZATION_NONE: int
VARIABLE_SYNCHRONIZATION_ON_WRITE: int
VARIABLE_SYNCHRONIZATION_ON_READ: int

class AllocationDescription(Message):
    requested_bytes: int
    allocated_bytes: int
    allocator_name: str
    allocation_id: int
    has_single_reference: bool
    ptr: int
    def __init__(self, *, requested_bytes: int = ..., allocated_bytes: int = ..., allocator_name: str = ..., allocation_id: int = ..., has_single_reference: bool = ..., ptr: int = ...) -> None: ...

class AllocationRecord(Message):
    alloc_micros: int
    alloc_bytes: int
    def __init__(self, *, alloc_micros: int = ..., alloc_bytes: int = ...) -> None: ...

class AllocatorMemoryUsed(Message):
    allocator_name: str
    total_bytes: int
    peak_bytes: int
    live_bytes: int
    allocator_bytes_in_use: int
    @property
    def allocation_records(self) -> _Messages[AllocationRecord]: ...
    def __init__(self, *, allocator_name: str = ..., total_bytes: int = ..., peak_bytes: int = ..., live_bytes: int = ..., allocator_bytes_in_use: int = ..., allocation_records: Iterable[AllocationRecord] = ...) -> None: ...

class Any(Message):
    type_url: str
    value: bytes
    def __init__(self, *, type_url: str = ..., value: bytes = ...) -> None: ...

class AssetFileDef(Message):
    @property
    def tensor_info(self) -> TensorInfo: ...
    filename: str
    def __init__(self, *, tensor_info: TensorInfo | Mapping[str, Any] | None = ..., filename: str = ...) -> None: ...

class AttrValue(Message):
    class ListValue(Message):
        @property
        def s(self) -> _Repeated[bytes]: ...
        @property
        def i(self) -> _Repeated[int]: ...
        @property
        def f(self) -> _Repeated[float]: ...
        @property
        def b(self) -> _Repeated[bool]: ...
        @property
        def type(self) -> _Repeated[int]: ...
        @property
        def shape(self) -> _Messages[TensorShapeProto]: ...
        @property
        def tensor(self) -> _Messages[TensorProto]: ...
        @property
        def func(self) -> _Messages[NameAttrList]: ...
        def __init__(self, *, s: Iterable[bytes] = ..., i: Iterable[int] = ..., f: Iterable[float] = ..., b: Iterable[bool] = ..., type: Iterable[int] = ..., shape: Iterable[TensorShapeProto] = ..., tensor: Iterable[TensorProto] = ..., func: Iterable[NameAttrList] = ...) -> None: ...
    @property
    def list(self) -> AttrValue.ListValue: ...
    s: bytes
    i: int
    f: float
    b: bool
    type: int
    @property
    def shape(self) -> TensorShapeProto: ...
    @property
    def tensor(self) -> TensorProto: ...
    placeholder: str
    @property
    def func(self) -> NameAttrList: ...
    def __init__(self, *, list: AttrValue.ListValue | Mapping[str, Any] | None = ..., s: bytes = ..., i: int = ..., f: float = ..., b: bool = ..., type: int = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., tensor: TensorProto | Mapping[str, Any] | None = ..., placeholder: str = ..., func: NameAttrList | Mapping[str, Any] | None = ...) -> None: ...

class AutoParallelOptions(Message):
    enable: bool
    num_replicas: int
    def __init__(self, *, enable: bool = ..., num_replicas: int = ...) -> None: ...

class BoundedTensorSpecProto(Message):
    name: str
    @property
    def shape(self) -> TensorShapeProto: ...
    dtype: int
    @property
    def minimum(self) -> TensorProto: ...
    @property
    def maximum(self) -> TensorProto: ...
    def __init__(self, *, name: str = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., dtype: int = ..., minimum: TensorProto | Mapping[str, Any] | None = ..., maximum: TensorProto | Mapping[str, Any] | None = ...) -> None: ...

class BytesList(Message):
    @property
    def value(self) -> _Repeated[bytes]: ...
    def __init__(self, *, value: Iterable[bytes] = ...) -> None: ...

class CapturedTensor(Message):
    name: str
    concrete_function: str
    def __init__(self, *, name: str = ..., concrete_function: str = ...) -> None: ...

class CheckpointState(Message):
    model_checkpoint_path: str
    @property
    def all_model_checkpoint_paths(self) -> _Repeated[str]: ...
    @property
    def all_model_checkpoint_timestamps(self) -> _Repeated[float]: ...
    last_preserved_timestamp: float
    def __init__(self, *, model_checkpoint_path: str = ..., all_model_checkpoint_paths: Iterable[str] = ..., all_model_checkpoint_timestamps: Iterable[float] = ..., last_preserved_timestamp: float = ...) -> None: ...

class ClusterDef(Message):
    @property
    def job(self) -> _Messages[JobDef]: ...
    def __init__(self, *, job: Iterable[JobDef] = ...) -> None: ...

class ClusterDeviceFilters(Message):
    @property
    def jobs(self) -> _Messages[JobDeviceFilters]: ...
    def __init__(self, *, jobs: Iterable[JobDeviceFilters] = ...) -> None: ...

class CollectionDef(Message):
    class AnyList(Message):
        @property
        def value(self) -> _Messages[Any]: ...
        def __init__(self, *, value: Iterable[Any] = ...) -> None: ...
    class BytesList(Message):
        @property
        def value(self) -> _Repeated[bytes]: ...
        def __init__(self, *, value: Iterable[bytes] = ...) -> None: ...
    class FloatList(Message):
        @property
        def value(self) -> _Repeated[float]: ...
        def __init__(self, *, value: Iterable[float] = ...) -> None: ...
    class Int64List(Message):
        @property
        def value(self) -> _Repeated[int]: ...
        def __init__(self, *, value: Iterable[int] = ...) -> None: ...
    class NodeList(Message):
        @property
        def value(self) -> _Repeated[str]: ...
        def __init__(self, *, value: Iterable[str] = ...) -> None: ...
    @property
    def node_list(self) -> CollectionDef.NodeList: ...
    @property
    def bytes_list(self) -> CollectionDef.BytesList: ...
    @property
    def int64_list(self) -> CollectionDef.Int64List: ...
    @property
    def float_list(self) -> CollectionDef.FloatList: ...
    @property
    def any_list(self) -> CollectionDef.AnyList: ...
    def __init__(self, *, node_list: CollectionDef.NodeList | Mapping[str, Any] | None = ..., bytes_list: CollectionDef.BytesList | Mapping[str, Any] | None = ..., int64_list: CollectionDef.Int64List | Mapping[str, Any] | None = ..., float_list: CollectionDef.FloatList | Mapping[str, Any] | None = ..., any_list: CollectionDef.AnyList | Mapping[str, Any] | None = ...) -> None: ...

class CondContextDef(Message):
    context_name: str
    pred_name: str
    pivot_name: str
    branch: int
    @property
    def values_def(self) -> ValuesDef: ...
    @property
    def nested_contexts(self) -> _Messages[ControlFlowContextDef]: ...
    def __init__(self, *, context_name: str = ..., pred_name: str = ..., pivot_name: str = ..., branch: int = ..., values_def: ValuesDef | Mapping[str, Any] | None = ..., nested_contexts: Iterable[ControlFlowContextDef] = ...) -> None: ...

class ConfigProto(Message):
    class Experimental(Message):
        MlirBridgeRollout: ClassVar[EnumType]
        MLIR_BRIDGE_ROLLOUT_UNSPECIFIED: ClassVar[int]
        MLIR_BRIDGE_ROLLOUT_ENABLED: ClassVar[int]
        MLIR_BRIDGE_ROLLOUT_DISABLED: ClassVar[int]
        collective_group_leader: str
        executor_type: str
        recv_buf_max_chunk: int
        use_numa_affinity: bool
        collective_deterministic_sequential_execution: bool
        collective_nccl: bool
        share_session_state_in_clusterspec_propagation: bool
        disable_thread_spinning: bool
        share_cluster_devices_in_session: bool
        @property
        def session_metadata(self) -> SessionMetadata: ...
        optimize_for_static_graph: bool
        enable_mlir_bridge: bool
        disable_output_partition_graphs: bool
        xla_fusion_autotuner_thresh: int
        enable_mlir_graph_optimization: bool
        mlir_bridge_rollout: int
        use_tfrt: bool
        disable_functional_ops_lowering: bool
        xla_prefer_single_graph_cluster: bool
        @property
        def coordination_config(self) -> CoordinationServiceConfig: ...
        disable_optimize_for_static_graph: bool
        disable_eager_executor_streaming_enqueue: bool
        enable_multi_host: bool
        backend_server_port: int
        target_tpu: bool
        target_gpu: bool
        stream_merge_threshold: int
        tfrt_use_ifrt: bool
        finalize_function_library_runtime: bool
        finalize_resource_manager: bool
        tf2xla_dump_dir: str
        online_cost_analysis: bool
        def __init__(self, *, collective_group_leader: str = ..., executor_type: str = ..., recv_buf_max_chunk: int = ..., use_numa_affinity: bool = ..., collective_deterministic_sequential_execution: bool = ..., collective_nccl: bool = ..., share_session_state_in_clusterspec_propagation: bool = ..., disable_thread_spinning: bool = ..., share_cluster_devices_in_session: bool = ..., session_metadata: SessionMetadata | Mapping[str, Any] | None = ..., optimize_for_static_graph: bool = ..., enable_mlir_bridge: bool = ..., disable_output_partition_graphs: bool = ..., xla_fusion_autotuner_thresh: int = ..., enable_mlir_graph_optimization: bool = ..., mlir_bridge_rollout: int = ..., use_tfrt: bool = ..., disable_functional_ops_lowering: bool = ..., xla_prefer_single_graph_cluster: bool = ..., coordination_config: CoordinationServiceConfig | Mapping[str, Any] | None = ..., disable_optimize_for_static_graph: bool = ..., disable_eager_executor_streaming_enqueue: bool = ..., enable_multi_host: bool = ..., backend_server_port: int = ..., target_tpu: bool = ..., target_gpu: bool = ..., stream_merge_threshold: int = ..., tfrt_use_ifrt: bool = ..., finalize_function_library_runtime: bool = ..., finalize_resource_manager: bool = ..., tf2xla_dump_dir: str = ..., online_cost_analysis: bool = ...) -> None: ...
    @property
    def device_count(self) -> _Map[str, int]: ...
    intra_op_parallelism_threads: int
    placement_period: int
    @property
    def device_filters(self) -> _Repeated[str]: ...
    inter_op_parallelism_threads: int
    @property
    def gpu_options(self) -> GPUOptions: ...
    allow_soft_placement: bool
    log_device_placement: bool
    use_per_session_threads: bool
    @property
    def graph_options(self) -> GraphOptions: ...
    operation_timeout_in_ms: int
    @property
    def session_inter_op_thread_pool(self) -> _Messages[ThreadPoolOptionProto]: ...
    @property
    def rpc_options(self) -> RPCOptions: ...
    @property
    def cluster_def(self) -> ClusterDef: ...
    isolate_session_state: bool
    @property
    def experimental(self) -> ConfigProto.Experimental: ...
    share_cluster_devices_in_session: bool
    @property
    def pluggable_device_options(self) -> GPUOptions: ...
    def __init__(self, *, device_count: Mapping[str, int] = ..., intra_op_parallelism_threads: int = ..., placement_period: int = ..., device_filters: Iterable[str] = ..., inter_op_parallelism_threads: int = ..., gpu_options: GPUOptions | Mapping[str, Any] | None = ..., allow_soft_placement: bool = ..., log_device_placement: bool = ..., use_per_session_threads: bool = ..., graph_options: GraphOptions | Mapping[str, Any] | None = ..., operation_timeout_in_ms: int = ..., session_inter_op_thread_pool: Iterable[ThreadPoolOptionProto] = ..., rpc_options: RPCOptions | Mapping[str, Any] | None = ..., cluster_def: ClusterDef | Mapping[str, Any] | None = ..., isolate_session_state: bool = ..., experimental: ConfigProto.Experimental | Mapping[str, Any] | None = ..., share_cluster_devices_in_session: bool = ..., pluggable_device_options: GPUOptions | Mapping[str, Any] | None = ...) -> None: ...

class ControlFlowContextDef(Message):
    @property
    def cond_ctxt(self) -> CondContextDef: ...
    @property
    def while_ctxt(self) -> WhileContextDef: ...
    def __init__(self, *, cond_ctxt: CondContextDef | Mapping[str, Any] | None = ..., while_ctxt: WhileContextDef | Mapping[str, Any] | None = ...) -> None: ...

class CoordinatedJob(Message):
    name: str
    num_tasks: int
    def __init__(self, *, name: str = ..., num_tasks: int = ...) -> None: ...

class CoordinationServiceConfig(Message):
    service_type: str
    service_leader: str
    enable_health_check: bool
    cluster_register_timeout_in_ms: int
    heartbeat_timeout_in_ms: int
    shutdown_barrier_timeout_in_ms: int
    agent_destruction_without_shutdown: bool
    @property
    def recoverable_jobs(self) -> _Repeated[str]: ...
    @property
    def coordinated_job_list(self) -> _Messages[CoordinatedJob]: ...
    allow_new_incarnation_to_reconnect: bool
    force_disable: bool
    poll_for_error_from_service_at_startup: bool
    cluster_register_with_barrier: bool
    def __init__(self, *, service_type: str = ..., service_leader: str = ..., enable_health_check: bool = ..., cluster_register_timeout_in_ms: int = ..., heartbeat_timeout_in_ms: int = ..., shutdown_barrier_timeout_in_ms: int = ..., agent_destruction_without_shutdown: bool = ..., recoverable_jobs: Iterable[str] = ..., coordinated_job_list: Iterable[CoordinatedJob] = ..., allow_new_incarnation_to_reconnect: bool = ..., force_disable: bool = ..., poll_for_error_from_service_at_startup: bool = ..., cluster_register_with_barrier: bool = ...) -> None: ...

class CostGraphDef(Message):
    class AggregatedCost(Message):
        cost: float
        dimension: str
        def __init__(self, *, cost: float = ..., dimension: str = ...) -> None: ...
    class Node(Message):
        class InputInfo(Message):
            preceding_node: int
            preceding_port: int
            def __init__(self, *, preceding_node: int = ..., preceding_port: int = ...) -> None: ...
        class OutputInfo(Message):
            size: int
            alias_input_port: int
            @property
            def shape(self) -> TensorShapeProto: ...
            dtype: int
            def __init__(self, *, size: int = ..., alias_input_port: int = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., dtype: int = ...) -> None: ...
        name: str
        device: str
        id: int
        @property
        def input_info(self) -> _Messages[CostGraphDef.Node.InputInfo]: ...
        @property
        def output_info(self) -> _Messages[CostGraphDef.Node.OutputInfo]: ...
        temporary_memory_size: int
        is_final: bool
        @property
        def control_input(self) -> _Repeated[int]: ...
        compute_cost: int
        host_temp_memory_size: int
        device_temp_memory_size: int
        persistent_memory_size: int
        compute_time: int
        memory_time: int
        device_persistent_memory_size: int
        inaccurate: bool
        def __init__(self, *, name: str = ..., device: str = ..., id: int = ..., input_info: Iterable[CostGraphDef.Node.InputInfo] = ..., output_info: Iterable[CostGraphDef.Node.OutputInfo] = ..., temporary_memory_size: int = ..., is_final: bool = ..., control_input: Iterable[int] = ..., compute_cost: int = ..., host_temp_memory_size: int = ..., device_temp_memory_size: int = ..., persistent_memory_size: int = ..., compute_time: int = ..., memory_time: int = ..., device_persistent_memory_size: int = ..., inaccurate: bool = ...) -> None: ...
    @property
    def node(self) -> _Messages[CostGraphDef.Node]: ...
    @property
    def cost(self) -> _Messages[CostGraphDef.AggregatedCost]: ...
    def __init__(self, *, node: Iterable[CostGraphDef.Node] = ..., cost: Iterable[CostGraphDef.AggregatedCost] = ...) -> None: ...

class DebugOptions(Message):
    @property
    def debug_tensor_watch_opts(self) -> _Messages[DebugTensorWatch]: ...
    global_step: int
    reset_disk_byte_usage: bool
    def __init__(self, *, debug_tensor_watch_opts: Iterable[DebugTensorWatch] = ..., global_step: int = ..., reset_disk_byte_usage: bool = ...) -> None: ...

class DebugTensorWatch(Message):
    node_name: str
    output_slot: int
    @property
    def debug_ops(self) -> _Repeated[str]: ...
    @property
    def debug_urls(self) -> _Repeated[str]: ...
    tolerate_debug_op_creation_failures: bool
    def __init__(self, *, node_name: str = ..., output_slot: int = ..., debug_ops: Iterable[str] = ..., debug_urls: Iterable[str] = ..., tolerate_debug_op_creation_failures: bool = ...) -> None: ...

class DeviceAttributes(Message):
    name: str
    device_type: str
    memory_limit: int
    @property
    def locality(self) -> DeviceLocality: ...
    incarnation: int
    physical_device_desc: str
    xla_global_id: int
    def __init__(self, *, name: str = ..., device_type: str = ..., memory_limit: int = ..., locality: DeviceLocality | Mapping[str, Any] | None = ..., incarnation: int = ..., physical_device_desc: str = ..., xla_global_id: int = ...) -> None: ...

class DeviceLocality(Message):
    bus_id: int
    numa_node: int
    @property
    def links(self) -> LocalLinks: ...
    def __init__(self, *, bus_id: int = ..., numa_node: int = ..., links: LocalLinks | Mapping[str, Any] | None = ...) -> None: ...

class DeviceStepStats(Message):
    device: str
    @property
    def node_stats(self) -> _Messages[NodeExecStats]: ...
    @property
    def thread_names(self) -> _Map[int, str]: ...
    def __init__(self, *, device: str = ..., node_stats: Iterable[NodeExecStats] = ..., thread_names: Mapping[int, str] = ...) -> None: ...

class DictValue(Message):
    @property
    def fields(self) -> _Map[str, StructuredValue]: ...
    def __init__(self, *, fields: Mapping[str, StructuredValue] = ...) -> None: ...

class Event(Message):
    wall_time: float
    step: int
    file_version: str
    graph_def: bytes
    @property
    def summary(self) -> Summary: ...
    @property
    def log_message(self) -> LogMessage: ...
    @property
    def session_log(self) -> SessionLog: ...
    @property
    def tagged_run_metadata(self) -> TaggedRunMetadata: ...
    meta_graph_def: bytes
    @property
    def source_metadata(self) -> SourceMetadata: ...
    def __init__(self, *, wall_time: float = ..., step: int = ..., file_version: str = ..., graph_def: bytes = ..., summary: Summary | Mapping[str, Any] | None = ..., log_message: LogMessage | Mapping[str, Any] | None = ..., session_log: SessionLog | Mapping[str, Any] | None = ..., tagged_run_metadata: TaggedRunMetadata | Mapping[str, Any] | None = ..., meta_graph_def: bytes = ..., source_metadata: SourceMetadata | Mapping[str, Any] | None = ...) -> None: ...

class Example(Message):
    @property
    def features(self) -> Features: ...
    def __init__(self, *, features: Features | Mapping[str, Any] | None = ...) -> None: ...

class Feature(Message):
    @property
    def bytes_list(self) -> BytesList: ...
    @property
    def float_list(self) -> FloatList: ...
    @property
    def int64_list(self) -> Int64List: ...
    def __init__(self, *, bytes_list: BytesList | Mapping[str, Any] | None = ..., float_list: FloatList | Mapping[str, Any] | None = ..., int64_list: Int64List | Mapping[str, Any] | None = ...) -> None: ...

class FeatureList(Message):
    @property
    def feature(self) -> _Messages[Feature]: ...
    def __init__(self, *, feature: Iterable[Feature] = ...) -> None: ...

class FeatureLists(Message):
    @property
    def feature_list(self) -> _Map[str, FeatureList]: ...
    def __init__(self, *, feature_list: Mapping[str, FeatureList] = ...) -> None: ...

class Features(Message):
    @property
    def feature(self) -> _Map[str, Feature]: ...
    def __init__(self, *, feature: Mapping[str, Feature] = ...) -> None: ...

class FloatList(Message):
    @property
    def value(self) -> _Repeated[float]: ...
    def __init__(self, *, value: Iterable[float] = ...) -> None: ...

class FullTypeDef(Message):
    type_id: int
    @property
    def args(self) -> _Messages[FullTypeDef]: ...
    s: str
    i: int
    def __init__(self, *, type_id: int = ..., args: Iterable[FullTypeDef] = ..., s: str = ..., i: int = ...) -> None: ...

class FunctionDef(Message):
    class ArgAttrs(Message):
        @property
        def attr(self) -> _Map[str, AttrValue]: ...
        def __init__(self, *, attr: Mapping[str, AttrValue] = ...) -> None: ...
    @property
    def signature(self) -> OpDef: ...
    @property
    def node_def(self) -> _Messages[NodeDef]: ...
    @property
    def ret(self) -> _Map[str, str]: ...
    @property
    def attr(self) -> _Map[str, AttrValue]: ...
    @property
    def control_ret(self) -> _Map[str, str]: ...
    @property
    def arg_attr(self) -> _Map[int, FunctionDef.ArgAttrs]: ...
    @property
    def resource_arg_unique_id(self) -> _Map[int, int]: ...
    def __init__(self, *, signature: OpDef | Mapping[str, Any] | None = ..., node_def: Iterable[NodeDef] = ..., ret: Mapping[str, str] = ..., attr: Mapping[str, AttrValue] = ..., control_ret: Mapping[str, str] = ..., arg_attr: Mapping[int, FunctionDef.ArgAttrs] = ..., resource_arg_unique_id: Mapping[int, int] = ...) -> None: ...

class FunctionDefLibrary(Message):
    @property
    def function(self) -> _Messages[FunctionDef]: ...
    @property
    def gradient(self) -> _Messages[GradientDef]: ...
    @property
    def registered_gradients(self) -> _Messages[RegisteredGradient]: ...
    def __init__(self, *, function: Iterable[FunctionDef] = ..., gradient: Iterable[GradientDef] = ..., registered_gradients: Iterable[RegisteredGradient] = ...) -> None: ...

class FunctionSpec(Message):
    JitCompile: ClassVar[EnumType]
    DEFAULT: ClassVar[int]
    ON: ClassVar[int]
    OFF: ClassVar[int]
    @property
    def fullargspec(self) -> StructuredValue: ...
    is_method: bool
    @property
    def input_signature(self) -> StructuredValue: ...
    jit_compile: int
    def __init__(self, *, fullargspec: StructuredValue | Mapping[str, Any] | None = ..., is_method: bool = ..., input_signature: StructuredValue | Mapping[str, Any] | None = ..., jit_compile: int = ...) -> None: ...

class GPUOptions(Message):
    class Experimental(Message):
        class StreamMergeOptions(Message):
            merge_host_to_device_stream: bool
            merge_device_to_host_stream: bool
            merge_device_to_device_stream: bool
            def __init__(self, *, merge_host_to_device_stream: bool = ..., merge_device_to_host_stream: bool = ..., merge_device_to_device_stream: bool = ...) -> None: ...
        class VirtualDevices(Message):
            @property
            def memory_limit_mb(self) -> _Repeated[float]: ...
            @property
            def priority(self) -> _Repeated[int]: ...
            @property
            def device_ordinal(self) -> _Repeated[int]: ...
            def __init__(self, *, memory_limit_mb: Iterable[float] = ..., priority: Iterable[int] = ..., device_ordinal: Iterable[int] = ...) -> None: ...
        @property
        def virtual_devices(self) -> _Messages[GPUOptions.Experimental.VirtualDevices]: ...
        use_unified_memory: bool
        num_dev_to_dev_copy_streams: int
        collective_ring_order: str
        timestamped_allocator: bool
        kernel_tracker_max_interval: int
        kernel_tracker_max_bytes: int
        kernel_tracker_max_pending: int
        internal_fragmentation_fraction: float
        use_cuda_malloc_async: bool
        disallow_retry_on_allocation_failure: bool
        gpu_host_mem_limit_in_mb: float
        gpu_host_mem_disallow_growth: bool
        num_virtual_devices_per_gpu: int
        gpu_system_memory_size_in_mb: int
        populate_pjrt_gpu_client_creation_info: bool
        node_id: int
        @property
        def stream_merge_options(self) -> GPUOptions.Experimental.StreamMergeOptions: ...
        def __init__(self, *, virtual_devices: Iterable[GPUOptions.Experimental.VirtualDevices] = ..., use_unified_memory: bool = ..., num_dev_to_dev_copy_streams: int = ..., collective_ring_order: str = ..., timestamped_allocator: bool = ..., kernel_tracker_max_interval: int = ..., kernel_tracker_max_bytes: int = ..., kernel_tracker_max_pending: int = ..., internal_fragmentation_fraction: float = ..., use_cuda_malloc_async: bool = ..., disallow_retry_on_allocation_failure: bool = ..., gpu_host_mem_limit_in_mb: float = ..., gpu_host_mem_disallow_growth: bool = ..., num_virtual_devices_per_gpu: int = ..., gpu_system_memory_size_in_mb: int = ..., populate_pjrt_gpu_client_creation_info: bool = ..., node_id: int = ..., stream_merge_options: GPUOptions.Experimental.StreamMergeOptions | Mapping[str, Any] | None = ...) -> None: ...
    per_process_gpu_memory_fraction: float
    allocator_type: str
    deferred_deletion_bytes: int
    allow_growth: bool
    visible_device_list: str
    polling_active_delay_usecs: int
    polling_inactive_delay_msecs: int
    force_gpu_compatible: bool
    @property
    def experimental(self) -> GPUOptions.Experimental: ...
    def __init__(self, *, per_process_gpu_memory_fraction: float = ..., allocator_type: str = ..., deferred_deletion_bytes: int = ..., allow_growth: bool = ..., visible_device_list: str = ..., polling_active_delay_usecs: int = ..., polling_inactive_delay_msecs: int = ..., force_gpu_compatible: bool = ..., experimental: GPUOptions.Experimental | Mapping[str, Any] | None = ...) -> None: ...

class GradientDef(Message):
    function_name: str
    gradient_func: str
    def __init__(self, *, function_name: str = ..., gradient_func: str = ...) -> None: ...

class GraphDebugInfo(Message):
    class FileLineCol(Message):
        file_index: int
        line: int
        col: int
        func: str
        code: str
        def __init__(self, *, file_index: int = ..., line: int = ..., col: int = ..., func: str = ..., code: str = ...) -> None: ...
    class StackTrace(Message):
        @property
        def file_line_cols(self) -> _Messages[GraphDebugInfo.FileLineCol]: ...
        @property
        def frame_id(self) -> _Repeated[int]: ...
        def __init__(self, *, file_line_cols: Iterable[GraphDebugInfo.FileLineCol] = ..., frame_id: Iterable[int] = ...) -> None: ...
    @property
    def files(self) -> _Repeated[str]: ...
    @property
    def traces(self) -> _Map[str, GraphDebugInfo.StackTrace]: ...
    @property
    def frames_by_id(self) -> _Map[int, GraphDebugInfo.FileLineCol]: ...
    @property
    def name_to_trace_id(self) -> _Map[str, int]: ...
    @property
    def traces_by_id(self) -> _Map[int, GraphDebugInfo.StackTrace]: ...
    def __init__(self, *, files: Iterable[str] = ..., traces: Mapping[str, GraphDebugInfo.StackTrace] = ..., frames_by_id: Mapping[int, GraphDebugInfo.FileLineCol] = ..., name_to_trace_id: Mapping[str, int] = ..., traces_by_id: Mapping[int, GraphDebugInfo.StackTrace] = ...) -> None: ...

class GraphDef(Message):
    @property
    def node(self) -> _Messages[NodeDef]: ...
    @property
    def library(self) -> FunctionDefLibrary: ...
    version: int
    @property
    def versions(self) -> VersionDef: ...
    @property
    def debug_info(self) -> GraphDebugInfo: ...
    def __init__(self, *, node: Iterable[NodeDef] = ..., library: FunctionDefLibrary | Mapping[str, Any] | None = ..., version: int = ..., versions: VersionDef | Mapping[str, Any] | None = ..., debug_info: GraphDebugInfo | Mapping[str, Any] | None = ...) -> None: ...

class GraphOptions(Message):
    enable_recv_scheduling: bool
    @property
    def optimizer_options(self) -> OptimizerOptions: ...
    build_cost_model: int
    infer_shapes: bool
    place_pruned_graph: bool
    enable_bfloat16_sendrecv: bool
    timeline_step: int
    build_cost_model_after: int
    @property
    def rewrite_options(self) -> RewriterConfig: ...
    def __init__(self, *, enable_recv_scheduling: bool = ..., optimizer_options: OptimizerOptions | Mapping[str, Any] | None = ..., build_cost_model: int = ..., infer_shapes: bool = ..., place_pruned_graph: bool = ..., enable_bfloat16_sendrecv: bool = ..., timeline_step: int = ..., build_cost_model_after: int = ..., rewrite_options: RewriterConfig | Mapping[str, Any] | None = ...) -> None: ...

class HistogramProto(Message):
    min: float
    max: float
    num: float
    sum: float
    sum_squares: float
    @property
    def bucket_limit(self) -> _Repeated[float]: ...
    @property
    def bucket(self) -> _Repeated[float]: ...
    def __init__(self, *, min: float = ..., max: float = ..., num: float = ..., sum: float = ..., sum_squares: float = ..., bucket_limit: Iterable[float] = ..., bucket: Iterable[float] = ...) -> None: ...

class Int64List(Message):
    @property
    def value(self) -> _Repeated[int]: ...
    def __init__(self, *, value: Iterable[int] = ...) -> None: ...

class InterconnectLink(Message):
    device_id: int
    type: str
    strength: int
    def __init__(self, *, device_id: int = ..., type: str = ..., strength: int = ...) -> None: ...

class JobDef(Message):
    name: str
    @property
    def tasks(self) -> _Map[int, str]: ...
    def __init__(self, *, name: str = ..., tasks: Mapping[int, str] = ...) -> None: ...

class JobDeviceFilters(Message):
    name: str
    @property
    def tasks(self) -> _Map[int, TaskDeviceFilters]: ...
    def __init__(self, *, name: str = ..., tasks: Mapping[int, TaskDeviceFilters] = ...) -> None: ...

class ListValue(Message):
    @property
    def values(self) -> _Messages[StructuredValue]: ...
    def __init__(self, *, values: Iterable[StructuredValue] = ...) -> None: ...

class LocalLinks(Message):
    @property
    def link(self) -> _Messages[InterconnectLink]: ...
    def __init__(self, *, link: Iterable[InterconnectLink] = ...) -> None: ...

class LogMessage(Message):
    Level: ClassVar[EnumType]
    UNKNOWN: ClassVar[int]
    DEBUGGING: ClassVar[int]
    INFO: ClassVar[int]
    WARN: ClassVar[int]
    ERROR: ClassVar[int]
    FATAL: ClassVar[int]
    level: int
    message: str
    def __init__(self, *, level: int = ..., message: str = ...) -> None: ...

class MemoryStats(Message):
    temp_memory_size: int
    device_temp_memory_size: int
    persistent_memory_size: int
    device_persistent_memory_size: int
    @property
    def persistent_tensor_alloc_ids(self) -> _Repeated[int]: ...
    @property
    def device_persistent_tensor_alloc_ids(self) -> _Repeated[int]: ...
    def __init__(self, *, temp_memory_size: int = ..., device_temp_memory_size: int = ..., persistent_memory_size: int = ..., device_persistent_memory_size: int = ..., persistent_tensor_alloc_ids: Iterable[int] = ..., device_persistent_tensor_alloc_ids: Iterable[int] = ...) -> None: ...

class MetaGraphDef(Message):
    class MetaInfoDef(Message):
        meta_graph_version: str
        @property
        def stripped_op_list(self) -> OpList: ...
        @property
        def any_info(self) -> Any: ...
        @property
        def tags(self) -> _Repeated[str]: ...
        tensorflow_version: str
        tensorflow_git_version: str
        stripped_default_attrs: bool
        @property
        def function_aliases(self) -> _Map[str, str]: ...
        def __init__(self, *, meta_graph_version: str = ..., stripped_op_list: OpList | Mapping[str, Any] | None = ..., any_info: Any | Mapping[str, Any] | None = ..., tags: Iterable[str] = ..., tensorflow_version: str = ..., tensorflow_git_version: str = ..., stripped_default_attrs: bool = ..., function_aliases: Mapping[str, str] = ...) -> None: ...
    @property
    def meta_info_def(self) -> MetaGraphDef.MetaInfoDef: ...
    @property
    def graph_def(self) -> GraphDef: ...
    @property
    def saver_def(self) -> SaverDef: ...
    @property
    def collection_def(self) -> _Map[str, CollectionDef]: ...
    @property
    def signature_def(self) -> _Map[str, SignatureDef]: ...
    @property
    def asset_file_def(self) -> _Messages[AssetFileDef]: ...
    @property
    def object_graph_def(self) -> SavedObjectGraph: ...
    def __init__(self, *, meta_info_def: MetaGraphDef.MetaInfoDef | Mapping[str, Any] | None = ..., graph_def: GraphDef | Mapping[str, Any] | None = ..., saver_def: SaverDef | Mapping[str, Any] | None = ..., collection_def: Mapping[str, CollectionDef] = ..., signature_def: Mapping[str, SignatureDef] = ..., asset_file_def: Iterable[AssetFileDef] = ..., object_graph_def: SavedObjectGraph | Mapping[str, Any] | None = ...) -> None: ...

class NameAttrList(Message):
    name: str
    @property
    def attr(self) -> _Map[str, AttrValue]: ...
    def __init__(self, *, name: str = ..., attr: Mapping[str, AttrValue] = ...) -> None: ...

class NamedTupleValue(Message):
    name: str
    @property
    def values(self) -> _Messages[PairValue]: ...
    def __init__(self, *, name: str = ..., values: Iterable[PairValue] = ...) -> None: ...

class NodeDef(Message):
    class ExperimentalDebugInfo(Message):
        @property
        def original_node_names(self) -> _Repeated[str]: ...
        @property
        def original_func_names(self) -> _Repeated[str]: ...
        def __init__(self, *, original_node_names: Iterable[str] = ..., original_func_names: Iterable[str] = ...) -> None: ...
    name: str
    op: str
    @property
    def input(self) -> _Repeated[str]: ...
    device: str
    @property
    def attr(self) -> _Map[str, AttrValue]: ...
    @property
    def experimental_debug_info(self) -> NodeDef.ExperimentalDebugInfo: ...
    @property
    def experimental_type(self) -> FullTypeDef: ...
    def __init__(self, *, name: str = ..., op: str = ..., input: Iterable[str] = ..., device: str = ..., attr: Mapping[str, AttrValue] = ..., experimental_debug_info: NodeDef.ExperimentalDebugInfo | Mapping[str, Any] | None = ..., experimental_type: FullTypeDef | Mapping[str, Any] | None = ...) -> None: ...

class NodeExecStats(Message):
    node_name: str
    all_start_micros: int
    op_start_rel_micros: int
    op_end_rel_micros: int
    all_end_rel_micros: int
    @property
    def memory(self) -> _Messages[AllocatorMemoryUsed]: ...
    @property
    def output(self) -> _Messages[NodeOutput]: ...
    timeline_label: str
    scheduled_micros: int
    thread_id: int
    @property
    def referenced_tensor(self) -> _Messages[AllocationDescription]: ...
    @property
    def memory_stats(self) -> MemoryStats: ...
    all_start_nanos: int
    op_start_rel_nanos: int
    op_end_rel_nanos: int
    all_end_rel_nanos: int
    scheduled_nanos: int
    def __init__(self, *, node_name: str = ..., all_start_micros: int = ..., op_start_rel_micros: int = ..., op_end_rel_micros: int = ..., all_end_rel_micros: int = ..., memory: Iterable[AllocatorMemoryUsed] = ..., output: Iterable[NodeOutput] = ..., timeline_label: str = ..., scheduled_micros: int = ..., thread_id: int = ..., referenced_tensor: Iterable[AllocationDescription] = ..., memory_stats: MemoryStats | Mapping[str, Any] | None = ..., all_start_nanos: int = ..., op_start_rel_nanos: int = ..., op_end_rel_nanos: int = ..., all_end_rel_nanos: int = ..., scheduled_nanos: int = ...) -> None: ...

class NodeOutput(Message):
    slot: int
    @property
    def tensor_description(self) -> TensorDescription: ...
    def __init__(self, *, slot: int = ..., tensor_description: TensorDescription | Mapping[str, Any] | None = ...) -> None: ...

class NoneValue(Message):
    def __init__(self) -> None: ...

class OpDef(Message):
    class ArgDef(Message):
        name: str
        description: str
        type: int
        type_attr: str
        number_attr: str
        type_list_attr: str
        @property
        def handle_data(self) -> _Messages[ResourceHandleProto.DtypeAndShape]: ...
        is_ref: bool
        @property
        def experimental_full_type(self) -> FullTypeDef: ...
        def __init__(self, *, name: str = ..., description: str = ..., type: int = ..., type_attr: str = ..., number_attr: str = ..., type_list_attr: str = ..., handle_data: Iterable[ResourceHandleProto.DtypeAndShape] = ..., is_ref: bool = ..., experimental_full_type: FullTypeDef | Mapping[str, Any] | None = ...) -> None: ...
    class AttrDef(Message):
        name: str
        type: str
        @property
        def default_value(self) -> AttrValue: ...
        description: str
        has_minimum: bool
        minimum: int
        @property
        def allowed_values(self) -> AttrValue: ...
        def __init__(self, *, name: str = ..., type: str = ..., default_value: AttrValue | Mapping[str, Any] | None = ..., description: str = ..., has_minimum: bool = ..., minimum: int = ..., allowed_values: AttrValue | Mapping[str, Any] | None = ...) -> None: ...
    name: str
    @property
    def input_arg(self) -> _Messages[OpDef.ArgDef]: ...
    @property
    def output_arg(self) -> _Messages[OpDef.ArgDef]: ...
    @property
    def attr(self) -> _Messages[OpDef.AttrDef]: ...
    summary: str
    description: str
    @property
    def deprecation(self) -> OpDeprecation: ...
    is_aggregate: bool
    is_stateful: bool
    is_commutative: bool
    allows_uninitialized_input: bool
    @property
    def control_output(self) -> _Repeated[str]: ...
    is_distributed_communication: bool
    def __init__(self, *, name: str = ..., input_arg: Iterable[OpDef.ArgDef] = ..., output_arg: Iterable[OpDef.ArgDef] = ..., attr: Iterable[OpDef.AttrDef] = ..., summary: str = ..., description: str = ..., deprecation: OpDeprecation | Mapping[str, Any] | None = ..., is_aggregate: bool = ..., is_stateful: bool = ..., is_commutative: bool = ..., allows_uninitialized_input: bool = ..., control_output: Iterable[str] = ..., is_distributed_communication: bool = ...) -> None: ...

class OpDeprecation(Message):
    version: int
    explanation: str
    def __init__(self, *, version: int = ..., explanation: str = ...) -> None: ...

class OpList(Message):
    @property
    def op(self) -> _Messages[OpDef]: ...
    def __init__(self, *, op: Iterable[OpDef] = ...) -> None: ...

class OptimizerOptions(Message):
    GlobalJitLevel: ClassVar[EnumType]
    DEFAULT: ClassVar[int]
    OFF: ClassVar[int]
    ON_1: ClassVar[int]
    ON_2: ClassVar[int]
    Level: ClassVar[EnumType]
    L1: ClassVar[int]
    L0: ClassVar[int]
    do_common_subexpression_elimination: bool
    do_constant_folding: bool
    opt_level: int
    do_function_inlining: bool
    global_jit_level: int
    max_folded_constant_in_bytes: int
    cpu_global_jit: bool
    def __init__(self, *, do_common_subexpression_elimination: bool = ..., do_constant_folding: bool = ..., opt_level: int = ..., do_function_inlining: bool = ..., global_jit_level: int = ..., max_folded_constant_in_bytes: int = ..., cpu_global_jit: bool = ...) -> None: ...

class PairValue(Message):
    key: str
    @property
    def value(self) -> StructuredValue: ...
    def __init__(self, *, key: str = ..., value: StructuredValue | Mapping[str, Any] | None = ...) -> None: ...

class QueueRunnerDef(Message):
    queue_name: str
    @property
    def enqueue_op_name(self) -> _Repeated[str]: ...
    close_op_name: str
    cancel_op_name: str
    @property
    def queue_closed_exception_types(self) -> _Repeated[int]: ...
    def __init__(self, *, queue_name: str = ..., enqueue_op_name: Iterable[str] = ..., close_op_name: str = ..., cancel_op_name: str = ..., queue_closed_exception_types: Iterable[int] = ...) -> None: ...

class RPCOptions(Message):
    use_rpc_for_inprocess_master: bool
    compression_algorithm: str
    compression_level: int
    cache_rpc_response: bool
    disable_session_connection_sharing: bool
    num_channels_per_target: int
    def __init__(self, *, use_rpc_for_inprocess_master: bool = ..., compression_algorithm: str = ..., compression_level: int = ..., cache_rpc_response: bool = ..., disable_session_connection_sharing: bool = ..., num_channels_per_target: int = ...) -> None: ...

class RegisteredGradient(Message):
    gradient_func: str
    registered_op_type: str
    def __init__(self, *, gradient_func: str = ..., registered_op_type: str = ...) -> None: ...

class ResourceHandleProto(Message):
    class DtypeAndShape(Message):
        dtype: int
        @property
        def shape(self) -> TensorShapeProto: ...
        def __init__(self, *, dtype: int = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ...) -> None: ...
    device: str
    container: str
    name: str
    hash_code: int
    maybe_type_name: str
    @property
    def dtypes_and_shapes(self) -> _Messages[ResourceHandleProto.DtypeAndShape]: ...
    def __init__(self, *, device: str = ..., container: str = ..., name: str = ..., hash_code: int = ..., maybe_type_name: str = ..., dtypes_and_shapes: Iterable[ResourceHandleProto.DtypeAndShape] = ...) -> None: ...

class RewriterConfig(Message):
    class CustomGraphOptimizer(Message):
        name: str
        @property
        def parameter_map(self) -> _Map[str, AttrValue]: ...
        def __init__(self, *, name: str = ..., parameter_map: Mapping[str, AttrValue] = ...) -> None: ...
    CpuLayout: ClassVar[EnumType]
    NO_CONVERSION_ON_CPU: ClassVar[int]
    NCHW_TO_NHWC: ClassVar[int]
    NHWC_TO_NCHW: ClassVar[int]
    MemOptType: ClassVar[EnumType]
    DEFAULT_MEM_OPT: ClassVar[int]
    NO_MEM_OPT: ClassVar[int]
    MANUAL: ClassVar[int]
    SWAPPING_HEURISTICS: ClassVar[int]
    RECOMPUTATION_HEURISTICS: ClassVar[int]
    SCHEDULING_HEURISTICS: ClassVar[int]
    HEURISTICS: ClassVar[int]
    NumIterationsType: ClassVar[EnumType]
    DEFAULT_NUM_ITERS: ClassVar[int]
    ONE: ClassVar[int]
    TWO: ClassVar[int]
    Toggle: ClassVar[EnumType]
    DEFAULT: ClassVar[int]
    ON: ClassVar[int]
    OFF: ClassVar[int]
    AGGRESSIVE: ClassVar[int]
    EXPERIMENTAL_MLIR: ClassVar[int]
    EXPERIMENTAL_BOTH: ClassVar[int]
    layout_optimizer: int
    disable_model_pruning: bool
    constant_folding: int
    memory_optimization: int
    @property
    def auto_parallel(self) -> AutoParallelOptions: ...
    memory_optimizer_target_node_name_scope: str
    arithmetic_optimization: int
    dependency_optimization: int
    loop_optimization: int
    function_optimization: int
    debug_stripper: int
    meta_optimizer_iterations: int
    shape_optimization: int
    remapping: int
    scoped_allocator_optimization: int
    @property
    def scoped_allocator_opts(self) -> ScopedAllocatorOptions: ...
    min_graph_nodes: int
    pin_to_host_optimization: int
    disable_meta_optimizer: bool
    meta_optimizer_timeout_ms: int
    fail_on_optimizer_errors: bool
    implementation_selector: int
    auto_mixed_precision: int
    common_subgraph_elimination: int
    auto_mixed_precision_mkl: int
    experimental_disable_compressed_tensor_optimization: bool
    experimental_disable_folding_quantization_emulation: bool
    use_plugin_optimizers: int
    auto_mixed_precision_cpu: int
    experimental_conditional_code_motion: int
    auto_mixed_precision_onednn_bfloat16: int
    disable_tfg_optimizer: bool
    cpu_layout_conversion: int
    @property
    def optimizers(self) -> _Repeated[str]: ...
    @property
    def custom_optimizers(self) -> _Messages[RewriterConfig.CustomGraphOptimizer]: ...
    @property
    def inter_optimizer_verifier_config(self) -> VerifierConfig: ...
    @property
    def post_optimization_verifier_config(self) -> VerifierConfig: ...
    def __init__(self, *, layout_optimizer: int = ..., disable_model_pruning: bool = ..., constant_folding: int = ..., memory_optimization: int = ..., auto_parallel: AutoParallelOptions | Mapping[str, Any] | None = ..., memory_optimizer_target_node_name_scope: str = ..., arithmetic_optimization: int = ..., dependency_optimization: int = ..., loop_optimization: int = ..., function_optimization: int = ..., debug_stripper: int = ..., meta_optimizer_iterations: int = ..., shape_optimization: int = ..., remapping: int = ..., scoped_allocator_optimization: int = ..., scoped_allocator_opts: ScopedAllocatorOptions | Mapping[str, Any] | None = ..., min_graph_nodes: int = ..., pin_to_host_optimization: int = ..., disable_meta_optimizer: bool = ..., meta_optimizer_timeout_ms: int = ..., fail_on_optimizer_errors: bool = ..., implementation_selector: int = ..., auto_mixed_precision: int = ..., common_subgraph_elimination: int = ..., auto_mixed_precision_mkl: int = ..., experimental_disable_compressed_tensor_optimization: bool = ..., experimental_disable_folding_quantization_emulation: bool = ..., use_plugin_optimizers: int = ..., auto_mixed_precision_cpu: int = ..., experimental_conditional_code_motion: int = ..., auto_mixed_precision_onednn_bfloat16: int = ..., disable_tfg_optimizer: bool = ..., cpu_layout_conversion: int = ..., optimizers: Iterable[str] = ..., custom_optimizers: Iterable[RewriterConfig.CustomGraphOptimizer] = ..., inter_optimizer_verifier_config: VerifierConfig | Mapping[str, Any] | None = ..., post_optimization_verifier_config: VerifierConfig | Mapping[str, Any] | None = ...) -> None: ...

class RunMetadata(Message):
    class FunctionGraphs(Message):
        @property
        def partition_graphs(self) -> _Messages[GraphDef]: ...
        @property
        def pre_optimization_graph(self) -> GraphDef: ...
        @property
        def post_optimization_graph(self) -> GraphDef: ...
        def __init__(self, *, partition_graphs: Iterable[GraphDef] = ..., pre_optimization_graph: GraphDef | Mapping[str, Any] | None = ..., post_optimization_graph: GraphDef | Mapping[str, Any] | None = ...) -> None: ...
    @property
    def step_stats(self) -> StepStats: ...
    @property
    def cost_graph(self) -> CostGraphDef: ...
    @property
    def partition_graphs(self) -> _Messages[GraphDef]: ...
    @property
    def function_graphs(self) -> _Messages[RunMetadata.FunctionGraphs]: ...
    @property
    def session_metadata(self) -> SessionMetadata: ...
    def __init__(self, *, step_stats: StepStats | Mapping[str, Any] | None = ..., cost_graph: CostGraphDef | Mapping[str, Any] | None = ..., partition_graphs: Iterable[GraphDef] = ..., function_graphs: Iterable[RunMetadata.FunctionGraphs] = ..., session_metadata: SessionMetadata | Mapping[str, Any] | None = ...) -> None: ...

class RunOptions(Message):
    class Experimental(Message):
        class RunHandlerPoolOptions(Message):
            priority: int
            def __init__(self, *, priority: int = ...) -> None: ...
        collective_graph_key: int
        use_run_handler_pool: bool
        @property
        def run_handler_pool_options(self) -> RunOptions.Experimental.RunHandlerPoolOptions: ...
        def __init__(self, *, collective_graph_key: int = ..., use_run_handler_pool: bool = ..., run_handler_pool_options: RunOptions.Experimental.RunHandlerPoolOptions | Mapping[str, Any] | None = ...) -> None: ...
    TraceLevel: ClassVar[EnumType]
    NO_TRACE: ClassVar[int]
    SOFTWARE_TRACE: ClassVar[int]
    HARDWARE_TRACE: ClassVar[int]
    FULL_TRACE: ClassVar[int]
    trace_level: int
    timeout_in_ms: int
    inter_op_thread_pool: int
    output_partition_graphs: bool
    @property
    def debug_options(self) -> DebugOptions: ...
    report_tensor_allocations_upon_oom: bool
    @property
    def experimental(self) -> RunOptions.Experimental: ...
    def __init__(self, *, trace_level: int = ..., timeout_in_ms: int = ..., inter_op_thread_pool: int = ..., output_partition_graphs: bool = ..., debug_options: DebugOptions | Mapping[str, Any] | None = ..., report_tensor_allocations_upon_oom: bool = ..., experimental: RunOptions.Experimental | Mapping[str, Any] | None = ...) -> None: ...

class SaveSliceInfoDef(Message):
    full_name: str
    @property
    def full_shape(self) -> _Repeated[int]: ...
    @property
    def var_offset(self) -> _Repeated[int]: ...
    @property
    def var_shape(self) -> _Repeated[int]: ...
    def __init__(self, *, full_name: str = ..., full_shape: Iterable[int] = ..., var_offset: Iterable[int] = ..., var_shape: Iterable[int] = ...) -> None: ...

class SaveableObject(Message):
    save_function: int
    restore_function: int
    def __init__(self, *, save_function: int = ..., restore_function: int = ...) -> None: ...

class SavedAsset(Message):
    asset_file_def_index: int
    def __init__(self, *, asset_file_def_index: int = ...) -> None: ...

class SavedBareConcreteFunction(Message):
    concrete_function_name: str
    @property
    def argument_keywords(self) -> _Repeated[str]: ...
    allowed_positional_arguments: int
    @property
    def function_spec(self) -> FunctionSpec: ...
    def __init__(self, *, concrete_function_name: str = ..., argument_keywords: Iterable[str] = ..., allowed_positional_arguments: int = ..., function_spec: FunctionSpec | Mapping[str, Any] | None = ...) -> None: ...

class SavedConcreteFunction(Message):
    @property
    def bound_inputs(self) -> _Repeated[int]: ...
    @property
    def canonicalized_input_signature(self) -> StructuredValue: ...
    @property
    def output_signature(self) -> StructuredValue: ...
    def __init__(self, *, bound_inputs: Iterable[int] = ..., canonicalized_input_signature: StructuredValue | Mapping[str, Any] | None = ..., output_signature: StructuredValue | Mapping[str, Any] | None = ...) -> None: ...

class SavedConstant(Message):
    operation: str
    def __init__(self, *, operation: str = ...) -> None: ...

class SavedFunction(Message):
    @property
    def concrete_functions(self) -> _Repeated[str]: ...
    @property
    def function_spec(self) -> FunctionSpec: ...
    def __init__(self, *, concrete_functions: Iterable[str] = ..., function_spec: FunctionSpec | Mapping[str, Any] | None = ...) -> None: ...

class SavedModel(Message):
    saved_model_schema_version: int
    @property
    def meta_graphs(self) -> _Messages[MetaGraphDef]: ...
    def __init__(self, *, saved_model_schema_version: int = ..., meta_graphs: Iterable[MetaGraphDef] = ...) -> None: ...

class SavedObject(Message):
    @property
    def children(self) -> _Messages[TrackableObjectGraph.TrackableObject.ObjectReference]: ...
    @property
    def slot_variables(self) -> _Messages[TrackableObjectGraph.TrackableObject.SlotVariableReference]: ...
    @property
    def user_object(self) -> SavedUserObject: ...
    @property
    def asset(self) -> SavedAsset: ...
    @property
    def function(self) -> SavedFunction: ...
    @property
    def variable(self) -> SavedVariable: ...
    @property
    def bare_concrete_function(self) -> SavedBareConcreteFunction: ...
    @property
    def constant(self) -> SavedConstant: ...
    @property
    def resource(self) -> SavedResource: ...
    @property
    def saveable_objects(self) -> _Map[str, SaveableObject]: ...
    @property
    def captured_tensor(self) -> CapturedTensor: ...
    registered_name: str
    @property
    def serialized_user_proto(self) -> Any: ...
    @property
    def dependencies(self) -> _Messages[TrackableObjectGraph.TrackableObject.ObjectReference]: ...
    registered_saver: str
    def __init__(self, *, children: Iterable[TrackableObjectGraph.TrackableObject.ObjectReference] = ..., slot_variables: Iterable[TrackableObjectGraph.TrackableObject.SlotVariableReference] = ..., user_object: SavedUserObject | Mapping[str, Any] | None = ..., asset: SavedAsset | Mapping[str, Any] | None = ..., function: SavedFunction | Mapping[str, Any] | None = ..., variable: SavedVariable | Mapping[str, Any] | None = ..., bare_concrete_function: SavedBareConcreteFunction | Mapping[str, Any] | None = ..., constant: SavedConstant | Mapping[str, Any] | None = ..., resource: SavedResource | Mapping[str, Any] | None = ..., saveable_objects: Mapping[str, SaveableObject] = ..., captured_tensor: CapturedTensor | Mapping[str, Any] | None = ..., registered_name: str = ..., serialized_user_proto: Any | Mapping[str, Any] | None = ..., dependencies: Iterable[TrackableObjectGraph.TrackableObject.ObjectReference] = ..., registered_saver: str = ...) -> None: ...

class SavedObjectGraph(Message):
    @property
    def nodes(self) -> _Messages[SavedObject]: ...
    @property
    def concrete_functions(self) -> _Map[str, SavedConcreteFunction]: ...
    def __init__(self, *, nodes: Iterable[SavedObject] = ..., concrete_functions: Mapping[str, SavedConcreteFunction] = ...) -> None: ...

class SavedResource(Message):
    device: str
    def __init__(self, *, device: str = ...) -> None: ...

class SavedUserObject(Message):
    identifier: str
    @property
    def version(self) -> VersionDef: ...
    metadata: str
    def __init__(self, *, identifier: str = ..., version: VersionDef | Mapping[str, Any] | None = ..., metadata: str = ...) -> None: ...

class SavedVariable(Message):
    dtype: int
    @property
    def shape(self) -> TensorShapeProto: ...
    trainable: bool
    synchronization: int
    aggregation: int
    name: str
    device: str
    @property
    def experimental_distributed_variable_components(self) -> _Messages[SavedVariable]: ...
    def __init__(self, *, dtype: int = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., trainable: bool = ..., synchronization: int = ..., aggregation: int = ..., name: str = ..., device: str = ..., experimental_distributed_variable_components: Iterable[SavedVariable] = ...) -> None: ...

class SaverDef(Message):
    CheckpointFormatVersion: ClassVar[EnumType]
    LEGACY: ClassVar[int]
    V1: ClassVar[int]
    V2: ClassVar[int]
    filename_tensor_name: str
    save_tensor_name: str
    restore_op_name: str
    max_to_keep: int
    sharded: bool
    keep_checkpoint_every_n_hours: float
    version: int
    def __init__(self, *, filename_tensor_name: str = ..., save_tensor_name: str = ..., restore_op_name: str = ..., max_to_keep: int = ..., sharded: bool = ..., keep_checkpoint_every_n_hours: float = ..., version: int = ...) -> None: ...

class ScopedAllocatorOptions(Message):
    @property
    def enable_op(self) -> _Repeated[str]: ...
    def __init__(self, *, enable_op: Iterable[str] = ...) -> None: ...

class SequenceExample(Message):
    @property
    def context(self) -> Features: ...
    @property
    def feature_lists(self) -> FeatureLists: ...
    def __init__(self, *, context: Features | Mapping[str, Any] | None = ..., feature_lists: FeatureLists | Mapping[str, Any] | None = ...) -> None: ...

class ServerDef(Message):
    @property
    def cluster(self) -> ClusterDef: ...
    job_name: str
    task_index: int
    @property
    def default_session_config(self) -> ConfigProto: ...
    protocol: str
    port: int
    @property
    def cluster_device_filters(self) -> ClusterDeviceFilters: ...
    replica: int
    def __init__(self, *, cluster: ClusterDef | Mapping[str, Any] | None = ..., job_name: str = ..., task_index: int = ..., default_session_config: ConfigProto | Mapping[str, Any] | None = ..., protocol: str = ..., port: int = ..., cluster_device_filters: ClusterDeviceFilters | Mapping[str, Any] | None = ..., replica: int = ...) -> None: ...

class SessionLog(Message):
    SessionStatus: ClassVar[EnumType]
    STATUS_UNSPECIFIED: ClassVar[int]
    START: ClassVar[int]
    STOP: ClassVar[int]
    CHECKPOINT: ClassVar[int]
    status: int
    checkpoint_path: str
    msg: str
    def __init__(self, *, status: int = ..., checkpoint_path: str = ..., msg: str = ...) -> None: ...

class SessionMetadata(Message):
    name: str
    version: int
    def __init__(self, *, name: str = ..., version: int = ...) -> None: ...

class SignatureDef(Message):
    @property
    def inputs(self) -> _Map[str, TensorInfo]: ...
    @property
    def outputs(self) -> _Map[str, TensorInfo]: ...
    method_name: str
    @property
    def defaults(self) -> _Map[str, TensorProto]: ...
    def __init__(self, *, inputs: Mapping[str, TensorInfo] = ..., outputs: Mapping[str, TensorInfo] = ..., method_name: str = ..., defaults: Mapping[str, TensorProto] = ...) -> None: ...

class SourceMetadata(Message):
    writer: str
    def __init__(self, *, writer: str = ...) -> None: ...

class StepStats(Message):
    @property
    def dev_stats(self) -> _Messages[DeviceStepStats]: ...
    def __init__(self, *, dev_stats: Iterable[DeviceStepStats] = ...) -> None: ...

class StructuredValue(Message):
    @property
    def none_value(self) -> NoneValue: ...
    float64_value: float
    int64_value: int
    string_value: str
    bool_value: bool
    @property
    def tensor_shape_value(self) -> TensorShapeProto: ...
    tensor_dtype_value: int
    @property
    def tensor_spec_value(self) -> TensorSpecProto: ...
    @property
    def type_spec_value(self) -> TypeSpecProto: ...
    @property
    def bounded_tensor_spec_value(self) -> BoundedTensorSpecProto: ...
    @property
    def list_value(self) -> ListValue: ...
    @property
    def tuple_value(self) -> TupleValue: ...
    @property
    def dict_value(self) -> DictValue: ...
    @property
    def named_tuple_value(self) -> NamedTupleValue: ...
    @property
    def tensor_value(self) -> TensorProto: ...
    @property
    def numpy_value(self) -> TensorProto: ...
    def __init__(self, *, none_value: NoneValue | Mapping[str, Any] | None = ..., float64_value: float = ..., int64_value: int = ..., string_value: str = ..., bool_value: bool = ..., tensor_shape_value: TensorShapeProto | Mapping[str, Any] | None = ..., tensor_dtype_value: int = ..., tensor_spec_value: TensorSpecProto | Mapping[str, Any] | None = ..., type_spec_value: TypeSpecProto | Mapping[str, Any] | None = ..., bounded_tensor_spec_value: BoundedTensorSpecProto | Mapping[str, Any] | None = ..., list_value: ListValue | Mapping[str, Any] | None = ..., tuple_value: TupleValue | Mapping[str, Any] | None = ..., dict_value: DictValue | Mapping[str, Any] | None = ..., named_tuple_value: NamedTupleValue | Mapping[str, Any] | None = ..., tensor_value: TensorProto | Mapping[str, Any] | None = ..., numpy_value: TensorProto | Mapping[str, Any] | None = ...) -> None: ...

class Summary(Message):
    class Audio(Message):
        sample_rate: float
        num_channels: int
        length_frames: int
        encoded_audio_string: bytes
        content_type: str
        def __init__(self, *, sample_rate: float = ..., num_channels: int = ..., length_frames: int = ..., encoded_audio_string: bytes = ..., content_type: str = ...) -> None: ...
    class Image(Message):
        height: int
        width: int
        colorspace: int
        encoded_image_string: bytes
        def __init__(self, *, height: int = ..., width: int = ..., colorspace: int = ..., encoded_image_string: bytes = ...) -> None: ...
    class Value(Message):
        tag: str
        simple_value: float
        obsolete_old_style_histogram: bytes
        @property
        def image(self) -> Summary.Image: ...
        @property
        def histo(self) -> HistogramProto: ...
        @property
        def audio(self) -> Summary.Audio: ...
        node_name: str
        @property
        def tensor(self) -> TensorProto: ...
        @property
        def metadata(self) -> SummaryMetadata: ...
        def __init__(self, *, tag: str = ..., simple_value: float = ..., obsolete_old_style_histogram: bytes = ..., image: Summary.Image | Mapping[str, Any] | None = ..., histo: HistogramProto | Mapping[str, Any] | None = ..., audio: Summary.Audio | Mapping[str, Any] | None = ..., node_name: str = ..., tensor: TensorProto | Mapping[str, Any] | None = ..., metadata: SummaryMetadata | Mapping[str, Any] | None = ...) -> None: ...
    @property
    def value(self) -> _Messages[Summary.Value]: ...
    def __init__(self, *, value: Iterable[Summary.Value] = ...) -> None: ...

class SummaryDescription(Message):
    type_hint: str
    def __init__(self, *, type_hint: str = ...) -> None: ...

class SummaryMetadata(Message):
    class PluginData(Message):
        plugin_name: str
        content: bytes
        def __init__(self, *, plugin_name: str = ..., content: bytes = ...) -> None: ...
    @property
    def plugin_data(self) -> SummaryMetadata.PluginData: ...
    display_name: str
    summary_description: str
    data_class: int
    def __init__(self, *, plugin_data: SummaryMetadata.PluginData | Mapping[str, Any] | None = ..., display_name: str = ..., summary_description: str = ..., data_class: int = ...) -> None: ...

class TaggedRunMetadata(Message):
    tag: str
    run_metadata: bytes
    def __init__(self, *, tag: str = ..., run_metadata: bytes = ...) -> None: ...

class TaskDeviceFilters(Message):
    @property
    def device_filters(self) -> _Repeated[str]: ...
    def __init__(self, *, device_filters: Iterable[str] = ...) -> None: ...

class TensorDescription(Message):
    dtype: int
    @property
    def shape(self) -> TensorShapeProto: ...
    @property
    def allocation_description(self) -> AllocationDescription: ...
    def __init__(self, *, dtype: int = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., allocation_description: AllocationDescription | Mapping[str, Any] | None = ...) -> None: ...

class TensorInfo(Message):
    class CompositeTensor(Message):
        @property
        def type_spec(self) -> TypeSpecProto: ...
        @property
        def components(self) -> _Messages[TensorInfo]: ...
        def __init__(self, *, type_spec: TypeSpecProto | Mapping[str, Any] | None = ..., components: Iterable[TensorInfo] = ...) -> None: ...
    class CooSparse(Message):
        values_tensor_name: str
        indices_tensor_name: str
        dense_shape_tensor_name: str
        def __init__(self, *, values_tensor_name: str = ..., indices_tensor_name: str = ..., dense_shape_tensor_name: str = ...) -> None: ...
    name: str
    dtype: int
    @property
    def tensor_shape(self) -> TensorShapeProto: ...
    @property
    def coo_sparse(self) -> TensorInfo.CooSparse: ...
    @property
    def composite_tensor(self) -> TensorInfo.CompositeTensor: ...
    def __init__(self, *, name: str = ..., dtype: int = ..., tensor_shape: TensorShapeProto | Mapping[str, Any] | None = ..., coo_sparse: TensorInfo.CooSparse | Mapping[str, Any] | None = ..., composite_tensor: TensorInfo.CompositeTensor | Mapping[str, Any] | None = ...) -> None: ...

class TensorProto(Message):
    dtype: int
    @property
    def tensor_shape(self) -> TensorShapeProto: ...
    version_number: int
    tensor_content: bytes
    @property
    def float_val(self) -> _Repeated[float]: ...
    @property
    def double_val(self) -> _Repeated[float]: ...
    @property
    def int_val(self) -> _Repeated[int]: ...
    @property
    def string_val(self) -> _Repeated[bytes]: ...
    @property
    def scomplex_val(self) -> _Repeated[float]: ...
    @property
    def int64_val(self) -> _Repeated[int]: ...
    @property
    def bool_val(self) -> _Repeated[bool]: ...
    @property
    def dcomplex_val(self) -> _Repeated[float]: ...
    @property
    def half_val(self) -> _Repeated[int]: ...
    @property
    def resource_handle_val(self) -> _Messages[ResourceHandleProto]: ...
    @property
    def variant_val(self) -> _Messages[VariantTensorDataProto]: ...
    @property
    def uint32_val(self) -> _Repeated[int]: ...
    @property
    def uint64_val(self) -> _Repeated[int]: ...
    float8_val: bytes
    def __init__(self, *, dtype: int = ..., tensor_shape: TensorShapeProto | Mapping[str, Any] | None = ..., version_number: int = ..., tensor_content: bytes = ..., float_val: Iterable[float] = ..., double_val: Iterable[float] = ..., int_val: Iterable[int] = ..., string_val: Iterable[bytes] = ..., scomplex_val: Iterable[float] = ..., int64_val: Iterable[int] = ..., bool_val: Iterable[bool] = ..., dcomplex_val: Iterable[float] = ..., half_val: Iterable[int] = ..., resource_handle_val: Iterable[ResourceHandleProto] = ..., variant_val: Iterable[VariantTensorDataProto] = ..., uint32_val: Iterable[int] = ..., uint64_val: Iterable[int] = ..., float8_val: bytes = ...) -> None: ...

class TensorShapeProto(Message):
    class Dim(Message):
        size: int
        name: str
        def __init__(self, *, size: int = ..., name: str = ...) -> None: ...
    @property
    def dim(self) -> _Messages[TensorShapeProto.Dim]: ...
    unknown_rank: bool
    def __init__(self, *, dim: Iterable[TensorShapeProto.Dim] = ..., unknown_rank: bool = ...) -> None: ...

class TensorSpecProto(Message):
    name: str
    @property
    def shape(self) -> TensorShapeProto: ...
    dtype: int
    def __init__(self, *, name: str = ..., shape: TensorShapeProto | Mapping[str, Any] | None = ..., dtype: int = ...) -> None: ...

class ThreadPoolOptionProto(Message):
    num_threads: int
    global_name: str
    def __init__(self, *, num_threads: int = ..., global_name: str = ...) -> None: ...

class TupleValue(Message):
    @property
    def values(self) -> _Messages[StructuredValue]: ...
    def __init__(self, *, values: Iterable[StructuredValue] = ...) -> None: ...

class TypeSpecProto(Message):
    TypeSpecClass: ClassVar[EnumType]
    UNKNOWN: ClassVar[int]
    SPARSE_TENSOR_SPEC: ClassVar[int]
    INDEXED_SLICES_SPEC: ClassVar[int]
    RAGGED_TENSOR_SPEC: ClassVar[int]
    TENSOR_ARRAY_SPEC: ClassVar[int]
    DATA_DATASET_SPEC: ClassVar[int]
    DATA_ITERATOR_SPEC: ClassVar[int]
    OPTIONAL_SPEC: ClassVar[int]
    PER_REPLICA_SPEC: ClassVar[int]
    VARIABLE_SPEC: ClassVar[int]
    ROW_PARTITION_SPEC: ClassVar[int]
    REGISTERED_TYPE_SPEC: ClassVar[int]
    EXTENSION_TYPE_SPEC: ClassVar[int]
    type_spec_class: int
    @property
    def type_state(self) -> StructuredValue: ...
    type_spec_class_name: str
    num_flat_components: int
    def __init__(self, *, type_spec_class: int = ..., type_state: StructuredValue | Mapping[str, Any] | None = ..., type_spec_class_name: str = ..., num_flat_components: int = ...) -> None: ...

class ValuesDef(Message):
    @property
    def values(self) -> _Repeated[str]: ...
    @property
    def external_values(self) -> _Map[str, str]: ...
    def __init__(self, *, values: Iterable[str] = ..., external_values: Mapping[str, str] = ...) -> None: ...

class VariableDef(Message):
    variable_name: str
    initializer_name: str
    snapshot_name: str
    @property
    def save_slice_info_def(self) -> SaveSliceInfoDef: ...
    is_resource: bool
    initial_value_name: str
    trainable: bool
    synchronization: int
    aggregation: int
    def __init__(self, *, variable_name: str = ..., initializer_name: str = ..., snapshot_name: str = ..., save_slice_info_def: SaveSliceInfoDef | Mapping[str, Any] | None = ..., is_resource: bool = ..., initial_value_name: str = ..., trainable: bool = ..., synchronization: int = ..., aggregation: int = ...) -> None: ...

class VariantTensorDataProto(Message):
    type_name: str
    metadata: bytes
    @property
    def tensors(self) -> _Messages[TensorProto]: ...
    def __init__(self, *, type_name: str = ..., metadata: bytes = ..., tensors: Iterable[TensorProto] = ...) -> None: ...

class VerifierConfig(Message):
    Toggle: ClassVar[EnumType]
    DEFAULT: ClassVar[int]
    ON: ClassVar[int]
    OFF: ClassVar[int]
    verification_timeout_in_ms: int
    structure_verifier: int
    def __init__(self, *, verification_timeout_in_ms: int = ..., structure_verifier: int = ...) -> None: ...

class VersionDef(Message):
    producer: int
    min_consumer: int
    @property
    def bad_consumers(self) -> _Repeated[int]: ...
    def __init__(self, *, producer: int = ..., min_consumer: int = ..., bad_consumers: Iterable[int] = ...) -> None: ...

class WhileContextDef(Message):
    context_name: str
    parallel_iterations: int
    back_prop: bool
    swap_memory: bool
    pivot_name: str
    pivot_for_pred_name: str
    pivot_for_body_name: str
    @property
    def loop_exit_names(self) -> _Repeated[str]: ...
    @property
    def values_def(self) -> ValuesDef: ...
    @property
    def loop_enter_names(self) -> _Repeated[str]: ...
    maximum_iterations_name: str
    @property
    def nested_contexts(self) -> _Messages[ControlFlowContextDef]: ...
    def __init__(self, *, context_name: str = ..., parallel_iterations: int = ..., back_prop: bool = ..., swap_memory: bool = ..., pivot_name: str = ..., pivot_for_pred_name: str = ..., pivot_for_body_name: str = ..., loop_exit_names: Iterable[str] = ..., values_def: ValuesDef | Mapping[str, Any] | None = ..., loop_enter_names: Iterable[str] = ..., maximum_iterations_name: str = ..., nested_contexts: Iterable[ControlFlowContextDef] = ...) -> None: ...
