"""Checkpoints, and readers of files."""

import glob
import os
import tempfile

import numpy as np
from judge import tf

from .scenario import *

SAVED = {"a": values((2, 3)), "b/c": values((), np.int64), "s": np.array([b"x", b"", b"longer text"], object),
         "h": values((4,), np.float16), "bf": values((3,), bfloat16), "flag": np.array([True, False]), "empty": values((0, 2)),
         "d": values((2,), np.float64), "u8": values((3,), np.uint8)}


def record(f):
    save(f)
    restore(f)
    slices(f)
    merge(f)
    savers(f)
    filenames(f)
    readers(f)


def save(f):
    with f.scenario("SaveV2") as s:
        prefix = v1.placeholder(tf.string, name="prefix")
        names = sorted(SAVED)
        write = tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=[""] * len(names),
                                  tensors=[tf.constant(SAVED[name]) for name in names])
        read = tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=[""] * len(names),
                                    dtypes=[tf.constant(SAVED[name]).dtype for name in names])
        where = np.array(s.path("model"), object)
        s.run(list(read), {prefix: where})
        s.run([], {prefix: where}, targets=[write])
        s.run(list(read), {prefix: where})
        s.run([], {prefix: where}, targets=[write])
        s.run(list(read), {prefix: where})
        s.run([], {prefix: np.array([s.path("model")], object)}, targets=[write], phrase="")
    with f.scenario("SaveV2/mistakes") as s:
        prefix = v1.placeholder(tf.string, name="prefix")
        where = np.array(s.path("model"), object)
        s.run([], {prefix: where}, targets=[
            tf.raw_ops.SaveV2(prefix=prefix, tensor_names=v1.placeholder_with_default(["a", "b"], None),
                              shape_and_slices=v1.placeholder_with_default(["", ""], None), tensors=[tf.constant(1)])])
        s.run([], {prefix: where}, targets=[
            tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["a", "a"], shape_and_slices=["", ""],
                              tensors=[tf.constant(1), tf.constant(2)])], phrase="")


def written(tensors, sharded=False):
    """The files of a checkpoint that TensorFlow itself has written."""
    folder = tempfile.mkdtemp()
    with v1.Session(graph=tf.Graph()) as session:
        names = sorted(tensors)
        session.run(tf.raw_ops.SaveV2(prefix=folder + "/ckpt", tensor_names=names, shape_and_slices=[""] * len(names),
                                      tensors=[tf.constant(tensors[name]) for name in names]))
    files = {}
    for path in sorted(glob.glob(folder + "/*")):
        with open(path, "rb") as file:
            files[os.path.basename(path)] = file.read()
        os.remove(path)
    os.rmdir(folder)
    return files


def restore(f):
    files = written(SAVED)
    with f.scenario("RestoreV2", files) as s:
        prefix = v1.placeholder(tf.string, name="prefix")
        where = np.array(s.path("ckpt"), object)
        for name, value in SAVED.items():
            kind = tf.constant(value).dtype
            s.run(list(tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=[name], shape_and_slices=[""], dtypes=[kind])),
                  {prefix: where})
        one = lambda name, shape, kind: list(
            tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=[name], shape_and_slices=[shape], dtypes=[kind]))
        s.run(one("a", "2 3 0,1:-", tf.float32), {prefix: where})
        s.run(one("a", "2 3 -:1,2", tf.float32), {prefix: where})
        s.run(one("a", "2 3 1,1:0,1", tf.float32), {prefix: where})
        s.run(one("missing", "", tf.float32), {prefix: where})
        s.run(one("a", "", tf.int32), {prefix: where})
        s.run(one("a", "3 3 -:-", tf.float32), {prefix: where}, phrase="")
        s.run(one("a", "", tf.float32), {prefix: np.array(s.path("nothing"), object)})


