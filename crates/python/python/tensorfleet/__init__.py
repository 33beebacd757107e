"""Dataflow graphs that train models on a cluster, as distributed TensorFlow invented it.

Programs import TensorFlow's names from ``tensorfleet.v1``::

    import tensorfleet.v1 as tf

or run unchanged, with ``import tensorflow as tf`` in them: ``python -m tensorfleet script.py --flags``.
"""

__version__ = "0.1.0"

from tensorfleet.alias import install_alias, remove_alias

__all__ = ["__version__", "install_alias", "remove_alias"]
