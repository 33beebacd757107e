"""The exceptions of steps, with TensorFlow's classes and codes."""

from __future__ import annotations

from typing import Any

from tensorfleet import _core

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """A step that failed: a message, a code, and the operation that failed if it is known.

    >>> OpError(None, None, "no such file", NOT_FOUND).message
    'no such file'
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code

    def __reduce__(self) -> Any:
        if type(self) is OpError:
            return OpError, (None, None, self._message, self._error_code)
        return type(self), (None, None, self._message)

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, or None."""
        return self._op

    @property
    def error_code(self) -> int:
        """The number of the code."""
        return self._error_code

    @property
    def node_def(self) -> Any:
        """The message of the node that failed, or None."""
        if self._node_def is None and self._op is not None:
            return self._op.node_def
        return self._node_def

    def __str__(self) -> str:
        if self._op is None:
            return self._message
        text = f"{self._message}\n\t [[node {self._op.name} ({self._op.type})"
        if self._op.location:
            text += f", built at {self._op.location}"
        return text + "]]"


_classes: dict[int, type[OpError]] = {}


def _error(name: str, code: int, meaning: str) -> type[OpError]:
    def __init__(self: OpError, node_def: Any, op: Any, message: str) -> None:
        OpError.__init__(self, node_def, op, message, code)

    made = type(name, (OpError,), {"__init__": __init__, "__doc__": meaning, "__module__": __name__})
    _classes[code] = made
    return made


CancelledError = _error("CancelledError", CANCELLED, "The step was cancelled: its session was closed, or a queue was.")
UnknownError = _error("UnknownError", UNKNOWN, "An error of no other kind.")
InvalidArgumentError = _error("InvalidArgumentError", INVALID_ARGUMENT, "An operation cannot take a value it was given.")
DeadlineExceededError = _error("DeadlineExceededError", DEADLINE_EXCEEDED, "The time that a step was given is over.")
NotFoundError = _error("NotFoundError", NOT_FOUND, "A file, a node or a container does not exist.")
AlreadyExistsError = _error("AlreadyExistsError", ALREADY_EXISTS, "What was to be made exists.")
PermissionDeniedError = _error("PermissionDeniedError", PERMISSION_DENIED, "The caller may not do this.")
UnauthenticatedError = _error("UnauthenticatedError", UNAUTHENTICATED, "It is not known who calls.")
ResourceExhaustedError = _error("ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory, threads or disk are used up.")
FailedPreconditionError = _error(
    "FailedPreconditionError", FAILED_PRECONDITION, "Something must be done first, such as to initialise a variable."
)
AbortedError = _error("AbortedError", ABORTED, "The operation was given up; to try again may help.")
OutOfRangeError = _error("OutOfRangeError", OUT_OF_RANGE, "The end of the input was reached.")
UnimplementedError = _error("UnimplementedError", UNIMPLEMENTED, "There is no such operation for these types.")
InternalError = _error("InternalError", INTERNAL, "A fault of the runtime itself.")
UnavailableError = _error("UnavailableError", UNAVAILABLE, "A task cannot be reached now.")
DataLossError = _error("DataLossError", DATA_LOSS, "A file is damaged or cut short.")


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class for a code.

    >>> exception_type_from_error_code(NOT_FOUND).__name__
    'NotFoundError'
    """
    return _classes[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The code of a class.

    >>> error_code_from_exception_type(NotFoundError)
    5
    """
    for code, known in _classes.items():
        if known is cls:
            return code
    raise KeyError(cls)


def make_error(code: int, message: str, node: str | None) -> OpError:
    """The exception for what the core reports; the name of the node stays in `node_name` until a session finds its operation."""
    error = _classes.get(code, UnknownError)(None, None, message)
    error.node_name = node  # type: ignore[attr-defined]
    return error


_core.set_error_factory(make_error)
