"""The exact bytes of a watched battle: rounds between sample boards, in rooms without a socket."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Final, NamedTuple

from engine import TICKS_PER_SECOND, Battle, Rules, base_catalog, sample_boards
from protocol.frames import writer_of
from protocol.messages import CHANNELS, AnyToClient, Ready, RoomId, SubmitBoard
from server.commands import Command, Ended, Enter, SessionId, StartBattle, Terms, ToRoom
from server.feed import framed, text_frame
from server.house import House, Options
from server.limits import Limits
from server.mint import ALPHABET, ROOM_ID_LENGTH
from server.room import Room
from server.telling import begin

PLAYERS: Final = (SessionId("Ada"), SessionId("Grace"))
PARTS: Final = (*CHANNELS, "begin", "result", "room")


class Watched(NamedTuple):
    """What a spectator of all three channels is sent of rounds, WebSocket's headers counted."""

    name: str
    battles: int
    seconds: float  # that they last
    parts: Counter[str]  # bytes, by the channel of frames and the type of messages
    told: int  # ticks that have frames, which go out in one write

    def rate(self, part: str = "") -> float:
        """Bytes a second of a part, or of all of them."""
        return (self.parts[part] if part else self.parts.total()) / self.seconds

    @property
    def writes(self) -> float:
        """Writes a second, of frames."""
        return self.told / self.seconds

    @staticmethod
    def together(rounds: Sequence[Watched]) -> Watched:
        """All of these rounds, watched one after another."""
        seconds = sum(one.seconds for one in rounds)
        parts = sum((one.parts for one in rounds), Counter[str]())
        told = sum(one.told for one in rounds)
        return Watched(f"all {len(rounds)} pairings", len(rounds), seconds, parts, told)


def every_pairing() -> Iterator[Watched]:
    """A round of every sample board against every one, itself too."""
    for seed, boards in enumerate(product(sorted(sample_boards()), repeat=2)):
        yield _Hall(seed).fight(*boards)


class _Hall:
    """One room, with the same chance every time."""

    def __init__(self, seed: int) -> None:
        self._parts: Counter[str] = Counter()
        self._told = 0
        self._terms: Terms | None = None
        dice = Random(seed)
        house = House(
            rules=Rules(),
            catalog=base_catalog(),
            limits=Limits(),
            secret=lambda: dice.randbytes(32),
            stored=lambda: None,
            tick_seconds=lambda speed: 1 / (TICKS_PER_SECOND * speed),
        )
        room = RoomId("".join(dice.choice(ALPHABET) for _ in range(ROOM_ID_LENGTH)))
        self._room = Room(room, Options(best_of=9), house, 0.0)

    def fight(self, a: str, b: str) -> Watched:
        """A round as it is in the middle of a series: from the first `ready` to the next one."""
        for player in PLAYERS:
            self._do(Enter(player), player)
        for player, board in zip(PLAYERS, (a, b), strict=True):
            self._do(SubmitBoard(sample_boards()[board]), player)
        self._parts.clear()  # what was said before is said once a series
        self._told = 0
        for player in PLAYERS:
            self._do(Ready(f"{player:-<22}"), player)
        if self._terms is None:
            raise AssertionError("both are ready, and no battle begins")
        seconds = self._battle(self._terms)
        return Watched(f"{a}, {b}", 1, seconds, self._parts, self._told)

    def _battle(self, terms: Terms) -> float:
        """Watches the battle; how many seconds it lasts."""
        battle = Battle(terms.setup)
        writer = writer_of(battle, terms.battle)
        while not writer.over:
            frames = writer.step().frames
            self._told += bool(frames)
            for channel, data in frames.items():
                self._parts[channel] += len(text_frame(data))
        assert battle.result is not None, "a battle that is over has a result"
        self._do(Ended(terms.battle, *battle.result))
        return battle.tick / TICKS_PER_SECOND

    def _do(self, command: Command, by: SessionId | None = None) -> None:
        for effect in self._room.handle(command, by, 0.0):
            if isinstance(effect, ToRoom):
                self._say(effect.message)
            elif isinstance(effect, StartBattle):
                self._terms = effect.terms
                self._say(begin(effect.terms))

    def _say(self, message: AnyToClient) -> None:
        self._parts[str(message.__struct_config__.tag)] += len(framed(message))
