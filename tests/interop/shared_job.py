"""A worker written in Rust and one written in Python train one model together, async and sync, with either kind of variable,
on our parameter servers and on TensorFlow's.

usage: shared_job.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import concurrent.futures
import contextlib
import os
import sys

import numpy as np

from checks import run_cases
from server import free_addresses, reference_servers, start, start_task, tf

v1 = tf.compat.v1
BINARY = sys.argv[1]
WORKER = os.path.join(os.path.dirname(BINARY), "shared_worker")
STEPS = 20
RATE = 0.125


def variables(resource):
    zeros = v1.zeros_initializer()
    w = v1.get_variable("w", [2], initializer=zeros, use_resource=resource)
    table = v1.get_variable("table", [4, 2], initializer=zeros, use_resource=resource)
    return w, table, v1.train.get_or_create_global_step()


def python_worker(target, task, resource, sync):
    with tf.Graph().as_default():
        worker = f"/job:worker/task:{task}"
        with v1.device(v1.train.replica_device_setter(ps_tasks=2, worker_device=worker)):
            w, table, step = variables(resource)
            x = tf.constant([1.0, 3.0] if task == 0 else [3.0, 5.0])
            loss = tf.reduce_sum(w * x) + tf.reduce_sum(tf.gather(table, tf.constant([0, 1, 1])))
            hooks = []
            if sync:
                optimizer = v1.train.SyncReplicasOptimizer(v1.train.AdamOptimizer(0.01), 2)
                train = optimizer.minimize(loss, global_step=step)
                hooks = [optimizer.make_session_run_hook(task == 0), v1.train.StopAtStepHook(last_step=STEPS)]
            else:
                train = v1.train.GradientDescentOptimizer(RATE).minimize(loss, global_step=step)
        config = v1.ConfigProto(device_filters=["/job:ps", worker])
        made = 0
        # TensorFlow's chief cannot end its queue runner, which waits for gradients: it only stops waiting for it.
        options = dict(hooks=hooks, config=config, stop_grace_period_secs=2)
        with v1.train.MonitoredTrainingSession(target, is_chief=task == 0, **options) as session:
            while not session.should_stop() and (sync or made < STEPS):
                session.run(train)
                made += 1
        return made


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
            w, table, step = variables(resource)
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


def together(rust_is_chief, resource, sync, our_ps):
    def check():
        (v1.enable_resource_variables if resource else v1.disable_resource_variables)()
        cluster = free_addresses({"ps": 2, "worker": 2})
        with contextlib.ExitStack() as servers:
            if our_ps:
                servers.enter_context(our_tasks(cluster, "ps", "worker"))
            else:
                servers.enter_context(reference_servers(cluster, "ps"))
                servers.enter_context(our_tasks(cluster, "worker"))
            targets = ["grpc://" + address for address in cluster["worker"]]
            workers = (rust_worker, python_worker) if rust_is_chief else (python_worker, rust_worker)
            with concurrent.futures.ThreadPoolExecutor(2) as threads:
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
            assert made == [STEPS, STEPS] and step == 2 * STEPS, (made, step)
            np.testing.assert_allclose(w, [-RATE * STEPS * 4, -RATE * STEPS * 8])
            np.testing.assert_allclose(table, [[-RATE * step] * 2, [-RATE * step * 2] * 2, [0, 0], [0, 0]])
        return f"{made[0]} and {made[1]} steps, global step {step}"

    return check


def main():
    cases = []
    for our_ps in (True, False):
        for sync in (False, True):
            for resource in (False, True):
                for rust_is_chief in (True, False):
                    name = " ".join((
                        "sync" if sync else "async",
                        "resource" if resource else "ref",
                        "chief in Rust" if rust_is_chief else "chief in Python",
                        "on our ps" if our_ps else "on TensorFlow's ps",
                    ))
                    cases.append((name, together(rust_is_chief, resource, sync, our_ps)))
    run_cases("shared_job", cases, 400)


if __name__ == "__main__":
    main()
