"""The hook that traces steps."""

from __future__ import annotations

import os
from typing import Any

from tensorfleet._framework.messages import RunOptions
from tensorfleet._train.basic_hooks import SecondOrStepTimer, needed_step
from tensorfleet._train.checkpoints import write_atomically
from tensorfleet._train.hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

__all__ = ["ProfilerHook"]


class ProfilerHook(SessionRunHook):
    """Traces a step every so many steps or seconds: to `timeline-STEP.json`, for Chrome's `about:tracing`, and to the events."""

    def __init__(
        self, save_steps: int | None = None, save_secs: float | None = None, output_dir: str = "", show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._output_dir, self._show_dataflow, self._show_memory = output_dir, show_dataflow, show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        from tensorfleet._train.summary_writer import FileWriterCache

        self._writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._global_step_tensor = needed_step(self)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        # The first step also prepares the graph, which would be all that its times show.
        self._trace = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._trace else None
        return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_values.results["global_step"]) + 1
        if self._next_step is None:
            self._timer.update_last_triggered_step(step - 1)
        if self._trace:
            step = int(run_context.session.run(self._global_step_tensor))
            self._timer.update_last_triggered_step(step)
            self._save(step, run_context.session.graph, run_values.run_metadata)
        self._next_step = step + 1

    def _save(self, step: int, graph: Any, metadata: Any) -> None:
        from tensorfleet.v1 import logging
        from tensorfleet.v1.python.client.timeline import Timeline

        path = os.path.join(self._output_dir, f"timeline-{step}.json")
        logging.info("Saving timeline for %d into '%s'.", step, path)
        trace = Timeline(metadata.step_stats, graph).generate_chrome_trace_format(self._show_dataflow, self._show_memory)
        write_atomically(path, trace.encode())
        self._writer.add_run_metadata(metadata, f"step_{step}")
