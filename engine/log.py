"""The log of a battle: events as they happen, their bytes, and the digest over them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from engine.events import Event, Value, add_row, line_head

PULSE_EVERY: Final = 256  # events


class Place:
    """Where in the log: the tick and the batch, and how their lines begin."""

    __slots__ = ("batch", "head", "tick")

    def __init__(self, tick: int, batch: int | None) -> None:
        self.tick = tick
        self.batch = batch
        self.head = line_head(tick, batch)


class Log:
    """Writes events as they happen, under the tick and batch that are current. A quiet log keeps
    nothing.

    Whatever a battle does for long, it tells of here: so here is where the pulse is called.
    """

    def __init__(self, quiet: bool, pulse: Callable[[], None] | None = None) -> None:
        self.quiet = quiet
        self._pulse = pulse
        self._to_pulse = PULSE_EVERY
        self._tick = 0
        self._batch: int | None = None
        self._place: Place | None = None  # of that tick and batch, once something happens there
        # What has not been handed out, by its parts: most events are never asked for.
        self._places: list[Place] = []
        self._kinds: list[str] = []
        self._rows: list[tuple[Value, ...]] = []
        self._pieces: list[str] = []  # of lines that are not yet in the text
        self._text = bytearray()
        self._sha = hashlib.sha256()

    def move(self, tick: int, batch: int | None) -> None:
        """What is added from now on is of that tick and batch."""
        self._tick = tick
        self._batch = batch
        self._place = None

    def add(self, kind: str, values: tuple[Value, ...]) -> None:
        self._to_pulse -= 1
        if self._to_pulse == 0:
            self._to_pulse = PULSE_EVERY
            if self._pulse is not None:
                self._pulse()
        if self.quiet:
            return
        place = self._place
        if place is None:
            self._place = place = Place(self._tick, self._batch)
        self._places.append(place)
        self._kinds.append(kind)
        self._rows.append(values)
        self._pieces.append(place.head)
        add_row(self._pieces, kind, values)

    def take(self) -> list[Event]:
        """The events since the last call."""
        taken = [
            Event(place.tick, place.batch, kind, values)
            for place, kind, values in zip(self._places, self._kinds, self._rows, strict=True)
        ]
        self._places, self._kinds, self._rows = [], [], []
        return taken

    def text(self) -> bytes:
        """Every line so far."""
        self._write()
        return bytes(self._text)

    def digest(self) -> str:
        """The first 32 hex digits of SHA-256 over every line so far."""
        self._write()
        return self._sha.hexdigest()[:32]

    def _write(self) -> None:
        written = "".join(self._pieces).encode()
        self._pieces.clear()
        self._text += written
        self._sha.update(written)
