"""Steps in several calls."""

import unittest

import tensorfleet.v1 as tf


class PartialRuns(unittest.TestCase):
    def setUp(self) -> None:
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        self.a, self.b, self.c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")

    def sessions(self):
        """In the process, and on a server."""
        server = tf.train.Server.create_local_server()
        for target in ("", server.target):
            with self.subTest(target=bool(target)), tf.Session(target) as sess:
                yield sess

    def test_values_go_from_call_to_call(self) -> None:
        first, = [self.a + self.b]
        second = first * self.c
        for sess in self.sessions():
            handle = sess.partial_run_setup([first, second], [self.a, self.b, self.c])
            self.assertEqual(sess.partial_run(handle, first, {self.a: 1, self.b: 2}), 3)
            self.assertEqual(sess.partial_run(handle, {"x": second}, {self.c: 5}), {"x": 15})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "no run"):
                sess.partial_run(handle, second)

    def test_every_operation_runs_once(self) -> None:
        """What the first call drew at random, and counted, the second one finds."""
        noise = tf.random_uniform([])
        counter = tf.Variable(0.0)
        count = tf.assign_add(counter, 1.0)
        first = noise + self.a + 0.0 * count
        second = noise + count + self.b
        for sess in self.sessions():
            sess.run(counter.initializer)
            handle = sess.partial_run_setup([first, second, noise], [self.a, self.b])
            one = sess.partial_run(handle, first, {self.a: 0})
            two = sess.partial_run(handle, second, {self.b: 10})
            self.assertAlmostEqual(two - one, 11, places=5)
            self.assertAlmostEqual(sess.partial_run(handle, noise), one, places=6)
            self.assertEqual(sess.run(counter), 1.0)

    def test_operations_run_when_they_can(self) -> None:
        v = tf.Variable(0.0)
        put = tf.assign(v, self.b).op
        with tf.Session() as sess:
            sess.run(v.initializer)
            handle = sess.partial_run_setup([self.a * 2.0, put, "mul:0"], [self.a, self.b])
            sess.partial_run(handle, "mul:0", {self.a: 1.0, self.b: 4.0})
            self.assertEqual(sess.run(v), 4.0)

    def test_mistakes(self) -> None:
        total = self.a + self.b
        with tf.Session() as sess:
            for feeds, fetch, words in (
                ({self.c: 1}, total, "The feed c:0 was not specified"), ({self.a: 1}, self.c + 1.0, "was not specified"),
                ({self.a: 1}, total, "b:0 must be fed before add:0"),
            ):
                handle = sess.partial_run_setup([total], [self.a, self.b])
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, words):
                    sess.partial_run(handle, fetch, feeds)
            with self.assertRaisesRegex(RuntimeError, "partial_run_setup"):
                sess.partial_run(sess.partial_run_setup([total]), total.op)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "no run"):
                sess.partial_run("nothing", total)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            sess.partial_run_setup([total])


if __name__ == "__main__":
    unittest.main()
