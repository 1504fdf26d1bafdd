"""The feed of a battle: everything that is said to all, in order, made once.

A feed is a list of entries, each the bytes that go on the wire: WebSocket text frames as a server
sends them, unmasked. An entry is either a tick's frames, one a channel, or a message to the whole
room. Who reads is a cursor, an index into the list: the feed knows no reader and holds no queue.

The feeds of a room are a chain, a new one for each battle. A room lets go of the old ones, and so
do the readers as they pass on: memory is what somebody can still ask for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

from protocol.codec import encode
from protocol.messages import (
    CHANNELS,
    MAX_DELAY_SECONDS,
    AnyToClient,
    BattleId,
    Channel,
    Position,
    RoomState,
    RoomUpdate,
    SnapshotMessage,
)

# A set of channels is the sum of their bits.
BIT: Final[dict[Channel, int]] = {channel: 1 << n for n, channel in enumerate(CHANNELS)}
BITS: Final = tuple(BIT.values())
ALL: Final = sum(BITS)
MASK_BITS: Final = len(BITS)

# Updates of the room that a feed keeps, besides those that somebody may yet be due to see. A room
# in which nobody ever fights has but one feed, and each update says all that those before it say.
UPDATES: Final = 256
SEEN_SECONDS: Final = MAX_DELAY_SECONDS + 60.0

NO_FRAMES: Final[dict[int, bytes]] = {}


def mask_of(channels: Iterable[Channel]) -> int:
    """The set of channels as bits."""
    return sum(BIT[channel] for channel in set(channels))


def text_frame(payload: bytes) -> bytes:
    """A whole WebSocket text message, as it goes out: unmasked, in one frame (RFC 6455, 5.2)."""
    size = len(payload)
    if size < 126:
        return b"\x81%c%b" % (size, payload)
    if size < 1 << 16:
        return b"\x81\x7e%b%b" % (size.to_bytes(2), payload)
    return b"\x81\x7f%b%b" % (size.to_bytes(8), payload)


def payload_of(frame: bytes) -> bytes:
    """What `text_frame` was given."""
    size = frame[1]
    return frame[2 if size < 126 else 4 if size == 126 else 10 :]


def wire_frames(frames: Mapping[Channel, bytes]) -> dict[int, bytes]:
    """A tick's frames, given as JSON, as they go out; by the channel's bit."""
    return {BIT[channel]: text_frame(data) for channel, data in frames.items()}


def framed(message: AnyToClient) -> bytes:
    """A message as it goes out."""
    return text_frame(encode(message))


class Entry:
    """One position of a feed: a tick's frames, or a message to the room."""

    __slots__ = ("_ready", "made_at", "message", "present", "room")

    def __init__(
        self,
        made_at: float,
        frames: dict[int, bytes],
        message: bytes | None = None,
        room: RoomState | None = None,
    ) -> None:
        self.made_at = made_at
        self.present = sum(frames)
        self.message = message
        self.room = room  # what the message says, where it is an update of the room
        self._ready: dict[int, bytes] = frames  # by set of channels; it grows

    def bytes_for(self, mask: int) -> bytes:
        """What a reader of these channels is sent; joined once for all who want the same."""
        if self.message is not None:
            return self.message
        wanted = mask & self.present
        data = self._ready.get(wanted)
        if data is None:
            data = b"".join(self._ready[bit] for bit in BITS if bit & wanted)
            self._ready[wanted] = data
        return data

    def count(self, mask: int) -> int:
        """How many frames a reader of these channels is sent."""
        return (mask & self.present).bit_count()


class Keyframe(NamedTuple):
    """The whole state, and where in the feed it stands: what follows it begins at `at`."""

    at: int
    message: SnapshotMessage
    data: bytes

    def skipping(self, frames: int) -> bytes:
        """The same for one who is moved on past this many frames."""
        if not frames:
            return self.data
        return framed(msgspec.structs.replace(self.message, skipped=frames))


