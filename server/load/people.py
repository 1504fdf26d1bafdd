"""The two kinds of simulated clients: players, who fight, and spectators, who come to see it."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final, Literal

from engine import sample_boards
from protocol.codec import encode
from protocol.messages import (
    CHANNELS,
    PROTOCOL_VERSION,
    BattleId,
    Channel,
    Create,
    FirstMessage,
    Join,
    Leave,
    PlayerMessage,
    Ready,
    Rematch,
    RoomId,
    RoomState,
    Seat,
    SubmitBoard,
    Watch,
    Welcome,
)
from server.load.client import Client, World
from server.load.link import Link
from server.load.tally import Lags

Pace = Literal["", "trickle", "deaf"]

# One who trickles reads so much so often; one who is deaf reads nothing for so long.
TRICKLE_BYTES: Final = 128
TRICKLE_SECONDS: Final = 0.5
DEAF_SECONDS: Final = 20.0
# Nobody asks for the next battle in the same instant.
READY_SECONDS: Final = (0.0, 0.5)


class Rooms:
    """Which room each slot has now, and who waits for it."""

    def __init__(self, tell: Callable[[int, str], None]) -> None:
        self._tell = tell
        self._ids: dict[int, str] = {}
        self._waiting: defaultdict[int, list[Callable[[], None]]] = defaultdict(list)

    def get(self, slot: int) -> RoomId:
        return RoomId(self._ids[slot])

    def opened(self, slot: int, room: str) -> None:
        """A player of this process has made the slot's room; the others hear of it."""
        self._tell(slot, room)

    def is_now(self, slot: int, room: str) -> None:
        """The slot has this room now: lets in who waited for it."""
        self._ids[slot] = room
        for call in self._waiting.pop(slot, []):
            call()

    def wait(self, slot: int, old: str, call: Callable[[], None]) -> None:
        """Calls when the slot has another room than `old`, which may be now."""
        if self._ids.get(slot, old) != old:
            call()
        else:
            self._waiting[slot].append(call)


class Player(Client):
    """Fights with sample boards, one battle after another."""

    listens = True

    def __init__(
        self, world: World, rooms: Rooms, slot: int, seat: Seat, lags: Lags, *, verify: bool
    ) -> None:
        super().__init__(world, CHANNELS, lags, verify=verify)
        self._rooms = rooms
        self._slot = slot
        self._seat: Seat = seat
        self._last_room = ""
        self._asked: set[object] = set()  # what has been answered already
        self._fought: set[BattleId] = set()

    def come(self) -> None:
        if self._seat == "a":
            self.enter()
        else:
            self._rooms.wait(self._slot, self._last_room, self.enter)

    def first(self) -> tuple[str, FirstMessage]:
        name = f"{self._seat} of {self._slot}"
        if self._seat == "a":
            wishes = self.world.wishes
            best_of = 1 if wishes.turnover else 9
            create = Create(
                version=PROTOCOL_VERSION, name=name, speed=wishes.speed, best_of=best_of
            )
            return "/rooms/new", create
        room = self._rooms.get(self._slot)
        return f"/rooms/{room}", Join(version=PROTOCOL_VERSION, name=name)

    def welcomed(self, welcome: Welcome, /) -> None:
        if self.room != self._last_room:
            self._asked.clear()
            self._last_room = self.room
            if self._seat == "a":
                self._rooms.opened(self._slot, self.room)
        self.room_is(welcome.room)

    def room_is(self, room: RoomState) -> None:
        seat = room.a if self._seat == "a" else room.b
        if seat is None:
            return
        if room.phase == "building" and not seat.ready:
            self._soon(("ready", room.round), self._get_ready)
        elif room.phase == "over" and not seat.rematch and not self.world.wishes.turnover:
            self._soon(("rematch", room.round), lambda: self._say(Rematch()))

    def battle_over(self, battle: BattleId) -> None:
        if self._seat == "a" and battle not in self._fought:  # else told again, on a resume
            self._fought.add(battle)
            self.world.tally.battles += 1
        if self.world.wishes.turnover and self._seat == "a":
            self._in_time(lambda: self._say(Leave()), READY_SECONDS[1])
        elif self.world.wishes.turnover:
            self._say(Leave())

    def bow_out(self) -> None:
        """The test is over: gives up the seat, so that the room closes."""
        self._say(Leave())

    def _soon(self, what: object, call: Callable[[], None]) -> None:
        """Answers once on each connection: whether an earlier one's answer came is not known, but
        the welcome of this one says what is still asked."""
        link = self.link
        if (what, link) not in self._asked:
            self._asked.add((what, link))
            delay = self.world.dice.uniform(*READY_SECONDS)
            self._in_time(lambda: call() if self.link is link else None, delay)

    def _in_time(self, call: Callable[[], None], seconds: float) -> None:
        """Calls after seconds that pass as the server's battles do."""
        self.say_soon(call, seconds / self.world.wishes.pace)

    def _get_ready(self) -> None:
        boards = sample_boards()
        self._say(SubmitBoard(boards[self.world.dice.choice(sorted(boards))]))
        self._say(Ready(secrets.token_urlsafe(16)))

    def _say(self, message: PlayerMessage) -> None:
        if self.link is not None and self.is_in:
            self.link.say(encode(message))


class Spectator(Client):
    """Looks on, and says nothing. `pace` is how it reads."""

    def __init__(
        self,
        world: World,
        rooms: Rooms,
        slot: int,
        channels: Sequence[Channel],
        lags: Lags,
        *,
        verify: bool,
        pace: Pace = "",
    ) -> None:
        self._pace: Pace = pace
        super().__init__(world, channels, lags, verify=verify)
        self._rooms = rooms
        self._slot = slot
        self._last_room = ""

    @property
    def reads_slowly(self) -> bool:
        return bool(self._pace)

    def come(self) -> None:
        self._rooms.wait(self._slot, self._last_room, self.enter)

    def first(self) -> tuple[str, FirstMessage]:
        path = f"/rooms/{self._rooms.get(self._slot)}"
        return path, Watch(version=PROTOCOL_VERSION, channels=self.channels)

    def welcomed(self, _: Welcome, /) -> None:
        self._last_room = self.room
        link = self.link
        if self._pace and link is not None:
            link.pause()
            # Not at once: this is in the middle of a read.
            self.say_soon(lambda: self._read_slowly(link), 0.0)

    def _read_slowly(self, link: Link) -> None:
        """Reads as its pace says, for as long as this connection lasts."""
        if self.link is not link:
            return
        if self._pace == "trickle":
            link.read(TRICKLE_BYTES)
            self.say_soon(lambda: self._read_slowly(link), TRICKLE_SECONDS)
        else:
            self.say_soon(lambda: self._wake_up(link), DEAF_SECONDS)

    def _wake_up(self, link: Link) -> None:
        while self.link is link and link.read():
            pass
        self._read_slowly(link)
