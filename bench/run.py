"""The same work on TensorFlow and on tensorfleet in one process, in one interleaved run; medians of five.

usage: run.py PATH_OF_TENSORFLEET_BENCH [WORK ...]; `halves` stands for all works in half and bfloat16
"""

import sys

import halves
import mnist
import models
import products
from common import ROUNDS, Program, interleaved, number, plain, processor, rate, tf, v1


def chain():
    """Nodes that do nothing, one after the other."""
    last = tf.no_op()
    for _ in range(999):
        with tf.control_dependencies([last]):
            last = tf.no_op()
    # Without rewriting: TensorFlow would remove nodes that do nothing instead of executing them.
    run = v1.Session(config=plain()).make_callable(last)
    return lambda: 1e9 / rate(run) / 1000


def empty_step():
    node = tf.no_op()
    run = v1.Session().make_callable(node)
    return lambda: rate(run)


def loop():
    """A while loop with a cheap body."""
    iterations = 10_000
    total = v1.while_loop(lambda i, _: i < iterations, lambda i, sum: (i + 1, sum + 2.0), [tf.constant(0), tf.constant(0.0)])
    # Without rewriting: TensorFlow would compute the result when it builds.
    return Program(tf.no_op(), total[1].op, lambda rate: 1e9 / rate / iterations, plain())


def dataset_map():
    """A dataset whose elements go through a cheap function, one after the other."""
    elements = 10_000
    mapped = v1.data.Dataset.range(elements).map(lambda x: x * 3 + 1)
    # All but the last are skipped, so that hardly anything else is measured.
    last = mapped.skip(elements - 1).get_single_element()
    return Program(tf.no_op(), last.op, lambda rate: rate * elements, plain())


# Name, what builds TensorFlow's side, unit, whether more is better.
WORK = {
    "chain": (chain, "ns a node, chain of 1,000", False),
    "empty_step": (empty_step, "empty steps/s", True),
    "mlp": (lambda: models.mlp(mnist.batches(100)), "MLP steps/s", True),
    "mlp_constant": (lambda: models.mlp(models.constant_batch(100)), "MLP steps/s, constant batch", True),
    "cnn": (models.cnn, "CNN steps/s", True),
    "residual": (models.residual, "residual blocks steps/s", True),
    "loop": (loop, "ns an iteration of a loop", False),
    "lstm": (models.lstm, "LSTM steps/s", True),
    "gru": (models.gru, "GRU steps/s", True),
    "dataset_map": (dataset_map, "mapped elements/s", True),
    "gemm_mlp": (products.product(100, 784, 100), "GFLOP/s, 100x784x100", True),
    "gemm_256": (products.product(256, 256, 256), "GFLOP/s, 256^3", True),
    "gemm_1024": (products.product(1024, 1024, 1024), "GFLOP/s, 1024^3", True),
}

HALVES = halves.works()


def main(binary, names):
    # Only when asked for: half and bfloat16.
    WORK.update(HALVES)
    if "halves" in names:
        names = [name for name in names if name != "halves"] + list(HALVES)
    unknown = [name for name in names if name not in WORK and name != "sweep"]
    if unknown:
        sys.exit(f"no such work: {', '.join(unknown)}; there are {', '.join([*WORK, 'sweep'])}")
    print(processor())
    print(f"{'work':<30}{'TensorFlow':>12}{'tensorfleet':>13}{'ratio':>8}   medians of {ROUNDS}; ratio > 1: we are faster")
    for name in names or [name for name in WORK if name not in HALVES]:
        if name == "sweep":
            continue
        build, unit, more_is_better = WORK[name]
        with tf.Graph().as_default():
            measure = build()
            ours = (lambda: measure.ours(binary)) if isinstance(measure, Program) else (lambda: number([binary, name]))
            their, our = interleaved(measure, ours)
        ratio = our / their if more_is_better else their / our
        print(f"{unit:<30}{their:>12.1f}{our:>13.1f}{ratio:>8.2f}", flush=True)
    if not names or "sweep" in names:
        products.sweep(binary)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
