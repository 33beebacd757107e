"""Mixed clusters: tasks of the real TensorFlow with ours, either way round, train the documents' MLP with Adam.

usage: mixed.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import concurrent.futures
import contextlib
import json
import os
import sys
import tempfile

import numpy as np

import mnist_replica
from checks import run_cases
from server import free_addresses, reference_servers, start, start_task, tf

v1 = tf.compat.v1
BINARY = sys.argv[1]
STEPS = 30


@contextlib.contextmanager
def our_tasks(cluster, job):
    """Our servers for all tasks of a job."""
    processes = [start_task(BINARY, cluster, job, task) for task in range(len(cluster[job]))]
    try:
        for process in processes:
            line = process.stdout.readline()
            assert " at grpc://" in line, f"our {job} did not start: {line!r}"
        yield
    finally:
        for process in processes:
            process.terminate()
        codes = [process.wait(10) for process in processes]
    assert codes == [0] * len(codes), codes


def train(target, cluster, resource):
    random = np.random.RandomState(1)
    with tf.Graph().as_default():
        spec = tf.train.ClusterSpec(cluster) if cluster else None
        with v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=spec) if cluster else ""):

            def variable(initial, name):
                return v1.Variable(initial, name=name, use_resource=resource)

            x, y_ = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])
            hid_w = variable(v1.truncated_normal([784, 100], stddev=1.0 / 28, seed=1), "hid_w")
            hid_b = variable(tf.zeros([100]), "hid_b")
            sm_w = variable(v1.truncated_normal([100, 10], stddev=0.1, seed=2), "sm_w")
            sm_b = variable(tf.zeros([10]), "sm_b")
            hid = tf.nn.relu(v1.nn.xw_plus_b(x, hid_w, hid_b))
            y = tf.nn.softmax(v1.nn.xw_plus_b(hid, sm_w, sm_b))
            loss = -tf.reduce_sum(y_ * v1.log(tf.clip_by_value(y, 1e-10, 1.0)))
            step = variable(0, "global_step")
            minimize = v1.train.AdamOptimizer(0.01).minimize(loss, global_step=step, var_list=[hid_w, hid_b, sm_w, sm_b])
        with v1.Session(target) as session:
            session.run(v1.global_variables_initializer())
            losses = []
            for _ in range(STEPS):
                feed = {x: random.rand(50, 784), y_: np.eye(10)[random.randint(10, size=50)]}
                losses.append(session.run([loss, minimize], feed)[0])
            assert session.run(step) == STEPS
    return losses


def same_losses(ours, theirs, resource):
    """One worker gets the losses of a local session."""

    def check():
        expected = train("", None, resource)
        cluster = free_addresses({"ps": 1, "worker": 1})
        with our_tasks(cluster, ours), reference_servers(cluster, theirs):
            got = train("grpc://" + cluster["worker"][0], cluster, resource)
        np.testing.assert_allclose(got, expected, rtol=2e-3)
        return f"last loss {got[-1]:.4f}"

    return check


def moving_averages(ours, theirs):
    """The averages follow the updated variables, though the client reads them by nodes that come before the update."""

    def averages(target, cluster):
        with tf.Graph().as_default():
            with v1.device("/job:ps/task:0" if cluster else ""):
                w = v1.Variable([1.0, -2.0], name="w", use_resource=False)
            with v1.device("/job:worker/task:0" if cluster else ""):
                step = v1.Variable(0, name="step", trainable=False, use_resource=False)
                loss = tf.reduce_sum((w - [3.0, 4.0]) ** 2)
                train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
            # The averages are computed where the variable is; the step in between is counted elsewhere.
            with v1.device("/job:ps/task:0" if cluster else ""):
                with v1.control_dependencies([train]):
                    average = v1.train.ExponentialMovingAverage(0.5)
                    follow = average.apply([w])
            with v1.Session(target) as session:
                session.run(v1.global_variables_initializer())
                values = []
                for _ in range(10):
                    session.run(follow)
                    values.append(session.run(average.average(w)))
        return values

    def check():
        cluster = free_addresses({"ps": 1, "worker": 1})
        with our_tasks(cluster, ours), reference_servers(cluster, theirs):
            got = averages("grpc://" + cluster["worker"][0], cluster)
        np.testing.assert_allclose(got, averages("", None), rtol=1e-5)

    return check


def their_workers(*flags):
    """The documents' script: a TensorFlow server inside of each worker's process, here with a parameter server of ours."""

    def check():
        cluster = free_addresses({"ps": 1, "worker": 2})
        with our_tasks(cluster, "ps"), tempfile.TemporaryDirectory() as folder:
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mnist_replica.py")
            command = [sys.executable, script, "--folder", folder, "--train_steps", "150", "--tokens", "0", *flags]
            command += ["--ps_hosts", ",".join(cluster["ps"]), "--worker_hosts", ",".join(cluster["worker"])]
            workers = [start([*command, "--task_index", str(task)]) for task in range(2)]
            answers = [json.loads(worker.communicate(timeout=90)[0]) for worker in workers]
        accuracies = [answer["accuracy"] for answer in answers]
        assert min(accuracies) >= 0.9, accuracies
        return f"accuracy {accuracies[0]:.3f} after {answers[0]['global_step']} steps"

    return check


def our_workers(**options):
    """Two workers of ours with a parameter server of TensorFlow's."""

    def check():
        cluster = free_addresses({"ps": 1, "worker": 2})
        with our_tasks(cluster, "worker"), reference_servers(cluster, "ps"), tempfile.TemporaryDirectory() as folder:
            settings = [mnist_replica.Settings(cluster, folder, task=task, steps=150, **options) for task in range(2)]
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                outcomes = list(pool.map(mnist_replica.train, settings))
        accuracies = [outcome.accuracy for outcome in outcomes]
        assert min(accuracies) >= 0.9, accuracies
        return f"accuracy {accuracies[0]:.3f} after {outcomes[0].values['global_step']} steps"

    return check


CASES = [
    (f"same losses, our {ours}, TensorFlow's {theirs}, {'resource' if resource else 'ref'}", same_losses(ours, theirs, resource))
    for resource in (False, True)
    for ours, theirs in (("ps", "worker"), ("worker", "ps"))
] + [
    ("moving averages, our ps", moving_averages("ps", "worker")),
    ("moving averages, our worker", moving_averages("worker", "ps")),
    ("TensorFlow's workers, async, ref", their_workers()),
    ("TensorFlow's workers, sync 2 of 2, ref", their_workers("--sync_replicas")),
    ("TensorFlow's workers, sync 2 of 2, resource", their_workers("--sync_replicas", "--resource", "--monitored")),
    ("our workers, async, resource", our_workers(resource=True, monitored=True)),
    ("our workers, sync 2 of 2, ref", our_workers(sync=2, tokens=0)),
    ("our workers, sync 2 of 2, resource", our_workers(sync=2, tokens=0, resource=True)),
]

if __name__ == "__main__":
    run_cases("mixed", CASES, seconds=280)
