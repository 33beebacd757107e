"""Learning rates that change, at a step."""


def build(tf):
    step = tf.constant(25, name="step")
    rates = [
        tf.train.exponential_decay(0.1, step, 10, 0.96),
        tf.train.exponential_decay(0.1, step, 10, 0.96, staircase=True, name="stairs"),
        tf.train.polynomial_decay(0.1, step, 100, power=2.0),
        tf.train.polynomial_decay(0.1, step, 10, cycle=True),
        tf.train.natural_exp_decay(0.1, step, 10, 0.5),
        tf.train.inverse_time_decay(0.1, step, 10, 0.5, staircase=True),
        tf.train.cosine_decay(0.1, step, 100, alpha=0.1),
        tf.train.linear_cosine_decay(0.1, step, 100),
        tf.train.cosine_decay_restarts(0.1, step, 10),
    ]
    return rates
