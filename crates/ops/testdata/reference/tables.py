"""Lookup tables, session handles, candidate samplers, multinomial draws."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    tables(f)
    of_tensors(f)
    shared_by_name(f)
    files(f)
    handles(f)
    samplers(f)
    draws(f)


def s_(*items):
    return np.array([item.encode() for item in items], object)


def tables(f):
    for key, value, keys, vals in [(tf.string, tf.int64, s_("a", "b", "c"), i64(1, 2, 3)), (tf.int64, tf.string, i64(4, 5), s_("x", "y")),
                                   (tf.string, tf.float32, s_("a", "b"), f32(0.5, 1.5)), (tf.int64, tf.float32, i64(1, 2), f32(3, 4)),
                                   (tf.string, tf.string, s_("a", "b"), s_("x", "y")), (tf.int32, tf.int32, i32(1, 2), i32(8, 9))]:
        for kind in ["HashTable", "MutableHashTable"]:
            with f.scenario(f"{kind}V2/{key.name}_{value.name}") as s:
                h = getattr(tf.raw_ops, kind + "V2")(key_dtype=key, value_dtype=value, name="t")
                q = v1.placeholder(key, name="q")
                default = tf.constant(vals[:1].reshape(()) if value != tf.string else b"?", value)
                get = tf.raw_ops.LookupTableFindV2(table_handle=h, keys=q, default_value=default)
                size = tf.raw_ops.LookupTableSizeV2(table_handle=h)
                init = tf.raw_ops.LookupTableImportV2(table_handle=h, keys=keys, values=vals)
                if kind == "HashTable":
                    s.run([get], {q: keys})
                s.run([size])
                s.run([], targets=[init])
                s.run([size])
                s.run([get], {q: keys[::-1]})
                s.run([get], {q: keys[:1]})
                other = np.array([[b"zz"]], object) if key == tf.string else np.array([[99]], key.as_numpy_dtype)
                s.run([get], {q: other})
                s.run([], targets=[init])
    with f.scenario("HashTableV2/mistakes") as s:
        h = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, name="t")
        k, w = v1.placeholder(tf.string, name="k"), v1.placeholder(tf.int64, name="w")
        init = tf.raw_ops.InitializeTableV2(table_handle=h, keys=k, values=w)
        s.run([], {k: s_("a", "a"), w: i64(1, 2)}, targets=[init])
        s.run([], {k: s_("a", "b"), w: i64(1)}, targets=[init], phrase="")
        s.run([], {k: s_("a", "a"), w: i64(1, 1)}, targets=[init])
        s.run([], {k: s_("a", "b"), w: i64(1, 2)}, targets=[init])
        s.run([tf.raw_ops.LookupTableSizeV2(table_handle=h)])
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=h, keys=i64(1), default_value=np.int64(1))], phrase="")
    with f.scenario("MutableHashTableV2/insert") as s:
        h = tf.raw_ops.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64, name="t")
        k, w = v1.placeholder(tf.string, name="k"), v1.placeholder(tf.int64, name="w")
        put = tf.raw_ops.LookupTableInsertV2(table_handle=h, keys=k, values=w)
        gone = tf.raw_ops.LookupTableRemoveV2(table_handle=h, keys=k)
        get = tf.raw_ops.LookupTableFindV2(table_handle=h, keys=k, default_value=np.int64(-1))
        size = tf.raw_ops.LookupTableSizeV2(table_handle=h)
        s.run([], {k: s_("a", "b", "a"), w: i64(1, 2, 3)}, targets=[put])
        s.run([get, size], {k: s_("a", "b", "c")})
        s.run([], {k: s_("a")}, targets=[gone])
        s.run([get, size], {k: s_("a", "b", "c")})
        s.run(list(tf.raw_ops.LookupTableExportV2(table_handle=h, Tkeys=tf.string, Tvalues=tf.int64)))
    with f.scenario("HashTable/reference") as s:
        h = tf.raw_ops.HashTable(key_dtype=tf.string, value_dtype=tf.int64, name="t")
        s.run([], targets=[tf.raw_ops.InitializeTable(table_handle=h, keys=s_("a"), values=i64(7))])
        s.run([tf.raw_ops.LookupTableFind(table_handle=h, keys=s_("a", "b"), default_value=np.int64(1))])
    with f.scenario("tf.lookup") as s:
        table = tf.lookup.StaticVocabularyTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant(s_("emerson", "lake", "palmer")), tf.constant(i64(0, 1, 2))), num_oov_buckets=4)
        q = v1.placeholder(tf.string, [None], name="q")
        s.run([], targets=[v1.tables_initializer()])
        s.run([table.lookup(q), table.size()], {q: s_("lake", "king", "palmer", "crimson")})


def of_tensors(f):
    make = lambda **options: tf.raw_ops.MutableDenseHashTableV2(**{**dict(
        empty_key=np.int64(0), deleted_key=np.int64(-1), value_dtype=tf.float32, value_shape=[2], initial_num_buckets=8, name="t"), **options})
    with f.scenario("MutableDenseHashTableV2") as s:
        h = make()
        k, w = v1.placeholder(tf.int64, name="k"), v1.placeholder(tf.float32, name="w")
        put = tf.raw_ops.LookupTableInsertV2(table_handle=h, keys=k, values=w)
        gone = tf.raw_ops.LookupTableRemoveV2(table_handle=h, keys=k)
        get = tf.raw_ops.LookupTableFindV2(table_handle=h, keys=k, default_value=[9.0, 8.0])
        size = tf.raw_ops.LookupTableSizeV2(table_handle=h)
        s.run([], {k: i64(3, 4), w: f32(1, 2, 3, 4).reshape(2, 2)}, targets=[put])
        for asked in [i64(4, 5), i64(4, 3).reshape(2, 1), np.int64(3), np.int64(0), np.int64(-1)]:
            s.run([get], {k: asked})
        for keys, shape in [(i64(0), (1, 2)), (i64(-1), (1, 2)), (i64(1), (2,)), (i64(1, 2), (1, 2))]:
            s.run([], {k: keys, w: np.ones(shape, np.float32)}, targets=[put])
        for keys in [i64(3), i64(0), i64(77)]:
            s.run([], {k: keys}, targets=[gone])
        s.run([size])
        s.run([get], {k: i64(3, 4)})
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=h, keys=i64(1), default_value=1.0)])
    for name, options in [("equal", dict(deleted_key=np.int64(0))), ("buckets", dict(initial_num_buckets=5)),
                          ("load", dict(max_load_factor=1.5)), ("unknown", dict(value_shape=tf.TensorShape([None])))]:
        with f.scenario(f"MutableDenseHashTableV2/{name}") as s:
            s.run([tf.raw_ops.LookupTableSizeV2(table_handle=make(**options))])
    with f.scenario("MutableDenseHashTableV2/vector_keys") as s:
        h = make(empty_key=i64(0, 0), deleted_key=i64(-1, -1), value_shape=[])
        k = v1.placeholder(tf.int64, name="k")
        s.run([], targets=[tf.raw_ops.LookupTableInsertV2(table_handle=h, keys=i64(1, 2, 3, 4).reshape(2, 2), values=f32(1, 2))])
        get = tf.raw_ops.LookupTableFindV2(table_handle=h, keys=k, default_value=-1.0)
        s.run([get], {k: i64(3, 4, 3, 5).reshape(2, 2)})
        s.run([get], {k: i64(3, 4, 3, 5).reshape(2, 1, 2)})
        s.run([get], {k: i64(1, 2, 3).reshape(1, 3)}, phrase="")
    with f.scenario("MutableHashTableOfTensorsV2") as s:
        h = tf.raw_ops.MutableHashTableOfTensorsV2(key_dtype=tf.string, value_dtype=tf.int64, value_shape=[3], name="t")
        s.run([], targets=[tf.raw_ops.LookupTableInsertV2(table_handle=h, keys=s_("a", "b"), values=np.arange(6).reshape(2, 3))])
        for keys in [s_("b", "q"), s_("b", "q").reshape(1, 2), np.array(b"b", object)]:
            s.run([tf.raw_ops.LookupTableFindV2(table_handle=h, keys=keys, default_value=i64(7, 8, 9))])
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=h, keys=s_("b", "q"), default_value=np.arange(6).reshape(2, 3))])
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=h, keys=s_("b", "q"), default_value=np.int64(7))])
        s.run([], targets=[tf.raw_ops.LookupTableInsertV2(table_handle=h, keys=s_("a", "b"), values=np.arange(4).reshape(2, 2))])
        s.run([], targets=[tf.raw_ops.LookupTableRemoveV2(table_handle=h, keys=s_("a"))])
        out = tf.raw_ops.LookupTableExportV2(table_handle=h, Tkeys=tf.string, Tvalues=tf.int64)
        s.run([out.keys, out.values])
    with f.scenario("MutableHashTableOfTensorsV2/strings") as s:
        h = tf.raw_ops.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.string, value_shape=[2], name="t")
        s.run([], targets=[tf.raw_ops.LookupTableInsertV2(table_handle=h, keys=i64(1), values=s_("x", "").reshape(1, 2))])
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=h, keys=i64(1, 2), default_value=s_("", "z"))])


def files(f):
    content = {"vocab.txt": b"zero\none\ntwo\n", "pairs.txt": b"a\t1.5\nb\t2.5\n"}
    with f.scenario("InitializeTableFromTextFileV2", content) as s:
        h = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, name="t")
        path = tf.constant(s.path("vocab.txt"))
        p = v1.placeholder(tf.string, name="p")
        init = tf.raw_ops.InitializeTableFromTextFileV2(table_handle=h, filename=p, key_index=-2, value_index=-1, offset=10)
        s.run([], {p: s.path("vocab.txt").encode()}, targets=[init])
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=h, keys=s_("two", "none"), default_value=np.int64(-1))])
        g = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.float32, name="g")
        s.run([], {p: s.path("pairs.txt").encode()},
              targets=[tf.raw_ops.InitializeTableFromTextFileV2(table_handle=g, filename=p, key_index=0, value_index=1)])
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=g, keys=s_("b", "a"), default_value=np.float32(-1))])
        e = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, name="e")
        s.run([], {p: s.path("pairs.txt").encode()}, phrase="",
              targets=[tf.raw_ops.InitializeTableFromTextFileV2(table_handle=e, filename=p, key_index=0, value_index=1)])
        s.run([], {p: s.path("missing.txt").encode()}, phrase="",
              targets=[tf.raw_ops.InitializeTableFromTextFileV2(table_handle=e, filename=p, key_index=0, value_index=1)])


def handles(f):
    with f.scenario("GetSessionHandle") as s:
        p = v1.placeholder(tf.string, name="p")
        kept = tf.raw_ops.GetSessionHandle(value=tf.constant([1.0, 2.0]))
        s.run([kept], mode="shape")
        s.run([tf.raw_ops.GetSessionTensor(handle=p, dtype=tf.float32)], {p: b"nothing;1;device"}, phrase="is not in the session store")


def samplers(f):
    for op in ["LogUniformCandidateSampler", "UniformCandidateSampler"]:
        for unique in [True, False]:
            for seeds in [(3, 4), (0, 9)]:
                for range_max in [10, 64, 1000]:
                    with f.scenario(op) as s:
                        out = getattr(tf.raw_ops, op)(true_classes=np.array([[1, 2], [0, 9]]), num_true=2, num_sampled=8, unique=unique,
                                                      range_max=range_max, seed=seeds[0], seed2=seeds[1])
                        s.run(list(out), tol=1e-5)
                        s.run(list(out), tol=1e-5)
        f.case(op, np.array([[1, 2]]), num_true=1, num_sampled=2, unique=True, range_max=5, seed=1, name=op, phrase="true_classes must have")
        f.case(op, np.array([1, 2]), num_true=1, num_sampled=2, unique=True, range_max=5, seed=1, name=op)
    f.case("AllCandidateSampler", np.array([[1], [2]]), num_true=1, num_sampled=4, unique=True, name="AllCandidateSampler")
    f.case("ComputeAccidentalHits", np.array([[1, 5], [3, 2], [9, 1]]), i64(2, 7, 1, 9), num_true=2)
    f.case("ComputeAccidentalHits", np.array([[1, 5], [3, 2]]), i64(8, 7), num_true=2)
    f.case("ComputeAccidentalHits", np.array([[1, 5], [3, 2]]), i64(8, 7), num_true=3)
    with f.scenario("sampled_softmax_loss") as s:
        w = v1.get_variable("w", initializer=values((20, 3)))
        b = v1.get_variable("b", initializer=values((20,)))
        loss = tf.nn.sampled_softmax_loss(w, b, np.array([[3], [7]]), values((2, 3), seed=2), num_sampled=5, num_classes=20, seed=11)
        nce = tf.nn.nce_loss(w, b, np.array([[3], [7]]), values((2, 3), seed=2), num_sampled=5, num_classes=20)
        grad = tf.convert_to_tensor(v1.gradients(loss, [w])[0])
        s.run([], targets=[v1.global_variables_initializer()])
        s.run([loss, grad], tol=1e-4)
        s.run([nce], mode="shape")


def draws(f):
    for dtype in [np.float32, np.float64, np.float16]:
        for count in [1, 3, 4, 10]:
            with f.scenario("Multinomial") as s:
                out = tf.raw_ops.Multinomial(logits=values((3, 4), dtype), num_samples=count, seed=5, seed2=6)
                s.run([out])
                s.run([out])
    f.case("Multinomial", values((3,)), scalar(2), seed=1)
    f.case("Multinomial", values((3, 0)), scalar(2), seed=1)
    f.case("Multinomial", values((3, 2)), scalar(-1), seed=1)
    f.case("Multinomial", f32(1, -inf, 2).reshape(1, 3), scalar(5), seed=1, output_dtype=tf.int32)


def shared_by_name(f):
    """A table that is shared under its node's name outlives the step that made it, and the graph's other nodes find it."""
    with f.scenario("MutableHashTableV2/node_name") as s:
        table = tf.raw_ops.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.int64, use_node_name_sharing=True, name="t")
        again = tf.raw_ops.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.int64, shared_name="t")
        put = tf.raw_ops.LookupTableInsertV2(table_handle=table, keys=i64(1), values=i64(7))
        s.run([], targets=[put])
        s.run([tf.raw_ops.LookupTableFindV2(table_handle=again, keys=i64(1, 2), default_value=np.int64(-1))])
