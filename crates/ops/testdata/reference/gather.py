"""Ops that pick or collect elements by index or condition."""

import numpy as np
from judge import tf

from .scenario import *

MOVED = FLOATS + INTS + [np.bool_, np.complex64, np.complex128, object]


def record(f):
    gather(f)
    select(f)
    where(f)
    segments(f)
    partition(f)


def gather(f):
    p = values((3, 4))
    for indices in [i32(0, 2), i64(2, 2, 1), scalar(1), i32(), np.array([[0, 1], [2, 0]], np.int32), i32(3), i32(-1),
                    np.array([[0, 9]], np.int64)]:
        f.case("Gather", p, indices)
        for axis in [0, 1, -1]:
            f.case("GatherV2", p, indices, scalar(axis))
    f.case("GatherV2", p, i32(0), scalar(2))
    f.case("GatherV2", p, i32(0), scalar(-3, np.int64))
    f.case("GatherV2", p, i32(0), i32(0))
    f.case("GatherV2", p, i32(0), i32(0, 1))
    f.case("GatherV2", values(()), i32(0), scalar(0))
    f.case("GatherV2", values((0, 2)), i32(), scalar(0))
    f.case("GatherV2", values((0, 2)), i32(0), scalar(0))
    f.case("GatherV2", values((2, 0)), i32(1, 1), scalar(0))
    f.case("GatherV2", values((2, 3, 2)), i32(2, 0), scalar(1))
    batch = np.array([[0, 2], [1, 1]], np.int32)
    f.case("GatherV2", values((2, 3)), batch, scalar(1), batch_dims=1)
    f.case("GatherV2", values((2, 3, 2)), batch, scalar(1), batch_dims=1)
    f.case("GatherV2", values((2, 3, 2)), batch, scalar(2), batch_dims=1, phrase="")
    f.case("GatherV2", values((2, 3)), batch, scalar(1), batch_dims=-1)
    f.case("GatherV2", values((3, 3)), batch, scalar(1), batch_dims=1)
    f.case("GatherV2", values((2, 3)), batch, scalar(0), batch_dims=1)
    for dtype in MOVED:
        f.case("GatherV2", values((3, 2), dtype), i32(2, 0), scalar(0))
        f.case("GatherV2", values((2, 3), dtype), i64(2, 0), scalar(1))
        f.case("GatherNd", values((2, 3), dtype), np.array([[0, 1], [1, 2]], np.int32))
    f.case("GatherNd", p, np.array([[2], [0]], np.int32))
    f.case("GatherNd", p, np.zeros((2, 0), np.int32))
    f.case("GatherNd", p, np.array([[3]], np.int32))
    f.case("GatherNd", p, np.array([[0, 1, 2]], np.int32))
    f.case("GatherNd", p, i64(1, 1))


def select(f):
    a, b = values((2, 3)), values((2, 3), seed=9)
    c = np.array([[True, False, True], [False, False, True]])
    f.case("Select", c, a, b)
    f.case("Select", np.array(True), a, b)
    f.case("Select", np.array(False), a, b)
    f.case("Select", np.array([True, False]), a, b)
    f.case("Select", np.array([True, False, True]), a, b)
    f.case("Select", c, a, values((3,)))
    f.case("Select", np.array([True, False]), values((2,)), values((2,), seed=2))
    f.case("Select", np.zeros((0,), np.bool_), values((0,)), values((0,)))
    f.case("Select", np.array(True), values(()), values((), seed=4))
    f.case("Select", np.array([True]), values(()), values(()))
    f.case("SelectV2", c, a, b)
    f.case("SelectV2", np.array([True, False, True]), a, b)
    f.case("SelectV2", np.array([[True], [False]]), a, values((3,)))
    f.case("SelectV2", np.array(True), values(()), b)
    f.case("SelectV2", c, values(()), values(()))
    f.case("SelectV2", np.array([True, False]), a, b)
    f.case("SelectV2", np.zeros((0,), np.bool_), values((1,)), values((0,)))
    f.case("SelectV2", np.array([True, False]), f32(nan, 1), f32(2, nan))
    f.case("SelectV2", np.array([[[True]], [[False]]]), values((2, 1)), values((1, 2)))
    for dtype in MOVED:
        f.case("Select", np.array([True, False]), values((2,), dtype), values((2,), dtype, 3))
        f.case("SelectV2", np.array([[True], [False]]), values((2,), dtype), values((2, 2), dtype, 3))


