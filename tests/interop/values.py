"""What crosses the wire: values of every type and shape, options, partial runs, callables, and errors, all compared with
what TensorFlow's own servers do with the same client.

usage: values.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import contextlib
import os
import re
import sys
import tempfile
import threading
import time

import numpy as np

from checks import run_cases
from server import reference_cluster, serving_cluster, tf

v1 = tf.compat.v1
errors = tf.errors
BINARY = sys.argv[1]
# The clusters, ours and TensorFlow's, each of one ps and one worker; set when the script begins.
OURS, THEIRS = {}, {}


def session(cluster, **config):
    return v1.Session("grpc://" + cluster["worker"][0], config=v1.ConfigProto(**{"operation_timeout_in_ms": 60_000, **config}))


def on(place):
    return v1.device({"ps": "/job:ps/task:0", "worker": "/job:worker/task:0"}[place])


# Values


def sample(dtype, shape):
    """Values with the ends of the type's range among them."""
    size = int(np.prod(shape))
    numpy_type = dtype.as_numpy_dtype
    if dtype == tf.bool:
        return (np.arange(size) % 3 == 0).reshape(shape)
    if dtype.is_complex:
        return ((np.arange(size) - 2.5) + 1j * (np.arange(size) * 0.25)).astype(numpy_type).reshape(shape)
    if dtype.is_floating:
        values = (np.arange(size) * 0.37 - 1).astype(np.float64)
        special = [np.inf, -np.inf, np.nan, -0.0, 1e-7, 3.0]
        if numpy_type not in (np.float64, np.float32, np.float16) and dtype != tf.bfloat16:
            special = [0.5, -2.0]
        count = min(size, len(special))
        values[:count] = special[:count]
        return values.astype(numpy_type).reshape(shape)
    low, high = int(np.iinfo(numpy_type).min), int(np.iinfo(numpy_type).max)
    cycle = [low, high, 0, 1, high // 2, low // 2 + 1]
    return np.array([cycle[i % len(cycle)] for i in range(size)], numpy_type).reshape(shape)


TYPES = [
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.bool,
    tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
]  # fmt: skip
QUANTIZED = [tf.qint8, tf.quint8, tf.qint32]
SHAPES = [(), (1,), (7,), (3, 4), (2, 1, 3, 2), (0,), (0, 5), (3, 0, 2)]


def there_and_back(values):
    """Feeds each value, lets it travel to the ps and back, and fetches it on both sides."""
    with tf.Graph().as_default(), session(OURS) as s:
        feeds, fetches = {}, []
        for value, dtype in values:
            with on("worker"):
                x = v1.placeholder(dtype)
            with on("ps"):
                away = tf.identity(x)
            with on("worker"):
                fetches.append((away, tf.identity(away), x if dtype.is_quantized else tf.identity(x)))
            feeds[x] = value
        results = s.run(fetches, feeds)
    for (value, dtype), got in zip(values, results):
        for one in got:
            assert np.shape(one) == np.shape(value), (dtype, np.shape(one), np.shape(value))
            if dtype != tf.string:
                # The client gives quantized values as plain integers.
                assert dtype.is_quantized or one.dtype == dtype.as_numpy_dtype, (dtype, one.dtype)
                assert np.asarray(one).tobytes() == np.asarray(value).tobytes(), (dtype, one, value)
            else:
                assert np.asarray(one, object).tolist() == np.asarray(value, object).tolist(), (one, value)


def all_types():
    there_and_back([(sample(dtype, shape), dtype) for dtype in TYPES for shape in SHAPES])
    return f"{len(TYPES) * len(SHAPES)} values"


def quantized_types():
    there_and_back([(np.array([1, 2, 3], dtype.as_numpy_dtype), dtype) for dtype in QUANTIZED])


def strings():
    texts = [b"", b"\0", b"a\0b\0", "Grüße, 世界 🦀".encode(), bytes(range(256)), b"x" * 300, b"y" * 100_000]
    shapes = [np.array(b"scalar", object), np.array(texts, object), np.array(texts[:6], object).reshape(2, 3)]
    empty = [np.empty(shape, object) for shape in [(0,), (2, 0)]]
    large = np.array([b"z" * 10_000_000, b"", b"w" * 5_000_000], object)
    there_and_back([(value, tf.string) for value in [*shapes, *empty, large]])


def large_tensors():
    random = np.random.RandomState(0)
    begin = time.monotonic()
    there_and_back([(random.rand(5_000_000).astype(np.float32), tf.float32), (random.bytes(20_000_000), tf.string)])
    return f"20 MB each in {time.monotonic() - begin:.1f} s"


def constants():
    """Constants of all types as the client writes them into the graph, and on another task."""
    with tf.Graph().as_default(), session(OURS) as s, on("ps"):
        values = [(dtype, sample(dtype, shape)) for dtype in TYPES for shape in [(), (4,), (2, 0)]]
        # Those of one repeated element are written in a shortened form.
        values += [(dtype, np.ones((3, 3), dtype.as_numpy_dtype)) for dtype in TYPES]
        got = s.run([tf.constant(value, dtype) for dtype, value in values])
    for (dtype, value), one in zip(values, got):
        assert np.shape(one) == value.shape and np.asarray(one).tobytes() == value.tobytes(), (dtype, value, one)


def variables_of_all_types():
    with tf.Graph().as_default(), session(OURS) as s, on("ps"):
        made = []
        for resource in (False, True):
            for dtype in [tf.float16, tf.bfloat16, tf.float64, tf.int32, tf.int64, tf.uint8, tf.bool, tf.complex64]:
                value = sample(dtype, (2, 3))
                made.append((value, v1.Variable(value, name=f"{dtype.name}_{resource}", use_resource=resource)))
        s.run(v1.global_variables_initializer())
        for value, one in zip([value for value, _ in made], s.run([variable for _, variable in made])):
            assert one.dtype == value.dtype and one.tobytes() == value.tobytes(), (value, one)


# Errors

FAILURES = {}


def failure(build):
    """A program that fails: it gets a session and runs. It must fail on our servers as on TensorFlow's."""
    FAILURES[build.__name__.replace("_", " ")] = build
    return build


def outcome(cluster, build, config):
    with tf.Graph().as_default():
        s = session(cluster, **config)
        try:
            value = build(s)
        except errors.OpError as error:
            return error
        finally:
            with contextlib.suppress(errors.OpError):
                s.close()
    raise AssertionError(f"no error but {value!r}")


def same_failure(build):
    def check():
        config = getattr(build, "config", {})
        ours, theirs = outcome(OURS, build, config), outcome(THEIRS, build, config)
        told = f"\n--- ours\n{type(ours).__name__} at {ours.op and ours.op.name}: {ours.message}"
        told += f"\n--- TensorFlow's\n{type(theirs).__name__} at {theirs.op and theirs.op.name}: {theirs.message}"
        assert type(ours) is type(theirs), told
        assert (ours.op and ours.op.name) == (theirs.op and theirs.op.name), told
        assert (ours.node_def and ours.node_def.op) == (theirs.node_def and theirs.node_def.op), told
        for phrase in build.phrases:
            assert re.search(phrase, theirs.message, re.S), f"TensorFlow does not say {phrase!r}" + told
            assert re.search(phrase, ours.message, re.S), f"we do not say {phrase!r}" + told
        return f"{type(ours).__name__} at {ours.op and ours.op.name}"

    return check


def says(*phrases, **config):
    def mark(build):
        build.phrases, build.config = phrases, config
        return failure(build)

    return mark


@says("You must feed a value for placeholder tensor 'ph' with dtype float")
def placeholder_without_value(s):
    with on("ps"):
        return s.run(v1.placeholder(tf.float32, [2], name="ph") * 2)


@says("is closed and has insufficient elements", "requested 1, current size 0")
def closed_queue(s):
    with on("ps"):
        queue = tf.queue.FIFOQueue(5, [tf.float32], shapes=[[]], shared_name="closed", name="q")
        one, close = queue.dequeue(name="take"), queue.close()
    s.run(close)
    return s.run(one)


@says("is closed")
def enqueue_on_closed_queue(s):
    with on("ps"):
        queue = tf.queue.FIFOQueue(5, [tf.float32], shapes=[[]], shared_name="closed2", name="q")
        put, close = queue.enqueue(1.0, name="put"), queue.close()
    s.run(close)
    return s.run(put)


@says("Attempting to use uninitialized value never_set")
def uninitialized_ref_variable(s):
    with on("ps"):
        v = v1.Variable([1.0], name="never_set", use_resource=False)
    with on("worker"):
        return s.run(v * 2)


@says("Could not find variable never_set2")
def uninitialized_resource_variable(s):
    with on("ps"):
        v = v1.Variable([1.0], name="never_set2", use_resource=True)
    with on("worker"):
        return s.run(v * 2)


@says("Attempting to use uninitialized value never_set3")
def update_of_uninitialized_variable(s):
    with on("ps"):
        v = v1.Variable([1.0], name="never_set3", use_resource=False)
        return s.run(v1.assign_add(v, [1.0], name="add"))


@says("Matrix size-incompatible", r"\[2,3\]", r"\[2,2\]")
def matrices_that_do_not_fit(s):
    with on("ps"):
        a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        return s.run(tf.matmul(a, b, name="product"), {a: np.ones([2, 3]), b: np.ones([2, 2])})


@says("Incompatible shapes", r"\[2\] vs. \[3\]")
def shapes_that_do_not_broadcast(s):
    a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
    with on("ps"):
        return s.run(tf.add(a, b, name="sum"), {a: [1, 2], b: [1, 2, 3]})


@says("Input to reshape is a tensor with 3 values, but the requested shape has 4")
def reshape_to_another_size(s):
    a, shape = v1.placeholder(tf.float32), v1.placeholder(tf.int32)
    with on("ps"):
        return s.run(tf.reshape(a, shape, name="bad"), {a: [1, 2, 3], shape: [2, 2]})


@says("Assign requires shapes of both tensors to match", r"lhs shape= ?\[2\] rhs shape= ?\[3\]")
def assign_of_another_shape(s):
    with on("ps"):
        v, value = v1.Variable([1.0, 2.0], name="pair", use_resource=False), v1.placeholder(tf.float32)
        return s.run(v1.assign(v, value, name="set"), {value: [1, 2, 3]})


@says(r"indices\[1\] = 9 is not in \[0, 3\)")
def index_out_of_range(s):
    rows, index = v1.placeholder(tf.float32), v1.placeholder(tf.int32)
    with on("ps"):
        return s.run(tf.gather(rows, index, name="rows"), {rows: np.eye(3), index: [0, 9]})


@says("Integer division by zero")
def division_by_zero(s):
    a = v1.placeholder(tf.int32)
    with on("ps"):
        return s.run(tf.math.floordiv(a, [0], name="quotient"), {a: [1]})


@says("too much")
def assertion(s):
    a = v1.placeholder(tf.float32, [])
    with on("ps"), v1.control_dependencies([v1.Assert(a < 1.0, ["too much", a], name="check")]):
        return s.run(tf.identity(a), {a: 2.0})


@says("NaN in a : Tensor had NaN values")
def not_a_number(s):
    a = v1.placeholder(tf.float32)
    with on("ps"):
        return s.run(tf.debugging.check_numerics(a, "NaN in a", name="numbers"), {a: [np.nan]})


@says("Reached limit of 2")
def counter_at_its_limit(s):
    with on("ps"):
        v = v1.Variable(0, name="counter", use_resource=False)
        count = v.count_up_to(2)
    s.run(v.initializer)
    s.run(count)
    s.run(count)
    return s.run(count)


@says("no_such_file")
def missing_file(s):
    with on("ps"):
        return s.run(tf.io.read_file("/no_such_file", name="file"))


@says("no_such_folder")
def missing_checkpoint(s):
    with on("ps"):
        v = v1.Variable([1.0], name="saved")
        saver = v1.train.Saver({"saved": v})
        return s.run(saver.saver_def.restore_op_name, {saver.saver_def.filename_tensor_name: "/no_such_folder/model"})


@says("other", "not found in checkpoint")
def missing_key_in_checkpoint(s):
    with on("ps"), tempfile.TemporaryDirectory() as folder:
        v = v1.Variable([1.0], name="kept", use_resource=False)
        s.run(v.initializer)
        path = v1.train.Saver({"kept": v}).save(s, os.path.join(folder, "model"), write_meta_graph=False)
        saver = v1.train.Saver({"other": v})
        return s.run(saver.saver_def.restore_op_name, {saver.saver_def.filename_tensor_name: path})


@says("Cannot assign a device for operation", "/job:ps.*task:7")
def task_that_does_not_exist(s):
    with v1.device("/job:ps/task:7"):
        return s.run(tf.constant(1.0, name="lost"))


@says("Cannot assign a device for operation", "GPU")
def device_that_does_not_exist(s):
    with v1.device("/job:ps/task:0/gpu:0"):
        return s.run(tf.constant(1.0, name="lost"))


@says("Cannot assign a device for operation", device_filters=["/job:worker"])
def task_that_is_filtered_away(s):
    with on("ps"):
        return s.run(tf.constant(1.0, name="lost"))


@says("")
def deadline_of_a_step(s):
    with on("ps"):
        one = tf.queue.FIFOQueue(5, [tf.float32], shapes=[[]], name="empty").dequeue(name="take")
    return s.run(one, options=v1.RunOptions(timeout_in_ms=300))


@says("", operation_timeout_in_ms=300)
def deadline_of_all_operations(s):
    with on("ps"):
        one = tf.queue.FIFOQueue(5, [tf.float32], shapes=[[]], name="empty").dequeue(name="take")
    s.run(tf.constant(1.0))
    return s.run(one)


@says("Session::Close")
def session_closed_meanwhile(s):
    with on("ps"):
        queue = tf.queue.FIFOQueue(5, [tf.float32], shapes=[[]], shared_name="closing", name="empty")
        one, size = queue.dequeue(name="take"), queue.size()
    s.run(size)
    # The step waits in another thread until the session is closed.
    caught = []

    def wait():
        try:
            s.run(one)
        except errors.OpError as error:
            caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while_running = v1.Session(s.sess_str, graph=s.graph)
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        while_running.run(size)
        time.sleep(0.1)
    s.close()
    thread.join(30)
    while_running.close()
    raise caught[0]


@says("Enqueue operation was cancelled")
def cancelled_by_closing_the_queue(s):
    with on("ps"):
        queue = tf.queue.FIFOQueue(1, [tf.float32], shapes=[[]], shared_name="full", name="full")
        put, close = queue.enqueue(1.0, name="put"), queue.close(cancel_pending_enqueues=True)
    s.run(put)
    caught = []

    def wait():
        try:
            s.run(put)
        except errors.OpError as error:
            caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.5)
    s.run(close)
    thread.join(30)
    raise caught[0]


