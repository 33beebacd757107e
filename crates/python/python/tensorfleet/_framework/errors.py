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
        self._message, self._error_code = message, error_code
        self._op, self._node_def = op, node_def
        #: The name of the node that failed, if it is known.
        self.node_name: str | None = None

    def __reduce__(self) -> Any:
        return OpError, (None, None, self._message, self._error_code)

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation at fault, if it is known."""
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


class CodedError(OpError):
    """An error whose class says its code."""

    _code = UNKNOWN

    def __init__(self, node_def: Any, op: Any, message: str) -> None:
        OpError.__init__(self, node_def, op, message, self._code)

    def __reduce__(self) -> Any:
        return type(self), (None, None, self._message)


class CancelledError(CodedError):
    """The step was cancelled: its session was closed, or a queue was."""

    _code = CANCELLED


class UnknownError(CodedError):
    """An error of no other kind."""

    _code = UNKNOWN


class InvalidArgumentError(CodedError):
    """An operation cannot take a value it was given."""

    _code = INVALID_ARGUMENT


class DeadlineExceededError(CodedError):
    """The time that a step was given is over."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(CodedError):
    """A file, a node or a container does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(CodedError):
    """What was to be made exists."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(CodedError):
    """The caller may not do this."""

    _code = PERMISSION_DENIED


class UnauthenticatedError(CodedError):
    """It is not known who calls."""

    _code = UNAUTHENTICATED


class ResourceExhaustedError(CodedError):
    """Memory, threads or disk are used up."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(CodedError):
    """Something must be done first, such as to initialise a variable."""

    _code = FAILED_PRECONDITION


class AbortedError(CodedError):
    """The operation was given up; to try again may help."""

    _code = ABORTED


class OutOfRangeError(CodedError):
    """The end of the input was reached."""

    _code = OUT_OF_RANGE


class UnimplementedError(CodedError):
    """There is no such operation for these types."""

    _code = UNIMPLEMENTED


class InternalError(CodedError):
    """A fault of the runtime itself."""

    _code = INTERNAL


class UnavailableError(CodedError):
    """A task cannot be reached now."""

    _code = UNAVAILABLE


class DataLossError(CodedError):
    """A file is damaged or cut short."""

    _code = DATA_LOSS


_classes: dict[int, type[CodedError]] = {cls._code: cls for cls in CodedError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[CodedError]:
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
    error.node_name = node
    return error


_core.set_error_factory(make_error)
