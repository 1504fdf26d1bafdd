"""A reader's place in the feeds of a room, and what it is to be sent next.

All ways to watch are a cursor: live, from the beginning, delayed, after a lost connection, and
moved on by a snapshot. It decides what comes next and knows nothing of sockets.
"""

from __future__ import annotations

import math
from typing import Final

from protocol.messages import CHANNELS, Position
from server.feed import BIT, MASK_BITS, Entry, Feed

Mark = tuple[int, int]  # a place in a room's chain of feeds: number of the feed, index in it

NOWHERE: Final[Mark] = (1 << 53, 0)


class Cursor:
    """Stands before the entry `at` of `feed`, and wants the channels of `mask`.

    Room updates before the mark `fresh` are left out: the reader was told a later state of the room
    as it came, and the room's sequence number never goes back for anyone. Entries are due `delay`
    seconds after they were made.
    """

    __slots__ = ("_selective", "_stages", "at", "delay", "feed", "fresh", "mask", "skipped")

    def __init__(
        self, feed: Feed, at: int, mask: int, fresh: Mark = (0, 0), delay: float = 0.0
    ) -> None:
        self.feed = feed
        self.at = at
        self.mask = mask
        self.fresh = fresh
        self.delay = delay
        self.skipped = 0  # frames, by the last `skip`
        self._stages: list[tuple[int, int]] = []
        self._selective = True  # perhaps not all that is ahead is to be read

    @property
    def mark(self) -> Mark:
        return self.feed.number, self.at

    @property
    def reads_all(self) -> bool:
        """Whether all that is ahead is to be read at once: nothing is stale, or was seen before, or
        comes with a delay."""
        return not self._selective and not self.delay

    def another(self) -> Cursor:
        """One that stands here and `reads_all`, as this one does."""
        other = Cursor(self.feed, self.at, self.mask)
        other._selective = False
        return other

    @property
    def at_end(self) -> bool:
        return self.at >= len(self.feed.entries) and self.feed.next is None

    def rest(self) -> bytes:
        """All that is there, in one piece; for a reader that keeps up."""
        if self._selective:
            self._selective = bool(self._stages) or self.mark < self.fresh
            if self._selective:
                return self.take(1 << 60)
        feed, at = self.feed, self.at
        data = feed.tails.get((at << MASK_BITS) | self.mask)
        if data is None:
            data = feed.tail(at, self.mask)
        self.at = len(feed.entries)
        if feed.next is None:
            return data
        self._go_on(feed.next)
        return data + self.rest()

    def take(self, limit: int, now: float = math.inf, stop: Mark = NOWHERE) -> bytes:
        """The next entries, up to about `limit` bytes, due by now, none from the mark `stop` on.
        Empty where there is none of them."""
        parts: list[bytes] = []
        size = 0
        # The entry is looked for first: it may be in the next feed, and the mark with it.
        while size < limit and (entry := self._entry()) is not None and self.mark < stop:
            if self.delay and entry.made_at + self.delay > now:
                break
            part = b"" if self._is_stale(entry) else entry.bytes_for(self._mask_here())
            self.at += 1
            size += len(part)
            parts.append(part)
        return b"".join(parts)

    def due(self) -> float:
        """When the next entry is due; infinity at the end of the feed."""
        entry = self._entry()
        return math.inf if entry is None else entry.made_at + self.delay

    def skip(self) -> bytes:
        """Moves on to the newest state of the battle that is being read: what was said to the
        room in between, and a snapshot that tells how many frames are left out. Empty, and
        nothing moved, where the cursor stands behind the battle's last frame."""
        keyframe = self.feed.keyframe()
        if keyframe is None or keyframe.at <= self.at:
            return b""
        parts: list[bytes] = []
        skipped = 0
        while self.at < keyframe.at:
            entry = self.feed.entries[self.at]
            if entry.message is not None and not self._is_stale(entry):
                parts.append(entry.message)
            skipped += entry.count(self._mask_here())
            self.at += 1
        self.skipped = skipped
        return b"".join((*parts, keyframe.skipping(skipped)))

    def resume(self, last: Position) -> None:
        """Goes to where every channel goes on after the last frame seen of it.

        A connection may be lost between two channels' frames of one tick: from the earliest of
        those places on only the channels that lack something are read, and from the latest on all.
        """
        starts = {BIT[c]: self.feed.after(last, c) for c in CHANNELS if BIT[c] & self.mask}
        self.at = min(starts.values())
        places = sorted(set(starts.values()))[1:]
        self._stages = [
            (until, sum(bit for bit, start in starts.items() if start < until)) for until in places
        ]

    def _entry(self) -> Entry | None:
        while self.at >= len(self.feed.entries):
            if self.feed.next is None:
                return None
            self._go_on(self.feed.next)
        return self.feed.entries[self.at]

    def _go_on(self, feed: Feed) -> None:
        feed.fill()
        self.feed, self.at = feed, 0
        self._stages.clear()

    def _mask_here(self) -> int:
        while self._stages and self.at >= self._stages[0][0]:
            self._stages.pop(0)
        return self._stages[0][1] if self._stages else self.mask

    def _is_stale(self, entry: Entry) -> bool:
        return entry.room is not None and self.mark < self.fresh
