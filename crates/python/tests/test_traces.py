"""Traces of steps: metadata of runs, timelines, and the hook that writes them."""

import glob
import json
import os
import shutil
import tempfile
import unittest

import tensorfleet.v1 as tf
from tensorfleet.v1.python.client import timeline

FULL = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


class Traces(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="tensorfleet-traces-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def traced(self, target: str):
        """The metadata of a step of two operations, and its graph."""
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [2, 2], name="x")
            total = tf.reduce_sum(tf.matmul(x, x, name="product"), name="total")
            metadata = tf.RunMetadata()
            with tf.Session(target) as sess:
                value = sess.run(total, {x: [[1.0, 2.0], [3.0, 4.0]]}, options=FULL, run_metadata=metadata)
        self.assertEqual(value, 54.0)
        return metadata, graph

    def test_a_local_step_and_one_on_a_server(self) -> None:
        server = tf.train.Server.create_local_server()
        for target, device in (("", "/job:localhost/replica:0/task:0/device:CPU:0"), (server.target, "/job:local")):
            metadata, _ = self.traced(target)
            ran = {node.node_name: node for dev in metadata.step_stats.dev_stats for node in dev.node_stats}
            self.assertIn(device, metadata.step_stats.dev_stats[0].device)
            self.assertEqual(ran["product"].timeline_label.partition("(")[0], "product = MatMul")
            self.assertGreater(ran["total"].all_start_micros, 1_500_000_000_000_000)
            self.assertGreaterEqual(ran["total"].all_start_micros, ran["product"].all_start_micros)

    def test_without_a_level_there_is_no_trace(self) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            metadata = tf.RunMetadata()
            metadata.step_stats.dev_stats.add(device="of an earlier step")
            self.assertEqual(sess.run(tf.constant(3), run_metadata=metadata), 3)
            self.assertEqual(len(metadata.step_stats.dev_stats), 0)
            self.assertEqual(sess.run(tf.constant(4), options=FULL), 4)

    def test_timelines(self) -> None:
        metadata, graph = self.traced("")
        events = json.loads(timeline.Timeline(metadata.step_stats, graph).generate_chrome_trace_format())["traceEvents"]
        ops = {event["args"]["name"]: event for event in events if event["ph"] == "X"}
        self.assertEqual((ops["product"]["name"], ops["total"]["args"]["input0"]), ("MatMul", "product"))
        arrows = [event for event in events if event.get("cat") == "DataFlow"]
        self.assertIn(("s", "product"), [(event["ph"], event["name"]) for event in arrows])
        processes = [event["args"]["name"] for event in events if event["ph"] == "M"]
        self.assertEqual(processes, ["/job:localhost/replica:0/task:0/device:CPU:0 Compute"])
        # What runs at the same time is in lanes of its own.
        by_lane: dict[int, int] = {}
        for event in sorted(ops.values(), key=lambda event: event["ts"]):
            self.assertGreaterEqual(event["ts"], by_lane.get(event["tid"], 0))
            by_lane[event["tid"]] = event["ts"] + event["dur"]

    def test_events(self) -> None:
        metadata, graph = self.traced("")
        with tf.summary.FileWriter(self.folder, graph) as writer:
            writer.add_run_metadata(metadata, "step 1", 1)
            with self.assertRaisesRegex(ValueError, "step 1"):
                writer.add_run_metadata(metadata, "step 1", 1)
        (path,) = glob.glob(self.folder + "/events*")
        (tagged,) = [e.tagged_run_metadata for e in tf.train.summary_iterator(path) if e.HasField("tagged_run_metadata")]
        self.assertEqual(tagged.tag, "step 1")
        self.assertEqual(tf.RunMetadata.FromString(tagged.run_metadata), metadata)

    def test_the_hook(self) -> None:
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            more = tf.assign_add(step, 1)
            hook = tf.train.ProfilerHook(save_steps=2, output_dir=self.folder)
            with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
                for _ in range(5):
                    sess.run(more)
        traces = sorted(os.path.basename(path) for path in glob.glob(self.folder + "/timeline-*.json"))
        self.assertEqual(len(traces), 2, traces)
        with open(os.path.join(self.folder, traces[0])) as stream:
            self.assertTrue(json.load(stream)["traceEvents"])
        with tf.Graph().as_default(), self.assertRaisesRegex(RuntimeError, "global step"):
            tf.train.SingularMonitoredSession(hooks=[tf.train.ProfilerHook(save_steps=2, output_dir=self.folder)])


if __name__ == "__main__":
    unittest.main()
