"""Layers: names of variables and operations, sharing, regularizers. TensorFlow 2 keeps its old layers in a private place."""

import warnings


def _layers(tf):
    if tf.__name__.startswith("tensorfleet"):
        return tf.layers, tf.layers, tf.layers
    warnings.simplefilter("ignore")
    from tensorflow.python.keras.legacy_tf_layers import convolutional, core, pooling

    return core, convolutional, pooling


def build(tf):
    core, conv, pool = _layers(tf)
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    h = core.dense(x, 4, activation=tf.nn.relu)
    h = core.dense(h, 2, use_bias=False, name="out", kernel_initializer=tf.truncated_normal_initializer(stddev=0.1))
    with tf.variable_scope("s"):
        core.dense(h, 2)
        core.dense(h, 2)
    with tf.variable_scope("s", reuse=True):
        core.dense(h, 2)
    with tf.name_scope("ns"):
        core.dense(h, 2)
    core.dense(h, 2, name="shared")
    core.dense(h, 2, name="shared", reuse=True)
    for _ in range(2):
        with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
            core.dense(h, 2, name="d")
    core.dense(tf.placeholder(tf.float32, [None, 5, 3]), 4, activation=tf.nn.tanh)
    core.dense(tf.placeholder(tf.float32, [2, 5, 3]), 4)
    core.dense(tf.ones([2, 3]), 4, kernel_regularizer=tf.nn.l2_loss, activity_regularizer=tf.reduce_sum, name="regular")
    layer = core.Dense(4, name="object")
    layer(x)
    layer(x)
    layer.apply(x)
    core.Dense(3)(x)
    with tf.variable_scope("q", initializer=tf.constant_initializer(1.0)):
        core.Dense(3)(x)
    core.dropout(x, 0.4)
    core.flatten(tf.placeholder(tf.float32, [None, 4, 3]))
    core.flatten(tf.placeholder(tf.float32, [2, 4, 3]))
    core.flatten(tf.placeholder(tf.float32, [None, None, 3]))
    core.flatten(tf.placeholder(tf.float32, [None]))

    image = tf.placeholder(tf.float32, [None, 8, 8, 3], name="image")
    known = tf.placeholder(tf.float32, [2, 8, 8, 3], name="known")
    line = tf.placeholder(tf.float32, [2, 8, 3], name="line")
    cube = tf.placeholder(tf.float32, [None, 8, 8, 8, 3], name="cube")
    channels = tf.placeholder(tf.float32, [None, 3, 8, 8], name="channels")
    conv.conv2d(image, 4, 3, activation=tf.nn.relu)
    conv.conv2d(image, filters=4, kernel_size=(3, 3), strides=(2, 2), padding="same", use_bias=False)
    conv.conv2d(channels, 4, 3, data_format="channels_first")
    conv.conv2d(known, 4, 3, dilation_rate=2)
    conv.conv1d(line, 4, 3)
    conv.conv1d(line, 4, 3, padding="causal")
    conv.conv3d(cube, 4, 3)
    conv.conv2d_transpose(image, 4, 3, strides=2, padding="same")
    conv.conv2d_transpose(known, 4, 3, strides=2, padding="valid")
    conv.conv3d_transpose(cube, 4, 3, strides=2, padding="same")
    conv.separable_conv2d(image, 4, 3)
    conv.separable_conv1d(line, 4, 3)
    conv.Conv2D(3, 2, name="layer")(image)
    pool.max_pooling2d(image, 2, 2)
    pool.average_pooling2d(image, [2, 2], 2, padding="same")
    pool.max_pooling2d(channels, 2, 2, data_format="channels_first")
    pool.max_pooling1d(line, 2, 2)
    pool.average_pooling1d(line, 2, 2)
    pool.max_pooling3d(cube, 2, 2)
    pool.average_pooling3d(cube, 2, 2, name="mean")
