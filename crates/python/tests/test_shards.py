"""Data handed out to workers, each record once an epoch."""

import time
import unittest

import numpy as np
import processes
import tensorfleet
import tensorfleet.v1 as tf

RECORDS = 300

WORKER = """
import sys, time
import numpy as np
import tensorfleet.v1 as tf
from tensorfleet import Shards

job, task, ps, workers, records = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4].split(","), int(sys.argv[5])
cluster = tf.train.ClusterSpec({"ps": ps.split(","), "worker": workers})
server = tf.train.Server(cluster, job, task)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")):
    shards = Shards.ranges(records, 30, epochs=2, lease_secs=1.0)
    seen = tf.Variable(np.zeros([records], np.int32), trainable=False, name="seen", use_resource=False)
    w = tf.Variable(0.0)
    numbers = tf.placeholder(tf.int64, [None])
    opt = tf.train.GradientDescentOptimizer(0.001)
    loss = tf.reduce_mean(tf.square(w - tf.cast(numbers, tf.float32)))
    pairs = opt.compute_gradients(loss, [w])
    *pairs, (counted, _) = shards.gate(pairs + [(numbers, seen)])
    train = tf.group(opt.apply_gradients(pairs), tf.scatter_add(seen, counted, tf.ones_like(counted, tf.int32)))
config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{task}"])
with tf.train.MonitoredTrainingSession(server.target, task == 0, config=config) as sess:
    worker = shards.worker(f"worker {task}")
    while (batch := worker.next(sess, 4)) is not None:
        worker.train(sess, train, {numbers: np.arange(batch.begin, batch.end)})
        print("trained", flush=True)
        time.sleep(0.01)
    print("seen", sorted(set(sess.run(seen).tolist())), flush=True)
"""


class HandedOut(unittest.TestCase):
    def test_alone(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            shards = tensorfleet.Shards([("a", 0, 10), ("b", 5, 5), ("c", 0, None)], epochs=2, lease_secs=60.0)
            count = tf.Variable(np.zeros([2, 20], np.int32), use_resource=False, trainable=False)
            where = tf.placeholder(tf.int64, [None, 2])
            [(gated, _)] = shards.gate([(where, count)])
            add = tf.scatter_nd_add(count, gated, tf.ones(tf.shape(gated)[:1], tf.int32))
            sess.run(tf.global_variables_initializer())
            one, other = shards.worker("one"), shards.worker("other")
            first = one.poll(sess, 4)
            assert first is not None
            self.assertEqual((first.source, first.begin, first.end, first.epoch, first.may_end), ("a", 0, 4, 0, False))
            second = other.poll(sess, 4)
            assert second is not None
            self.assertEqual((second.source, second.begin, second.may_end), ("c", 0, True))
            self.assertIsNone(shards.worker("third").poll(sess, 4))
            self.assertIsNotNone(one.train(sess, add, {where: [[0, number] for number in range(4)]}))
            other.give_back(sess)
            # Who was started anew finds where it was.
            one = shards.worker("one")
            while (batch := one.next(sess, 4)) is not None:
                row, numbers = int(batch.source == "c"), range(batch.begin, batch.end)
                if batch.source == "c" and batch.end > 7:
                    one.end_after(7 - batch.begin)
                    numbers = range(batch.begin, 7)
                self.assertIsNotNone(one.train(sess, add, {where: [[row, number] for number in numbers]}))
            np.testing.assert_array_equal(sess.run(count)[:, :11], [[2] * 10 + [0], [2] * 7 + [0] * 4])

    def test_taken(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            shards = tensorfleet.Shards.ranges(10, 10, lease_secs=0.001)
            total = tf.Variable(0, use_resource=False, trainable=False)
            [(one, _)] = shards.gate([(tf.constant(1), total)])
            add = tf.assign_add(total, one)
            sess.run(tf.global_variables_initializer())
            slow, quick = shards.worker("slow"), shards.worker("quick")
            slow.next(sess, 5)
            time.sleep(0.01)
            quick.next(sess, 5)
            self.assertIsNotNone(quick.train(sess, add))
            self.assertIsNone(slow.train(sess, add))
            self.assertEqual(sess.run(total), 1)
            with self.assertRaisesRegex(ValueError, "no records were handed out"):
                slow.train(sess, add)

    def test_mistakes(self) -> None:
        with tf.Graph().as_default():
            for wrong in ([], [("a", 3, 2)], [("a", -1, None)]):
                with self.assertRaises(ValueError):
                    tensorfleet.Shards(wrong)
            with self.assertRaisesRegex(ValueError, "no gradient"):
                tensorfleet.Shards.files(["a"]).gate([(None, tf.Variable(1.0))])
        with self.assertRaises(AttributeError):
            tensorfleet.Shard  # type: ignore[attr-defined]

    def test_a_worker_that_is_killed(self) -> None:
        ps, workers = ",".join(processes.addresses(2)), ",".join(processes.addresses(3))
        with processes.Folder() as folder:
            start = lambda name, job, task: folder.start(name, WORKER, job, str(task), ps, workers, str(RECORDS), alias=False)
            for task in range(2):
                start(f"ps{task}", "ps", task)
            chief, lost = start("chief", "worker", 0), start("lost", "worker", 1)
            deadline = time.monotonic() + 60
            while lost.output().count("trained") < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            lost.process.kill()
            late = start("late", "worker", 2)
            for program in (chief, late):
                self.assertIn("seen [2]", program.finish(60), program.name)


if __name__ == "__main__":
    unittest.main()