@says("must be greater than or equal to|>= 0|negative|must be non-negative")
def negative_size(s):
    n = v1.placeholder(tf.int32)
    with on("ps"):
        return s.run(tf.fill(n, 1.0, name="filled"), {n: [-2]})


@says("Could not parse example input, value: 'no example'")
def parse_of_a_damaged_example(s):
    text = v1.placeholder(tf.string)
    with on("ps"):
        parsed = v1.parse_single_example(text, {"x": tf.io.FixedLenFeature([], tf.float32)}, name="parse")
        return s.run(parsed, {text: b"no example"})


@says(r"Feature: x \(data type: float\) is required but could not be found")
def parse_of_an_example_without_the_feature(s):
    text = v1.placeholder(tf.string)
    with on("ps"):
        parsed = v1.parse_single_example(text, {"x": tf.io.FixedLenFeature([], tf.float32)}, name="parse")
        return s.run(parsed, {text: tf.train.Example().SerializeToString()})


@says("Distributed session does not support session thread pool options", use_per_session_threads=True)
def threads_of_its_own(s):
    return s.run(tf.constant(1.0))


# Sessions


def partial_runs():
    def run(cluster):
        with tf.Graph().as_default(), session(cluster) as s:
            with on("worker"):
                a, b, c = (v1.placeholder(tf.float32, [], name=name) for name in "abc")
            with on("ps"):
                first = tf.add(a, b, name="first")
            with on("worker"):
                second = tf.multiply(first, c, name="second")
            got = []
            for _ in range(3):
                handle = s.partial_run_setup([first, second], [a, b, c])
                value = s.partial_run(handle, first, {a: 1, b: 2})
                got.append((value, s.partial_run(handle, second, {c: value * 17})))
            # All at once, and step by step.
            handle = s.partial_run_setup([first, second], [a, b, c])
            got.append(tuple(s.partial_run(handle, [first, second], {a: 1, b: 2, c: 3})))
            handle = s.partial_run_setup([second], [a, b, c])
            s.partial_run(handle, [], {a: 4})
            s.partial_run(handle, [], {b: 5})
            got.append(s.partial_run(handle, second, {c: 6}))
            mistakes = []
            for wrong in (
                lambda h: s.partial_run(h, second, {a: 1}),
                lambda h: (s.partial_run(h, first, {a: 1, b: 1}), s.partial_run(h, first, {c: 1})),
                lambda h: (s.partial_run(h, first, {a: 1, b: 1}), s.partial_run(h, second, {a: 1})),
            ):
                handle = s.partial_run_setup([first, second], [a, b, c])
                try:
                    wrong(handle)
                    mistakes.append(None)
                except errors.OpError as error:
                    mistakes.append(type(error).__name__)
            # The session is still good.
            got.append(s.run(first, {a: 1, b: 1}))
        return got, mistakes

    ours, theirs = run(OURS), run(THEIRS)
    assert ours == theirs, (ours, theirs)


