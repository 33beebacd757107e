"""Configuration of sessions, clusters and servers, and the options of a run."""

TABLE = """\
ConfigProto
  device_count 1 map string int32
  intra_op_parallelism_threads 2 int32
  placement_period 3 int32
  device_filters 4 repeated string
  inter_op_parallelism_threads 5 int32
  gpu_options 6 GPUOptions
  allow_soft_placement 7 bool
  log_device_placement 8 bool
  use_per_session_threads 9 bool
  graph_options 10 GraphOptions
  operation_timeout_in_ms 11 int64
  session_inter_op_thread_pool 12 repeated ThreadPoolOptionProto
  rpc_options 13 RPCOptions
  cluster_def 14 ClusterDef
  isolate_session_state 15 bool
  experimental 16 ConfigProto.Experimental
  share_cluster_devices_in_session 17 bool
  pluggable_device_options 18 GPUOptions
ConfigProto.Experimental
  collective_group_leader 1 string
  executor_type 3 string
  recv_buf_max_chunk 4 int32
  use_numa_affinity 5 bool
  collective_deterministic_sequential_execution 6 bool
  collective_nccl 7 bool
  share_session_state_in_clusterspec_propagation 8 bool
  disable_thread_spinning 9 bool
  share_cluster_devices_in_session 10 bool
  session_metadata 11 SessionMetadata
  optimize_for_static_graph 12 bool
  enable_mlir_bridge 13 bool
  disable_output_partition_graphs 14 bool
  xla_fusion_autotuner_thresh 15 int64
  enable_mlir_graph_optimization 16 bool
  mlir_bridge_rollout 17 ConfigProto.Experimental.MlirBridgeRollout
  use_tfrt 18 bool
  disable_functional_ops_lowering 21 bool
  xla_prefer_single_graph_cluster 22 bool
  coordination_config 23 CoordinationServiceConfig
  disable_optimize_for_static_graph 24 bool
  disable_eager_executor_streaming_enqueue 26 bool
  enable_multi_host 27 bool
  backend_server_port 28 int32
  target_tpu 29 bool
  target_gpu 30 bool
  stream_merge_threshold 31 int32
  tfrt_use_ifrt 32 bool
  finalize_function_library_runtime 33 bool
  finalize_resource_manager 34 bool
  tf2xla_dump_dir 35 string
  online_cost_analysis 36 bool
GPUOptions
  per_process_gpu_memory_fraction 1 double
  allocator_type 2 string
  deferred_deletion_bytes 3 int64
  allow_growth 4 bool
  visible_device_list 5 string
  polling_active_delay_usecs 6 int32
  polling_inactive_delay_msecs 7 int32
  force_gpu_compatible 8 bool
  experimental 9 GPUOptions.Experimental
GPUOptions.Experimental
  virtual_devices 1 repeated GPUOptions.Experimental.VirtualDevices
  use_unified_memory 2 bool
  num_dev_to_dev_copy_streams 3 int32
  collective_ring_order 4 string
  timestamped_allocator 5 bool
  kernel_tracker_max_interval 7 int32
  kernel_tracker_max_bytes 8 int32
  kernel_tracker_max_pending 9 int32
  internal_fragmentation_fraction 10 double
  use_cuda_malloc_async 11 bool
  disallow_retry_on_allocation_failure 12 bool
  gpu_host_mem_limit_in_mb 13 float
  gpu_host_mem_disallow_growth 14 bool
  num_virtual_devices_per_gpu 15 int32
  gpu_system_memory_size_in_mb 16 int32
  populate_pjrt_gpu_client_creation_info 17 bool
  node_id 18 int32
  stream_merge_options 19 GPUOptions.Experimental.StreamMergeOptions
GPUOptions.Experimental.StreamMergeOptions
  merge_host_to_device_stream 1 bool
  merge_device_to_host_stream 2 bool
  merge_device_to_device_stream 3 bool
GPUOptions.Experimental.VirtualDevices
  memory_limit_mb 1 repeated float
  priority 2 repeated int32
  device_ordinal 3 repeated int32
GraphOptions
  enable_recv_scheduling 2 bool
  optimizer_options 3 OptimizerOptions
  build_cost_model 4 int64
  infer_shapes 5 bool
  place_pruned_graph 6 bool
  enable_bfloat16_sendrecv 7 bool
  timeline_step 8 int32
  build_cost_model_after 9 int64
  rewrite_options 10 RewriterConfig
OptimizerOptions
  do_common_subexpression_elimination 1 bool
  do_constant_folding 2 bool
  opt_level 3 OptimizerOptions.Level
  do_function_inlining 4 bool
  global_jit_level 5 OptimizerOptions.GlobalJitLevel
  max_folded_constant_in_bytes 6 int64
  cpu_global_jit 7 bool
RunMetadata
  step_stats 1 StepStats
  cost_graph 2 CostGraphDef
  partition_graphs 3 repeated GraphDef
  function_graphs 4 repeated RunMetadata.FunctionGraphs
  session_metadata 5 SessionMetadata
RunMetadata.FunctionGraphs
  partition_graphs 1 repeated GraphDef
  pre_optimization_graph 2 GraphDef
  post_optimization_graph 3 GraphDef
RunOptions
  trace_level 1 RunOptions.TraceLevel
  timeout_in_ms 2 int64
  inter_op_thread_pool 3 int32
  output_partition_graphs 5 bool
  debug_options 6 DebugOptions
  report_tensor_allocations_upon_oom 7 bool
  experimental 8 RunOptions.Experimental
RunOptions.Experimental
  collective_graph_key 1 int64
  use_run_handler_pool 2 bool
  run_handler_pool_options 3 RunOptions.Experimental.RunHandlerPoolOptions
RunOptions.Experimental.RunHandlerPoolOptions
  priority 1 int64
SessionMetadata
  name 1 string
  version 2 int64
ThreadPoolOptionProto
  num_threads 1 int32
  global_name 2 string
enum ConfigProto.Experimental.MlirBridgeRollout
  MLIR_BRIDGE_ROLLOUT_UNSPECIFIED 0
  MLIR_BRIDGE_ROLLOUT_ENABLED 1
  MLIR_BRIDGE_ROLLOUT_DISABLED 2
enum OptimizerOptions.Level
  L1 0
  L0 -1
enum OptimizerOptions.GlobalJitLevel
  DEFAULT 0
  OFF -1
  ON_1 1
  ON_2 2
enum RunOptions.TraceLevel
  NO_TRACE 0
  SOFTWARE_TRACE 1
  HARDWARE_TRACE 2
  FULL_TRACE 3
AutoParallelOptions
  enable 1 bool
  num_replicas 2 int32
RewriterConfig
  layout_optimizer 1 RewriterConfig.Toggle
  disable_model_pruning 2 bool
  constant_folding 3 RewriterConfig.Toggle
  memory_optimization 4 RewriterConfig.MemOptType
  auto_parallel 5 AutoParallelOptions
  memory_optimizer_target_node_name_scope 6 string
  arithmetic_optimization 7 RewriterConfig.Toggle
  dependency_optimization 8 RewriterConfig.Toggle
  loop_optimization 9 RewriterConfig.Toggle
  function_optimization 10 RewriterConfig.Toggle
  debug_stripper 11 RewriterConfig.Toggle
  meta_optimizer_iterations 12 RewriterConfig.NumIterationsType
  shape_optimization 13 RewriterConfig.Toggle
  remapping 14 RewriterConfig.Toggle
  scoped_allocator_optimization 15 RewriterConfig.Toggle
  scoped_allocator_opts 16 ScopedAllocatorOptions
  min_graph_nodes 17 int32
  pin_to_host_optimization 18 RewriterConfig.Toggle
  disable_meta_optimizer 19 bool
  meta_optimizer_timeout_ms 20 int64
  fail_on_optimizer_errors 21 bool
  implementation_selector 22 RewriterConfig.Toggle
  auto_mixed_precision 23 RewriterConfig.Toggle
  common_subgraph_elimination 24 RewriterConfig.Toggle
  auto_mixed_precision_mkl 25 RewriterConfig.Toggle
  experimental_disable_compressed_tensor_optimization 26 bool
  experimental_disable_folding_quantization_emulation 27 bool
  use_plugin_optimizers 28 RewriterConfig.Toggle
  auto_mixed_precision_cpu 29 RewriterConfig.Toggle
  experimental_conditional_code_motion 30 RewriterConfig.Toggle
  auto_mixed_precision_onednn_bfloat16 31 RewriterConfig.Toggle
  disable_tfg_optimizer 32 bool
  cpu_layout_conversion 50 RewriterConfig.CpuLayout
  optimizers 100 repeated string
  custom_optimizers 200 repeated RewriterConfig.CustomGraphOptimizer
  inter_optimizer_verifier_config 300 VerifierConfig
  post_optimization_verifier_config 301 VerifierConfig
RewriterConfig.CustomGraphOptimizer
  name 1 string
  parameter_map 2 map string AttrValue
ScopedAllocatorOptions
  enable_op 1 repeated string
enum RewriterConfig.Toggle
  DEFAULT 0
  ON 1
  OFF 2
  AGGRESSIVE 3
  EXPERIMENTAL_MLIR 4
  EXPERIMENTAL_BOTH 5
enum RewriterConfig.MemOptType
  DEFAULT_MEM_OPT 0
  NO_MEM_OPT 1
  MANUAL 2
  SWAPPING_HEURISTICS 4
  RECOMPUTATION_HEURISTICS 5
  SCHEDULING_HEURISTICS 6
  HEURISTICS 3
enum RewriterConfig.NumIterationsType
  DEFAULT_NUM_ITERS 0
  ONE 1
  TWO 2
enum RewriterConfig.CpuLayout
  NO_CONVERSION_ON_CPU 0
  NCHW_TO_NHWC 1
  NHWC_TO_NCHW 2
VerifierConfig
  verification_timeout_in_ms 1 int64
  structure_verifier 2 VerifierConfig.Toggle
enum VerifierConfig.Toggle
  DEFAULT 0
  ON 1
  OFF 2
CoordinatedJob
  name 1 string
  num_tasks 2 int32
CoordinationServiceConfig
  service_type 1 string
  service_leader 2 string
  enable_health_check 3 bool
  cluster_register_timeout_in_ms 4 int64
  heartbeat_timeout_in_ms 5 int64
  shutdown_barrier_timeout_in_ms 7 int64
  agent_destruction_without_shutdown 8 bool
  recoverable_jobs 9 repeated string
  coordinated_job_list 10 repeated CoordinatedJob
  allow_new_incarnation_to_reconnect 11 bool
  force_disable 12 bool
  poll_for_error_from_service_at_startup 13 bool
  cluster_register_with_barrier 14 bool
ClusterDef
  job 1 repeated JobDef
JobDef
  name 1 string
  tasks 2 map int32 string
DebugOptions
  debug_tensor_watch_opts 4 repeated DebugTensorWatch
  global_step 10 int64
  reset_disk_byte_usage 11 bool
DebugTensorWatch
  node_name 1 string
  output_slot 2 int32
  debug_ops 3 repeated string
  debug_urls 4 repeated string
  tolerate_debug_op_creation_failures 5 bool
ClusterDeviceFilters
  jobs 1 repeated JobDeviceFilters
JobDeviceFilters
  name 1 string
  tasks 2 map int32 TaskDeviceFilters
TaskDeviceFilters
  device_filters 1 repeated string
ServerDef
  cluster 1 ClusterDef
  job_name 2 string
  task_index 3 int32
  default_session_config 4 ConfigProto
  protocol 5 string
  port 6 int32
  cluster_device_filters 7 ClusterDeviceFilters
  replica 8 int32
RPCOptions
  use_rpc_for_inprocess_master 1 bool
  compression_algorithm 2 string
  compression_level 3 int32
  cache_rpc_response 4 bool
  disable_session_connection_sharing 5 bool
  num_channels_per_target 6 int32
"""
