"""Clusters, servers and placement between them."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import processes
import tensorfleet.v1 as tf


class ClusterSpecs(unittest.TestCase):
    def test_forms(self) -> None:
        spec = tf.train.ClusterSpec({"worker": {1: "b:1", 0: "a:1"}, "ps": ["c:1"]})
        self.assertEqual(spec.jobs, ["ps", "worker"])
        self.assertEqual(spec.as_dict(), {"ps": ["c:1"], "worker": ["a:1", "b:1"]})
        self.assertEqual(spec.job_tasks("worker"), ["a:1", "b:1"])
        self.assertEqual(tf.train.ClusterSpec(spec), spec)
        self.assertEqual(tf.train.ClusterSpec(spec.as_cluster_def()), spec)
        sparse = tf.train.ClusterSpec({"worker": {2: "b:1"}})
        self.assertEqual(sparse.as_dict(), {"worker": {2: "b:1"}})
        self.assertEqual(sparse.job_tasks("worker"), [None, None, "b:1"])
        self.assertEqual(sparse.task_indices("worker"), [2])
        self.assertFalse(tf.train.ClusterSpec({}))

    def test_mistakes(self) -> None:
        spec = tf.train.ClusterSpec({"ps": ["a:1"]})
        mistakes = [
            (lambda: spec.num_tasks("x"), ValueError),
            (lambda: spec.task_address("ps", 3), ValueError),
            (lambda: tf.train.ClusterSpec(["a:1"]), TypeError),
            (lambda: tf.train.ClusterSpec({"a": "b:1"}), TypeError),
            (lambda: tf.train.ClusterSpec({"a": [1]}), TypeError),
            (lambda: tf.train.Server({"a": ["b:1", "c:1"]}), ValueError),
            (lambda: tf.train.Server({"a": ["b:1"], "b": ["c:1"]}), ValueError),
            (lambda: tf.train.Server(spec, "ps", 0, protocol="mpi"), NotImplementedError),
        ]
        for wrong, kind in mistakes:
            with self.assertRaises(kind):
                wrong()


LOST_WORKER = """
import sys
import tensorfleet.v1 as tf
from tensorfleet._train import sync_replicas

sync_replicas.LOST_AFTER_SECS = 1.0
job, task, ps, workers = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4].split(",")
cluster = tf.train.ClusterSpec({"ps": [ps], "worker": workers})
server = tf.train.Server(cluster, job, task)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")):
    step = tf.train.get_or_create_global_step()
    w = tf.Variable(4.0)
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.01), 2, 2)
    train = opt.minimize(w * w, global_step=step)
hook = opt.make_session_run_hook(task == 0)
filters = ["/job:ps", f"/job:worker/task:{task}"]
config = tf.ConfigProto(device_filters=filters)
with tf.train.MonitoredTrainingSession(server.target, task == 0, hooks=[hook], config=config) as sess:
    while not sess.should_stop():
        print("step", sess.run([train, step])[1], flush=True)
