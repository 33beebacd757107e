"""Sparse tensors."""

import numpy as np
from judge import tf

from .scenario import *

PLACES = np.array([[0, 1], [2, 0], [2, 3]])
SHAPE = i64(3, 4)


def record(f):
    to_dense(f)
    mat_mul(f)
    reshape(f)
    fill(f)
    order(f)
    sums(f)
    python(f)
    sets(f)
    serialized(f)


def to_dense(f):
    for dtype in [*MAIN, np.float16, np.bool_, object, np.complex64]:
        f.case("SparseToDense", PLACES, SHAPE, values((3,), dtype), values((), dtype))
    f.case("SparseToDense", PLACES.astype(np.int32), SHAPE.astype(np.int32), values(()), np.float32(0))
    f.case("SparseToDense", i64(1, 3), i64(5), values((2,)), np.float32(9))
    f.case("SparseToDense", scalar(2, np.int64), i64(5), values(()), np.float32(9))
    f.case("SparseToDense", PLACES[::-1], SHAPE, values((3,)), np.float32(0), phrase="is out of order")
    f.case("SparseToDense", PLACES[::-1], SHAPE, values((3,)), np.float32(0), validate_indices=False)
    f.case("SparseToDense", PLACES[[0, 0, 1]], SHAPE, values((3,)), np.float32(0), phrase="is repeated")
    f.case("SparseToDense", PLACES, i64(3, 3), values((3,)), np.float32(0), phrase="is out of bounds: need 0 <= index <")
    f.case("SparseToDense", PLACES, i64(3), values((3,)), np.float32(0))
    f.case("SparseToDense", PLACES, SHAPE, values((2,)), np.float32(0))
    f.case("SparseToDense", PLACES, SHAPE, values((3,)), f32(0))
    f.case("SparseToDense", PLACES, SHAPE.reshape(1, 2), values((3,)), np.float32(0))
    f.case("SparseToDense", np.zeros((0, 2), np.int64), SHAPE, values((0,)), np.float32(3))


def mat_mul(f):
    for dtype in [*MAIN, np.complex64]:
        f.case("SparseTensorDenseMatMul", PLACES, values((3,), dtype), SHAPE, values((4, 2), dtype), tol=1e-5)
    f.case("SparseTensorDenseMatMul", PLACES, values((3,)), SHAPE, values((3, 2)), adjoint_a=True, tol=1e-5)
    f.case("SparseTensorDenseMatMul", PLACES, values((3,)), SHAPE, values((2, 4)), adjoint_b=True, tol=1e-5)
    f.case("SparseTensorDenseMatMul", PLACES, values((3,)), SHAPE, values((2, 3)), adjoint_a=True, adjoint_b=True, tol=1e-5)
    f.case("SparseTensorDenseMatMul", PLACES.astype(np.int32), values((3,)), SHAPE, values((4, 2)), tol=1e-5)
    f.case("SparseTensorDenseMatMul", PLACES, values((3,)), SHAPE, values((3, 2)))
    f.case("SparseTensorDenseMatMul", PLACES, values((3,)), i64(3, 3), values((3, 2)), phrase="out of bounds")
    f.case("SparseTensorDenseMatMul", PLACES, values((2,)), SHAPE, values((4, 2)))
    f.case("SparseTensorDenseMatMul", PLACES, values((3,)), SHAPE, values((4,)))
    f.case("SparseTensorDenseMatMul", PLACES, values((3,)), i64(3, 4, 1), values((4, 2)))
    f.case("SparseTensorDenseMatMul", np.zeros((0, 2), np.int64), values((0,)), SHAPE, values((4, 2)), grad=False)


def reshape(f):
    for new in [i64(12), i64(2, 6), i64(4, -1), i64(2, 3, 2), i64(-1, 1)]:
        f.case("SparseReshape", PLACES, SHAPE, new)
    f.case("SparseReshape", PLACES, SHAPE, i64(5, 2))
    f.case("SparseReshape", PLACES, SHAPE, i64(-1, -1))
    f.case("SparseReshape", PLACES, SHAPE, i64(-1, 5), phrase="")
    f.case("SparseReshape", PLACES, SHAPE, i64(-2, 6), phrase="")
    f.case("SparseReshape", np.zeros((0, 2), np.int64), SHAPE, i64(12))


