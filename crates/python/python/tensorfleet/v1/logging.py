"""Log lines of programs (`tf.logging`): `INFO:tensorflow:message` on stderr.

The lines go through Python's logger named `tensorflow`. Where the program has set up logging of its own, only that
prints them; otherwise they go to stderr in TensorFlow's form. Lines below WARN are not shown unless asked for:

    >>> set_verbosity(INFO)
    >>> get_verbosity() == INFO
    True
    >>> set_verbosity(WARN)
"""

from __future__ import annotations

import logging as _logging
import os as _os
import sys as _sys
import threading as _threading
from typing import Any

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "TaskLevelStatusMessage", "WARN", "debug", "error", "error_log", "fatal", "flush",
    "get_logger", "get_verbosity", "info", "log", "log_every_n", "log_first_n", "log_if", "set_verbosity", "vlog", "warn",
    "warning",
]

DEBUG = _logging.DEBUG
INFO = _logging.INFO
WARN = _logging.WARNING
ERROR = _logging.ERROR
FATAL = _logging.CRITICAL

_lock = _threading.Lock()
_logger: _logging.Logger | None = None
_counts: dict[tuple[str, str, int], int] = {}


class _StderrHandler(_logging.Handler):
    """Prints to what `sys.stderr` is at that moment, and only if nobody else handles the program's lines."""

    def emit(self, record: _logging.LogRecord) -> None:
        if _logging.getLogger().handlers:
            return
        try:
            _sys.stderr.write(self.format(record) + "\n")
            _sys.stderr.flush()
        except Exception:
            self.handleError(record)


def get_logger() -> _logging.Logger:
    """Python's logger behind this module."""
    global _logger
    with _lock:
        if _logger is None:
            logger = _logging.getLogger("tensorflow")
            if logger.level == _logging.NOTSET:
                logger.setLevel(WARN)
            handler = _StderrHandler()
            handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))
            logger.addHandler(handler)
            _logger = logger
        return _logger


def get_verbosity() -> int:
    """The lowest level that is shown."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Show lines of this level and above."""
    get_logger().setLevel(v)


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a line at a level; arguments are put into the message with `%`."""
    get_logger().log(level, msg, *args, **_from_caller(kwargs))


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a line at level DEBUG."""
    get_logger().debug(msg, *args, **_from_caller(kwargs))


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a line at level INFO."""
    get_logger().info(msg, *args, **_from_caller(kwargs))


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a line at level WARN."""
    get_logger().warning(msg, *args, **_from_caller(kwargs))


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a line at level ERROR."""
    get_logger().error(msg, *args, **_from_caller(kwargs))


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a line at level FATAL. The program goes on."""
    get_logger().critical(msg, *args, **_from_caller(kwargs))


def error_log(error_msg: str, level: int = ERROR) -> None:
    """Log a message of an error at a level."""
    get_logger().log(level, error_msg, stacklevel=2)


def TaskLevelStatusMessage(msg: str) -> None:
    """Log the state of a task, at level ERROR so that it is always shown."""
    get_logger().error(msg, stacklevel=2)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Log a line if the condition holds."""
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a line the first n times that this call is reached."""
    if _count("first") < n:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a line every n-th time that this call is reached, beginning with the first."""
    if _count("every") % n == 0:
        get_logger().log(level, msg, *args, stacklevel=2)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a line at a level given by its number."""
    get_logger().log(level, msg, *args, **_from_caller(kwargs))


def flush() -> None:
    """Nothing is held back, so there is nothing to write."""
    _sys.stderr.flush()


def _from_caller(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Let the log record name the line that called this module."""
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    return kwargs


def _count(purpose: str) -> int:
    """How often the line that called the calling function has been here before."""
    frame = _sys._getframe(2)
    place = (purpose, _os.path.normcase(frame.f_code.co_filename), frame.f_lineno)
    with _lock:
        before = _counts.get(place, 0)
        _counts[place] = before + 1
    return before
