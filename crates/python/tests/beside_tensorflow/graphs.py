"""Graphs that the package builds are those that TensorFlow builds: names, ops, inputs, attributes, devices, and values."""

import sys

from sides import compare

if __name__ == "__main__":
    sys.exit(compare("graphs", seconds=400))
