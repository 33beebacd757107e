"""Records what TensorFlow computes, 20 steps each, in values.tsv:

    program <tab> kind of variable <tab> step <tab> values

The tests of this crate compute the same and compare.
"""

import os

import numpy as np

import layers
from graphs import OPTIMIZERS, tf

v1 = tf.compat.v1
v1.disable_control_flow_v2()
STEPS = 20
LINES = []


def note(program, kind, step, values):
    flat = np.concatenate([np.asarray(value, np.float64).flatten() for value in values])
    LINES.append("\t".join((program, kind, str(step), " ".join(f"{value:.9g}" for value in flat))))


def both_kinds(run):
    for kind, switch in (("ref", v1.disable_resource_variables), ("resource", v1.enable_resource_variables)):
        switch()
        with tf.Graph().as_default():
            run(kind)


def inputs(step):
    """A dense gradient, and three rows with their indices, some of them the same. All numbers are exact in float32."""
    dense = [((7 * step + 3 * i) % 11 - 5) / 4 for i in range(3)]
    rows = [[((5 * step + 2 * i + j) % 7 - 3) / 2 for j in range(2)] for i in range(3)]
    return dense, rows, [step % 5, (2 * step + 1) % 5, (3 * step) % 5]


def optimizer(name, make):
    def run(kind):
        w = v1.get_variable("w", initializer=tf.constant([1.0, -2.0, 3.0]))
        table = v1.get_variable("table", initializer=tf.ones([5, 2]))
        dense, rows = v1.placeholder(tf.float32, [3]), v1.placeholder(tf.float32, [3, 2])
        indices = v1.placeholder(tf.int32, [3])
        slices = tf.IndexedSlices(rows, indices, tf.constant([5, 2]))
        train = make().apply_gradients([(dense, w), (slices, table)])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for step in range(STEPS):
                session.run(train, dict(zip((dense, rows, indices), inputs(step))))
                note(name, kind, step, session.run([w, table]))

    both_kinds(run)


SCHEDULES = {
    "exponential": lambda s: v1.train.exponential_decay(0.1, s, 5, 0.9),
    "exponential_staircase": lambda s: v1.train.exponential_decay(0.1, s, 5, 0.9, staircase=True),
    "polynomial": lambda s: v1.train.polynomial_decay(0.1, s, 12, 0.01, power=2.0),
    "polynomial_cycle": lambda s: v1.train.polynomial_decay(0.1, s, 6, 0.01, power=0.5, cycle=True),
    "piecewise": lambda s: v1.train.piecewise_constant(s, [4, 9], [1.0, 0.5, 0.1]),
    "inverse_time": lambda s: v1.train.inverse_time_decay(0.1, s, 3, 0.5),
    "inverse_time_staircase": lambda s: v1.train.inverse_time_decay(0.1, s, 3, 0.5, staircase=True),
    "natural_exp": lambda s: v1.train.natural_exp_decay(0.1, s, 4, 0.5),
    "natural_exp_staircase": lambda s: v1.train.natural_exp_decay(0.1, s, 4, 0.5, staircase=True),
}


def schedule(name, make):
    def run(kind):
        step = v1.train.get_or_create_global_step()
        rate = make(step)
        rate = rate() if callable(rate) else rate
        count = v1.assign_add(step, 1)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for number in range(STEPS):
                note(name, kind, number, [session.run(rate)])
                session.run(count)

    both_kinds(run)


def clipping():
    with tf.Graph().as_default():
        dense, rows = v1.placeholder(tf.float32, [3]), v1.placeholder(tf.float32, [3, 2])
        slices = tf.IndexedSlices(rows, tf.constant([0, 1, 0]), tf.constant([5, 2]))
        clipped, norm = v1.clip_by_global_norm([dense, slices], 1.5)
        results = [
            v1.clip_by_value(dense, -0.5, 0.75),
            v1.clip_by_norm(dense, 1.25),
            v1.clip_by_norm(rows, 1.25, axes=[1]),
            clipped[0],
            clipped[1].values,
            norm,
        ]
        with v1.Session() as session:
            for step in range(STEPS):
                d, r, _ = inputs(step)
                note("clipping", "ref", step, session.run(results, {dense: d, rows: r}))


def averages(name, make):
    def run(kind):
        w = v1.get_variable("w", initializer=tf.constant([1.0, -2.0, 3.0]))
        step = v1.train.get_or_create_global_step()
        average = make(step)
        dense = v1.placeholder(tf.float32, [3])
        moved = v1.assign_sub(w, dense * 0.5)
        with tf.control_dependencies([moved]):
            update = average.apply([w])
        total = tf.reduce_sum(dense, keepdims=True)
        update_total = average.apply([total])
        count = v1.assign_add(step, 1)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for number in range(STEPS):
                session.run([update, update_total], {dense: inputs(number)[0]})
                note(name, kind, number, session.run([average.average(w), average.average(total)]))
                session.run(count)

    both_kinds(run)


AVERAGES = {
    "average": lambda step: tf.train.ExponentialMovingAverage(0.9),
    "average_num_updates": lambda step: tf.train.ExponentialMovingAverage(0.9, num_updates=step),
    "average_zero_debias": lambda step: tf.train.ExponentialMovingAverage(0.9, zero_debias=True),
}

if __name__ == "__main__":
    for name, make in OPTIMIZERS.items():
        optimizer(name, make)
    optimizer("ftrl_shrinkage", lambda: v1.train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.01, beta=0.5))
    for name, make in SCHEDULES.items():
        schedule(name, make)
    clipping()
    for name, make in AVERAGES.items():
        averages(name, make)
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "values.tsv"), "w") as file:
        file.write("\n".join(LINES) + "\n")
    print(f"values: {len(LINES)} lines recorded")
    layers.record(folder)
