"""Rearranged tensors: mirrored borders, blocks, rolls, bands and patches; slices changed in tensors and variables; sound."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    mirror(f)
    blocks(f)
    patches(f)
    order(f)
    bands(f)
    small(f)
    scatter_tensors(f)
    scatter_variables(f)
    sound(f)


def mirror(f):
    for mode in ["REFLECT", "SYMMETRIC"]:
        for dtype in [*MAIN, np.float16, np.uint8, np.bool_, np.complex64, object]:
            f.case("MirrorPad", values((3, 4), dtype), np.array([[1, 2], [0, 3]], np.int32), also=dict(mode=mode))
        f.case("MirrorPad", values((2, 3, 2)), np.array([[1, 0], [2, 1], [0, 1]], np.int64), also=dict(mode=mode))
        f.case("MirrorPad", values((3,)), np.array([[0, 0]], np.int32), also=dict(mode=mode))
        f.case("MirrorPad", values((3,)), np.array([[4, 0]], np.int32), also=dict(mode=mode), phrase="paddings must be")
        f.case("MirrorPad", values((3,)), np.array([[-1, 0]], np.int32), also=dict(mode=mode))
        f.case("MirrorPad", values((3, 2)), np.array([[1, 0]], np.int32), also=dict(mode=mode))
        for dtype in [*MAIN, np.float16]:
            f.case("MirrorPadGrad", values((6, 5), dtype), np.array([[1, 2], [1, 0]], np.int32), also=dict(mode=mode))
        f.case("MirrorPadGrad", values((3,)), np.array([[2, 2]], np.int32), also=dict(mode=mode), phrase="")
    f.case("MirrorPad", values((3,)), np.array([[3, 3]], np.int32), also=dict(mode="SYMMETRIC"))


def blocks(f):
    for dtype in [*MAIN, np.uint8, np.float16]:
        f.case("SpaceToDepth", values((2, 4, 6, 3), dtype), block_size=2)
        f.case("DepthToSpace", values((2, 2, 3, 8), dtype), block_size=2)
    f.case("DepthToSpace", values((1, 2, 1, 9)), block_size=3)
    f.case("SpaceToDepth", values((1, 3, 4, 1)), block_size=2)
    f.case("DepthToSpace", values((1, 3, 4, 3)), block_size=2)
    f.case("DepthToSpace", values((3, 4, 4)), block_size=2)
    f.case("SpaceToDepth", values((1, 4, 2, 2)), block_size=2, data_format="NCHW", phrase="")
    pads = np.array([[1, 0], [0, 2]], np.int32)
    for dtype in [*MAIN, np.uint8, np.bool_, object]:
        f.case("SpaceToBatchND", values((2, 3, 4, 2), dtype), i32(2, 3), pads, known=True)
        f.case("BatchToSpaceND", values((12, 2, 2, 2), dtype), i32(2, 3), pads, known=True)
        f.case("SpaceToBatch", values((1, 3, 4, 2), dtype), np.array([[0, 1], [1, 1]], np.int32), block_size=2)
        f.case("BatchToSpace", values((4, 2, 3, 1), dtype), np.array([[0, 1], [1, 1]], np.int32), block_size=2)
    f.case("SpaceToBatchND", values((2, 4)), i64(2), np.array([[0, 0]], np.int64), known=True)
    f.case("SpaceToBatchND", values((2, 4)), i64(1), np.array([[1, 1]], np.int64), known=True)
    f.case("BatchToSpaceND", values((6, 2, 1)), i64(3), np.array([[2, 1]], np.int64), known=True)
    f.case("SpaceToBatchND", values((2, 3)), i32(2), np.array([[0, 0]], np.int32), phrase="is not divisible by", known=True)
    f.case("SpaceToBatchND", values((2, 4)), i32(0), np.array([[0, 0]], np.int32), phrase="", known=True)
    f.case("SpaceToBatchND", values((2, 4)), i32(2), np.array([[-1, 1]], np.int32), phrase="", known=True)
    f.case("SpaceToBatchND", values((2, 4)), i32(2), np.array([[0, 0], [0, 0]], np.int32), phrase="", known=True)
    f.case("SpaceToBatchND", values((4,)), i32(2), np.array([[0, 0]], np.int32), phrase="", known=True)
    f.case("BatchToSpaceND", values((5, 4)), i32(2), np.array([[0, 0]], np.int32), phrase="", known=True)
    f.case("BatchToSpaceND", values((4, 2)), i32(2), np.array([[3, 2]], np.int32), phrase="", known=True)


def patches(f):
    for dtype in [*MAIN, np.uint8, np.float16]:
        f.case("ExtractImagePatches", values((2, 4, 5, 2), dtype), ksizes=[1, 2, 3, 1], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="VALID")
    for padding in ["SAME", "VALID"]:
        f.case("ExtractImagePatches", values((1, 6, 7, 1)), ksizes=[1, 3, 3, 1], strides=[1, 2, 2, 1], rates=[1, 2, 1, 1], padding=padding)
    f.case("ExtractImagePatches", values((1, 2, 2, 1)), ksizes=[1, 1, 1, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")
    f.case("ExtractImagePatches", values((2, 2, 1)), ksizes=[1, 1, 1, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME", phrase="")


def order(f):
    for dtype in [*MAIN, np.uint8, np.bool_, object]:
        f.case("ReverseSequence", values((3, 4, 2), dtype), i64(4, 0, 2), seq_dim=1, batch_dim=0)
        f.case("Roll", values((3, 4), dtype), i32(1, -2), i32(0, 1))
    f.case("ReverseSequence", values((4, 3, 2)), i32(1, 2, 4), seq_dim=0, batch_dim=1)
    f.case("ReverseSequence", values((3, 4)), i32(1, 2, 5), seq_dim=1)
    f.case("ReverseSequence", values((3, 4)), i32(1, -2, 4), seq_dim=1)
    f.case("ReverseSequence", values((3, 4)), i32(1, 2), seq_dim=1)
    f.case("ReverseSequence", values((3, 4)), i32(1, 2, 3), seq_dim=2)
    f.case("Roll", values((5,)), scalar(7), scalar(-1))
    f.case("Roll", values((2, 3, 4)), i64(1, 1, 2), i64(0, 2, 2))
    f.case("Roll", values((5,)), scalar(7), scalar(1))
    f.case("Roll", values((5,)), i32(1, 2), i32(0))
    f.case("Roll", values(()), scalar(7), scalar(0))
    f.case("Roll", values((0, 3)), scalar(2), scalar(0), grad=False)
    for dtype in [*MAIN, np.bool_, object]:
        f.case("UniqueWithCounts", np.array([3, 1, 3, 3, 2, 1]).astype(dtype) if dtype != object else np.array([b"a", b"b", b"a"], object))
    for dtype in [np.float32, np.int64]:
        f.case("UniqueV2", np.array([[1, 0, 0], [1, 0, 0], [2, 0, 0]]).astype(dtype), i64(0))
        f.case("UniqueV2", np.array([[1, 0, 0], [1, 0, 0], [2, 0, 0]]).astype(dtype), i32(1))
        f.case("UniqueWithCountsV2", np.array([[1, 0, 0], [1, 0, 0], [2, 0, 0]]).astype(dtype), i64(-1), out_idx=tf.int64)
    f.case("UniqueV2", f32(1, 2, 1), np.zeros((0,), np.int64))
    f.case("UniqueV2", values((2, 2)), i64(2), phrase="")


def bands(f):
    for dtype in [*MAIN, np.float16, np.bool_, np.complex64]:
        f.case("MatrixBandPart", values((2, 4, 3), dtype), scalar(1, np.int64), scalar(0, np.int64))
    for low, high in [(0, 0), (-1, 0), (0, -1), (-1, -1), (2, 1), (3, 3)]:
        f.case("MatrixBandPart", values((3, 4)), scalar(low), scalar(high))
    f.case("MatrixBandPart", values((3, 4)), scalar(4), scalar(0))
    f.case("MatrixBandPart", values((3, 4)), scalar(0), scalar(5))
    f.case("MatrixBandPart", values((3,)), scalar(0), scalar(0))
    f.case("MatrixBandPart", values((3, 4)), i32(0), scalar(0), phrase="")
    for dtype in [*MAIN, np.float16, np.complex64]:
        f.case("Diag", values((3,), dtype))
        f.case("Diag", values((2, 3), dtype))
        f.case("DiagPart", values((3, 3), dtype))
        f.case("DiagPart", values((2, 3, 2, 3), dtype))
    f.case("Diag", values(()))
    f.case("DiagPart", values((2, 3)), phrase="Invalid shape")
    f.case("DiagPart", values((2, 2, 2)), phrase="even and positive")


def small(f):
    for dtype in [*MAIN, *HALVES, np.uint8, np.int16]:
        f.case("Cross", values((2, 3), dtype), values((2, 3), dtype, seed=3), tol=1e-2 if dtype in HALVES else None)
    f.case("Cross", values((3,)), values((3,), seed=1))
    f.case("Cross", values((2,)), values((2,)))
    f.case("Cross", values((2, 3)), values((3,)))
    f.case("Cross", values(()), values(()))
    for dtype in FLOATS:
        f.case("LinSpace", np.array(1, dtype), np.array(3, dtype), scalar(6), tol=1e-2 if dtype in HALVES else 1e-6)
    f.case("LinSpace", np.float32(1), np.float32(3), scalar(1, np.int64))
    f.case("LinSpace", np.float32(1), np.float32(3), scalar(0))
    f.case("LinSpace", f32(1), np.float32(3), scalar(2))
    for dtype in MAIN:
        f.case("Bucketize", np.array([[-5, 0, 9], [10, 100, 1000]], dtype), boundaries=[0.0, 10.0, 100.0])
    f.case("Bucketize", values((3,)), boundaries=[])
    f.case("Bucketize", values((3,)), boundaries=[2.0, 1.0])
    for dtype in [np.float32, np.int64, object]:
        f.case("ParallelConcat", [values((1, 2), dtype), values((1, 2), dtype, seed=1), values((1, 2), dtype, seed=2)], shape=[3, 2], known=True)


def scatter_tensors(f):
    places, rows = np.array([[0, 1], [2, 3], [0, 1]], np.int32), np.array([[1], [2], [1]], np.int64)
    for op in ["TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMin", "TensorScatterMax"]:
        for dtype in [*MAIN, np.float16, np.uint8, np.bool_, object, np.complex64]:
            if dtype == np.bool_ and op != "TensorScatterUpdate" or dtype in (object, np.complex64) and op in ("TensorScatterMin", "TensorScatterMax"):
                continue
            f.case(op, values((3, 4), dtype), places, values((3,), dtype))
        f.case(op, values((3, 4)), rows, values((3, 4), seed=2))
        f.case(op, values((3, 4)), places[:0], values((0,)))
        f.case(op, values((3, 4)), np.array([[0, 4]], np.int32), values((1,)))
        f.case(op, values((3, 4)), np.array([[-1]], np.int32), values((1, 4)))
        f.case(op, values((3, 4)), places, values((2,)), phrase="")
        f.case(op, values((3, 4)), rows, values((3, 3)), phrase="")
        f.case(op, values(()), np.zeros((1, 0), np.int32), values((1,)), phrase="")
        f.case(op, values((3, 4)), np.array([[0, 4], [1, 1]], np.int32), values((2,)), bad_indices_policy="IGNORE", grad=False)
    f.case("ScatterNdNonAliasingAdd", values((3, 4)), places, values((3,)))


def scatter_variables(f):
    places, rows = np.array([[0, 1], [2, 3], [0, 1]], np.int32), np.array([[1], [2], [1]], np.int64)
    for op in ["Update", "Add", "Sub", "Min", "Max"]:
        for dtype in [np.float32, np.int64, np.float64, np.int32]:
            with f.scenario(f"ScatterNd{op}/{np.dtype(dtype).name}") as s:
                ref = v1.get_variable("ref", initializer=values((3, 4), dtype), use_resource=False)
                table = v1.get_variable("table", initializer=values((3, 4), dtype), use_resource=True)
                s.run([], targets=[ref.initializer, table.initializer])
                for index, shape in [(places, (3,)), (rows, (3, 4))]:
                    by_ref = node_of("ScatterNd" + op, [ref._ref(), index, values(shape, dtype, seed=5)])[0]
                    by_handle = getattr(tf.raw_ops, "ResourceScatterNd" + op)(ref=table.handle, indices=tf.constant(index), updates=tf.constant(values(shape, dtype, seed=5)))
                    s.run([by_ref], targets=[by_handle])
                    s.run([ref, table])
    with f.scenario("ScatterNd/wrong") as s:
        index = v1.placeholder(tf.int32)
        updates = v1.placeholder(tf.float32)
        table = v1.get_variable("table", initializer=values((3, 4)), use_resource=True)
        ref = v1.get_variable("ref", initializer=values((3, 4)), use_resource=False)
        s.run([], targets=[ref.initializer, table.initializer])
        by_handle = tf.raw_ops.ResourceScatterNdAdd(ref=table.handle, indices=index, updates=updates)
        by_ref = node_of("ScatterNdAdd", [ref._ref(), index, updates])[0]
        for i, u in [([[3, 0]], [1.0]), ([[0, -1]], [1.0]), ([[0, 0, 0]], [1.0]), ([[0]], [1.0]), ([[0, 0]], [1.0, 2.0])]:
            feeds = {index: np.array(i, np.int32), updates: np.array(u, np.float32)}
            s.run([], feeds, targets=[by_handle], phrase="")
            s.run([by_ref], feeds, phrase="")
    for op in ["Mul", "Div", "Min", "Max"]:
        for dtype in [np.float32, np.float64, np.int32, np.int64]:
            with f.scenario(f"Scatter{op}/{np.dtype(dtype).name}") as s:
                ref = v1.get_variable("ref", initializer=values((3, 4), dtype), use_resource=False)
                table = v1.get_variable("table", initializer=values((3, 4), dtype), use_resource=True)
                s.run([], targets=[ref.initializer, table.initializer])
                updates = np.abs(values((2, 4), dtype, seed=5)) + np.array(1, dtype)
                for index, update in [(i32(2, 0), updates), (i64(1, 1), np.array(2, dtype))]:
                    by_ref = node_of("Scatter" + op, [ref._ref(), index, update])[0]
                    by_handle = getattr(tf.raw_ops, "ResourceScatter" + op)(resource=table.handle, indices=tf.constant(index), updates=tf.constant(update))
                    s.run([by_ref], targets=[by_handle])
                    s.run([ref, table])


def sound(f):
    wave = np.sin(np.arange(24) * 0.7).reshape(2, 6, 2).astype(np.float32) * 1.2
    for outputs in [1, 3]:
        f.case("AudioSummaryV2", np.array(b"tag", object), wave, np.float32(8000), max_outputs=outputs, name="AudioSummaryV2")
    f.case("AudioSummaryV2", np.array(b"tag", object), wave[0, 0], np.float32(8000), name="AudioSummaryV2")
    f.case("AudioSummaryV2", np.array([b"tag"], object), wave, np.float32(8000), name="AudioSummaryV2")
    f.case("AudioSummaryV2", np.array(b"tag", object), wave, f32(8000, 1), name="AudioSummaryV2", phrase="")
