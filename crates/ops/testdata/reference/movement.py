"""Ops that move elements without computing on them: concatenation, slices, padding, transposition."""

import numpy as np
from judge import tf

from .scenario import *

MOVED = FLOATS + INTS + [np.bool_, np.complex64, np.complex128, object]


def record(f):
    concat(f)
    pack(f)
    slices(f)
    strided(f)
    split(f)
    tile(f)
    pad(f)
    transpose(f)
    reverse(f)


def concat(f):
    a, b = values((2, 3)), values((2, 1), seed=1)
    for axis in [1, -1, 2, -3]:
        f.case("ConcatV2", [a, b], scalar(axis))
    f.case("ConcatV2", [a, b], scalar(0))
    f.case("ConcatV2", [a, values((0, 3)), values((1, 3))], scalar(0, np.int64))
    f.case("ConcatV2", [values((0,)), values((0,))], scalar(0))
    f.case("ConcatV2", [values(()), values(())], scalar(0))
    f.case("ConcatV2", [a, values((3,))], scalar(0))
    f.case("ConcatV2", [values((2, 2, 2)), values((2, 5, 2)), values((2, 1, 2))], scalar(-2))
    f.case("ConcatV2", [a, a], i32(0))
    f.case("ConcatV2", [a, a], i32(0, 1))
    f.case("ConcatV2", [values((2, 0)), values((2, 3)), values((2, 0))], scalar(1))
    for dtype in MOVED:
        f.case("ConcatV2", [values((2,), dtype), values((3,), dtype)], scalar(0))
        f.case("ConcatV2", [values((2, 1), dtype), values((2, 2), dtype)], scalar(1))
    f.case("Concat", scalar(1), [a, b])
    f.case("Concat", scalar(0), [values((1, 3), object), values((2, 3), object)])
    f.case("ConcatOffset", scalar(1), [i32(2, 3, 4), i32(2, 7, 4), i32(2, 0, 4)])
    f.case("ConcatOffset", scalar(-1), [i32(2, 3), i32(2, 7)])
    f.case("ConcatOffset", scalar(0), [i32(2, 3), i32(2, 7)])
    f.case("ConcatOffset", scalar(2), [i32(2, 3), i32(2, 3)])
    f.case("ConcatOffset", scalar(0), [i32(2, 3), i32(2)])
    f.case("ConcatOffset", scalar(0), [i64(2, 3), i64(4, 3)])


def pack(f):
    for axis in [0, 1, -1, 2, -3, 3, -4]:
        f.case("Pack", [values((2, 3)), values((2, 3), seed=5)], axis=axis)
    f.case("Pack", [values(()), values(()), values(())])
    f.case("Pack", [values((0,)), values((0,))], axis=1)
    f.case("Pack", [values((2,)), values((3,))])
    f.case("Pack", [values((2,))])
    x = values((2, 3, 2))
    for axis, num in [(0, 2), (1, 3), (-1, 2), (0, 3), (3, 2), (-4, 2)]:
        f.case("Unpack", x, num=num, axis=axis)
    f.case("Unpack", values((0, 2)), num=0)
    f.case("Unpack", values((2, 0)), num=2)
    f.case("Unpack", values(()), num=1)
    for dtype in MOVED:
        f.case("Pack", [values((2,), dtype), values((2,), dtype, 3)], axis=1)
        f.case("Unpack", values((2, 2), dtype), num=2, axis=1)


def slices(f):
    x = values((3, 4))
    for begin, size in [([0, 0], [3, 4]), ([1, 1], [2, 2]), ([1, 1], [-1, -1]), ([3, 0], [0, 4]), ([3, 4], [-1, -1]),
                        ([0, 0], [0, 0]), ([1, 0], [3, 4]), ([-1, 0], [1, 1]), ([0, 5], [1, -1]), ([0, 0], [1, -2]),
                        ([0], [1, 1]), ([0, 0, 0], [1, 1, 1])]:
        f.case("Slice", x, np.array(begin, np.int32), np.array(size, np.int32))
    f.case("Slice", values(()), i32(), i32())
    f.case("Slice", values((5,)), i64(2), i64(2))
    f.case("Slice", values((0,)), i32(0), i32(-1))
    f.case("Slice", values((2, 3, 2, 2)), i32(0, 1, 0, 1), i32(2, 2, -1, 1))
    f.case("Slice", values((2, 2, 2, 2, 2)), i32(0, 1, 0, 1, 0), i32(2, 1, -1, 1, 2))
    for dtype in MOVED:
        f.case("Slice", values((2, 3), dtype), i32(0, 1), i32(2, 2))


