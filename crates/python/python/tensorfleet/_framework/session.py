"""Sessions: what runs steps of a graph."""

from __future__ import annotations

import signal
import threading
from typing import Any, Callable

import numpy as np

from tensorfleet import _core
from tensorfleet._framework import errors, nest, values
from tensorfleet._framework.convert import IndexedSlices, SparseTensor
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph
from tensorfleet._framework.variables import Variable

_core.start_logging()
_stack = threading.local()


def _sessions() -> list[Any]:
    if not hasattr(_stack, "sessions"):
        _stack.sessions = []
    return _stack.sessions


def get_default_session() -> Any:
    """The session that a `with` block of this thread is in, or None."""
    sessions = _sessions()
    return sessions[-1] if sessions else None


def session_or_default(session: Any, graph: Graph, what: str) -> Any:
    """The session to use; ValueError if there is none or it is of another graph."""
    session = session or get_default_session()
    if session is None:
        raise ValueError(
            f"No default session for {what}: enter `with sess.as_default()`, or give one, `{what}(session=sess)`"
        )
    if session.graph is not graph:
        raise ValueError(f"Cannot {what}: the session's graph is different from that of the tensor or operation.")
    return session


_watched = False


def watch_signals() -> None:
    """Lets Ctrl-C end what the main thread waits for. Only the main thread can ask for that, and only if nobody else has."""
    global _watched
    if _watched or threading.current_thread() is not threading.main_thread():
        return
    _watched = True
    before = signal.set_wakeup_fd(_core.signal_fd(), warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)


class _Fetches:
    """What a run was asked for: the tensors and operations in it, and how results are put together."""

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self.graph = graph
        self.tensors: list[Tensor] = []
        self.index: dict[Tensor, int] = {}
        # The numbers of the operations that run, and of the tensors.
        self.targets: list[int] = []
        self.build: Callable[[list[Any]], Any] = self._prepare(fetches)
        self.step = _core.Step(graph._core, [tensor._place for tensor in self.tensors], self.targets)

    def _tensor(self, tensor: Tensor) -> Callable[[list[Any]], Any]:
        place = self.index.get(tensor)
        if place is None:
            place = self.index[tensor] = len(self.tensors)
            self.tensors.append(tensor)
        return lambda results: results[place]

    def _prepare(self, fetch: Any) -> Callable[[list[Any]], Any]:
        if isinstance(fetch, (list, tuple)):
            parts = [self._prepare(item) for item in fetch]
            if hasattr(fetch, "_fields"):
                return lambda results: type(fetch)(*[part(results) for part in parts])
            kind = list if isinstance(fetch, list) else tuple
            return lambda results: kind(part(results) for part in parts)
        if isinstance(fetch, dict):
            named = {key: self._prepare(item) for key, item in fetch.items()}
            return lambda results: {key: part(results) for key, part in named.items()}
        if isinstance(fetch, SparseTensor):
            from tensorfleet._framework.sparse_value import SparseTensorValue

            parts = [self._tensor(t) for t in (fetch.indices, fetch.values, fetch.dense_shape)]
            return lambda results: SparseTensorValue(*[part(results) for part in parts])
        if isinstance(fetch, IndexedSlices):
            from tensorfleet._framework.sparse_value import IndexedSlicesValue

            tensors = [fetch.values, fetch.indices] + ([fetch.dense_shape] if fetch.dense_shape is not None else [])
            parts = [self._tensor(t) for t in tensors]
            return lambda results: IndexedSlicesValue(*[part(results) for part in parts] + [None] * (3 - len(parts)))
        if fetch is None:
            raise TypeError(f"{fetch!r} of type {type(fetch).__name__} cannot be fetched")
        if nest.is_attrs(fetch):
            parts = [self._prepare(item) for item in nest.attrs_values(fetch)]
            return lambda results: type(fetch)(*[part(results) for part in parts])
        try:
            element = self.graph.as_graph_element(fetch)
        except TypeError:
            raise TypeError(
                f"{fetch!r} cannot be fetched: it is {type(fetch).__name__!r}, neither a tensor or an operation nor "
                "the name of one"
            ) from None
        except ValueError as error:
            raise ValueError(f"{fetch!r} cannot be fetched: {error}") from None
        except KeyError as error:
            raise ValueError(f"{fetch!r} cannot be fetched: {error.args[0]}") from None
        if not self.graph.is_fetchable(element):
            raise ValueError(f"{element!r} cannot be fetched: its graph forbids it (prevent_fetching)")
        if isinstance(element, Tensor):
            return self._tensor(element)
        self.targets.append(element._id)
        return lambda results: None


