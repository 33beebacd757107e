"""What stands at the edges of ops: sizes and arguments that few programs have, and maps of tensors."""

import numpy as np
from judge import tf

from .scenario import *

raw = tf.raw_ops


def record(f):
    tensor_maps(f)
    largest(f)
    counts(f)
    segments(f)
    solutions(f)
    indices(f)
    compressed(f)
    rates(f)
    diagonals(f)
    barriers(f)
    candidates(f)
    distances(f)
    pools(f)
    slices(f)


def tensor_maps(f):
    with f.scenario("TensorMap") as s:
        key, value = v1.placeholder(tf.string, name="key"), v1.placeholder(tf.float32, name="value")
        empty = raw.EmptyTensorMap()
        one = raw.TensorMapInsert(input_handle=empty, key=key, value=value)
        two = raw.TensorMapInsert(input_handle=one, key=tf.constant("b"), value=tf.constant([5.0]))
        size = lambda handle: raw.TensorMapSize(input_handle=handle)
        lookup = lambda handle, key: raw.TensorMapLookup(input_handle=handle, key=key, value_dtype=tf.float32)
        a, b = np.array(b"a", object), np.array(b"b", object)
        fetches = [size(empty), size(one), size(two), lookup(two, key), lookup(two, tf.constant("b")), raw.TensorMapHasKey(input_handle=one, key=tf.constant("a"))]
        s.run(fetches, {key: a, value: f32(1, 2)})
        s.run(fetches, {key: b, value: f32(1, 2)})
        erased = raw.TensorMapErase(input_handle=two, key=tf.constant("a"), value_dtype=tf.float32)
        s.run([size(erased)], {key: a, value: f32(1)})
        s.run([size(erased)], {key: b, value: f32(1)})
        s.run([lookup(one, tf.constant("b"))], {key: a, value: f32(1)})
        # The order of several keys is TensorFlow's own affair.
        s.run([raw.TensorMapStackKeys(input_handle=one, key_dtype=tf.string)], {key: np.array([b"a", b"c"], object), value: f32(1)})
        s.run([raw.TensorMapStackKeys(input_handle=two, key_dtype=tf.string)], {key: np.array([b"a", b"c"], object), value: f32(1)}, phrase="Keys must all have the same shape")
        s.run([raw.TensorMapStackKeys(input_handle=one, key_dtype=tf.int32)], {key: a, value: f32(1)}, phrase="Key does not match requested dtype")
        s.run([raw.TensorMapStackKeys(input_handle=empty, key_dtype=tf.int32)], {})
        lists = raw.EmptyTensorList(element_shape=tf.constant([2]), max_num_elements=2, element_dtype=tf.float32)
        s.run([size(lists)], {}, phrase="Input handle is not a map")
    with f.scenario("TensorMap/sum") as s:
        numbers = v1.placeholder(tf.float32, name="numbers")

        def filled(pairs):
            made = raw.EmptyTensorMap()
            for key, value in pairs:
                made = raw.TensorMapInsert(input_handle=made, key=tf.constant(key), value=value)
            return made

        first, second = filled([(1, numbers), (2, numbers * 2)]), filled([(2, numbers * 3), (3, numbers * 4)])
        both = tf.add_n([first, second])
        s.run([raw.TensorMapLookup(input_handle=both, key=k, value_dtype=tf.float32) for k in (1, 2, 3)], {numbers: f32(1, 2)})
        s.run([raw.TensorMapSize(input_handle=tf.zeros_like(first))], {numbers: f32(1, 2)})


def largest(f):
    for dtype in [np.float32, np.float16, bfloat16]:
        f.case("ApproxTopK", values((3, 6), dtype), k=2, grad=False, known=True)
        f.case("ApproxTopK", values((7,), dtype), k=7, recall_target=1.0, grad=False, known=True)
    f.case("ApproxTopK", values((0, 4)), k=2, grad=False, known=True)
    f.case("ApproxTopK", values((3, 4)), k=0, grad=False, known=True)


def counts(f):
    weights = np.array([[1, 2], [3, 4]], np.float32)
    f.case("RaggedBincount", i64(0, 1, 4), i32(1, 2, 1, 3), scalar(4), weights, grad=False)
    f.case("SparseBincount", i64([0, 0], [0, 1], [1, 0]), i32(-1, 2, 1), i64(2, 2), scalar(4), f32(), grad=False)
    f.case("SparseBincount", i64([-2], [0]), i32(1, 2), i64(2), scalar(4), f32(), grad=False, phrase="is out of bounds")


