# Written by stubs.py; do not edit.

from tensorfleet._train.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from tensorfleet._train.proximal_optimizers import AdagradDAOptimizer as AdagradDAOptimizer
from tensorfleet._train.optimizers import AdagradOptimizer as AdagradOptimizer
from tensorfleet._train.optimizers import AdamOptimizer as AdamOptimizer
from tensorfleet._framework.messages import BytesList as BytesList
from tensorfleet._train.basic_hooks import CheckpointSaverHook as CheckpointSaverHook
from tensorfleet._train.basic_hooks import CheckpointSaverListener as CheckpointSaverListener
from tensorfleet._train.monitored_session import ChiefSessionCreator as ChiefSessionCreator
from tensorfleet._framework.messages import ClusterDef as ClusterDef
from tensorfleet._train.cluster import ClusterSpec as ClusterSpec
from tensorfleet._train.coordinator import Coordinator as Coordinator
from tensorfleet._framework.messages import Example as Example
from tensorfleet._train.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from tensorfleet._framework.messages import Feature as Feature
from tensorfleet._framework.messages import FeatureList as FeatureList
from tensorfleet._framework.messages import FeatureLists as FeatureLists
from tensorfleet._framework.messages import Features as Features
from tensorfleet._train.basic_hooks import FeedFnHook as FeedFnHook
from tensorfleet._train.basic_hooks import FinalOpsHook as FinalOpsHook
from tensorfleet._framework.messages import FloatList as FloatList
from tensorfleet._train.optimizers import FtrlOptimizer as FtrlOptimizer
from tensorfleet._train.basic_hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from tensorfleet._train.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from tensorfleet._framework.messages import Int64List as Int64List
from tensorfleet._framework.messages import JobDef as JobDef
from tensorfleet._train.basic_hooks import LoggingTensorHook as LoggingTensorHook
from tensorfleet._train.coordinator import LooperThread as LooperThread
from tensorfleet._train.optimizers import MomentumOptimizer as MomentumOptimizer
from tensorfleet._train.monitored_session import MonitoredSession as MonitoredSession
from tensorfleet._train.monitored_session import MonitoredTrainingSession as MonitoredTrainingSession
from tensorfleet._train.basic_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from tensorfleet._train.basic_hooks import NanTensorHook as NanTensorHook
from tensorfleet._train.checkpoints import NewCheckpointReader as NewCheckpointReader
from tensorfleet._train.optimizer import Optimizer as Optimizer
from tensorfleet._train.profiler_hook import ProfilerHook as ProfilerHook
from tensorfleet._train.proximal_optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from tensorfleet._train.proximal_optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from tensorfleet._train.queue_runner import QueueRunner as QueueRunner
from tensorfleet._train.optimizers import RMSPropOptimizer as RMSPropOptimizer
from tensorfleet._train.saver import Saver as Saver
from tensorfleet._framework.messages import SaverDef as SaverDef
from tensorfleet._train.scaffold import Scaffold as Scaffold
from tensorfleet._train.basic_hooks import SecondOrStepTimer as SecondOrStepTimer
from tensorfleet._framework.messages import SequenceExample as SequenceExample
from tensorfleet._train.cluster import Server as Server
from tensorfleet._framework.messages import ServerDef as ServerDef
from tensorfleet._train.monitored_session import SessionCreator as SessionCreator
from tensorfleet._train.session_manager import SessionManager as SessionManager
from tensorfleet._train.hooks import SessionRunArgs as SessionRunArgs
from tensorfleet._train.hooks import SessionRunContext as SessionRunContext
from tensorfleet._train.hooks import SessionRunHook as SessionRunHook
from tensorfleet._train.hooks import SessionRunValues as SessionRunValues
from tensorfleet._train.monitored_session import SingularMonitoredSession as SingularMonitoredSession
from tensorfleet._train.basic_hooks import StepCounterHook as StepCounterHook
from tensorfleet._train.basic_hooks import StopAtStepHook as StopAtStepHook
from tensorfleet._train.basic_hooks import SummarySaverHook as SummarySaverHook
from tensorfleet._train.summary_writer import FileWriter as SummaryWriter
from tensorfleet._train.summary_writer import FileWriterCache as SummaryWriterCache
from tensorfleet._train.supervisor import Supervisor as Supervisor
from tensorfleet._train.sync_replicas import SyncReplicasOptimizer as SyncReplicasOptimizer
from tensorfleet._train.monitored_session import WorkerSessionCreator as WorkerSessionCreator
from tensorfleet._train.queue_runner import add_queue_runner as add_queue_runner
from tensorfleet._train.global_step import assert_global_step as assert_global_step
from tensorfleet._train.monitored_session import basic_train_loop as basic_train_loop
from tensorfleet._train.input import batch as batch
from tensorfleet._train.input import batch_join as batch_join
from tensorfleet._train.checkpoints import checkpoint_exists as checkpoint_exists
from tensorfleet._train.schedules import cosine_decay as cosine_decay
from tensorfleet._train.schedules import cosine_decay_restarts as cosine_decay_restarts
from tensorfleet._train.global_step import create_global_step as create_global_step
from tensorfleet._train.schedules import exponential_decay as exponential_decay
from tensorfleet._train.meta_graph import export_meta_graph as export_meta_graph
from tensorfleet._train.checkpoints import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from tensorfleet._train.checkpoints import get_checkpoint_mtimes as get_checkpoint_mtimes
from tensorfleet._train.checkpoints import get_checkpoint_state as get_checkpoint_state
from tensorfleet._train.global_step import get_global_step as get_global_step
from tensorfleet._train.global_step import get_or_create_global_step as get_or_create_global_step
from tensorfleet._train.global_step import global_step as global_step
from tensorfleet._train.meta_graph import import_meta_graph as import_meta_graph
from tensorfleet._train.restoring import init_from_checkpoint as init_from_checkpoint
from tensorfleet._train.input import input_producer as input_producer
from tensorfleet._train.schedules import inverse_time_decay as inverse_time_decay
from tensorfleet._train.checkpoints import latest_checkpoint as latest_checkpoint
from tensorfleet._train.input import limit_epochs as limit_epochs
from tensorfleet._train.schedules import linear_cosine_decay as linear_cosine_decay
from tensorfleet._train.checkpoints import list_variables as list_variables
from tensorfleet._train.checkpoints import load_checkpoint as load_checkpoint
from tensorfleet._train.checkpoints import load_variable as load_variable
from tensorfleet._train.input import match_filenames_once as match_filenames_once
from tensorfleet._train.input import maybe_batch as maybe_batch
from tensorfleet._train.input import maybe_batch_join as maybe_batch_join
from tensorfleet._train.input import maybe_shuffle_batch as maybe_shuffle_batch
from tensorfleet._train.input import maybe_shuffle_batch_join as maybe_shuffle_batch_join
from tensorfleet._train.schedules import natural_exp_decay as natural_exp_decay
from tensorfleet._train.schedules import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from tensorfleet._train.schedules import piecewise_constant as piecewise_constant
from tensorfleet._train.schedules import piecewise_constant as piecewise_constant_decay
from tensorfleet._train.schedules import polynomial_decay as polynomial_decay
from tensorfleet._train.input import range_input_producer as range_input_producer
from tensorfleet._train.checkpoints import remove_checkpoint as remove_checkpoint
from tensorfleet._train.device_setter import replica_device_setter as replica_device_setter
from tensorfleet._train.input import shuffle_batch as shuffle_batch
from tensorfleet._train.input import shuffle_batch_join as shuffle_batch_join
from tensorfleet._train.input import slice_input_producer as slice_input_producer
from tensorfleet._train.queue_runner import start_queue_runners as start_queue_runners
from tensorfleet._train.input import string_input_producer as string_input_producer
from tensorfleet._train.events import summary_iterator as summary_iterator
from tensorfleet._train.checkpoints import update_checkpoint_state as update_checkpoint_state
from tensorfleet._train.meta_graph import write_graph as write_graph