def fill(f):
    for dtype in [*MAIN, object]:
        f.case("SparseFillEmptyRows", np.array([[1, 0], [3, 2], [3, 3]]), values((3,), dtype), i64(5, 4), values((), dtype))
    f.case("SparseFillEmptyRows", np.array([[3, 1], [1, 0], [3, 0]]), values((3,)), i64(4, 4), np.float32(9))
    f.case("SparseFillEmptyRows", np.zeros((0, 2), np.int64), values((0,)), i64(3, 4), np.float32(9))
    f.case("SparseFillEmptyRows", np.zeros((0, 2), np.int64), values((0,)), i64(0, 4), np.float32(9))
    f.case("SparseFillEmptyRows", np.array([[7, 0]]), values((1,)), i64(5, 4), np.float32(9), phrase="is invalid: 7 >= 5")
    f.case("SparseFillEmptyRows", np.array([[-1, 0]]), values((1,)), i64(5, 4), np.float32(9), phrase="is invalid")
    f.case("SparseFillEmptyRows", np.array([[1, 0]]), values((2,)), i64(5, 4), np.float32(9), phrase="")
    f.case("SparseFillEmptyRowsGrad", i64(1, 3, 4), values((5,)))
    f.case("SparseFillEmptyRowsGrad", i64(1, 5), values((5,)), phrase="")


def order(f):
    for dtype in [*MAIN, object]:
        f.case("SparseReorder", PLACES[[2, 0, 1]], values((3,), dtype), SHAPE)
    f.case("SparseConcat", [PLACES, np.array([[0, 0], [1, 1]])], [values((3,)), values((2,))], [SHAPE, i64(3, 2)], concat_dim=1)
    f.case("SparseConcat", [PLACES, np.array([[0, 0], [1, 1]])], [values((3,), object), values((2,), object)], [SHAPE, i64(2, 4)], concat_dim=0)
    f.case("SparseConcat", [PLACES, np.array([[0, 0], [1, 1]])], [values((3,)), values((2,))], [SHAPE, i64(2, 4)], concat_dim=-2)
    f.case("SparseConcat", [PLACES, np.array([[0, 0], [1, 1]])], [values((3,)), values((2,))], [SHAPE, i64(2, 4)], concat_dim=1, phrase="")
    f.case("SparseConcat", [PLACES, np.array([[0, 0], [1, 1]])], [values((3,)), values((2,))], [SHAPE, i64(2, 4)], concat_dim=2, phrase="")
    for start, size in [([0, 0], [3, 4]), ([1, 0], [2, 2]), ([2, 2], [5, 5]), ([0, 2], [1, 1])]:
        f.case("SparseSlice", PLACES, values((3,)), SHAPE, i64(*start), i64(*size))


def python(f):
    with f.scenario("embedding_lookup_sparse") as s:
        table = v1.get_variable("t", initializer=values((6, 3)))
        for use in ["sum", "mean", "sqrtn"]:
            ids = tf.SparseTensor(np.array([[0, 0], [0, 1], [2, 0]]), i64(1, 4, 5), i64(3, 2))
            weights = tf.SparseTensor(np.array([[0, 0], [0, 1], [2, 0]]), f32(0.5, 2, 1), i64(3, 2))
            for w in [None, weights]:
                y = v1.nn.embedding_lookup_sparse(table, ids, w, combiner=use)
                g = tf.convert_to_tensor(v1.gradients(y, [table])[0])
                s.run([], targets=[table.initializer])
                s.run([y, g], tol=1e-5)
            safe = v1.nn.safe_embedding_lookup_sparse([table], ids, combiner=use)
            s.run([safe], tol=1e-5)


def sets(f):
    a, b = np.array([[5, 2, 5], [1, 1, 1]]), np.array([[2, 3], [4, 4]])
    for operation in ["a-b", "b-a", "intersection", "union", "other"]:
        for dtype in [np.int32, np.int64, np.int8]:
            f.case("DenseToDenseSetOperation", a.astype(dtype), b.astype(dtype), set_operation=operation)
        words = np.array([[b"b", b"a"], [b"x", b"x"]], object)
        f.case("DenseToDenseSetOperation", words, words[::-1], set_operation=operation)
        f.case("DenseToSparseSetOperation", np.array([[1, 2], [3, 3], [4, 5]]), PLACES, i64(2, 4, 3), SHAPE, set_operation=operation)
        f.case("SparseToSparseSetOperation", PLACES, i64(1, 2, 3), SHAPE, PLACES[1:], i64(3, 7), SHAPE, set_operation=operation)
    f.case("DenseToDenseSetOperation", a[0], b[0], set_operation="union")
    f.case("DenseToDenseSetOperation", a, b[:1], set_operation="union")
    f.case("SetSize", PLACES, i64(1, 2, 2), SHAPE)
    f.case("SetSize", PLACES[::-1], i64(1, 2, 2), SHAPE)
    f.case("SetSize", np.array([[0]]), i64(1), i64(3))


