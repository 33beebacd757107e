"""The words by which programs know errors, and how what is not there is refused, as TensorFlow's client sees them.

usage: phrases.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import sys
import tempfile

import grpc
import numpy as np

from checks import run_cases
from server import serving, tf

v1 = tf.compat.v1
errors = tf.errors
TARGET = []


def fails(error, phrase, fetch, feeds=None, before=()):
    """Running `fetch` fails with this error, whose message has the phrase."""
    with v1.Session(TARGET[0], config=v1.ConfigProto(operation_timeout_in_ms=30_000)) as session:
        for step in before:
            session.run(step)
        try:
            session.run(fetch, feeds)
        except error as found:
            assert phrase in found.message, f"'{phrase}' is not in: {found.message}"
        else:
            raise AssertionError(f"no {error.__name__}")


def uninitialized():
    w = v1.get_variable("w", [2], use_resource=False)
    fails(errors.FailedPreconditionError, "Attempting to use uninitialized value w", w)


def unfed():
    fails(errors.InvalidArgumentError, "You must feed a value for placeholder tensor 'ph' with dtype float and shape [2]",
          v1.placeholder(tf.float32, [2], name="ph") + 1)


def unfed_of_any_shape():
    fails(errors.InvalidArgumentError, "You must feed a value for placeholder tensor 'ph' with dtype float",
          v1.placeholder(tf.float32, name="ph") + 1)


def assigned_another_shape():
    w = v1.get_variable("w", [2], use_resource=False, validate_shape=True)
    value = v1.placeholder(tf.float32)
    fails(errors.InvalidArgumentError, "Assign requires shapes of both tensors to match.",
          tf.raw_ops.Assign(ref=w._ref(), value=value), {value: [1.0, 2.0, 3.0]})


def counted_to_the_limit():
    w = v1.get_variable("counter", [], tf.int32, use_resource=False, initializer=v1.zeros_initializer())
    count = tf.raw_ops.CountUpTo(ref=w._ref(), limit=2)
    fails(errors.OutOfRangeError, "Reached limit of 2", count, before=[w.initializer, count, count])


def closed_queue():
    queue = tf.queue.FIFOQueue(3, tf.int32, [[]], shared_name="q", name="q")
    fails(errors.OutOfRangeError, "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)",
          queue.dequeue(), before=[queue.close()])


def key_not_in_checkpoint():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/model"
        save = tf.raw_ops.SaveV2(prefix=path, tensor_names=["a"], shape_and_slices=[""], tensors=[tf.constant(1.0)])
        fails(errors.NotFoundError, "Key b not found in checkpoint",
              tf.raw_ops.RestoreV2(prefix=path, tensor_names=["b"], shape_and_slices=[""], dtypes=[tf.float32]), before=[save])


def index_out_of_range():
    indices = v1.placeholder(tf.int32, [1])
    fails(errors.InvalidArgumentError, "indices[0] = 7 is not in [0, 3)", tf.gather([1.0, 2.0, 3.0], indices), {indices: [7]})


def container_that_is_not_there():
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], container="nowhere", shared_name="w")
    fails(errors.NotFoundError, "Container nowhere does not exist", tf.raw_ops.DestroyResourceOp(resource=handle, ignore_lookup_error=False))


def resource_that_is_not_there():
    w = v1.get_variable("w", [2], use_resource=True)
    fails(errors.FailedPreconditionError, "Could not find variable w", w.read_value())


def not_a_number():
    x = v1.placeholder(tf.float32, [2])
    fails(errors.InvalidArgumentError, "Checking b : Tensor had NaN values", v1.check_numerics(x, "Checking b"), {x: [1.0, np.nan]})
    fails(errors.InvalidArgumentError, "Checking c : Tensor had Inf values", v1.check_numerics(x, "Checking c"), {x: [1.0, np.inf]})


def failed_assertion():
    x = v1.placeholder(tf.float32, [])
    fails(errors.InvalidArgumentError, "assertion failed: [x must be small]", v1.Assert(x < 1, ["x must be small", x]), {x: 2.0})


def session_that_is_gone():
    channel = grpc.insecure_channel(TARGET[0].replace("grpc://", ""), options=[("grpc.enable_http_proxy", 0)])
    run = channel.unary_unary("/tensorflow.MasterService/RunStep", request_serializer=bytes, response_deserializer=bytes)
    try:
        # Field 1 is the session, field 3 a fetch.
        run(b"\x0a\x04gone\x1a\x03a:0", timeout=20)
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.ABORTED and "Session gone is not found." in error.details(), error.details()
    else:
        raise AssertionError("no error")


def strange(x):
    """An op that TensorFlow has and we do not."""
    return tf.raw_ops.KMC2ChainInitialization(distances=x, seed=1)


def op_that_is_not_there():
    x = tf.constant([1.0, 2.0], name="x")
    y = strange(x)
    fails(errors.NotFoundError, "Op type not registered 'KMC2ChainInitialization' in tensorfleet", tf.cast(y, tf.float32) + x)
    # The rest of the graph runs.
    with v1.Session(TARGET[0]) as session:
        np.testing.assert_allclose(session.run(x * 2), [2.0, 4.0])


def older_version():
    data = v1.data.Dataset.range(3)._variant_tensor
    fails(errors.NotFoundError, "DatasetCardinality instead of ExperimentalDatasetCardinality works", tf.raw_ops.ExperimentalDatasetCardinality(input_dataset=data))


def op_in_a_function():
    call = tf.function(lambda x: (strange(x), x * 3), autograph=False)
    first, second = call(tf.constant([1.0, 2.0]))
    fails(errors.NotFoundError, "Op type not registered 'KMC2ChainInitialization' in tensorfleet", first)


def op_in_a_branch():
    x = v1.placeholder(tf.bool, [])
    call = tf.function(lambda p: tf.cond(p, lambda: strange(tf.constant([1.0, 2.0])), lambda: np.int64(7)), autograph=False)
    fails((errors.NotFoundError, errors.UnimplementedError), "KMC2ChainInitialization", call(x), {x: True})


def op_in_a_dataset():
    data = v1.data.Dataset.range(3).map(lambda x: strange(tf.cast([x, x], tf.float32)))
    iterator = v1.data.make_initializable_iterator(data)
    fails(errors.NotFoundError, "Op type not registered 'KMC2ChainInitialization'", iterator.initializer)


def type_without_a_kernel():
    small = v1.placeholder(tf.int8, [2])
    fails(errors.NotFoundError, "No registered 'Cumsum' OpKernel for CPU devices",
          tf.raw_ops.Cumsum(x=tf.bitcast(small, tf.qint8), axis=0), {small: np.int8([1, 2])})


CASES = [
    ("uninitialized variable", uninitialized),
    ("placeholder of known shape", unfed),
    ("placeholder of any shape", unfed_of_any_shape),
    ("assign of another shape", assigned_another_shape),
    ("limit of a counter", counted_to_the_limit),
    ("closed queue", closed_queue),
    ("key not in checkpoint", key_not_in_checkpoint),
    ("index out of range", index_out_of_range),
    ("container that is not there", container_that_is_not_there),
    ("resource that is not there", resource_that_is_not_there),
    ("not a number", not_a_number),
    ("failed assertion", failed_assertion),
    ("session that is gone", session_that_is_gone),
    ("op that is not there", op_that_is_not_there),
    ("older version of an op", older_version),
    ("op in a function", op_in_a_function),
    ("op in a branch", op_in_a_branch),
    ("op in a dataset", op_in_a_dataset),
    ("type without a kernel", type_without_a_kernel),
]


def alone(case):
    def run():
        with tf.Graph().as_default():
            case()

    return run


if __name__ == "__main__":
    with serving(sys.argv[1]) as target:
        TARGET.append(target)
        run_cases("phrases", [(name, alone(case)) for name, case in CASES], seconds=120)
