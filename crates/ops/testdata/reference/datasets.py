"""Datasets in graphs, and iterators over them."""

import numpy as np
import tensorflow as tf

from .scenario import *

D = v1.data.Dataset


def record(f):
    simple(f)
    functional(f)
    shuffling(f)
    files(f)
    iterators(f)


def through(f, name, make, steps=12):
    """All elements of a dataset, and its end, by both kinds of iterators."""
    for one_shot in [True, False]:
        with f.scenario(f"{name}/{'one_shot' if one_shot else 'initializable'}") as s:
            data = make()
            iterator = v1.data.make_one_shot_iterator(data) if one_shot else v1.data.make_initializable_iterator(data)
            element = tf.nest.flatten(iterator.get_next())
            if not one_shot:
                s.run(element)
                s.run([], targets=[iterator.initializer])
            for _ in range(steps):
                s.run(element)
            if not one_shot:
                s.run([], targets=[iterator.initializer])
                s.run(element)


def simple(f):
    through(f, "TensorSliceDataset", lambda: D.from_tensor_slices((values((3, 2)), values((3,), object))), 4)
    through(f, "TensorDataset", lambda: D.from_tensors((values((3, 2)), 5)), 2)
    through(f, "RangeDataset", lambda: D.range(2, 9, 3), 4)
    through(f, "RangeDataset/down", lambda: D.range(5, 0, -2), 4)
    through(f, "RepeatDataset", lambda: D.range(2).repeat(3), 7)
    through(f, "RepeatDataset/for_ever", lambda: D.range(2).repeat(), 5)
    through(f, "RepeatDataset/nothing", lambda: D.range(0).repeat(), 1)
    through(f, "TakeDataset", lambda: D.range(9).take(3), 4)
    through(f, "TakeDataset/all", lambda: D.range(3).take(-1), 4)
    through(f, "SkipDataset", lambda: D.range(5).skip(3), 3)
    through(f, "SkipDataset/all", lambda: D.range(5).skip(-1), 1)
    through(f, "BatchDatasetV2", lambda: D.range(7).batch(3), 4)
    through(f, "BatchDatasetV2/drop", lambda: D.range(7).batch(3, drop_remainder=True), 3)
    through(f, "ZipDataset", lambda: D.zip((D.range(3), (D.range(9), D.from_tensors(b"x").repeat(2)))), 3)
    through(f, "PrefetchDataset", lambda: D.range(3).prefetch(2), 4)


def functional(f):
    through(f, "MapDataset", lambda: D.range(4).map(lambda x: (x * 2, tf.cast(x, tf.float32) + 0.5)), 5)
    through(f, "MapDataset/captured", lambda: D.range(4).map(lambda x: x + tf.size(tf.range(x))), 5) if False else None
    through(f, "ParallelMapDatasetV2", lambda: D.range(4).map(lambda x: x * x, num_parallel_calls=2, deterministic=True), 5)
    through(f, "FilterDataset", lambda: D.range(9).filter(lambda x: tf.equal(x % 3, 1)), 4)
    through(f, "FlatMapDataset", lambda: D.range(4).flat_map(lambda x: D.range(x)), 7)
    through(f, "InterleaveDataset", lambda: D.range(1, 5).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=2, block_length=2), 11)
    through(f, "InterleaveDataset/three", lambda: D.range(1, 6).interleave(lambda x: D.range(x), cycle_length=3, block_length=1), 16)
    through(f, "MapDataset/cond", lambda: D.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 10, lambda: x - 1)), 5)
    with f.scenario("MapDataset/error") as s:
        iterator = v1.data.make_one_shot_iterator(D.range(3).map(lambda x: v1.debugging.check_numerics(tf.cast(1 / (x - 1), tf.float32), "bad")))
        element = iterator.get_next()
        for _ in range(4):
            s.run([element], phrase="")
    with f.scenario("MapDataset/captured") as s:
        p = v1.placeholder(tf.int64, [], name="p")
        iterator = v1.data.make_initializable_iterator(D.range(3).map(lambda x: x * p))
        element = iterator.get_next()
        s.run([], {p: np.int64(5)}, targets=[iterator.initializer])
        for _ in range(4):
            s.run([element])


def shuffling(f):
    for size in [3, 10]:
        for again in [True, False]:
            through(f, "ShuffleDataset", lambda: D.range(7).shuffle(size, seed=5, reshuffle_each_iteration=again).repeat(2), 15)


def files(f):
    import tempfile, os
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        with tf.io.TFRecordWriter(path) as writer:
            for item in [b"one", b"", b"three" * 9]:
                writer.write(item)
        records = open(path, "rb").read()
    content = {"a.tfrecord": records, "b.tfrecord": records, "lines.txt": b"first\nsecond\r\n\nlast"}
    for name, make in [("TFRecordDataset", lambda s, p: v1.data.TFRecordDataset([s.path("a.tfrecord")])), ("TextLineDataset", None)]:
        with f.scenario(name, content) as s:
            p = v1.placeholder(tf.string, [None], name="p")
            data = v1.data.TFRecordDataset(p) if name == "TFRecordDataset" else v1.data.TextLineDataset(p)
            iterator = v1.data.make_initializable_iterator(data)
            element = iterator.get_next()
            paths = ["a.tfrecord", "b.tfrecord"] if name == "TFRecordDataset" else ["lines.txt", "lines.txt"]
            s.run([], {p: np.array([s.path(q).encode() for q in paths], object)}, targets=[iterator.initializer])
            for _ in range(9):
                s.run([element])
            s.run([], {p: np.array([s.path("missing").encode()], object)}, targets=[iterator.initializer])
            s.run([element], phrase="")


def iterators(f):
    with f.scenario("tf.data/training") as s:
        xs, ys = values((8, 2)), values((8, 1), seed=3)
        data = D.from_tensor_slices((xs, ys)).repeat().batch(4).prefetch(1)
        x, y = v1.data.make_one_shot_iterator(data).get_next()
        w = v1.get_variable("w", initializer=[[0.5], [-0.5]])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        train = v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        s.run([], targets=[v1.global_variables_initializer()])
        for _ in range(6):
            s.run([loss], targets=[train], tol=1e-5)
    with f.scenario("IteratorFromStringHandleV2") as s:
        a, b = v1.data.make_one_shot_iterator(D.range(3)), v1.data.make_one_shot_iterator(D.range(10, 13))
        h = tf.cond(v1.placeholder(tf.bool, [], name="which"), lambda: a.string_handle(), lambda: b.string_handle())
        it = v1.data.Iterator.from_string_handle(h, tf.int64, tf.TensorShape([]))
        element = it.get_next()
        which = v1.get_default_graph().get_tensor_by_name("which:0")
        for value in [True, False, True]:
            s.run([element], {which: np.array(value)})
