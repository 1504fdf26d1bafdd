"""Feeds with known bytes, and what a reader got out of them."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from websockets.frames import Close, Frame, Opcode
from websockets.protocol import Protocol, Side, State

from protocol.messages import (
    BattleId,
    Bye,
    Channel,
    Next,
    RoomId,
    RoomState,
    RoomUpdate,
    SnapshotMessage,
)
from server.feed import Feed, wire_frames


def room(seq: int) -> RoomState:
    return RoomState(
        id=RoomId("r"),
        seq=seq,
        phase="battle",
        private=False,
        speed=1,
        best_of=3,
        round=1,
        a=None,
        b=None,
        spectators=0,
        commitment=None,
        battle=None,
    )


class Written:
    """A feed that is written to as a battle would, a tick every second from 0 on."""

    def __init__(self, number: int = 1, battle: str = "r.1") -> None:
        self.feed = Feed(number, BattleId(battle))
        self.feed.snapshot = self.snapshot
        self.snapshots = 0
        self.tick = -1
        self._next: dict[Channel, int] = {"tick": 0, "revival": 0, "vessel": 0}
        self.say(f"begin {battle}")

    def say(self, words: str) -> None:
        """A message to the room that is no update."""
        self.feed.say(Bye(code=1000, reason=words), float(self.tick))

    def update(self, seq: int) -> None:
        self.feed.say(RoomUpdate(room=room(seq)), float(self.tick))

    def ticks(self, *channels: str) -> None:
        """A tick for each word, with a frame for each letter of it: t, r, v."""
        for letters in channels:
            self.tick += 1
            frames: dict[Channel, bytes] = {}
            for channel in self._next:
                if channel[0] in letters:
                    frames[channel] = orjson.dumps([channel, self._next[channel], self.tick])
                    self._next[channel] += 1
            self.feed.add_frames(wire_frames(frames), float(self.tick))

    def snapshot(self) -> SnapshotMessage:
        self.snapshots += 1
        return SnapshotMessage(
            battle=BattleId("r.1"),
            tick=self.tick,
            next=Next(**self._next),
            units=[],
            digest="d",
        )


class Reader:
    """Understands what a server sends, as far as it has come: `t0` for frame 0 of the tick channel,
    `snapshot 3 +2` for one of tick 3 that skipped two frames, the words of a message, `room 5` for
    an update of that number, and `ping` and `close 1013` for the frames that are no messages.

    Anything but whole, unmasked frames of these kinds fails.
    """

    def __init__(self) -> None:
        self._protocol = Protocol(Side.CLIENT, state=State.OPEN)

    def words(self, data: bytes) -> list[str]:
        self._protocol.receive_data(data)
        words = []
        for event in self._protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode is Opcode.TEXT:
                words.append(_word(orjson.loads(event.data)))
            elif event.opcode is Opcode.CLOSE:
                words.append(f"close {Close.parse(bytes(event.data)).code}")
            else:
                assert event.opcode is Opcode.PING
                words.append("ping")
        assert self._protocol.parser_exc is None, "the bytes are not what a server may send"
        return words


def read(data: bytes) -> list[str]:
    """What a reader understands who is sent just this: text messages, and nothing cut off."""
    words = Reader().words(data)
    assert "ping" not in words
    return words


def _word(value: Mapping[str, object] | list[object]) -> str:
    if isinstance(value, list):
        return f"{str(value[0])[0]}{value[1]}"
    match value:
        case {"type": "snapshot", "tick": tick}:
            return f"snapshot {tick} +{value.get('skipped', 0)}"
        case {"type": "room", "room": {"seq": seq}}:
            return f"room {seq}"
        case {"reason": reason}:
            return str(reason)
        case _:
            return str(value["type"])
