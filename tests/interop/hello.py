"""The seed documents' hello world: the real TensorFlow client asks our server for a constant, and our client
asks both our server and TensorFlow's.

usage: hello.py PATH_OF_TENSORFLEET_BINARY [PATH_OF_OUR_HELLO_CLIENT]
"""

import subprocess
import sys

import numpy as np

from checks import run_cases
from server import reference_cluster, serving, tf


def main(binary, client=None):
    with serving(binary) as target:
        with tf.Graph().as_default(), tf.compat.v1.Session(target) as session:
            greeting = session.run(tf.constant("Hello, distributed TensorFlow!"))
            assert greeting == b"Hello, distributed TensorFlow!", greeting
            print(greeting.decode())

        # A graph that grows while the session is open, with a value fed and one computed.
        with tf.Graph().as_default(), tf.compat.v1.Session(target) as session:
            x = tf.compat.v1.placeholder(tf.float32, [None, 2])
            y = tf.matmul(x, tf.constant([[1.0], [2.0]]))
            np.testing.assert_allclose(session.run(y, {x: [[1.0, 1.0], [2.0, 3.0]]}), [[3.0], [8.0]])
            z = tf.identity(y)
            np.testing.assert_allclose(session.run(z, {x: [[5.0, 0.0]]}), [[5.0]])
            devices = session.list_devices()
            assert [d.name for d in devices] == ["/job:local/replica:0/task:0/device:CPU:0"], devices

            # Errors arrive with their class and name the node.
            try:
                session.run(y)
                raise AssertionError("a placeholder without a value must fail")
            except tf.errors.InvalidArgumentError as error:
                assert "You must feed a value for placeholder tensor" in error.message, error.message
                assert error.op is not None and error.op.name == x.op.name, error.op
        if client:
            hello_from(client, target)
    if client:
        with reference_cluster(local=1) as cluster:
            hello_from(client, "grpc://" + cluster["local"][0])


def hello_from(client, target):
    greeting = subprocess.run([client, target], capture_output=True, text=True, timeout=60, check=True).stdout
    assert greeting == "Hello, distributed TensorFlow!\n", greeting


if __name__ == "__main__":
    run_cases("hello", [("hello", lambda: main(*sys.argv[1:]))], seconds=90, wanted=())
