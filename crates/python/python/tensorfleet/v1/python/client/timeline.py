"""`tensorflow.python.client.timeline`: what a step did, as a file for Chrome's `about:tracing`.

    >>> import tensorfleet.v1 as tf
    >>> metadata = tf.RunMetadata()
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     x = tf.placeholder(tf.float32, [])
    ...     trace = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    ...     sess.run(tf.add(x, 1.0, name="sum"), {x: 1.0}, options=trace, run_metadata=metadata)
    np.float32(2.0)
    >>> '"name": "sum"' in Timeline(metadata.step_stats).generate_chrome_trace_format()
    True
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["Timeline"]

# "mm = MatMul(x, w)"
_LABEL = re.compile(r"(?P<name>.*?) = (?P<op>[^(]*)\((?P<inputs>.*)\)")


class Timeline:
    """The times of a step. With the graph, arrows show which operation waits for which, on servers too."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats, self._graph = step_stats, graph

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule") -> str:
        """The trace as JSON: a process for each device, whose lanes hold what ran at the same time.

        Memory is not measured, so `show_memory` adds nothing; `op_time` has no meaning, for a kernel begins when it is chosen.
        """
        events: list[dict[str, Any]] = []
        made: dict[str, tuple[int, int, int]] = {}
        arrows = []
        for pid, device in enumerate(self._step_stats.dev_stats):
            events.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"{device.device} Compute"}})
            free: list[int] = []
            for node in sorted(device.node_stats, key=lambda node: node.all_start_micros):
                start, end = node.all_start_micros, node.all_start_micros + max(node.all_end_rel_micros, 1)
                lane = next((number for number, until in enumerate(free) if until <= start), len(free))
                free[lane:lane + 1] = [end]
                name, op, inputs = self._parts(node)
                arguments = {"name": name, "op": op, **{f"input{i}": source for i, source in enumerate(inputs)}}
                events.append({
                    "ph": "X", "cat": "Op", "name": op, "pid": pid, "tid": lane, "ts": start, "dur": end - start, "args": arguments,
                })
                made.setdefault(name, (pid, lane, end))
                arrows += [(source, (pid, lane, start)) for source in inputs]
        if show_dataflow:
            for number, (source, target) in enumerate(arrow for arrow in arrows if arrow[0] in made):
                for kind, (pid, lane, when) in (("s", made[source]), ("t", target)):
                    events.append({
                        "ph": kind, "cat": "DataFlow", "name": source, "pid": pid, "tid": lane, "ts": when, "id": number,
                    })
        return json.dumps({"traceEvents": events}, indent=4)

    def _parts(self, node: Any) -> tuple[str, str, list[str]]:
        """Name, op and inputs of a node that ran: of its label, and of the graph for what a label does not say."""
        label = _LABEL.fullmatch(node.timeline_label)
        name, op = (node.node_name, "unknown") if label is None else (label["name"], label["op"])
        inputs = [] if label is None or not label["inputs"] else label["inputs"].split(", ")
        if not inputs and self._graph is not None:
            try:
                inputs = [tensor.op.name for tensor in self._graph.get_operation_by_name(name).inputs]
            except (KeyError, ValueError):
                # A node that the runtime added.
                pass
        return name, op, inputs
