"""More datasets in graphs, and what can be done with iterators."""

import os
import tempfile

import numpy as np
from judge import tf
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.framework import function
from tensorflow.python.ops import gen_experimental_dataset_ops as ged_ops

from .datasets import D
from .datasets import through as through_both
from .scenario import *


def through(f, name, make, steps=12, one_shot=True):
    """All elements of a dataset, and its end; by an initializable iterator alone where its nodes cannot be copied."""
    if one_shot:
        return through_both(f, name, make, steps)
    with f.scenario(name) as s:
        iterator = v1.data.make_initializable_iterator(make())
        element = tf.nest.flatten(iterator.get_next())
        for _ in range(2):
            s.run([], targets=[iterator.initializer])
            for _ in range(steps):
                s.run(element)


def record(f):
    cardinalities(f)
    rebatching(f)
    random_numbers(f)
    files(f)
    examples(f)
    functional(f)
    iterators(f)
    consuming(f)


def Raw(variant, spec):
    """A dataset made by a node of ours."""
    return dataset_ops.DatasetV1Adapter(dataset_ops._VariantDataset(variant, spec))


def raw(op, data, spec=None, **attrs):
    spec = data.element_spec if spec is None else spec
    types = [s.dtype for s in tf.nest.flatten(spec)]
    shapes = [s.shape for s in tf.nest.flatten(spec)]
    given = {} if data is None else dict(input_dataset=data._variant_tensor)
    return Raw(getattr(v1.raw_ops, op)(**given, output_types=types, output_shapes=shapes, **attrs), spec)


def cardinalities(f):
    many = [
        lambda: D.range(7), lambda: D.range(5, 0, -2), lambda: D.range(0), lambda: D.from_tensors(1), lambda: D.from_tensor_slices([1, 2, 3]),
        lambda: D.range(3).repeat(), lambda: D.range(3).repeat(4), lambda: D.range(0).repeat(), lambda: D.range(3).repeat(0),
        lambda: D.range(9).take(3), lambda: D.range(2).take(3), lambda: D.range(9).take(-1), lambda: D.range(3).repeat().take(5),
        lambda: D.range(9).skip(3), lambda: D.range(9).skip(-1), lambda: D.range(2).skip(3), lambda: D.range(3).repeat().skip(5),
        lambda: D.range(7).batch(3), lambda: D.range(7).batch(3, drop_remainder=True), lambda: D.range(7).padded_batch(3, []),
        lambda: D.zip((D.range(3), D.range(5))), lambda: D.zip((D.range(3).repeat(), D.range(5))), lambda: D.zip((D.range(3).repeat(), D.range(5).repeat())),
        lambda: D.zip((D.range(3).filter(lambda x: x > 1), D.range(5))), lambda: D.range(2).concatenate(D.range(3)),
        lambda: D.range(2).concatenate(D.range(3).repeat()), lambda: D.range(2).concatenate(D.range(3).filter(lambda x: x > 1)),
        lambda: D.range(7).shard(3, 0), lambda: D.range(7).shard(3, 1), lambda: D.range(7).shuffle(3), lambda: D.range(7).prefetch(1),
        lambda: D.range(7).window(3, 2), lambda: D.range(7).window(3, 2, drop_remainder=True), lambda: D.range(2).window(3, drop_remainder=True),
        lambda: D.range(7).map(lambda x: x + 1), lambda: D.range(7).map(lambda x: x + 1, num_parallel_calls=2), lambda: D.range(7).filter(lambda x: x > 3),
        lambda: D.range(7).flat_map(lambda x: D.range(x)), lambda: D.range(7).cache(), lambda: D.range(7).interleave(lambda x: D.range(x), 2),
        lambda: D.range(7).batch(2).unbatch(), lambda: D.range(7).batch(2, drop_remainder=True).unbatch(), lambda: D.range(7).unique(), lambda: D.range(7).scan(np.int64(0), lambda a, x: (a + x, a)),
        lambda: D.range(7).take_while(lambda x: x < 3), lambda: D.range(7).apply(tf.data.experimental.assert_cardinality(7)),
        lambda: D.random(seed=1),
        lambda: D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]])), lambda: D.range(5).enumerate(),
        lambda: raw("SlidingWindowDataset", D.range(9), window_size=np.int64(3), window_shift=np.int64(2), window_stride=np.int64(1)),
        lambda: raw("RebatchDataset", D.range(9).batch(4), num_replicas=np.int64(2)),
        lambda: raw("RebatchDatasetV2", D.range(9).batch(4), batch_sizes=i64(2), drop_remainder=False),
        lambda: raw("SamplingDataset", D.range(9), rate=np.float32(0.5), seed=np.int64(1), seed2=np.int64(2)),
        lambda: v1.data.experimental.sample_from_datasets([D.range(3), D.range(4)], seed=3),
        lambda: D.range(4).apply(tf.data.experimental.ignore_errors()),
    ]
    with f.scenario("DatasetCardinality") as s:
        made = [v1.raw_ops.DatasetCardinality(input_dataset=make()._variant_tensor) for make in many]
        for tensor in made:
            s.run([tensor])


