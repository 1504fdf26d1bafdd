"""What one client is still to be sent, and in which order: the feed, by its cursor, and between the
feed's entries the messages for this client alone. It decides, and knows nothing of sockets.
"""

from __future__ import annotations

from server.cursor import NOWHERE, Cursor, Mark
from server.limits import Limits


class Outbox:
    """A cursor and its client's own messages, each with the place in the feed that it comes before.

    The greeting comes before anything of the feed. A delay of the cursor's holds back the feed, but
    not the messages.
    """

    __slots__ = ("_limits", "_private", "_since", "cursor", "skipped")

    def __init__(self, cursor: Cursor, greeting: bytes, limits: Limits, now: float) -> None:
        self.cursor = cursor
        self.skipped = 0  # frames, by the last batch
        self._limits = limits
        self._since = now  # when it last had all that was due
        self._private: list[tuple[Mark, bytes]] = [(cursor.mark, greeting)]

    def has_room_for(self, data: bytes) -> bool:
        """Whether this message, too, may wait for the client to read."""
        waiting = sum(len(message) for _, message in self._private)
        return (
            len(self._private) < self._limits.private_messages
            and waiting + len(data) <= self._limits.private_bytes
        )

    @property
    def is_clear(self) -> bool:
        """Whether there is no message for this client alone."""
        return not self._private

    def put(self, data: bytes) -> None:
        """Adds a message that comes after all that the feed holds."""
        self._private.append((self._mark_of_now(), data))

    def put_here(self, data: bytes) -> None:
        """Adds a message that comes before anything more of the feed."""
        self._private.append((self.cursor.mark, data))

    def next_batch(self, now: float) -> bytes:
        """What is to be sent next, up to about as much as goes out in one piece; a snapshot in the
        place of what was missed, for one who is too far behind."""
        self.skipped = 0
        if self._is_late(now) and (snapshot := self.cursor.skip()):
            self.skipped = self.cursor.skipped
            return snapshot
        parts: list[bytes] = []
        size = 0
        while size < self._limits.send_bytes:
            if self._private_is_next():
                part = self._private.pop(0)[1]
            else:
                part = self._take(now, self._limits.send_bytes - size)
                if not part and not self._private_is_next():
                    break
            parts.append(part)
            size += len(part)
        return b"".join(parts)

    def _private_is_next(self) -> bool:
        return bool(self._private) and self._private[0][0] <= self.cursor.mark

    def _take(self, now: float, limit: int) -> bytes:
        stop = self._private[0][0] if self._private else NOWHERE
        return self.cursor.take(limit, now, stop)

    def _is_late(self, now: float) -> bool:
        """Too far behind. One who came late is not late for what was there before."""
        due = max(self.cursor.due(), self._since)
        return not self.cursor.delay and now - due > self._limits.behind_seconds

    def note_even(self, now: float) -> None:
        """Until now it had all that was due: what comes is not late by what held up the server."""
        self._since = now

    def has_lost_touch(self, now: float) -> bool:
        """So far behind as nobody could come back from. Whoever reads a little now and then must
        not keep in memory all that was ever said."""
        due = max(self.cursor.due(), self._since)
        return now - due > self._limits.missed_seconds

    def _mark_of_now(self) -> Mark:
        if self.cursor.delay:
            return self.cursor.mark
        feed = self.cursor.feed
        while feed.next is not None:
            feed = feed.next
        return feed.number, len(feed.entries)
