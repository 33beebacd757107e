"""Activations, losses, normalization and statistics."""


def build(tf):
    x = tf.placeholder_with_default(tf.constant([[0.3, -1.2, 2.0], [0.0, 0.7, -0.1]]), [2, 3], name="x")
    z = tf.constant([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]], name="z")
    image = tf.reshape(tf.range(24.0), [1, 2, 4, 3], name="image")
    found = [
        tf.nn.relu(x), tf.nn.relu6(x), tf.nn.elu(x), tf.nn.selu(x), tf.nn.leaky_relu(x), tf.nn.leaky_relu(x, 0.1, name="leak"),
        tf.nn.crelu(x), tf.nn.softplus(x), tf.nn.softsign(x), tf.nn.sigmoid(x), tf.nn.tanh(x), tf.nn.log_softmax(x),
        tf.nn.softmax(x, name="probabilities"),
    ]
    with tf.name_scope("swapped"):
        found.append(tf.nn.softmax(x, axis=0))
    found += [
        tf.nn.weighted_cross_entropy_with_logits(labels=z, logits=x, pos_weight=2.0),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=z, logits=x, axis=0),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant([[1, 2]]), logits=tf.expand_dims(x, 0)),
        tf.nn.log_poisson_loss(z, x), tf.nn.log_poisson_loss(z, x, True),
        tf.nn.l2_normalize(x, 1), tf.nn.l2_normalize(x, [0, 1], name="unit"),
        *tf.nn.moments(x, [0]), *tf.nn.moments(x, [0, 1], keep_dims=True),
        *tf.nn.weighted_moments(x, [0], z),
        *tf.nn.sufficient_statistics(x, [0])[:3],
        *tf.nn.normalize_moments(tf.constant(2.0), x, x * x, None),
        tf.nn.batch_normalization(x, tf.zeros([3]), tf.ones([3]), tf.ones([3]), None, 1e-3),
        tf.nn.batch_normalization(x, tf.zeros([3]), tf.ones([3]), None, tf.ones([3]), 1e-3),
        tf.nn.batch_norm_with_global_normalization(image, tf.zeros([3]), tf.ones([3]), tf.zeros([3]), tf.ones([3]), 1e-3, True),
        *tf.nn.fused_batch_norm(image, tf.ones([3]), tf.zeros([3])),
        tf.nn.fused_batch_norm(image, tf.ones([3]), tf.zeros([3]), tf.zeros([3]), tf.ones([3]), is_training=False)[0],
        tf.nn.lrn(image), tf.nn.zero_fraction(x), tf.nn.l2_loss(x), tf.nn.bias_add(x, [1.0, 2.0, 3.0], name="biased"),
    ]
    return found
