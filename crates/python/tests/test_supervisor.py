"""Supervisors and session managers."""

import glob
import os
import shutil
import tempfile
import threading
import unittest

import processes
import tensorfleet.v1 as tf


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="tensorfleet-supervisor-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def model(self):
        step = tf.train.get_or_create_global_step()
        w = tf.Variable(4.0, name="w")
        loss = w * w
        tf.summary.scalar("loss", loss)
        return step, w, tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


class DamagedCheckpoints(InFolder):
    """The newest checkpoint that is whole is restored; what is damaged leaves the folder first."""

    def written(self, steps: int) -> list[str]:
        """Checkpoints of this many steps; w is 1.0, 2.0, ... in them."""
        with tf.Graph().as_default(), tf.Session() as sess:
            step, w = tf.train.get_or_create_global_step(), tf.Variable(0.0, name="w")
            saver = tf.train.Saver()
            sess.run(tf.global_variables_initializer())
            return [
                saver.save(sess, self.folder + "/model.ckpt", sess.run((w.assign_add(1.0), tf.assign_add(step, 1)))[1])
                for _ in range(steps)
            ]

    def damage(self, prefix: str) -> None:
        path = prefix + ".data-00000-of-00001"
        with open(path, "r+b") as stream:
            first = stream.read(1)
            stream.seek(0)
            stream.write(bytes([first[0] ^ 0xFF]))

    def restored(self, way: str) -> float:
        with tf.Graph().as_default():
            tf.train.get_or_create_global_step()
            w = tf.Variable(0.0, name="w")
            if way == "Supervisor":
                sv = tf.train.Supervisor(logdir=self.folder, summary_op=None, save_model_secs=0)
                with sv.managed_session() as sess:
                    return sess.run(w)
            if way == "SessionManager":
                sess, ready = tf.train.SessionManager().recover_session("", tf.train.Saver(), self.folder)
                self.assertTrue(ready)
                with sess:
                    return sess.run(w)
            with tf.train.MonitoredTrainingSession(checkpoint_dir=self.folder, save_checkpoint_secs=None) as sess:
                return sess.run(w)

    def test_the_one_before_is_restored(self) -> None:
        prefixes = self.written(3)
        self.damage(prefixes[2])
        for way in ("Supervisor", "SessionManager", "MonitoredTrainingSession"):
            self.assertEqual(self.restored(way), 2.0, way)
        self.damage(prefixes[1])
        self.assertEqual(self.restored("Supervisor"), 1.0)

    def test_all_are_damaged(self) -> None:
        for prefix in (prefixes := self.written(2)):
            self.damage(prefix)
        with self.assertRaises(tf.errors.DataLossError) as raised:
            self.restored("MonitoredTrainingSession")
        for prefix in prefixes:
            self.assertIn(prefix, raised.exception.message)

    def test_other_errors_come_back_as_they_are(self) -> None:
        self.written(1)
        with tf.Graph().as_default():
            tf.Variable(0.0, name="of_another_model")
            with self.assertRaises(tf.errors.NotFoundError):
                tf.train.Supervisor(logdir=self.folder, summary_op=None).prepare_or_wait_for_session()

            class Mine(tf.train.Saver):
                def restore(self, sess, save_path):
                    raise error

            error = KeyError("mine")
            with self.assertRaises(KeyError) as raised:
                tf.train.SessionManager().recover_session("", Mine(), self.folder)
            self.assertIs(raised.exception, error)


