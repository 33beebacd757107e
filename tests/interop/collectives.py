"""Collective ops in groups with tasks of TensorFlow and of ours: all members get what a group of TensorFlow's tasks gets, to the
last bit, whoever leads the group and whoever runs the steps; errors and deaths end all members.

usage: collectives.py BINARY
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np

from server import STARTED, free_addresses, start, start_task, tf
from tensorflow.python.framework import errors_impl as errors
from tensorflow.python.ops import collective_ops

v1 = tf.compat.v1
# How long a step may take that cannot succeed.
LIMIT = 20
TYPES = [np.float32, np.float64, np.float16, np.int32, np.int64]


def serve(clusters):
    """TensorFlow's servers for tasks of several clusters: lists of a cluster and the numbers of the workers."""
    leader = "/job:worker/replica:0/task:0"
    config = v1.ConfigProto(experimental=v1.ConfigProto.Experimental(collective_group_leader=leader))
    servers = [
        tf.distribute.Server(cluster, job_name="worker", task_index=task, config=config)
        for cluster, tasks in clusters
        for task in tasks
    ]
    print("serving", flush=True)
    sys.stdin.read()
    del servers
    os._exit(0)


@contextlib.contextmanager
def workers(binary, *kinds):
    """A cluster for each word of `kinds`, with a worker for each letter: `t` is TensorFlow's, `o` one of ours. Gives the
    clusters, TensorFlow's process and ours by cluster and number."""
    for _ in range(5):
        addresses = free_addresses({number: len(kind) for number, kind in enumerate(kinds)})
        clusters = [{"worker": of} for of in addresses.values()]
        theirs = [(cluster, [i for i, letter in enumerate(kind) if letter == "t"]) for cluster, kind in zip(clusters, kinds)]
        command = [sys.executable, os.path.abspath(__file__), "--serve", json.dumps(theirs)]
        reference, ours = start(command, stdin=subprocess.PIPE), {}
        try:
            for number, (cluster, kind) in enumerate(zip(clusters, kinds)):
                for task in (task for task, letter in enumerate(kind) if letter == "o"):
                    ours[number, task] = start_task(binary, cluster, "worker", task)
            serving = [" at grpc://" in process.stdout.readline() for process in ours.values()]
            if not all(serving) or reference.stdout.readline().strip() != "serving":
                # Somebody else took a port in between.
                continue
            yield clusters, reference, ours
            return
        finally:
            for process in [reference, *ours.values()]:
                process.kill()
                process.wait(10)
    raise RuntimeError("no free ports for the clusters")


def exchanges(task, count, number):
    """One execution of every collective on a worker: inputs differ from worker to worker, in ways that rounding shows."""
    results, instance = [], 100 * number

    def value(shape, dtype):
        random = np.random.RandomState(7 * task + len(results))
        return tf.constant((random.standard_normal(shape) * 10).astype(dtype))

    def add(make):
        nonlocal instance
        instance += 1
        results.append(make({"group_size": count, "group_key": 1, "instance_key": instance}))

    with v1.device(f"/job:worker/task:{task}/device:CPU:0"):
        for dtype in TYPES:
            add(lambda keys: collective_ops.all_reduce(value([5], dtype), merge_op="Add", final_op="Div", **keys))
        for shape in [[], [1], [32], [3, 111], [100_001]]:
            add(lambda keys: collective_ops.all_reduce(value(shape, np.float32), merge_op="Add", final_op="Id", **keys))
        for merge in ["Mul", "Max", "Min"]:
            add(lambda keys: collective_ops.all_reduce(value([40], np.float32), merge_op=merge, final_op="Id", **keys))
        add(lambda keys: collective_ops.all_reduce(value([64], np.float32), merge_op="Add", final_op="Id", subdiv_offsets=(0, 0), **keys))
        add(lambda keys: collective_ops.all_reduce_v2(value([300], np.float32), merge_op="Add", final_op="Div", **keys))
        for dtype in [np.float32, np.int64]:
            add(lambda keys: collective_ops.all_gather(value([2, 3], dtype), **keys))
        add(lambda keys: collective_ops.all_gather_v2(value([7], np.float64), **keys))
        for source in range(count):
            if task == source:
                add(lambda keys: collective_ops.broadcast_send(value([4, 2], np.float32), [4, 2], tf.float32, **keys))
                add(lambda keys: collective_ops.broadcast_send_v2(value([9], np.int32), **keys))
            else:
                add(lambda keys: collective_ops.broadcast_recv([4, 2], tf.float32, **keys))
                add(lambda keys: collective_ops.broadcast_recv_v2([9], tf.int32, **keys))
        add(lambda keys: collective_ops.all_to_all_v2(value([count, 3], np.float32), **keys))
    return results


def session(cluster, task):
    return v1.Session(f"grpc://{cluster['worker'][task]}", config=v1.ConfigProto(operation_timeout_in_ms=1000 * LIMIT))


