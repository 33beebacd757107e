"""Threads that keep queues filled. They run in the core, and Python can wait for them."""

from __future__ import annotations

from typing import Any

from tensorfleet import _core
from tensorfleet._framework import errors
from tensorfleet._framework.graph import Graph, Tensor, get_default_graph
from tensorfleet._framework.session import get_default_session
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._train.coordinator import Coordinator


def raw_session(sess: Any) -> Any:
    """The session inside of one that watches over it."""
    while not hasattr(sess, "_core"):
        inner = getattr(sess, "_tf_sess", None)
        if inner is None:
            raise TypeError(f"`sess` is {sess!r}; give a tf.Session")
        sess = inner()
        if sess is None:
            raise RuntimeError("The session is closed.")
    return sess


def _operation(value: Any) -> Any:
    return value.op if isinstance(value, Tensor) else value


class QueueRunner:
    """Runs enqueue operations of a queue, each on a thread of its own, until the input ends or a coordinator stops them."""

    def __init__(
        self, queue: Any = None, enqueue_ops: Any = None, close_op: Any = None, cancel_op: Any = None,
        queue_closed_exception_types: Any = None, queue_runner_def: Any = None, import_scope: str | None = None,
    ) -> None:
        if queue_runner_def is not None:
            if queue is not None or enqueue_ops is not None:
                raise ValueError("queue_runner_def and queue/enqueue_ops are mutually exclusive.")
            self._init_from_proto(queue_runner_def, import_scope)
            return
        if queue is None or not enqueue_ops:
            raise ValueError("a QueueRunner needs a queue and its enqueue_ops")
        self._queue, self._enqueue_ops = queue, [_operation(op) for op in enqueue_ops]
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        closed = queue_closed_exception_types
        if closed is None:
            closed = (errors.OutOfRangeError,)
        elif not isinstance(closed, tuple) or not closed or not all(issubclass(kind, errors.OpError) for kind in closed):
            raise TypeError(f"queue_closed_exception_types is {closed!r}; give a tuple of classes of tf.errors")
        self._closed_types = closed
        self._make_core()

    @classmethod
    def _from_core(cls, graph: Graph, core: _core.QueueRunner, queue: Any) -> QueueRunner:
        self = cls.__new__(cls)
        _, enqueue, close, cancel = core.names()
        self._queue, self._enqueue_ops = queue, [graph.get_operation_by_name(name) for name in enqueue]
        self._close_op, self._cancel_op = graph.get_operation_by_name(close), graph.get_operation_by_name(cancel)
        self._closed_types = (errors.OutOfRangeError,)
        self._core, self._errors_of = core, None
        return self

    def _make_core(self) -> None:
        codes = [code for code, kind in errors._classes.items() if issubclass(kind, self._closed_types)]
        self._core = _core.QueueRunner(
            self._queue.name, [op.name for op in self._enqueue_ops], self._close_op.name, self._cancel_op.name, codes)
        self._errors_of: Coordinator | None = None

    def _init_from_proto(self, definition: Any, import_scope: str | None) -> None:
        from tensorfleet._ops.queue_ops import QueueBase

        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(f"{import_scope}/{name}" if import_scope else name)

        self._enqueue_ops = [_operation(element(name)) for name in definition.enqueue_op_name]
        queue = element(definition.queue_name)
        self._queue = QueueBase._of_node(queue.op if isinstance(queue, Tensor) else queue)
        self._close_op = _operation(element(definition.close_op_name))
        self._cancel_op = _operation(element(definition.cancel_op_name))
        kinds = tuple(errors._classes[code] for code in definition.queue_closed_exception_types if code in errors._classes)
        self._closed_types = kinds or (errors.OutOfRangeError,)
        self._make_core()

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that fill it."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes it at the end of the input."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes it when threads are to stop."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> Any:
        """The exceptions that mean the end of the input."""
        return self._closed_types

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What threads failed with that were started without a coordinator."""
        if self._errors_of is None:
            return []
        try:
            self._errors_of.raise_requested_exception()
        except errors.OpError as error:
            return [error]
        return []

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[Any]:
        """The threads for a session, which begin at once if `start` says so. None if they run in it already."""
        if coord is None:
            coord = self._errors_of = Coordinator()
        if start:
            return self._core.create_threads(raw_session(sess)._core, coord._core)
        waiting = _Waiting(self, sess, coord)
        return [_LaterThread(waiting, number) for number in range(len(self._enqueue_ops))]

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The runner as a message, as meta graphs have it."""
        from tensorfleet._framework.messages import QueueRunnerDef

        made = QueueRunnerDef(
            queue_name=self._queue.name, enqueue_op_name=[op.name for op in self._enqueue_ops],
            close_op_name=self._close_op.name, cancel_op_name=self._cancel_op.name)
        made.queue_closed_exception_types.extend(
            code for code, kind in errors._classes.items() if issubclass(kind, self._closed_types))
        return made

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """The runner of a message."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


class _Waiting:
    """Threads of a runner that are yet to begin."""

    def __init__(self, runner: QueueRunner, sess: Any, coord: Coordinator) -> None:
        self.runner, self.sess, self.coord = runner, sess, coord
        self.threads: list[Any] | None = None

    def begin(self) -> None:
        if self.threads is None:
            self.threads = self.runner._core.create_threads(raw_session(self.sess)._core, self.coord._core)


class _LaterThread:
    """A thread that begins when it is told to; the other threads of its runner begin with it."""

    def __init__(self, waiting: _Waiting, number: int) -> None:
        self._waiting, self._number = waiting, number
        self.name = f"QueueRunnerThread-{waiting.runner.name}-{number}"
        self.daemon = True

    def start(self) -> None:
        """Begins."""
        self._waiting.begin()

    def is_alive(self) -> bool:
        """Whether it is at work."""
        return any(thread.is_alive() for thread in (self._waiting.threads or ())[self._number:self._number + 1])

    def join(self, timeout: float | None = None) -> None:
        """Waits until it is done."""
        for thread in (self._waiting.threads or ())[self._number:self._number + 1]:
            thread.join(timeout)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner to those that :func:`start_queue_runners` starts."""
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None, coord: Coordinator | None = None, daemon: bool = True, start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[Any]:
    """Starts the threads of all runners of the session's graph, and gives them."""
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "No default session to start the queue runners in: enter `with sess.as_default()`, or give one, "
                "start_queue_runners(sess=sess)"
            )
    raw = raw_session(sess)
    threads: list[Any] = []
    for runner in raw.graph.get_collection(collection):
        threads.extend(runner.create_threads(raw, coord=coord, daemon=daemon, start=start))
    return threads