def callables():
    with tf.Graph().as_default(), session(OURS) as s:
        with on("ps"):
            x = v1.placeholder(tf.float32, [None])
            v = v1.Variable(1.0, name="called")
            y, add = x * v, v1.assign_add(v, 1.0)
        s.run(v.initializer)
        double = s.make_callable([y, add.op], feed_list=[x])
        step = s.make_callable(add)
        np.testing.assert_allclose(double([1.0, 2.0])[0].shape, [2])
        assert step() == 3.0 and step() == 4.0
        np.testing.assert_allclose(s.make_callable(y, [x])([0.5]), [2.0])
        nothing = s.make_callable(add.op)
        assert nothing() is None
        # The graph may grow afterwards.
        with on("worker"):
            z = y + 1
        np.testing.assert_allclose(s.make_callable(z, [x])([1.0]), [6.0])
        np.testing.assert_allclose(double([1.0])[0].shape, [1])


def low_level_callables():
    """MakeCallable and RunCallable, the calls of their own, and not RunStep."""
    from tensorflow.core.protobuf import config_pb2

    def run(cluster):
        with tf.Graph().as_default(), session(cluster) as s:
            with on("worker"):
                x = v1.placeholder(tf.float32, [None], name="x")
            with on("ps"):
                y = tf.multiply(x, 3.0, name="y")
            options = config_pb2.CallableOptions(feed=["x:0"], fetch=["y:0", "x_sum:0"], target=["y"])
            with on("worker"):
                tf.reduce_sum(y, name="x_sum")
            call = s._make_callable_from_options(options)
            got = [np.asarray(value).tolist() for value in call(np.array([1, 2], np.float32))]
            got += [np.asarray(value).tolist() for value in call(np.array([5], np.float32))]
            try:
                s._make_callable_from_options(config_pb2.CallableOptions(fetch=["nowhere:0"]))()
            except errors.OpError as error:
                got.append(type(error).__name__)
            except TypeError as error:
                got.append(str(error)[:20])
            del call
        return got

    ours, theirs = run(OURS), run(THEIRS)
    assert ours == theirs, (ours, theirs)


