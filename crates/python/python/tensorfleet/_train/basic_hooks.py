"""The hooks that come with the package."""

from __future__ import annotations

import os
import time
from typing import Any, Callable

import numpy as np

from tensorfleet._framework import errors
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.messages import SessionLog, Summary
from tensorfleet._train.global_step import get_global_step, get_or_create_global_step_read
from tensorfleet._train.hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues


def _log(message: str, *arguments: Any) -> None:
    from tensorfleet.v1 import logging

    logging.info(message, *arguments)


class SecondOrStepTimer:
    """Says whether it is time: every so many seconds, or every so many steps.

    >>> timer = SecondOrStepTimer(every_steps=10)
    >>> timer.should_trigger_for_step(0), timer.update_last_triggered_step(0), timer.should_trigger_for_step(9)
    (True, (None, None), False)
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("the timer needs every_secs or every_steps")
        if every_secs is not None and every_steps is not None:
            raise ValueError("every_secs and every_steps are both given: choose one")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Begins anew."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time at this step."""
        last = self._last_triggered_step
        if last is None or last == step:
            return last is None
        if self._every_secs is None:
            return step - last >= (self._every_steps or 0)
        return time.time() >= (self._last_triggered_time or 0.0) + self._every_secs

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that it was done; gives the seconds and steps since the last time."""
        now = time.time()
        if self._last_triggered_time is None or self._last_triggered_step is None:
            elapsed: tuple[float | None, int | None] = (None, None)
        else:
            elapsed = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self) -> int | None:
        """The step at which it was done last."""
        return self._last_triggered_step


class NeverTriggerTimer:
    """Says that it is never time."""

    def reset(self) -> None:
        """Begins anew."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Never."""
        return False

    def update_last_triggered_step(self, step: int) -> tuple[None, None]:
        """Nothing is ever done."""
        return None, None

    def last_triggered_step(self) -> None:
        """Never."""
        return None


def needed_step(hook: Any) -> Any:
    """The global step, which a hook cannot do without."""
    step = get_or_create_global_step_read()
    if step is None:
        raise RuntimeError(
            f"{type(hook).__name__} needs a global step: make one by tf.train.get_or_create_global_step()"
        )
    return step


