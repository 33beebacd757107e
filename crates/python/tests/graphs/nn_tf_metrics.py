"""Metrics: their variables, values and updates."""


def build(tf):
    labels = tf.constant([1, 0, 2, 1], name="labels")
    guesses = tf.constant([1, 1, 2, 0], name="guesses")
    y = tf.constant([1.0, 0.0, 1.0, 1.0], name="y")
    p = tf.constant([0.9, 0.4, 0.3, 0.8], name="p")
    w = tf.constant([1.0, 2.0, 0.5, 1.0], name="w")
    m = tf.metrics
    pairs = [
        m.accuracy(labels, guesses), m.accuracy(labels, guesses, weights=w, name="weighted"), m.mean(p), m.mean(p, weights=w),
        m.mean_squared_error(y, p), m.root_mean_squared_error(y, p), m.mean_absolute_error(y, p),
        m.mean_relative_error(y, p, w), m.mean_cosine_distance(y[:, None], p[:, None], 1), m.percentage_below(p, 0.5),
        m.mean_tensor(p), m.precision(y, tf.round(p)), m.recall(y, tf.round(p)), m.true_positives(y, tf.round(p), weights=w),
        m.false_positives(y, tf.round(p)), m.true_negatives(y, tf.round(p)), m.false_negatives(y, tf.round(p)),
        m.auc(y, p, num_thresholds=5), m.auc(y, p, num_thresholds=5, curve="PR", weights=w, name="pr"),
        m.precision_at_thresholds(y, p, [0.3, 0.6]), m.recall_at_thresholds(y, p, [0.3, 0.6]),
        m.true_positives_at_thresholds(y, p, [0.3, 0.6]), m.sensitivity_at_specificity(y, p, 0.6, num_thresholds=5),
        m.specificity_at_sensitivity(y, p, 0.6, num_thresholds=5), m.mean_iou(labels, guesses, 3),
        m.mean_per_class_accuracy(labels, guesses, 3),
        m.recall_at_k(tf.constant([[1], [2]], tf.int64), tf.constant([[0.1, 0.5, 0.2], [0.5, 0.4, 0.1]]), 2),
        m.precision_at_k(tf.constant([[1], [2]], tf.int64), tf.constant([[0.1, 0.5, 0.2], [0.5, 0.4, 0.1]]), 2),
    ]
    return [update for _, update in pairs]
