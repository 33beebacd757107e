"""The usual ops in half and bfloat16, on tensors of a million elements."""

from common import Program, plain, tf, v1

SIDE = 1024


def elementwise(compute, dtype, inputs=1):
    """One op on variables, ten times a step; millions of elements a second."""

    def build():
        values = [v1.Variable(tf.cast(tf.fill([SIDE, SIDE], 0.5 + i), dtype), use_resource=False) for i in range(inputs)]
        work = []
        for _ in range(10):
            with tf.control_dependencies(work[-1:]):
                work.append(compute(*values).op)
        return Program(v1.global_variables_initializer(), work[-1], lambda rate: rate * 10 * SIDE * SIDE / 1e6, plain())

    return build


def product(dtype):
    def build():
        a, b = (v1.Variable(tf.cast(tf.fill([512, 512], value), dtype), use_resource=False) for value in (1.5, 0.5))
        work = []
        for _ in range(4):
            with tf.control_dependencies(work[-1:]):
                work.append(tf.matmul(a, b).op)
        return Program(v1.global_variables_initializer(), work[-1], lambda rate: rate * 4 * 2 * 512**3 / 1e9, plain())

    return build


def convolution(dtype):
    def build():
        image = v1.Variable(tf.cast(tf.fill([8, 28, 28, 32], 0.5), dtype), use_resource=False)
        taps = v1.Variable(tf.cast(tf.fill([3, 3, 32, 64], 0.1), dtype), use_resource=False)
        work = tf.nn.conv2d(image, taps, 1, "SAME").op
        return Program(v1.global_variables_initializer(), work, lambda rate: rate * 8 * 28 * 28 * 9 * 32 * 64 * 2 / 1e9, plain())

    return build


UNARY = {
    "relu": tf.nn.relu,
    "tanh": tf.tanh,
    "exp": tf.exp,
    "softmax": tf.nn.softmax,
    "sum": lambda x: tf.reduce_sum(x),
    "sum_rows": lambda x: tf.reduce_sum(x, 1),
    "max_columns": lambda x: tf.reduce_max(x, 0),
    "to_float": lambda x: tf.cast(x, tf.float32),
}
BINARY = {"add": tf.add, "mul": tf.multiply}


def works():
    """Name, what builds it, unit, whether more is better, as in run.py."""
    found = {}
    for dtype, short in [(tf.float16, "half"), (tf.bfloat16, "bfloat16")]:
        found[f"matmul_{short}"] = (product(dtype), f"GFLOP/s, product, {short}", True)
        found[f"conv_{short}"] = (convolution(dtype), f"GFLOP/s, convolution, {short}", True)
        for name, compute in UNARY.items():
            found[f"{name}_{short}"] = (elementwise(compute, dtype), f"M elements/s, {name}, {short}", True)
        for name, compute in BINARY.items():
            found[f"{name}_{short}"] = (elementwise(compute, dtype, 2), f"M elements/s, {name}, {short}", True)
        found[f"from_float_{short}"] = (
            elementwise(lambda x, dtype=dtype: tf.cast(x, dtype), tf.float32), f"M elements/s, from float, {short}", True)
    return found
