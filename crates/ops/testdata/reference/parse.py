"""Parsing of serialized tf.train.Examples."""

import numpy as np
from judge import tf

from .scenario import *


def text(*items):
    return np.array(items, object)


def made(**features):
    result = tf.train.Example()
    for name, value in features.items():
        feature = result.features.feature[name]
        if value is None:
            continue
        if isinstance(value[0] if len(value) else 0.0, bytes):
            feature.bytes_list.value.extend(value)
        elif np.asarray(value).dtype.kind == "i":
            feature.int64_list.value.extend(value)
        else:
            feature.float_list.value.extend(value)
    return result.SerializeToString(deterministic=True)


FULL = made(age=[29], x=[1.5, 2.5], name=[b"ann"], tags=[b"p", b"q"], nums=[3, 1, 4])
OTHER = made(age=[7], x=[-1.0, 0.0], name=[b"bob"])
EMPTY = made()
WITHOUT_X = made(age=[7], name=[b"c"])
WRONG_TYPE = made(age=[1.5], x=[1.0, 2.0], name=[b"d"])
WRONG_SIZE = made(age=[1], x=[1.0], name=[b"d"])
NO_KIND = made(age=None, x=[1.0, 2.0], name=[b"d"])
JUNK = b"garbage"

DEFAULT = {"age": tf.io.FixedLenFeature([], tf.int64, -1), "x": tf.io.FixedLenFeature([2], tf.float32, [9.0, 9.5]),
           "name": tf.io.FixedLenFeature([1], tf.string, [b"?"]), "tags": tf.io.VarLenFeature(tf.string),
           "nums": tf.io.VarLenFeature(tf.int64)}
REQUIRED = {"age": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([2], tf.float32)}
BATCHES = [[FULL], [FULL, OTHER], [OTHER, FULL, EMPTY], [], [EMPTY], [WITHOUT_X], [WRONG_TYPE], [WRONG_SIZE], [NO_KIND], [JUNK], [OTHER, JUNK],
           [b""]]


def record(f):
    for old in [False, True]:
        for name, features in [("defaults", DEFAULT), ("required", REQUIRED)]:
            with f.scenario(f"ParseExample{'' if old else 'V2'}/{name}") as s:
                serialized = v1.placeholder(tf.string, [None], name="serialized")
                outs = parse_old(serialized, features) if old else flat(v1.parse_example(serialized, features))
                for batch in BATCHES:
                    s.run(outs, {serialized: np.array(batch, object)})
                s.run(outs, {serialized: np.array([JUNK], object)})
    with f.scenario("ParseExampleV2/single") as s:
        serialized = v1.placeholder(tf.string, [], name="serialized")
        outs = flat(v1.parse_single_example(serialized, DEFAULT))
        for one in [FULL, OTHER, EMPTY, WRONG_TYPE]:
            s.run(outs, {serialized: np.array(one, object)})
    with f.scenario("ParseSingleExample") as s:
        serialized = v1.placeholder(tf.string, [], name="serialized")
        outs = tf.raw_ops.ParseSingleExample(
            serialized=serialized, dense_defaults=[tf.zeros([0], tf.int64), tf.constant([9.0, 9.5])], num_sparse=1, sparse_keys=["tags"],
            dense_keys=["age", "x"], sparse_types=[tf.string], dense_shapes=[[], [2]])
        outs = [t for part in outs for t in part]
        for one in [FULL, OTHER, EMPTY, WRONG_TYPE]:
            s.run(outs, {serialized: np.array(one, object)})
    with f.scenario("ParseExampleV2/variable_stride") as s:
        serialized = v1.placeholder(tf.string, [None], name="serialized")
        features = {"nums": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=0),
                    "x": tf.io.FixedLenSequenceFeature([2], tf.float32, allow_missing=True)}
        outs = flat(v1.parse_example(serialized, features))
        for batch in [[FULL], [FULL, OTHER], [EMPTY], [made(x=[1.0, 2.0, 3.0, 4.0], nums=[1]), OTHER], [WRONG_SIZE]]:
            s.run(outs, {serialized: np.array(batch, object)})
    with f.scenario("ParseExampleV2/names") as s:
        serialized = v1.placeholder(tf.string, [None], name="serialized")
        outs = flat(v1.parse_example(serialized, REQUIRED, example_names=["first"]))
        s.run(outs, {serialized: np.array([EMPTY], object)})
    # Unpacked lists, and a feature that comes twice: the last one counts.
    unpacked = b"\x0a\x0f\x0a\x0d\x0a\x03age\x12\x06\x1a\x04\x08\x05\x08\x06"
    twice = b"".join(made(age=[k]) for k in (1, 2))
    with f.scenario("ParseExampleV2/odd_encodings") as s:
        serialized = v1.placeholder(tf.string, [None], name="serialized")
        outs = flat(v1.parse_example(serialized, {"age": tf.io.VarLenFeature(tf.int64)}))
        s.run(outs, {serialized: np.array([unpacked], object)})
        s.run(outs, {serialized: np.array([twice], object)})
    sequences(f)


