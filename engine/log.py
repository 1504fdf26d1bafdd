"""The log of a battle: events as they happen, their bytes, and the digest over them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from engine.events import Event, Value, render

PULSE_EVERY: Final = 256  # events


class Log:
    """Collects events under the tick and batch that are current. A quiet log keeps nothing.

    Whatever a battle does for long, it tells of here: so here is where the pulse is called.
    """

    def __init__(self, quiet: bool, pulse: Callable[[], None] | None = None) -> None:
        self.quiet = quiet
        self._pulse = pulse
        self._to_pulse = PULSE_EVERY
        self.tick = 0
        self.batch: int | None = None
        self.lines = 0  # written so far
        self.fresh: list[Event] = []  # not yet written
        self.taken: list[Event] = []  # written, not yet handed out
        self.text = bytearray()
        self._sha = hashlib.sha256()

    def add(self, kind: str, values: tuple[Value, ...]) -> None:
        self._to_pulse -= 1
        if self._to_pulse == 0:
            self._to_pulse = PULSE_EVERY
            if self._pulse is not None:
                self._pulse()
        if not self.quiet:
            self.fresh.append(Event(self.tick, self.batch, kind, values))

    def digest(self) -> str:
        """The first 32 hex digits of SHA-256 over every line so far."""
        self.write()
        return self._sha.hexdigest()[:32]

    def take(self) -> list[Event]:
        """The events since the last call."""
        self.write()
        taken, self.taken = self.taken, []
        return taken

    def write(self) -> None:
        """Turns fresh events into lines."""
        if not self.fresh:
            return
        written = render(self.fresh).encode()
        self.text += written
        self._sha.update(written)
        self.lines += len(self.fresh)
        self.taken += self.fresh
        self.fresh = []
