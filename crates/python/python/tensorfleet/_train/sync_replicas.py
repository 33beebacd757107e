"""Synchronous training: workers hand their gradients in, and one step is made of all of them together."""

from __future__ import annotations

import atexit
from typing import Any

from tensorfleet import _core
from tensorfleet._framework import errors
from tensorfleet._framework.convert import IndexedSlices
from tensorfleet._framework.graph import Graph, Operation, Tensor, user_location
from tensorfleet._framework.messages import RunOptions
from tensorfleet._framework.variables import Variable, find_variable
from tensorfleet._train.cluster import own_task
from tensorfleet._train.hooks import SessionRunHook
from tensorfleet._train.mirror import mirrored
from tensorfleet._train.optimizer import Optimizer, checked_pairs, core_pairs
from tensorfleet._train.queue_runner import QueueRunner, raw_session

_KEPT = "sync_replicas"
# A worker whose server cannot be reached for so long counts as gone: with too few left for a step, training ends.
LOST_AFTER_SECS = 60.0


class SyncReplicasOptimizer(Optimizer):
    """Steps made of the gradients of several workers.

    Every worker hands its gradients in and waits for a token; the chief's queue runner takes the mean of `replicas_to_aggregate`
    gradients, makes a step with `opt`, and puts out tokens. Gradients from before the last step are dropped. `replica_id`, which
    early versions took, has no meaning.
    """

    def __init__(
        self, opt: Optimizer, replicas_to_aggregate: int, total_num_replicas: int | None = None, variable_averages: Any = None,
        variables_to_average: Any = None, use_locking: bool = False, name: str = "sync_replicas", replica_id: int | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        total = replicas_to_aggregate if not total_num_replicas else total_num_replicas
        self._opt, self._replicas_to_aggregate, self._total_num_replicas = opt, replicas_to_aggregate, total
        self._variable_averages, self._variables_to_average = variable_averages, variables_to_average
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._graph: Graph | None = None
        self._core: Any = None
        self._chief_queue_runner: QueueRunner | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Variable]]:
        """The gradients, as the optimizer inside computes them."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Variable | None = None, name: str | None = None
    ) -> Operation:
        """The operation that hands gradients in and waits for a token."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("apply_gradients was given no variables")
        if global_step is None:
            raise ValueError("Global step is required: it tells which gradients are stale")
        pairs = checked_pairs(pairs)
        graph = self._graph = global_step.graph
        self._core = _core.SyncReplicas(
            self._make_step, self._replicas_to_aggregate, self._total_num_replicas, self._name)
        with graph.as_default(), mirrored(graph):
            try:
                node = self._core.apply_gradients(graph._core, core_pairs(pairs), global_step._shared_name)
            except errors.InvalidArgumentError as error:
                raise ValueError(f"{error.message} (built at {user_location()})") from None
        queue = _TokenQueue(self._core.token_queue(graph._core))
        self._chief_queue_runner = QueueRunner._from_core(graph, self._core.chief_queue_runner(graph._core), queue)
        self._chief_queue_runner._sync = self  # type: ignore[attr-defined]
        self.local_step_init_op = graph._operation(self._core.local_step_init_op(graph._core))
        self.chief_init_op = graph._operation(self._core.chief_init_op(graph._core))
        self.ready_for_local_init_op = graph._tensor(self._core.ready_for_local_init_op(graph._core))
        self._local_step = find_variable(graph, self._core.local_step(graph._core))
        graph._kept[_KEPT] = self
        return graph._operation(node)

    def _make_step(self, pairs: list[Any], global_step: str | None) -> int:
        """Called by the core within the scopes of the step: applies the mean gradients."""
        graph = self._graph
        assert graph is not None
        given: list[tuple[Any, Variable]] = []
        for gradient, name in pairs:
            if gradient is None:
                made: Any = None
            elif isinstance(gradient[0], tuple):
                made = IndexedSlices(*[graph._tensor(place) for place in gradient])
            else:
                made = graph._tensor(gradient)
            given.append((made, find_variable(graph, name)))
        step = None if global_step is None else find_variable(graph, global_step)
        update: Any = self._opt.apply_gradients(given, step)
        if self._variable_averages is not None:
            with graph.control_dependencies([update]):
                update = self._variable_averages.apply(self._variables_to_average)
        return (update.op if isinstance(update, Tensor) else update)._id

    def _built(self) -> Any:
        if self._core is None:
            raise ValueError("this exists only after apply_gradients()")
        return self._core

    def get_chief_queue_runner(self) -> QueueRunner:
        """The thread that makes the steps; the chief must run it."""
        self._built()
        assert self._chief_queue_runner is not None
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """The operation that puts the first tokens into the queue: as many as gradients in a step, unless said otherwise."""
        core = self._built()
        needed = self._replicas_to_aggregate - self._total_num_replicas
        count = self._replicas_to_aggregate if num_tokens == -1 else num_tokens
        if count < needed:
            raise ValueError(f"the first step needs {needed} tokens, but num_tokens is {count}")
        assert self._graph is not None
        with self._graph.as_default():
            return self._graph._operation(core.init_tokens_op(self._graph._core, count))

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """What the optimizer inside keeps for a variable."""
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of what the optimizer inside keeps."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Variable]:
        """The variables of the optimizer inside."""
        return self._opt.variables()

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """A hook that does what workers need to begin and to end together."""
        return _SyncReplicasHook(self, is_chief, num_tokens)