def devices():
    def run(cluster, **config):
        with tf.Graph().as_default(), session(cluster, **config) as s:
            # In whatever order.
            return sorted((d.name, d.device_type, d.memory_limit_bytes > 0, d.incarnation != 0) for d in s.list_devices())

    assert run(OURS) == run(THEIRS), (run(OURS), run(THEIRS))
    only = {"device_filters": ["/job:worker/task:0"]}
    assert run(OURS, **only) == run(THEIRS, **only), (run(OURS, **only), run(THEIRS, **only))


def placement_is_soft_if_wanted():
    with tf.Graph().as_default(), session(OURS, allow_soft_placement=True, log_device_placement=True) as s:
        with v1.device("/job:ps/task:0/gpu:3"):
            a = tf.constant(2.0)
        with v1.device("/gpu:0"):
            assert s.run(a * 3) == 6.0
        metadata = v1.RunMetadata()
        s.run(a + 1, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), run_metadata=metadata)
        assert any(stats.device == "/job:ps/replica:0/task:0/device:CPU:0" for stats in metadata.step_stats.dev_stats)


def metadata_of_a_step():
    def run(cluster):
        with tf.Graph().as_default(), session(cluster) as s:
            with on("ps"):
                v = v1.Variable(np.ones([4, 4], np.float32), name="weights")
            with on("worker"):
                x = v1.placeholder(tf.float32, [None, 4], name="x")
                product = tf.matmul(x, v, name="product")
            s.run(v.initializer)
            metadata = v1.RunMetadata()
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
            s.run(product, {x: np.ones([2, 4])}, options=options, run_metadata=metadata)
        return metadata

    ours = run(OURS)
    stats = {node.node_name: (d.device, node) for d in ours.step_stats.dev_stats for node in d.node_stats}
    device, node = stats["product"]
    assert device == "/job:worker/replica:0/task:0/device:CPU:0", device
    assert node.all_start_micros > 1e15 and node.op_end_rel_micros >= 0, node
    assert stats["weights"][0].startswith("/job:ps"), stats["weights"]

    def places(metadata):
        graphs = metadata.partition_graphs
        return {node.name: node.device for graph in graphs for node in graph.node if node.name in ("weights", "product")}

    assert places(ours) == places(run(THEIRS)), places(ours)
    assert {node.op for graph in ours.partition_graphs for node in graph.node} >= {"_Send", "_Recv", "MatMul", "VariableV2"}