STRIDED = [
    # begin, end, strides, and the masks: begin, end, ellipsis, new axis, shrink
    ([0, 0], [2, 2], [1, 1], {}),
    ([1], [3], [1], {}),
    ([-2], [100], [1], {}),
    ([0], [3], [2], {}),
    ([2], [0], [-1], {}),
    ([-1], [-100], [-2], {}),
    ([0, 0], [0, 0], [1, 1], dict(begin_mask=3, end_mask=3)),
    ([0, 0], [0, 0], [-1, -2], dict(begin_mask=3, end_mask=3)),
    ([1, 2], [0, 0], [1, 1], dict(shrink_axis_mask=3)),
    ([-1], [0], [1], dict(shrink_axis_mask=1)),
    ([3], [4], [1], dict(shrink_axis_mask=1)),
    ([-4], [4], [1], dict(shrink_axis_mask=1)),
    ([0, 1], [0, 3], [1, 1], dict(ellipsis_mask=1)),
    ([0, 0, 1], [0, 0, 3], [1, 1, 1], dict(ellipsis_mask=1, new_axis_mask=2)),
    ([0, 1], [0, 2], [1, 1], dict(new_axis_mask=1)),
    ([1, 0, 0], [2, 0, 0], [1, 1, 1], dict(ellipsis_mask=2, new_axis_mask=4)),
    ([1, 0, 1], [2, 0, 2], [1, 1, 1], dict(ellipsis_mask=2, shrink_axis_mask=4)),
    ([2], [2], [1], {}),
    ([3], [1], [1], {}),
    ([0], [2], [0], {}),
    ([0, 0, 0], [1, 1, 1], [1, 1, 1], {}),
    ([0, 0], [1], [1, 1], {}),
    ([0, 0], [0, 0], [1, 1], dict(ellipsis_mask=3)),
    ([0], [1], [-1], dict(shrink_axis_mask=1)),
    ([], [], [], {}),
    ([1, 0], [3, 4], [1, 3], dict(end_mask=2)),
    ([0], [0], [1], dict(new_axis_mask=1, shrink_axis_mask=1)),
]


def strided(f):
    for begin, end, strides, masks in STRIDED:
        f.case("StridedSlice", values((3, 4)), *(np.array(v, np.int32) for v in (begin, end, strides)), **masks)
    f.case("StridedSlice", values((3, 4, 2)), i64(0, 1), i64(2, 4), i64(1, 2))
    f.case("StridedSlice", values((3, 2, 2)), i32(0, 1), i32(0, 2), i32(1, 1), ellipsis_mask=1)
    f.case("StridedSlice", values(()), i32(), i32(), i32())
    f.case("StridedSlice", values(()), i32(0), i32(0), i32(1), new_axis_mask=1)
    f.case("StridedSlice", values((0,)), i32(0), i32(5), i32(1))
    f.case("StridedSlice", values((0,)), i32(0), i32(1), i32(1), shrink_axis_mask=1)
    for dtype in MOVED:
        f.case("StridedSlice", values((4,), dtype), i32(3), i32(0), i32(-2))
        f.case("StridedSlice", values((2, 4), dtype), i32(1), i32(2), i32(1), shrink_axis_mask=1)
    grads = [([3, 4], [0, 1], [2, 3], [1, 1], {}, (2, 2)), ([3], [2], [0], [-1], {}, (2,)),
             ([3, 2], [1], [2], [1], dict(shrink_axis_mask=1), (2,)),
             ([3, 2], [0, 0], [0, 1], [1, 1], dict(ellipsis_mask=1, new_axis_mask=2), (3, 2, 1)),
             ([3], [0], [2], [1], {}, (3,)), ([3], [0], [2], [0], {}, (2,)), ([0], [0], [0], [1], {}, (0,))]
    for shape, begin, end, strides, masks, dy in grads:
        f.case("StridedSliceGrad", *(np.array(v, np.int32) for v in (shape, begin, end, strides)), values(dy), **masks)
    f.case("StridedSliceGrad", i64(4), i64(1), i64(4), i64(2), values((2,), np.int32))