def apart(cluster, count, build, steps=1):
    """Runs a graph for each worker in a session of its own, all at once; gives values or errors by worker."""
    outcomes = [None] * count

    def member(task):
        with tf.Graph().as_default():
            fetches = build(task)
            with session(cluster, task) as one:
                try:
                    outcomes[task] = [one.run(fetches) for _ in range(steps)]
                except errors.OpError as error:
                    outcomes[task] = error

    threads = [threading.Thread(target=member, args=(task,)) for task in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def together(cluster, count, build, master):
    """Runs the graph of all workers in one session."""
    with tf.Graph().as_default():
        fetches = [build(task) for task in range(count)]
        with session(cluster, master) as one:
            return one.run(fetches)


def same(outcomes, expected, what):
    for task, (values, wanted) in enumerate(zip(outcomes, expected)):
        assert not isinstance(values, Exception), f"{what}, worker {task}: {values}"
        for index, (value, right) in enumerate(zip(values, wanted)):
            assert value.dtype == right.dtype and value.tobytes() == right.tobytes(), f"{what}, worker {task}, exchange {index}: {value} and {right}"


def values(clusters, kinds):
    """Every exchange, in sessions of one member and of all, compared with TensorFlow's tasks alone."""
    expected = {}
    for cluster, kind in zip(clusters, kinds):
        count = len(kind)
        build = lambda task, number=1: exchanges(task, count, number)  # noqa: E731
        if "o" not in kind:
            expected[count] = [one[0] for one in apart(cluster, count, build)]
            continue
        begun = time.time()
        for step, outcomes in enumerate(zip(*[one if isinstance(one, list) else [one] * 2 for one in apart(cluster, count, build, 2)])):
            same(outcomes, expected[count], f"{kind} apart, step {step}")
        for master in range(count):
            outcomes = together(cluster, count, lambda task: exchanges(task, count, 2 + master), master)
            same(outcomes, expected[count], f"{kind} together at {master}")
        print(f"{kind}: {len(expected[count][0])} exchanges, twice apart and {count} times together ({time.time() - begun:.1f} s)", flush=True)


def wrong(clusters, kinds):
    """Members that do not agree all end with an error."""
    def build(length, dtype=np.float32):
        def one(task):
            with v1.device(f"/job:worker/task:{task}/device:CPU:0"):
                value = tf.constant(np.ones(length(task), dtype if task == 0 else np.float32))
                return [collective_ops.all_reduce(value, 2, 1, 1, "Add", "Id")]
        return one

    for cluster, kind, (what, build) in zip(clusters, kinds, 2 * [("shapes", build(lambda task: 4 if task == 0 else 400)), ("types", build(lambda task: 4, np.int32))]):
        begun = time.time()
        outcomes = apart(cluster, 2, build)
        assert all(isinstance(one, errors.OpError) for one in outcomes), f"{kind}, {what} that differ: {outcomes}"
        codes = [type(one).__name__ for one in outcomes]
        assert time.time() - begun < LIMIT - 5 and "DeadlineExceededError" not in codes, f"{kind}, {what}: {outcomes}"
        print(f"{kind}: {what} that differ end both, with {codes}", flush=True)


def reduction(task, length):
    with v1.device(f"/job:worker/task:{task}/device:CPU:0"):
        return [collective_ops.all_reduce(tf.ones([length]), 2, 1, length, "Add", "Id")]


def waits_for(cluster, task, die):
    """What a member gets whose partner dies while it waits."""
    met = apart(cluster, 2, lambda one: reduction(one, 10))
    same([one[0] if isinstance(one, list) else one for one in met], 2 * [[2 * np.ones(10, np.float32)]], "before a death")
    outcome = []

    def wait():
        with tf.Graph().as_default():
            fetches = reduction(task, 20)
            with session(cluster, task) as one:
                try:
                    outcome.append(one.run(fetches))
                except errors.OpError as error:
                    outcome.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    # Long enough to be in the middle of it; a death before would do as well.
    time.sleep(0.5)
    die()
    begun = time.time()
    waiting.join()
    assert isinstance(outcome[0], errors.OpError), outcome
    assert time.time() - begun < LIMIT - 5, f"the survivor waited: {outcome}"
    return type(outcome[0]).__name__


def deaths(binary):
    """A member that dies ends the other."""
    kinds = ["to", "ot"]
    with workers(binary, *kinds, *kinds) as (clusters, reference, ours):
        for number, (cluster, kind) in enumerate(zip(clusters, kinds)):
            code = waits_for(cluster, kind.index("t"), ours[number, kind.index("o")].kill)
            print(f"{kind}: ours dies, TensorFlow's ends with {code}", flush=True)
        # Both have met before TensorFlow's process dies, which is one for all.
        cluster, kind = clusters[2], kinds[0]
        met = apart(clusters[3], 2, lambda one: reduction(one, 10))
        assert all(isinstance(one, list) for one in met), met
        code = waits_for(cluster, kind.index("o"), reference.kill)
        assert code in ["UnavailableError", "AbortedError"], code
        print(f"{kind}: TensorFlow's dies, ours ends with {code}", flush=True)
        begun = time.time()
        outcome = apart(clusters[3], 1, lambda one: reduction(one, 30))[0]
        assert isinstance(outcome, errors.OpError) and time.time() - begun < LIMIT - 5, outcome
        print(f"{kinds[1]}: TensorFlow's is dead, ours ends with {type(outcome).__name__}", flush=True)


def main(binary):
    kinds = ["tt", "ttt", "to", "ot", "oto", "tot"]
    bad = ["to", "to", "ot", "ot"]
    with workers(binary, *kinds, *bad) as (clusters, _, _):
        values(clusters, kinds)
        wrong(clusters[len(kinds):], bad)
    deaths(binary)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(json.loads(sys.argv[2]))
    threading.Timer(100, lambda: ([process.kill() for process in STARTED], os._exit(1))).start()
    main(sys.argv[1])
    os._exit(0)