def rebatching(f):
    for replicas in [1, 2, 3, 5]:
        through(f, "RebatchDataset", lambda: raw("RebatchDataset", D.range(9).batch(4), num_replicas=np.int64(replicas)), 9)
    for sizes, drop in [([2], False), ([3, 1], False), ([3, 1], True), ([5], False), ([5], True), ([0, 2], False), ([20], False), ([20], True)]:
        through(f, "RebatchDatasetV2", lambda: raw("RebatchDatasetV2", D.zip((D.range(9), D.range(9).map(lambda x: [x, x]))).batch(4), batch_sizes=np.array(sizes, np.int64), drop_remainder=drop), 9)
    for size, shift, stride in [(3, 1, 1), (3, 2, 1), (2, 3, 2), (4, 1, 3), (1, 1, 1), (9, 1, 1)]:
        for drop in [True, False]:
            through(f, "SlidingWindowDataset", lambda: raw("SlidingWindowDataset", D.range(8), D.range(8).batch(2).element_spec, window_size=np.int64(size), window_shift=np.int64(shift), window_stride=np.int64(stride), drop_remainder=drop), 9)
    for size, row in [(2, [-1]), (3, [4]), (4, [3])]:
        def ragged():
            data = D.range(5).map(lambda x: tf.range(x) * 10)
            spec = tf.SparseTensorSpec([None, None], tf.int64)
            variant = v1.raw_ops.DenseToSparseBatchDataset(input_dataset=data._variant_tensor, batch_size=np.int64(size), row_shape=np.array(row, np.int64), output_types=[tf.variant], output_shapes=[[3]])
            return Raw(variant, spec).map(lambda x: (x.indices, x.values, x.dense_shape))
        through(f, "DenseToSparseBatchDataset", ragged, 4)
    with f.scenario("rebatching/errors") as s:
        p = v1.placeholder(tf.int64, name="p")
        for make in [
            lambda: v1.raw_ops.RebatchDataset(input_dataset=D.range(9).batch(4)._variant_tensor, num_replicas=p, output_types=[tf.int64], output_shapes=[[None]]),
            lambda: v1.raw_ops.RebatchDatasetV2(input_dataset=D.range(9).batch(4)._variant_tensor, batch_sizes=p, drop_remainder=False, output_types=[tf.int64], output_shapes=[[None]]),
            lambda: v1.raw_ops.SlidingWindowDataset(input_dataset=D.range(9)._variant_tensor, window_size=p, window_shift=np.int64(1), window_stride=np.int64(1), output_types=[tf.int64], output_shapes=[[None]]),
            lambda: v1.raw_ops.DenseToSparseBatchDataset(input_dataset=D.range(9)._variant_tensor, batch_size=p, row_shape=i64(3), output_types=[tf.variant], output_shapes=[[3]]),
        ]:
            iterator = make()
            consumed = v1.raw_ops.DatasetCardinality(input_dataset=iterator)
            for value in [0, -1]:
                s.run([consumed], {p: np.int64(value)}, phrase="")


