"""Training steps of whole models, TensorFlow's side; those that need no feeding are graphs that both sides run."""

import numpy as np

import mnist
from common import Program, rate, tf, v1


def constant_batch(batch):
    """One made-up batch, over and over: the loss goes to nothing, and the gradients with it."""
    pixels = (np.arange(batch * 784) * 7919 % 256 / 255.0).astype(np.float32).reshape(batch, 784)
    labels = np.eye(10, dtype=np.float32)[np.arange(batch) % 10]
    while True:
        yield pixels, labels


def trainer(x, y_, train, batches):
    session = v1.Session()
    session.run(v1.global_variables_initializer())
    run = session.make_callable(train, [x, y_])
    return lambda: rate(lambda: run(*next(batches)))


def placeholders():
    return v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])


def mlp(batches):
    """The documents' MLP 784-100-10 with Adam, batches of 100."""
    x, y_ = placeholders()
    hid_w = v1.Variable(v1.truncated_normal([784, 100], stddev=1.0 / 28))
    hid_b = v1.Variable(tf.zeros([100]))
    sm_w = v1.Variable(v1.truncated_normal([100, 10], stddev=0.1))
    sm_b = v1.Variable(tf.zeros([10]))
    hid = tf.nn.relu(v1.nn.xw_plus_b(x, hid_w, hid_b))
    y = tf.nn.softmax(v1.nn.xw_plus_b(hid, sm_w, sm_b))
    loss = -tf.reduce_sum(y_ * v1.log(tf.clip_by_value(y, 1e-10, 1.0)))
    step = v1.Variable(0, name="global_step", trainable=False)
    return trainer(x, y_, v1.train.AdamOptimizer(0.01).minimize(loss, global_step=step), batches)


def cnn():
    """The digit program's network with gradient descent, batches of 128."""
    x, y_ = placeholders()

    def weights(shape):
        return v1.Variable(v1.truncated_normal(shape, stddev=0.1)), v1.Variable(tf.constant(0.1, shape=shape[-1:]))

    def layer(value, shape):
        w, b = weights(shape)
        value = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(value, w, strides=[1, 1, 1, 1], padding="SAME"), b))
        return tf.nn.max_pool2d(value, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

    hidden = layer(layer(tf.reshape(x, [-1, 28, 28, 1]), [5, 5, 1, 32]), [5, 5, 32, 64])
    w1, b1 = weights([3136, 512])
    w2, b2 = weights([512, 10])
    hidden = tf.nn.relu(tf.matmul(tf.reshape(hidden, [-1, 3136]), w1) + b1)
    logits = tf.matmul(hidden, w2) + b2
    loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=logits))
    return trainer(x, y_, v1.train.GradientDescentOptimizer(0.01).minimize(loss), mnist.batches(128))


def descend(loss):
    """The program that takes one step of gradient descent."""
    return Program(v1.global_variables_initializer(), v1.train.GradientDescentOptimizer(0.01).minimize(loss))


def residual():
    """Two residual blocks of 3x3 convolutions with batch normalisation, batch 32, 28x28x32."""
    value = v1.Variable(v1.random_normal([32, 28, 28, 32], seed=1), trainable=False, use_resource=False)

    def normalised(value):
        w = v1.Variable(v1.random_normal([3, 3, 32, 32], stddev=0.06, seed=2), use_resource=False)
        scale = v1.Variable(tf.ones([32]), use_resource=False)
        offset = v1.Variable(tf.zeros([32]), use_resource=False)
        value = tf.nn.conv2d(value, w, strides=[1, 1, 1, 1], padding="SAME")
        return v1.nn.fused_batch_norm(value, scale, offset, is_training=True)[0]

    value = tf.identity(value)
    for _ in range(2):
        value = tf.nn.relu(value + normalised(tf.nn.relu(normalised(value))))
    return descend(tf.reduce_mean(tf.square(value - 1.0)))


def recurrent(gates, cell, states):
    """One training step of a recurrent network as TensorFlow's dynamic RNN builds it: batch 32, 64 steps, 256 units."""
    batch, steps, units = 32, 64, 256
    inputs = v1.Variable(v1.random_normal([steps, batch, units], seed=1), trainable=False, use_resource=False)

    def layer(outputs, seed):
        weights = v1.random_uniform([2 * units, outputs * units], -0.05, 0.05, seed=seed)
        w, b = v1.Variable(weights, use_resource=False), v1.Variable(tf.zeros([outputs * units]), use_resource=False)
        w, b = tf.identity(w), tf.identity(b)
        return lambda value: tf.nn.bias_add(tf.matmul(value, w), b)

    layers = [layer(outputs, seed + 2) for seed, outputs in enumerate(gates)]
    sources = tf.TensorArray(tf.float32, steps).unstack(inputs)

    def body(t, outputs, *state):
        state = cell(layers, sources.read(t), *state)
        return (t + 1, outputs.write(t, state[0]), *state)

    begin = [tf.constant(0), tf.TensorArray(tf.float32, steps), *[tf.zeros([batch, units])] * states]
    outputs = v1.while_loop(lambda t, *_: t < steps, body, begin)[1]
    loss = tf.reduce_mean(tf.square(outputs.stack()))
    gradients, variables = map(list, zip(*v1.train.GradientDescentOptimizer(0.1).compute_gradients(loss)))
    gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
    train = v1.train.GradientDescentOptimizer(0.1).apply_gradients(zip(gradients, variables))
    return Program(v1.global_variables_initializer(), train)


def lstm():
    def cell(layers, x, h, c):
        i, j, f, o = tf.split(layers[0](tf.concat([x, h], 1)), 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        return tf.tanh(c) * tf.sigmoid(o), c

    return recurrent([4], cell, 2)


def gru():
    def cell(layers, x, h):
        r, u = tf.split(tf.sigmoid(layers[0](tf.concat([x, h], 1))), 2, 1)
        candidate = tf.tanh(layers[1](tf.concat([x, r * h], 1)))
        return [u * h + (1 - u) * candidate]

    return recurrent([2, 1], cell, 1)
