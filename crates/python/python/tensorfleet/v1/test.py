"""`tf.test`: tests of programs that use this package."""

from __future__ import annotations

import contextlib
import os
import tempfile
import unittest
from typing import Any, Iterator
from unittest import mock

import numpy as np

from tensorfleet._framework import errors
from tensorfleet._framework.graph import Graph, get_default_graph
from tensorfleet._framework.session import Session

__all__ = [
    "StubOutForTesting", "TestCase", "assert_equal_graph_def", "compute_gradient", "compute_gradient_error",
    "create_local_cluster", "get_temp_dir", "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support",
    "is_gpu_available", "main", "mock", "test_src_dir_path",
]


def get_temp_dir() -> str:
    """A folder for files of tests."""
    folder = os.environ.get("TEST_TMPDIR") or os.path.join(tempfile.gettempdir(), f"tensorfleet-test-{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    return folder


def test_src_dir_path(relative_path: str) -> str:
    """The path of a file beside the tests."""
    return os.path.join(os.environ.get("TEST_SRCDIR", "."), relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU: never, everything runs on CPUs."""
    return False


def gpu_device_name() -> str:
    """The name of a GPU, of which there is none."""
    return ""


def is_built_with_cuda() -> bool:
    """Whether CUDA is used: it is not."""
    return False


def is_built_with_gpu_support() -> bool:
    """Whether GPUs can be used: they cannot."""
    return False


def main(argv: Any = None) -> None:
    """Runs the tests of the program."""
    unittest.main(argv=argv)


class TestCase(unittest.TestCase):
    """A test with a graph of its own, and with comparisons of arrays."""

    def setUp(self) -> None:
        from tensorfleet._framework.graph import reset_default_graph

        reset_default_graph()
        get_default_graph().seed = 87654321

    def get_temp_dir(self) -> str:
        """A folder for files of the test."""
        return tempfile.mkdtemp(dir=get_temp_dir())

    @contextlib.contextmanager
    def session(self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
                ) -> Iterator[Session]:
        """A session on the default graph or another one."""
        with Session(graph=graph, config=config) as sess:
            yield sess

    def test_session(self, *args: Any, **kwargs: Any) -> Any:
        """As :meth:`session`; by its name it is taken for a test, which it is not."""
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        return self.session(*args, **kwargs)

    cached_session = session

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors in the default session."""
        from tensorfleet._framework.session import get_default_session

        sess = get_default_session()
        if sess is not None:
            return sess.run(tensors)
        with Session() as own:
            return own.run(tensors)

    def _array(self, value: Any) -> np.ndarray:
        return np.asarray(self.evaluate(value) if hasattr(value, "graph") else value)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """That numbers, arrays, or lists and dicts of them are nearly equal."""
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"{msg or ''} at {key!r}")
            return
        one, other = self._array(a), self._array(b)
        self.assertEqual(one.shape, other.shape, f"Shape mismatch: expected {one.shape}, got {other.shape}. {msg or ''}")
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol, err_msg=msg or "")

    def assertAllCloseAccordingToType(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, **_: Any) -> None:
        """That arrays are as equal as their type allows."""
        half = any(self._array(value).dtype == np.float16 for value in (a, b))
        self.assertAllClose(a, b, 1e-3 if half else rtol, 1e-3 if half else atol)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """That arrays are equal."""
        np.testing.assert_array_equal(self._array(a), self._array(b), err_msg=msg or "")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """That the elements of two lists differ by so much at most."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2):
            self.assertNear(float(one), float(other), err, msg)

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """That two numbers differ by so much at most."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r} {msg or ''}")

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any) -> None:
        """That a tensor has the shape of an array."""
        self.assertEqual(list(np_array.shape), tf_tensor.get_shape().as_list())

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """That a text begins with another."""
        self.assertTrue(actual.startswith(expected_start), f"{actual!r} does not start with {expected_start!r} {msg or ''}")

    def assertProtoEquals(self, expected_message_maybe_ascii: Any, message: Any) -> None:
        """That a message equals another, or a text that means one."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            from tensorfleet._framework.messages import parse_text

            made = type(message)()
            parse_text(expected, made)
            expected = made
        self.assertEqual(expected, message)

    @contextlib.contextmanager
    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Iterator[None]:
        """That a step fails, with a message that fits."""
        with self.assertRaises(errors.OpError) as raised:
            yield
        if callable(expected_err_re_or_predicate):
            self.assertTrue(expected_err_re_or_predicate(raised.exception), str(raised.exception))
        else:
            self.assertRegex(str(raised.exception), expected_err_re_or_predicate)


# Base classes are no tests themselves.
TestCase.__test__ = False  # type: ignore[attr-defined]


class StubOutForTesting:
    """Puts other things in the place of attributes, until it is told to put them back."""

    def __init__(self) -> None:
        self._set: list[tuple[Any, str, Any]] = []

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute."""
        self._set.append((parent, child_name, getattr(parent, child_name)))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:
        """Puts everything back."""
        while self._set:
            parent, name, old = self._set.pop()
            setattr(parent, name, old)

    SmartUnsetAll = UnsetAll
    CleanUp = UnsetAll


