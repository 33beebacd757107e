"""Monitored sessions: hooks around every step, and a new session when a task was lost."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework import errors
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.messages import RunMetadata, RunOptions
from tensorfleet._framework.session import Session
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._train.basic_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from tensorfleet._train.coordinator import Coordinator
from tensorfleet._train.hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from tensorfleet._train.queue_runner import start_queue_runners
from tensorfleet._train.scaffold import Scaffold
from tensorfleet._train.session_manager import SessionManager

#: Errors after which a new session may help.
_LOST = (errors.AbortedError, errors.UnavailableError)
USE_DEFAULT = object()


def _log(message: str, *arguments: Any) -> None:
    from tensorfleet.v1 import logging

    logging.info(message, *arguments)


class SessionCreator:
    """Makes sessions."""

    def create_session(self) -> Any:
        """A session."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to make a session: give it a create_session")


class ChiefSessionCreator(SessionCreator):
    """Makes sessions of a chief, which initialises the model or restores it."""

    def __init__(
        self, scaffold: Scaffold | None = None, master: str = "", config: Any = None, checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._checkpoint_dir, self._checkpoint_filename_with_path = checkpoint_dir, checkpoint_filename_with_path
        self._session_manager: SessionManager | None = None

    def create_session(self) -> Session:
        """A session whose model is ready."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager.prepare_session(
            self._master, saver=self._scaffold.saver, checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path, config=self._config,
            init_op=self._scaffold.init_op, init_feed_dict=self._scaffold.init_feed_dict, init_fn=self._scaffold.init_fn)


class WorkerSessionCreator(SessionCreator):
    """Makes sessions of a worker, which waits until the chief has made the model ready."""

    def __init__(
        self, scaffold: Scaffold | None = None, master: str = "", config: Any = None, max_wait_secs: float = 30 * 60
    ) -> None:
        self._scaffold, self._master, self._config, self._max_wait_secs = scaffold or Scaffold(), master, config, max_wait_secs
        self._session_manager: SessionManager | None = None

    def create_session(self) -> Session | None:
        """A session whose model is ready."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager.wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs)


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op, local_init_feed_dict=scaffold.local_init_feed_dict, ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op, graph=get_default_graph())


