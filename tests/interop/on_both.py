"""Programs that are run on clusters of TensorFlow's own servers and of ours, and must give the same on all.

usage: on_both.py PATH_OF_TENSORFLEET_BINARY [WORD..]: all programs, or those with one of the words in MODULE/PROGRAM

A program is a function of a cluster that returns nested lists of values; the modules below list theirs in PROGRAMS. They share
a process and its clusters, because starting TensorFlow takes longer than most programs. Our clusters are two: in one, tensors
go between tasks over links, in the other over gRPC.
"""

import contextlib
import functools
import sys

import numpy as np

import batch_norm
import datasets
import decoder
import functions
import language_model
import odds_and_ends
import old_graphs
import wide_and_deep
from checks import run_cases
from server import reference_cluster, serving_cluster, tf

v1 = tf.compat.v1
MODULES = [language_model, wide_and_deep, batch_norm, decoder, functions, datasets, odds_and_ends, old_graphs]
JOBS = {"ps": 2, "worker": 2}
# What our servers are told for each transport.
TRANSPORTS = {"links": [], "gRPC": ["--transport=grpc"]}


def main(binary):
    with contextlib.ExitStack() as running:
        theirs = running.enter_context(reference_cluster(**JOBS))
        ours = {
            transport: running.enter_context(serving_cluster(binary, *arguments, **JOBS))
            for transport, arguments in TRANSPORTS.items()
        }
        cases = [
            (f"{module.__name__}/{program.__name__}", functools.partial(same, module, program, ours, theirs))
            for module in MODULES
            for program in module.PROGRAMS
        ]
        run_cases("on_both", cases, seconds=600)


def same(module, program, ours, theirs):
    # The names of one program's variables, tables and queues must not meet those of another.
    container = f"{module.__name__}.{program.__name__}".replace("_", ".")
    expected = values(module, program, container, theirs)
    for transport, cluster in ours.items():
        compare(values(module, program, container, cluster), expected, f"{program.__name__} over {transport}")
    return f"{count(expected)} values"


def values(module, program, container, cluster):
    v1.enable_control_flow_v2() if getattr(module, "CONTROL_FLOW_V2", False) else v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, graph.container(container):
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


if __name__ == "__main__":
    main(sys.argv[1])
