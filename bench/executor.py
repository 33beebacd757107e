"""Large graphs and many small steps on TensorFlow and on tensorfleet; medians of five.

usage: executor.py PATH_OF_TENSORFLEET_BENCH
"""

import os
import statistics
import subprocess
import sys
import threading
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
v1.disable_v2_behavior()
ROUNDS, NODES = 5, 50_000


def chain():
    value = v1.placeholder_with_default(1.0, [])
    for _ in range(NODES):
        value = -value
    return value.op


def fan():
    value = v1.placeholder_with_default(1.0, [])
    return tf.add_n([-value for _ in range(NODES)]).op


def variables():
    made = [v1.Variable(1.0, use_resource=False) for _ in range(NODES // 6)]
    init = v1.global_variables_initializer()
    return tf.group(init, *[v1.assign_add(variable, variable) for variable in made])


def control():
    return tf.group(*[tf.no_op() for _ in range(NODES)])


def first_step(last):
    """Microseconds a node from the finished graph to the end of its first step."""
    config = v1.ConfigProto()
    # Without rewriting: TensorFlow would compute the results, or remove nodes, when it plans.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    begin = time.perf_counter()
    with v1.Session(config=config) as session:
        session.run(last)
    return (time.perf_counter() - begin) * 1e6 / len(v1.get_default_graph().get_operations())


def steps(small, threads):
    """Steps a second of all threads together, on one session."""
    x = v1.placeholder(tf.float32, [4, 4])
    session = v1.Session()
    value = np.full([4, 4], 0.5, np.float32)
    run = session.make_callable(tf.nn.relu(tf.matmul(x, x) + 1.0), [x]) if small else session.make_callable(tf.no_op())
    step = (lambda: run(value)) if small else run
    for _ in range(100):
        step()
    counts, stop = [0] * threads, threading.Event()

    def work(number):
        while not stop.is_set():
            step()
            counts[number] += 1

    begin = time.perf_counter()
    runners = [threading.Thread(target=work, args=[number]) for number in range(threads)]
    for runner in runners:
        runner.start()
    time.sleep(1)
    stop.set()
    for runner in runners:
        runner.join()
    return sum(counts) / (time.perf_counter() - begin)


def compare(title, theirs, command, more_is_better):
    their, our = [], []
    for _ in range(ROUNDS):
        with tf.Graph().as_default():
            their.append(theirs())
        our.append(float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))
    their, our = statistics.median(their), statistics.median(our)
    ratio = our / their if more_is_better else their / our
    print(f"{title:<40}{their:>12.2f}{our:>13.2f}{ratio:>8.2f}", flush=True)


def main(binary):
    print(f"{'work':<40}{'TensorFlow':>12}{'tensorfleet':>13}{'ratio':>8}   medians of {ROUNDS}; ratio > 1: we are faster")
    for build in (chain, fan, variables, control):
        title = f"us a node, {NODES} nodes: {build.__name__}"
        compare(title, lambda build=build: first_step(build()), [binary, "large", build.__name__], False)
    for kind in ("empty", "small"):
        for threads in (1, 2, 4):
            theirs = lambda kind=kind, threads=threads: steps(kind == "small", threads)  # noqa: E731
            compare(f"{kind} steps/s, {threads} threads", theirs, [binary, "concurrent", kind, str(threads)], True)


if __name__ == "__main__":
    main(sys.argv[1])
