"""Counting and crossing features of sparse and ragged tensors, and keeping sparse tensors under numbers."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    counts(f)
    crosses(f)
    ragged(f)
    extremes(f)
    maps(f)
    sequences(f)
    calls(f)


def counts(f):
    for dtype in [np.int32, np.int64]:
        for kind in [np.int32, np.int64, np.float32, np.float64]:
            v = np.array([1, 3, 3, 0, 7], dtype)
            w = np.array([2, 1, 4, 8, 3], kind)
            none = np.array([], kind)
            splits = i64(0, 2, 2, 5)
            indices, shape = np.array([[0, 0], [0, 2], [2, 0], [2, 1], [2, 2]], np.int64), i64(3, 4)
            for weights in [none, w]:
                for binary in [False, True]:
                    f.case("RaggedBincount", splits, v, scalar(5, dtype), weights, binary_output=binary, grad=False)
                    f.case("SparseBincount", indices, v, shape, scalar(5, dtype), weights, binary_output=binary, grad=False)
                    f.case("SparseBincount", indices[:, 1:], v, i64(9), scalar(5, dtype), weights, binary_output=binary, grad=False)
                    for low, high in [(-1, -1), (9, -1), (-1, 4), (2, 3), (0, 0)]:
                        if kind in (np.int64, np.float32):
                            attrs = dict(minlength=low, maxlength=high, binary_output=binary, grad=False)
                            f.case("RaggedCountSparseOutput", splits, v, weights, **attrs)
                            f.case("SparseCountSparseOutput", indices, v, shape, weights, **attrs)
                            f.case("SparseCountSparseOutput", indices[:, 1:], v, i64(9), weights, **attrs)
                            f.case("DenseCountSparseOutput", v, weights, **attrs)
                            f.case("DenseCountSparseOutput", np.stack([v, v[::-1]]), weights if not len(weights) else np.stack([weights, weights]), **attrs)
    v, none = i32(1, 2, 3), f32()
    attrs = dict(binary_output=False, grad=False, phrase="")
    for splits in [i64(), i64(0), i64(1, 3), i64(0, 2), i64(0, 2, 1, 3), i64(0, 9), i64([0, 3])]:
        f.case("RaggedBincount", splits, v, scalar(5), none, **attrs)
        f.case("RaggedCountSparseOutput", splits, v, none, **attrs)
    f.case("RaggedBincount", i64(0, 3), i32(1, -2, 3), scalar(5), none, **attrs)
    f.case("RaggedBincount", i64(0, 3), v, scalar(-5), none, **attrs)
    f.case("RaggedBincount", i64(0, 3), v, i32(5, 5), none, **attrs)
    f.case("RaggedCountSparseOutput", i64(0, 3), i32(1, -2, 3), none, **attrs)
    f.case("RaggedCountSparseOutput", i64(0, 3), v, f32(1, 2), **attrs)
    f.case("DenseCountSparseOutput", i32(1, -2, 3), none, **attrs)
    f.case("DenseCountSparseOutput", scalar(1), none, **attrs)
    f.case("DenseCountSparseOutput", i32(), none, **attrs)
    f.case("DenseCountSparseOutput", values((2, 2, 2), np.int32), none, **attrs)
    f.case("DenseCountSparseOutput", v, f32(1, 2), **attrs)
    for indices, shape in [(i64([0, 0], [0, 1]), i64(2, 2)), (i64([0, 0], [0, 1], [5, 0]), i64(2, 2)), (i64(0, 1, 2), i64(3)), (i64([0], [1], [2]), i64()), (i64([0], [1], [2]), i64(2, 2)), (i64([0, -1], [0, 1], [1, 0]), i64(2, 2)),
                           (i64([0, 0], [0, 9], [1, 0]), i64(2, 2))]:
        f.case("SparseBincount", indices, v, shape, scalar(5), none, **attrs)
        f.case("SparseCountSparseOutput", indices, v, shape, none, **attrs)


def crosses(f):
    ints = (i64([0, 0], [1, 0], [1, 1]), i64(7, 8, 9), i64(2, 2))
    texts = (i64([0, 0], [0, 1], [1, 0]), np.array([b"a", b"b", b"c"], object), i64(2, 2))
    gap = (i64([1, 0]), np.array([b"z"], object), i64(2, 1))
    dense = [np.array([[b"p", b"q"], [b"r", b"s"]], object), i64([5], [6])]
    for columns in [[ints], [texts, ints], [ints, texts, texts], [texts, gap]]:
        for more in [[], dense[:1], dense[1:], dense]:
            lists = [[c[k] for c in columns] for k in range(3)]
            for sep in [b"_", b""]:
                f.case("SparseCrossV2", *lists, more, np.array(sep, object))
            for buckets in [0, 10]:
                for strong in [False, True]:
                    # TensorFlow's process ends: it takes the numbers of dense columns for strings.
                    if strong and any(x.dtype == np.int64 for x in more):
                        continue
                    f.case("SparseCrossHashed", *lists, more, scalar(buckets, np.int64), scalar(strong, np.bool_), i64(137, 173))
            # TensorFlow's process ends when inputs are not all strings.
            if {tf.as_dtype(x.dtype) for x in [*more, *lists[1]]} == {tf.string}:
                for attrs in [dict(hashed_output=False, num_buckets=0, out_type=tf.string), dict(hashed_output=True, num_buckets=50, out_type=tf.int64)]:
                    f.case("SparseCross", *lists, more, hash_key=956888297470, internal_type=tf.string, phrase="", **attrs)
    f.case("SparseCross", *[[x] for x in ints], [], hash_key=1, internal_type=tf.string, hashed_output=False, num_buckets=0, out_type=tf.string)
    # Of rows that do not exist or are not in order TensorFlow takes some; here they are refused.
    wrong = [(i64([0, 0]), i64(1, 2), i64(1, 1)), (i64(0, 1), i64(1, 2), i64(2)), (i64([0, 0], [1, 0]), i64(1, 2), i64(2))]
    for column in wrong:
        f.case("SparseCrossV2", [column[0]], [column[1]], [column[2]], [], np.array(b"_", object), phrase="")
    f.case("SparseCrossV2", [ints[0]], [ints[1]], [ints[2]], [i64([5], [6], [7])], np.array(b"_", object), phrase="")
    f.case("SparseCrossHashed", [ints[0]], [ints[1]], [ints[2]], [], scalar(5, np.int64), scalar(True, np.bool_), i64(1), phrase="")
    for splits in [np.int32, np.int64]:
        for hashed in [False, True]:
            attrs = dict(hashed_output=hashed, num_buckets=50 if hashed else 0, hash_key=77, out_values_type=tf.int64 if hashed else tf.string, out_row_splits_type=tf.as_dtype(splits))
            f.case("RaggedCross", [texts[1], ints[1]], [np.array([0, 2, 3], splits), np.array([0, 0, 3], splits)], [ints[0]], [ints[1]], [ints[2]], [dense[0]], input_order="RSDR", **attrs)
            f.case("RaggedCross", [texts[1], ints[1]], [np.array([0, 2, 3], splits), np.array([0, 1, 3], splits)], [], [], [], [], input_order="RR", **attrs)
            f.case("RaggedCross", [], [], [texts[0]], [texts[1]], [texts[2]], [dense[1]], input_order="DS", **attrs)
            f.case("RaggedCross", [texts[1], ints[1]], [np.array([0, 2, 3], splits), np.array([0, 3], splits)], [], [], [], [], input_order="RR", phrase="", **attrs)
            f.case("RaggedCross", [texts[1]], [np.array([0, 2, 9], splits)], [], [], [], [], input_order="R", phrase="", **attrs)


def ragged(f):
    for dtype in [np.float32, np.float64, np.int32, np.int64, object]:
        f.case("RaggedFillEmptyRows", i64(1, 1, 3), values((3,), dtype), scalar(5, np.int64), values((), dtype) if dtype != object else np.array(b"-", object))
        if dtype != object:
            f.case("RaggedFillEmptyRowsGrad", i64(0, 2), values((4,), dtype), grad=False)
        f.case("RaggedGather", [i64(0, 2, 2, 5)], values((5,), dtype), i32(2, 0, 2), OUTPUT_RAGGED_RANK=1)
        f.case("RaggedGather", [i32(0, 2, 2, 5)], values((5, 2), dtype), i64([2, 0], [1, 1]), OUTPUT_RAGGED_RANK=2)
        f.case("RaggedGather", [i64(0, 2, 3), i64(0, 0, 1, 4)], values((4,), dtype), i32(1, 0), OUTPUT_RAGGED_RANK=2)
    zero = scalar(0, np.float32)
    # Without any rows TensorFlow gives a matrix of row numbers, against its own shape function.
    for rows, count in [(i64(0, 9), 3), (i64(-1, 0), 3), (i64(0, 1), 0), (i64(), 2), (i64(1, 0), 2), (i64(0), 3)]:
        f.case("RaggedFillEmptyRows", rows, values((2,))[: len(rows)] if len(rows) != 1 else values((2,)), scalar(count, np.int64), zero, phrase="", grad=False)
    f.case("RaggedGather", [i64(0, 2, 2, 5)], values((5,)), scalar(0), OUTPUT_RAGGED_RANK=0, phrase="", grad=False)
    # Splits that do not begin with 0 are refused here, and taken by TensorFlow.
    for splits, index in [([i64(0, 2, 5)], i32(2)), ([i64(0, 2, 5)], i32(-1)), ([i64(0, 2, 9)], i32(0)), ([i64(0, 3, 2, 5)], i32(0)), ([i64(0, 2, 5)], i32())]:
        f.case("RaggedGather", splits, values((5,)), index, OUTPUT_RAGGED_RANK=1, phrase="", grad=False)
    with f.scenario("RaggedTensorToVariant") as s:
        outs = []
        for dtype in [np.float32, np.int64, object]:
            for splits in [np.int32, np.int64]:
                parts = [np.array([0, 2, 3], splits), np.array([0, 0, 1, 4], splits)]
                data = values((4, 2), dtype)
                back = lambda variant, inside, outside: v1.raw_ops.RaggedTensorFromVariant(encoded_ragged=variant, input_ragged_rank=inside, output_ragged_rank=outside, Tvalues=tf.string if dtype == object else dtype, Tsplits=splits)
                for batched in [True, False]:
                    made = v1.raw_ops.RaggedTensorToVariant(rt_nested_splits=parts, rt_dense_values=data, batched_input=batched)
                    outs.append(back(made, 1 if batched else 2, 2))
                    one = v1.raw_ops.RaggedTensorToVariant(rt_nested_splits=parts[1:], rt_dense_values=data, batched_input=batched)
                    outs.append(back(one, -1, 1))
                stacked = v1.raw_ops.RaggedTensorToVariant(rt_nested_splits=parts[1:], rt_dense_values=data, batched_input=True)
                outs.append(back(tf.reshape(tf.concat([stacked, stacked], 0), [2, 3]), 0, 2))
                rows = v1.raw_ops.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=data, batched_input=True)
                outs.append(back(rows, 0, 1))
        for made in outs:
            s.run([*made.output_nested_splits, made.output_dense_values], phrase="")
    with f.scenario("RaggedTensorToVariant/gradient") as s:
        x = v1.placeholder(tf.float32, [4, 2], name="x")
        made = v1.raw_ops.RaggedTensorToVariant(rt_nested_splits=[i64(0, 0, 1, 4)], rt_dense_values=x, batched_input=True)
        y = v1.raw_ops.RaggedTensorFromVariant(encoded_ragged=made, input_ragged_rank=0, output_ragged_rank=1, Tvalues=tf.float32, Tsplits=tf.int64).output_dense_values
        s.gradients([y], [x], {x: values((4, 2))})


def extremes(f):
    a = (i64([0, 0], [0, 2], [1, 1]), i64(2, 3))
    b = (i64([0, 1], [0, 2], [1, 2]), i64(2, 3))
    for op in ["SparseSparseMaximum", "SparseSparseMinimum"]:
        for dtype in FLOATS + INTS:
            f.case(op, a[0], values((3,), dtype), a[1], b[0], values((3,), dtype, 4), b[1], grad=False)
        f.case(op, a[0], values((3,)), a[1], b[0], values((3,)), i64(2, 4), grad=False, phrase="")
        f.case(op, a[0], values((3,)), i64(2), b[0], values((3,)), b[1], grad=False, phrase="")
        f.case(op, a[0], values((2,)), a[1], b[0], values((3,)), b[1], grad=False, phrase="")
        f.case(op, np.zeros((0, 2), np.int64), f32(), a[1], b[0], values((3,)), b[1], grad=False)


def maps(f):
    with f.scenario("AddSparseToTensorsMap") as s:
        indices, data, shape = (v1.placeholder(tf.int64, name="indices"), v1.placeholder(tf.float32, name="data"), v1.placeholder(tf.int64, name="shape"))
        one = v1.raw_ops.AddSparseToTensorsMap(sparse_indices=indices, sparse_values=data, sparse_shape=shape, shared_name="m")
        many = v1.raw_ops.AddManySparseToTensorsMap(sparse_indices=indices, sparse_values=data, sparse_shape=shape, shared_name="m")
        handles = v1.placeholder(tf.int64, name="handles")
        take = list(v1.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=tf.float32, shared_name="m"))
        ints = list(v1.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=tf.int64, shared_name="m"))
        feeds = {indices: i64([0, 0], [0, 2], [2, 1]), data: f32(1, 2, 3), shape: i64(3, 3)}
        s.run([one], feeds)
        s.run([many], feeds)
        s.run([one], {**feeds, shape: i64(4, 3)})
        s.run(take, {handles: i64(0)})
        s.run(take, {handles: i64(0)}, phrase="")
        s.run(take, {handles: i64(3, 1, 2)})
        s.run([many], feeds)
        s.run(ints, {handles: i64(4)}, phrase="")
        s.run(take, {handles: i64()}, phrase="")
        s.run(take, {handles: scalar(5, np.int64)}, phrase="")
        s.run([many], {indices: i64([0], [1]), data: f32(1, 2), shape: i64(3)}, phrase="")
        s.run([one], {indices: i64([0], [1]), data: f32(1, 2), shape: i64(3, 3)}, phrase="")


def sequences(f):
    def example(context, lists):
        made = tf.train.SequenceExample()
        def fill(feature, value):
            if value:
                {int: feature.int64_list, float: feature.float_list, bytes: feature.bytes_list}[type(value[0])].value.extend(value)
        for key, value in context.items():
            fill(made.context.feature[key], value)
        for key, steps in lists.items():
            made.feature_lists.feature_list[key].SetInParent()
            for step in steps:
                fill(made.feature_lists.feature_list[key].feature.add(), step)
        return made.SerializeToString()

    batch = np.array([
        example(dict(a=[1.5, 2.5], b=[1], c=[b"x"], r=[4, 5]), dict(s=[[1], [2, 3]], d=[[1.0, 2.0], [3.0, 4.0]], t=[[b"p"]], u=[[], [6, 7]])),
        example(dict(a=[0.5, 0.25], c=[b"y", b"z"]), dict(s=[[4, 5, 6]], d=[[5.0, 6.0]], u=[[8]])),
        example(dict(a=[3.5, 4.5], b=[7, 8], r=[9]), dict(d=[], s=[[], [9]])),
    ], object)
    types = dict(context_sparse_types=[tf.int64, tf.string], feature_list_sparse_types=[tf.int64], feature_list_dense_types=[tf.float32], context_dense_shapes=[[2]], feature_list_dense_shapes=[[2]])
    for serialized in [batch, batch[:1]]:
        f.case("ParseSequenceExample", serialized, np.array([], object), [f32()], feature_list_dense_missing_assumed_empty=[], context_sparse_keys=["b", "c"], context_dense_keys=["a"], feature_list_sparse_keys=["s"],
               feature_list_dense_keys=["d"], Ncontext_sparse=2, Ncontext_dense=1, Nfeature_list_sparse=1, Nfeature_list_dense=1, phrase="", **types)
    keys = lambda *items: np.array([item.encode() for item in items], object)
    for serialized in [batch, batch[:1]]:
        for assumed, ragged, steps in [(False, "r", "u"), (True, "r", "u"), (True, "b", "u"), (True, "a", "u"), (True, "r", "s"), (True, "r", "d")]:
            f.case("ParseSequenceExampleV2", serialized, np.array([], object), keys("b", "c"), keys("a"), keys(ragged), keys("s"), keys("d"), keys(steps, "t"), np.array([assumed]), [f32()],
                   Ncontext_sparse=2, context_ragged_value_types=[tf.int64], context_ragged_split_types=[tf.int32], Nfeature_list_sparse=1, Nfeature_list_dense=1, feature_list_ragged_value_types=[tf.int64, tf.string],
                   feature_list_ragged_split_types=[tf.int64, tf.int32], phrase="", **types)
    # Of a single example TensorFlow leaves the row splits unwritten.
    for serialized in [np.array(batch[0], object), np.array(batch[1], object)]:
        f.case("ParseSequenceExampleV2", serialized, np.array([], object), keys("b", "c"), keys("a"), keys(), keys("s"), keys("d"), keys(), np.array([True]), [f32()],
               Ncontext_sparse=2, Nfeature_list_sparse=1, Nfeature_list_dense=1, phrase="", **types)
    none = np.array([], object)
    for key, kind, shape in [("d", tf.float32, [2]), ("q", tf.float32, [2]), ("s", tf.float32, [2]), ("d", tf.float32, [3]), ("s", tf.int64, [1])]:
        for assumed in [False, True]:
            f.case("ParseSequenceExampleV2", batch, none, none, none, none, none, keys(key), none, np.array([assumed]), [], Nfeature_list_dense=1, feature_list_dense_types=[kind], feature_list_dense_shapes=[shape], phrase="")
    for key, default in [("a", f32()), ("b", f32()), ("q", f32()), ("q", f32(7, 8)), ("q", f32(7))]:
        f.case("ParseSequenceExampleV2", batch, none, none, keys(key), none, none, none, none, np.array([], bool), [default], context_dense_shapes=[[2]], phrase="")
    f.case("ParseSequenceExampleV2", np.array([b"nonsense"], object), none, none, none, none, none, none, none, np.array([], bool), [], phrase="")
    texts = ['{"features": {"feature": {"a": {"floatList": {"value": [1.5, "2.5", "NaN"]}}, "b": {"int64List": {"value": ["3", 4]}}}}}', "{}", '{"features": {"feature": {"c": {"bytes_list": {"value": ["aGk=", ""]}}}}}',
             '{"features": {"feature": {"a": {}}}}', '{"features": {}}']
    for text in texts:
        f.case("DecodeJSONExample", np.array([text.encode()], object))
    for text in ["nonsense", '{"feature": 1}', '{"features": {"feature": {"a": {"floatList": {"value": ["x"]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}', "[]", ""]:
        f.case("DecodeJSONExample", np.array([text.encode()], object), phrase="")


def calls(f):
    from tensorflow.python.framework import function

    with f.scenario("For") as s:
        @function.Defun(tf.int32, tf.float32, tf.int32)
        def body(i, x, y):
            return x * 2.0 + tf.cast(i, tf.float32), y + i

        start, limit, delta = (v1.placeholder(tf.int32, name=n) for n in ["start", "limit", "delta"])
        out = v1.raw_ops.For(start=start, limit=limit, delta=delta, input=[f32(1, 2), 5], body=body)
        for a, b, c in [(0, 3, 1), (0, 7, 3), (3, 0, -1), (0, 0, 1), (0, 0, 0), (3, 0, 1), (0, 3, 0), (0, 3, -1)]:
            s.run(list(out), {start: np.int32(a), limit: np.int32(b), delta: np.int32(c)}, phrase="")
        s.run(list(out), {start: i32(1, 2), limit: np.int32(1), delta: np.int32(1)}, phrase="")
    with f.scenario("MapDefun") as s:
        @function.Defun(tf.float32, tf.int32, tf.float32)
        def each(x, n, c):
            return x * c, tf.fill([2], n)

        x, n = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.int32, name="n")
        out = v1.raw_ops.MapDefun(arguments=[x, n], captured_inputs=[np.float32(3)], output_types=[tf.float32, tf.int32], output_shapes=[[2], [2]], f=each)
        for rows in [3, 1]:
            s.run(list(out), {x: values((rows, 2)), n: np.arange(rows, dtype=np.int32)})
        s.run(list(out), {x: values((3, 2)), n: np.arange(2, dtype=np.int32)}, phrase="")
        s.run(list(out), {x: np.float32(1), n: np.arange(2, dtype=np.int32)}, phrase="")
        s.run(list(out), {x: values((2, 3)), n: np.arange(2, dtype=np.int32)}, phrase="")
    with f.scenario("RemoteCall") as s:
        @function.Defun(tf.float32)
        def double(x):
            return x * 2.0, x + 1.0

        for target in ["/job:localhost/replica:0/task:0/device:CPU:0", "/cpu:0", "/device:CPU:0"]:
            s.run(list(v1.raw_ops.RemoteCall(target=target, args=[f32(1, 2)], Tout=[tf.float32, tf.float32], f=double)))
    with f.scenario("DeviceIndex") as s:
        s.run([v1.raw_ops.DeviceIndex(device_names=["CPU", "GPU"]), v1.raw_ops.DeviceIndex(device_names=["GPU", "CPU"]), v1.raw_ops.DeviceIndex(device_names=["TPU", "GPU"])])
    with f.scenario("Send") as s:
        device = "/job:localhost/replica:0/task:0/device:CPU:0"
        common = dict(tensor_name="edge", send_device=device, send_device_incarnation=1, recv_device=device)
        sent = v1.raw_ops.Send(tensor=f32(1, 2), **common)
        received = v1.raw_ops.Recv(tensor_type=tf.float32, **common)
        s.run([received * 2.0], targets=[sent])