def random_numbers(f):
    for seeds in [(1, 2), (0, 5), (7, 0), (-3, 9)]:
        through(f, "RandomDataset", lambda: raw("RandomDataset", None, tf.TensorSpec([], tf.int64), seed=np.int64(seeds[0]), seed2=np.int64(seeds[1])), 4)
        through(f, "SamplingDataset", lambda: raw("SamplingDataset", D.range(30), rate=np.float32(0.4), seed=np.int64(seeds[0]), seed2=np.int64(seeds[1])), 15)
    for again in [False, True]:
        def numbers():
            return raw("RandomDatasetV2", None, tf.TensorSpec([], tf.int64), seed=np.int64(3), seed2=np.int64(4), seed_generator=v1.raw_ops.DummySeedGenerator(), rerandomize_each_iteration=again)
        if not again:
            through(f, "RandomDatasetV2", lambda: numbers().take(2).repeat(2), 5, one_shot=False)
    for again in [True, False]:
        def shuffled():
            return raw("ShuffleAndRepeatDatasetV2", D.range(5), buffer_size=np.int64(3), seed=np.int64(3), seed2=np.int64(4), count=np.int64(2), seed_generator=v1.raw_ops.DummySeedGenerator(), reshuffle_each_iteration=again)
        through(f, "ShuffleAndRepeatDatasetV2", shuffled, 11, one_shot=False)
    with f.scenario("ShuffleDatasetV2") as s:
        for again in [True, False]:
            generator, _ = v1.raw_ops.AnonymousSeedGenerator(seed=np.int64(5), seed2=np.int64(6), reshuffle=again)
            data = v1.raw_ops.ShuffleDatasetV2(input_dataset=D.range(6)._variant_tensor, buffer_size=np.int64(3), seed_generator=generator, output_types=[tf.int64], output_shapes=[[]])
            data = Raw(data, tf.TensorSpec([], tf.int64)).repeat(2)
            total = data.batch(12).reduce(np.int64(0), lambda a, x: tf.reduce_sum(x * tf.range(12, dtype=tf.int64)))
            s.run([total])
            s.run([total])


def files(f):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        with tf.io.TFRecordWriter(path) as writer:
            for item in [b"one", b"", b"three" * 9]:
                writer.write(item)
        records = open(path, "rb").read()
    content = {"a": records, "b": records}
    with f.scenario("TFRecordDatasetV2", content) as s:
        p, offsets = v1.placeholder(tf.string, name="p"), v1.placeholder(tf.int64, name="offsets")
        data = Raw(v1.raw_ops.TFRecordDatasetV2(filenames=p, compression_type="", buffer_size=np.int64(0), byte_offsets=offsets), tf.TensorSpec([], tf.string))
        # TensorFlow makes no iterator of it.
        element = tf.data.experimental.get_single_element(data.batch(9))
        both = np.array([s.path("a").encode(), s.path("b").encode()], object)
        for own in [i64(0, 0), i64(19, 0), i64(), i64(35, 19), i64(1, 0), i64(0)]:
            s.run([element], {p: both, offsets: own}, phrase="")
    csv = {
        "a.csv": b"1,2.5,x\n3,4.5,\"y,z\"\n,,\n7,8.5,last",
        "b.csv": b"h1,h2,h3\r\n1,2,\"a \"\"quote\"\"\"\r\n3,NA,\"two\nlines\"\r\n",
        "c.csv": b"1,2\n1,2,3\n1,2,3,4\nx,2,3\n5,6,7\n",
        "empty.csv": b"",
        "lines.csv": b"1,2,3\n\n4,5,6\n",
        "quotes.csv": b"1,2,a\"b\n1,2,\"a\"b\n4,5,6\n",
    }
    cases = [("a.csv", dict(), [0, 0.5, "d"]), ("b.csv", dict(header=True), [0, 0.5, "d"]), ("b.csv", dict(header=True, na_value="NA"), [0, 0.5, "d"]), ("c.csv", dict(), [0, 0, 0]),
             ("c.csv", dict(select_cols=[0, 2]), [0, 0]), ("a.csv", dict(field_delim=";"), ["d"]), ("a.csv", dict(use_quote_delim=False), ["d"] * 3), ("empty.csv", dict(), [0]),
             ("empty.csv", dict(header=True), [0]), ("lines.csv", dict(), [0, 0, 0]), ("lines.csv", dict(), [0, None, None]), ("quotes.csv", dict(), [0, 0, "d"]), ("a.csv", dict(select_cols=[2, 0]), ["", 0]), ("a.csv", dict(select_cols=[1]), [0.5, 1]),
             ("none.csv", dict(), [0])]
    for name, options, defaults in cases:
        with f.scenario("CSVDataset", csv) as s:
            tensors = [tf.constant([], tf.int32) if d is None else tf.constant([d]) for d in defaults]
            given = dict(filenames=v1.placeholder(tf.string, name="p"), compression_type="", buffer_size=np.int64(1 << 16), header=options.get("header", False), field_delim=options.get("field_delim", ","),
                         use_quote_delim=options.get("use_quote_delim", True), na_value=options.get("na_value", ""), select_cols=np.array(options.get("select_cols", []), np.int64), record_defaults=tensors,
                         output_shapes=[[]] * len(tensors))
            for op, more in [("CSVDataset", {}), ("CSVDatasetV2", dict(exclude_cols=i64()))]:
                data = Raw(getattr(v1.raw_ops, op)(**given, **more), tuple(tf.TensorSpec([], t.dtype) for t in tensors))
                iterator = v1.data.make_initializable_iterator(data)
                element = list(iterator.get_next())
                s.run([], {given["filenames"]: np.array([s.path(name).encode()], object)}, targets=[iterator.initializer], phrase="")
                # After a quote where none may be, TensorFlow goes on somewhere within the record.
                for _ in range(1 if name == "quotes.csv" else 6):
                    s.run(element, phrase="")
    with f.scenario("CSVDatasetV2", csv) as s:
        p = v1.placeholder(tf.string, name="p")
        data = Raw(v1.raw_ops.CSVDatasetV2(filenames=p, compression_type="", buffer_size=np.int64(9), header=False, field_delim=",", use_quote_delim=True, na_value="", select_cols=i64(), record_defaults=[[0], ["d"]],
                                           exclude_cols=i64(1), output_shapes=[[], []]), (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string)))
        iterator = v1.data.make_initializable_iterator(data)
        element = list(iterator.get_next())
        s.run([], {p: np.array([s.path("a.csv").encode(), s.path("b.csv").encode()], object)}, targets=[iterator.initializer])
        for _ in range(5):
            s.run(element, phrase="")


