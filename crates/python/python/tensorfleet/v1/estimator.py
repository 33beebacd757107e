"""Estimators are not here, but for the names of their modes: each other name says what to use instead."""

from __future__ import annotations

from tensorfleet.v1._refused import refusing

__all__ = ["ModeKeys"]

_LOOP = "tf.train.MonitoredTrainingSession with a loop of one's own"


class ModeKeys:
    """The names of what a model function is called for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


__getattr__ = refusing(
    "tf.estimator",
    _LOOP,
    {
        "RunConfig": "tf.ConfigProto, and the arguments of tf.train.MonitoredTrainingSession",
        "EstimatorSpec": "the loss and the train operation themselves, in tf.train.MonitoredTrainingSession",
        "inputs": "tf.data.Dataset.from_tensor_slices", "export": "tf.saved_model or tf.train.Saver",
        "train_and_evaluate": f"tf.train.Server for each task, and {_LOOP}",
    },
)
