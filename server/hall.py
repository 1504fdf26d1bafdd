"""The hall: all rooms of the server, and how they are made and found."""

from __future__ import annotations

import hmac
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

import structlog
import trio

from protocol.codes import ErrorCode
from protocol.messages import Create, Quick, RoomId, RoomState
from server.backstage import Backstage, Battles
from server.boards import BoardStore, MemoryBoards
from server.callers import Caller, Makers
from server.catalog import printed
from server.closing import Closing
from server.commands import Record, Refusal, Stored
from server.conduct import Conduct
from server.config import Config
from server.house import House, Options
from server.journal.clock import Clock, compare
from server.journal.records import BoardRecord, DropBoard, DropRoom, Kept
from server.journal.recovery import recover
from server.journal.rooms import stored_again
from server.journal.writer import Journal
from server.keepalive import Keepalive
from server.metrics import Exporter, Level, Metrics
from server.metronome import Metronome
from server.room import Room
from server.stage import Stage
from server.static import StaticFile, tagged
from server.streams import Streams
from server.watchdog import Watchdog

log = structlog.get_logger()


class Hall:
    """The map of rooms. A room is in it from the moment its maker has the seat until it closes."""

    def __init__(
        self,
        config: Config,
        metronome: Metronome,
        boards: BoardStore | None = None,
        journal: Journal | None = None,
        clock: Clock | None = None,
        watchdog: Watchdog | None = None,
    ) -> None:
        self.config = config
        self.hurries = False  # to its end: whoever stopped it will not wait
        self.greetings: set[trio.CancelScope] = set()  # of those who are yet to be let in
        self.dismissal: Callable[[], Closing] | None = None  # once all are dismissed
        self.metrics = Metrics()
        self.conduct = Conduct(config.limits)
        self.streams = Streams(config.catalog)
        self.keepalive = Keepalive(metronome, config.limits.ping_seconds, config.next_beat)
        self.exporter = Exporter(
            self.metrics,
            Level("connections", "Connections that are in a room.", lambda: len(self.keepalive)),
            Level("rooms", "Rooms that are open.", lambda: len(self)),
            Level("battles_running", "Battles that run.", lambda: len(self.battles)),
        )
        self._stages: dict[RoomId, Stage] = {}
        self._makers = Makers(config.limits)
        self._boards = boards or _sample_boards(config, self.metrics)
        self._backstage = Backstage(
            config=config,
            metronome=metronome,
            journal=journal or Journal(),
            clock=clock or compare(),
            boards=self._boards,
            watchdog=watchdog or Watchdog(config.limits.hang_seconds),
            metrics=self.metrics,
        )
        self._house = House(
            rules=config.rules,
            catalog=config.catalog,
            limits=config.limits,
            secret=config.mint.secret,
            stored=self._stored,
            tick_seconds=config.tick_seconds,
        )

    def _stored(self) -> Stored | None:
        """One that may be offered, under an id that tells nothing of it: its own is a hash of it,
        which whoever knows the boards of others could look up."""
        kept = self._boards.pick()
        return None if kept is None else replace(kept, id=self.config.mint.offer_id())

    @property
    def journal(self) -> Journal:
        return self._backstage.journal

    @property
    def watchdog(self) -> Watchdog:
        return self._backstage.watchdog

    @cached_property
    def printed(self) -> StaticFile:
        """What is printed on cards and runes, what it costs, and what a board may hold."""
        return tagged(printed(self.config.catalog, self.config.rules), "application/json")

    @property
    def draining(self) -> bool:
        """The server is about to stop: nothing new begins."""
        return self._backstage.draining

    @property
    def battles(self) -> Battles:
        """Those that run now."""
        return self._backstage.battles

    def __len__(self) -> int:
        return len(self._stages)

    def __iter__(self) -> Iterator[Stage]:
        return iter(tuple(self._stages.values()))

    def listing(self) -> list[RoomState]:
        """The public rooms as they were last told of, the newest last; none that is not kept yet,
        and so was told of to nobody."""
        public = (stage for stage in self._stages.values() if not stage.room.options.private)
        return [state for stage in public if (state := stage.state()).seq]

    def find(self, room_id: str) -> Stage:
        """Raises `Refusal` where there is no such room."""
        stage = self._stages.get(RoomId(room_id))
        if stage is None:
            raise Refusal(ErrorCode.NO_SUCH_ROOM)
        return stage

    def unlock(self, stage: Stage, key: str | None) -> None:
        """Raises `Refusal` where the room is private and this is not its key."""
        right = stage.key
        # Compared in constant time: how long it takes tells nothing about how much was right.
        if right is not None and not hmac.compare_digest(right.encode(), (key or "").encode()):
            raise Refusal(ErrorCode.WRONG_KEY)

    def build(self, hello: Create | Quick, caller: Caller) -> Stage:
        """A new room, which is in the hall once it is opened. Raises `Refusal`."""
        if self.draining:
            raise Refusal(ErrorCode.DRAINING)
        if len(self._stages) >= self.config.limits.rooms:
            raise Refusal(ErrorCode.TOO_MANY_ROOMS)
        self._makers.check(caller)
        key = None
        if isinstance(hello, Quick):
            options = Options(quick=True)
        else:
            key = hello.key
            options = Options(hello.speed, hello.best_of, private=key is not None)
        room = Room(self._free_id(), options, self._house, trio.current_time())
        return Stage(room, self._backstage, self._forget, key, caller)

    def open(self, stage: Stage) -> None:
        """The room's maker has their seat: it can be found from now on."""
        self._add(stage)
        options = stage.room.options
        stage.log.info("room opens", private=options.private, quick=options.quick)

    def waiting(self) -> Stage | None:
        """The room of somebody who waits in the queue for any opponent and is there; none any more
        once nothing new begins."""
        if self.draining:
            return None
        for stage in self._stages.values():
            room = stage.room
            present = all(player.away_since is None for _, player in room.match.players())
            if room.options.quick and room.phase == "waiting" and present:
                return stage
        return None

    def drain(self) -> None:
        """From now on nothing new begins, and everyone is told so, once."""
        if self.draining:
            return
        self._backstage.draining = True
        for stage in list(self._stages.values()):
            stage.announce_drain()

    def dismiss_all(self, closing: Callable[[], Closing]) -> None:
        """Closes every connection, those too that have not said a first message yet, or see the end
        of a room that has closed; rooms and sessions stay as they are."""
        self.dismissal = closing
        for follower in self.keepalive:
            follower.close(closing())
        for greeting in tuple(self.greetings):
            greeting.cancel()

    def take_over(self, kept: Kept) -> None:
        """All that the process before this one has left. A room that cannot be made again stays
        in the journal, and is logged; the others are there."""
        for board in kept.boards:
            self._take_over_board(board)
        for room_id in kept.unread:
            log.error("a room's record cannot be read", room=room_id)
        for kept_room in kept.rooms:
            if kept_room.record.phase == "closed":  # an older server wrote it once too often
                self.journal.put([DropRoom(kept_room.record.id, None)])
                continue
            try:
                stage = recover(kept_room, self._house, self._backstage, self._forget)
            except Exception:
                log.exception("a room cannot be made again", room=kept_room.record.id)
            else:
                if stage.room.phase != "closed":  # its end was due, or it has failed
                    self._add(stage)

    def _take_over_board(self, board: BoardRecord) -> None:
        if stored := stored_again(board, self._house):
            dropped = self._boards.keep(stored.name, stored.board)
            if dropped is not None:  # fewer are kept than were
                self.journal.put([DropBoard(dropped)])

    def _add(self, stage: Stage) -> None:
        self._stages[stage.room.id] = stage
        if stage.maker is not None:
            self._makers.add(stage.room.id, stage.maker)

    def _free_id(self) -> RoomId:
        while (room_id := self.config.mint.room_id()) in self._stages:
            pass
        return room_id

    def _forget(self, stage: Stage, record: Record) -> None:
        self._stages.pop(stage.room.id, None)
        self._makers.remove(stage.room.id)
        stage.log.info("room closes", why=record.why, rounds=stage.room.match.begun)


def _sample_boards(config: Config, metrics: Metrics) -> BoardStore:
    limits = config.limits
    # Which stored board is offered is chance, but nobody's secret.
    chance = random.Random()  # noqa: S311
    boards = MemoryBoards(limits.boards, chance, limits.boards_per_player, metrics)
    boards.add_samples(config.catalog, config.rules)
    return boards