def where(f):
    for x in [np.array([True, False, True]), np.array([[False, True], [True, True]]), np.zeros((2, 2), np.bool_),
              np.zeros((0,), np.bool_), np.zeros((0, 3), np.bool_), np.array(True), np.array(False), np.ones((2, 1, 2), np.bool_)]:
        f.case("Where", x)
    for dtype in FLOATS + INTS + COMPLEX:
        f.case("Where", np.array([0, 2, 0, 3]).astype(dtype))
    f.case("Where", f32(nan, 0, -0.0, inf))


def segments(f):
    data = values((4, 2))
    for op in ["UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"]:
        for ids, n in [([0, 1, 0, 2], 3), ([0, 1, 0, 2], 5), ([0, -1, 0, -5], 2), ([0, 0, 0, 3], 3), ([0, 0, 0, 0], 0),
                       ([0, 0, 0], 2), ([-1, -1, -1, -1], 1)]:
            f.case(op, data, np.array(ids, np.int32), scalar(n))
        f.case(op, data, np.array([[0, 1], [1, 0], [2, 2], [0, 0]], np.int64), scalar(3, np.int64))
        f.case(op, values((0, 2)), i32(), scalar(2))
        f.case(op, values((4, 0)), i32(0, 1, 0, 1), scalar(2))
        f.case(op, data, i32(0, 1, 0, 2), scalar(-1))
        f.case(op, values((3,)), i32(1, 1, 0), scalar(2))
        for dtype in FLOATS + INTS:
            f.case(op, values((3,), dtype), i32(1, 1, 0), scalar(2))
    for op in ["SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd"]:
        for ids in [[0, 0, 1, 1], [0, 1, 3, 3], [1, 0, 2, 2], [0, 0, 0], [2, 2, 2, 5]]:
            f.case(op, data, np.array(ids, np.int32))
        f.case(op, values((0, 2)), i32())


def partition(f):
    x = values((4, 2))
    f.case("DynamicPartition", x, i32(0, 2, 0, 1), num_partitions=3)
    f.case("DynamicPartition", x, i32(0, 0, 0, 0), num_partitions=2)
    f.case("DynamicPartition", x, i32(0, 2, 0, 1), num_partitions=2)
    f.case("DynamicPartition", x, i32(0, -1, 0, 1), num_partitions=2)
    f.case("DynamicPartition", x, i32(0, 1), num_partitions=2)
    f.case("DynamicPartition", x, np.array([[0, 1], [1, 1], [0, 0], [1, 0]], np.int32), num_partitions=2)
    f.case("DynamicPartition", values((0,)), i32(), num_partitions=2)
    f.case("DynamicPartition", values((3,), object), i32(1, 0, 1), num_partitions=2)
    for op in ["DynamicStitch", "ParallelDynamicStitch"]:
        f.case(op, [i32(0, 2), i32(1)], [values((2, 2)), values((1, 2))])
        f.case(op, [i32(2, 0), scalar(1)], [values((2,)), values(())])
        f.case(op, [i32(), i32()], [values((0, 3)), values((0, 3))])
        f.case(op, [i32(0, 1), i32(1)], [values((2,), np.int64), values((1,), np.int64, 3)])
        f.case(op, [i32(-1)], [values((1,))])
        f.case(op, [i32(0), i32(1)], [values((1, 2)), values((1, 3))])
    f.case("DynamicStitch", [i32(0, 3)], [values((2,), object)])
    for x in [i32(4, 1, 4, 2, 1), i64(), np.array([b"b", b"a", b"b"], object), f32(1.5, -0.0, 0.0, 1.5)]:
        f.case("Unique", x)
        f.case("Unique", x, out_idx=tf.int64)
    f.case("Unique", np.array([[1]], np.int32))
