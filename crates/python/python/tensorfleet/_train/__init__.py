"""Training: what `tf.train` is made of."""
