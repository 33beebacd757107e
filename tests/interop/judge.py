"""The real TensorFlow, in the one mode in which it judges ours, whatever the machine: `from judge import tf`.

TensorFlow chooses its arithmetic by the machine's instructions in two places, and nowhere else: its wheel is compiled for
AVX, once for all. Without these settings a test would ask for one thing on a machine with AVX-512 and for another elsewhere.

- oneDNN's own kernels for convolutions, products and activations are taken by default where the machine has the newer
  AVX-512 instructions. They differ from the kernels that define TensorFlow's ops: see known_faults.py. They are off.
- Float products, and the convolutions made of them, go through oneDNN's `sgemm` also then, which chooses its order of
  summation by the instructions. It goes no further than AVX2, which any x86 server of the last ten years has.

Everything that tests or records with TensorFlow imports it from here, so that a script that is run by hand is in the same
mode, and so are the processes that it starts. Benchmarks do not: they show TensorFlow as fast as it is.

JUDGE=free in the environment leaves the mode to the machine and to TensorFlow's own variables, to see whether a test or a
recording depends on it: `JUDGE=free TF_ENABLE_ONEDNN_OPTS=1 ONEDNN_MAX_CPU_ISA=SSE41 python random_graphs.py BINARY`.
"""

import os
import sys

FIXED = os.environ.get("JUDGE", "fixed") != "free"
if FIXED:
    assert "tensorflow" not in sys.modules, "TensorFlow was imported before its mode could be fixed"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf  # noqa: E402  (the environment above must come first)
from tensorflow.python.util import _pywrap_util_port  # noqa: E402

__all__ = ["ONEDNN", "tf"]

# Whether oneDNN's own kernels are in use. Only in the free mode can they be.
ONEDNN = _pywrap_util_port.IsMklEnabled()
assert not (FIXED and ONEDNN), "TensorFlow does not heed TF_ENABLE_ONEDNN_OPTS"