def _key(fetches: Any) -> Any:
    """What stands for fetches that may have been prepared before; None for those that are prepared anew each time."""
    kind = type(fetches)
    if kind is list or kind is tuple:
        keys = tuple([_key(item) for item in fetches])
        return None if None in keys else (kind, keys)
    return fetches if kind is Tensor or kind is Operation or isinstance(fetches, Variable) else None


# The arrays that the core takes as they are if they have dimensions, by the number of the element type.
_PLAIN = {number: values._NUMPY[number] for number in (1, 2, 3, 4, 5, 6, 9, 17, 22, 23)}


# So many different fetches of one session are remembered.
_REMEMBERED = 256


def _expand_feed(key: Any, value: Any) -> list[tuple[Any, Any]]:
    """The tensors that a key of a feed stands for, and the value of each."""
    if isinstance(key, SparseTensor):
        return [(key.indices, value[0]), (key.values, value[1]), (key.dense_shape, value[2])]
    if isinstance(key, IndexedSlices):
        pairs = [(key.values, value[0]), (key.indices, value[1])]
        return pairs + ([(key.dense_shape, value[2])] if key.dense_shape is not None else [])
    if isinstance(key, (list, tuple)):
        if len(key) != len(value):
            raise ValueError(f"A feed of {len(key)} tensors has {len(value)} values")
        return [pair for k, v in zip(key, value) for pair in _expand_feed(k, v)]
    return [(key, value)]


def _feed(graph: Graph, key: Any, value: Any) -> tuple[tuple[int, int], Any]:
    try:
        tensor = graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(
            f"a key of feed_dict does not name a tensor: {error.args[0] if error.args else error}") from None
    if type(value) is not np.ndarray and (isinstance(value, Tensor) or hasattr(value, "_as_graph_element")):
        raise TypeError(
            f"the feed for {key!r} is itself a tensor, {value!r}; give its value: a number, a string, a list or a "
            "numpy array"
        )
    if not graph.is_feedable(tensor):
        raise ValueError(f"{tensor} cannot be fed: its graph forbids it (prevent_feeding)")
    if isinstance(value, _core.Handle):
        return tensor._place, value
    dtype = tensor._dtype.base_dtype
    if isinstance(value, int) and not isinstance(value, bool) and dtype.is_integer and not dtype.min <= value <= dtype.max:
        raise TypeError(
            f"the feed {value} of {type(value)} does not fit into {dtype.as_numpy_dtype}; give the placeholder a wider "
            "type, such as int64"
        )
    wanted = dtype._numpy
    if type(value) is np.ndarray and value.dtype == wanted and wanted is not np.object_:
        array, number = value, dtype._number
    else:
        try:
            if wanted is not None and wanted is not np.object_:
                array = np.asarray(value, dtype=wanted)
                number = dtype._number
            else:
                array, number = values.to_array(value, dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"the feed for {tensor.name!r} does not become an array of {dtype.name}: {error}") from None
    shape = graph._core.shape(tensor._place)
    if shape is not None and (
        len(shape) != array.ndim or any(d is not None and d != n for d, n in zip(shape, array.shape))
    ):
        raise ValueError(f"the feed for {tensor.name!r} has shape {array.shape!r}, but the tensor has {tensor.shape}")
    return tensor._place, values.pack_array(array, number)


