"""Queues that are filled ahead (`slim.prefetch_queue`)."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.dtypes import float32
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._ops.arithmetic_ops import cast
from tensorfleet._ops.queue_ops import FIFOQueue, PaddingFIFOQueue, QueueBase
from tensorfleet._train.queue_runner import QueueRunner, add_queue_runner

__all__ = ["prefetch_queue"]


def prefetch_queue(
    tensors: Any, capacity: int = 8, num_threads: int = 1, dynamic_pad: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """A queue of tensors, in a list or a dict, which threads fill ahead; `dequeue` takes them as they were given."""
    names = sorted(tensors) if isinstance(tensors, dict) else None
    listed = [tensors[key] for key in names] if names is not None else list(tensors)
    from tensorfleet.v1 import summary

    with get_default_graph().name_scope(name or "prefetch_queue"):
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue = kind(
            capacity, [tensor.dtype for tensor in listed], [tensor.shape for tensor in listed], names, shared_name)
        put = queue.enqueue(tensors if names is not None else listed)
        add_queue_runner(QueueRunner(queue, [put] * num_threads))
        summary.scalar(f"fraction_of_{capacity}_full", cast(queue.size(), float32) * (1.0 / capacity))
        return queue
