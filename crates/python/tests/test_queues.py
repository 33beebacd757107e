"""Queues, readers, input producers, batches and files of records."""

import os
import shutil
import tempfile
import threading
import unittest

import tensorfleet.v1 as tf


class Queues(unittest.TestCase):
    def test_order(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            queue = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], []])
            sess.run(queue.enqueue([1, "one"]))
            sess.run(queue.enqueue_many([[2, 3], ["two", "three"]]))
            self.assertEqual(sess.run(queue.size()), 3)
            number, word = queue.dequeue()
            self.assertEqual(sess.run([number, word]), [1, b"one"])
            numbers, words = queue.dequeue_many(2)
            self.assertEqual(numbers.shape.as_list(), [2])
            self.assertEqual(sess.run(numbers).tolist(), [2, 3])
            self.assertFalse(sess.run(queue.is_closed()))
            sess.run(queue.close())
            self.assertTrue(sess.run(queue.is_closed()))
            with self.assertRaises(tf.errors.OutOfRangeError):
                sess.run(number)
            with self.assertRaises(tf.errors.CancelledError):
                sess.run(queue.enqueue([1, "one"]))

    def test_kinds(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            shuffled = tf.RandomShuffleQueue(10, 0, tf.int32, shapes=[[]], seed=1)
            sess.run(shuffled.enqueue_many([list(range(10))]))
            self.assertEqual(sorted(sess.run(shuffled.dequeue_many(10)).tolist()), list(range(10)))
            padded = tf.PaddingFIFOQueue(10, tf.int32, shapes=[[None]])
            sess.run(padded.enqueue([[1]]))
            sess.run(padded.enqueue([[2, 3]]))
            self.assertEqual(sess.run(padded.dequeue_many(2)).tolist(), [[1, 0], [2, 3]])
            ranked = tf.PriorityQueue(10, [tf.string], shapes=[[]])
            sess.run(ranked.enqueue_many([[3, 1, 2], ["c", "a", "b"]]))
            self.assertEqual(sess.run(ranked.dequeue()), [1, b"a"])
            named = tf.FIFOQueue(10, [tf.int32, tf.int32], names=["a", "b"])
            sess.run(named.enqueue({"a": 1, "b": 2}))
            self.assertEqual(sess.run(named.dequeue()), {"a": 1, "b": 2})

    def test_waits(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
            put, taken, seen = queue.enqueue(7), queue.dequeue(), []
            thread = threading.Thread(target=lambda: seen.append(sess.run(taken)))
            thread.start()
            sess.run(put)
            thread.join(30)
            self.assertEqual(seen, [7])
            with self.assertRaises(tf.errors.DeadlineExceededError):
                sess.run(taken, options=tf.RunOptions(timeout_in_ms=50))

    def test_mistakes(self) -> None:
        with tf.Graph().as_default():
            queue = tf.FIFOQueue(1, tf.int32, shapes=[[2]])
            with self.assertRaises(ValueError):
                queue.enqueue([[1, 2, 3]])
            with self.assertRaises(ValueError):
                queue.enqueue([[1, 2], [3, 4]])
            with self.assertRaises(ValueError):
                tf.FIFOQueue(1, [tf.int32, tf.int32], shapes=[[2]])
            with self.assertRaises(ValueError):
                tf.FIFOQueue(1, tf.int32, shapes=[[None]])

    def test_accumulators(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            sums = tf.ConditionalAccumulator(tf.float32, shape=[])
            for value in (1.0, 3.0):
                sess.run(sums.apply_grad(value))
            self.assertEqual(sess.run(sums.num_accumulated()), 2)
            self.assertEqual(sess.run(sums.take_grad(2)), 2.0)
            rows = tf.SparseConditionalAccumulator(tf.float32, shape=[3, 1])
            sess.run(rows.apply_grad([1], [[4.0]], [3, 1]))
            taken = rows.take_indexed_slices_grad(1)
            self.assertEqual(sess.run(taken.values).tolist(), [[4.0]])


class Input(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="tensorfleet-queues-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name: str, content: str) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "w") as stream:
            stream.write(content)
        return path

    def run_all(self, tensors) -> list:
        """What a pipeline gives until its end."""
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord, seen = tf.train.Coordinator(), []
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            self.assertTrue(threads)
            try:
                while not coord.should_stop():
                    seen.append(sess.run(tensors))
            except tf.errors.OutOfRangeError:
                pass
            finally:
                coord.request_stop()
            coord.join(threads)
            self.assertFalse(any(thread.is_alive() for thread in threads))
            return seen

    def test_lines_of_files(self) -> None:
        paths = [self.file("a.csv", "x,y\n1,2\n3,4\n"), self.file("b.csv", "x,y\n5,6\n")]
        with tf.Graph().as_default():
            names = tf.train.string_input_producer(paths, num_epochs=1, shuffle=False)
            key, line = tf.TextLineReader(skip_header_lines=1).read(names)
            x, y = tf.decode_csv(line, [[0], [0]])
            batch = tf.train.batch([x, y], 2, allow_smaller_final_batch=True)
            seen = self.run_all(batch)
        self.assertEqual([[part.tolist() for part in parts] for parts in seen], [[[1, 3], [2, 4]], [[5], [6]]])

    def test_records(self) -> None:
        path = os.path.join(self.folder, "records")
        for compression in (None, tf.python_io.TFRecordCompressionType.GZIP):
            options = None if compression is None else tf.python_io.TFRecordOptions(compression)
            with tf.python_io.TFRecordWriter(path, options) as writer:
                for number in range(5):
                    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
                    writer.write(tf.train.Example(features=tf.train.Features(feature={"n": feature})).SerializeToString())
            first = next(tf.python_io.tf_record_iterator(path, options))
            self.assertEqual(tf.train.Example.FromString(first).features.feature["n"].int64_list.value, [0])
            with tf.Graph().as_default():
                names = tf.train.string_input_producer([path], num_epochs=1)
                _, record = tf.TFRecordReader(options=options).read(names)
                number = tf.parse_single_example(record, {"n": tf.FixedLenFeature([], tf.int64)})["n"]
                batch = tf.train.shuffle_batch(
                    [number], 5, capacity=20, min_after_dequeue=3, num_threads=2, allow_smaller_final_batch=True)
                seen = self.run_all(batch)
            self.assertEqual(sorted(number for part in seen for number in part.tolist()), [0, 1, 2, 3, 4])

    def test_rows(self) -> None:
        with tf.Graph().as_default():
            a, b = tf.train.slice_input_producer([tf.constant([1, 2, 3]), tf.constant([4, 5, 6])], num_epochs=2, shuffle=False)
            self.assertEqual(self.run_all([a, b]), [[1, 4], [2, 5], [3, 6]] * 2)

    def test_whole_files_that_fit_a_pattern(self) -> None:
        self.file("a.txt", "one")
        self.file("b.txt", "two")
        with tf.Graph().as_default():
            names = tf.train.match_filenames_once(os.path.join(self.folder, "*.txt"))
            queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
            seen = self.run_all(tf.WholeFileReader().read(queue).value)
        self.assertEqual(seen, [b"one", b"two"])

    def test_what_a_thread_fails_with(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            queue = tf.FIFOQueue(10, tf.int32)
            nobody_feeds = tf.placeholder(tf.int32, [])
            tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(nobody_feeds)]))
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            with self.assertRaises(tf.errors.InvalidArgumentError):
                coord.join(threads)

    def test_threads_that_begin_later(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
            runner, coord = tf.train.QueueRunner(queue, [queue.enqueue(3)] * 2), tf.train.Coordinator()
            threads = runner.create_threads(sess, coord)
            self.assertEqual([thread.is_alive() for thread in threads], [False, False])
            for thread in threads:
                thread.start()
            self.assertEqual(sess.run(queue.dequeue()), 3)
            self.assertEqual(runner.create_threads(sess, coord, start=True), [])
            coord.request_stop()
            coord.join(threads)

    def test_messages_of_runners(self) -> None:
        with tf.Graph().as_default():
            tf.train.range_input_producer(3)
            [runner] = tf.get_collection("queue_runners")
            again = tf.train.QueueRunner.from_proto(runner.to_proto())
            self.assertEqual((again.name, again.enqueue_ops), (runner.name, runner.enqueue_ops))

    def test_without_a_session(self) -> None:
        with self.assertRaisesRegex(ValueError, "No default session"):
            tf.train.start_queue_runners()


if __name__ == "__main__":
    unittest.main()
