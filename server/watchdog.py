"""Ends what hangs: a tick that does not come to its end would hold up every room.

A timer's signal comes several times a second, whatever the process is doing, and is handled in the
main thread between two of its Python instructions: where one piece of work has gone on for too
long, the handler raises in the middle of it, and the work's own error boundary takes it from there.

How long it has gone on is the time for which the processor was the thread's: a process that was
frozen, or had to wait for others, has not hung.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

# Looks in the time that a piece of work may take.
LOOKS: Final = 4


def let_signals_in() -> None:
    """Does nothing. Work without Python instructions of its own, as of a compiled engine, calls it
    now and then: signals that came meanwhile are handled as it is entered."""


class Hung(Exception):  # noqa: N818 - what has happened
    """The work went on for too long."""


class Watchdog:
    """Watches one piece of work at a time, of the thread that has the event loop: what is done in a
    `with` block raises `Hung` where it does not come to its end within so many seconds of work."""

    def __init__(self, most_seconds: float) -> None:
        self._most_seconds = most_seconds
        self._since: float | None = None

    @contextmanager
    def on_guard(self) -> Iterator[None]:
        """Looks now and then, from now on. Only in the main thread, which gets the signals."""
        before = signal.signal(signal.SIGALRM, self._look)
        every = self._most_seconds / LOOKS
        signal.setitimer(signal.ITIMER_REAL, every, every)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def __enter__(self) -> None:
        self._since = time.thread_time()

    def __exit__(self, *_: object) -> None:
        self._since = None

    def _look(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - a handler's
        since = self._since
        if frame is not None and frame.f_code is Watchdog.__exit__.__code__:
            return  # it has come to its end, and that is to be noted
        if since is not None and time.thread_time() - since > self._most_seconds:
            # And again at the next look, if need be: what is raised in a callback of the garbage
            # collector, or in a `__del__`, is lost.
            raise Hung(f"it went on for more than {self._most_seconds} s")
