"""Matrix products: three sizes of their own, and a sweep over sizes, transposes and odd edges."""

import math

from common import Program, interleaved, plain, tf, v1

# Rows, depth, columns, and which operands are transposed.
SWEEP = [
    (100, 784, 100, ""), (784, 100, 100, "a"), (100, 100, 784, "b"), (100, 100, 10, ""), (100, 10, 100, "b"), (128, 3136, 512, ""),
    (3136, 128, 512, "a"), (128, 512, 3136, "b"), (32, 512, 1024, ""), (512, 32, 1024, "a"), (32, 1024, 512, "b"), (64, 64, 64, ""),
    (256, 256, 256, ""), (257, 255, 259, ""), (255, 257, 33, "b"), (17, 1000, 31, "a"), (1000, 17, 1000, ""), (1, 1024, 1024, ""),
    (1024, 1024, 1, ""), (1024, 1024, 1024, "ab"),
]  # fmt: skip


def product(m, k, n, transposed=""):
    """Products that depend on nothing but variables, ten a step, so that the step's own cost hardly counts."""

    def build():
        a = v1.Variable(tf.fill([k, m] if "a" in transposed else [m, k], 1.5), use_resource=False)
        b = v1.Variable(tf.fill([n, k] if "b" in transposed else [k, n], 0.5), use_resource=False)
        work = []
        for _ in range(10):
            with tf.control_dependencies(work[-1:]):
                work.append(tf.matmul(a, b, transpose_a="a" in transposed, transpose_b="b" in transposed).op)
        return Program(v1.global_variables_initializer(), work[-1], lambda rate: rate * 10 * 2 * m * k * n / 1e9, plain())

    return build


def sweep(binary):
    """Prints a line for each product of the sweep, and the geometric mean of the ratios."""
    ratios = []
    for m, k, n, transposed in SWEEP:
        with tf.Graph().as_default():
            program = product(m, k, n, transposed)()
            their, our = interleaved(program, lambda: program.ours(binary))
        ratios.append(our / their)
        name = f"GFLOP/s, {m}x{k}x{n} {transposed}"
        print(f"{name:<30}{their:>12.1f}{our:>13.1f}{our / their:>8.2f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geometric mean of the sweep':<30}{'':>25}{mean:>8.2f}, least {min(ratios):.2f}", flush=True)
