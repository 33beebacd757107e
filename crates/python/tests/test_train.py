"""Optimizers, coordinators, schedules, averages and synchronous replicas."""

import threading
import unittest

import numpy as np
import processes
import tensorfleet.v1 as tf


class Optimizers(unittest.TestCase):
    def after_one_step(self, optimizer, use_resource=False):
        with tf.Graph().as_default(), tf.Session() as sess:
            w = tf.Variable([1.0, 2.0], name="w", use_resource=use_resource)
            step = tf.train.get_or_create_global_step()
            train = optimizer.minimize(tf.reduce_sum(w * w), global_step=step)
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            self.assertEqual(sess.run(step), 1)
            self.assertIn(train, tf.get_collection("train_op"))
            return sess.run(w)

    def test_values(self) -> None:
        # As TensorFlow 2.21 gives them.
        expected = {
            "GradientDescentOptimizer": [0.8, 1.6], "AdamOptimizer": [0.9, 1.9], "AdagradOptimizer": [0.90122706, 1.900311],
            "RMSPropOptimizer": [0.8245884, 1.7470179], "FtrlOptimizer": [0.7450533, 1.742689],
            "AdadeltaOptimizer": [0.9999553, 1.9999553], "ProximalAdagradOptimizer": [0.90122706, 1.900311],
            "ProximalGradientDescentOptimizer": [0.8, 1.6],
        }
        for name, values in expected.items():
            for use_resource in (False, True):
                with self.subTest(name, resource=use_resource):
                    np.testing.assert_allclose(
                        self.after_one_step(getattr(tf.train, name)(0.1), use_resource), values, rtol=1e-6)
        np.testing.assert_allclose(self.after_one_step(tf.train.MomentumOptimizer(0.1, 0.9)), [0.8, 1.6], rtol=1e-6)

    def test_slots(self) -> None:
        with tf.Graph().as_default():
            w = tf.Variable(1.0, name="w")
            adam = tf.train.AdamOptimizer()
            self.assertIsNone(adam.get_slot(w, "m"))
            adam.minimize(w * w)
            self.assertEqual(adam.get_slot_names(), ["m", "v"])
            self.assertEqual(adam.get_slot(w, "m").name, "w/Adam:0")
            self.assertEqual([v.op.name for v in adam.variables()], ["beta1_power", "beta2_power", "w/Adam", "w/Adam_1"])
            self.assertEqual([v.op.name for v in tf.global_variables()], ["w", "beta1_power", "beta2_power", "w/Adam", "w/Adam_1"])
            self.assertEqual(tf.trainable_variables(), [w])

    def test_rates_that_are_tensors_and_functions(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            w, rate = tf.Variable(1.0), tf.placeholder(tf.float32, [])
            train = tf.train.GradientDescentOptimizer(rate).minimize(w * w)
            called = tf.train.GradientDescentOptimizer(lambda: 0.5).minimize(w * w)
            sess.run(w.initializer)
            sess.run(train, {rate: 0.25})
            self.assertEqual(sess.run(w), 0.5)
            sess.run(called)
            self.assertEqual(sess.run(w), 0.0)

    def test_a_class_of_ones_own(self) -> None:
        calls = []

        class Clipped(tf.train.GradientDescentOptimizer):
            def compute_gradients(self, *args, **kwargs):
                calls.append("compute")
                pairs = super().compute_gradients(*args, **kwargs)
                return [(tf.clip_by_value(gradient, -1.0, 1.0), variable) for gradient, variable in pairs]

            def apply_gradients(self, *args, **kwargs):
                calls.append("apply")
                return super().apply_gradients(*args, **kwargs)

        class Signed(tf.train.Optimizer):
            def __init__(self) -> None:
                super().__init__(False, "Signed")

            def _create_slots(self, var_list):
                for variable in var_list:
                    self._zeros_slot(variable, "count", self._name)

            def _prepare(self) -> None:
                self._rate = tf.constant(0.5, name="rate")

            def _apply_dense(self, grad, var):
                return tf.group(var.assign_sub(tf.sign(grad) * self._rate), self.get_slot(var, "count").assign_add(tf.ones_like(grad)))

            def _apply_sparse(self, grad, var):
                return tf.scatter_sub(var, grad.indices, tf.sign(grad.values) * self._rate)

        np.testing.assert_allclose(self.after_one_step(Clipped(0.1)), [0.9, 1.9], rtol=1e-6)
        self.assertEqual(calls, ["compute", "apply"])
        np.testing.assert_allclose(self.after_one_step(Signed()), [0.5, 1.5])
        with tf.Graph().as_default(), tf.Session() as sess:
            table = tf.Variable(tf.ones([3, 2]))
            train = Signed().minimize(tf.reduce_sum(tf.gather(table, [1, 1])))
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            self.assertEqual(sess.run(table).tolist(), [[1, 1], [0.5, 0.5], [1, 1]])

    def test_constraints(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            w = tf.Variable(1.0, constraint=lambda value: tf.maximum(value, 0.9))
            train = tf.train.GradientDescentOptimizer(0.5).minimize(w * w)
            sess.run(w.initializer)
            sess.run(train)
            self.assertEqual(sess.run(w), np.float32(0.9))

    def test_mistakes(self) -> None:
        with tf.Graph().as_default():
            w = tf.Variable(1.0)
            sgd = tf.train.GradientDescentOptimizer(0.1)
            with self.assertRaisesRegex(ValueError, "No gradients provided for any variable"):
                sgd.minimize(tf.constant(1.0))
            with self.assertRaisesRegex(ValueError, "No variables to optimize"):
                sgd.minimize(w * w, var_list=[])
            with self.assertRaisesRegex(ValueError, "given no variables"):
                sgd.apply_gradients([])
            with self.assertRaisesRegex(ValueError, "this optimizer takes"):
                sgd.minimize(tf.constant(1))
            with self.assertRaises(TypeError):
                sgd.apply_gradients([(tf.constant(1.0), tf.constant(1.0))])
            # The graph is of use all the same.
            sgd.minimize(w * w)


class Coordinators(unittest.TestCase):
    def test_the_first_error_is_raised(self) -> None:
        coord, error = tf.train.Coordinator(), ValueError("first")

        def work() -> None:
            with coord.stop_on_exception():
                raise error

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        with self.assertRaises(ValueError) as raised:
            coord.join(threads)
        self.assertIs(raised.exception, error)
        self.assertTrue(coord.should_stop() and coord.joined)
        coord.clear_stop()
        self.assertFalse(coord.should_stop() or coord.joined)

    def test_the_end_of_input_is_no_error(self) -> None:
        coord = tf.train.Coordinator()
        coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
        coord.join([])
        self.assertTrue(coord.wait_for_stop(0.0))

    def test_threads_that_do_not_obey(self) -> None:
        coord, release = tf.train.Coordinator(), threading.Event()
        thread = threading.Thread(target=release.wait, name="stubborn")
        thread.start()
        coord.register_thread(thread)
        coord.request_stop()
        try:
            with self.assertRaisesRegex(RuntimeError, "stubborn"):
                coord.join(stop_grace_period_secs=0.05)
        finally:
            release.set()
            thread.join()

    def test_loopers(self) -> None:
        coord, seen = tf.train.Coordinator(), []

        def work(number: int) -> None:
            seen.append(number)
            if len(seen) == 3:
                coord.request_stop()

        looper = tf.train.LooperThread.loop(coord, 0.001, work, args=(7,))
        coord.join([looper])
        self.assertEqual(seen, [7, 7, 7])


class Averages(unittest.TestCase):
    def test_variables_and_tensors(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            w = tf.Variable(0.0, name="w")
            loss = tf.identity(w * 2.0, name="loss")
            ema = tf.train.ExponentialMovingAverage(0.5)
            move = ema.apply([w, loss])
            self.assertEqual(tf.moving_average_variables(), [w])
            self.assertEqual(ema.variables_to_restore()["w/ExponentialMovingAverage"], w)
            sess.run(tf.global_variables_initializer())
            sess.run(w.assign(4.0))
            sess.run(move)
            self.assertEqual(sess.run([ema.average(w), ema.average(loss)]), [2.0, 4.0])


class SyncReplicas(unittest.TestCase):
    def build(self, task: int, cluster, optimizer=None):
        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")):
            step = tf.train.get_or_create_global_step()
            w = tf.Variable(0.0, name="w")
            sync = tf.train.SyncReplicasOptimizer(
                optimizer or tf.train.GradientDescentOptimizer(1.0), replicas_to_aggregate=2, total_num_replicas=2)
            train = sync.minimize(w * float(task + 1), global_step=step)
        return sync, train, w, step

    def test_two_workers_with_hooks(self) -> None:
        addresses = processes.addresses(3)
        cluster = {"ps": addresses[:1], "worker": addresses[1:]}
        servers = [tf.train.Server(cluster, "ps", 0)] + [tf.train.Server(cluster, "worker", i) for i in range(2)]
        ends, failures = [], []

        def work(task: int) -> None:
            try:
                with tf.Graph().as_default():
                    sync, train, w, step = self.build(task, cluster)
                    hooks = [sync.make_session_run_hook(task == 0), tf.train.StopAtStepHook(last_step=5)]
                    with tf.train.MonitoredTrainingSession(
                            servers[task + 1].target, is_chief=task == 0, hooks=hooks, stop_grace_period_secs=10) as sess:
                        while not sess.should_stop():
                            sess.run(train)
                    ends.append(task)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(task,), daemon=True) for task in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failures, [])
        self.assertEqual(sorted(ends), [0, 1])
        with tf.Graph().as_default(), tf.Session(servers[1].target) as sess:
            _, _, w, step = self.build(0, cluster)
            count = sess.run(step)
            self.assertGreaterEqual(count, 5)
            # Each step is the mean of both gradients, 1 and 2, or of two of one worker in the beginning.
            self.assertLessEqual(sess.run(w), -1.0 * count)

    def test_the_optimizer_inside_is_called(self) -> None:
        class Mine(tf.train.GradientDescentOptimizer):
            def apply_gradients(self, *args, **kwargs):
                calls.append(1)
                return super().apply_gradients(*args, **kwargs)

        class Failing(tf.train.GradientDescentOptimizer):
            def apply_gradients(self, *args, **kwargs):
                raise error

        calls, error = [], KeyError("mine")
        cluster = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}
        with tf.Graph().as_default():
            self.build(0, cluster, Mine(1.0))
        self.assertEqual(calls, [1])
        with tf.Graph().as_default(), self.assertRaises(KeyError) as raised:
            self.build(0, cluster, Failing(1.0))
        self.assertIs(raised.exception, error)

    def test_order(self) -> None:
        sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1)
        for early in (sync.get_chief_queue_runner, sync.get_init_tokens_op):
            with self.assertRaisesRegex(ValueError, "after apply_gradients"):
                early()
        with tf.Graph().as_default():
            w = tf.Variable(1.0)
            with self.assertRaisesRegex(ValueError, "Global step is required"):
                sync.minimize(w * w)


