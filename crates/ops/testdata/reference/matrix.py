"""Products of matrices."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    for a, b, ta, tb in [((2, 3), (3, 4), False, False), ((3, 2), (3, 4), True, False), ((2, 3), (4, 3), False, True),
                         ((3, 2), (4, 3), True, True), ((1, 5), (5, 1), False, False), ((5, 1), (1, 5), False, False),
                         ((0, 3), (3, 2), False, False), ((2, 0), (0, 3), False, False), ((2, 3), (3, 0), False, False),
                         ((0, 0), (0, 0), False, False), ((2, 3), (4, 5), False, False), ((2, 3), (2, 3), True, True),
                         ((17, 33), (33, 9), False, False), ((33, 17), (9, 33), True, True), ((3,), (3, 2), False, False),
                         ((2, 3), (3,), False, False), ((), (1, 1), False, False), ((2, 2, 2), (2, 2), False, False)]:
        f.case("MatMul", values(a), values(b, seed=1), transpose_a=ta, transpose_b=tb, tol=1e-4)
    for dtype in FLOATS + INTS:
        f.case("MatMul", values((2, 3), dtype), values((3, 2), dtype, 1))
        f.case("MatMul", values((3, 2), dtype), values((2, 3), dtype, 1), transpose_a=True, transpose_b=True)
    f.case("MatMul", f32([nan, 1], [0, 2]), f32([1, 0], [0, inf]), grad=False)
    for op in ["BatchMatMul", "BatchMatMulV2"]:
        for a, b, x, y in [((2, 2, 3), (2, 3, 4), False, False), ((2, 3, 2), (2, 3, 4), True, False),
                           ((2, 2, 3), (2, 4, 3), False, True), ((2, 3), (3, 2), False, False), ((0, 2, 3), (0, 3, 2), False, False),
                           ((2, 1, 2, 3), (2, 1, 3, 2), False, False), ((2, 2, 3), (3, 3, 2), False, False),
                           ((2, 2, 3), (2, 4, 2), False, False), ((2, 2, 0), (2, 0, 2), False, False), ((3,), (3,), False, False)]:
            f.case(op, values(a), values(b, seed=1), adj_x=x, adj_y=y, tol=1e-4)
    f.case("BatchMatMulV2", values((2, 2, 3)), values((3, 2)))
    f.case("BatchMatMulV2", values((2, 1, 2, 3)), values((4, 3, 2)))
    for dtype in FLOATS + [np.int32, np.int64]:
        f.case("BatchMatMulV2", values((2, 2, 3), dtype), values((2, 3, 2), dtype, 1))
    fused(f)


def fused(f):
    a, b, bias = values((2, 3)), values((3, 4), seed=1), values((4,), seed=2)
    for ops in [["BiasAdd"], ["BiasAdd", "Relu"], ["BiasAdd", "Relu6"], ["BiasAdd", "Elu"], ["BiasAdd", "Tanh"],
                ["BiasAdd", "Sigmoid"], ["BiasAdd", "LeakyRelu"]]:
        f.case("_FusedMatMul", a, b, [bias], fused_ops=ops, grad=False, tol=1e-5)
    f.case("_FusedMatMul", values((3, 2)), b, [bias], fused_ops=["BiasAdd"], transpose_a=True, grad=False)
    f.case("_FusedMatMul", a, values((4, 3)), [bias], fused_ops=["BiasAdd", "Relu"], transpose_b=True, grad=False)
    f.case("_FusedMatMul", a, values((2, 4)), [bias], fused_ops=["BiasAdd"], grad=False)