def segments(f):
    far = i64(2**62 - 1)
    for op in ["SparseSegmentSum", "SparseSegmentMean"]:
        f.case(op, values((10, 4)), far, far, grad=False, phrase="Encountered overflow when multiplying")


def solutions(f):
    bands = np.array([[1, 0, 3], [2, 1, 1]], np.float64)
    for lower in [False, True]:
        for batch in [bands, np.stack([bands, bands[::-1]]), np.stack([bands[::-1], bands])]:
            f.case("BandedTriangularSolve", batch, np.array([[1], [2], [3]], np.float64), lower=lower, grad=False)


def indices(f):
    for dtype in [np.int32, np.int64, np.uint32, np.uint64]:
        for most in [0, 1, 5, 300, 65535, 65536, 2**31 - 1]:
            for rounds in [4, 8]:
                f.case("RandomIndexShuffle", scalar(most // 2, dtype), np.array([1, 2**31 - 1, 3], dtype), scalar(most, dtype), rounds=rounds, grad=False)
        f.case("RandomIndexShuffle", np.arange(6, dtype=dtype), i32(7, 8, 9), scalar(5, dtype), grad=False)
        f.case("RandomIndexShuffle", np.arange(3, dtype=dtype), np.arange(9).reshape(3, 3).astype(np.int64), np.array([9, 8, 7], dtype), grad=False)
    f.case("RandomIndexShuffle", scalar(5, np.int64), i32(-7, 8, 9), scalar(2**62, np.int64), grad=False)
    f.case("RandomIndexShuffle", scalar(-1), i32(7, 8, 9), scalar(5), grad=False, phrase="must be >= 0")
    f.case("RandomIndexShuffle", scalar(6), i32(7, 8, 9), scalar(5), grad=False, phrase="max_index must be >= index")
    f.case("RandomIndexShuffle", scalar(6), i32(7, 8, 9), i32(5, 6, 7), grad=False, phrase="max_index must be >= index")
    f.case("RandomIndexShuffle", i32(1, 2), i32(7, 8, 9), i32(5, 6, 7), grad=False, phrase="")


def compressed(f):
    for dtype in [np.float32, np.float64, np.complex64, np.complex128]:
        for shape, other in [((3, 4), (4, 2)), ((2, 3, 4), (2, 4, 2))]:
            with f.scenario(f"CSRSparseMatrix/{np.dtype(dtype).name}/{len(shape)}") as s:
                dense = np.where(np.arange(np.prod(shape)).reshape(shape) % 3 == 1, 0, values(shape, dtype)).astype(dtype)
                if np.dtype(dtype).kind == "c":
                    dense = dense * dtype(1 + 2j)
                kind = tf.as_dtype(dtype)
                places = np.argwhere(dense)
                made = raw.DenseToCSRSparseMatrix(dense_input=tf.constant(dense), indices=tf.constant(places))
                again = raw.SparseTensorToCSRSparseMatrix(indices=tf.constant(places), values=tf.constant(dense[tuple(places.T)]), dense_shape=tf.constant(shape, tf.int64))
                b = tf.constant(values(other, dtype))
                show = lambda handle: raw.CSRSparseMatrixToDense(sparse_input=handle, type=kind)
                for handle in [made, again]:
                    s.run([show(handle), raw.SparseMatrixNNZ(sparse_matrix=handle), *raw.CSRSparseMatrixToSparseTensor(sparse_matrix=handle, type=kind),
                           *raw.CSRSparseMatrixComponents(csr_sparse_matrix=handle, index=len(shape) - 2, type=kind)])
                for conjugate in [False, True]:
                    s.run([show(raw.SparseMatrixTranspose(input=made, conjugate=conjugate, type=kind))])
                for attrs in [dict(), dict(transpose_output=True), dict(conjugate_output=True), dict(transpose_output=True, conjugate_output=True)]:
                    s.run([raw.SparseMatrixMatMul(a=made, b=b, **attrs)])
                turned = tf.constant(np.swapaxes(dense, -1, -2))
                for attrs in [dict(transpose_a=True, transpose_b=True), dict(adjoint_a=True, adjoint_b=True)]:
                    s.run([raw.SparseMatrixMatMul(a=made, b=turned, **attrs)])
                    s.run([show(raw.SparseMatrixSparseMatMul(a=made, b=made, type=kind, **{key: value for key, value in attrs.items() if key[-1] == side})) for side in "ab"])
                s.run([show(raw.SparseMatrixSparseMatMul(a=made, b=raw.SparseMatrixTranspose(input=again, type=kind), type=kind))])
                s.run(list(raw.CSRSparseMatrixComponents(csr_sparse_matrix=made, index=7, type=kind)))
                other_kind = tf.float64 if dtype == np.float32 else tf.float32
                s.run([raw.CSRSparseMatrixToDense(sparse_input=made, type=other_kind)])
    with f.scenario("CSRSparseMatrix/outside") as s:
        dense, indices = v1.placeholder(tf.float32, [2, 2], name="dense"), v1.placeholder(tf.int64, [None, 2], name="indices")
        made = raw.DenseToCSRSparseMatrix(dense_input=dense, indices=indices)
        s.run([raw.SparseMatrixNNZ(sparse_matrix=made)], {dense: values((2, 2)), indices: i64([0, 0], [1, 1])})
        s.run([raw.SparseMatrixNNZ(sparse_matrix=made)], {dense: values((2, 2)), indices: i64([0, 0], [2, 1])}, phrase="")


def rates(f):
    for dtype in [tf.float32, tf.float64, tf.int32, tf.int64]:
        f.case("StatelessRandomPoisson", i32(2, 3), i64(1, 2), np.array([np.inf, 2.0, -np.inf], np.float32), also=dict(dtype=dtype), grad=False)


def diagonals(f):
    for equation, shapes in [("a->aa", [(3,)]), ("ab->bab", [(2, 3)]), ("aab->abb", [(2, 2, 3)]), ("ab,bc->aac", [(2, 3), (3, 2)]), ("...a->a...a", [(2, 3)]), ("a->aa", [(0,)])]:
        f.case("Einsum", [values(shape, np.float32, 3) for shape in shapes], equation=equation, grad=False)


def barriers(f):
    with f.scenario("Barrier") as s:
        handle = v1.raw_ops.Barrier(component_types=[tf.float32], shapes=[tf.TensorShape(None)])
        keys, rows = v1.placeholder(tf.string, name="keys"), v1.placeholder(tf.float32, name="rows")
        insert = v1.raw_ops.BarrierInsertMany(handle=handle, keys=keys, values=rows, component_index=0)
        take = v1.raw_ops.BarrierTakeMany(handle=handle, num_elements=2, component_types=[tf.float32])
        names = np.array([b"a", b"b"], object)
        s.run([], {keys: names, rows: np.zeros((2, 0), np.float32)}, [insert], phrase="Tensors with no elements are not supported")
        s.run([], {keys: names, rows: values((2, 3))}, [insert], phrase="")
        s.run([], {keys: names, rows: f32(1, 2)}, [insert])
        s.run([take.keys, take.values[0]])


def candidates(f):
    for op in ["LogUniformCandidateSampler", "UniformCandidateSampler", "LearnedUnigramCandidateSampler"]:
        for classes in [i64([0, 10]), i64([0, -10])]:
            f.case(op, classes, num_true=2, num_sampled=10, unique=False, range_max=2, seed=1, seed2=2, grad=False, phrase="out of range")


def distances(f):
    far, none = np.full((3, 3), -1250999896764, np.int64), np.zeros(3, np.int64)
    f.case("EditDistance", far, none, none, far, none, np.full(3, 2, np.int64), phrase="which would require writing to outside")
    f.case("EditDistance", i64([0, 0]), i64(1), i64(0, 2), i64([0, 0]), i64(1), i64(0, 2), phrase="which has 0 elements")
    f.case("EditDistance", i64([3, 0]), i64(1), i64(4, 2), i64([4, 0]), i64(1), i64(2, 2), phrase="which would require writing to outside")


def pools(f):
    picture = values((1, 2, 2, 1))
    for pads in [[0, 0, 0, 1, 0, 2, 0, 0], [0, 0, 2, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0, 0]]:
        f.case("MaxPool", values((1, 3, 3, 1)), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="EXPLICIT", explicit_paddings=pads)
    f.case("FractionalMaxPoolGrad", picture, picture, picture, scalar(0, np.int64), i64(0, 1, 2), grad=False, phrase="row_pooling_sequence must be a vector")
    f.case("FractionalMaxPoolGrad", picture, picture, picture, i64(0, 1, 2), scalar(0, np.int64), grad=False, phrase="col_pooling_sequence must be a vector")


def slices(f):
    part = lambda value, **attrs: f.case("TensorStridedSliceUpdate", values((4, 3)), i32(1, 0), i32(3, 3), i32(1, 2), value, **attrs)
    for shape in [(2, 2), (2, 1), (1, 2), (2,), (1,), (), (1, 1, 2, 2), (1, 1)]:
        part(values(shape, np.float32, 5))
    part(values((3,)), phrase="Cannot broadcast input shape")
    part(values((2, 1, 2)), phrase="Cannot broadcast input shape")
