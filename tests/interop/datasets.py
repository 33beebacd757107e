"""Input pipelines of datasets in the graph, on our servers and on TensorFlow's: sources, transformations, functions in
them, both kinds of iterators, on the master's task and on others, and training that is fed by them.

Run by on_both.py.
"""

import os
import tempfile

import numpy as np

from both import connect, on
from server import tf

v1 = tf.compat.v1
data = v1.data
Dataset = data.Dataset
FOLDER = tempfile.TemporaryDirectory(prefix="datasets-")


def setter(cluster):
    return v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=tf.train.ClusterSpec(cluster)))


def path(name):
    return os.path.join(FOLDER.name, name)


def elements(session, iterator, limit=200):
    """All that an iterator gives, until its end."""
    following, results = iterator.get_next(), []
    for _ in range(limit):
        try:
            results.append(session.run(following))
        except tf.errors.OutOfRangeError:
            return results
    raise AssertionError("the dataset does not end")


def all_of(cluster, *datasets, job="worker", task=0):
    """All elements of each, by an initializable iterator on a task."""
    with on(job, task):
        iterators = [data.make_initializable_iterator(dataset()) for dataset in datasets]
    with connect(cluster) as session:
        session.run([iterator.initializer for iterator in iterators])
        return [elements(session, iterator) for iterator in iterators]


def write_records():
    random = np.random.RandomState(8)
    paths = [path(f"part-{part}.tfrecord") for part in range(3)]
    for part, name in enumerate(paths):
        options = tf.io.TFRecordOptions(compression_type="GZIP" if part == 2 else "")
        with tf.io.TFRecordWriter(name, options) as writer:
            for row in range(20):
                example = tf.train.Example()
                features = example.features.feature
                x = random.randn(5)
                features["x"].float_list.value.extend(x)
                features["y"].float_list.value.append(float(x @ [1, -2, 3, 0.5, 0]))
                features["id"].int64_list.value.append(100 * part + row)
                features["tags"].bytes_list.value.extend([b"t%d" % row] * (row % 4))
                writer.write(example.SerializeToString())
    return paths


def parse(record):
    return v1.parse_single_example(
        record,
        {
            "x": tf.io.FixedLenFeature([5], tf.float32),
            "y": tf.io.FixedLenFeature([], tf.float32),
            "id": tf.io.FixedLenFeature([], tf.int64),
            "tags": tf.io.VarLenFeature(tf.string),
            "none": tf.io.FixedLenFeature([], tf.string, default_value="nothing"),
        },
    )


def trained_from_records(cluster):
    """Files on the worker, examples parsed in a function, shuffled, repeated and batched; weights on the ps."""
    paths = write_records()[:2]
    with setter(cluster):
        dataset = data.TFRecordDataset(paths).map(parse).filter(lambda row: tf.not_equal(row["id"] % 5, 0))
        dataset = dataset.map(lambda row: (row["x"], row["y"], row["id"]), num_parallel_calls=2)
        dataset = dataset.shuffle(10, seed=3).repeat(3).batch(8).prefetch(2)
        iterator = data.make_initializable_iterator(dataset)
        x, y, ids = iterator.get_next()
        w = v1.get_variable("w", [5, 1], initializer=v1.zeros_initializer())
        loss = tf.reduce_mean((tf.matmul(x, w)[:, 0] - y) ** 2)
        train = v1.train.GradientDescentOptimizer(0.05).minimize(loss)
    with connect(cluster) as session:
        session.run([v1.global_variables_initializer(), iterator.initializer])
        results = []
        while True:
            try:
                results.append(session.run([loss, ids, train])[:2])
            except tf.errors.OutOfRangeError:
                break
        assert len(results) == 12 and results[-1][0] < 0.3 * results[0][0], results
        return results, session.run(w)


def files(cluster):
    paths = write_records()
    with open(path("lines.txt"), "w") as file:
        file.write("header\n" + "\n".join(f"line {i},{i * 0.5}" for i in range(7)) + "\r\n\nlast")
    with open(path("fixed.bin"), "wb") as file:
        file.write(b"HD" + b"".join(bytes([i] * 3) for i in range(5)) + b"T")

    def columns(line):
        return tf.io.decode_csv(line, [["-"], [0.0]])

    return all_of(
        cluster,
        lambda: data.TFRecordDataset(paths[2], "GZIP").map(lambda record: parse(record)["id"]),
        lambda: data.TextLineDataset([path("lines.txt"), path("lines.txt")]),
        lambda: data.TextLineDataset(path("lines.txt")).skip(1).take(7).map(columns),
        lambda: data.FixedLengthRecordDataset(path("fixed.bin"), 3, header_bytes=2, footer_bytes=1),
        lambda: Dataset.list_files(path("part-*"), shuffle=False).map(lambda name: tf.strings.split([name], "/").values[-1]),
    )


