"""Starting our servers for tests with the real TensorFlow client."""

import contextlib
import json
import os
import socket
import subprocess

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ["no_proxy"] = "*"

import tensorflow as tf  # noqa: E402  (the environment above must come first)

tf.compat.v1.disable_v2_behavior()

__all__ = ["tf", "serving", "serving_cluster"]


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


@contextlib.contextmanager
def serving_cluster(binary, **jobs):
    """Runs a server for each task of the jobs (`ps=1, worker=2`); gives the cluster as a dict. All are stopped in the end."""
    for attempt in range(5):
        cluster = free_addresses(jobs)
        processes = {}
        try:
            for job, addresses in cluster.items():
                for task in range(len(addresses)):
                    command = [binary, "serve", "--cluster", json.dumps(cluster), "--job_name", job, "--task_index", str(task)]
                    processes[job, task] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            lines = [process.stdout.readline() for process in processes.values()]
            if not all(" at grpc://" in line for line in lines):
                # Somebody else took a port in between.
                continue
            yield cluster
            break
        finally:
            for process in processes.values():
                process.terminate()
            codes = {task: process.wait(10) for task, process in processes.items()}
    else:
        raise RuntimeError("no free ports for the cluster")
    if any(codes.values()):
        raise RuntimeError(f"servers ended with {codes}")


def free_addresses(jobs):
    """An address on a port that is free now, for each task."""
    with contextlib.ExitStack() as held:
        def address():
            listener = held.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            return f"127.0.0.1:{listener.getsockname()[1]}"

        return {job: [address() for _ in range(count)] for job, count in jobs.items()}