class Supervisors(InFolder):
    def test_a_run_that_goes_on(self) -> None:
        for expected in (5, 10):
            with tf.Graph().as_default():
                step, w, train = self.model()
                sv = tf.train.Supervisor(logdir=self.folder, save_model_secs=600, save_summaries_secs=600)
                with sv.managed_session() as sess:
                    for _ in range(5):
                        sess.run(train)
                    self.assertEqual(sess.run(sv.global_step), expected)
                    sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
                self.assertTrue(sv.should_stop())
        self.assertEqual(tf.train.latest_checkpoint(self.folder), os.path.join(self.folder, "model.ckpt-10"))
        events = [event for path in glob.glob(self.folder + "/events*") for event in tf.train.summary_iterator(path)]
        kinds = {event.WhichOneof("what") for event in events}
        self.assertLessEqual({"file_version", "graph_def", "session_log", "summary"}, kinds)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "graph.pbtxt")))

    def test_errors(self) -> None:
        error = KeyError("mine")
        with tf.Graph().as_default():
            self.model()
            sv = tf.train.Supervisor(logdir=self.folder)
            with self.assertRaises(KeyError) as raised, sv.managed_session():
                raise error
            self.assertIs(raised.exception, error)
            with sv.managed_session():
                raise tf.errors.OutOfRangeError(None, None, "the end of the input is a good end")

    def test_functions_that_initialise(self) -> None:
        seen = []
        with tf.Graph().as_default():
            value = tf.placeholder(tf.float32, [])
            w = tf.Variable(value, name="w")
            sv = tf.train.Supervisor(
                init_feed_dict={value: 5.0}, init_fn=lambda sess: seen.append(sess.run(w)), summary_op=None, saver=None)
            sess = sv.prepare_or_wait_for_session(start_standard_services=False)
            self.assertEqual((sess.run(w), seen), (5.0, [5.0]))
            sv.stop()
            sess.close()
            self.assertIsNone(sv.saver)

    def test_a_model_that_is_not_ready(self) -> None:
        with tf.Graph().as_default():
            tf.Variable(1.0, name="w")
            with self.assertRaisesRegex(RuntimeError, "did not make the model ready"):
                tf.train.Supervisor(init_op=tf.no_op()).prepare_or_wait_for_session()

    def test_summaries_of_the_program(self) -> None:
        with tf.Graph().as_default():
            step, w, train = self.model()
            merged = tf.summary.merge_all()
            sv = tf.train.Supervisor(logdir=self.folder, summary_op=None, save_model_secs=0)
            with sv.managed_session() as sess:
                sess.run(train)
                sv.summary_computed(sess, sess.run(merged))
        [path] = glob.glob(self.folder + "/events*")
        tags = [value.tag for event in tf.train.summary_iterator(path) for value in event.summary.value]
        self.assertIn("loss", tags)
        self.assertIsNone(tf.train.latest_checkpoint(self.folder))

    def test_loops(self) -> None:
        with tf.Graph().as_default():
            tf.Variable(1.0)
            sv, seen = tf.train.Supervisor(), []

            def work() -> None:
                seen.append(1)
                sv.request_stop()

            with sv.managed_session():
                sv.loop(0.001, work)
                sv.wait_for_stop()
            self.assertEqual(seen, [1])

    def test_threads_save_the_model(self) -> None:
        with tf.Graph().as_default():
            step, w, train = self.model()
            sv = tf.train.Supervisor(logdir=self.folder, save_model_secs=1)
            sess = sv.prepare_or_wait_for_session()
            while tf.train.latest_checkpoint(self.folder) is None:
                sv.coord.wait_for_stop(0.01)
            sv.stop()
            sess.close()

    def test_a_worker_waits_for_the_chief(self) -> None:
        ps, chief, worker = processes.addresses(3)
        cluster = {"ps": [ps], "worker": [chief, worker]}
        servers = [tf.train.Server(cluster, "ps", 0)] + [tf.train.Server(cluster, "worker", i) for i in range(2)]
        waits, results, failures = threading.Event(), [], []

        def work(task: int) -> None:
            try:
                with tf.Graph().as_default():
                    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")):
                        step, w, train = self.model()
                    sv = tf.train.Supervisor(
                        is_chief=task == 0, logdir=os.path.join(self.folder, str(task)), recovery_wait_secs=0.1)
                    if task == 1:
                        waits.set()
                    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{task}"])
                    with sv.managed_session(servers[task + 1].target, config=config) as sess:
                        sess.run(train)
                        results.append(int(sess.run(step)))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(task,), daemon=True) for task in (1, 0)]
        threads[0].start()
        self.assertTrue(waits.wait(30))
        threads[1].start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failures, [])
        self.assertEqual(sorted(results)[-1], 2)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "1")))


class SessionManagers(InFolder):
    def test_recovery(self) -> None:
        with tf.Graph().as_default():
            w = tf.Variable(1.0, name="w")
            saver = tf.train.Saver()
            manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
            sess, ready = manager.recover_session("", saver, self.folder)
            self.assertFalse(ready)
            sess.run(w.initializer)
            saver.save(sess, os.path.join(self.folder, "m"))
            sess.close()
            sess, ready = manager.recover_session("", saver, self.folder)
            self.assertTrue(ready)
            self.assertEqual(sess.run(w), 1.0)
            sess.close()

    def test_a_wait_that_is_too_long(self) -> None:
        with tf.Graph().as_default():
            tf.Variable(1.0, name="w")
            manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=0.1)
            with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "Variables not initialized: w"):
                manager.wait_for_session("", max_wait_secs=0.3)

    def test_checkpoints_of_monitored_sessions(self) -> None:
        saved = []

        class Listener(tf.train.CheckpointSaverListener):
            def after_save(self, session, global_step_value):
                saved.append(global_step_value)

        for expected in (3, 6):
            with tf.Graph().as_default():
                step, w, train = self.model()
                hook = tf.train.CheckpointSaverHook(self.folder, save_steps=2, listeners=[Listener()])
                hooks = [tf.train.StopAtStepHook(num_steps=3), hook]
                with tf.train.MonitoredTrainingSession(
                        checkpoint_dir=self.folder, hooks=hooks, save_checkpoint_secs=None, save_summaries_steps=1) as sess:
                    while not sess.should_stop():
                        last = sess.run([train, step])[1]
                self.assertIn(last, (expected, expected - 1))
        self.assertEqual(saved, [0, 2, 3, 3, 5, 6])
        tf.summary.FileWriterCache.clear()


if __name__ == "__main__":
    unittest.main()