print("ended", flush=True)
"""


SERVER = """
import sys
import tensorfleet.v1 as tf
server = tf.train.Server({"local": [sys.argv[1]]}, "local", 0)
print("up", flush=True)
server.join()
"""


class LostServers(unittest.TestCase):
    def test_a_server_that_is_killed(self) -> None:
        (address,) = processes.addresses(1)
        with processes.Folder() as folder, tf.Graph().as_default():
            started = folder.start("server", SERVER, address)
            deadline = time.monotonic() + 60
            while "up" not in started.output():
                self.assertLess(time.monotonic(), deadline, started.output())
                time.sleep(0.05)
            never = tf.FIFOQueue(1, tf.int32).dequeue()
            two = tf.constant(1) + 1
            sess, closed = tf.Session(f"grpc://{address}"), tf.Session(f"grpc://{address}")
            self.assertEqual(sess.run(two), 2)
            closed.close()
            with self.assertRaisesRegex(RuntimeError, "closed"):
                closed.run(two)
            killer = threading.Timer(0.3, started.process.kill)
            killer.start()
            lost = (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.CancelledError)
            with self.assertRaises(lost):
                sess.run(never)
            with self.assertRaises(lost):
                sess.run(two)
            try:
                sess.close()
            except lost:
                pass


class LostWorkers(unittest.TestCase):
    def test_a_worker_that_is_killed_ends_synchronous_training(self) -> None:
        """Two workers make a step together. When one is killed the other would wait for ever; it ends, and says why."""
        ps, *workers = processes.addresses(3)
        with processes.Folder() as folder:
            tasks = [("ps", 0), ("worker", 0), ("worker", 1)]
            started = [
                folder.start(f"{job}{task}", LOST_WORKER, job, str(task), ps, ",".join(workers)) for job, task in tasks
            ]
            deadline = time.monotonic() + 120
            while started[2].output().count("step") < 3:
                self.assertLess(time.monotonic(), deadline, started[1].output() + started[2].output())
                time.sleep(0.05)
            started[2].process.kill()
            said = started[1].finish(120)
            self.assertIn("too few workers are left for a step", said)
            self.assertIn("ended", said)


class Servers(unittest.TestCase):
    def test_local_server(self) -> None:
        server = tf.train.Server.create_local_server()
        self.assertEqual(server.server_def.job_name, "local")
        with tf.Graph().as_default(), tf.Session(server.target) as sess:
            self.assertEqual(sess.run(tf.constant(2) + 3), 5)
            self.assertEqual([device.device_type for device in sess.list_devices()], ["CPU"])

    def test_a_server_serves_until_the_process_ends(self) -> None:
        def target() -> str:
            return tf.train.Server.create_local_server().target

        with tf.Graph().as_default(), tf.Session(target()) as sess:
            self.assertEqual(sess.run(tf.constant(2)), 2)

    def test_two_tasks_of_one_process(self) -> None:
        ps, worker = processes.addresses(2)
        cluster = tf.train.ClusterSpec({"ps": [ps], "worker": [worker]})
        servers = [tf.train.Server(cluster, job, 0) for job in ("ps", "worker")]
        with tf.Graph().as_default():
            with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:0")):
                w = tf.Variable([1.0, 2.0])
                double = w * 2.0
            self.assertEqual((w.device, double.device), ("/job:ps/task:0", "/job:worker/task:0"))
            with tf.Session(servers[1].target) as sess:
                sess.run(w.initializer)
                self.assertEqual(sess.run(double).tolist(), [2.0, 4.0])
            with tf.Session(servers[0].target) as sess:
                self.assertEqual(sess.run(w).tolist(), [1.0, 2.0])

    def test_ctrl_c_ends_join(self) -> None:
        program = ("import tensorfleet.v1 as tf\nserver = tf.train.Server.create_local_server()\nprint('up', flush=True)\n"
                   "server.join()\n")
        self.interrupted(program)

    def test_ctrl_c_ends_the_wait_for_a_task(self) -> None:
        """A session whose cluster is not up yet."""
        here, there = processes.addresses(2)
        program = (f"import tensorfleet.v1 as tf\nserver = tf.train.Server({{'a': ['{here}', '{there}']}}, 'a', 0)\n"
                   "with tf.device('/job:a/task:1'):\n    there = tf.constant(1)\nprint('up', flush=True)\n"
                   "tf.Session(server.target).run(there)\n")
        self.interrupted(program)

    def test_ctrl_c_ends_a_blocked_dequeue(self) -> None:
        program = ("import tensorfleet.v1 as tf\ntaken = tf.FIFOQueue(1, tf.int32).dequeue()\nsess = tf.Session()\n"
                   "print('up', flush=True)\nsess.run(taken)\n")
        self.interrupted(program)

    def test_ctrl_c_ends_the_wait_for_the_chief(self) -> None:
        program = ("import tensorfleet.v1 as tf\nw = tf.Variable(1.0)\nsv = tf.train.Supervisor(is_chief=False)\n"
                   "print('up', flush=True)\nsv.prepare_or_wait_for_session()\n")
        self.interrupted(program)

    def test_ctrl_c_ends_a_join_of_threads(self) -> None:
        program = ("import tensorfleet.v1 as tf\nqueue = tf.train.range_input_producer(3)\ncoord = tf.train.Coordinator()\n"
                   "sess = tf.Session()\nthreads = tf.train.start_queue_runners(sess, coord)\nprint('up', flush=True)\n"
                   "coord.join(threads)\n")
        self.interrupted(program)

    def interrupted(self, program: str) -> None:
        """Ctrl-C ends a program that waits."""
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual(process.stdout.readline().strip(), "up")
            # Whether it waits already cannot be seen from here.
            time.sleep(0.3)
            os.kill(process.pid, signal.SIGINT)
            began = time.monotonic()
            _, errors = process.communicate(timeout=30)
            self.assertLess(time.monotonic() - began, 10)
            self.assertIn("KeyboardInterrupt", errors)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()


class Setters(unittest.TestCase):
    def test_turns(self) -> None:
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_device="/job:ps/cpu:0")):
            devices = [tf.Variable(1.0).device for _ in range(3)]
            with tf.device("/job:ps/task:7"):
                fixed = tf.Variable(1.0).device
            self.assertEqual(tf.constant(1.0).device, "/job:worker")
        self.assertEqual(devices, [f"/job:ps/task:{i}/device:CPU:0" for i in (0, 1, 0)])
        self.assertEqual(fixed, "/job:ps/task:7/device:CPU:0")

    def test_no_ps(self) -> None:
        self.assertIsNone(tf.train.replica_device_setter(ps_tasks=0))
        self.assertIsNone(tf.train.replica_device_setter(cluster={"worker": ["a:1"]}))

    def test_strategy(self) -> None:
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=3, ps_strategy=lambda op: 2)):
            self.assertEqual(tf.Variable(1.0).device, "/job:ps/task:2")

    def test_the_smallest_load(self) -> None:
        from tensorfleet._train.device_setter import GreedyLoadBalancingStrategy, byte_size_load_fn

        strategy = GreedyLoadBalancingStrategy(2, byte_size_load_fn)
        for use_resource in (False, True):
            with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)):
                shapes = [[10, 10], [2], [3], [4, 4]] if not use_resource else [[100]]
                devices = [tf.get_variable(f"v{i}", shape, use_resource=use_resource).device for i, shape in enumerate(shapes)]
            if not use_resource:
                self.assertEqual(devices, [f"/job:ps/task:{i}" for i in (0, 1, 1, 1)])
            else:
                self.assertEqual(devices, ["/job:ps/task:1"])

    def test_an_exception_comes_back_as_it_is(self) -> None:
        error = KeyError("mine")

        def strategy(op: object) -> int:
            raise error

        with tf.Graph().as_default():
            with self.assertRaises(KeyError) as raised, tf.device(tf.train.replica_device_setter(ps_tasks=3, ps_strategy=strategy)):
                tf.Variable(1.0)
            self.assertIs(raised.exception, error)
            # The graph is of use all the same.
            self.assertEqual(tf.constant(1).shape, [])


if __name__ == "__main__":
    unittest.main()