def containers():
    """Variables in a container of their own outlive a reset of another one."""
    target = "grpc://" + OURS["ps"][0]
    with tf.Graph().as_default():
        with v1.container("mine"):
            a = v1.Variable(1.0, name="in_mine", use_resource=False)
        with v1.container("yours"):
            b = v1.Variable(2.0, name="in_yours", use_resource=True)
        with v1.Session(target) as s:
            s.run(v1.global_variables_initializer())
        v1.Session.reset(target, ["mine"])
        with v1.Session(target) as s:
            assert s.run(b) == 2.0
            try:
                s.run(a)
                raise AssertionError("the container was not cleared")
            except errors.FailedPreconditionError:
                pass


def many_sessions_at_once():
    """Threads with sessions of their own, and threads that share one."""
    failures = []

    def work(s, x, y, number):
        try:
            for step in range(20):
                np.testing.assert_allclose(s.run(y, {x: [number, step]}), [2 * number, 2 * step])
        except Exception as error:
            failures.append(error)

    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2])
        with on("ps"):
            y = x * 2
        shared = session(OURS)
        own = [v1.Session("grpc://" + OURS["worker"][0], graph=graph) for _ in range(4)]
        threads = [threading.Thread(target=work, args=(s, x, y, i)) for i, s in enumerate([shared] * 6 + own)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for s in [shared, *own]:
            s.close()
    assert not failures, failures[0]


CASES = [
    ("all types", all_types),
    ("quantized types", quantized_types),
    ("strings", strings),
    ("large tensors", large_tensors),
    ("constants", constants),
    ("variables of all types", variables_of_all_types),
    *((f"error: {name}", same_failure(build)) for name, build in FAILURES.items()),
    ("partial runs", partial_runs),
    ("callables", callables),
    ("low level callables", low_level_callables),
    ("devices", devices),
    ("soft placement", placement_is_soft_if_wanted),
    ("metadata of a step", metadata_of_a_step),
    ("containers", containers),
    ("many sessions at once", many_sessions_at_once),
]

if __name__ == "__main__":
    with serving_cluster(BINARY, ps=1, worker=1) as ours, reference_cluster(ps=1, worker=1) as theirs:
        OURS.update(ours)
        THEIRS.update(theirs)
        run_cases("values", CASES, seconds=180)
