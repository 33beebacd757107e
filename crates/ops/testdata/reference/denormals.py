"""Denormal numbers, which TensorFlow's kernels read as zero and write as zero. Results are compared bit by bit."""

import numpy as np
from judge import tf

from .scenario import *

# The smallest normal number, something above it, denormals on both sides, and plain numbers.
SINGLE = np.array([1.1754944e-38, 1.5e-38, 7.5e-39, 1e-45, -7.5e-39, -1.5e-38, 0.0, 1.0, 3e38], np.float32)
DOUBLE = np.array([2.2250738585072014e-308, 3e-308, 1e-310, 5e-324, -1e-310, -3e-308, 0.0, 1.0, 1e308])


def record(f):
    for numbers in (SINGLE, DOUBLE):
        products(f, numbers)
        copies(f, numbers)
        sums(f, numbers)
        updates(f, numbers)
    functions(f)
    with f.scenario("denormals/cast") as s:
        x, y = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.float64, [None])
        # The last three become denormal, or are, in the other type.
        small = np.array([1.5e-38, 1.0, 7.5e-39, 1e-45, 1e-310])
        s.run([tf.bitcast(tf.cast(x, tf.float64), tf.int64), tf.bitcast(tf.cast(y, tf.float32), tf.int32)],
              {x: SINGLE, y: small})
    with f.scenario("denormals/loop") as s:
        x = v1.placeholder(tf.float32, [])
        halved = v1.while_loop(lambda i, y: i < 30, lambda i, y: (i + 1, y * 0.5), [0, x])[1]
        s.run([bits(halved)], {x: np.float32(1e-33)})


    for name, options in [("here", {}), ("elsewhere", {"num_parallel_calls": 2, "deterministic": True})]:
        with f.scenario(f"denormals/dataset/{name}") as s:
            data = v1.data.Dataset.from_tensors(tf.constant(SINGLE)).map(lambda x: bits(x * 0.5), **options).prefetch(1)
            s.run(v1.data.make_one_shot_iterator(data).get_next())


def bits(x):
    return tf.bitcast(x, tf.int32 if x.dtype.base_dtype == tf.float32 else tf.int64)


def products(f, numbers):
    with f.scenario(f"denormals/product/{numbers.dtype.name}") as s:
        x = v1.placeholder(numbers.dtype, [None])
        half, large = numbers.dtype.type(0.5), numbers[-1]
        # A vector, and a scalar with a vector: others of our loops.
        results = [x * half, x * x, x * large, x / numbers.dtype.type(2), x + numbers[1], x - numbers[1], half * x[1], x[2] * large,
                   tf.negative(x) * half, tf.square(x), tf.add_n([x, x, x]), tf.math.squared_difference(x, x * half)]
        s.run([bits(y) for y in results], {x: numbers})
        # Long enough for several threads.
        s.run([bits(x * half)], {x: np.resize(numbers, 3000)})


def copies(f, numbers):
    """What only moves numbers leaves them as they are."""
    with f.scenario(f"denormals/copy/{numbers.dtype.name}") as s:
        x = v1.placeholder(numbers.dtype, [9])
        results = [tf.identity(x), tf.reshape(x, [3, 3]), tf.transpose(tf.reshape(x, [3, 3])), tf.concat([x, x], 0), tf.gather(x, [2, 3]),
                   tf.pad(x, [[1, 1]]), tf.tile(x, [2]), x[::-2], tf.constant(numbers)]
        s.run([bits(y) for y in results], {x: numbers})


def sums(f, numbers):
    small = numbers[:6]
    with f.scenario(f"denormals/sum/{numbers.dtype.name}") as s:
        x = v1.placeholder(numbers.dtype, [None, None])
        half = tf.fill([6, 2], numbers.dtype.type(0.5))
        # In which order a product sums, and with it the sign of a zero, is each library's own.
        results = [tf.reduce_sum(x, 1), tf.reduce_sum(x, 0), tf.reduce_mean(x), tf.reduce_prod(x, 1), tf.abs(tf.matmul(x, half)),
                   tf.abs(tf.matmul(half, x, transpose_a=True, transpose_b=True))]
        s.run([bits(y) for y in results], {x: np.resize(small, [4, 6])})


def updates(f, numbers):
    small, half = numbers[:6], numbers.dtype.type(0.5)
    with f.scenario(f"denormals/update/{numbers.dtype.name}") as s:
        kept = v1.get_variable("kept", initializer=tf.constant(small), use_resource=False)
        other = v1.get_variable("other", initializer=tf.constant(small), use_resource=True)
        gradient = v1.placeholder(numbers.dtype, [6])
        sgd = v1.train.GradientDescentOptimizer(half).apply_gradients([(gradient, kept), (gradient, other)])
        momentum = v1.train.MomentumOptimizer(half, half)
        step = momentum.apply_gradients([(gradient, kept), (gradient, other)])
        slots = [momentum.get_slot(v, "momentum") for v in (kept, other)]
        s.run((), targets=[v1.global_variables_initializer()])
        s.run((), {gradient: small}, [sgd])
        s.run([bits(kept), bits(other)])
        s.run((), {gradient: small}, [step])
        s.run((), {gradient: small}, [step])
        s.run([bits(kept), bits(other), *map(bits, slots)])


def functions(f):
    with f.scenario("denormals/functions") as s:
        x = v1.placeholder(tf.float32, [None])
        results = [tf.exp(x), tf.nn.softmax(tf.stack([x, tf.zeros_like(x)], 1)), tf.sigmoid(x)]
        # Below these the results are denormal; above, their last bits are each library's own.
        s.run([bits(y) for y in results], {x: np.array([-88.5, -90.0, -100.0, -103.0], np.float32)})
