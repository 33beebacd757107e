"""Batch normalization, local response normalization, depthwise convolutions, the largest values, checks and complex numbers."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    batch_norm(f)
    lrn(f)
    depthwise(f)
    top_k(f)
    small(f)


def channels(count, seed, low=1, high=3):
    return values((count,), np.float32, seed, low, high)


def batch_norm(f):
    for version in ["", "V2", "V3"]:
        for dtype in [np.float32] if not version else [np.float32, np.float16, bfloat16]:
            for training in [True, False]:
                for layout, shape in [("NHWC", (2, 3, 2, 4)), ("NCHW", (2, 4, 3, 2)), ("NDHWC", (2, 2, 1, 3, 4)), ("NCDHW", (2, 4, 2, 1, 3))]:
                    if len(layout) == 5 and version != "V3":
                        continue
                    with f.scenario(f"FusedBatchNorm{version}/{np.dtype(dtype).name}_{layout}_{training}") as s:
                        x = v1.placeholder(tf.as_dtype(dtype), name="x")
                        scale, offset = v1.placeholder(tf.float32, name="scale"), v1.placeholder(tf.float32, name="offset")
                        mean, variance = v1.placeholder(tf.float32, name="mean"), v1.placeholder(tf.float32, name="variance")
                        op = getattr(tf.raw_ops, "FusedBatchNorm" + version)
                        out = op(x=x, scale=scale, offset=offset, mean=mean, variance=variance, data_format=layout,
                                 is_training=training, epsilon=0.01)
                        none = np.zeros((0,), np.float32)
                        feeds = {x: values(shape, dtype), scale: channels(4, 1), offset: channels(4, 2),
                                 mean: none if training else channels(4, 3), variance: none if training else channels(4, 4)}
                        tol = 1e-4 if dtype == np.float32 else 3e-2
                        s.run(list(out)[:3], feeds, tol=tol)
                        if dtype == np.float32 and len(layout) == 4 and (training or layout == "NHWC"):
                            s.gradients([out[0]], [x, scale, offset], feeds, tol=2e-4)
                        if training:
                            y, bm, bv, r1, r2 = list(out)[:5]
                            grad = getattr(tf.raw_ops, "FusedBatchNormGrad" + version)
                            extra = {"reserve_space_3": out[5]} if version == "V3" else {}
    with f.scenario("FusedBatchNormGrad") as s:
        for version in ["", "V2", "V3"]:
            for training in [True, False]:
                grad = getattr(tf.raw_ops, "FusedBatchNormGrad" + version)
                extra = {"reserve_space_3": tf.constant(0.0)} if version == "V3" else {}
                out = grad(y_backprop=values((2, 2, 2, 3), seed=5), x=values((2, 2, 2, 3)), scale=channels(3, 1),
                           reserve_space_1=channels(3, 2), reserve_space_2=channels(3, 3), is_training=training, **extra)
                s.run(list(out)[:3], tol=1e-4)
    with f.scenario("FusedBatchNormV3/average") as s:
        out = tf.raw_ops.FusedBatchNormV3(x=values((2, 3, 2, 4)), scale=channels(4, 1), offset=channels(4, 2), mean=channels(4, 3),
                                          variance=channels(4, 4), exponential_avg_factor=0.25)
        s.run(list(out)[:3], tol=1e-4)
    with f.scenario("FusedBatchNormV3/mistakes") as s:
        x = v1.placeholder(tf.float32, name="x")
        c = v1.placeholder(tf.float32, name="c")
        out = tf.raw_ops.FusedBatchNormV3(x=x, scale=c, offset=c, mean=c, variance=c, is_training=False)
        s.run([out[0]], {x: values((2, 2)), c: channels(2, 0)}, phrase="")
        s.run([out[0]], {x: values((1, 2, 2, 3)), c: channels(2, 0)}, phrase="")
        s.run([out[0]], {x: values((1, 2, 2, 3)), c: np.float32(1)}, phrase="")
        s.run([out[0]], {x: values((0, 2, 2, 3)), c: channels(3, 0)})
    with f.scenario("batch_normalization/training") as s:
        x = v1.placeholder(tf.float32, [4, 3, 3, 2], name="x")
        y = v1.nn.fused_batch_norm(x, tf.Variable([1.0, 2.0]), tf.Variable([0.5, -0.5]))[0]
        grads = v1.gradients(tf.reduce_sum(tf.square(y)), [x, *v1.trainable_variables()])
        s.run([], targets=[v1.global_variables_initializer()])
        s.run([y, *grads], {x: values((4, 3, 3, 2))}, tol=1e-3)


def lrn(f):
    for dtype in [np.float32, np.float16, bfloat16]:
        tol = 1e-5 if dtype == np.float32 else 3e-2
        f.case("LRN", values((2, 2, 1, 7), dtype), tol=tol, grad_tol=1e-4)
    f.case("LRN", values((1, 2, 2, 6)), depth_radius=2, bias=2.0, alpha=0.5, beta=0.75, tol=1e-5, grad_tol=1e-4)
    f.case("LRN", values((1, 1, 1, 4)), depth_radius=0, beta=1.0, tol=1e-5)
    f.case("LRN", values((2, 3)))
    f.case("LRN", values((0, 2, 2, 3)))


def depthwise(f):
    for dtype in [np.float32, np.float64, np.float16]:
        tol = None if dtype != np.float16 else 2e-2
        f.case("DepthwiseConv2dNative", values((2, 4, 5, 3), dtype), values((2, 3, 3, 2), dtype, 1), strides=[1, 1, 1, 1],
               padding="SAME", tol=tol)
    f.case("DepthwiseConv2dNative", values((1, 5, 5, 2)), values((3, 3, 2, 1), seed=1), strides=[1, 2, 2, 1], padding="VALID")
    f.case("DepthwiseConv2dNative", values((1, 4, 4, 2)), values((2, 2, 2, 3), seed=1), strides=[1, 1, 1, 1], padding="EXPLICIT",
           explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])
    f.case("DepthwiseConv2dNative", values((1, 4, 4, 2)), values((2, 2, 3, 3), seed=1), strides=[1, 1, 1, 1], padding="SAME", phrase="")
    f.case("DepthwiseConv2dNative", values((1, 4, 4)), values((2, 2, 3, 3), seed=1), strides=[1, 1, 1, 1], padding="SAME")
    # TensorFlow leaves the gradient of the filter unwritten where the batch is empty; it is zero.
    f.case("DepthwiseConv2dNative", values((0, 4, 4, 2)), values((2, 2, 2, 3), seed=1), strides=[1, 1, 1, 1], padding="SAME", grad=False)


def top_k(f):
    for dtype in [*MAIN, np.float16, bfloat16, np.int8, np.uint8, np.int16, np.uint16]:
        f.case("TopKV2", values((3, 6), dtype), scalar(3))
    for k in [0, 1, 6]:
        f.case("TopKV2", values((2, 2, 6)), scalar(k))
    f.case("TopKV2", values((6,)), scalar(2))
    f.case("TopKV2", values((6,)), scalar(2, np.int64))
    f.case("TopKV2", values((6,)), scalar(2), index_type=tf.int64)
    f.case("TopKV2", values((6,)), scalar(7))
    f.case("TopKV2", values((6,)), scalar(-1))
    f.case("TopKV2", values(()), scalar(1))
    f.case("TopKV2", values((4,)), i32(1))
    f.case("TopKV2", values((0, 4)), scalar(2))


def small(f):
    for dtype in FLOATS:
        f.case("CheckNumerics", values((3,), dtype), message="all well")
        f.case("CheckNumerics", np.array([1, nan], dtype), message="all well")
    f.case("CheckNumerics", f32(1, inf), message="all well")
    f.case("CheckNumerics", f32(nan, inf), message="all well")
    f.case("IdentityN", [values((2,)), values((2,), np.int32), values((2,), object)])
    f.case("Bitcast", values((2, 3)), type=tf.int32)
    f.case("Bitcast", values((2, 3)), type=tf.uint8)
    f.case("Bitcast", values((3, 4), np.uint8), type=tf.float32)
    f.case("Bitcast", values((3, 2), np.int32), type=tf.int64)
    f.case("Bitcast", values((3, 3), np.int32), type=tf.int64, phrase="Cannot bitcast")
    f.case("Bitcast", values((), np.int32), type=tf.int64, phrase="Cannot bitcast")
    f.case("Bitcast", values((2,), np.float64), type=tf.complex64)
    f.case("Complex", values((2, 3)), values((2, 3), seed=1))
    f.case("Complex", values((2, 1)), values((3,), seed=1))
    f.case("Complex", values((2,), np.float64), values((2,), np.float64, 1), Tout=tf.complex128)
    for dtype, out in [(np.complex64, tf.float32), (np.complex128, tf.float64)]:
        for op in ["Real", "Imag", "ComplexAbs", "Angle"]:
            f.case(op, values((2, 3), dtype), Tout=out, tol=1e-6)
        f.case("Conj", values((2, 3), dtype))
