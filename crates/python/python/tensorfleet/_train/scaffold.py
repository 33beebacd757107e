"""Scaffolds: the operations that a monitored session needs to begin, made where the program gives none."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import constant
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._train.saver import Saver
from tensorfleet._train.tables import tables_initializer


class Scaffold:
    """The operations that initialise a model, say whether it is ready, and save it. Those that are None are made by
    :meth:`finalize`."""

    def __init__(
        self, init_op: Any = None, init_feed_dict: Any = None, init_fn: Callable[..., Any] | None = None, ready_op: Any = None,
        ready_for_local_init_op: Any = None, local_init_op: Any = None, summary_op: Any = None, saver: Any = None,
        copy_from_scaffold: Scaffold | None = None, local_init_feed_dict: Any = None,
    ) -> None:
        if copy_from_scaffold is not None:
            if not isinstance(copy_from_scaffold, Scaffold):
                raise TypeError(f"copy_from_scaffold is {copy_from_scaffold!r}; give a tf.train.Scaffold")
            other: Any = copy_from_scaffold
            init_op = other.init_op if init_op is None else init_op
            init_feed_dict = other.init_feed_dict if init_feed_dict is None else init_feed_dict
            init_fn = other._user_init_fn if init_fn is None else init_fn
            ready_op = other.ready_op if ready_op is None else ready_op
            if ready_for_local_init_op is None:
                ready_for_local_init_op = other.ready_for_local_init_op
            if local_init_feed_dict is None:
                local_init_feed_dict = other.local_init_feed_dict
            local_init_op = other.local_init_op if local_init_op is None else local_init_op
            summary_op = other.summary_op if summary_op is None else summary_op
            saver = other.saver if saver is None else saver
        self._init_op, self._init_feed_dict, self._user_init_fn = init_op, init_feed_dict, init_fn
        self._ready_op, self._ready_for_local_init_op = ready_op, ready_for_local_init_op
        self._local_init_op, self._local_init_feed_dict = local_init_op, local_init_feed_dict
        self._summary_op, self._saver = summary_op, saver

    def finalize(self) -> Scaffold:
        """Makes what is missing."""
        import tensorfleet.v1 as tf
        from tensorfleet.v1 import summary

        def init() -> Any:
            return tf.group(tf.global_variables_initializer(), _resources_init(GraphKeys.RESOURCES))

        def ready() -> Any:
            return tf.concat([tf.report_uninitialized_variables(), _missing_resources()], 0)

        def ready_for_local_init() -> Any:
            return tf.concat([tf.report_uninitialized_variables(tf.global_variables()), _missing_resources()], 0)

        self._init_op = _or_default(self._init_op, GraphKeys.INIT_OP, init)
        self._ready_op = _or_default(self._ready_op, GraphKeys.READY_OP, ready)
        self._ready_for_local_init_op = _or_default(
            self._ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, ready_for_local_init)
        self._local_init_op = _or_default(self._local_init_op, GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        self._summary_op = _or_default(self._summary_op, GraphKeys.SUMMARY_OP, summary.merge_all)
        if self._saver is None:
            self._saver = _saver_or_default()
        self._saver.build()
        get_default_graph()._complete()
        return self

    @property
    def init_fn(self) -> Callable[[Any], None] | None:
        """A function of a session that is called when the model is initialised."""
        function = self._user_init_fn
        if function is None:
            return None

        def call(sess: Any) -> None:
            # Early programs give a function of the scaffold and the session.
            import inspect

            if len(inspect.signature(function).parameters) >= 2:
                function(self, sess)
            else:
                function(sess)

        return call

    @property
    def init_op(self) -> Any:
        """The operation that initialises the model."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """The tensor that names what has no value yet."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The tensor that names what must have a value before the local init op runs."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """The operation that initialises what each task has for itself."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """What is fed to it."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """The tensor of all summaries, or None."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """The saver."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """What is fed to the init op."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """The only member of a collection, or what is made and put there."""
        found = get_default_graph().get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f"which one? The collection {collection_key!r} holds several: choose by "
                f"tf.train.Scaffold({arg_name}=...)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            get_default_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """The operation that initialises local variables and fills tables."""
        import tensorfleet.v1 as tf

        return tf.group(tf.local_variables_initializer(), tables_initializer(), _resources_init(GraphKeys.LOCAL_RESOURCES))


def _or_default(given: Any, key: str, make: Callable[[], Any]) -> Any:
    return Scaffold.get_or_default(key, key, make) if given is None else given


def _resources_init(key: str) -> Any:
    """The operation that makes the resources of a collection."""
    import tensorfleet.v1 as tf

    found = get_default_graph().get_collection(key)
    return tf.group(*[resource.create for resource in found], name="init") if found else tf.no_op(name="init")


def _missing_resources() -> Any:
    """The names of resources that are missing: none, as variables and tables are seen to elsewhere."""
    graph = get_default_graph()
    with graph.name_scope("report_uninitialized_resources"), graph.device("/cpu:0"):
        return constant(np.array([], dtype=object), dtype=dtypes.string)


def _saver_or_default() -> Any:
    graph = get_default_graph()
    savers = graph.get_collection(GraphKeys.SAVERS)
    if savers:
        if len(savers) > 1:
            raise RuntimeError(
                f"which saver? The collection 'savers' holds {savers}: choose by tf.train.Scaffold(saver=...)"
            )
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    graph.add_to_collection(GraphKeys.SAVERS, saver)
    return saver
