"""What `tf.contrib.layers`, `tf.contrib.slim` and `tf.contrib.framework` share."""
