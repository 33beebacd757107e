"""The real TensorFlow client, which knows neither TLS nor tokens, trains on secured clusters through `tensorfleet connect`.

usage: secured.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from checks import run_cases
from server import free_addresses, start, start_task, tf

v1 = tf.compat.v1
BINARY = sys.argv[1]


@contextlib.contextmanager
def secured(flags_of):
    """Runs a ps and a worker with the flags that `flags_of(name)` gives; gives the worker's address."""
    for _ in range(5):
        cluster = free_addresses({"ps": 1, "worker": 1})
        processes = [start_task(BINARY, cluster, job, 0, *flags_of(f"{job}-0")) for job in ("ps", "worker")]
        try:
            # Somebody else may have taken a port in between.
            if all(" at grpc://" in process.stdout.readline() for process in processes):
                yield cluster["worker"][0]
                return
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(10)
    raise RuntimeError("no free ports")


@contextlib.contextmanager
def connected(address, flags):
    """Runs `tensorfleet connect`; gives the target that it opens."""
    process = start([BINARY, "connect", "--target", f"grpc://{address}", *flags])
    try:
        line = process.stdout.readline()
        assert line.startswith("Connected: grpc://localhost:"), (line, process.poll())
        yield line.split()[1]
    finally:
        process.terminate()
        process.wait(10)


def train(target):
    """A linear model: its variables on the ps, its arithmetic on the worker."""
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = v1.get_variable("w", [2, 1], initializer=v1.zeros_initializer())
            step = v1.train.get_or_create_global_step()
        with tf.device("/job:worker/task:0"):
            x = v1.placeholder(tf.float32, [None, 2])
            y = v1.placeholder(tf.float32, [None, 1])
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
            update = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
        random = np.random.RandomState(1)
        inputs = random.normal(size=[64, 2]).astype(np.float32)
        labels = inputs @ np.array([[2.0], [-3.0]], np.float32)
        with v1.Session(target) as session:
            session.run(v1.global_variables_initializer())
            for _ in range(100):
                session.run(update, {x: inputs, y: labels})
            np.testing.assert_allclose(session.run(w), [[2.0], [-3.0]], atol=1e-3)
            assert session.run(step) == 100


def refused(address):
    """The client comes as it is, and is told."""
    try:
        with tf.Graph().as_default(), v1.Session(f"grpc://{address}") as session:
            session.run(tf.constant(1))
    except tf.errors.UnauthenticatedError as error:
        return error.message
    raise AssertionError("a stranger came in")


def with_a_token():
    folder = tempfile.mkdtemp(prefix="secured-")
    try:
        path = os.path.join(folder, "token")
        with open(path, "w", encoding="ascii") as file:
            file.write("a token of two dozen characters")
        os.chmod(path, 0o600)
        flags = ["--token_file", path]
        with secured(lambda _: flags) as address, connected(address, flags) as target:
            assert "set TENSORFLEET_TOKEN" in refused(address)
            train(target)
    finally:
        shutil.rmtree(folder)


def with_certificates():
    folder = tempfile.mkdtemp(prefix="secured-")
    try:
        spec = json.dumps({"ps": ["localhost:1"], "worker": ["localhost:2"]})
        subprocess.run([BINARY, "certs", "new", "--cluster", spec, "--out", folder], check=True, timeout=60, stdout=subprocess.DEVNULL)

        def flags(name):
            files = {"--tls_cert": f"{name}.pem", "--tls_key": f"{name}.key", "--tls_ca": "ca.pem"}
            return [part for flag, file in files.items() for part in (flag, os.path.join(folder, file))]

        with secured(flags) as address, connected(address, flags("client")) as target:
            assert "TLS" in refused(address)
            train(target)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    cases = [("a token", with_a_token), ("certificates", with_certificates)]
    run_cases("secured", cases, seconds=90, wanted=sys.argv[2:])