def serialized(f):
    for kind in [tf.string, tf.variant]:
        with f.scenario(f"SerializeSparse/{kind.name}") as s:
            x = tf.SparseTensor(PLACES, tf.constant([1.0, 2.0, 3.0]), SHAPE)
            y = tf.SparseTensor(PLACES[:2], tf.constant([4.0, 5.0]), [3, 9])
            one, other = v1.serialize_sparse(x, out_type=kind), v1.serialize_sparse(y, out_type=kind)
            rows = v1.serialize_many_sparse(x, out_type=kind)
            raw = lambda packed: list(tf.raw_ops.DeserializeSparse(serialized_sparse=packed, dtype=tf.float32))
            s.run(raw(one))
            s.run(raw(tf.stack([one, other])))
            s.run(raw(rows))
            s.run(raw(rows[1]))
            s.run(list(tf.raw_ops.DeserializeSparse(serialized_sparse=one, dtype=tf.int32)))
            if kind == tf.string:
                s.run(list(tf.raw_ops.DeserializeManySparse(serialized_sparse=rows, dtype=tf.float32)))


def sums(f):
    other = np.array([[0, 0], [2, 0], [2, 1]])
    for dtype in [*MAIN, np.float16, np.complex64]:
        limit = np.array(0, np.float32 if dtype == np.complex64 else dtype)
        f.case("SparseAdd", PLACES, values((3,), dtype), SHAPE, other, values((3,), dtype, seed=2), SHAPE, limit)
        f.case("SparseTensorDenseAdd", PLACES, values((3,), dtype), SHAPE, values((3, 4), dtype))
        for op in ["SparseReduceSum", "SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse"]:
            if dtype == np.complex64 and "Max" in op:
                continue
            f.case(op, PLACES, values((3,), dtype), SHAPE, i32(1), tol=1e-2 if dtype == np.float16 else None)
        for op in ["SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseDenseCwiseAdd"]:
            if np.dtype(dtype).kind == "i" and "Div" in op:
                continue
            f.case(op, PLACES, values((3,), dtype), SHAPE, values((3, 4), dtype, low=1), tol=1e-2 if dtype == np.float16 else 1e-5)
    f.case("SparseAdd", PLACES, f32(1, 2, 3), SHAPE, PLACES, f32(-1, 2, 0.5), SHAPE, np.float32(0.5))
    f.case("SparseAdd", PLACES, values((3,)), SHAPE, other, values((3,)), i64(4, 4), np.float32(0), phrase="")
    f.case("SparseAdd", PLACES, values((3,)), SHAPE, other, values((2,)), SHAPE, np.float32(0), phrase="")
    f.case("SparseTensorDenseAdd", PLACES, values((3,)), SHAPE, values((4, 4)), phrase="")
    f.case("SparseTensorDenseAdd", PLACES, values((2,)), SHAPE, values((3, 4)), phrase="Dimensions 3 and 2 are not compatible")
    f.case("SparseTensorDenseAdd", PLACES + 7, values((3,)), SHAPE, values((3, 4)), phrase="invalid index")
    f.case("SparseTensorDenseAdd", PLACES.astype(np.int32), values((3,)), SHAPE.astype(np.int32), values((3, 4)))
    for axes in [i32(), i32(0), i32(-1), i32(0, 1), scalar(0)]:
        for keep in [False, True]:
            for op in ["SparseReduceSum", "SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse"]:
                f.case(op, PLACES, values((3,)), SHAPE, axes, keep_dims=keep, grad=None if axes.size else False)
    f.case("SparseReduceSum", PLACES, values((3,)), SHAPE, i32(2), phrase="")
    for dense in [(4,), (1, 4), (3, 1), ()]:
        for op in ["SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseDenseCwiseAdd"]:
            f.case(op, PLACES, values((3,)), SHAPE, values(dense, low=1), tol=1e-5, grad=None if dense else False)
    f.case("SparseDenseCwiseMul", PLACES, values((3,)), SHAPE, values((3, 3)), phrase="")
    for dtype in [np.float32, np.float64, np.float16]:
        f.case("SparseSoftmax", np.array([[0, 1], [2, 0], [2, 3], [2, 1]])[[0, 1, 3, 2]], values((4,), dtype), SHAPE, tol=1e-2 if dtype == np.float16 else 1e-5)
    f.case("SparseSoftmax", np.array([[1]]), values((1,)), i64(3), phrase="")
    for parts, axis in [(2, 1), (3, 1), (1, 0), (2, 0), (3, -2)]:
        f.case("SparseSplit", scalar(axis, np.int64), PLACES, values((3,)), SHAPE, num_split=parts)
    f.case("SparseSplit", scalar(1, np.int64), PLACES, values((3,), object), SHAPE, num_split=2)
    f.case("SparseSplit", scalar(1, np.int64), PLACES, values((3,)), SHAPE, num_split=5, phrase="")
    f.case("SparseSplit", scalar(2, np.int64), PLACES, values((3,)), SHAPE, num_split=2, phrase="axis should be in range [-2, 2)")
    f.case("SparseReorder", PLACES, values((2,)), SHAPE, phrase="Number of elements")
    f.case("SparseSplit", scalar(2, np.int64), PLACES, values((3,)), SHAPE, num_split=2, phrase="")
