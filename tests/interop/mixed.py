"""Mixed clusters: a task of the real TensorFlow with one of ours, either way round, trains the documents' MLP with Adam.

usage: mixed.py PATH_OF_TENSORFLEET_BINARY
"""

import contextlib
import os
import sys

import numpy as np

from server import free_addresses, start_task, tf

v1 = tf.compat.v1
STEPS = 30


@contextlib.contextmanager
def mixed(binary, ours, theirs):
    """A ps and a worker, one of them our process and the other a TensorFlow server in this one; gives the cluster."""
    cluster = free_addresses({"ps": 1, "worker": 1})
    process = start_task(binary, cluster, ours, 0)
    try:
        line = process.stdout.readline()
        assert " at grpc://" in line, f"our {ours} did not start: {line!r}"
        server = tf.distribute.Server(cluster, job_name=theirs, task_index=0)
        yield cluster
        del server
    finally:
        process.terminate()
        process.wait(10)


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


def main(binary):
    for resource in (False, True):
        expected = train("", None, resource)
        for ours, theirs in (("ps", "worker"), ("worker", "ps")):
            with mixed(binary, ours, theirs) as cluster:
                got = train("grpc://" + cluster["worker"][0], cluster, resource)
            np.testing.assert_allclose(got, expected, rtol=2e-3)
            print(f"our {ours} with TensorFlow's {theirs}, {'resource' if resource else 'ref'} variables: loss {got[-1]:.4f}")
    print("mixed: 4 passed, 0 failed", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    # TensorFlow's servers cannot be stopped, so the interpreter would not end by itself.
    os._exit(0)