def slices(f):
    with f.scenario("SaveV2/slices") as s:
        prefix = v1.placeholder(tf.string, name="prefix")
        x, y = values((2, 4)), values((2, 4), seed=6)
        where = np.array(s.path("model"), object)
        write = tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["w", "w"], shape_and_slices=["4 4 0,2:-", "4 4 2,2:-"],
                                  tensors=[tf.constant(x), tf.constant(y)])
        one = lambda spec: list(tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=["w"], shape_and_slices=[spec], dtypes=[tf.float32]))
        s.run([], {prefix: where}, targets=[write])
        for spec in ["", "4 4 -:-", "4 4 0,2:-", "4 4 1,2:1,3", "4 4 3,1:0,1"]:
            s.run(one(spec), {prefix: where})


def merge(f):
    with f.scenario("MergeV2Checkpoints") as s:
        parts = v1.placeholder(tf.string, name="parts")
        prefix = v1.placeholder(tf.string, name="prefix")
        put = lambda name, value: tf.raw_ops.SaveV2(prefix=prefix, tensor_names=[name], shape_and_slices=[""], tensors=[tf.constant(value)])
        a, b = put("a", values((2,))), put("b", values((3,), np.int32))
        join = tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=prefix)
        read = tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=["a", "b"], shape_and_slices=["", ""], dtypes=[tf.float32, tf.int32])
        one, two, both = (np.array(s.path(name), object) for name in ("tmp/part1", "tmp/part2", "both"))
        s.run([], {prefix: one}, targets=[a])
        s.run([], {prefix: two}, targets=[b])
        s.run([], {prefix: both, parts: np.array([s.path("tmp/part1"), s.path("tmp/part2")], object)}, targets=[join])
        s.run(list(read), {prefix: both})
        s.run([], {prefix: both, parts: np.array([s.path("none")], object)}, targets=[join], phrase="")


def savers(f):
    for use_resource in [False, True]:
        for sharded in [False, True]:
            with f.scenario(f"Saver/{'resource' if use_resource else 'ref'}{'_sharded' if sharded else ''}") as s:
                w = v1.get_variable("w", initializer=values((2, 2)), use_resource=use_resource)
                n = v1.get_variable("n", initializer=np.int64(3), use_resource=use_resource)
                saver = v1.train.Saver(sharded=sharded)
                definition = saver.as_saver_def()
                graph = v1.get_default_graph()
                name = graph.get_tensor_by_name(definition.filename_tensor_name)
                save_path = graph.get_tensor_by_name(definition.save_tensor_name)
                restore_op = graph.get_operation_by_name(definition.restore_op_name)
                change = tf.group(v1.assign(w, tf.zeros([2, 2])), v1.assign_add(n, 10))
                where = {name: np.array(s.path("ckpt-1"), object)}
                read = [w.read_value() if use_resource else w, n.read_value() if use_resource else n]
                s.run([], targets=[v1.global_variables_initializer()])
                s.run([save_path], where, mode="shape" if sharded else None)
                s.run([], targets=[change])
                s.run(read)
                s.run([], where, targets=[restore_op])
                s.run(read)


def filenames(f):
    f.case("ShardedFilename", np.array(b"/tmp/x", object), scalar(1), scalar(20))
    f.case("ShardedFilename", np.array(b"", object), scalar(0), scalar(1))
    f.case("ShardedFilename", np.array(b"a", object), scalar(123456), scalar(1234567))
    f.case("ShardedFilespec", np.array(b"/tmp/x", object), scalar(20))
    f.case("ShardedFilename", np.array([b"a"], object), scalar(1), scalar(2), phrase="")
    with f.scenario("ReadFile", {"one.txt": b"first\nsecond", "empty": b""}) as s:
        name, text = v1.placeholder(tf.string, name="name"), v1.placeholder(tf.string, name="text")
        read = tf.raw_ops.ReadFile(filename=name)
        write = tf.raw_ops.WriteFile(filename=name, contents=text)
        s.run([read], {name: np.array(s.path("one.txt"), object)})
        s.run([read], {name: np.array(s.path("empty"), object)})
        s.run([read], {name: np.array(s.path("none"), object)}, phrase="")
        s.run([], {name: np.array(s.path("deep/er/two"), object), text: np.array(b"\x00\xff", object)}, targets=[write])
        s.run([read], {name: np.array(s.path("deep/er/two"), object)})
        s.run([tf.raw_ops.MatchingFiles(pattern=name)], {name: np.array(s.path("*e*"), object)})
        s.run([tf.raw_ops.MatchingFiles(pattern=name)], {name: np.array([s.path("one.txt"), s.path("z*")], object)})