def split(f):
    x = values((4, 6))
    for axis, n in [(0, 2), (1, 3), (-1, 2), (0, 1), (0, 3), (2, 2), (-3, 2)]:
        f.case("Split", scalar(axis), x, num_split=n)
    f.case("Split", scalar(0), values((0, 2)), num_split=2)
    f.case("Split", i32(0), x, num_split=2)
    f.case("Split", i32(0, 1), x, num_split=2)
    f.case("Split", scalar(0), values(()), num_split=1)
    for sizes, axis in [([1, 3], 0), ([2, -1, 1], 1), ([0, 4], 0), ([4], 0), ([1, 1], 0), ([-1, -1], 0), ([5, -1], 0),
                        ([6, 0, 0], -1), ([2, 2], 2), ([-2, 6], 0)]:
        f.case("SplitV", x, np.array(sizes, np.int64), scalar(axis), num_split=len(sizes))
    f.case("SplitV", x, i32(2, 2), scalar(0), num_split=2)
    f.case("SplitV", x, i32(2, 2), scalar(0), num_split=3)
    f.case("SplitV", values((0,)), i32(0, 0), scalar(0), num_split=2)
    for dtype in MOVED:
        f.case("Split", scalar(1), values((2, 4), dtype), num_split=2)
        f.case("SplitV", values((2, 3), dtype), i64(1, 2), scalar(1), num_split=2)


def tile(f):
    for shape, multiples in [((), []), ((2,), [3]), ((2, 3), [1, 2]), ((2, 3), [2, 1]), ((2, 3), [2, 2]), ((2,), [0]),
                             ((0, 2), [2, 2]), ((2,), [-1]), ((2,), [1, 1]), ((2, 3), [1, 1]), ((1, 2, 1), [2, 1, 3])]:
        f.case("Tile", values(shape), np.array(multiples, np.int32))
    f.case("Tile", values((2,)), i64(2))
    for dtype in MOVED:
        f.case("Tile", values((2, 1), dtype), i32(1, 2))


def pad(f):
    for shape, paddings in [((2, 3), [[1, 1], [0, 2]]), ((3,), [[0, 0]]), ((0,), [[2, 1]]), ((2,), [[-1, 0]]),
                            ((2, 3), [[1, 1]]), ((2,), [[0, 0, 0]]), ((), np.zeros((0, 2))), ((1, 2, 2), [[0, 1]] * 3)]:
        x, p = values(shape), np.array(paddings, np.int32)
        f.case("Pad", x, p)
        f.case("PadV2", x, p, scalar(7.5, np.float32))
        f.case("Pad", x, p.astype(np.int64))
        for mode in ["REFLECT", "SYMMETRIC"]:
            f.case("MirrorPad", x, p, mode=mode)
    f.case("PadV2", values((2,)), i32([1, 1]), f32(1, 2))
    for dtype in MOVED:
        f.case("Pad", values((2, 2), dtype), np.array([[1, 0], [0, 1]], np.int32))
        f.case("PadV2", values((2,), dtype), np.array([[1, 1]], np.int32), values((), dtype, 4))


def transpose(f):
    for shape, perm in [((), []), ((3,), [0]), ((2, 3), [1, 0]), ((2, 3), [0, 1]), ((2, 3, 4), [2, 0, 1]),
                        ((2, 3, 4), [0, 2, 1]), ((2, 3, 2, 2), [3, 1, 0, 2]), ((2, 1, 2, 1, 3), [4, 2, 0, 1, 3]),
                        ((0, 3), [1, 0]), ((2, 3), [-1, -2]), ((2, 3), [0, 0]), ((2, 3), [0]), ((2, 3), [0, 2]),
                        ((2, 2, 2, 2, 2, 2), [5, 4, 3, 2, 1, 0]), ((5, 1, 3), [2, 1, 0])]:
        f.case("Transpose", values(shape), np.array(perm, np.int32))
    f.case("Transpose", values((2, 3)), i64(1, 0))
    f.case("Transpose", values((17, 9)), i32(1, 0))
    for dtype in MOVED:
        f.case("Transpose", values((2, 3), dtype), i32(1, 0))
    f.case("ConjugateTranspose", values((2, 2), np.complex64), i32(1, 0))


def reverse(f):
    for shape, axis in [((2, 3), [0]), ((2, 3), [1]), ((2, 3), [0, 1]), ((2, 3), [-1]), ((2, 3), []), ((), []),
                        ((0, 2), [0]), ((2, 3), [2]), ((2, 3), [1, -1]), ((2, 2, 2), [0, 2]), ((2,), [-2])]:
        f.case("ReverseV2", values(shape), np.array(axis, np.int32))
    f.case("ReverseV2", values((3,)), i64(0))
    for dtype in MOVED:
        f.case("ReverseV2", values((2, 3), dtype), i32(1))