def examples(f):
    def example(**features):
        made = tf.train.Example()
        for key, value in features.items():
            feature = made.features.feature[key]
            kind = {int: feature.int64_list, float: feature.float_list, bytes: feature.bytes_list}[type(value[0])]
            kind.value.extend(value)
        return made.SerializeToString()

    texts = [example(a=[1.5, 2.5], b=[1], c=[b"x", b"y"], r=[4, 5]), example(a=[3.5, 4.5], c=[b"z"]), example(a=[0.5, 0.25], b=[7, 8], r=[6])]
    features = {"b": tf.io.VarLenFeature(tf.int64), "a": tf.io.FixedLenFeature([2], tf.float32), "c": tf.io.VarLenFeature(tf.string), "d": tf.io.FixedLenFeature([], tf.int64, default_value=9)}

    def parsed(texts, features):
        data = D.from_tensor_slices(texts).batch(2).apply(tf.data.experimental.parse_example_dataset(features, num_parallel_calls=2, deterministic=True))
        def flat(item):
            out = []
            for key in sorted(item):
                value = item[key]
                if isinstance(value, tf.SparseTensor):
                    out += [value.indices, value.values, value.dense_shape]
                elif isinstance(value, tf.RaggedTensor):
                    out += [value.values, value.row_splits]
                else:
                    out.append(value)
            return tuple(out)
        return data.map(flat)

    through(f, "ParseExampleDatasetV2", lambda: parsed(texts, features), 3)
    through(f, "ParseExampleDatasetV2/ragged", lambda: parsed(texts, {**features, "r": tf.io.RaggedFeature(tf.int64)}), 3)
    with f.scenario("ParseExampleDataset") as s:
        data = D.from_tensor_slices(texts + [b"nonsense"]).batch(2)
        variant = v1.raw_ops.ParseExampleDataset(input_dataset=data._variant_tensor, num_parallel_calls=np.int64(1), dense_defaults=[f32()], sparse_keys=[], dense_keys=["a"], sparse_types=[], dense_shapes=[[2]],
                                                 output_types=[tf.float32], output_shapes=[[None, 2]])
        iterator = v1.data.make_initializable_iterator(Raw(variant, tf.TensorSpec([None, 2], tf.float32)))
        element = iterator.get_next()
        s.run([], targets=[iterator.initializer])
        for _ in range(3):
            s.run([element], phrase="")


