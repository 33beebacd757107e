"""What the programs that on_both.py runs have in common: how they place nodes and connect."""

from server import tf

__all__ = ["connect", "on"]

v1 = tf.compat.v1


def on(job, task=0):
    return v1.device(f"/job:{job}/task:{task}")


def connect(cluster, job="worker", task=0, **config):
    """A session of the default graph with a task as its master."""
    return v1.Session(f"grpc://{cluster[job][task]}", config=v1.ConfigProto(**{"operation_timeout_in_ms": 30_000, **config}))
