"""Whole programs train as they do under TensorFlow: the same graphs, and the same losses for twenty steps with seeds."""

import sys

from sides import compare

if __name__ == "__main__":
    # Sums are taken in another order, and what training makes of the differences grows with the steps.
    sys.exit(compare("programs", seconds=600, tolerance=2e-3))
