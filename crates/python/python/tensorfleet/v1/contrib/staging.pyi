# Written by stubs.py; do not edit.

from tensorfleet._ops.staging import StagingArea as StagingArea

__all__ = [
    "StagingArea"
]