def records(items, compression=""):
    path = tempfile.mktemp()
    with tf.io.TFRecordWriter(path, compression) as writer:
        for item in items:
            writer.write(item)
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data


def readers(f):
    files = {"a.tfrecord": records([b"a0", b"", b"a2" * 20]), "b.tfrecord": records([b"b0"]), "none.tfrecord": b"",
             "c.tfrecord": records([b"c0", b"c1"])[:-3], "z.tfrecord": records([b"z0", b"z1"], "GZIP")}
    with f.scenario("TFRecordReaderV2", files) as s:
        reader = tf.raw_ops.TFRecordReaderV2(name="reader")
        reading(s, reader, ["a.tfrecord", "none.tfrecord", "b.tfrecord"], 4)
        reading(s, reader, ["c.tfrecord"], 2)
    with f.scenario("TFRecordReaderV2/gzip", files) as s:
        reading(s, tf.raw_ops.TFRecordReaderV2(compression_type="GZIP", name="reader"), ["z.tfrecord"], 2)
    lines = {"a.txt": b"one\ntwo\r\n\nlast", "b.txt": b"header\nrest\n", "none.txt": b""}
    with f.scenario("TextLineReaderV2", lines) as s:
        reading(s, tf.raw_ops.TextLineReaderV2(name="reader"), ["a.txt", "none.txt", "b.txt"], 6)
    with f.scenario("TextLineReaderV2/skip", lines) as s:
        reading(s, tf.raw_ops.TextLineReaderV2(skip_header_lines=1, name="reader"), ["b.txt", "a.txt"], 4)
    with f.scenario("WholeFileReaderV2", lines) as s:
        reading(s, tf.raw_ops.WholeFileReaderV2(name="reader"), ["a.txt", "none.txt"], 2)
    with f.scenario("IdentityReaderV2") as s:
        reading(s, tf.raw_ops.IdentityReaderV2(name="reader"), ["a", "b"], 2)
    with f.scenario("FixedLengthRecordReaderV2", {"bytes": bytes(range(20))}) as s:
        reading(s, tf.raw_ops.FixedLengthRecordReaderV2(record_bytes=5, header_bytes=3, footer_bytes=2, name="reader"), ["bytes"], 3)


def reading(s, reader, names, count):
    scope = f"q{len(s.steps)}"
    queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.string], shapes=[[]], capacity=20, name=scope)
    text = v1.placeholder(tf.string, name="names" + scope)
    put = tf.raw_ops.QueueEnqueueManyV2(handle=queue, components=[text])
    close = tf.raw_ops.QueueCloseV2(handle=queue)
    key, value = tf.raw_ops.ReaderReadV2(reader_handle=reader, queue_handle=queue)
    upto = tf.raw_ops.ReaderReadUpToV2(reader_handle=reader, queue_handle=queue, num_records=np.int64(2))
    produced = tf.raw_ops.ReaderNumRecordsProducedV2(reader_handle=reader)
    completed = tf.raw_ops.ReaderNumWorkUnitsCompletedV2(reader_handle=reader)
    feed = {text: np.array([s.path(name) if "." in name or name == "bytes" else name for name in names], object)}
    s.run([produced, completed])
    s.run([], feed, targets=[put])
    for _ in range(count):
        s.run([key, value])
    s.run([produced, completed])
    s.run([], feed, targets=[put])
    s.run([], targets=[close])
    for _ in range(count):
        s.run(list(upto))
    s.run([produced, completed])
    s.run([key, value])
    s.run([], targets=[tf.raw_ops.ReaderResetV2(reader_handle=reader)])
    s.run([produced, completed])
