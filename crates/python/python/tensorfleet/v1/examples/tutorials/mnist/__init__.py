"""The handwritten digits of the tutorials: their data, and a model of two hidden layers."""

from . import input_data, mnist

__all__ = ["input_data", "mnist"]
