"""A network put together from `tf.nn`: a convolution, pooling, products and their losses."""


def build(tf):
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 10], name="y")
    k = tf.get_variable("k", [3, 3, 3, 4], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
    b = tf.get_variable("b", [4], initializer=tf.constant_initializer(0.1))
    h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, k, strides=[1, 1, 1, 1], padding="SAME"), b))
    h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    h = tf.nn.lrn(h, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm")
    flat = tf.reshape(h, [-1, 4 * 4 * 4])
    with tf.variable_scope("out"):
        w = tf.get_variable("w", [64, 10])
        c = tf.get_variable("c", [10], initializer=tf.zeros_initializer())
    flat = tf.nn.dropout(flat, 0.5)
    logits = tf.nn.xw_plus_b(flat, w, c)
    tf.nn.softmax(logits)
    tf.nn.relu_layer(flat, w, c)
    tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
    tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
    tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.argmax(y, 1), logits=logits, name="xent")
    tf.nn.l2_loss(w)
    tf.nn.in_top_k(logits, tf.argmax(y, 1), 2)
    tf.nn.top_k(logits, 2)
