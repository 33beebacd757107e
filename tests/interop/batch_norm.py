"""Convolutional networks with batch normalization, dropout and moving averages, on our servers and on TensorFlow's.

Run by on_both.py.
"""

import numpy as np

from both import connect, on
from mnist_data import batches, digits
from server import tf

v1 = tf.compat.v1
STEPS = 12


def setter(cluster):
    return v1.device(v1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=tf.train.ClusterSpec(cluster)))


def weights(name, shape):
    return v1.get_variable(name, shape, initializer=v1.truncated_normal_initializer(stddev=0.1, seed=len(shape)))


def normalized(x, training, name):
    """Fused batch normalization; the updates of the averages are collected, as the layers of TensorFlow 1.x do."""
    with v1.variable_scope(name):
        channels = [x.shape[-1]]
        scale = v1.get_variable("gamma", channels, initializer=v1.ones_initializer())
        offset = v1.get_variable("beta", channels, initializer=v1.zeros_initializer())
        mean = v1.get_variable("moving_mean", channels, initializer=v1.zeros_initializer(), trainable=False)
        variance = v1.get_variable("moving_variance", channels, initializer=v1.ones_initializer(), trainable=False)

        def learning():
            return v1.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3, is_training=True)

        def applying():
            return v1.nn.fused_batch_norm(x, scale, offset, mean=mean, variance=variance, epsilon=1e-3, is_training=False)

        y, batch_mean, batch_variance = v1.cond(training, learning, applying)
        for moving, batch in ((mean, batch_mean), (variance, batch_variance)):
            rate = tf.where(training, 0.1, 0.0)
            v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, v1.assign_sub(moving, (moving - batch) * rate))
        return y


def network(cluster, resource):
    with setter(cluster), v1.variable_scope("net", use_resource=resource):
        x, y_ = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])
        training = v1.placeholder_with_default(False, [])
        hidden = tf.reshape(x, [-1, 28, 28, 1])
        hidden = tf.nn.conv2d(hidden, weights("conv1", [5, 5, 1, 8]), strides=[1, 2, 2, 1], padding="SAME")
        hidden = tf.nn.relu(normalized(hidden, training, "norm1"))
        hidden = tf.nn.local_response_normalization(hidden, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
        hidden = tf.nn.depthwise_conv2d(hidden, weights("depthwise", [3, 3, 8, 2]), strides=[1, 1, 1, 1], padding="SAME")
        hidden = tf.nn.avg_pool2d(hidden, ksize=3, strides=2, padding="VALID")
        hidden = tf.nn.conv2d(hidden, weights("conv2", [3, 3, 16, 12]), strides=1, padding="VALID")
        hidden = tf.nn.leaky_relu(normalized(hidden, training, "norm2"))
        hidden = tf.nn.max_pool2d(hidden, ksize=2, strides=2, padding="SAME")
        hidden = tf.reshape(hidden, [-1, int(np.prod(hidden.shape[1:]))])
        hidden = tf.nn.elu(tf.matmul(hidden, weights("dense", [hidden.shape[1], 20])))
        dropped = v1.nn.dropout(hidden, rate=0.4, seed=9)
        hidden = v1.cond(training, lambda: dropped, lambda: hidden)
        logits = tf.matmul(hidden, weights("logits", [20, 10]))
        loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=logits))
        loss += 1e-3 * tf.add_n([tf.nn.l2_loss(v) for v in v1.trainable_variables() if "norm" not in v.name])
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y_, 1)), tf.float32))
        step = v1.train.get_or_create_global_step()
        rate = v1.train.exponential_decay(0.1, step, 5, 0.8, staircase=True)
        with v1.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
            train = v1.train.MomentumOptimizer(rate, 0.9, use_nesterov=True).minimize(loss, global_step=step)
        average = v1.train.ExponentialMovingAverage(0.9, num_updates=step)
        with v1.control_dependencies([train]):
            train = average.apply(v1.trainable_variables())
        averages = [tf.reduce_sum(tf.abs(average.average(v))) for v in v1.trainable_variables()]
    moving = [v for v in v1.global_variables() if v.op.name.endswith(("moving_mean", "moving_variance"))]
    assert len(moving) == 4, moving
    with connect(cluster) as session:
        session.run(v1.global_variables_initializer())
        data, losses = batches(digits("train", 2000), 32), []
        for _ in range(STEPS):
            images, labels = next(data)
            losses.append(session.run([loss, rate, train], {x: images, y_: labels, training: True})[:2])
        images, labels = next(data)
        return losses, session.run([loss, accuracy, moving, averages], {x: images, y_: labels})


def cnn_ref(cluster):
    return network(cluster, False)


def cnn_resource(cluster):
    return network(cluster, True)


def normalizations(cluster):
    """Normalization by moments, by layer, by group and by norm, with gradients."""
    random = np.random.RandomState(4)
    with on("ps"):
        x = tf.constant(random.randn(3, 4, 4, 6), tf.float32)
        scale, offset = tf.constant(random.rand(6), tf.float32), tf.constant(random.rand(6), tf.float32)
    with on("worker"):
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        by_batch = tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
        mean, variance = tf.nn.moments(x, [1, 2, 3], keepdims=True)
        by_layer = (x - mean) * tf.math.rsqrt(variance + 1e-5) * scale + offset
        groups = tf.reshape(x, [3, 4, 4, 2, 3])
        mean, variance = tf.nn.moments(groups, [1, 2, 4], keepdims=True)
        by_group = tf.reshape((groups - mean) / tf.sqrt(variance + 1e-5), x.shape)
        by_norm = tf.nn.l2_normalize(x, 3)
        clipped = tf.clip_by_norm(x, 2.0, axes=[3])
        weighted = tf.nn.weighted_moments(x, [0, 1], scale)
        results = [by_batch, by_layer, by_group, by_norm, clipped]
        gradients = v1.gradients([tf.sin(y) for y in results], [x, scale, offset])
    with connect(cluster) as session:
        return session.run([results, list(weighted), gradients])


def dropouts(cluster):
    """The same drops in each step, with shapes of noise, and through gradients."""
    with on("worker"):
        x = tf.ones([6, 8])
        y = v1.nn.dropout(x, rate=0.5, seed=1)
        rows = v1.nn.dropout(x, keep_prob=0.7, noise_shape=[6, 1], seed=2)
        gradient = v1.gradients(y * y + rows, x)[0]
        by_graph = tf.nn.dropout(x, 0.2)
        noise = [v1.random_normal([3], seed=3), v1.random_uniform([3], maxval=9, dtype=tf.int32), v1.random_shuffle(tf.range(6), seed=5)]
        noise += [v1.truncated_normal([3]), v1.multinomial(tf.zeros([2, 4]), 5, seed=6)]
    with on("ps"):
        noise += [v1.random_uniform([4], seed=8)]
    with connect(cluster) as session:
        return [session.run([y, rows, gradient, by_graph, noise]) for _ in range(3)]


PROGRAMS = [cnn_ref, cnn_resource, normalizations, dropouts]
