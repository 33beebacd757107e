"""Dataflow graphs that train models on a cluster, as distributed TensorFlow invented it.

Programs import TensorFlow's names from ``tensorfleet.v1``::

    import tensorfleet.v1 as tf

or run unchanged, with ``import tensorflow as tf`` in them: ``python -m tensorfleet script.py --flags``.
"""

__version__ = "0.1.0"

from typing import TYPE_CHECKING, Any

from tensorfleet.alias import install_alias, remove_alias

if TYPE_CHECKING:
    from tensorfleet.shards import Shards

__all__ = ["Shards", "__version__", "install_alias", "remove_alias"]


def __getattr__(name: str) -> Any:
    # What is above TensorFlow's names is loaded with them, and these only when asked for.
    if name == "Shards":
        from tensorfleet.shards import Shards

        return Shards
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
