"""Collections of the default graph, and seeds."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import get_default_graph

__all__ = [
    "add_to_collection", "add_to_collections", "get_collection", "get_collection_ref", "set_random_seed", "get_seed",
]


def add_to_collection(name: Any, value: Any) -> None:
    """Adds a value to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds a value to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The values of a collection of the default graph."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """The list of a collection's values, which is the collection itself."""
    return get_default_graph().get_collection_ref(key)


def set_random_seed(seed: int | None) -> None:
    """Sets the seed of the default graph: random operations give the same numbers in every session.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     tf.set_random_seed(1)
    ...     tf.get_default_graph().seed
    1
    """
    get_default_graph().seed = seed


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of a random operation; both are None if neither the graph nor the operation has one."""
    graph = get_default_graph()
    if graph.seed is None and op_seed is None:
        return None, None
    return graph._core.seeds(op_seed)
