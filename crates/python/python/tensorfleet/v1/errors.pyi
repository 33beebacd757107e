# Written by stubs.py; do not edit.

from tensorfleet._framework.errors import ABORTED as ABORTED
from tensorfleet._framework.errors import ALREADY_EXISTS as ALREADY_EXISTS
from tensorfleet._framework.errors import AbortedError as AbortedError
from tensorfleet._framework.errors import AlreadyExistsError as AlreadyExistsError
from tensorfleet._framework.errors import CANCELLED as CANCELLED
from tensorfleet._framework.errors import CancelledError as CancelledError
from tensorfleet._framework.errors import CodedError as CodedError
from tensorfleet._framework.errors import DATA_LOSS as DATA_LOSS
from tensorfleet._framework.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from tensorfleet._framework.errors import DataLossError as DataLossError
from tensorfleet._framework.errors import DeadlineExceededError as DeadlineExceededError
from tensorfleet._framework.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from tensorfleet._framework.errors import FailedPreconditionError as FailedPreconditionError
from tensorfleet._framework.errors import INTERNAL as INTERNAL
from tensorfleet._framework.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from tensorfleet._framework.errors import InternalError as InternalError
from tensorfleet._framework.errors import InvalidArgumentError as InvalidArgumentError
from tensorfleet._framework.errors import NOT_FOUND as NOT_FOUND
from tensorfleet._framework.errors import NotFoundError as NotFoundError
from tensorfleet._framework.errors import OK as OK
from tensorfleet._framework.errors import OUT_OF_RANGE as OUT_OF_RANGE
from tensorfleet._framework.errors import OpError as OpError
from tensorfleet._framework.errors import OutOfRangeError as OutOfRangeError
from tensorfleet._framework.errors import PERMISSION_DENIED as PERMISSION_DENIED
from tensorfleet._framework.errors import PermissionDeniedError as PermissionDeniedError
from tensorfleet._framework.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from tensorfleet._framework.errors import ResourceExhaustedError as ResourceExhaustedError
from tensorfleet._framework.errors import UNAUTHENTICATED as UNAUTHENTICATED
from tensorfleet._framework.errors import UNAVAILABLE as UNAVAILABLE
from tensorfleet._framework.errors import UNIMPLEMENTED as UNIMPLEMENTED
from tensorfleet._framework.errors import UNKNOWN as UNKNOWN
from tensorfleet._framework.errors import UnauthenticatedError as UnauthenticatedError
from tensorfleet._framework.errors import UnavailableError as UnavailableError
from tensorfleet._framework.errors import UnimplementedError as UnimplementedError
from tensorfleet._framework.errors import UnknownError as UnknownError
from tensorfleet._framework.errors import error_code_from_exception_type as error_code_from_exception_type
from tensorfleet._framework.errors import exception_type_from_error_code as exception_type_from_error_code
from tensorfleet._framework.errors import make_error as make_error

__all__ = [
    "ABORTED", "ALREADY_EXISTS", "AbortedError", "AlreadyExistsError", "CANCELLED", "CancelledError", "CodedError",
    "DATA_LOSS", "DEADLINE_EXCEEDED", "DataLossError", "DeadlineExceededError", "FAILED_PRECONDITION",
    "FailedPreconditionError", "INTERNAL", "INVALID_ARGUMENT", "InternalError", "InvalidArgumentError", "NOT_FOUND",
    "NotFoundError", "OK", "OUT_OF_RANGE", "OpError", "OutOfRangeError", "PERMISSION_DENIED", "PermissionDeniedError",
    "RESOURCE_EXHAUSTED", "ResourceExhaustedError", "UNAUTHENTICATED", "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN",
    "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError", "error_code_from_exception_type",
    "exception_type_from_error_code", "make_error"
]
