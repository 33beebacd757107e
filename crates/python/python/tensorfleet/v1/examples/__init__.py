"""Modules that TensorFlow's tutorials import."""
