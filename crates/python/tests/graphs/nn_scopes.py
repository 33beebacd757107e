"""Variable scopes: names, reuse, regularizers, partitioners, getters and initializers."""


def build(tf):
    def l2(w):
        return tf.multiply(tf.nn.l2_loss(w), 0.1, name="l2")

    with tf.variable_scope("a", initializer=tf.constant_initializer(2.0), regularizer=l2) as a:
        tf.get_variable("w", [2, 3])
        tf.identity(tf.constant(1.0), name="here")
        with tf.variable_scope("b"):
            tf.get_variable("w", [3])
            tf.get_variable("n", [3], dtype=tf.int32, initializer=tf.zeros_initializer(), trainable=False, regularizer=tf.no_regularizer)
    with tf.variable_scope(a, reuse=True):
        tf.add(tf.get_variable("w"), 1.0, name="again")
        with tf.variable_scope("b"):
            tf.add(tf.get_variable("w"), 1.0, name="again")
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
        tf.get_variable("w", [2, 3])
        tf.get_variable("fresh", [2], dtype=tf.float64)
    for _ in range(2):
        with tf.variable_scope(None, default_name="unit"):
            tf.get_variable("w", [2])
            with tf.variable_scope(None, "inner"):
                tf.get_variable("w", [2])
            with tf.variable_scope(None, "inner"):
                tf.get_variable("w", [2])
            tf.constant(1.0)
    with tf.name_scope("ns"):
        with tf.variable_scope("v") as v:
            tf.get_variable("w", [2])
            tf.constant(1.0)
        with tf.variable_scope(v, auxiliary_name_scope=False):
            tf.get_variable("u", [2])
            tf.constant(2.0)
        with tf.variable_scope("deep/er"):
            tf.get_variable("w", [2])
            tf.constant(3.0)
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
        w = tf.get_variable("w", [5, 2], initializer=tf.random_normal_initializer(seed=3), regularizer=l2)
        tf.matmul(tf.ones([1, 5]), w)
        tf.get_variable("scalar", [], initializer=tf.zeros_initializer(), partitioner=None)
    with tf.variable_scope("columns"):
        tf.get_variable("w", [2, 4], partitioner=tf.fixed_size_partitioner(2, axis=1))
    tf.get_variable("by_value", initializer=tf.constant([1.0, 2.0]))
    tf.get_variable("by_number", initializer=3.0)
    tf.get_variable("by_list", initializer=[1, 2])
    tf.get_variable("boolean", [2], tf.bool)
    tf.get_variable("resource", [2], use_resource=True)
    with tf.variable_scope("device"), tf.device("/job:ps/task:1"):
        tf.get_variable("w", [2], caching_device="/job:worker/task:0")

    def getter(getter, name, *args, **kwargs):
        return tf.multiply(getter(name + "_asked", *args, **kwargs), 2.0, name="doubled")

    with tf.variable_scope("g", custom_getter=getter):
        tf.get_variable("w", [2])
    with tf.variable_scope("inits"):
        tf.get_variable("uniform", [2, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=1))
        tf.get_variable("normal", [2, 3], initializer=tf.random_normal_initializer(1.0, 2.0))
        tf.get_variable("truncated", [2, 3], initializer=tf.truncated_normal_initializer(stddev=0.1))
        tf.get_variable("ones", [2, 3], initializer=tf.ones_initializer())
        tf.get_variable("large", [2000], initializer=tf.zeros_initializer())
        tf.get_variable("constants", [2, 3], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
        tf.get_variable("scaled", [3, 3, 2, 4], initializer=tf.variance_scaling_initializer(seed=1))
        tf.get_variable("glorot_normal", [3, 4], initializer=tf.glorot_normal_initializer(seed=1))
        tf.get_variable("he", [3, 4], initializer=tf.initializers.he_uniform(seed=1))
        tf.get_variable("lecun", [3, 4], initializer=tf.initializers.lecun_normal(seed=1))
        tf.get_variable("unit", [3, 4], initializer=tf.uniform_unit_scaling_initializer(1.2, seed=1))
        tf.get_variable("identity", [3, 3], initializer=tf.initializers.identity(gain=2.0))
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    tf.add_n(losses) + losses[0] * 2.0
    tf.get_local_variable("local", [2])
    tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer())
    tf.create_partitioned_variables([4, 2], [2, 1], tf.constant_initializer(1.0), name="named")
    tf.global_variables_initializer()
    tf.local_variables_initializer()
    tf.variables_initializer([])
    tf.report_uninitialized_variables()
    tf.assert_variables_initialized(tf.trainable_variables("a/"))
