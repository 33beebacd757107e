"""Datasets in graphs, and iterators over them."""

import numpy as np
from judge import tf

from .scenario import *

D = v1.data.Dataset


def record(f):
    simple(f)
    functional(f)
    shuffling(f)
    files(f)
    iterators(f)
    combining(f)
    parallel(f)
    grouping(f)
    consuming(f)


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


def combining(f):
    through(f, "ConcatenateDataset", lambda: D.range(2).concatenate(D.range(5, 7)), 5)
    through(f, "ShardDataset", lambda: D.range(7).shard(3, 1), 3)
    through(f, "WindowDataset", lambda: D.range(7).window(3, shift=2, stride=1).flat_map(lambda w: w.batch(3)), 6)
    through(f, "WindowDataset/stride", lambda: D.range(10).window(3, shift=4, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)), 4)
    through(f, "WindowDataset/far", lambda: D.range(10).window(2, shift=5).flat_map(lambda w: w.batch(4)), 4)
    through(f, "UnbatchDataset", lambda: D.range(7).batch(3).unbatch(), 8)
    through(f, "UniqueDataset", lambda: D.from_tensor_slices([3, 1, 3, 2, 1]).unique(), 4)
    through(f, "CacheDataset", lambda: D.range(3).map(lambda x: x + 1).cache().repeat(2), 7)
    through(f, "ParallelBatchDataset", lambda: D.range(7).batch(3, num_parallel_calls=2), 4)
    through(f, "ShuffleAndRepeatDataset", lambda: D.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=4)), 11)
    through(f, "OptionsDataset", lambda: D.range(3).with_options(tf.data.Options()), 4)
    through(f, "RewriteDataset", lambda: D.range(3).enumerate(), 4)
    through(f, "IgnoreErrorsDataset", lambda: D.range(4).map(lambda x: v1.debugging.check_numerics(tf.cast(1 / (x - 1), tf.float32), "bad")).ignore_errors(), 4)
    through(f, "DirectedInterleaveDataset", lambda: D.choose_from_datasets([D.range(3), D.range(10, 12)], D.from_tensor_slices(i64(0, 1, 1, 0, 1, 0)), stop_on_empty_dataset=False), 6)
    through(f, "DirectedInterleaveDataset/stop", lambda: D.choose_from_datasets([D.range(3), D.range(10, 12)], D.from_tensor_slices(i64(0, 1, 1, 1, 0, 0))), 5)
    through(f, "PaddedBatchDatasetV2", lambda: D.range(1, 5).map(lambda x: (tf.fill([x], x), tf.fill([2, x], "s"))).padded_batch(2), 3)
    through(f, "PaddedBatchDatasetV2/values", lambda: D.range(1, 5).map(lambda x: tf.fill([x], tf.cast(x, tf.float32))).padded_batch(3, [5], -1.0, drop_remainder=True), 2)
    with f.scenario("PaddedBatchDatasetV2/too_small") as s:
        element = v1.data.make_one_shot_iterator(D.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(4, [2])).get_next()
        s.run([element])
    with f.scenario("ShardDataset/index") as s:
        p = v1.placeholder(tf.int64, [])
        iterator = v1.data.make_initializable_iterator(D.range(3).shard(2, p))
        s.run([], {p: np.int64(5)}, targets=[iterator.initializer])
    with f.scenario("FixedLengthRecordDataset", {"a": b"hhabcdefff", "b": b"hhxyff"}) as s:
        names = v1.placeholder(tf.string, [None])
        iterator = v1.data.make_initializable_iterator(v1.data.FixedLengthRecordDataset(names, 2, 2, 2))
        element = iterator.get_next()
        s.run([], {names: np.array([s.path("a").encode(), s.path("b").encode()], object)}, targets=[iterator.initializer])
        for _ in range(6):
            s.run([element], phrase="")


def parallel(f):
    through(f, "ParallelMapDatasetV2/many", lambda: D.range(20).map(lambda x: tf.reduce_sum(tf.range(x)), num_parallel_calls=4), 21)
    through(f, "ParallelMapDatasetV2/own", lambda: D.range(5).map(lambda x: x * 3, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE), 6)
    through(f, "ParallelInterleaveDatasetV4", lambda: D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, block_length=2, num_parallel_calls=3), 16)
    through(f, "ParallelInterleaveDatasetV4/one", lambda: D.range(1, 4).interleave(lambda x: D.range(x), cycle_length=2, num_parallel_calls=2), 7)
    through(f, "MapAndBatchDataset", lambda: D.range(7).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 3)), 4)
    with f.scenario("ParallelMapDatasetV2/error") as s:
        element = v1.data.make_one_shot_iterator(D.range(4).map(
            lambda x: v1.debugging.check_numerics(tf.cast(1 / (x - 1), tf.float32), "bad"), num_parallel_calls=2)).get_next()
        for _ in range(5):
            s.run([element], phrase="")


def grouping(f):
    through(f, "MapDataset/loop", lambda: D.range(5).map(lambda x: tf.while_loop(lambda i, t: i < x, lambda i, t: (i + 1, t + i * i), [np.int64(0), np.int64(0)])), 6)
    through(f, "MapDataset/loop_in_cond", lambda: D.range(4).map(lambda x: tf.cond(
        x > 1, lambda: tf.while_loop(lambda i: i < 10, lambda i: i * 2, [x])[0], lambda: -x)), 5)
    through(f, "ScanDataset", lambda: D.range(5).scan(np.int64(10), lambda s, x: (s + x, (s, x * 2))), 6)
    through(f, "TakeWhileDataset", lambda: D.range(9).take_while(lambda x: x * x < 10), 5)
    through(f, "GroupByWindowDataset", lambda: D.range(9).group_by_window(lambda x: x % 2, lambda key, d: d.batch(3), 3), 5)
    through(f, "GroupByWindowDataset/sizes", lambda: D.range(10).group_by_window(
        lambda x: x % 3, lambda key, d: d.batch(10), window_size_func=lambda key: key + 1), 8)


def consuming(f):
    with f.scenario("ReduceDataset") as s:
        s.run([D.range(5).reduce(np.int64(3), lambda a, b: a * 2 + b)])
        s.run([D.range(0).reduce(np.int64(3), lambda a, b: a + b)])
    with f.scenario("DatasetToSingleElement") as s:
        s.run([tf.data.experimental.get_single_element(D.range(9).batch(20))])
        s.run([tf.data.experimental.get_single_element(D.range(2))])
        s.run([tf.data.experimental.get_single_element(D.range(0))])
    with f.scenario("IteratorGetNextAsOptional") as s:
        iterator = v1.data.make_initializable_iterator(D.range(2))
        optional = tf.data.experimental.get_next_as_optional(iterator)
        s.run([], targets=[iterator.initializer])
        for _ in range(2):
            s.run([optional.get_value()])
        s.run([optional.has_value()])
        s.run([optional.get_value()])
    with f.scenario("MapDataset/queue") as s:
        q = tf.queue.FIFOQueue(10, [tf.int64], [[]])
        s.run([], targets=[q.enqueue_many([i64(5, 6, 7)])])
        iterator = v1.data.make_initializable_iterator(D.range(2).map(lambda x: x * 10 + q.dequeue()))
        element = iterator.get_next()
        s.run([], targets=[iterator.initializer])
        for _ in range(3):
            s.run([element])