def sources_and_shapes(cluster):
    x = np.arange(12, dtype=np.float32).reshape(6, 2)
    return all_of(
        cluster,
        lambda: Dataset.range(5),
        lambda: Dataset.range(10, 0, -3),
        lambda: Dataset.from_tensors({"a": x, "b": tf.constant("word")}),
        lambda: Dataset.from_tensor_slices((x, np.arange(6), [b"%d" % i for i in range(6)])),
        lambda: Dataset.zip((Dataset.range(4), Dataset.from_tensor_slices(x), Dataset.range(9).skip(2))),
        lambda: Dataset.range(3).concatenate(Dataset.range(7, 9)),
        lambda: Dataset.range(7).batch(3),
        lambda: Dataset.range(7).batch(3, drop_remainder=True),
        lambda: Dataset.range(6).map(lambda i: tf.fill([i], i)).padded_batch(4, [None]),
        lambda: Dataset.range(6).map(lambda i: (tf.fill([i % 3], i), i)).padded_batch(2, ([4], []), padding_values=(np.int64(-1), np.int64(0))),
        lambda: Dataset.from_tensor_slices(x).batch(4).unbatch(),
        lambda: Dataset.range(10).window(3, shift=2).flat_map(lambda window: window.batch(3)),
        lambda: Dataset.range(9).shard(3, 1),
        lambda: Dataset.range(2).repeat(3),
        lambda: Dataset.range(0).repeat(2),
        lambda: Dataset.range(4).cache().repeat(2),
        lambda: Dataset.range(100).take(5).skip(1).prefetch(tf.data.AUTOTUNE),
        lambda: Dataset.range(5).enumerate(3),
    )


def functions(cluster):
    offset = tf.constant(100, tf.int64)

    def branch(i):
        return tf.cond(i % 2 > 0, lambda: i * 10, lambda: -i)

    def loop(i):
        return tf.while_loop(lambda j, total: j < i, lambda j, total: (j + 1, total + j * j), [np.int64(0), np.int64(0)])[1]

    return all_of(
        cluster,
        lambda: Dataset.range(5).map(lambda i: i + offset),
        lambda: Dataset.range(8).map(branch),
        lambda: Dataset.range(8).map(loop, num_parallel_calls=3),
        lambda: Dataset.range(10).filter(lambda i: tf.equal(i % 3, 1)),
        lambda: Dataset.range(4).flat_map(lambda i: Dataset.range(i).map(lambda j: i * 10 + j)),
        lambda: Dataset.range(1, 5).interleave(lambda i: Dataset.from_tensors(i).repeat(4), cycle_length=2, block_length=3),
        lambda: Dataset.range(1, 5).interleave(lambda i: Dataset.range(i), cycle_length=3, num_parallel_calls=2, deterministic=True),
        lambda: Dataset.range(10).scan(np.int64(0), lambda total, i: (total + i, total * 2)),
        lambda: Dataset.range(10).take_while(lambda i: i < 4),
        lambda: Dataset.from_tensors(Dataset.range(6).reduce(np.int64(1), lambda total, i: total + i)),
        lambda: Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad")).apply(tf.data.experimental.ignore_errors()),
        lambda: Dataset.range(12).map(lambda i: (i % 3, i)).apply(
            tf.data.experimental.group_by_window(lambda key, _: key, lambda _, group: group.batch(3), window_size=3)
        ),
    )


def loops_within_functions(cluster):
    """Loops of frames and iterations inside of functions, as graphs of TensorFlow 1.x have them: one in another, one that
    keeps values in an array, one with a condition in it."""

    def power(i):
        return v1.while_loop(lambda j, _: j < i, lambda j, total: (j + 1, total * 2), [np.int64(0), np.int64(1)])[1]

    def triangle(i):
        def row(j, total):
            return j + 1, total + v1.while_loop(lambda k, _: k < j, lambda k, sum: (k + 1, sum + k), [np.int64(0), np.int64(0)])[1]

        return v1.while_loop(lambda j, _: j < i, row, [np.int64(0), np.int64(0)])[1]

    def squares(i):
        array = tf.TensorArray(tf.int64, 4)
        return v1.while_loop(lambda j, _: j < 4, lambda j, a: (j + 1, a.write(j, i * i)), [0, array])[1].stack()

    def steps(i):
        """Collatz: how often until 1."""
        body = lambda n, count: (v1.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1), count + 1)
        return v1.while_loop(lambda n, _: n > 1, body, [i, np.int64(0)])[1]

    results = all_of(
        cluster,
        lambda: Dataset.range(6).map_with_legacy_function(power),
        lambda: Dataset.range(6).map_with_legacy_function(triangle, num_parallel_calls=3),
        lambda: Dataset.range(5).map_with_legacy_function(squares),
        lambda: Dataset.range(1, 12).map_with_legacy_function(steps).filter_with_legacy_function(lambda n: n > 4),
    )
    library = v1.get_default_graph().as_graph_def().library
    loops = [function for function in library.function if any(node.op == "Enter" for node in function.node_def)]
    assert len(loops) == 4, "the functions have loops of another kind"
    return results


