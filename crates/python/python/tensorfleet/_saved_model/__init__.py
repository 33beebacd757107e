"""Saved models: what `tf.saved_model` is made of."""
