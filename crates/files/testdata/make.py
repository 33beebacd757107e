"""Writes the files of this folder with TensorFlow 2.21: python make.py (from anywhere)."""

import os
import shutil
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "interop"))

from judge import tf  # noqa: E402

here = os.path.dirname(os.path.abspath(__file__))
tf1 = tf.compat.v1


def path(name):
    return os.path.join(here, name)


for name, compression in (("plain", ""), ("zlib", "ZLIB"), ("gzip", "GZIP")):
    with tf.io.TFRecordWriter(path(name + ".tfrecord"), compression) as writer:
        for record in (b"abc", b"", b"x" * 1000):
            writer.write(record)

part = np.arange(15, dtype=np.float32).reshape(5, 3)
long = np.arange(20000, dtype=np.uint8)
tensors = [
    ("floats", "", np.array([[1.5, -2.0], [0.0, 3.25]], np.float32)),
    ("step", "", np.int64(42)),
    ("names", "", tf.constant([[b"a", b"", b"bcd"]])),
    ("no_names", "", tf.constant([], tf.string)),
    ("empty", "", np.zeros((0, 4), np.int32)),
    ("flags", "", np.array([True, False])),
    ("brain", "", tf.constant([1.0, 2.0], tf.bfloat16)),
    ("complex", "", np.complex64(1 + 2j)),
    ("part", "5 3 0,2:-", part[:2]),
    ("part", "5 3 2,3:0,2", part[2:, :2]),
    ("part", "5 3 2,3:2,1", part[2:, 2:]),
    ("hole", "5 3 0,2:-", part[:2]),
    ("long", "20000 0,70", long[:70]),
    ("long", "20000 70,10000", long[70:10070]),
    ("long", "20000 10070,9930", long[10070:]),
]
tf.raw_ops.SaveV2(
    prefix=path("model"),
    tensor_names=[name for name, _, _ in tensors],
    shape_and_slices=[spec for _, spec, _ in tensors],
    tensors=[value for _, _, value in tensors],
)
old = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.array([1, 2, 3], np.int64),
    "c": np.array(True),
    "d": np.array([1.5, 2.5]),
    "e": np.array([[1 + 2j]], np.complex64),
    "f": np.array([1, 255], np.uint8),
    "g": np.array([b"xy", b"", b"z"], dtype=object),
    "h": np.array([1, 2], np.float16),
}
tf.raw_ops.Save(filename=path("v1.ckpt"), tensor_names=list(old), data=list(old.values()))
for shard, names, specs, data in (
    (0, ["w"], ["4 2 0,2:-"], [np.ones((2, 2), np.float32)]),
    (1, ["w", "x"], ["4 2 2,2:-", ""], [np.zeros((2, 2), np.float32), np.float32(3)]),
):
    file = path(f"v1-sharded-{shard:05}-of-00002")
    tf.raw_ops.SaveSlices(filename=file, tensor_names=names, shapes_and_slices=specs, data=data)
with tempfile.TemporaryDirectory() as folder:
    with tf1.Graph().as_default():
        writer = tf1.summary.FileWriter(folder)
        writer.add_summary(tf1.Summary(value=[tf1.Summary.Value(tag="loss", simple_value=0.5)]), 7)
        writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.CHECKPOINT, checkpoint_path="model"), 8)
        writer.close()
    (name,) = os.listdir(folder)
    shutil.copy(os.path.join(folder, name), path("events.out.tfevents.1.host"))
