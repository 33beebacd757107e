"""Modules that TensorFlow's tutorials import, by the tutorial's name."""