def flat(parsed):
    outs = []
    for key in sorted(parsed):
        value = parsed[key]
        outs += [value.indices, value.values, value.dense_shape] if isinstance(value, tf.SparseTensor) else [value]
    return outs


def parse_old(serialized, features):
    dense = {k: v for k, v in features.items() if isinstance(v, tf.io.FixedLenFeature)}
    sparse = {k: v for k, v in features.items() if k not in dense}
    default = lambda v: tf.zeros([0], v.dtype) if v.default_value is None else tf.reshape(tf.constant(v.default_value, v.dtype), v.shape)
    outs = tf.raw_ops.ParseExample(
        serialized=serialized, names=np.array([], object).astype(str), sparse_keys=list(sparse), dense_keys=list(dense),
        dense_defaults=[default(v) for v in dense.values()], sparse_types=[v.dtype for v in sparse.values()],
        dense_shapes=[v.shape for v in dense.values()])
    return [t for part in outs for t in part]


def sequence(context, lists):
    result = tf.train.SequenceExample()
    result.context.CopyFrom(tf.train.Example.FromString(made(**context)).features)
    for name, steps in lists.items():
        for step in steps:
            feature = tf.train.Example.FromString(made(x=step)).features.feature["x"]
            result.feature_lists.feature_list[name].feature.add().CopyFrom(feature)
        result.feature_lists.feature_list[name].SetInParent()
    return result.SerializeToString(deterministic=True)


def sequences(f):
    context = {"age": tf.io.FixedLenFeature([], tf.int64, -1), "x": tf.io.FixedLenFeature([2], tf.float32, [9.0, 9.5]), "tags": tf.io.VarLenFeature(tf.string)}
    lists = {"frames": tf.io.FixedLenSequenceFeature([2], tf.float32), "words": tf.io.VarLenFeature(tf.string),
             "maybe": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    full = sequence(dict(age=[3], x=[1.5, 2.5], tags=[b"p", b"q"]), dict(frames=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], words=[[b"a"], [b"b", b"c"]], maybe=[[7], [8]]))
    bare = sequence({}, dict(frames=[[1.0, 2.0]]))
    empty = sequence({}, dict(frames=[]))
    wrong = [sequence({}, {}), sequence({}, dict(frames=[[1.0]])), sequence({}, dict(frames=[[1, 2]])), sequence(dict(age=[1.5]), dict(frames=[])),
             sequence(dict(x=[1.5]), dict(frames=[])), sequence({}, dict(frames=[], words=[[1.0]])), JUNK]
    with f.scenario("ParseSingleSequenceExample") as s:
        serialized = v1.placeholder(tf.string, [])
        parsed = tf.io.parse_single_sequence_example(serialized, context, lists)
        fetches = flat(parsed[0]) + flat(parsed[1])
        for example_ in [full, bare, empty]:
            s.run(fetches, {serialized: example_})
        for example_ in wrong:
            s.run(fetches, {serialized: example_})
    with f.scenario("ParseSingleSequenceExample/required") as s:
        serialized = v1.placeholder(tf.string, [])
        parsed = tf.io.parse_single_sequence_example(serialized, {"age": tf.io.FixedLenFeature([], tf.int64)})
        s.run(flat(parsed[0]), {serialized: full})
        s.run(flat(parsed[0]), {serialized: bare})
