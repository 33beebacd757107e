"""Threads that work together and stop together."""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
import weakref
from typing import Any, Callable, Iterator

from tensorfleet import _core
from tensorfleet._framework import errors

_SLICE = 0.1
_alive: weakref.WeakSet[Coordinator] = weakref.WeakSet()


class Coordinator:
    """Asks threads to stop, waits for them, and raises what the first of them failed with.

    >>> coord = Coordinator()
    >>> def work():
    ...     with coord.stop_on_exception():
    ...         while not coord.should_stop():
    ...             raise ValueError("no more")
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coord.join([thread])
    Traceback (most recent call last):
    ...
    ValueError: no more
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        clean = (errors.OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._clean = clean
        codes = [code for code, kind in errors._classes.items() if issubclass(kind, clean)]
        self._core = _core.Coordinator(codes)
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._threads: list[Any] = []
        self._joined = False
        _alive.add(self)

    def request_stop(self, ex: Any = None) -> None:
        """Asks threads to stop, because of an exception if there is one; the first is kept. Exceptions that are a clean end, such
        as the end of the input, are not."""
        if isinstance(ex, tuple):
            ex = ex[1]
        with self._lock:
            if self._joined:
                if isinstance(ex, self._clean):
                    ex = None
                if ex is not None:
                    raise ex
                return
            if not self._core.should_stop():
                if ex is not None and not isinstance(ex, self._clean):
                    self._error = ex
                    code = getattr(ex, "error_code", errors.UNKNOWN)
                    self._core.request_stop_because(code, str(ex) or type(ex).__name__)
                self._core.request_stop()

    def clear_stop(self) -> None:
        """Lets threads go on after a stop."""
        with self._lock:
            self._joined, self._error = False, None
            self._core.clear_stop()

    def should_stop(self) -> bool:
        """Whether someone asked for a stop."""
        return self._core.should_stop()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A `with` block whose exception asks for a stop, and is kept for :meth:`join`."""
        try:
            yield
        except BaseException as error:
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits for a stop, so many seconds at most; True if it came."""
        return self._core.wait_for_stop(timeout)

    def register_thread(self, thread: Any) -> None:
        """Counts a thread among those that :meth:`join` waits for."""
        with self._lock:
            self._threads.append(thread)

    def join(
        self, threads: Any = None, stop_grace_period_secs: float = 120, ignore_live_threads: bool = False
    ) -> None:
        """Waits until the threads end. After a stop they have so many seconds for it.

        :raises RuntimeError: if threads do not end
        """
        waited = list(dict.fromkeys([*self._threads, *(threads or ())]))

        def alive() -> list[Any]:
            return [thread for thread in waited if thread.is_alive()]

        while (alive() or self._core.num_threads()) and not self._core.wait_for_stop(_SLICE):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        while (alive() or self._core.num_threads()) and time.monotonic() < deadline:
            time.sleep(0.01)
        stragglers = [thread.name for thread in alive()]
        count = self._core.num_threads()
        if count and not stragglers:
            stragglers = [f"{count} of queue runners"]
        with self._lock:
            self._joined = True
            self._threads = []
        self.raise_requested_exception()
        if stragglers and not ignore_live_threads:
            raise RuntimeError(f"threads that did not end when the coordinator stopped: {' '.join(stragglers)}")

    @property
    def joined(self) -> bool:
        """Whether :meth:`join` was called."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the exception that the stop was asked for with, if there was one."""
        with self._lock:
            error = self._error
        if error is not None:
            raise error
        self._core.check()


class LooperThread(threading.Thread):
    """A thread that does something again and again, every so many seconds or without a pause if that is None.

    What to do is given as `target`, or by overriding `run_loop`.
    """

    def __init__(
        self, coord: Coordinator, timer_interval_secs: float | None, target: Callable[..., Any] | None = None, args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"`coord` is {coord}; give a tf.train.Coordinator")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._work, self._arguments, self._named = target, args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator, timer_interval_secs: float | None, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Starts a thread that calls a function again and again."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                due = time.monotonic()
                while not self._coord.wait_for_stop(max(0.0, due - time.monotonic())):
                    due += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called when the thread begins."""

    def stop_loop(self) -> None:
        """Called when the thread ends."""

    def run_loop(self) -> None:
        """Called every time."""
        if self._work is not None:
            self._work(*self._arguments, **self._named)


@atexit.register
def _stop_all() -> None:
    """No thread of a coordinator outlives the interpreter."""
    coordinators = list(_alive)
    for coord in coordinators:
        coord._core.request_stop()
    threads = [thread for coord in coordinators for thread in coord._threads if isinstance(thread, LooperThread)]
    if any(thread.is_alive() for thread in threads):
        _core.interrupt()
    deadline = time.monotonic() + 2.0
    for thread in threads:
        if thread.is_alive():
            thread.join(max(0.0, deadline - time.monotonic()))
