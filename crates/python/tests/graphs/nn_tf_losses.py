"""Losses with their weights and reductions."""


def build(tf):
    p = tf.constant([[0.2, 0.7, 0.1], [0.6, 0.1, 0.3]], name="p")
    y = tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], name="y")
    w = tf.constant([[1.0], [0.0]], name="w")
    f = tf.placeholder_with_default(p, [None, 3], name="f")
    losses = [
        tf.losses.mean_squared_error(y, p), tf.losses.mean_squared_error(y, f), tf.losses.mean_squared_error(y, p, weights=w),
        tf.losses.mean_squared_error(y, p, weights=2.0, scope="twice"),
        tf.losses.absolute_difference(y, p, reduction=tf.losses.Reduction.MEAN),
        tf.losses.absolute_difference(y, p, reduction=tf.losses.Reduction.NONE),
        tf.losses.absolute_difference(y, p, reduction=tf.losses.Reduction.SUM),
        tf.losses.absolute_difference(y, p, weights=w, reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE),
        tf.losses.sparse_softmax_cross_entropy(tf.constant([1, 0]), p),
        tf.losses.sparse_softmax_cross_entropy(labels=tf.constant([[1], [0]]), logits=p, weights=tf.constant([1.0, 3.0])),
        tf.losses.softmax_cross_entropy(y, f), tf.losses.softmax_cross_entropy(y, f, label_smoothing=0.1),
        tf.losses.sigmoid_cross_entropy(y, f, label_smoothing=0.1), tf.losses.sigmoid_cross_entropy(tf.cast(y, tf.int32), p),
        tf.losses.log_loss(y, p), tf.losses.hinge_loss(y, p), tf.losses.huber_loss(y, p, delta=0.5),
        tf.losses.cosine_distance(y, p, axis=1), tf.losses.mean_pairwise_squared_error(y, p),
    ]
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(2.0))
    scalars = [loss for loss in tf.losses.get_losses() if loss.shape.ndims == 0]
    losses += [tf.add_n(scalars), tf.losses.get_regularization_loss()]
    return losses