def functional(f):
    # Python would take the op's older name.
    ged_ops.experimental_group_by_reducer_dataset = ged_ops.group_by_reducer_dataset
    through(f, "GroupByReducerDataset", lambda: D.range(10).apply(tf.data.experimental.group_by_reducer(
        lambda x: x % 3, tf.data.experimental.Reducer(lambda _: (np.int64(0), np.int64(0)), lambda s, x: (s[0] + x, s[1] + 1), lambda a, b: (a * 10, b)))), 4)
    for cycle, block in [(1, 1), (2, 1), (3, 2)]:
        through(f, "LegacyParallelInterleaveDatasetV2", lambda: D.range(1, 5).apply(tf.data.experimental.parallel_interleave(
            lambda x: D.from_tensors(x).repeat(3), cycle_length=cycle, block_length=block, sloppy=False)), 13)
    with f.scenario("GeneratorDataset") as s:
        @function.Defun(tf.int64)
        def init(start):
            return start, tf.constant(2, tf.int64)

        @function.Defun(tf.int64, tf.int64)
        def following(start, step):
            return start * step

        @function.Defun(tf.int64, tf.int64)
        def final(start, step):
            return tf.constant(0, tf.int64)

        start = v1.placeholder(tf.int64, name="start")
        variant = v1.raw_ops.GeneratorDataset(init_func_other_args=[start], next_func_other_args=[], finalize_func_other_args=[], init_func=init, next_func=following, finalize_func=final, output_types=[tf.int64], output_shapes=[[]])
        iterator = v1.data.make_initializable_iterator(Raw(variant, tf.TensorSpec([], tf.int64)).take(3))
        element = iterator.get_next()
        s.run([], {start: np.int64(21)}, targets=[iterator.initializer])
        for _ in range(4):
            s.run([element])


def iterators(f):
    types = dict(output_types=[tf.int64], output_shapes=[[]])
    with f.scenario("Iterator") as s:
        handle = v1.raw_ops.Iterator(shared_name="it", container="", **types)
        make = v1.raw_ops.MakeIterator(dataset=D.range(3)._variant_tensor, iterator=handle)
        text = v1.raw_ops.IteratorToStringHandle(resource_handle=handle)
        back = v1.raw_ops.IteratorFromStringHandle(string_handle=text, **types)
        element = v1.raw_ops.IteratorGetNext(iterator=back, **types)[0]
        s.run([element], phrase="")
        s.run([], targets=[make])
        for _ in range(4):
            s.run([element])
    for version in ["", "V2", "V3"]:
        with f.scenario(f"AnonymousIterator{version}") as s:
            made = getattr(v1.raw_ops, "AnonymousIterator" + version)(**types)
            handle = made.handle if version == "V2" else made
            start = v1.raw_ops.MakeIterator(dataset=D.range(5, 9)._variant_tensor, iterator=handle)
            with tf.control_dependencies([start]):
                first = v1.raw_ops.IteratorGetNext(iterator=handle, **types)[0]
            with tf.control_dependencies([first]):
                second = v1.raw_ops.IteratorGetNextSync(iterator=handle, **types)[0]
                state = v1.raw_ops.SerializeIterator(resource_handle=handle)
            with tf.control_dependencies([second]):
                restored = v1.raw_ops.DeserializeIterator(resource_handle=handle, serialized=state)
            with tf.control_dependencies([restored]):
                third = v1.raw_ops.IteratorGetNextSync(iterator=handle, **types)[0]
            s.run([first, second])
            s.run([first, second])
            targets = [v1.raw_ops.DeleteIterator(handle=handle, deleter=made.deleter)] if version == "V2" else []
            s.run([first], targets=targets)
            s.run([first])
    with f.scenario("SerializeIterator") as s:
        iterator = v1.data.make_initializable_iterator(D.range(9).map(lambda x: x * x))
        element = iterator.get_next()
        state = v1.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
        restore = v1.raw_ops.DeserializeIterator(resource_handle=iterator._iterator_resource, serialized=state)
        s.run([], targets=[restore], phrase="")
        s.run([], targets=[iterator.initializer])
        s.run([element])
        s.run([element])
        s.run([], targets=[restore])
        s.run([element])
        device = v1.raw_ops.IteratorGetDevice(resource=iterator._iterator_resource)
        s.run([device])


def consuming(f):
    with f.scenario("DatasetToTFRecord") as s:
        p = v1.placeholder(tf.string, name="p")
        write = v1.raw_ops.DatasetToTFRecord(input_dataset=D.from_tensor_slices([b"a", b"bb", b""])._variant_tensor, filename=p, compression_type="")
        read = v1.raw_ops.ReadFile(filename=p)
        s.run([], {p: np.array(s.path("out").encode(), object)}, targets=[write])
        s.run([read], {p: np.array(s.path("out").encode(), object)})
        s.run([], {p: np.array(s.path("none/out").encode(), object)}, targets=[write], phrase="")
    with f.scenario("WindowOp") as s:
        variant = v1.raw_ops.WindowOp(inputs=[np.int64(1), np.int64(2), np.int64(3)], output_types=[tf.int64], output_shapes=[[]])
        total = Raw(variant, tf.TensorSpec([], tf.int64)).reduce(np.int64(0), lambda a, x: a * 10 + x)
        s.run([total], phrase="")
