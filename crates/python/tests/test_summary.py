"""Summaries and event files."""

import glob
import shutil
import tempfile
import unittest

import tensorfleet.v1 as tf


class Summaries(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="tensorfleet-summary-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def events(self) -> list:
        return [event for path in sorted(glob.glob(self.folder + "/*")) for event in tf.train.summary_iterator(path)]

    def test_values(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.summary.scalar("loss", tf.constant(0.5))
            tf.summary.histogram("h", tf.constant([1.0, 2.0, 2.0]))
            tf.summary.image("im", tf.zeros([5, 2, 2, 3]), max_outputs=2)
            tf.summary.text("words", tf.constant("hello"))
            merged = tf.summary.merge_all()
            with tf.summary.FileWriter(self.folder, sess.graph) as writer:
                writer.add_summary(sess.run(merged), 3)
                writer.add_summary(sess.run(merged), 4)
        events = self.events()
        self.assertEqual([event.WhichOneof("what") for event in events], ["file_version", "graph_def", "summary", "summary"])
        first, second = events[2].summary.value, events[3].summary.value
        self.assertEqual([value.tag for value in first], ["loss", "h", "im/image/0", "im/image/1", "words"])
        self.assertEqual((first[0].simple_value, first[1].histo.num, first[1].histo.sum), (0.5, 3.0, 5.0))
        self.assertEqual(first[4].metadata.plugin_data.plugin_name, "text")
        self.assertFalse(second[4].HasField("metadata"))
        self.assertEqual([event.step for event in events[2:]], [3, 4])

    def test_none(self) -> None:
        with tf.Graph().as_default():
            self.assertIsNone(tf.summary.merge_all())

    def test_collections_and_scopes(self) -> None:
        with tf.Graph().as_default():
            tf.summary.scalar("a", 1.0, collections=["mine"])
            with tf.name_scope("net"):
                tf.summary.scalar("b", 1.0)
            self.assertEqual([t.op.name for t in tf.get_collection("mine")], ["a"])
            self.assertEqual([t.op.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)], ["net/b"])
            self.assertIsNone(tf.summary.merge_all(scope="other"))

    def test_closing_and_going_on(self) -> None:
        writer = tf.summary.FileWriter(self.folder)
        writer.close()
        writer.close()
        writer.add_event(tf.Event(step=1))
        writer.reopen()
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 7)
        writer.flush()
        self.assertEqual([event.step for event in self.events() if event.WhichOneof("what") == "session_log"], [7])
        writer.close()
        self.assertEqual(writer.get_logdir(), self.folder)

    def test_one_writer_for_a_folder(self) -> None:
        with tf.Graph().as_default():
            one = tf.summary.FileWriterCache.get(self.folder)
            self.assertIs(one, tf.summary.FileWriterCache.get(self.folder))
        tf.summary.FileWriterCache.clear()

    def test_a_folder_that_cannot_be(self) -> None:
        with open(self.folder + "/file", "w"):
            pass
        with self.assertRaises(tf.errors.OpError):
            tf.summary.FileWriter(self.folder + "/file/below")


if __name__ == "__main__":
    unittest.main()
