"""Rows gathered by segment."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    ids = i32(0, 0, 2, 2, 2, 5)
    for op in ["SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"]:

        for dtype in [*MAIN, np.float16, bfloat16, np.uint8, np.int16]:
            tol = 2e-2 if dtype in HALVES else None
            f.case(op, values((6, 2), dtype), ids, tol=tol)
        f.case(op, values((6, 2)), ids.astype(np.int64))
        f.case(op, values((6,)), i32(0, 1, 1, 2, 3, 3))
        f.case(op, values((6, 2)), i32(0, 1, 0, 1, 1, 2), phrase="segment ids are not increasing")
        f.case(op, values((6, 2)), i32(-1, 1, 1, 1, 1, 2), phrase="segment ids must be >= 0")
        f.case(op, values((5, 2)), ids)
        f.case(op, values((6, 2)), ids.reshape(2, 3))
        f.case(op, values((0, 2)), i32())
    for op in ["UnsortedSegmentMin", "UnsortedSegmentMax", "UnsortedSegmentProd"]:
        for dtype in [*MAIN, np.float16, np.uint8]:
            f.case(op, values((5, 2), dtype), i32(3, 0, -1, 3, 1), scalar(4))
        f.case(op, values((2, 3, 2)), i32(0, 1, 1, 2, 2, 0).reshape(2, 3), scalar(3))
        f.case(op, values((2, 2)), i32(0, 4), scalar(3))
        f.case(op, values((2, 2)), i32(0, 1), scalar(-3))
    for op in ["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"]:
        for dtype in [np.float32, np.float64, np.float16, bfloat16]:
            tol = 2e-2 if dtype in HALVES else None
            f.case(op, values((5, 3), dtype), i32(0, 4, 1, 1, 2), i32(0, 0, 1, 3, 3), tol=tol)
        f.case(op, values((5, 3)), i64(0, 4, 1, 1, 2), i64(0, 0, 1, 3, 3))
        f.case(op, values((5,)), i32(0, 4), i32(0, 0))
        # TensorFlow's gradient of nothing is memory as it was found.
        f.case(op, values((5, 3)), i32(), i32(), grad=False)
        f.case(op + "GradV2", values((3, 2)), i32(4, 0, 1, 0), i32(0, 0, 2, 2), scalar(6))
        f.case(op + "GradV2", values((3, 2)), i64(4, 0, 1, 0), i64(0, 0, 1, 2), scalar(6))
        f.case(op + "GradV2", values((3, 2)), i32(4, 7), i32(0, 0), scalar(6), phrase="")
        f.case(op, values((5, 3)), i32(0, 4, 1, 1, 2), i32(0, 0, 1, 3, 3), sparse_gradient=True)
        f.case(op, values((5, 3)), i32(0, 5), i32(0, 0), phrase="out of range [0, 5)")
        f.case(op, values((5, 3)), i32(0, -1), i32(0, 0), phrase="out of range [0, 5)")
        f.case(op, values((5, 3)), i32(0, 1), i32(1, 0), phrase="segment ids are not increasing")
        f.case(op, values((5, 3)), i32(0, 1), i32(-1, 0), phrase="segment ids must be >= 0")
        f.case(op, values((5, 3)), i32(0, 1), i32(0))
        f.case(op + "WithNumSegments", values((5, 3)), i32(0, 4, 1), i32(0, 0, 2), scalar(5))
        f.case(op + "WithNumSegments", values((5, 3)), i32(0, 4, 1), i32(0, 0, 2), scalar(2), phrase="segment ids must be < num_segments")
        f.case(op + "Grad", values((3, 2)), i32(0, 4, 1, 1), i32(0, 0, 1, 2), scalar(6))
        f.case(op + "Grad", values((3, 2)), i32(0, 4), i32(0, 3), scalar(6), phrase="")
        f.case(op + "Grad", values((3, 2)), i32(0, 7), i32(0, 1), scalar(6), phrase="")
    for dtype in [np.int32, np.int64, np.uint8]:
        f.case("SparseSegmentSum", values((5, 3), dtype), i32(0, 4, 1), i32(0, 0, 1))