class Feed:
    """The entries of one battle, or of the time before the first.

    `opening` is the room as it was told of before the first entry.
    """

    def __init__(
        self, number: int, battle: BattleId | None = None, opening: RoomState | None = None
    ) -> None:
        self.number = number  # in the room's chain: the round's; 0 before the first
        self.battle = battle
        self.entries: list[Entry] = []
        self.next: Feed | None = None
        self.snapshot: Callable[[], SnapshotMessage] | None = None  # of the battle as it stands
        # By channel, where its frames are, as far as anybody has asked for it.
        self._where: dict[Channel, list[int]] = {channel: [] for channel in CHANNELS}
        self._found_in = 0  # so many entries
        self._rooms: deque[tuple[int, RoomState]] = deque()  # the newest updates, and where
        self._opening = opening
        self._frames_end = 0
        self._keyframe: Keyframe | None = None
        # By the position and the channels, `at << MASK_BITS | mask`, until there is more.
        self.tails: dict[int, bytes] = {}
        self._refill: Callable[[], None] | None = None

    def fill_later(self, refill: Callable[[], None]) -> None:
        """What was in the feed is put there by this, as soon as anyone asks for it."""
        self._refill = refill

    def fill(self) -> None:
        """Puts what is lacking into a feed that is made again."""
        refill, self._refill = self._refill, None
        if refill is not None:
            refill()

    def say(self, message: AnyToClient, now: float) -> None:
        """Adds a message to the room."""
        room = message.room if isinstance(message, RoomUpdate) else None
        if room is not None:
            self._rooms.append((len(self.entries), room))
            self._let_go(now)
        self._append(Entry(now, {}, framed(message), room))

    def _let_go(self, now: float) -> None:
        """Of updates that newer ones make needless; their places and times stay."""
        while len(self._rooms) > UPDATES:
            at, room = self._rooms[0]
            made_at = self.entries[at].made_at
            if now - made_at <= SEEN_SECONDS:
                break
            self._rooms.popleft()
            self._opening = room
            self.entries[at] = Entry(made_at, NO_FRAMES, b"")

    def add_frames(self, frames: dict[int, bytes], now: float) -> None:
        """Adds a tick's frames, as `wire_frames` makes them. Nothing where there is none."""
        if not frames:
            return
        self._append(Entry(now, frames))
        self._frames_end = len(self.entries)
        self._keyframe = None

    def _append(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.tails.clear()

    def tail(self, at: int, mask: int) -> bytes:
        """All from a position to the end; made once for all who stand there, and then in `tails`.

        Empty at the end, and past it.
        """
        new = self.entries[at:]
        tail = new[0].bytes_for(mask) if len(new) == 1 else b"".join(e.bytes_for(mask) for e in new)
        self.tails[(at << MASK_BITS) | mask] = tail
        return tail

    def keyframe(self) -> Keyframe | None:
        """The state after the last frame; made once a position. None before the battle."""
        if self._keyframe is None and self.snapshot is not None and self._frames_end:
            message = self.snapshot()
            self._keyframe = Keyframe(self._frames_end, message, framed(message))
        return self._keyframe

    def room_at(self, until: float) -> RoomState | None:
        """The room as it was at a time, or where the feed begins; None where nobody was told."""
        known = [room for at, room in self._rooms if self.entries[at].made_at <= until]
        return known[-1] if known else self._opening

    def holds(self, last: Position, mask: int) -> bool:
        """Whether the last frames seen of these channels are there."""
        seen = ((getattr(last, channel), channel) for channel in CHANNELS if BIT[channel] & mask)
        return all(number < len(self._find(channel)) for number, channel in seen)

    def after(self, last: Position, channel: Channel) -> int:
        """The position of the first frame of a channel that comes after the last one seen.

        Where that frame is not there yet, it is the position after the channel's last frame; the
        entries in between hold no frame of this channel. Who has seen anything of a battle has
        been told that it begins, which is the feed's first entry.
        """
        where = self._find(channel)
        seen = min(getattr(last, channel), len(where) - 1)
        return where[seen] + 1 if seen >= 0 else 1

    def _find(self, channel: Channel) -> list[int]:
        """The positions of all frames of a channel."""
        for at in range(self._found_in, len(self.entries)):
            present = self.entries[at].present
            for one, bit in BIT.items():
                if bit & present:
                    self._where[one].append(at)
        self._found_in = len(self.entries)
        return self._where[channel]
