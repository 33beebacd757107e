"""`tf.train`: optimizers, savers, supervision, clusters, queues and what else training needs."""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "cluster": ["ClusterSpec", "Server"],
    "device_setter": ["replica_device_setter"],
    "optimizer": ["Optimizer"],
    "optimizers": [
        "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "FtrlOptimizer", "GradientDescentOptimizer",
        "MomentumOptimizer", "RMSPropOptimizer",
    ],
    "checkpoints": [
        "NewCheckpointReader", "checkpoint_exists", "generate_checkpoint_state_proto", "get_checkpoint_mtimes",
        "get_checkpoint_state", "latest_checkpoint", "list_variables", "load_checkpoint", "load_variable", "remove_checkpoint",
        "update_checkpoint_state",
    ],
    "meta_graph": ["export_meta_graph", "import_meta_graph", "write_graph"],
    "saver": ["Saver"],
    "moving_averages": ["ExponentialMovingAverage"],
    "profiler_hook": ["ProfilerHook"],
    "proximal_optimizers": ["AdagradDAOptimizer", "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer"],
    "restoring": ["init_from_checkpoint"],
    "events": ["summary_iterator"],
    "schedules": [
        "cosine_decay", "cosine_decay_restarts", "exponential_decay", "inverse_time_decay", "linear_cosine_decay",
        "natural_exp_decay", "noisy_linear_cosine_decay", "piecewise_constant", "polynomial_decay",
    ],
    "input": [
        "batch", "batch_join", "input_producer", "limit_epochs", "match_filenames_once", "maybe_batch", "maybe_batch_join",
        "maybe_shuffle_batch", "maybe_shuffle_batch_join", "range_input_producer", "shuffle_batch", "shuffle_batch_join",
        "slice_input_producer", "string_input_producer",
    ],
    "monitored_session": [
        "ChiefSessionCreator", "MonitoredSession", "MonitoredTrainingSession", "SessionCreator", "SingularMonitoredSession",
        "WorkerSessionCreator", "basic_train_loop",
    ],
    "scaffold": ["Scaffold"],
    "session_manager": ["SessionManager"],
    "supervisor": ["Supervisor"],
    "sync_replicas": ["SyncReplicasOptimizer"],
    "hooks": ["SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues"],
    "basic_hooks": [
        "CheckpointSaverHook", "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook", "GlobalStepWaiterHook",
        "LoggingTensorHook", "NanLossDuringTrainingError", "NanTensorHook", "SecondOrStepTimer",
        "StepCounterHook", "StopAtStepHook", "SummarySaverHook",
    ],
    "coordinator": ["Coordinator", "LooperThread"],
    "queue_runner": ["QueueRunner", "add_queue_runner", "start_queue_runners"],
    "global_step": [
        "assert_global_step", "create_global_step", "get_global_step", "get_or_create_global_step", "global_step",
    ],
}
_WHERE = {name: module for module, names in _HOMES.items() for name in names}
_MESSAGES = {
    "BytesList", "ClusterDef", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List", "JobDef",
    "SaverDef", "SequenceExample", "ServerDef",
}
__all__ = sorted({*_WHERE, *_MESSAGES})


# Names that TensorFlow had once, and names for the same thing.
_OTHER_NAMES = {
    "SummaryWriter": ("summary_writer", "FileWriter"),
    "SummaryWriterCache": ("summary_writer", "FileWriterCache"),
    "piecewise_constant_decay": ("schedules", "piecewise_constant"),
}
_REFUSED = {
    "Checkpoint": "use tf.train.Saver",
    "CheckpointManager": "use tf.train.Saver, which keeps the newest checkpoints",
    "warm_start": "use tf.train.init_from_checkpoint",
}


def __getattr__(name: str) -> Any:
    if name in _OTHER_NAMES:
        module, here = _OTHER_NAMES[name]
        return getattr(importlib.import_module(f"tensorfleet._train.{module}"), here)
    if name in _REFUSED:
        raise AttributeError(f"tensorfleet has no tf.train.{name}: {_REFUSED[name]}")
    if name in _WHERE:
        value = getattr(importlib.import_module(f"tensorfleet._train.{_WHERE[name]}"), name)
        globals()[name] = value
        return value
    if name in _MESSAGES:
        from tensorfleet._framework import messages

        value = getattr(messages, name)
        globals()[name] = value
        return value
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tensorfleet.v1._refused import unknown_name

    raise AttributeError(unknown_name("train", name, __all__))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_OTHER_NAMES})
