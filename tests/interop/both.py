"""Programs that are run on clusters of TensorFlow's own servers and of ours, and must give the same on all.

Ours are two: in one, tensors go between tasks over links, in the other over gRPC."""

import contextlib
import functools
import sys

import numpy as np

from checks import run_cases
from server import reference_cluster, serving_cluster, tf

__all__ = ["connect", "on", "run_on_both"]

v1 = tf.compat.v1
# What our servers are told for each transport.
TRANSPORTS = {"links": [], "gRPC": ["--transport=grpc"]}


def on(job, task=0):
    return v1.device(f"/job:{job}/task:{task}")


def connect(cluster, job="worker", task=0, **config):
    """A session of the default graph with a task as its master."""
    return v1.Session(f"grpc://{cluster[job][task]}", config=v1.ConfigProto(**{"operation_timeout_in_ms": 30_000, **config}))


def run_on_both(script, programs, seconds, **jobs):
    """Runs each program, a function of a cluster, on all clusters, and compares the nested lists of values that it gives."""
    with contextlib.ExitStack() as running:
        theirs = running.enter_context(reference_cluster(**jobs))
        ours = {
            transport: running.enter_context(serving_cluster(sys.argv[1], *arguments, **jobs))
            for transport, arguments in TRANSPORTS.items()
        }
        cases = [(program.__name__, functools.partial(same, program, ours, theirs)) for program in programs]
        run_cases(script, cases, seconds)


def same(program, ours, theirs):
    expected = values(program, theirs)
    for transport, cluster in ours.items():
        compare(values(program, cluster), expected, f"{program.__name__} over {transport}")
    return f"{count(expected)} values"


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
