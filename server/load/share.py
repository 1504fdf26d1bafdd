"""How the clients of a load test are shared out among its processes, and what those say."""

from __future__ import annotations

from typing import Final

import msgspec

from protocol.messages import CHANNELS, Channel, Speed
from server.load.tally import Tally

# What spectators follow, in turn: half of them all there is.
MIXES: Final[tuple[tuple[Channel, ...], ...]] = (
    CHANNELS,
    ("tick",),
    CHANNELS,
    ("tick", "revival"),
    CHANNELS,
    ("revival", "vessel"),
)


class Wishes(msgspec.Struct, frozen=True):
    """What the load is to be. `bystanders` are rooms of two players and nobody else, which are
    measured apart: what they feel of the others."""

    url: str
    rooms: int
    spectators: int  # in each room
    bystanders: int = 0
    seconds: float = 30.0
    speed: Speed = 1
    pace: float = 1.0  # that the server was told
    churn: bool = False
    slow: bool = False
    verify: bool = False
    turnover: bool = False  # a room is left after its first battle, and another one made
    all_channels: bool = False  # instead of a mix
    seed: int = 0


class Share(msgspec.Struct, frozen=True):
    """One process's part: the slots whose players it is, and its spectators by slot.

    A slot is a room, or a succession of them.
    """

    wishes: Wishes
    number: int
    slots: list[int]
    spectators: dict[int, int]

    def is_aside(self, slot: int) -> bool:
        """Whether the slot is a bystander's."""
        return slot >= self.wishes.rooms

    @property
    def clients(self) -> int:
        return 2 * len(self.slots) + sum(self.spectators.values())


def share_out(wishes: Wishes, workers: int) -> list[Share]:
    """As even as it gets. The spectators of few rooms are spread over all processes."""
    slots: list[list[int]] = [[] for _ in range(workers)]
    spectators: list[dict[int, int]] = [{} for _ in range(workers)]
    for slot in range(wishes.rooms + wishes.bystanders):
        slots[slot % workers].append(slot)
    for slot in range(wishes.rooms):
        for worker in range(workers):
            # The odd ones out go to another process with each room.
            place = (worker - slot) % workers
            number = len(range(place, wishes.spectators, workers))
            if number:
                spectators[worker][slot] = number
    return [Share(wishes, n, slots[n], spectators[n]) for n in range(workers)]


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that a process is sent after its share."""

    room: tuple[int, str] | None = None  # a slot's room has opened
    measure: bool = False  # from now on
    end: bool = False


class Word(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that a process says."""

    room: tuple[int, str] | None = None
    tally: Tally | None = None
    end: Ending | None = None


class Ending(msgspec.Struct, frozen=True):
    """The last thing a process says. Lags are counts by milliseconds, by battle."""

    lags: dict[str, dict[int, int]]
    aside: dict[str, dict[int, int]]
    cpu_seconds: float  # while it was measured
