"""An optimizer of the program's own, a subclass of tf.train.Optimizer with a slot: the sign of a momentum decides the step."""

import numpy as np


def make_optimizer(tf):
    class SignMomentum(tf.train.Optimizer):
        """Moves each parameter by the same amount, against its momentum's sign."""

        def __init__(self, rate, decay=0.9, use_locking=False, name="SignMomentum"):
            super().__init__(use_locking, name)
            self._rate, self._decay = rate, decay

        def _create_slots(self, var_list):
            for variable in var_list:
                self._zeros_slot(variable, "m", self._name)

        def _prepare(self):
            self._rate_tensor = tf.convert_to_tensor(self._rate, name="rate")
            self._decay_tensor = tf.convert_to_tensor(self._decay, name="decay")

        def _apply_dense(self, grad, var):
            m = self.get_slot(var, "m")
            new = tf.assign(m, m * self._decay_tensor + grad * (1 - self._decay_tensor), use_locking=self._use_locking)
            return tf.assign_sub(var, self._rate_tensor * tf.sign(new), use_locking=self._use_locking)

    return SignMomentum


def train(tf, steps=20):
    rng = np.random.RandomState(17)
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.Variable(tf.ones([4, 2]), name="w")
    b = tf.Variable(tf.zeros([2]), name="b")
    y = tf.nn.softplus(tf.matmul(x, w) + b)
    loss = tf.reduce_mean(tf.square(y - 1.0))
    optimizer = make_optimizer(tf)(0.03)
    step = optimizer.minimize(loss)
    numbers = [len(tf.global_variables()), len(optimizer.get_slot_names())]
    data = rng.randn(16, 4).astype(np.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers.append(sess.run([loss, step], {x: data})[0])
        numbers += sess.run(optimizer.get_slot(w, "m")).ravel().tolist()
    return numbers
