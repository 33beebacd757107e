"""Scenarios for every op, run by the real TensorFlow to learn the expected values."""

import os
import sys

# Where `judge` is, which every module here imports TensorFlow from.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "tests", "interop"))
