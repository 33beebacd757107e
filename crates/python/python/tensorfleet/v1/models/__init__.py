"""Modules of the models that TensorFlow 0.x carried in its own tree, as far as programs import them."""
