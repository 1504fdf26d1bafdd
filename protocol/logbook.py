"""The log, put together again from the frames of the three channels.

Who follows all of them from the beginning has every line, and can compute the digest that the
battle's last line and its result name. Who came late has the lines since.
"""

from __future__ import annotations

import hashlib
from typing import Final

from engine import Event, event_line

from .messages import Frame
from .sources import Sources
from .wire_events import read_events

DIGEST_DIGITS: Final = 32


class LogTorn(Exception):  # noqa: N818 - says what the log is
    """Two frames say different things of one line, or lines are missing or no lines."""


class Logbook:
    """The lines of one battle's log that have come, whatever their order.

    `sources` are those of the boards in `begin`.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lines: dict[int, Event] = {}

    def add(self, frame: Frame) -> None:
        """Take in a frame's events. Raises `LogTorn` for what is no event, and for a line that has
        come before.
        """
        try:
            events = list(read_events(frame, self._sources))
        except ValueError as error:
            raise LogTorn(str(error)) from error
        for line, _ in events:
            if line in self._lines:
                raise LogTorn(f"line {line} came twice")
        self._lines.update(events)

    def lines(self) -> list[str]:
        """The log as it is written. Raises `LogTorn` if lines before the last one are missing."""
        if missing := set(range(len(self._lines))) - self._lines.keys():
            raise LogTorn(f"line {min(missing)} is missing")
        return [event_line(self._lines[line]) for line in range(len(self._lines))]

    def digest(self) -> str:
        """The digest of a log that is whole: over all lines before `battle_end`."""
        lines = self.lines()
        if not lines or self._lines[len(lines) - 1].kind != "battle_end":
            raise LogTorn("the battle has not ended")
        text = "".join(lines[:-1]).encode()
        return hashlib.sha256(text).hexdigest()[:DIGEST_DIGITS]
