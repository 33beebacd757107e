"""A worker written in Rust and one written in Python train one model together, async and sync, with either kind of variable,
on our parameter servers and on TensorFlow's; and so do three workers: one in Rust, one of TensorFlow and one of our Python package.

usage: shared_job.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import concurrent.futures
import contextlib
import os
import sys

import numpy as np

import shared_worker
from checks import run_cases
from server import free_addresses, reference_servers, start, start_task, tf
from shared_worker import RATE, STEPS, variables

v1 = tf.compat.v1
BINARY = sys.argv[1]
WORKER = os.path.join(os.path.dirname(BINARY), "shared_worker")


def python_worker(target, task, resource, sync):
    """A worker of the real TensorFlow."""
    return shared_worker.python_worker(v1, target, task, resource, sync)


def our_python_worker(target, task, resource, sync):
    """The same text under our Python package, where TensorFlow is not loaded."""
    kind, mode = "resource" if resource else "ref", "sync" if sync else "async"
    process = start([sys.executable, shared_worker.__file__, target, str(task), kind, mode])
    output, _ = process.communicate(timeout=100)
    assert process.returncode == 0, f"our Python worker ended with code {process.returncode}"
    return int(output.split()[-1])


def rust_worker(target, task, resource, sync):
    kind, mode = "resource" if resource else "ref", "sync" if sync else "async"
    process = start([WORKER, target, "2", str(task), kind, mode, str(STEPS)])
    output, _ = process.communicate(timeout=100)
    assert process.returncode == 0, f"the Rust worker ended with code {process.returncode}"
    return int(output.split()[0])


def results(target, resource, sync):
    """The model as it lies on the parameter servers."""
    with tf.Graph().as_default():
        with v1.device(v1.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")):
            w, table, step = variables(v1, resource)
            wanted = [w, table, step]
            if sync:
                # Slots are found by their names, as everything is.
                with v1.device("/job:ps/task:1"):
                    wanted.append(v1.Variable(0.0, name="beta1_power", use_resource=resource))
        with v1.Session(target, config=v1.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])) as session:
            return session.run(wanted)


@contextlib.contextmanager
def our_tasks(cluster, *jobs):
    processes = [start_task(BINARY, cluster, job, task) for job in jobs for task in range(len(cluster[job]))]
    try:
        for process in processes:
            line = process.stdout.readline()
            assert " at grpc://" in line, f"a server did not start: {line!r}"
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(10)


def together(workers, resource, sync, our_ps):
    def check():
        (v1.enable_resource_variables if resource else v1.disable_resource_variables)()
        cluster = free_addresses({"ps": 2, "worker": len(workers)})
        with contextlib.ExitStack() as servers:
            if our_ps:
                servers.enter_context(our_tasks(cluster, "ps", "worker"))
            else:
                servers.enter_context(reference_servers(cluster, "ps"))
                servers.enter_context(our_tasks(cluster, "worker"))
            targets = ["grpc://" + address for address in cluster["worker"]]
            with concurrent.futures.ThreadPoolExecutor(len(workers)) as threads:
                running = []
                for task, worker in enumerate(workers):
                    running.append(threads.submit(worker, targets[task], task, resource, sync))
                    if not sync and not our_ps:
                        # TensorFlow's updates of one variable take no lock: some may be lost when they meet.
                        running[-1].result()
                made = [worker.result() for worker in running]
            w, table, step, *power = results(targets[0], resource, sync)
        if sync:
            assert step >= STEPS, step
            np.testing.assert_allclose(power[0], 0.9 ** (step + 1), rtol=1e-4)
            # The same gradient in every step, so Adam moves by the learning rate each time.
            np.testing.assert_allclose(table, [[-0.01 * step] * 2, [-0.01 * step] * 2, [0, 0], [0, 0]], rtol=1e-3)
        else:
            others = len(workers) - 1
            assert made == [STEPS] * len(workers) and step == len(workers) * STEPS, (made, step)
            np.testing.assert_allclose(w, [-RATE * STEPS * (1 + 3 * others), -RATE * STEPS * (3 + 5 * others)])
            np.testing.assert_allclose(table, [[-RATE * step] * 2, [-RATE * step * 2] * 2, [0, 0], [0, 0]])
        return f"{' and '.join(map(str, made))} steps, global step {step}"

    return check


WORKERS = {
    "chief in Rust": (rust_worker, python_worker),
    "chief in Python": (python_worker, rust_worker),
    "chief in our Python, TensorFlow and Rust": (our_python_worker, python_worker, rust_worker),
}


def main():
    cases = []
    for our_ps in (True, False):
        for sync in (False, True):
            for resource in (False, True):
                for who, workers in WORKERS.items():
                    if resource and len(workers) == 3:
                        continue
                    name = " ".join((
                        "sync" if sync else "async",
                        "resource" if resource else "ref",
                        who,
                        "on our ps" if our_ps else "on TensorFlow's ps",
                    ))
                    cases.append((name, together(workers, resource, sync, our_ps)))
    run_cases("shared_job", cases, 400)


if __name__ == "__main__":
    main()
