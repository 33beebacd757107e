"""Scenarios for every op, run by the real TensorFlow to learn the expected values."""
