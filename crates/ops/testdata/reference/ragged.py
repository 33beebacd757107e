"""Ragged tensors, and lists of tensors joined, cut, gathered and scattered."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    ranges(f)
    sparse(f)
    dense(f)
    lists(f)
    datasets(f)


def ranges(f):
    for dtype in [np.int32, np.int64, np.float32, np.float64]:
        for splits in [tf.int32, tf.int64]:
            f.case("RaggedRange", np.array([0, 5, 8], dtype), np.array([3, 5, 1], dtype), np.array([1, 2, -3], dtype), Tsplits=splits, grad=False)
            f.case("RaggedRange", scalar(0, dtype), np.array([3, 5, 1], dtype), scalar(2, dtype), Tsplits=splits, grad=False)
    f.case("RaggedRange", scalar(0), scalar(4), scalar(1))
    f.case("RaggedRange", i32(0, 1), i32(1, 2, 3), scalar(1), phrase="")
    f.case("RaggedRange", scalar(0), scalar(4), scalar(0))
    f.case("RaggedRange", i32([0]), scalar(4), scalar(1), phrase="")
    f.case("RaggedRange", scalar(0.5, np.float32), scalar(2.0, np.float32), scalar(0.4, np.float32), grad=False)


def sparse(f):
    f.case("RaggedTensorToSparse", [i64(0, 2, 2, 5)], values((5,)))
    f.case("RaggedTensorToSparse", [i32(0, 2, 2, 5)], values((5, 2, 3)))
    f.case("RaggedTensorToSparse", [i64(0, 2, 3), i64(0, 0, 1, 4)], values((4, 2)))
    f.case("RaggedTensorToSparse", [i64(0, 2, 3), i64(0, 0, 1, 4), i64(0, 2, 2, 3, 6)], np.array([b"a", b"b", b"c", b"d", b"e", b"f"], object))
    f.case("RaggedTensorToSparse", [i64(0, 0)], np.zeros((0, 2), np.int32))
    for splits in [[i64(1, 5)], [i64(0, 4)], [i64(0, 3, 2, 5)], [i64(0, 6)], [i64(0, 3), i64(0, 5)]]:
        f.case("RaggedTensorToSparse", splits, values((5,)), phrase="")


def dense(f):
    rows = dict(row_partition_types=["ROW_SPLITS"])
    for shape in [scalar(-1), i32(-1, -1), i32(3, 2), i32(5, -1), i32(-1, 6), i32(2, 4)]:
        f.case("RaggedTensorToTensor", shape, values((5,)), np.float32(9), [i32(0, 2, 2, 5)], grad=False, **rows)
        f.case("RaggedTensorToTensor", shape, values((5,)), np.float32(9), [scalar(3), i32(0, 0, 2, 2, 2)],
               row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"], grad=False)
    f.case("RaggedTensorToTensor", scalar(-1, np.int64), np.array([b"a", b"b", b"c"], object), np.array(b"-", object), [i64(0, 2, 3), i64(0, 1, 1, 3)],
           row_partition_types=["ROW_SPLITS", "ROW_SPLITS"])
    f.case("RaggedTensorToTensor", i64(-1, 2, -1, 2), values((4, 2)), f32(7, 8), [i64(0, 2, 3), i64(0, 1, 1, 4)], row_partition_types=["ROW_SPLITS", "ROW_SPLITS"], grad=False)
    f.case("RaggedTensorToTensor", i64(-1, -1, 2), values((4, 2)), np.float32(7), [i64(0, 1, 4)], grad=False, **rows)
    f.case("RaggedTensorToTensor", i64(-1, -1), values((4, 2)), np.float32(7), [i64(0, 1, 4)], phrase="", grad=False, **rows)
    f.case("RaggedTensorToTensor", i64(-1, -1, 3), values((4, 2)), np.float32(7), [i64(0, 1, 4)], phrase="", grad=False, **rows)
    f.case("RaggedTensorToTensor", scalar(-2), values((4,)), np.float32(7), [i64(0, 1, 4)], phrase="", grad=False, **rows)
    f.case("RaggedTensorToTensor", scalar(-1), values((4,)), f32(1, 2, 3), [i64(0, 1, 4)], phrase="", grad=False, **rows)


def lists(f):
    raw = tf.raw_ops
    unknown = -1
    with f.scenario("TensorListGather") as s:
        made = raw.TensorListFromTensor(tensor=values((4, 2)), element_shape=i32(2))
        s.run([raw.TensorListGather(input_handle=made, indices=i32(3, 0, 3), element_shape=i32(2), element_dtype=tf.float32)])
        s.run([raw.TensorListGather(input_handle=made, indices=i32(), element_shape=i32(2), element_dtype=tf.float32)])
        s.run([raw.TensorListGather(input_handle=made, indices=i32(4), element_shape=i32(2), element_dtype=tf.float32)])
        s.run([raw.TensorListGather(input_handle=made, indices=i32(-1), element_shape=i32(2), element_dtype=tf.float32)], phrase="")
    with f.scenario("TensorListScatter") as s:
        def stacked(handle):
            return [raw.TensorListStack(input_handle=handle, element_shape=i32(2), element_dtype=tf.float32), raw.TensorListLength(input_handle=handle)]

        s.run(stacked(raw.TensorListScatter(tensor=values((3, 2)), indices=i32(4, 0, 1), element_shape=i32(2))))
        for count in [-1, 6, 5]:
            s.run(stacked(raw.TensorListScatterV2(tensor=values((3, 2)), indices=i32(4, 0, 1), element_shape=i32(2), num_elements=count)))
        s.run(stacked(raw.TensorListScatterV2(tensor=values((3, 2)), indices=i32(4, 0, 1), element_shape=i32(2), num_elements=3)), phrase="")
        s.run(stacked(raw.TensorListScatterV2(tensor=values((3, 2)), indices=i32(4, 0, 1), element_shape=i32(2), num_elements=-2)), phrase="")
        s.run(stacked(raw.TensorListScatterV2(tensor=values((3, 2)), indices=i32(4, 0), element_shape=i32(2), num_elements=-1)), phrase="")
        s.run(stacked(raw.TensorListScatterV2(tensor=values((3, 2)), indices=i32(-1, 0, 1), element_shape=i32(2), num_elements=-1)), phrase="")
        made = raw.TensorListFromTensor(tensor=values((4, 2)), element_shape=i32(2))
        s.run(stacked(raw.TensorListScatterIntoExistingList(input_handle=made, tensor=values((2, 2), seed=9), indices=i32(1, 4))))
        for size in [0, 2, 4, -1]:
            s.run(stacked(raw.TensorListResize(input_handle=made, size=size)), phrase="")
        more = raw.TensorListFromTensor(tensor=values((2, 2), seed=4), element_shape=i32(2))
        s.run(stacked(raw.TensorListConcatLists(input_a=made, input_b=more, element_dtype=tf.float32)))
        both = raw.TensorListPushBackBatch(input_handles=tf.stack([made, more]), tensor=values((2, 2), seed=7))
        s.run(stacked(both[0]) + stacked(both[1]))
    with f.scenario("TensorListConcat") as s:
        made = raw.TensorListSplit(tensor=values((5, 2)), element_shape=i32(-1, 2), lengths=i64(2, 0, 3))
        s.run(list(raw.TensorListConcatV2(input_handle=made, element_shape=i32(-1, 2), leading_dims=i64(), element_dtype=tf.float32)))
        s.run(list(raw.TensorListConcat(input_handle=made, element_dtype=tf.float32)))
        s.run(list(raw.TensorListConcat(input_handle=made, element_dtype=tf.float32, element_shape=[None, 2])))
        s.run([raw.TensorListGetItem(input_handle=made, index=2, element_shape=unknown, element_dtype=tf.float32)])
        for lengths in [(2, 2), (2, 4), (-1, 6)]:
            s.run([raw.TensorListLength(input_handle=raw.TensorListSplit(tensor=values((5, 2)), element_shape=i32(-1, 2), lengths=i64(*lengths)))], phrase="")
        empty = raw.TensorListReserve(element_shape=i32(-1, 2), num_elements=2, element_dtype=tf.float32)
        s.run(list(raw.TensorListConcatV2(input_handle=empty, element_shape=i32(-1, 2), leading_dims=i64(1, 2), element_dtype=tf.float32)))
        s.run(list(raw.TensorListConcatV2(input_handle=empty, element_shape=i32(-1, 2), leading_dims=i64(1), element_dtype=tf.float32)), phrase="")
        nothing = raw.TensorListReserve(element_shape=i32(-1, 2), num_elements=0, element_dtype=tf.float32)
        s.run(list(raw.TensorListConcatV2(input_handle=nothing, element_shape=i32(-1, 2), leading_dims=i64(), element_dtype=tf.float32)))
        unclear = raw.TensorListReserve(element_shape=unknown, num_elements=0, element_dtype=tf.float32)
        s.run(list(raw.TensorListConcatV2(input_handle=unclear, element_shape=unknown, leading_dims=i64(), element_dtype=tf.float32)), phrase="")


def datasets(f):
    """Datasets of rows of sparse tensors, of files, and with a number of elements that is asserted."""
    with f.scenario("SparseTensorSliceDataset") as s:
        handle = tf.raw_ops.SparseTensorSliceDataset(indices=i64([0, 1], [2, 0], [2, 3]), values=f32(1, 2, 3), dense_shape=i64(4, 5))
        drain(s, handle, [tf.int64, tf.float32, tf.int64], [[None, 1], [None], [1]], 5)
    with f.scenario("SparseTensorSliceDataset/bad") as s:
        handle = tf.raw_ops.SparseTensorSliceDataset(indices=i64([0, 9]), values=f32(1), dense_shape=i64(4, 5))
        drain(s, handle, [tf.int64, tf.float32, tf.int64], [[None, 1], [None], [1]], 1)
    for expected in [3, 2, 4, -1, -2]:
        with f.scenario("AssertCardinalityDataset") as s:
            source = tf.raw_ops.RangeDataset(start=i64(0)[0], stop=i64(3)[0], step=i64(1)[0], output_types=[tf.int64], output_shapes=[[]])
            handle = tf.raw_ops.AssertCardinalityDataset(input_dataset=source, cardinality=i64(expected)[0], output_types=[tf.int64], output_shapes=[[]])
            drain(s, handle, [tf.int64], [[]], 4)
    with f.scenario("MatchingFilesDataset", {"b.txt": b"", "a.txt": b"", "c.log": b""}) as s:
        patterns = v1.placeholder(tf.string)
        drain(s, tf.raw_ops.MatchingFilesDataset(patterns=patterns), [tf.string], [[]], 3, {patterns: np.array([s.path("*.txt").encode()], object)})


def drain(s, handle, types, shapes, steps, feeds=None):
    iterator = tf.raw_ops.IteratorV2(shared_name="", container="", output_types=types, output_shapes=shapes)
    start = tf.raw_ops.MakeIterator(dataset=handle, iterator=iterator)
    element = tf.raw_ops.IteratorGetNext(iterator=iterator, output_types=types, output_shapes=shapes)
    s.run([], feeds, targets=[start], phrase="")
    for _ in range(steps):
        s.run(list(element), phrase="")