class BaseSession:
    """A session on a graph, in this process or on a server."""

    def __init__(self, target: str | bytes = "", graph: Graph | None = None, config: Any = None) -> None:
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"`graph` is {type(graph).__name__!r}; give a tf.Graph")
        self._graph = graph or get_default_graph()
        self._target = target.decode() if isinstance(target, bytes) else (target or "")
        if not isinstance(self._target, str):
            raise TypeError(f"`target` is {type(target).__name__!r}; give a string such as 'grpc://host:2222'")
        self._config = config
        self._closed = False
        self._prepared: dict[Any, _Fetches] = {}
        self._partial_runs: dict[str, Any] = {}
        self._partial_runs_begun = 0
        watch_signals()
        address = "" if self._target == "local" else self._target
        self._core = _core.Session(self._graph._core, address, **_options(config))

    @property
    def graph(self) -> Graph:
        """The graph whose operations are run."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """The target that the session was opened with."""
        return self._target

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs one step and returns the values of what is fetched, put together as `fetches` is; None for operations.

        :raises errors.OpError: if the step fails
        :raises RuntimeError: if the session is closed
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        graph = self._graph
        feeds = []
        if feed_dict:
            if not isinstance(feed_dict, dict):
                raise TypeError(f"The argument `feed_dict` must be a dictionary, not {type(feed_dict).__name__}")
            for key, value in feed_dict.items():
                if type(key) is Tensor:
                    plain = _PLAIN.get(key._dtype._number) if type(value) is np.ndarray else None
                    if (
                        plain is not None and value.dtype == plain and value.shape and key._op._graph is graph
                        and key not in graph._unfeedable
                    ):
                        feeds.append((key._place, value))
                    else:
                        feeds.append(_feed(graph, key, value))
                    continue
                for tensor, part in _expand_feed(key, value):
                    feeds.append(_feed(graph, tensor, part))
        asked = self._asked(fetches)
        timeout = getattr(options, "timeout_in_ms", 0) if options is not None else 0
        try:
            if run_metadata is None:
                results = self._core.run(asked.step, feeds, timeout)
            else:
                trace = options is not None and options.trace_level != 0
                results, metadata = self._core.run_traced(asked.step, feeds, timeout, trace)
                run_metadata.ParseFromString(metadata)
        except errors.OpError as error:
            node = getattr(error, "node_name", None)
            if node is not None and error._op is None:
                try:
                    error._op = graph.get_operation_by_name(node)
                except KeyError:
                    pass
            raise
        return asked.build([values.unpack(result) for result in results])

    def _asked(self, fetches: Any) -> _Fetches:
        """How fetches are run and their results put together, prepared once for those that come again."""
        key = None if self._graph._unfetchable else _key(fetches)
        if key is None:
            return _Fetches(self._graph, fetches)
        asked = self._prepared.get(key)
        if asked is None:
            asked = _Fetches(self._graph, fetches)
            if len(self._prepared) >= _REMEMBERED:
                self._prepared.clear()
            self._prepared[key] = asked
        return asked

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Begins a step that is run in several calls of :meth:`partial_run`, and gives its handle.

        >>> import tensorfleet.v1 as tf
        >>> a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        >>> double, total = a * 2.0, a * 2.0 + b
        >>> with tf.Session() as sess:
        ...     step = sess.partial_run_setup([double, total], [a, b])
        ...     half = sess.partial_run(step, double, {a: 3.0})
        ...     sess.partial_run(step, total, {b: half})
        np.float32(12.0)
        """
        from tensorfleet._framework.partial_run import PartialRun

        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        asked = _Fetches(self._graph, fetches)
        keys = feeds if isinstance(feeds, (list, tuple)) else [] if feeds is None else [feeds]
        fed = {self._graph.as_graph_element(key, allow_operation=False) for key in keys}
        self._partial_runs_begun += 1
        handle = f"partial_run_{self._partial_runs_begun}"
        targets = [self._graph._operation(number) for number in asked.targets]
        self._partial_runs[handle] = PartialRun(asked.tensors, targets, fed)
        return handle

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """Goes on with a step: what is fetched now may need what was fed now or before. A call that fails ends the step."""
        run = self._partial_runs.get(handle)
        if run is None:
            raise errors.InvalidArgumentError(
                None, None, f"Must run partial_run_setup before performing partial runs: there is no run {handle!r}")
        asked = _Fetches(self._graph, fetches)
        if asked.targets:
            raise RuntimeError("partial_run fetches tensors; operations are named in partial_run_setup")
        given = {}
        for key, value in (feed_dict or {}).items():
            for part, its_value in _expand_feed(key, value):
                given[self._graph.as_graph_element(part, allow_operation=False)] = its_value
        try:
            result = asked.build(run.run(self, asked.tensors, given))
        except BaseException:
            del self._partial_runs[handle]
            raise
        if run.is_over:
            del self._partial_runs[handle]
        return result

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function that runs the same step again and again, with values for the tensors of `feed_list` in their order."""
        feed_list = list(feed_list or [])

        def run(*arguments: Any, **_: Any) -> Any:
            if len(arguments) != len(feed_list):
                raise TypeError(f"{len(feed_list)} values are to be fed, not {len(arguments)}")
            return self.run(fetches, dict(zip(feed_list, arguments)))

        return run

    def list_devices(self) -> list[Any]:
        """The devices of the session."""
        from tensorfleet._framework.device_list import list_devices

        return list_devices(self)

    def close(self) -> None:
        """Ends the session and what it runs. To close twice does no harm."""
        if not self._closed:
            self._closed = True
            self._core.close()

    def __del__(self) -> None:
        try:
            if not getattr(self, "_closed", True):
                self.close()
        except Exception:
            pass


def _options(config: Any) -> dict[str, Any]:
    if config is None:
        return {}
    if not hasattr(config, "allow_soft_placement"):
        raise TypeError(f"`config` is {type(config).__name__}; give a tf.ConfigProto")
    return {
        "cpu_devices": config.device_count["CPU"] if "CPU" in config.device_count else 1,
        "soft_placement": config.allow_soft_placement,
        "log_placement": config.log_device_placement,
        "timeout_ms": config.operation_timeout_in_ms,
        "device_filters": list(config.device_filters),
        "isolate": config.isolate_session_state,
    }


class Session(BaseSession):
    """A session; in a `with` block it is the default one, its graph is the default graph, and it is closed at the end.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.constant(1.0) + 2.0)
    np.float32(3.0)
    """

    def __init__(self, target: str | bytes = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._entered: list[Any] = []

    def as_default(self) -> Any:
        """A `with` block in which this is the default session; it is not closed at its end."""
        return _AsDefault(self)

    def __enter__(self) -> Session:
        graph = self._graph.as_default()
        graph.__enter__()
        self._entered.append(graph)
        _sessions().append(self)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        _sessions().remove(self)
        self._entered.pop().__exit__(kind, error, trace)
        self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Empties containers on a server and ends its sessions."""
        _core.reset(target, list(containers or []))


class InteractiveSession(BaseSession):
    """A session that is the default one from when it is made until it is closed, for use at a prompt."""

    def __init__(self, target: str | bytes = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._default_graph = graph.as_default() if graph is not None else None
        if self._default_graph is not None:
            self._default_graph.__enter__()
        _sessions().append(self)

    def as_default(self) -> Any:
        """A `with` block in which this is the default session."""
        return _AsDefault(self)

    def close(self) -> None:
        """Ends the session, which is no longer the default one."""
        super().close()
        if self in _sessions():
            _sessions().remove(self)
        if self._default_graph is not None:
            self._default_graph.__exit__(None, None, None)
            self._default_graph = None


class _AsDefault:
    def __init__(self, session: BaseSession) -> None:
        self.session = session

    def __enter__(self) -> BaseSession:
        _sessions().append(self.session)
        return self.session

    def __exit__(self, *_: Any) -> None:
        _sessions().remove(self.session)
