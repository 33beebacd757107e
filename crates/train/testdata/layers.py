"""Records what TensorFlow computes for layers, losses and metrics, in layers.tsv:

    case <tab> values

The tests of this crate compute the same and compare.
"""

import os

import numpy as np

from graphs import tf
from tensorflow.python.keras.layers.legacy_rnn import rnn_cell_impl
from tensorflow.python.ops import rnn

v1 = tf.compat.v1
LINES = []


def fill(shape, k):
    """Numbers between -5/8 and 5/8 that look random."""
    count = int(np.prod(shape))
    return (((np.arange(count) * 7 + 3 * k) % 11 - 5) / 8).astype(np.float32).reshape(shape)


def note(case, *values):
    flat = np.concatenate([np.asarray(value, np.float64).flatten() for value in values])
    LINES.append(case + "\t" + " ".join(f"{value:.9g}" for value in flat))


REDUCTIONS = {
    "None": "none",
    "Sum": "weighted_sum",
    "Mean": "weighted_mean",
    "SumOverBatchSize": "weighted_sum_over_batch_size",
    "SumByNonzeroWeights": "weighted_sum_by_nonzero_weights",
}


def losses():
    classes = np.array([0, 2, 1, 2])
    one_hot = np.eye(3, dtype=np.float32)[classes]
    logits = 4 * fill([4, 3], 1)
    probabilities = np.abs(fill([4, 3], 2))
    cases = {
        "mean_squared_error": (v1.losses.mean_squared_error, one_hot, logits, {}),
        "absolute_difference": (v1.losses.absolute_difference, one_hot, logits, {}),
        "huber": (v1.losses.huber_loss, one_hot, logits, {"delta": 0.75}),
        "hinge": (v1.losses.hinge_loss, one_hot, logits, {}),
        "log_loss": (v1.losses.log_loss, one_hot, probabilities, {}),
        "sigmoid_cross_entropy": (v1.losses.sigmoid_cross_entropy, one_hot, logits, {}),
        "softmax_cross_entropy": (v1.losses.softmax_cross_entropy, one_hot, logits, {}),
        "smoothed": (v1.losses.softmax_cross_entropy, one_hot, logits, {"label_smoothing": 0.25}),
        "sparse_softmax_cross_entropy": (v1.losses.sparse_softmax_cross_entropy, classes, logits, {}),
    }
    for name, (loss, labels, predictions, options) in cases.items():
        by_example = "softmax" in name or name == "smoothed"
        weights = {
            "one": 1.0,
            "half": 0.5,
            "tensor": np.array([2, 0, 1, 0.5], np.float32).reshape([4] if by_example else [4, 1]),
        }
        for reduction, theirs in REDUCTIONS.items():
            for kind, weight in weights.items():
                with tf.Graph().as_default(), v1.Session() as session:
                    given = tf.constant(predictions)
                    value = loss(tf.constant(labels), given, weights=weight, reduction=theirs, **options)
                    (gradient,) = v1.gradients(value, given)
                    note(f"{name} {reduction} {kind}", *session.run([value, gradient]))


def metrics():
    labels = [np.array([1, 0, 1, 1]), np.array([0, 0, 1, 0]), np.array([1, 1, 0, 0])]
    scores = [np.abs(fill([4], k)) for k in range(3)]
    weights = np.array([1, 0, 2, 0.5], np.float32)

    def build(name, label, score, weight):
        decided = tf.cast(score > 0.3, tf.int64)
        if name == "mean":
            return v1.metrics.mean(score, weights=weight)
        if name == "auc":
            return v1.metrics.auc(tf.cast(label, tf.bool), score, weights=weight, num_thresholds=20)
        if name == "mean_squared_error":
            return v1.metrics.mean_squared_error(tf.cast(label, tf.float32), score, weights=weight)
        return getattr(v1.metrics, name)(label, decided, weights=weight)

    for name in ("mean", "accuracy", "precision", "recall", "auc", "mean_squared_error"):
        for kind, weight in (("plain", None), ("weighted", weights)):
            with tf.Graph().as_default(), v1.Session() as session:
                label, score = v1.placeholder(tf.int64, [None]), v1.placeholder(tf.float32, [None])
                value, update = build(name, label, score, weight)
                session.run(v1.local_variables_initializer())
                seen = []
                for batch in range(3):
                    seen.append(session.run(update, {label: labels[batch], score: scores[batch]}))
                    seen.append(session.run(value))
                note(f"{name} {kind}", *seen)


def batch_norm():
    """The layer is gone with Keras 3; its formulas are here."""
    for rank, shape in ((4, [2, 3, 2, 3]), (2, [5, 3])):
        with tf.Graph().as_default(), v1.Session() as session:
            x = tf.constant(fill(shape, 4))
            gamma, beta = tf.constant(fill([3], 0)), tf.constant(fill([3], 1))
            if rank == 4:
                y, mean, variance = v1.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-3, is_training=True)[:3]
            else:
                mean, variance = tf.nn.moments(x, [0])
                y = tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-3)
            moving = [0.9 * 0.0 + 0.1 * mean, 0.9 * 1.0 + 0.1 * variance]
            after = tf.nn.batch_normalization(x, moving[0], moving[1], beta, gamma, 1e-3)
            gradients = v1.gradients(tf.reduce_sum(y * y * fill(shape, 5)), [gamma, beta])
            note(f"batch_norm {rank}", *session.run([y, *gradients, *moving, after]))


def recurrent():
    lengths = np.array([3, 1], np.int32)
    cells = {"lstm": lambda: rnn_cell_impl.LSTMCell(4), "gru": lambda: rnn_cell_impl.GRUCell(4)}
    for name, cell in cells.items():
        for kind in ("whole", "lengths"):
            with tf.Graph().as_default(), v1.Session() as session:
                x = tf.constant(fill([2, 3, 5], 1))
                given = lengths if kind == "lengths" else None
                outputs, state = rnn.dynamic_rnn(cell(), x, sequence_length=given, dtype=tf.float32)
                variables = v1.trainable_variables()
                session.run(v1.global_variables_initializer())
                for k, variable in enumerate(variables):
                    variable.load(fill(variable.shape.as_list(), k), session)
                gradients = v1.gradients(tf.reduce_sum(outputs * outputs), variables)
                states = [state.c, state.h] if name == "lstm" else [state]
                note(f"{name} {kind}", *session.run([outputs, *states, *gradients]))


def record(folder):
    v1.disable_eager_execution()
    v1.disable_control_flow_v2()
    for program in (losses, metrics, batch_norm, recurrent):
        program()
    with open(os.path.join(folder, "layers.tsv"), "w") as file:
        file.write("\n".join(LINES) + "\n")
    print(f"layers: {len(LINES)} cases recorded")


if __name__ == "__main__":
    record(os.path.dirname(os.path.abspath(__file__)))
