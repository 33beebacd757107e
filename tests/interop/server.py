"""Starting our servers for tests with the real TensorFlow client."""

import contextlib
import json
import os
import subprocess

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ["no_proxy"] = "*"

import tensorflow as tf  # noqa: E402  (the environment above must come first)

tf.compat.v1.disable_v2_behavior()

__all__ = ["tf", "serving"]


@contextlib.contextmanager
def serving(binary, *arguments):
    """Runs a single-task server on a free port; gives its target. It is stopped in the end, whatever happens."""
    cluster = json.dumps({"local": ["localhost:0"]})
    command = [binary, "serve", "--cluster", cluster, "--job_name", "local", "--task_index", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if " at grpc://" not in line:
            raise RuntimeError(f"the server did not start: {line!r}, exit code {process.wait(10)}")
        yield line.strip().rsplit(" at ", 1)[1]
    finally:
        process.terminate()
        code = process.wait(10)
    if code != 0:
        raise RuntimeError(f"the server ended with code {code}")
