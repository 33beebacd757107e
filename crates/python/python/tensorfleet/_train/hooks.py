"""Hooks: what is called around every step of a monitored session."""

from __future__ import annotations

from typing import Any, NamedTuple


class SessionRunArgs(NamedTuple):
    """What a step fetches, feeds and how it runs.

    >>> SessionRunArgs("loss:0").feed_dict is None
    True
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a step gave."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """What a hook knows of the step that is about to run, or has run."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args, self._session, self._stop_requested = original_args, session, False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session that runs the step."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked for the end."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks for the end: the session's `should_stop` is true after this step."""
        self._stop_requested = True


class SessionRunHook:
    """Called around every step of a monitored session; a class of one's own overrides what it needs."""

    def begin(self) -> None:
        """Called once, before the session is made: the graph may still be added to."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when a session was made, also when one takes the place of a lost one."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before a step; may say what else is to be fetched and fed."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after a step, with the values that were asked for."""

    def end(self, session: Any) -> None:
        """Called once at the end, unless that is an error's."""