LEAVING = """
import sys, tensorflow as tf
job, task, stop, ps, one, two = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:7]
cluster = tf.train.ClusterSpec({"ps": [ps], "worker": [one, two]})
server = tf.train.Server(cluster, job, task)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % task)):
    step = tf.Variable(0, name="global_step", trainable=False)
    w = tf.Variable(0.0, name="w")
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2, 2)
    train = optimizer.minimize(w * w - w, global_step=step)
    if task == 0:
        runner, tokens = optimizer.get_chief_queue_runner(), optimizer.get_init_tokens_op()
    sv = tf.train.Supervisor(
        is_chief=task == 0, init_op=tf.global_variables_initializer(), recovery_wait_secs=1, global_step=step)
    sess = sv.prepare_or_wait_for_session(server.target)
    if task == 0:
        sv.start_queue_runners(sess, [runner])
        sess.run(tokens)
    for _ in range(stop):
        sess.run(train)
"""


class Leaving(unittest.TestCase):
    def test_whoever_is_left_ends(self) -> None:
        """Programs of the old kind, which start the chief's queue runner themselves and say nothing when they end."""
        for stops in ((5, 1_000_000), (1_000_000, 5)):
            addresses = processes.addresses(3)
            with self.subTest(stops=stops), processes.Folder() as folder:
                folder.start("ps", LEAVING, "ps", "0", "0", *addresses)
                tasks = [folder.start(f"worker{i}", LEAVING, "worker", str(i), str(stops[i]), *addresses) for i in range(2)]
                first, last = sorted(tasks, key=lambda task: stops[tasks.index(task)])
                first.finish(60)
                self.assertNotEqual(last.process.wait(60), 0)
                self.assertIn("OutOfRangeError", last.output())


