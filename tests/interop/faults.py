"""Faults as TensorFlow's own client meets them: tasks of ours are killed, or stopped for a while, in the middle of steps.

usage: faults.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

from checks import run_cases
from server import free_addresses, start, start_task, tf

v1 = tf.compat.v1
BINARY = sys.argv[1]
SOON = 10
LEASE = "--session_lease_secs=1"
# TensorFlow's client waits for ever when it closes a session whose server is gone, so none is dropped.
KEPT = []


class Fleet:
    """Our servers for 1 ps and 2 workers. All end with the block."""

    def __init__(self, *arguments):
        self.arguments = (LEASE, *arguments)

    def __enter__(self):
        for _ in range(5):
            self.cluster = free_addresses({"ps": 1, "worker": 2})
            self.tasks = {}
            for job, addresses in self.cluster.items():
                for task in range(len(addresses)):
                    self.tasks[job, task] = start_task(BINARY, self.cluster, job, task, *self.arguments)
            if all(" at grpc://" in process.stdout.readline() for process in self.tasks.values()):
                return self
            # Somebody else took a port in between.
            self.__exit__()
        raise RuntimeError("no free ports for the cluster")

    def __exit__(self, *_):
        for process in self.tasks.values():
            process.kill()
            process.wait(SOON)

    def target(self, task):
        return "grpc://" + self.cluster["worker"][task]

    def restart(self, job, task):
        self.tasks[job, task].wait(SOON)
        self.tasks[job, task] = start_task(BINARY, self.cluster, job, task, *self.arguments)
        assert " at grpc://" in self.tasks[job, task].stdout.readline(), "the task did not start again"


class Program:
    """A variable and a queue on the ps, work on worker 0."""

    def __init__(self, name):
        self.graph = tf.Graph()
        with self.graph.as_default():
            with v1.device("/job:ps/task:0"):
                w = v1.get_variable(name + "_w", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=False)
                begun = v1.get_variable(name + "_begun", initializer=0, use_resource=False)
                queue = v1.FIFOQueue(10, [tf.float32], shared_name=name + "_queue")
                with v1.control_dependencies([v1.assign_add(begun, 1)]):
                    element = queue.dequeue()
            with v1.device("/job:worker/task:0"):
                self.waits = tf.identity(element)
                loss = tf.reduce_sum(tf.square(tf.matmul([[1.0, 1.0]], w)))
                self.train = v1.train.GradientDescentOptimizer(0.001).minimize(loss, var_list=[w])
            self.begun = begun
            self.init = v1.global_variables_initializer()


class Running:
    """A client with a step that waits and one training step after the other."""

    def __init__(self, program, target):
        self.program, self.steps, self.errors = program, 0, {}
        self.session = v1.Session(target, graph=program.graph)
        KEPT.append(self.session)
        self.session.run(program.init)
        self.threads = [threading.Thread(target=self.run, args=(what,), daemon=True) for what in ("waits", "trains")]
        for thread in self.threads:
            thread.start()
        wait_until("the step that waits", lambda: self.session.run(program.begun) == 1)
        self.goes_on()

    def run(self, what):
        try:
            while True:
                self.session.run(self.program.waits if what == "waits" else self.program.train)
                self.steps += 1
        except Exception as error:  # noqa: BLE001 (whatever it is, it is judged below)
            self.errors[what] = error

    def goes_on(self):
        before = self.steps
        wait_until("training to go on", lambda: self.steps > before + 2 or self.errors)
        assert not self.errors, self.errors

    def ends(self, text):
        begin = time.monotonic()
        for thread in self.threads:
            thread.join(max(0.1, SOON - (time.monotonic() - begin)))
            assert not thread.is_alive(), f"a step hangs; others: {self.errors}"
        for what, error in self.errors.items():
            assert isinstance(error, (tf.errors.UnavailableError, tf.errors.AbortedError)), (what, error)
            assert text in str(error), (what, error)


def wait_until(what, ask):
    begin = time.monotonic()
    while not ask():
        assert time.monotonic() - begin < SOON, f"waited {SOON} s for {what}"
        time.sleep(0.02)


def attempt(session, fetch):
    """Runs a step until it does not fail for want of a connection; gives the error, or none."""
    begin = time.monotonic()
    while True:
        try:
            session.run(fetch)
            return None
        except tf.errors.UnavailableError as error:
            assert time.monotonic() - begin < SOON, error
            time.sleep(0.1)
        except tf.errors.OpError as error:
            return error


def lose(job, how, *arguments):
    """Task 0 of a job is lost; one client has its master on worker 0, one on worker 1."""
    with Fleet(*arguments) as fleet:
        own, across = Running(Program("own"), fleet.target(0)), Running(Program("across"), fleet.target(1))
        fleet.tasks[job, 0].send_signal(how)
        across.ends(f"/job:{job}/replica:0/task:0")
        if job == "ps":
            own.ends("/job:ps/replica:0/task:0")
        if how == signal.SIGKILL:
            fleet.restart(job, 0)
            if job == "worker":
                # TensorFlow's client waits for its own master to come back, then it is told.
                own.ends("is not found")
            for lost, task in ((own, 0), (across, 1)):
                error = attempt(lost.session, lost.program.train)
                assert isinstance(error, tf.errors.AbortedError), error
                with v1.Session(fleet.target(task), graph=lost.program.graph) as session:
                    session.run(lost.program.init)
                    session.run(lost.program.train)
        else:
            fleet.tasks[job, 0].send_signal(signal.SIGCONT)
            for lost in (own, across):
                error = attempt(lost.session, lost.program.train)
                assert error is None, error


def lose_a_client():
    """A client that is killed leaves no step behind that takes what others put into a queue."""
    script = textwrap.dedent(
        """
        import sys
        sys.path.insert(0, sys.argv[2])
        sys.argv = sys.argv[:2]
        import faults
        running = faults.Running(faults.Program("client"), sys.argv[1])
        print("at work", flush=True)
        faults.time.sleep(100)
        """
    )
    with Fleet("--exit_when_done") as fleet:
        neighbour = Running(Program("neighbour"), fleet.target(0))
        here = os.path.dirname(os.path.abspath(__file__))
        client = start([sys.executable, "-c", script, fleet.target(0), here], stderr=subprocess.DEVNULL)
        assert client.stdout.readline().strip() == "at work"
        client.kill()
        client.wait(SOON)
        neighbour.goes_on()
        neighbour.session.close()
        # No session is left anywhere, so the job is done.
        for task in (("ps", 0), ("worker", 0)):
            assert fleet.tasks[task].wait(SOON) == 0, task


def recovery(how):
    """MonitoredTrainingSession gets over a ps that is lost, by itself."""
    with Fleet() as fleet, tf.Graph().as_default():
        with v1.device("/job:ps/task:0"):
            step = v1.train.get_or_create_global_step()
            w = v1.get_variable("w", initializer=1.0)
        with v1.device("/job:worker/task:0"):
            train = v1.group(v1.assign_add(step, 1), v1.assign_sub(w, 0.001))
        with v1.train.MonitoredTrainingSession(master=fleet.target(0), is_chief=True) as session:
            for _ in range(20):
                session.run(train)
            fleet.tasks["ps", 0].send_signal(how)
            if how == signal.SIGKILL:
                fleet.restart("ps", 0)
            else:
                threading.Timer(7, fleet.tasks["ps", 0].send_signal, [signal.SIGCONT]).start()
            begin = time.monotonic()
            for _ in range(20):
                session.run(train)
            assert time.monotonic() - begin < 40, "recovering took long"


CASES = [
    (f"{job} {name} {over}", lambda job=job, how=how, over=over: lose(job, how, f"--transport={over}"))
    for job in ("ps", "worker")
    for name, how in (("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP))
    for over in ("auto", "grpc")
]
CASES += [
    ("client killed", lose_a_client),
    ("recovery killed", lambda: recovery(signal.SIGKILL)),
    ("recovery stopped", lambda: recovery(signal.SIGSTOP)),
]

if __name__ == "__main__":
    run_cases("faults", CASES, 200)
