"""The time a run has, and the wish to stop it: one object, passed to whatever waits."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

from tools.errors import Interrupted, OutOfTime

T = TypeVar("T")

CLEANUP_S = 15.0  # what an interrupted or timed-out run has left to remove what it made
_POLL_S = 0.05


def spawn(work: Callable[[], T]) -> Future[T]:
    """Begin work on a daemon thread: it never keeps the program from ending."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # handed to whoever asks for the result
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


@dataclass
class Clock:
    """A wall-clock limit and a stop flag.

    Signals set the flag and nothing else; every wait of the program looks at it. So nothing is ever interrupted
    half-way through a write, and a thread that waits for a server cannot hold the program up.

    Args:
        limit_s: Seconds from now until the run must be over.
    """

    limit_s: float
    _start: float = field(default_factory=time.monotonic)
    _stopped_at: float | None = (
        None  # a plain value: an Event's lock could be held by the very code a signal interrupts
    )

    def interrupt(self) -> None:
        """Ask the run to stop; asked again, nothing changes. Made for signal handlers."""
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()

    def left_s(self) -> float:
        """Return the seconds left, never less than zero."""
        return max(0.0, self._start + self.limit_s - time.monotonic())

    def check(self) -> None:
        """Raise Interrupted when asked to stop, OutOfTime when the time is used up."""
        if self._stopped_at is not None:
            raise Interrupted
        if self.left_s() <= 0:
            raise OutOfTime

    def sleep(self, seconds: float) -> None:
        """Wait, unless the run is to stop first; raise as ``check`` does."""
        until = time.monotonic() + seconds
        while (left_s := min(until - time.monotonic(), self.left_s())) > 0:
            self.check()
            time.sleep(min(_POLL_S, left_s))
        self.check()

    def for_cleanup(self) -> Clock:
        """Return the clock for removing what was made: 15 s from when the run was stopped, or what it had left."""
        if self._stopped_at is not None:
            return Clock(max(CLEANUP_S / 3, CLEANUP_S - (time.monotonic() - self._stopped_at)))
        return Clock(max(CLEANUP_S, self.left_s()))

    def result_of(self, future: Future[T]) -> T:
        """Return the result of spawned work, or raise what it raised; the wait ends as ``sleep`` does."""
        while not future.done():
            self.sleep(_POLL_S / 5)
        return future.result()

    def wait_for(self, work: Callable[[], T], *, at_most_s: float, heed_stop: bool = True) -> T:
        """Run blocking work on a thread of its own and return its result; raise as ``each`` does."""
        return next(self.each(lambda: iter((work(),)), at_most_s=at_most_s, heed_stop=heed_stop))

    def each(self, source: Callable[[], Iterator[T]], *, at_most_s: float, heed_stop: bool = True) -> Iterator[T]:
        """Read a blocking iterator on a thread of its own and yield what it gives.

        A server that is silent, or that drips, defeats the read timeouts of every HTTP library; this does not. An
        iterator that is given up on is left at its next value, in its daemon thread.

        Args:
            source: Called on the thread; whatever it, or its iterator, raises is raised here.
            at_most_s: Seconds to wait for each value, beside the limit of the run.
            heed_stop: Whether a stop ends the wait at once. False for a write, whose answer must not be lost.

        Raises:
            OutOfTime: When a value did not come in time.
            Interrupted: When the run is to stop.
        """
        given_up = threading.Event()
        values: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

        def read() -> None:
            try:
                for value in source():
                    values.put((value, None))
                    if given_up.is_set():
                        return
                values.put((None, StopIteration()))
            except BaseException as error:  # handed to the waiting thread, whatever it is
                values.put((None, error))

        threading.Thread(target=read, daemon=True).start()
        try:
            while True:
                value, error = self._take(values, at_most_s, heed_stop)
                if isinstance(error, StopIteration):
                    return
                if error is not None:
                    raise error
                yield value  # type: ignore[misc]  # None only where T allows it
        finally:
            given_up.set()

    def _take(self, values: queue.SimpleQueue[T], at_most_s: float, heed_stop: bool) -> T:
        give_up = time.monotonic() + min(at_most_s, self.left_s())
        while True:
            if heed_stop:
                self.check()
            try:
                return values.get(timeout=max(0.0, min(_POLL_S, give_up - time.monotonic())))
            except queue.Empty:
                if time.monotonic() >= give_up:
                    raise OutOfTime from None