def assert_equal_graph_def(actual: Any, expected: Any, checkpoint_v2: bool = False, **_: Any) -> None:
    """AssertionError unless two graphs have the same nodes."""
    one, other = ({node.name: node for node in graph.node} for graph in (actual, expected))
    if one != other:
        differing = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
        raise AssertionError(f"The graphs differ in the nodes {differing}")


def create_local_cluster(
    num_workers: int, num_ps: int, protocol: str = "grpc", worker_config: Any = None, ps_config: Any = None
) -> tuple[list[Any], list[Any]]:
    """Servers of a cluster on this machine: those of the workers, and of the parameter servers."""
    import socket

    from tensorfleet._train.cluster import Server

    sockets = [socket.socket() for _ in range(num_workers + num_ps)]
    try:
        for one in sockets:
            one.bind(("localhost", 0))
        addresses = [f"localhost:{one.getsockname()[1]}" for one in sockets]
    finally:
        for one in sockets:
            one.close()
    cluster = {"worker": addresses[:num_workers], "ps": addresses[num_workers:]}
    cluster = {job: tasks for job, tasks in cluster.items() if tasks}
    workers = [Server(cluster, "worker", i, protocol, worker_config) for i in range(num_workers)]
    return workers, [Server(cluster, "ps", i, protocol, ps_config) for i in range(num_ps)]


def compute_gradient(
    x: Any, x_shape: Any, y: Any, y_shape: Any, x_init_value: Any = None, delta: float = 1e-3, init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives of `y` by `x`, from the graph and by differences: a row for each element of `x`."""
    from tensorfleet._framework.convert import convert_to_tensor
    from tensorfleet._framework.session import session_or_default
    from tensorfleet._ops.gradient_ops import gradients

    sess = session_or_default(None, y.graph, "compute_gradient")
    for target in init_targets or []:
        sess.run(target)
    dtype = x.dtype.base_dtype.as_numpy_dtype
    value = np.random.random_sample(x_shape).astype(dtype) if x_init_value is None else np.array(x_init_value, dtype)
    outputs = int(np.prod(y_shape, dtype=int))
    feeds = dict(extra_feed_dict or {})
    theory = np.zeros([value.size, outputs], dtype)
    for column in range(outputs):
        start = np.zeros(outputs, dtype)
        start[column] = 1
        [slope] = gradients(y, x, grad_ys=convert_to_tensor(start.reshape(y_shape)))
        if slope is not None:
            theory[:, column] = np.ravel(sess.run(convert_to_tensor(slope), {**feeds, x: value}))
    measured = np.zeros([value.size, outputs], dtype)
    for row in range(value.size):
        around = []
        for sign in (1, -1):
            moved = value.copy().reshape(-1)
            moved[row] += sign * delta
            around.append(np.ravel(sess.run(y, {**feeds, x: moved.reshape(value.shape)})))
        measured[row] = (around[0] - around[1]) / (2 * delta)
    return theory, measured


def compute_gradient_error(
    x: Any, x_shape: Any, y: Any, y_shape: Any, x_init_value: Any = None, delta: float = 1e-3, init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """The largest difference between the derivatives that the graph gives and those that were measured."""
    theory, measured = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    return float(np.abs(theory - measured).max()) if theory.size else 0.0