class _Running:
    """One session, with the threads that fill its queues and the hooks around its steps."""

    def __init__(self, creator: SessionCreator, hooks: list[SessionRunHook], stop_grace_period_secs: float) -> None:
        self.hooks, self.grace = hooks, stop_grace_period_secs
        self.tf_sess = creator.create_session()
        self.coord = Coordinator(clean_stop_exception_types=())
        self.stopped = False
        try:
            if get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
                start_queue_runners(sess=self.tf_sess, coord=self.coord)
            for hook in hooks:
                hook.after_create_session(self.tf_sess, self.coord)
        except BaseException:
            self.close()
            raise

    def should_stop(self) -> bool:
        return self.stopped or self.coord.should_stop()

    def run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        try:
            return self._run_with_hooks(fetches, feed_dict, options, run_metadata)
        except _LOST:
            raise
        except Exception:
            # What a thread failed with first is the cause.
            self.coord.raise_requested_exception()
            raise

    def _run_with_hooks(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        if self.should_stop():
            self.coord.raise_requested_exception()
            raise RuntimeError("run was called after should_stop() became true")
        if not self.hooks:
            return self.tf_sess.run(fetches, feed_dict, options, run_metadata)
        wanted: dict[Any, Any] = {"caller": fetches}
        context = SessionRunContext(SessionRunArgs(fetches=fetches, feed_dict=feed_dict), self.tf_sess)
        options = options or RunOptions()
        feeds = self._ask_hooks(context, wanted, feed_dict, options)
        run_metadata = run_metadata or RunMetadata()
        results = self.tf_sess.run(wanted, feed_dict=feeds, options=options, run_metadata=run_metadata)
        for hook in self.hooks:
            hook.after_run(context, SessionRunValues(results.get(hook), options, run_metadata))
        self.stopped = self.stopped or context.stop_requested
        return results["caller"]

    def _ask_hooks(self, context: SessionRunContext, wanted: dict[Any, Any], feed_dict: Any, options: Any) -> Any:
        fed_by_hooks: dict[Any, Any] = {}
        for hook in self.hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[hook] = request.fetches
            for key, value in (request.feed_dict or {}).items():
                if key in fed_by_hooks:
                    raise RuntimeError(f"two hooks feed {key}")
                fed_by_hooks[key] = value
            if request.options:
                _merge_options(options, request.options)
        if not fed_by_hooks:
            return feed_dict
        for key in feed_dict or ():
            if key in fed_by_hooks:
                raise RuntimeError(f"a hook feeds {key}, which run was also given")
        return {**fed_by_hooks, **(feed_dict or {})}

    def close(self) -> None:
        self.coord.request_stop()
        try:
            self.coord.join(stop_grace_period_secs=self.grace, ignore_live_threads=True)
        finally:
            try:
                self.tf_sess.close()
            except errors.OpError:
                # A task that is gone cannot be told.
                pass


def _merge_options(options: Any, more: Any) -> None:
    options.trace_level = max(options.trace_level, more.trace_level)
    options.timeout_in_ms = max(options.timeout_in_ms, more.timeout_in_ms)


class _MonitoredSession:
    def __init__(
        self, session_creator: SessionCreator | None, hooks: Any, should_recover: bool, stop_grace_period_secs: float = 120
    ) -> None:
        self._hooks: list[SessionRunHook] = list(hooks or [])
        self._graph = get_default_graph()
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._should_recover, self._grace = should_recover, stop_grace_period_secs
        self._running: _Running | None = None
        self._closed = False
        self._begin()

    def _begin(self) -> _Running:
        while self._running is None:
            try:
                with self._graph.as_default():
                    self._running = _Running(self._creator, self._hooks, self._grace)
            except _LOST as error:
                if not self._should_recover:
                    raise
                _log(
                    "a session could not be made, perhaps because a worker or a parameter server went away; trying "
                    "again: %s", error)
        return self._running

    @property
    def graph(self) -> Any:
        """The graph whose operations are run; None after the end."""
        return None if self._running is None else self._running.tf_sess.graph

    def _tf_sess(self) -> Any:
        """The session inside."""
        return None if self._running is None else self._running.tf_sess

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs a step, with the hooks around it."""
        if self._closed:
            raise RuntimeError("Run called on a closed session: the session of a `with` block ends with it.")
        while True:
            try:
                return self._begin().run(fetches, feed_dict, options, run_metadata)
            except _LOST as error:
                if not self._should_recover:
                    raise
                self._lose(error)

    def _lose(self, error: Exception) -> None:
        _log(
            "a step failed, perhaps because a worker or a parameter server went away; closing the session and making "
            "another: %s", error)
        running, self._running = self._running, None
        if running is not None:
            try:
                running.coord.request_stop(error)
                running.close()
            except Exception:
                # It is known that something was lost.
                pass

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function with what runs steps: `session` without hooks, and `run_with_hooks`."""
        import inspect

        names = list(inspect.signature(step_fn).parameters)
        if "step_context" not in names or len(names) > 2 or (len(names) == 2 and names[0] != "self"):
            raise ValueError(f"step_fn takes `step_context`, or `self` and `step_context`, not {', '.join(names)}")
        while True:
            running = self._begin()
            try:
                return step_fn(self.StepContext(running))
            except _LOST as error:
                if not self._should_recover:
                    raise
                self._lose(error)
            except StopIteration:
                running.stopped = True
                return None

    class StepContext:
        """What a function of :meth:`run_step_fn` can use."""

        def __init__(self, running: _Running) -> None:
            self._running = running

        @property
        def session(self) -> Any:
            """The session, without hooks."""
            return self._running.tf_sess

        def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
            """Runs a step with the hooks around it."""
            named = dict(zip(("fetches", "feed_dict", "options", "run_metadata"), args), **kwargs)
            return self._running.run(
                named["fetches"], named.get("feed_dict"), named.get("options"), named.get("run_metadata"))

        def request_stop(self) -> None:
            """Asks for the end."""
            raise StopIteration("step_fn asked to stop")

    def should_stop(self) -> bool:
        """Whether a hook or a thread asked for the end, or the session is closed."""
        return self._closed or (self._running is not None and self._running.should_stop())

    def close(self) -> None:
        """Ends everything: hooks, threads and the session."""
        self._close(None)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if kind in (errors.OutOfRangeError, StopIteration):
            kind = None
        self._close(kind)
        return kind is None

    def _close(self, kind: Any) -> None:
        try:
            if kind is None and self._running is not None:
                for hook in self._hooks:
                    hook.end(self._running.tf_sess)
        finally:
            running, self._running = self._running, None
            if self._closed:
                raise RuntimeError("this session was closed before")
            self._closed = True
            try:
                if running is not None:
                    running.close()
            except Exception:
                # An error of the program itself is the one that is seen.
                if kind is None:
                    raise


class MonitoredSession(_MonitoredSession):
    """A session with hooks around its steps, which begins anew when a task was lost.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     step = tf.train.get_or_create_global_step()
    ...     count = tf.assign_add(step, 1)
    ...     with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
    ...         while not sess.should_stop():
    ...             made = sess.run(count)
    ...     int(made)
    3
    """

    def __init__(
        self, session_creator: SessionCreator | None = None, hooks: Any = None, stop_grace_period_secs: float = 120
    ) -> None:
        super().__init__(session_creator, hooks, should_recover=True, stop_grace_period_secs=stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks around its steps, which ends when a task is lost."""

    def __init__(
        self, hooks: Any = None, scaffold: Scaffold | None = None, master: str = "", config: Any = None,
        checkpoint_dir: str | None = None, stop_grace_period_secs: float = 120, checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, should_recover=False, stop_grace_period_secs=stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session inside."""
        return self._tf_sess()


def MonitoredTrainingSession(
    master: str = "", is_chief: bool = True, checkpoint_dir: str | None = None, scaffold: Scaffold | None = None,
    hooks: Any = None, chief_only_hooks: Any = None, save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT, save_summaries_secs: Any = USE_DEFAULT, config: Any = None,
    stop_grace_period_secs: float = 120, log_step_count_steps: int | None = 100, max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT, summary_dir: str | None = None, save_graph_def: bool = True,
) -> MonitoredSession:
    """A monitored session for training: the chief saves checkpoints and summaries, the others wait for the chief."""
    if save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    save_summaries_secs = None if save_summaries_secs is USE_DEFAULT else save_summaries_secs
    save_summaries_steps = None if save_summaries_steps is USE_DEFAULT else save_summaries_steps
    if save_checkpoint_steps is USE_DEFAULT and save_checkpoint_secs is USE_DEFAULT:
        save_checkpoint_steps, save_checkpoint_secs = None, 600
    save_checkpoint_secs = None if save_checkpoint_secs is USE_DEFAULT else save_checkpoint_secs
    save_checkpoint_steps = None if save_checkpoint_steps is USE_DEFAULT else save_checkpoint_steps
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or [])
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (save_summaries_steps and save_summaries_steps > 0) or (save_summaries_secs and save_summaries_secs > 0):
            all_hooks.append(SummarySaverHook(
                scaffold=scaffold, save_steps=save_summaries_steps, save_secs=save_summaries_secs, output_dir=summary_dir))
    if checkpoint_dir:
        if (save_checkpoint_secs and save_checkpoint_secs > 0) or (save_checkpoint_steps and save_checkpoint_steps > 0):
            all_hooks.append(CheckpointSaverHook(
                checkpoint_dir, save_steps=save_checkpoint_steps, save_secs=save_checkpoint_secs, scaffold=scaffold,
                save_graph_def=save_graph_def))
    all_hooks.extend(hooks or [])
    return MonitoredSession(chief, all_hooks, stop_grace_period_secs)


def basic_train_loop(supervisor: Any, train_step_fn: Callable[..., Any], args: Any = None, kwargs: Any = None,
                     master: str = "") -> None:
    """Calls a function with a supervisor's session until training is to end."""
    with supervisor.managed_session(master) as sess:
        while not supervisor.should_stop():
            train_step_fn(sess, *(args or ()), **(kwargs or {}))