class MonitoredSessions(unittest.TestCase):
    def test_hooks(self) -> None:
        events = []

        class Recorder(tf.train.SessionRunHook):
            def begin(self):
                events.append("begin")

            def after_create_session(self, session, coord):
                events.append("created")

            def before_run(self, run_context):
                events.append(("before", run_context.original_args.fetches is count))
                return tf.train.SessionRunArgs({"double": double})

            def after_run(self, run_context, run_values):
                events.append(("after", sorted(run_values.results)))

            def end(self, session):
                events.append("end")

        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            count, double = tf.assign_add(step, 1), step * 2
            with tf.train.MonitoredTrainingSession(hooks=[Recorder(), tf.train.StopAtStepHook(num_steps=2)]) as sess:
                while not sess.should_stop():
                    sess.run(count)
            self.assertEqual(
                events, ["begin", "created"] + [("before", True), ("after", ["double"])] * 2 + ["end"])
            with self.assertRaises(RuntimeError):
                sess.run(count)

    def test_an_exception_of_a_hook_comes_back_as_it_is(self) -> None:
        error = KeyError("mine")

        class Failing(tf.train.SessionRunHook):
            ended = False

            def after_run(self, run_context, run_values):
                raise error

            def end(self, session):
                self.ended = True

        hook = Failing()
        with tf.Graph().as_default():
            one = tf.constant(1)
            with self.assertRaises(KeyError) as raised:
                with tf.train.MonitoredSession(hooks=[hook]) as sess:
                    sess.run(one)
        self.assertIs(raised.exception, error)
        self.assertFalse(hook.ended)

    def test_the_end_of_input_is_a_good_end(self) -> None:
        with tf.Graph().as_default():
            number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
            seen = []
            with tf.train.MonitoredSession() as sess:
                while not sess.should_stop():
                    seen.append(int(sess.run(number)))
            self.assertEqual(seen, [0, 1, 2])

    def test_a_lost_task_is_waited_for(self) -> None:
        """A session that fails with Unavailable is replaced by a new one."""
        with tf.Graph().as_default():
            one = tf.constant(1)

            class Failing(tf.train.SessionRunHook):
                created = 0

                def after_create_session(self, session, coord):
                    self.created += 1

                def before_run(self, run_context):
                    if self.created == 1:
                        raise tf.errors.UnavailableError(None, None, "lost")

            hook = Failing()
            with tf.train.MonitoredSession(hooks=[hook]) as sess:
                self.assertEqual(sess.run(one), 1)
            self.assertEqual(hook.created, 2)
            with self.assertRaises(tf.errors.UnavailableError), tf.train.SingularMonitoredSession(hooks=[Failing()]) as sess:
                sess.run(one)

    def test_nan(self) -> None:
        with tf.Graph().as_default():
            loss = tf.constant(float("nan"))
            with self.assertRaises(tf.train.NanLossDuringTrainingError):
                with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as sess:
                    sess.run(loss)

    def test_step_functions_and_scaffolds(self) -> None:
        began = []
        with tf.Graph().as_default():
            w = tf.Variable(1.0)
            scaffold = tf.train.Scaffold(init_fn=lambda scaffold, sess: began.append(sess.run(w)))
            with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
                def step(step_context):
                    step_context.session.run(w)
                    step_context.run_with_hooks(w)
                    step_context.request_stop()

                sess.run_step_fn(step)
                self.assertTrue(sess.should_stop())
        self.assertEqual(began, [1.0])


if __name__ == "__main__":
    unittest.main()
