"""The supervisor: prepares a session, keeps checkpoints and summaries coming, and ends everything together."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Callable, Iterator

from tensorfleet._framework import errors
from tensorfleet._framework.graph import Graph, get_default_graph
from tensorfleet._framework.messages import SessionLog, Summary
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._train import sync_replicas
from tensorfleet._train.coordinator import Coordinator, LooperThread
from tensorfleet._train.global_step import get_global_step, global_step as read_global_step
from tensorfleet._train.saver import Saver
from tensorfleet._train.session_manager import SessionManager
from tensorfleet._train.summary_writer import FileWriter
from tensorfleet._train.tables import tables_initializer


class Supervisor:
    """Watches over the training of one task.

    The chief initialises the model, or restores it from the newest checkpoint in `logdir`, and saves checkpoints and summaries
    there; the other tasks wait until the model is ready.

    >>> import tempfile, tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(3.0)
    ...     sv = tf.train.Supervisor(logdir=tempfile.mkdtemp())
    ...     with sv.managed_session() as sess:
    ...         sess.run(w)
    np.float32(3.0)
    """

    #: Says that the supervisor makes something itself.
    USE_DEFAULT = 0

    def __init__(
        self, graph: Graph | None = None, ready_op: Any = USE_DEFAULT, ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True, init_op: Any = USE_DEFAULT, init_feed_dict: Any = None, local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None, summary_op: Any = USE_DEFAULT, saver: Any = USE_DEFAULT, global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120, save_model_secs: float = 600, recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120, checkpoint_basename: str = "model.ckpt", session_manager: Any = None,
        summary_writer: Any = USE_DEFAULT, init_fn: Callable[[Any], None] | None = None, local_init_run_options: Any = None,
    ) -> None:
        self._graph = graph = graph or get_default_graph()
        self._init_feed_dict, self._init_fn, self._local_init_run_options = init_feed_dict, init_fn, local_init_run_options
        with graph.as_default():
            self._make_nodes(ready_op, ready_for_local_init_op, init_op, local_init_op)
            self._saver = _default(saver, self._make_saver)
            self._summary_op = _default(summary_op, self._make_summary_op)
            self._global_step = _default(global_step, lambda: get_global_step(graph))
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._recovery_wait_secs, self._stop_grace_secs = recovery_wait_secs, stop_grace_secs
        self._started_threads: list[Any] = []
        self._logdir: str | None = None
        self._save_path: str | None = None
        self._summary_writer: Any = None
        self._save_summaries_secs, self._save_model_secs = save_summaries_secs, save_model_secs
        self._graph_added_to_summary = False
        if is_chief:
            self._logdir = None if logdir is None else os.fspath(logdir)
            if self._logdir:
                self._save_path = os.path.join(self._logdir, checkpoint_basename)
            if summary_writer is not Supervisor.USE_DEFAULT:
                self._summary_writer = summary_writer
            elif self._logdir:
                self._summary_writer = FileWriter(self._logdir)
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op, ready_for_local_init_op=self._ready_for_local_init_op,
            graph=graph, recovery_wait_secs=recovery_wait_secs, local_init_run_options=local_init_run_options)
        graph._complete()

    # What it makes

    def _make_nodes(self, ready_op: Any, ready_for_local_init_op: Any, init_op: Any, local_init_op: Any) -> None:
        import tensorfleet.v1 as tf

        graph = self._graph

        def made(key: str, make: Callable[[], Any]) -> Any:
            value = _first(graph, key)
            if value is None:
                value = make()
                if value is not None:
                    graph.add_to_collection(key, value)
            return value

        def local_init() -> Any:
            return tf.group(tf.local_variables_initializer(), tables_initializer())

        self._ready_op = _default(ready_op, lambda: made(GraphKeys.READY_OP, tf.report_uninitialized_variables))
        self._ready_for_local_init_op = _default(
            ready_for_local_init_op, lambda: _first(graph, GraphKeys.READY_FOR_LOCAL_INIT_OP))
        self._init_op = _default(init_op, lambda: made(GraphKeys.INIT_OP, tf.global_variables_initializer))
        self._local_init_op = _default(local_init_op, lambda: made(GraphKeys.LOCAL_INIT_OP, local_init))

    def _make_saver(self) -> Any:
        saver = _first(self._graph, GraphKeys.SAVERS)
        if saver is None and self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
            saver = Saver()
            self._graph.add_to_collection(GraphKeys.SAVERS, saver)
        return saver

    def _make_summary_op(self) -> Any:
        from tensorfleet.v1 import summary

        op = _first(self._graph, GraphKeys.SUMMARY_OP)
        if op is None:
            op = summary.merge_all()
            if op is not None:
                self._graph.add_to_collection(GraphKeys.SUMMARY_OP, op)
        return op

    # What it has

    @property
    def is_chief(self) -> bool:
        """Whether this task initialises the model and saves it."""
        return self._is_chief

    @property
    def session_manager(self) -> Any:
        """What makes its sessions ready."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """The coordinator of its threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """The operation that initialises the model."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What is fed to it."""
        return self._init_feed_dict

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
    def summary_writer(self) -> Any:
        """The chief's event file, or None."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """The tensor of all summaries, or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float:
        """The time between summaries."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """The counter of steps, or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The saver, or None."""
        return self._saver

    @property
    def save_model_secs(self) -> float:
        """The time between checkpoints."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """The path of checkpoints, without the step."""
        return self._save_path

    # Sessions

    def prepare_or_wait_for_session(
        self, master: str = "", config: Any = None, wait_for_checkpoint: bool = False, max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """A session whose model is ready, with the services and the queue runners started."""
        self._coord.clear_stop()
        if self._summary_writer is not None:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master, init_op=self._init_op, saver=self._saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config,
                init_feed_dict=self._init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        sync_replicas.announce(sess, self._is_chief, self._coord)
        if start_standard_services:
            self.start_queue_runners(sess)
        return sess

    def PrepareSession(self, *args: Any, **kwargs: Any) -> Any:
        """As `prepare_or_wait_for_session`, its early name."""
        return self.prepare_or_wait_for_session(*args, **kwargs)

    def _write_graph(self) -> None:
        if self._logdir:
            from tensorfleet._train.meta_graph import write_graph

            write_graph(self._graph, self._logdir, "graph.pbtxt")
        if self._summary_writer is not None and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            self._graph_added_to_summary = True

    def start_standard_services(self, sess: Any) -> list[Any]:
        """Starts the chief's threads that save the model, save summaries and count steps."""
        if not self._is_chief:
            raise RuntimeError("the standard services write events, so the chief alone starts them")
        if not self._logdir:
            from tensorfleet.v1 import logging

            logging.warn("no standard services: the Supervisor has no logdir")
            return []
        if self._global_step is not None and self._summary_writer:
            step = read_global_step(sess, self._global_step)
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        threads: list[LooperThread] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(_SummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(_StepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(_CheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        self._started_threads.extend(threads)
        return threads

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[Any]:
        """Starts queue runners: those of the graph unless others are given."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list[Any] = []
        for runner in queue_runners:
            threads.extend(runner.create_threads(sess, coord=self._coord, daemon=True, start=True))
            if self._is_chief and getattr(runner, "_sync", None) is not None:
                sync_replicas.watch(sess, self._coord)
        self._started_threads.extend(threads)
        return threads

    def loop(
        self, timer_interval_secs: float | None, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Starts a thread that calls a function every so many seconds."""
        looper = LooperThread(self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    # The end

    def stop(
        self, threads: Any = None, close_summary_writer: bool = True, ignore_live_threads: bool = False
    ) -> None:
        """Ends all threads and closes the event file; raises what a thread failed with."""
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads)
        finally:
            writer = self._summary_writer if close_summary_writer else None
            if writer:
                # A writer that is opened again begins another file, which needs the graph too.
                self._graph_added_to_summary = False
                writer.add_session_log(SessionLog(status=SessionLog.STOP))
                writer.close()

    def request_stop(self, ex: Any = None) -> None:
        """Asks for the end of training, because of an exception if there is one."""
        self._coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Whether someone asked for the end of training."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> Any:
        """A `with` block whose exception ends training."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until someone asks for the end of training."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Writes a summary that the program computed itself."""
        if not self._summary_writer:
            raise RuntimeError("there is no summary writer to write the summary with")
        if global_step is None and self._global_step is not None:
            global_step = read_global_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(
        self, master: str = "", config: Any = None, start_standard_services: bool = True, close_summary_writer: bool = True
    ) -> Iterator[Any]:
        """A `with` block with a session whose model is ready; at its end everything is stopped, and the session is closed. The
        end of the input is a good end; any other exception is raised."""
        sess: Any = None
        try:
            try:
                sess = self.prepare_or_wait_for_session(
                    master=master, config=config, start_standard_services=start_standard_services)
                yield sess
            except Exception as error:
                self.request_stop(error)
            except BaseException:
                # Ctrl-C ends everything, and goes on to whoever waits for it.
                self.request_stop()
                raise
        finally:
            try:
                if sess is not None:
                    sync_replicas.leave(sess)
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    try:
                        sess.close()
                    except errors.OpError:
                        # A task that is gone cannot be told.
                        pass


def _default(given: Any, make: Callable[[], Any]) -> Any:
    """What was given, or what is made if that was left to the supervisor."""
    return make() if given is Supervisor.USE_DEFAULT and not isinstance(given, bool) else given


def _first(graph: Graph, key: str) -> Any:
    found = graph.get_collection(key)
    return found[0] if found else None


class _SummaryThread(LooperThread):
    """Saves summaries."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._sess, self.name = sv, sess, "SVSummaryThread"

    def run_loop(self) -> None:
        if self._sv.global_step is not None:
            summary, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        else:
            summary, step = self._sess.run(self._sv.summary_op), None
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(summary, step)


class _StepCounterThread(LooperThread):
    """Counts steps per second."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._sess, self.name = sv, sess, "SVStepCounterThread"
        self._time, self._step = 0.0, 0
        step = sv.global_step
        self._tag = f"{step.op.name}/sec"

    def start_loop(self) -> None:
        self._time, self._step = time.time(), read_global_step(self._sess, self._sv.global_step)

    def run_loop(self) -> None:
        step, now = read_global_step(self._sess, self._sv.global_step), time.time()
        steps, seconds = step - self._step, now - self._time
        self._step, self._time = step, now
        if self._sv.summary_writer:
            rate = steps / seconds if seconds > 0 else float("inf")
            self._sv.summary_writer.add_summary(Summary(value=[Summary.Value(tag=self._tag, simple_value=rate)]), step)


class _CheckpointThread(LooperThread):
    """Saves the model."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv, self._sess, self.name = sv, sess, "SVTimerCheckpointThread"

    def run_loop(self) -> None:
        sv = self._sv
        sv.saver.save(self._sess, sv.save_path, global_step=sv.global_step)
        if sv.summary_writer and sv.global_step is not None:
            step = read_global_step(self._sess, sv.global_step)
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=sv.save_path or "")
            sv.summary_writer.add_session_log(log, step)