class StopAtStepHook(SessionRunHook):
    """Ends training after so many steps, or at a step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("give num_steps or last_step")
        if num_steps is not None and last_step is not None:
            raise ValueError("num_steps and last_step are both given: choose one")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._global_step_tensor = needed_step(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = int(session.run(self._global_step_tensor)) + (self._num_steps or 0)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        assert self._last_step is not None
        if int(run_values.results) + 1 >= self._last_step:
            # The value may be from before or from after this step.
            if int(run_context.session.run(self._global_step_tensor)) >= self._last_step:
                run_context.request_stop()


class CheckpointSaverListener:
    """Called when a :class:`CheckpointSaverHook` saves."""

    def begin(self) -> None:
        """Called before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called after a checkpoint was written; True asks for the end of training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint every so many seconds or steps, at the beginning and at the end."""

    def __init__(
        self, checkpoint_dir: str, save_secs: float | None = None, save_steps: int | None = None, saver: Any = None,
        checkpoint_basename: str = "model.ckpt", scaffold: Any = None, listeners: Any = None, save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("saver and scaffold are both given: choose one")
        self._saver, self._scaffold, self._checkpoint_dir = saver, scaffold, checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or [])
        self._save_graph_def = save_graph_def

    def begin(self) -> None:
        from tensorfleet._train.summary_writer import FileWriterCache

        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = needed_step(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        from tensorfleet._train.meta_graph import export_meta_graph_bytes, write_graph

        step = int(session.run(self._global_step_tensor))
        if self._save_graph_def:
            write_graph(get_default_graph(), self._checkpoint_dir, "graph.pbtxt")
        saver = self._get_saver()
        self._summary_writer.add_graph(get_default_graph())
        self._summary_writer.add_meta_graph(export_meta_graph_bytes(get_default_graph(), saver.saver_def))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._timer.should_trigger_for_step(int(run_values.results) + 1):
            step = int(run_context.session.run(self._global_step_tensor))
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                if self._save(run_context.session, step):
                    run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._global_step_tensor))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        _log("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        self._summary_writer.add_session_log(
            SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path), step)
        should_stop = False
        for listener in self._listeners:
            should_stop = bool(listener.after_save(session, step)) or should_stop
        return should_stop

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None and self._scaffold.saver is not None:
            return self._scaffold.saver
        savers = get_default_graph().get_collection("savers")
        if not savers:
            raise RuntimeError(
                "there is no saver: the collection 'savers' is empty, and neither a saver nor a scaffold is given"
            )
        if len(savers) > 1:
            raise RuntimeError(f"which saver? The collection 'savers' holds {savers}: give one, or a scaffold")
        self._saver = savers[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    """Counts steps per second."""

    def __init__(
        self, every_n_steps: int | None = 100, every_n_secs: float | None = None, output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("give every_n_steps or every_n_secs, and not both")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer, self._output_dir = summary_writer, output_dir

    def begin(self) -> None:
        from tensorfleet._train.summary_writer import FileWriterCache

        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = needed_step(self)
        name = get_global_step().op.name
        self._summary_tag = f"{name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._global_step_tensor))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds is not None and steps is not None:
                self._log_and_record(steps, seconds, step)

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        rate = elapsed_steps / max(elapsed_time, 1e-9)
        if self._summary_writer is not None:
            summary = Summary(value=[Summary.Value(tag=self._summary_tag, simple_value=rate)])
            self._summary_writer.add_summary(summary, global_step)
        _log("%s: %g", self._summary_tag, rate)


class LoggingTensorHook(SessionRunHook):
    """Logs values every so many steps or seconds, or at the end."""

    def __init__(
        self, tensors: Any, every_n_iter: int | None = None, every_n_secs: float | None = None, at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("give every_n_iter or every_n_secs and not both, or at_end")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"every_n_iter is {every_n_iter}, but it must be above zero")
        if isinstance(tensors, dict):
            self._tag_order = list(tensors)
        else:
            self._tag_order = [tensor if isinstance(tensor, str) else tensor.name for tensor in tensors]
            tensors = dict(zip(self._tag_order, tensors))
        self._tensors, self._formatter, self._at_end = tensors, formatter, at_end
        self._timer: Any = (
            NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter))

    def begin(self) -> None:
        self._timer.reset()
        self._iter_count = 0
        graph = get_default_graph()
        self._current_tensors = {
            tag: graph.as_graph_element(f"{tensor}:0" if isinstance(tensor, str) and ":" not in tensor else tensor)
            for tag, tensor in self._tensors.items()
        }

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, tensor_values: dict[str, Any]) -> None:
        elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter:
            _log("%s", self._formatter(tensor_values))
            return
        with np.printoptions(suppress=True):
            text = ", ".join(f"{tag} = {tensor_values[tag]}" for tag in self._tag_order)
        _log("%s (%.3f sec)" if elapsed is not None else "%s", text, *([elapsed] if elapsed is not None else []))


class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends training when a loss is not a number."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if np.any(np.isnan(run_values.results)):
            from tensorfleet.v1 import logging

            if self._fail_on_nan_loss:
                logging.error("Model diverged with loss = NaN.")
                raise NanLossDuringTrainingError
            logging.warn("Model diverged with loss = NaN.")
            run_context.request_stop()


class SummarySaverHook(SessionRunHook):
    """Saves summaries every so many steps or seconds."""

    def __init__(
        self, save_steps: int | None = None, save_secs: float | None = None, output_dir: str | None = None,
        summary_writer: Any = None, scaffold: Any = None, summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("give scaffold or summary_op, and not both")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        from tensorfleet._train.summary_writer import FileWriterCache

        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._global_step_tensor = needed_step(self)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests = {"global_step": self._global_step_tensor}
        summary = self._get_summary_op()
        if self._request_summary and summary is not None:
            requests["summary"] = summary
        return SessionRunArgs(requests)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._summary_writer is None:
            return
        step = int(run_values.results["global_step"])
        if self._next_step is None or self._request_summary:
            step = int(run_context.session.run(self._global_step_tensor))
        if self._next_step is None:
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            found = run_values.results.get("summary")
            for summary in [] if found is None else found:
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()

    def _get_summary_op(self) -> list[Any] | None:
        summary = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        if summary is None:
            return None
        return list(summary) if isinstance(summary, (list, tuple)) else [summary]


class GlobalStepWaiterHook(SessionRunHook):
    """Lets a worker wait until the others have made so many steps."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        self._worker_is_started = False
        self._global_step_tensor = needed_step(self)

    def before_run(self, run_context: SessionRunContext) -> None:
        if self._wait_until_step > 0 and not self._worker_is_started:
            _log("training waits for global step %d", self._wait_until_step)
            while int(run_context.session.run(self._global_step_tensor)) < self._wait_until_step:
                time.sleep(0.5)
        self._worker_is_started = True


class FinalOpsHook(SessionRunHook):
    """Runs something once, at the end."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._final_ops_feed_dict, self._final_ops_values = final_ops, final_ops_feed_dict, None

    @property
    def final_ops_values(self) -> Any:
        """What it gave."""
        return self._final_ops_values

    def end(self, session: Any) -> None:
        if self._final_ops is not None:
            try:
                self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
            except (errors.OutOfRangeError, StopIteration):
                _log("The input ended before the final operations could run: they need input of their own.")
                raise


class FeedFnHook(SessionRunHook):
    """Feeds every step with what a function gives."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
