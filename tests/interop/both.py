"""Programs that are run on two clusters, one of our servers and one of TensorFlow's own, and must give the same on both."""

import functools
import sys

import numpy as np

from checks import run_cases
from server import reference_cluster, serving_cluster, tf

__all__ = ["connect", "on", "run_on_both"]

v1 = tf.compat.v1


def on(job, task=0):
    return v1.device(f"/job:{job}/task:{task}")


def connect(cluster, job="worker", task=0, **config):
    """A session of the default graph with a task as its master."""
    return v1.Session(f"grpc://{cluster[job][task]}", config=v1.ConfigProto(**{"operation_timeout_in_ms": 30_000, **config}))


def run_on_both(script, programs, seconds, **jobs):
    """Runs each program, a function of a cluster, on both clusters, and compares the nested lists of values that it gives."""
    with serving_cluster(sys.argv[1], **jobs) as ours, reference_cluster(**jobs) as theirs:
        cases = [(program.__name__, functools.partial(same, program, ours, theirs)) for program in programs]
        run_cases(script, cases, seconds)


def same(program, ours, theirs):
    expected, got = values(program, theirs), values(program, ours)
    compare(got, expected, program.__name__)
    return f"{count(got)} values"


def values(program, cluster):
    # The names of one program's variables, tables and queues must not meet those of another.
    with tf.Graph().as_default() as graph, graph.container(program.__name__.replace("_", ".")):
        v1.set_random_seed(7)
        return program(cluster)


def compare(got, expected, where):
    if isinstance(expected, dict):
        assert got.keys() == expected.keys(), where
        got, expected = [got[key] for key in expected], list(expected.values())
    if isinstance(expected, (v1.SparseTensorValue, tf.RaggedTensor)):
        got, expected = list(got), list(expected)
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected), (where, got, expected)
        for index, (left, right) in enumerate(zip(got, expected)):
            compare(left, right, f"{where}[{index}]")
        return
    left, right = np.asarray(got), np.asarray(expected)
    assert left.dtype == right.dtype and left.shape == right.shape, (where, left, right)
    if np.issubdtype(right.dtype, np.inexact):
        np.testing.assert_allclose(left, right, rtol=2e-4, atol=1e-5, err_msg=where)
    else:
        np.testing.assert_array_equal(left, right, err_msg=where)


def count(value):
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(count, value)) if isinstance(value, (list, tuple)) else np.size(value)
