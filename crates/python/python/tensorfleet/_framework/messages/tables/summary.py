"""Summaries and the events of event files."""

TABLE = """\
Summary
  value 1 repeated Summary.Value
SummaryDescription
  type_hint 1 string
Summary.Audio
  sample_rate 1 float
  num_channels 2 int64
  length_frames 3 int64
  encoded_audio_string 4 bytes
  content_type 5 string
Summary.Image
  height 1 int32
  width 2 int32
  colorspace 3 int32
  encoded_image_string 4 bytes
Summary.Value
  tag 1 string
  simple_value 2 float in value
  obsolete_old_style_histogram 3 bytes in value
  image 4 Summary.Image in value
  histo 5 HistogramProto in value
  audio 6 Summary.Audio in value
  node_name 7 string
  tensor 8 TensorProto in value
  metadata 9 SummaryMetadata
SummaryMetadata
  plugin_data 1 SummaryMetadata.PluginData
  display_name 2 string
  summary_description 3 string
  data_class 4 DataClass
SummaryMetadata.PluginData
  plugin_name 1 string
  content 2 bytes
enum DataClass
  DATA_CLASS_UNKNOWN 0
  DATA_CLASS_SCALAR 1
  DATA_CLASS_TENSOR 2
  DATA_CLASS_BLOB_SEQUENCE 3
Event
  wall_time 1 double
  step 2 int64
  file_version 3 string in what
  graph_def 4 bytes in what
  summary 5 Summary in what
  log_message 6 LogMessage in what
  session_log 7 SessionLog in what
  tagged_run_metadata 8 TaggedRunMetadata in what
  meta_graph_def 9 bytes in what
  source_metadata 10 SourceMetadata
LogMessage
  level 1 LogMessage.Level
  message 2 string
SessionLog
  status 1 SessionLog.SessionStatus
  checkpoint_path 2 string
  msg 3 string
SourceMetadata
  writer 1 string
TaggedRunMetadata
  tag 1 string
  run_metadata 2 bytes
enum LogMessage.Level
  UNKNOWN 0
  DEBUGGING 10
  INFO 20
  WARN 30
  ERROR 40
  FATAL 50
enum SessionLog.SessionStatus
  STATUS_UNSPECIFIED 0
  START 1
  STOP 2
  CHECKPOINT 3
HistogramProto
  min 1 double
  max 2 double
  num 3 double
  sum 4 double
  sum_squares 5 double
  bucket_limit 6 repeated double
  bucket 7 repeated double
enum error.Code
  OK 0
  CANCELLED 1
  UNKNOWN 2
  INVALID_ARGUMENT 3
  DEADLINE_EXCEEDED 4
  NOT_FOUND 5
  ALREADY_EXISTS 6
  PERMISSION_DENIED 7
  UNAUTHENTICATED 16
  RESOURCE_EXHAUSTED 8
  FAILED_PRECONDITION 9
  ABORTED 10
  OUT_OF_RANGE 11
  UNIMPLEMENTED 12
  INTERNAL 13
  UNAVAILABLE 14
  DATA_LOSS 15
  DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_ 20
"""
