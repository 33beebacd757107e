"""Loops and conditions that span tasks give what they give in one process of TensorFlow.

usage: loops.py PATH_OF_TENSORFLEET_BINARY
"""

import functools
import sys

import numpy as np

from checks import run_cases
from server import serving_cluster, tf

v1 = tf.compat.v1
PS, WORKER, OTHER = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"


def counting(device):
    """The condition on one task, the body on two others."""
    with device(WORKER):
        start = tf.constant(0), tf.constant(1.0)

        def body(i, x):
            with device(PS):
                x = x * 1.5
            with device(OTHER):
                x = x + tf.cast(i, tf.float32)
            return i + 1, x

        return v1.while_loop(lambda i, x: i < 10, body, start, back_prop=False)


def condition_elsewhere(device):
    """What is looped over lives on the ps, the condition on a worker."""
    with device(PS):
        def less(i, x):
            with device(WORKER):
                return tf.reduce_sum(x) < 100.0

        def body(i, x):
            with device(OTHER):
                grown = x * 2.0
            return i + 1, grown

        return v1.while_loop(less, body, (tf.constant(0), tf.constant([1.0, 2.0])), back_prop=False)


def nested(device):
    """A loop in a loop, the inner one on another task."""
    with device(WORKER):
        def inner(j, x):
            with device(PS):
                return j + 1, x + 1.0

        def outer(i, x):
            _, x = v1.while_loop(lambda j, x: j < i, inner, (tf.constant(0), x), back_prop=False)
            with device(OTHER):
                x = x * 2.0
            return i + 1, x

        return v1.while_loop(lambda i, x: i < 5, outer, (tf.constant(0), tf.constant(1.0)), back_prop=False)


def never_entered(device):
    with device(WORKER):
        def body(i):
            with device(PS):
                return i + 1

        return [v1.while_loop(lambda i: i < 0, body, [tf.constant(7)], back_prop=False)]


def condition_in_a_loop(device):
    with device(WORKER):
        def body(i, x):
            def yes():
                with device(PS):
                    return x + 10.0

            def no():
                with device(OTHER):
                    return x * 3.0

            return i + 1, v1.cond(tf.equal(i % 2, 0), yes, no)

        return v1.while_loop(lambda i, x: i < 6, body, (tf.constant(0), tf.constant(1.0)), back_prop=False)


def gradient(device):
    """The gradient of a loop that spans tasks: stacks on each of them."""
    with device(WORKER):
        x = tf.constant([1.0, 2.0])

        def body(i, y):
            with device(PS):
                y = y * x
            return i + 1, tf.sin(y) + y

        _, y = v1.while_loop(lambda i, y: i < 4, body, (tf.constant(0), x))
        return [y] + v1.gradients(y, x)


def branches(device):
    """A condition whose branches are on two tasks, both ways."""
    results = []
    for choice in (True, False):
        with device(WORKER):
            x = tf.constant(3.0)

            def yes():
                with device(PS):
                    return x * 10.0

            def no():
                with device(OTHER):
                    return x - 1.0

            results.append(v1.cond(tf.constant(choice), yes, no))
    return results


PROGRAMS = [counting, condition_elsewhere, nested, never_entered, condition_in_a_loop, gradient, branches]


def run(program, target, cluster):
    with tf.Graph().as_default():
        values = program(tf.device if cluster else lambda _: tf.device(""))
        config = v1.ConfigProto(operation_timeout_in_ms=20000)
        with v1.Session(target, config=config) as session:
            return [session.run(list(values)) for _ in range(3)]


def same(program, cluster):
    expected, got = run(program, "", False), run(program, "grpc://" + cluster["worker"][0], True)
    for one, other in zip(expected, got):
        for left, right in zip(one, other):
            np.testing.assert_allclose(right, left, rtol=1e-5)
    return got[0]


if __name__ == "__main__":
    v1.disable_control_flow_v2()
    with serving_cluster(sys.argv[1], ps=1, worker=2) as tasks:
        cases = [(program.__name__, functools.partial(same, program, tasks)) for program in PROGRAMS]
        run_cases("loops", cases, seconds=120)
