"""Contributed parts of TensorFlow 1.x, as far as programs use them."""
