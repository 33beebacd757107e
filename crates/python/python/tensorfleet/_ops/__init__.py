"""Functions that build operations, as TensorFlow has them; each module lists its public names in `__all__`."""