def shuffles(cluster):
    return all_of(
        cluster,
        lambda: Dataset.range(20).shuffle(5, seed=1),
        lambda: Dataset.range(20).shuffle(50, seed=2).repeat(2),
        lambda: Dataset.range(10).shuffle(10, seed=3, reshuffle_each_iteration=False).repeat(2),
        lambda: Dataset.range(10).apply(tf.data.experimental.shuffle_and_repeat(4, 2, seed=4)),
        lambda: Dataset.range(4).map(lambda i: tf.random.uniform([2], seed=5)),
    )


def iterators(cluster):
    """One-shot, initializable with fed arguments and again, and one that is bound to two datasets in turn."""
    results = []
    with on("worker"):
        once = data.make_one_shot_iterator(Dataset.range(3).map(lambda i: i * i)).get_next()
        count = v1.placeholder(tf.int64, [])
        again = data.make_initializable_iterator(Dataset.range(count).batch(2), shared_name="again")
        one, other = Dataset.range(3), Dataset.range(50, 52)
        either = data.Iterator.from_structure(data.get_output_types(one), data.get_output_shapes(one))
        to_one, to_other, following = either.make_initializer(one), either.make_initializer(other), either.get_next()
        handle = v1.placeholder(tf.string, [])
        by_handle = data.Iterator.from_string_handle(handle, tf.int64, [None]).get_next()
        text = again.string_handle()
        optional = again.get_next_as_optional()
        has = optional.has_value()
    with connect(cluster) as session:
        results.append([session.run(once) for _ in range(3)])
        ended(session, once)
        ended(session, once)
        for size in (3, 5):
            session.run(again.initializer, {count: size})
            results.append(elements(session, again))
        for initializer in (to_one, to_other, to_one):
            session.run(initializer)
            results.append(session.run(following))
        session.run(again.initializer, {count: 4})
        name = session.run(text)
        results.append([session.run(by_handle, {handle: name}) for _ in range(2)])
        results.append(session.run(has))
    return results


def ended(session, fetch):
    try:
        session.run(fetch)
    except tf.errors.OutOfRangeError as error:
        assert "End of sequence" in error.message, error.message
        return
    raise AssertionError("the iterator goes on")


def uninitialized(cluster):
    with on("worker"):
        following = data.make_initializable_iterator(Dataset.range(3)).get_next()
    with connect(cluster) as session:
        try:
            session.run(following)
        except tf.errors.FailedPreconditionError as error:
            return ["GetNext() failed because the iterator has not been initialized" in error.message]
    raise AssertionError("the iterator is initialized")


def on_another_worker(cluster):
    """The pipeline is on the second worker, the master is the first."""
    return all_of(cluster, lambda: Dataset.range(7).shuffle(4, seed=1).map(lambda i: (i, tf.as_string(i))).batch(2), task=1)


def on_two_workers(cluster):
    """A pipeline on each worker, with shards of the same files, and a variable of the ps in between."""
    paths = write_records()[:2]
    with on("ps"):
        total = v1.get_variable("total", [], tf.int64, initializer=v1.zeros_initializer(), use_resource=True)
    iterators, sums = [], []
    for task in range(2):
        with on("worker", task):
            dataset = data.TFRecordDataset(paths).shard(2, task).map(lambda record: parse(record)["id"]).batch(5)
            iterators.append(data.make_initializable_iterator(dataset))
            sums.append(tf.reduce_sum(iterators[-1].get_next()))
    with on("ps"):
        add = v1.assign_add(total, tf.add_n(sums))
    with connect(cluster) as session:
        session.run([v1.global_variables_initializer(), *(iterator.initializer for iterator in iterators)])
        return [session.run([add, sums]) for _ in range(4)]


PROGRAMS = [
    trained_from_records,
    files,
    sources_and_shapes,
    functions,
    loops_within_functions,
    shuffles,
    iterators,
    uninitialized,
    on_another_worker,
    on_two_workers,
]
