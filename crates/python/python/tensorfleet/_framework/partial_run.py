"""Partial runs: one step in several calls, each with some of the feeds and fetches that were agreed on.

Each call runs what its fetches need and nothing has run yet. What later calls will need of it is kept here and fed to them, so that
every operation runs once, as in one step.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Iterable

from tensorfleet._framework import dtypes, errors
from tensorfleet._framework.graph import Operation, Tensor

if TYPE_CHECKING:
    from tensorfleet._framework.session import BaseSession

# Operations that only say where a variable is, or look at it: they may run again.
_LOOKS = ("Variable", "VariableV2", "VarHandleOp", "ReadVariableOp")


def _is_kept(tensor: Tensor) -> bool:
    """Whether a value is taken from one call to the next. Handles are not: whoever makes them may run again."""
    return tensor.dtype.base_dtype not in (dtypes.resource, dtypes.variant) and tensor.op.type not in _LOOKS


def _has_effects(operation: Operation) -> bool:
    """Whether it matters how often an operation runs."""
    from tensorfleet._framework.apply import definitions

    definition = definitions().get(operation.type)
    makes_handles = bool(operation.outputs) and not any(map(_is_kept, operation.outputs))
    if definition is None or makes_handles:
        return False
    return definition["stateful"] or any(arg["is_ref"] for arg in definition["inputs"])


def _needed(wanted: Iterable[Tensor | Operation], known: set[Tensor]) -> set[Operation]:
    """The operations that run for tensors and operations if some tensors are known."""
    found: set[Operation] = set()
    waiting = [item if isinstance(item, Operation) else item.op for item in wanted if item not in known]
    while waiting:
        operation = waiting.pop()
        if operation in found:
            continue
        found.add(operation)
        waiting += [tensor.op for tensor in operation.inputs if tensor not in known]
        waiting += operation.control_inputs
    return found


class PartialRun:
    """A step under way."""

    def __init__(self, tensors: list[Tensor], targets: list[Operation], feeds: set[Tensor]) -> None:
        self._fetches, self._targets, self._feeds = set(tensors), set(targets), set(feeds)
        # What runs in all calls together, what has run, and the values that are known by now.
        self._whole = _needed([*tensors, *targets], set(feeds))
        self._done: set[Operation] = set()
        self._values: dict[Tensor, Any] = {}

    @property
    def is_over(self) -> bool:
        """Whether everything was fed and fetched."""
        return not self._fetches and not self._feeds

    def run(self, session: BaseSession, wanted: list[Tensor], feeds: dict[Tensor, Any]) -> list[Any]:
        """Makes the next call and gives the values of what is wanted."""
        for tensor in feeds:
            if tensor not in self._feeds:
                raise self._refused(f"The feed {tensor.name} was not specified in partial_run_setup, or has already been fed.")
        for tensor in wanted:
            if tensor not in self._fetches:
                raise self._refused(f"The fetch {tensor.name} was not specified in partial_run_setup, or has already been fetched.")
        unfed = self._feeds - set(feeds)
        known = {*self._values, *feeds, *unfed}
        now = self._computable(wanted, known, unfed)
        ready = [target for target in self._targets if self._touches(_needed([target], known), unfed) is None]
        now |= _needed(ready, known)
        again = [operation.name for operation in now & self._done if _has_effects(operation)]
        if again:
            raise NotImplementedError(
                f"a partial run would run {', '.join(sorted(again)[:3])} twice, for which later operations wait: run the whole step")
        later = self._whole - self._done - now
        kept = {tensor for operation in later for tensor in operation.inputs if tensor.op in now and tensor not in known}
        kept |= {tensor for tensor in self._fetches if tensor.op in now}
        kept = {tensor for tensor in kept if _is_kept(tensor)} - set(wanted)
        given = {**{tensor: value for tensor, value in self._values.items() if self._taken(tensor, now)}, **feeds}
        fresh = [tensor for tensor in wanted if tensor not in self._values and tensor not in feeds]
        values, more = [], []
        if fresh or kept or ready:
            values, more, _ = session.run([fresh, list(kept), ready], given)
        self._values.update(feeds)
        # Copies: what is given to the program is its own.
        self._values.update(zip(fresh, copy.deepcopy(values)))
        self._values.update(zip(kept, more))
        results = dict(zip(fresh, values))
        self._done |= now
        self._feeds -= set(feeds)
        self._fetches -= set(wanted)
        self._targets -= set(ready)
        return [results[tensor] if tensor in results else copy.deepcopy(self._values[tensor]) for tensor in wanted]

    def _computable(self, wanted: list[Tensor], known: set[Tensor], unfed: set[Tensor]) -> set[Operation]:
        for tensor in wanted:
            touched = tensor if tensor in unfed else self._touches(_needed([tensor], known), unfed)
            if touched is not None:
                raise self._refused(f"Tensor {touched.name} must be fed before {tensor.name} can be fetched.")
        return _needed(wanted, known)

    @staticmethod
    def _touches(operations: set[Operation], tensors: set[Tensor]) -> Tensor | None:
        """One of the tensors that these operations take."""
        return next((tensor for operation in operations for tensor in operation.inputs if tensor in tensors), None)

    @staticmethod
    def _taken(tensor: Tensor, operations: set[Operation]) -> bool:
        return any(tensor is taken for operation in operations for taken in operation.inputs)

    @staticmethod
    def _refused(message: str) -> errors.OpError:
        return errors.InvalidArgumentError(None, None, message)
