"""Random numbers: the same as TensorFlow's for the same seeds, step after step."""

import numpy as np
from judge import tf

from .scenario import *

DISTRIBUTIONS = ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"]


def record(f):
    for op in DISTRIBUTIONS:
        for dtype in [tf.float32, tf.float64, tf.float16, tf.bfloat16]:
            steps(f, f"{op}/{dtype.name}", [lambda: node_of(op, [i32(7)], seed=87654321, seed2=42, dtype=dtype)], 3)
        for shape in [i32(), i32(0), i32(2, 3), i64(2, 2), i32(300), i32(1), i32(4), i32(5)]:
            steps(f, f"{op}/shape", [lambda: node_of(op, [shape], seed=1, seed2=2, dtype=tf.float32)], 2)
        f.case(op, i32(-1), seed=1, seed2=2, dtype=tf.float32)
        f.case(op, np.array([[1]], np.int32), seed=1, seed2=2, dtype=tf.float32)
        f.case(op, scalar(3), seed=1, seed2=2, dtype=tf.float32)
        steps(f, f"{op}/seeds", [lambda: node_of(op, [i32(3)], seed=0, seed2=5, dtype=tf.float32),
                                 lambda: node_of(op, [i32(3)], seed=5, seed2=0, dtype=tf.float32),
                                 lambda: node_of(op, [i32(3)], seed=-7, seed2=2**40, dtype=tf.float32)], 2)
        # Without seeds only type and shape are known.
        steps(f, f"{op}/unseeded", [lambda: node_of(op, [i32(3)], seed=0, seed2=0, dtype=tf.float32)], 1, "shape")
        # A long run crosses the shards that TensorFlow's kernels work in.
        with f.scenario(f"{op}/long") as s:
            out = node_of(op, [i32(20000)], seed=3, seed2=4, dtype=tf.float32)[0]
            s.run([out[:8], out[9990:10000], out[-6:], tf.reduce_mean(out), tf.reduce_max(out)], tol=1e-4)
    for dtype in [np.int32, np.int64]:
        for low, high in [(0, 10), (-5, 5), (0, 1), (3, 3), (5, 2), (0, np.iinfo(dtype).max), (np.iinfo(dtype).min, np.iinfo(dtype).max)]:
            steps(f, f"RandomUniformInt/{np.dtype(dtype).name}", [
                lambda: node_of("RandomUniformInt", [i32(9), np.array(low, dtype), np.array(high, dtype)], seed=9, seed2=8)], 2)
    f.case("RandomUniformInt", i32(9), i32(1, 2), scalar(5), seed=9, seed2=8)
    f.case("RandomUniformInt", i32(9), scalar(1), i32(5), seed=9, seed2=8)
    for x in [np.arange(10, dtype=np.int32), values((5, 2)), values((0,)), values((1, 3)), values(()), values((6,), object),
              values((4, 2, 2), np.int64)]:
        steps(f, "RandomShuffle", [lambda: node_of("RandomShuffle", [x], seed=11, seed2=22)], 3)
    for logits, n in [(values((2, 4)), 5), (values((0, 3)), 2), (values((1, 3)), 0), (values((2, 3), np.float64), 4)]:
        steps(f, "Multinomial", [lambda: node_of("Multinomial", [logits, scalar(n)], seed=3, seed2=5)], 2)
    two(f)
    python_seeds(f)


def steps(f, name, makers, count, mode=None):
    with f.scenario(name) as s:
        outputs = [make()[0] for make in makers]
        for _ in range(count):
            s.run(outputs, mode=mode)


def two(f):
    """Two nodes of the same seeds have their own streams; a step that does not use a node does not advance it."""
    with f.scenario("RandomUniform/two_nodes") as s:
        a = node_of("RandomUniform", [i32(3)], seed=1, seed2=2, dtype=tf.float32)[0]
        b = node_of("RandomUniform", [i32(3)], seed=1, seed2=2, dtype=tf.float32)[0]
        s.run([a])
        s.run([a, b])
        s.run([b])
        s.run([a + b])


def python_seeds(f):
    """As programs do it: a graph seed and several ops."""
    with f.scenario("graph_seed") as s:
        v1.set_random_seed(1234)
        outs = [tf.random.uniform([3]), tf.random.normal([3], 1.0, 2.0), tf.random.truncated_normal([3], stddev=0.1),
                tf.random.uniform([4], 0, 100, tf.int32), tf.random.shuffle(tf.range(6)), tf.random.uniform([2], seed=5)]
        for _ in range(3):
            s.run(outs)
