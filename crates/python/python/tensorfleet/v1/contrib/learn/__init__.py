"""Data sets of `tf.contrib.learn`."""
