"""Variables whose first values depend on other variables: one step initialises all of them."""


def build(tf):
    w = tf.Variable([1.0, 2.0], name="w")
    tf.Variable(w.initialized_value() * 2.0, name="v")
    tf.Variable(w * 2.0 + tf.reduce_sum(w), name="u")
    tf.Variable(lambda: w + 1.0, name="x")
    tf.get_variable("y", initializer=w + 1.0)
    tf.get_variable("z", initializer=w + 1.0, use_resource=True)
    init = tf.global_variables_initializer()
    with tf.control_dependencies([init]):
        return [tf.constant(1.0, name="done")]
