"""Data sets that programs load by name."""

from . import mnist

__all__ = ["mnist"]