__all__ = [
    "AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "CheckpointSaverHook",
    "CheckpointSaverListener", "ChiefSessionCreator", "ClusterDef", "ClusterSpec", "Coordinator", "Example",
    "ExponentialMovingAverage", "Feature", "FeatureList", "FeatureLists", "Features", "FeedFnHook", "FinalOpsHook",
    "FloatList", "FtrlOptimizer", "GlobalStepWaiterHook", "GradientDescentOptimizer", "Int64List", "JobDef",
    "LoggingTensorHook", "LooperThread", "MomentumOptimizer", "MonitoredSession", "MonitoredTrainingSession",
    "NanLossDuringTrainingError", "NanTensorHook", "NewCheckpointReader", "Optimizer", "ProfilerHook",
    "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer", "QueueRunner", "RMSPropOptimizer", "Saver",
    "SaverDef", "Scaffold", "SecondOrStepTimer", "SequenceExample", "Server", "ServerDef", "SessionCreator",
    "SessionManager", "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues",
    "SingularMonitoredSession", "StepCounterHook", "StopAtStepHook", "SummarySaverHook", "SummaryWriter",
    "SummaryWriterCache", "Supervisor", "SyncReplicasOptimizer", "WorkerSessionCreator", "add_queue_runner",
    "assert_global_step", "basic_train_loop", "batch", "batch_join", "checkpoint_exists", "cosine_decay",
    "cosine_decay_restarts", "create_global_step", "exponential_decay", "export_meta_graph",
    "generate_checkpoint_state_proto", "get_checkpoint_mtimes", "get_checkpoint_state", "get_global_step",
    "get_or_create_global_step", "global_step", "import_meta_graph", "init_from_checkpoint", "input_producer",
    "inverse_time_decay", "latest_checkpoint", "limit_epochs", "linear_cosine_decay", "list_variables",
    "load_checkpoint", "load_variable", "match_filenames_once", "maybe_batch", "maybe_batch_join",
    "maybe_shuffle_batch", "maybe_shuffle_batch_join", "natural_exp_decay", "noisy_linear_cosine_decay",
    "piecewise_constant", "piecewise_constant_decay", "polynomial_decay", "range_input_producer", "remove_checkpoint",
    "replica_device_setter", "shuffle_batch", "shuffle_batch_join", "slice_input_producer", "start_queue_runners",
    "string_input_producer", "summary_iterator", "update_checkpoint_state", "write_graph"
]