def _watched(is_chief: bool) -> Any:
    """Whose loss a chief notices: the other tasks of its server's job."""
    return own_task() if is_chief else None


class _TokenQueue:
    """What is said of the queue of tokens."""

    def __init__(self, name: str) -> None:
        self.name = name


class _SyncReplicasHook(SessionRunHook):
    def __init__(self, sync: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._sync, self._is_chief, self._num_tokens = sync, is_chief, num_tokens
        self._hook: Any = None

    def begin(self) -> None:
        core, graph = self._sync._built(), self._sync._graph
        assert graph is not None
        tokens = None if self._num_tokens == -1 else self._num_tokens
        self._hook = core.make_hook(graph._core, self._is_chief, tokens, _watched(self._is_chief), LOST_AFTER_SECS)

    def after_create_session(self, session: Any, coord: Any) -> None:
        try:
            self._hook.after_create_session(raw_session(session)._core, coord._core)
        except errors.FailedPreconditionError as error:
            raise RuntimeError(error.message) from None

    def end(self, session: Any) -> None:
        self._hook.end(raw_session(session)._core)


# Programs that start the chief's queue runner by themselves end without a word to the other workers. These are told here, when
# the process ends, so that none of them waits for ever.

_present: list[_Presence] = []
_PATIENCE = RunOptions(timeout_in_ms=10_000)


class _Presence:
    """A worker of synchronous training that has a session."""

    def __init__(self, sync: SyncReplicasOptimizer, session: Any, is_chief: bool, coord: Any) -> None:
        self.sync, self.session, self.is_chief, self.coord = sync, session, is_chief, coord
        graph = session.graph
        core = sync._built()
        # Enough for every worker that is left to see the last step.
        self.tokens = graph._operation(core.init_tokens_op(graph._core, 2 * sync._tokens_per_step))
        self.hook = core.make_hook(graph._core, is_chief, None, _watched(is_chief), LOST_AFTER_SECS)

    def leave(self) -> None:
        """Gives those who wait what they need to end: tokens, and after them the end of the queue."""
        if self.session._closed:
            return
        try:
            self.session.run(self.tokens, options=_PATIENCE)
            if self.is_chief:
                self.session.run(self.sync.get_chief_queue_runner().close_op, options=_PATIENCE)
            else:
                self.hook.end(self.session._core)
        except (errors.OpError, RuntimeError):
            # Whom it would have helped has gone before.
            pass


def announce(session: Any, is_chief: bool, coord: Any) -> None:
    """Says that a worker has a session; it signs off when the process ends."""
    raw = raw_session(session)
    sync = raw.graph._kept.get(_KEPT)
    if sync is not None and not any(present.session is raw for present in _present):
        _present.append(_Presence(sync, raw, is_chief, coord))


def watch(session: Any, coord: Any) -> None:
    """Lets a chief look who is left."""
    raw = raw_session(session)
    for present in _present:
        if present.session is raw and present.is_chief:
            present.hook.watch(raw._core, coord._core)


def leave(session: Any) -> None:
    """Signs off before a session is closed."""
    raw = raw_session(session)
    for present in [present for present in _present if present.session is raw]:
        _present.remove(present)
        present.leave()


@atexit.register
def _leave_all() -> None:
    while _present:
        _present.pop().leave()
