"""The time a run has, and the wish to stop it: one object, passed to whatever waits."""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from tools.errors import Interrupted, OutOfTime

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

CLEANUP_S = 15.0  # what an interrupted or timed-out run has left to remove what it made
_AFTER_STOP_S = 8.0  # of these, what the answer to a write that is under way may still take
_POLL_S = 0.05


def spawn(work: Callable[[], T]) -> Future[T]:
    """Begin work on a daemon thread: it never keeps the program from ending."""
    from concurrent.futures import Future  # it brings the whole of logging: not where nothing is begun

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
        parent: The clock whose stop flag this one shares.
        cleans_up: Whether this is the time for removing what was made: a stop does not end it, but leaves it no more
            than 15 s from then on.
    """

    limit_s: float
    parent: Clock | None = None
    cleans_up: bool = False
    _start: float = field(default_factory=time.monotonic)
    # A plain value, not an Event: an Event's lock could be held by the very code that a signal interrupts.
    _stopped_at: float | None = None

    def interrupt(self) -> None:
        """Ask the run to stop; asked again, nothing changes. Made for signal handlers."""
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()

    @property
    def stopped_at(self) -> float | None:
        """When the run was asked to stop, by the monotonic clock."""
        return self.parent.stopped_at if self.parent else self._stopped_at

    def left_s(self) -> float:
        """Return the seconds left, never less than zero."""
        left_s = self._start + self.limit_s - time.monotonic()
        if self.cleans_up and self.stopped_at is not None:
            left_s = min(left_s, self.stopped_at + CLEANUP_S - time.monotonic())
        return max(0.0, left_s)

    def check(self) -> None:
        """Raise Interrupted when asked to stop, OutOfTime when the time is used up."""
        self.check_stop()
        if self.left_s() <= 0:
            raise OutOfTime

    def check_stop(self) -> None:
        """Raise Interrupted when asked to stop."""
        if self.stopped_at is not None and not self.cleans_up:
            raise Interrupted

    def for_cleanup(self) -> Clock:
        """Return the clock for removing what was made: what this one had left, and 15 s at least."""
        return Clock(max(CLEANUP_S, self.left_s()), self, cleans_up=True)

    def extended(self) -> Clock:
        """Return a clock with 15 s more, which a stop ends like this one."""
        return Clock(CLEANUP_S, self)

    def sleep(self, seconds: float) -> None:
        """Wait, unless the run is to stop first; raise as ``check`` does."""
        until = time.monotonic() + seconds
        while (left_s := min(until - time.monotonic(), self.left_s())) > 0:
            self.check()
            time.sleep(min(_POLL_S, left_s))
        self.check()

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
            elif self.stopped_at is not None:
                give_up = min(give_up, self.stopped_at + _AFTER_STOP_S)
            try:
                return values.get(timeout=max(0.0, min(_POLL_S, give_up - time.monotonic())))
            except queue.Empty:
                if time.monotonic() >= give_up:
                    raise OutOfTime from None


@contextlib.contextmanager
def stopped_by_signals(clock: Clock) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP set the clock's stop flag; one that was ignored (nohup) stays ignored."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in signals}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda *_: clock.interrupt())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
