"""Sessions whose model is ready: the chief initialises or restores it, the others wait for that."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from tensorfleet import _core
from tensorfleet._framework import errors
from tensorfleet._framework.graph import Graph, get_default_graph
from tensorfleet._framework.session import Session


def _log(message: str, *arguments: Any) -> None:
    from tensorfleet.v1 import logging

    logging.info(message, *arguments)


class SessionManager:
    """Opens sessions, and makes their model ready or waits until it is."""

    def __init__(
        self, local_init_op: Any = None, ready_op: Any = None, ready_for_local_init_op: Any = None, graph: Graph | None = None,
        recovery_wait_secs: float = 30, local_init_run_options: Any = None, local_init_feed_dict: Any = None,
    ) -> None:
        self._local_init_op, self._ready_op, self._graph = local_init_op, ready_op, graph or get_default_graph()
        self._ready_for_local_init_op, self._recovery_wait_secs = ready_for_local_init_op, recovery_wait_secs
        self._local_init_run_options, self._local_init_feed_dict = local_init_run_options, local_init_feed_dict
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(f"ready_for_local_init_op [{ready_for_local_init_op}] is of use only with a local_init_op")

    def _restore_checkpoint(
        self, master: str, saver: Any, checkpoint_dir: str | None, checkpoint_filename_with_path: str | None,
        wait_for_checkpoint: bool, max_wait_secs: float, config: Any,
    ) -> tuple[Session, bool]:
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError("checkpoint_dir and checkpoint_filename_with_path are both given: choose one")
        sess = Session(master, graph=self._graph, config=config)
        if saver is None or not (checkpoint_dir or checkpoint_filename_with_path):
            return sess, False
        if checkpoint_filename_with_path:
            saver.restore(sess, checkpoint_filename_with_path)
            return sess, True
        assert checkpoint_dir is not None
        deadline = time.monotonic() + max_wait_secs
        folder = os.fspath(checkpoint_dir)
        # One that is damaged is logged, and the one before it taken.
        while (restored := _core.restore_newest(folder, lambda prefix: saver.restore(sess, prefix))) is None:
            if not wait_for_checkpoint or time.monotonic() >= deadline:
                return sess, False
            _log("waiting for a checkpoint")
            time.sleep(min(self._recovery_wait_secs, max(0.0, deadline - time.monotonic())))
        saver.recover_last_checkpoints(restored[1])
        return sess, True

    def prepare_session(
        self, master: str, init_op: Any = None, saver: Any = None, checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None, wait_for_checkpoint: bool = False, max_wait_secs: float = 7200,
        config: Any = None, init_feed_dict: Any = None, init_fn: Any = None,
    ) -> Session:
        """A session whose model was restored from the newest checkpoint, or initialised if there is none."""
        sess, is_loaded = self._restore_checkpoint(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config)
        try:
            if not is_loaded:
                if init_op is None and not init_fn and self._local_init_op is None:
                    raise RuntimeError(
                        "there is no checkpoint, and no init_op, init_fn or local_init_op to initialize the model with"
                    )
                if init_op is not None:
                    sess.run(init_op, feed_dict=init_feed_dict)
                if init_fn:
                    init_fn(sess)
            ready, why = self._try_run_local_init_op(sess)
            if not ready:
                raise RuntimeError(
                    f"initializing did not make the model ready for local_init_op {_name(self._local_init_op)}: {why} "
                    f"(init_op {_name(init_op)}, init_fn {init_fn})")
            ready, why = self._model_ready(sess)
            if not ready:
                raise RuntimeError(
                    f"initializing did not make the model ready: {why} (init_op {_name(init_op)}, init_fn {init_fn}, "
                    f"local_init_op {_name(self._local_init_op)})")
        except BaseException:
            sess.close()
            raise
        return sess

    def recover_session(
        self, master: str, saver: Any = None, checkpoint_dir: str | None = None, checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False, max_wait_secs: float = 7200, config: Any = None,
    ) -> tuple[Session, bool]:
        """A session, and whether its model could be restored and is ready."""
        sess, is_loaded = self._restore_checkpoint(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config)
        ready, why = self._try_run_local_init_op(sess)
        if not ready:
            _log("the model restored from %s is not ready for local_init_op: %s",
                 checkpoint_dir or checkpoint_filename_with_path, why)
            return sess, False
        if not is_loaded:
            return sess, self._model_ready(sess)[0]
        ready, why = self._model_ready(sess)
        if not ready:
            _log("the model restored from %s is not ready: %s", checkpoint_dir or checkpoint_filename_with_path, why)
        return sess, ready

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float = float("inf")
    ) -> Session | None:
        """A session on a model that another task makes ready.

        :raises errors.DeadlineExceededError: if it is not ready in time
        """
        deadline = time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)
        pause = min(0.05, self._recovery_wait_secs)
        sess: Session | None = None
        reported = None
        try:
            while True:
                try:
                    if sess is None:
                        sess = Session(master, graph=self._graph, config=config)
                    ready, why = self._try_run_local_init_op(sess)
                    if ready:
                        ready, why = self._model_ready(sess)
                        if ready:
                            made, sess = sess, None
                            return made
                except (errors.AbortedError, errors.UnavailableError) as error:
                    # A task that is not up yet, or was started anew.
                    why = error.message
                    if sess is not None:
                        _close(sess)
                        sess = None
                if why != reported:
                    _log("waiting until the model is ready: %s", why)
                    reported = why
                left = deadline - time.monotonic()
                if left <= 0:
                    raise errors.DeadlineExceededError(
                        None, None, f"the session is still not ready after {int(max_wait_secs)} seconds: {why}")
                time.sleep(min(pause, left))
                pause = min(pause * 2, max(self._recovery_wait_secs, 0.05))
        finally:
            if sess is not None:
                _close(sess)

    def _model_ready(self, sess: Session) -> tuple[bool, str | None]:
        return _ready(self._ready_op, sess, "Model not ready")

    def _model_ready_for_local_init(self, sess: Session) -> tuple[bool, str | None]:
        return _ready(self._ready_for_local_init_op, sess, "not ready for local_init_op")

    def _try_run_local_init_op(self, sess: Session) -> tuple[bool, str | None]:
        if self._local_init_op is None:
            return True, None
        ready, why = self._model_ready_for_local_init(sess)
        if not ready:
            return False, why
        _log("Running local_init_op.")
        sess.run(self._local_init_op, feed_dict=self._local_init_feed_dict, options=self._local_init_run_options)
        _log("Done running local_init_op.")
        return True, None


def _close(sess: Session) -> None:
    try:
        sess.close()
    except errors.OpError:
        pass


def _name(op: Any) -> str:
    if isinstance(op, (list, tuple)):
        return str([_name(item) for item in op])
    return "None" if op is None else getattr(op, "name", str(op))


def _ready(op: Any, sess: Session, message: str) -> tuple[bool, str | None]:
    """Whether an operation names nothing that is missing, and else what it names."""
    if op is None:
        return True, None
    try:
        missing = sess.run(op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            raise
        return False, str(error)
    if missing is None or np.size(missing) == 0:
        return True, None
    names = [name.decode() if isinstance(name, bytes) else str(name) for name in np.ravel(missing)]
    return False, "Variables not initialized: " + ", ".join(names)
