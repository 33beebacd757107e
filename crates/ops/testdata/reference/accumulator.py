"""Conditional accumulators, which gather gradients for synchronous training."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    for dtype in [tf.float32, tf.float64, tf.float16]:
        for reduction in ["MEAN", "SUM"]:
            for resource in [True, False]:
                dense(f, dtype, reduction, resource)
    mistakes(f)
    sparse(f)
    python(f)


def dense(f, dtype, reduction, resource):
    prefix = "Resource" if resource else ""
    with f.scenario(f"{prefix}ConditionalAccumulator/{dtype.name}") as s:
        kind = dtype.as_numpy_dtype
        h = node_of(prefix + "ConditionalAccumulator", [], dtype=dtype, shape=[2], reduction_type=reduction, name="acc")[0]
        step, x, n = v1.placeholder(tf.int64, name="step"), v1.placeholder(dtype, name="x"), v1.placeholder(tf.int32, name="n")
        apply = node_of(prefix + "AccumulatorApplyGradient", [h, step, x])[0]
        take = node_of(prefix + "AccumulatorTakeGradient", [h, n], dtype=dtype)[0]
        count = node_of(prefix + "AccumulatorNumAccumulated", [h])[0]
        advance = node_of(prefix + "AccumulatorSetGlobalStep", [h, step])[0]
        zero = np.int64(0)
        s.run([count])
        s.run([], {step: zero, x: values((2,), kind)}, targets=[apply])
        s.run([], {step: zero, x: values((2,), kind, 1)}, targets=[apply])
        s.run([count])
        s.run([take], {n: scalar(2)})
        s.run([count])
        # Stale: the global step is 1 by now.
        s.run([], {step: zero, x: values((2,), kind)}, targets=[apply])
        s.run([count])
        for k in range(3):
            s.run([], {step: np.int64(1), x: values((2,), kind, k)}, targets=[apply])
        s.run([take], {n: scalar(2)})
        s.run([count])
        s.run([], {step: np.int64(7)}, targets=[advance])
        s.run([], {step: np.int64(6), x: values((2,), kind)}, targets=[apply])
        s.run([count])
        s.run([], {step: np.int64(9), x: values((2,), kind)}, targets=[apply])
        s.run([count])
        s.run([], {step: np.int64(9), x: values((3,), kind)}, targets=[apply])
        s.run([take], {n: scalar(0)})
        s.run([take], {n: scalar(1)})
        s.run([take], {n: scalar(1)}, timeout_ms=60, phrase="")


def mistakes(f):
    with f.scenario("ResourceConditionalAccumulator/mistakes") as s:
        h = tf.raw_ops.ResourceConditionalAccumulator(dtype=tf.float32, shape=tf.TensorShape([None, 2]), name="acc")
        x = v1.placeholder(tf.float32, name="x")
        apply = tf.raw_ops.ResourceAccumulatorApplyGradient(handle=h, local_step=np.int64(0), gradient=x)
        count = tf.raw_ops.ResourceAccumulatorNumAccumulated(handle=h)
        s.run([], {x: values((3, 2))}, targets=[apply])
        s.run([], {x: values((3, 1))}, targets=[apply])
        s.run([], {x: values((4, 2))}, targets=[apply])
        s.run([], {x: values((2,))}, targets=[apply])
        s.run([count])
        s.run([], targets=[tf.raw_ops.ResourceAccumulatorSetGlobalStep(handle=h, new_global_step=np.int64(5))])
        s.run([], targets=[tf.raw_ops.ResourceAccumulatorSetGlobalStep(handle=h, new_global_step=np.int64(3))])
    with f.scenario("ResourceConditionalAccumulator/shared_name") as s:
        make = lambda name: tf.raw_ops.ResourceConditionalAccumulator(dtype=tf.float32, shape=[], shared_name="one", name=name)
        a, b = make("a"), make("b")
        s.run([], targets=[tf.raw_ops.ResourceAccumulatorApplyGradient(handle=a, local_step=np.int64(0), gradient=2.0)])
        s.run([tf.raw_ops.ResourceAccumulatorNumAccumulated(handle=b)])
        s.run([tf.raw_ops.ResourceAccumulatorTakeGradient(handle=b, num_required=1, dtype=tf.float32)])


def sparse(f):
    for reduction in ["MEAN", "SUM"]:
        with f.scenario(f"SparseConditionalAccumulator/{reduction}") as s:
            acc = v1.SparseConditionalAccumulator(tf.float32, shape=tf.TensorShape([4, 2]), reduction_type=reduction)
            i, x = v1.placeholder(tf.int64, name="i"), v1.placeholder(tf.float32, name="x")
            apply = acc.apply_grad(i, x, [4, 2])
            take = acc.take_grad(2)
            s.run([], {i: i64(0, 2), x: values((2, 2))}, targets=[apply])
            s.run([], {i: i64(2, 3), x: values((2, 2), seed=4)}, targets=[apply])
            s.run([acc.num_accumulated()])
            s.run(list(take))
            s.run([], {i: i64(1), x: values((1, 2))}, targets=[apply])
            s.run([acc.num_accumulated()])


def python(f):
    """Gradients of two workers make one update."""
    for use_resource in [False, True]:
        with f.scenario(f"ConditionalAccumulator/training_{'resource' if use_resource else 'ref'}") as s:
            w = v1.get_variable("w", initializer=[1.0, 2.0], use_resource=use_resource)
            acc = v1.ConditionalAccumulator(tf.float32, shape=[2])
            x = v1.placeholder(tf.float32, [2], name="x")
            grad = v1.gradients(tf.reduce_sum(tf.square(w * x)), [w])[0]
            push = acc.apply_grad(grad, local_step=0)
            update = v1.train.GradientDescentOptimizer(0.1).apply_gradients([(acc.take_grad(2), w)])
            s.run([], targets=[w.initializer])
            s.run([], {x: f32(1, 2)}, targets=[push])
            s.run([], {x: f32(3, -1)}, targets=[push])
            s.run([], targets=[update])
            s.run([w.read_value() if use_resource else w])
