"""The hall: all rooms of the server, how they are made and found, and what stays of them."""

from __future__ import annotations

import hmac
import random
from collections import deque

import structlog
import trio

from protocol.codes import ErrorCode
from protocol.messages import Create, Quick, RoomId, RoomState
from server.boards import MemoryBoards
from server.commands import Record, Refusal
from server.config import Config
from server.delivery import Closing
from server.metronome import Metronome
from server.room import House, Options, Room
from server.stage import Stage

log = structlog.get_logger()


class Hall:
    """The map of rooms. A room is in it from the moment its maker has the seat until it closes."""

    def __init__(self, config: Config, metronome: Metronome) -> None:
        self.config = config
        self.records: deque[Record] = deque(maxlen=config.limits.records)
        self.draining = False
        self._metronome = metronome
        self._stages: dict[RoomId, Stage] = {}
        self._keys: dict[RoomId, str] = {}
        # Which stored board is offered is chance, but nobody's secret.
        self._boards = MemoryBoards(config.limits.boards, random.Random())  # noqa: S311
        self._boards.add_samples(config.catalog, config.rules)
        self._house = House(
            rules=config.rules,
            catalog=config.catalog,
            limits=config.limits,
            secret=config.mint.secret,
            stored=self._boards.pick,
            tick_seconds=config.tick_seconds,
        )

    def __len__(self) -> int:
        return len(self._stages)

    def listing(self) -> list[RoomState]:
        """The public rooms, the newest last."""
        return [s.room.state() for s in self._stages.values() if not s.room.options.private]

    def find(self, room_id: str) -> Stage:
        """Raises `Refusal` where there is no such room."""
        stage = self._stages.get(RoomId(room_id))
        if stage is None:
            raise Refusal(ErrorCode.NO_SUCH_ROOM)
        return stage

    def unlock(self, stage: Stage, key: str | None) -> None:
        """Raises `Refusal` where the room is private and this is not its key."""
        right = self._keys.get(stage.room.id)
        # Compared in constant time: how long it takes tells nothing about how much was right.
        if right is not None and not hmac.compare_digest(right.encode(), (key or "").encode()):
            raise Refusal(ErrorCode.WRONG_KEY)

    def build(self, hello: Create | Quick) -> Stage:
        """A new room, which is in the hall once it is opened. Raises `Refusal`."""
        if self.draining:
            raise Refusal(ErrorCode.DRAINING)
        if len(self._stages) >= self.config.limits.rooms:
            raise Refusal(ErrorCode.TOO_MANY_ROOMS)
        if isinstance(hello, Quick):
            options = Options(quick=True)
        else:
            options = Options(hello.speed, hello.best_of, private=hello.key is not None)
        room = Room(self._free_id(), options, self._house, trio.current_time())
        return Stage(room, self.config, self._metronome, self._boards.keep, self._forget)

    def open(self, stage: Stage, key: str | None) -> None:
        """The room's maker has their seat: it can be found from now on."""
        self._stages[stage.room.id] = stage
        if key is not None:
            self._keys[stage.room.id] = key
        stage.log.info("room opens", private=key is not None, quick=stage.room.options.quick)

    def waiting(self) -> Stage | None:
        """The room of somebody who waits in the queue for any opponent and is there."""
        for stage in self._stages.values():
            room = stage.room
            if room.options.quick and room.phase == "waiting":
                players = [player for player in room.seats.values() if player]
                if all(player.away_since is None for player in players):
                    return stage
        return None

    def dismiss_all(self, closing: Closing) -> None:
        """Closes every connection; rooms and sessions stay as they are."""
        for stage in self._stages.values():
            stage.dismiss_all(closing)

    def _free_id(self) -> RoomId:
        while (room_id := self.config.mint.room_id()) in self._stages:
            pass
        return room_id

    def _forget(self, stage: Stage, record: Record) -> None:
        self._stages.pop(stage.room.id, None)
        self._keys.pop(stage.room.id, None)
        self.records.append(record)
        rounds = record.state.round if record.state.battle else 0
        stage.log.info("room closes", why=record.why, rounds=rounds)
