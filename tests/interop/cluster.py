"""TensorFlow's client trains on a cluster of our servers, one process a task, and gets the losses of a local session.

usage: cluster.py PATH_OF_TENSORFLEET_BINARY
"""

import json
import subprocess
import sys

import numpy as np

from checks import run_cases
from server import serving_cluster, tf

v1 = tf.compat.v1
STEPS = 20


def build(cluster, resource):
    """Softmax with Adagrad; variables on the parameter servers, the work on the first worker, a sum on the second."""
    if cluster:
        setter = v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=tf.train.ClusterSpec(cluster))
    else:
        setter = ""
    with v1.device(setter):
        x, y_ = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])
        w = v1.Variable(tf.zeros([784, 10]), name="w", use_resource=resource)
        b = v1.Variable(tf.zeros([10]), name="b", use_resource=resource)
        loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=tf.matmul(x, w) + b))
        step = v1.Variable(0, name="global_step", trainable=False, use_resource=resource)
        train = v1.train.AdagradOptimizer(0.01).minimize(loss, global_step=step)
    with v1.device("/job:worker/task:1" if cluster else ""):
        total = tf.reduce_sum(w)
    return x, y_, loss, train, step, total


def losses(target, cluster, resource):
    random = np.random.RandomState(0)
    with tf.Graph().as_default():
        x, y_, loss, train, step, total = build(cluster, resource)
        with v1.Session(target) as session:
            session.run(v1.global_variables_initializer())
            values = []
            for _ in range(STEPS):
                labels = np.eye(10, dtype=np.float32)[random.randint(10, size=32)]
                feed = {x: random.rand(32, 784).astype(np.float32), y_: labels}
                values.append(session.run([loss, train], feed)[0])
            values.append(session.run(total))
            assert session.run(step) == STEPS
            if cluster:
                check_session(session, feed, train, cluster)
        if cluster:
            check_sharing(cluster, resource)
    return values


def check_session(session, feed, train, cluster):
    names = sorted(device.name for device in session.list_devices())
    wanted = [f"/job:{job}/replica:0/task:{task}/device:CPU:0" for job in cluster for task in range(len(cluster[job]))]
    assert names == sorted(wanted), names
    metadata = v1.RunMetadata()
    session.run(train, feed, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), run_metadata=metadata)
    devices = {stats.device for stats in metadata.step_stats.dev_stats}
    assert "/job:ps/replica:0/task:0/device:CPU:0" in devices and len(devices) >= 2, devices


def check_sharing(cluster, resource):
    """Another client, of another task, finds the same variables; an isolated one does not; a reset ends them."""
    target = "grpc://" + cluster["worker"][1]
    with tf.Graph().as_default():
        *_, step, _ = build(cluster, resource)
        with v1.Session(target) as session:
            assert session.run(step) == STEPS + 1
        with v1.Session(target, config=v1.ConfigProto(isolate_session_state=True)) as session:
            expect_uninitialized(session, step)
        v1.Session.reset(target)
        v1.Session.reset("grpc://" + cluster["ps"][0], ["ps"])
        with v1.Session(target) as session:
            expect_uninitialized(session, step)


def expect_uninitialized(session, tensor):
    try:
        session.run(tensor)
    except tf.errors.FailedPreconditionError:
        return
    raise AssertionError("the variable has a value")


def same_losses(binary, resource):
    expected = losses("", None, resource)
    with serving_cluster(binary, ps=2, worker=2) as cluster:
        got = losses("grpc://" + cluster["worker"][0], cluster, resource)
    np.testing.assert_allclose(got, expected, rtol=2e-4, atol=1e-5)


def unfed_step(binary):
    """`why` names the client that has not brought a feed of a step which it runs in several calls."""
    with serving_cluster(binary, ps=1, worker=1) as cluster, tf.Graph().as_default():
        a, b = v1.placeholder(tf.float32, [], name="a"), v1.placeholder(tf.float32, [], name="b")
        with v1.device("/job:ps/task:0"):
            first = a + 1.0
        with v1.device("/job:worker/task:0"):
            second = first * b
        why = [binary, "why", "--longer_than=0", "--json", "--cluster", json.dumps(cluster)]
        with v1.Session("grpc://" + cluster["worker"][0]) as session:
            handle = session.partial_run_setup([first, second], [a, b])
            assert session.partial_run(handle, first, {a: 1.0}) == 2.0
            said = json.loads(subprocess.run(why, capture_output=True, text=True, timeout=60).stdout)
            culprits = [culprit for step in said["stuck"] for culprit in step["culprits"]]
            assert culprits == ["the client should feed 'b:0': it runs this step in several calls, and the next has not come"], said
            assert session.partial_run(handle, second, {b: 3.0}) == 6.0


CASES = [
    ("ref variables", lambda: same_losses(sys.argv[1], False)),
    ("resource variables", lambda: same_losses(sys.argv[1], True)),
    ("a step that waits for its client", lambda: unfed_step(sys.argv[1])),
]

if __name__ == "__main__":
    run_cases("cluster", CASES, seconds=120)
