"""What one client has been told of its room's battles: the numbers checked, and all in its mirror.

Most clients look at a frame's head alone. Some run the full mirror, which checks every digest, and
put the log together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

from protocol.codec import Undecodable, decode_to_client
from protocol.logbook import Logbook, LogTorn
from protocol.messages import (
    CHANNELS,
    BattleId,
    Begin,
    Channel,
    Position,
    Result,
    RevivalFrame,
    Seat,
    Sequence,
    SnapshotMessage,
    TickFrame,
    VesselFrame,
)
from protocol.mirror import DigestMismatch, Mirror, MirrorError
from protocol.sources import Sources
from server.load.tally import Tally
from server.load.wire import TEXT, FrameReader, NotOurs

# Of a frame, whatever the lengths of its numbers: channel, battle, number and tick.
HEAD_BYTES: Final = 64
MOST_HEADS: Final = 4096
MOST_SHARED_BYTES: Final = 4096
FRAME: Final = b"["  # how a frame's payload begins, and nothing else's
_TICK: Final = CHANNELS.index("tick")
_HEAD: Final = msgspec.json.Decoder(tuple[Channel, str, Sequence, Sequence])


class Head(NamedTuple):
    """How a frame begins."""

    channel: int  # index in CHANNELS
    battle: str
    number: int
    tick: int


class Heads:
    """Reads the heads of frames; each once, though a thousand clients get it."""

    def __init__(self) -> None:
        self._known: dict[bytes, Head] = {}
        self._pieces: dict[bytes, tuple[Head, ...]] = {}

    def of(self, piece: bytes) -> tuple[Head, ...]:
        """Of what was received in one piece; none where that is not whole frames alone, or more
        than others are likely to get as well. Raises `NotOurs` as `read` does."""
        if len(piece) > MOST_SHARED_BYTES or FRAME not in (piece[2:3], piece[4:5]):
            return ()
        heads = self._pieces.get(piece, ())
        if not heads and (heads := self._read_all(piece)):
            if len(self._pieces) >= MOST_HEADS:
                self._pieces.clear()
            self._pieces[piece] = heads
        return heads

    def _read_all(self, piece: bytes) -> tuple[Head, ...]:
        reader = FrameReader()
        found = list(reader.feed(piece))
        if reader.is_clear and all(kind == TEXT and data[:1] == FRAME for kind, data in found):
            return tuple([self.read(data) for _, data in found])
        return ()

    def read(self, payload: bytes) -> Head:
        """Raises `NotOurs` for what is no frame."""
        start = payload[:HEAD_BYTES]
        head = self._known.get(start)
        if head is None:
            if len(self._known) >= MOST_HEADS:
                self._known.clear()
            head = self._known[start] = _read(start)
        return head


def _read(start: bytes) -> Head:
    try:
        channel, battle, number, tick = _HEAD.decode(b",".join(start.split(b",")[:4]) + b"]")
    except msgspec.MsgspecError:
        raise NotOurs("frame of no battle") from None
    return Head(CHANNELS.index(channel), battle, number, tick)


class Follow:
    """The place of one client in its room's battles, across its connections."""

    def __init__(self, channels: Iterable[Channel], tally: Tally) -> None:
        self.battle: str | None = None
        self._channels = tuple(channels)
        self._tally = tally
        self._next = [0] * len(CHANNELS)
        self._tick = -1

    def begin(self, battle: str) -> None:
        self.battle = battle
        self._next = [0] * len(CHANNELS)
        self._tick = -1

    def load(self, snapshot: SnapshotMessage) -> None:
        """Everything before the snapshot's numbers is in it, or was left out and said to be."""
        self._next = [getattr(snapshot.next, channel) for channel in CHANNELS]
        self._tick = snapshot.tick
        self._tally.skipped += snapshot.skipped

    def frame(self, head: Head) -> bool:
        """Counts what is missing before this frame; whether it is a new one."""
        channel, battle, number, tick = head
        if battle != self.battle:
            self._tally.gaps += 1  # at least: the battle's beginning is missing
            self.begin(battle)
        expected = self._next[channel]
        if number < expected:
            self._tally.doubles += 1
            return False
        self._tally.gaps += number - expected
        self._next[channel] = number + 1
        if channel == _TICK:
            self._tick = tick
        return True

    def end(self, result: Result) -> None:
        """The last tick that ran has a frame; no number would show that it is missing."""
        whole = result.battle == self.battle and result.digest is not None
        if whole and "tick" in self._channels and self._tick != result.tick:
            self._tally.gaps += 1

    def position(self) -> Position | None:
        """What was seen last, as `resume` says it."""
        if self.battle is None:
            return None
        seen = {channel: n - 1 for channel, n in zip(CHANNELS, self._next, strict=True)}
        return Position(battle=BattleId(self.battle), **seen)


class Verifier:
    """The full mirror of a client, and the whole log where all of it was followed."""

    def __init__(self, channels: Iterable[Channel], tally: Tally) -> None:
        self._mirror = Mirror()
        self._follows_all = set(channels) == set(CHANNELS)
        self._logbook: Logbook | None = None
        self._tally = tally

    def take(self, payload: bytes) -> None:
        """Takes in a message. Gaps and doubles are counted by whoever looks at the heads."""
        before = self._mirror.digests_checked
        try:
            self._take(payload)
        except DigestMismatch:
            self._tally.digest_failures += 1
        except (MirrorError, LogTorn):
            self._logbook = None
        except Undecodable:
            self._tally.error("undecodable")
        self._tally.digests += self._mirror.digests_checked - before

    def _take(self, payload: bytes) -> None:
        match decode_to_client(payload):
            case Begin(battle=battle, boards=boards):
                self._mirror.begin(battle)
                self._logbook = self._open_logbook(boards)
            case SnapshotMessage() as snapshot:
                self._logbook = None
                self._mirror.load(snapshot)
            case TickFrame() | RevivalFrame() | VesselFrame() as frame:
                self._mirror.apply(frame)
                if self._logbook is not None:
                    self._logbook.add(frame)
            case Result() as result:
                self._compare(result)

    def _open_logbook(self, boards: Mapping[Seat, Mapping[str, object]]) -> Logbook | None:
        try:
            return Logbook(Sources(boards)) if self._follows_all else None
        except ValueError as error:
            raise Undecodable(f"no boards: {error}") from None

    def _compare(self, result: Result) -> None:
        logbook, self._logbook = self._logbook, None
        if logbook is None or result.digest is None or result.battle != self._mirror.battle:
            return
        self._tally.digests += 1
        try:
            same = logbook.digest() == result.digest
        except LogTorn:
            same = False
        self._tally.digest_failures += not same
