"""A replay: everything about a battle that has ended, for whoever wants to see or to check it.

It holds what was recorded and under which edition of the rules: after an update it still plays from
the record, and whoever fights it again can tell why that comes out otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
import orjson
from msgspec import Raw, Struct

from protocol.messages import BattleId, Result, RoomId, Seat, Speed
from server.edition import rules_digest
from server.journal.records import EndingRecord, Plain, RoundRecord
from server.journal.store import Fought

FORMAT: Final = 1


class UnknownFormat(ValueError):  # noqa: N818 - says which
    """The file is a replay, as another edition of this program writes them."""


class _Head(Struct):
    """What must be known of a replay before it can be read."""

    format: int


class Replay(Struct, frozen=True, kw_only=True):
    """What `/replays/{id}` gives. The log is its lines; times are seconds since 1970."""

    format: int
    id: BattleId
    room: RoomId
    round: int
    speed: Speed
    players: dict[Seat, str]
    engine: str  # its version
    catalog: str  # a digest of its definitions
    rules_digest: str
    rules: Plain
    boards: dict[Seat, Plain]
    commitment: str
    secret: str
    nonces: dict[Seat, str]
    seed: str
    started: float
    ended: float
    result: Result
    log: list[Raw]

    def log_bytes(self) -> bytes:
        """The log as it was recorded, however the file has been laid out since."""
        return b"".join(orjson.dumps(orjson.loads(memoryview(line))) + b"\n" for line in self.log)


def replay_of(fought: Fought) -> Replay:
    """The replay of a battle as it was kept."""
    record, ending = fought.record, fought.ending
    return Replay(
        format=FORMAT,
        id=record.battle,
        room=record.room,
        round=record.round,
        speed=record.speed,
        players=record.names,
        engine=record.engine,
        catalog=record.catalog,
        rules_digest=rules_digest(record.rules),
        rules=record.rules,
        boards=record.boards,
        commitment=record.commitment,
        secret=record.secret,
        nonces=record.nonces,
        seed=record.seed,
        started=record.started,
        ended=ending.ended,
        result=ending.result,
        log=[Raw(line) for line in fought.log.splitlines()],
    )


def encode(replay: Replay) -> bytes:
    """A replay as a file."""
    return msgspec.json.encode(replay)


def decode(data: bytes) -> Replay:
    """The replay of a file. Raises `UnknownFormat`, `msgspec.DecodeError` or
    `msgspec.ValidationError`."""
    try:
        found = msgspec.json.decode(data, type=_Head).format
        if found != FORMAT:
            raise UnknownFormat(f"is a replay of format {found}; this installation reads {FORMAT}")
        return msgspec.json.decode(data, type=Replay)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deep") from None


def listing(battles: Iterable[tuple[RoundRecord, EndingRecord]]) -> bytes:
    """The list of replays, the last one first, without what only a replay needs."""
    return orjson.dumps(
        {
            "replays": [
                {
                    "id": record.battle,
                    "room": record.room,
                    "round": record.round,
                    "players": record.names,
                    "winner": ending.result.winner,
                    "reason": ending.result.reason,
                    "tick": ending.result.tick,
                    "digest": ending.result.digest,
                    "ended": ending.ended,
                }
                for record, ending in battles
            ]
        }
    )
