"""Starting servers, ours and TensorFlow's own, for tests with the real TensorFlow client.

Further arguments for all of our servers may be given in the environment variable TENSORFLEET_SERVE_ARGS.
"""

import contextlib
import json
import os
import shlex
import socket
import subprocess
import sys

os.environ["no_proxy"] = "*"

from judge import tf  # noqa: E402  (the environment above must come first)

tf.compat.v1.disable_v2_behavior()

__all__ = ["tf", "serving", "serving_cluster", "reference_cluster", "reference_servers", "start_task", "free_addresses", "STARTED"]

# Every process that was started here, so that whoever gives up can end them.
STARTED = []


def start(command, **options):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
    STARTED.append(process)
    return process


def start_task(binary, cluster, job, task, *arguments):
    """Starts our server for a task, as a process; whether it serves is told by its first line."""
    command = [binary, "serve", "--cluster", json.dumps(cluster), "--job_name", job, "--task_index", str(task)]
    return start([*command, *arguments, *shlex.split(os.environ.get("TENSORFLEET_SERVE_ARGS", ""))])


@contextlib.contextmanager
def serving(binary, *arguments):
    """Runs a single-task server on a free port; gives its target. It is stopped in the end, whatever happens."""
    process = start_task(binary, {"local": ["localhost:0"]}, "local", 0, *arguments)
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
def serving_cluster(binary, *arguments, **jobs):
    """Runs a server for each task of the jobs (`ps=1, worker=2`); gives the cluster as a dict. All are stopped in the end.

    With "tensorflow" as the binary these are TensorFlow's own servers, to see whether a test is right."""
    if binary == "tensorflow":
        with reference_cluster(**jobs) as cluster:
            yield cluster
        return
    for attempt in range(5):
        cluster = free_addresses(jobs)
        processes = {}
        try:
            for job, addresses in cluster.items():
                for task in range(len(addresses)):
                    processes[job, task] = start_task(binary, cluster, job, task, *arguments)
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


@contextlib.contextmanager
def reference_cluster(**jobs):
    """The same of TensorFlow's own servers, all in one other process."""
    cluster = free_addresses(jobs)
    with reference_servers(cluster):
        yield cluster


@contextlib.contextmanager
def reference_servers(cluster, *jobs):
    """TensorFlow's servers for these jobs of the cluster, or for all."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference_servers.py")
    process = start([sys.executable, script, json.dumps(cluster), *jobs], stdin=subprocess.PIPE)
    try:
        line = process.stdout.readline()
        if line.strip() != "serving":
            raise RuntimeError(f"TensorFlow's servers did not start: {line!r}")
        yield
    finally:
        process.kill()
        process.wait(10)


def free_addresses(jobs):
    """An address on a port that is free now, for each task."""
    with contextlib.ExitStack() as held:
        def address():
            listener = held.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            return f"127.0.0.1:{listener.getsockname()[1]}"

        return {job: [address() for _ in range(count)] for job, count in jobs.items()}
