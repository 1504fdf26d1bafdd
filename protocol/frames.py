"""The delta: from the ticks of a battle, the bytes that every follower of a channel is sent.

Frames are made once a battle and channel, never per client, and are a pure function of the setup
and the battle's id: run twice they are the same bytes, which is what resuming and recovery rest on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar, cast

import orjson

from engine import EVENT_FIELDS, Battle, Event, Setup, Snapshot, UnitState

from .messages import (
    CHANNELS,
    BattleId,
    Channel,
    NewUnit,
    Next,
    SnapshotMessage,
    UnitPatch,
)
from .sources import Sources
from .view import View
from .wire_events import write_events

# Raise it whenever a battle makes other frames than before: then no server takes up a battle whose
# frames it would make otherwise than they were sent.
FRAMES_EDITION: Final = 4

# A second of a battle is so many ticks, the first of them divisible by it. One frame of each second
# has a digest: its first, which costs a write anyway, or one of its own on its last tick.
DIGEST_TICKS: Final = 20

Frames = dict[Channel, bytes]


class FrameMaker:
    """Makes a battle's frames, tick by tick."""

    def __init__(self, battle: BattleId, sources: Sources) -> None:
        self.battle = battle
        self.tick = -1  # the last one fed
        self._sources = sources
        self._line = 0
        self._next: dict[Channel, int] = dict.fromkeys(CHANNELS, 0)
        self._view = View()

    def frames(
        self,
        tick: int,
        events: Sequence[Event],
        units: Iterable[UnitState],
        *,
        with_digest: bool,
    ) -> Frames:
        """The frames of a tick: `events` are all that happened in it, `units` are at its end, and
        at least those of which the events may not say all.

        Ticks may be left out only where nothing but Charge changes, and no digest is to go out.
        """
        self.tick = tick
        runs = write_events(self._line, events, self._sources)
        self._line += len(events)
        for event in events:
            self._view.hear(event)
        changes: dict[str, UnitPatch | NewUnit] = {}
        for unit in units:
            if change := self._view.correct(unit, tick):
                changes[unit.id] = change
        frames: Frames = {}
        tail: list[object] = [changes] if changes else []
        if with_digest:
            tail = [changes, self._view.digest(tick)]
        if tail or "tick" in runs:
            frames["tick"] = self._frame("tick", runs.get("tick", []), *tail)
        if "revival" in runs:
            frames["revival"] = self._frame("revival", runs["revival"])
        if "vessel" in runs:
            frames["vessel"] = self._frame("vessel", runs["vessel"])
        return frames

    def snapshot(self, skipped: int = 0) -> SnapshotMessage:
        """The whole state after the last frames made, and the numbers that follow."""
        units = self._view.snapshot(self.tick).units
        return SnapshotMessage(
            battle=self.battle,
            tick=self.tick,
            next=self.next,
            units=[list(unit) for unit in units],
            digest=self._view.digest(self.tick),
            skipped=skipped,
        )

    def copy(self) -> FrameMaker:
        """Another one that has made the same so far."""
        other = FrameMaker(self.battle, self._sources)
        other.tick = self.tick
        other._line = self._line
        other._next = self._next.copy()
        other._view = self._view.copy()
        return other

    @property
    def next(self) -> Next:
        """The number of the next frame of each channel."""
        return Next(**self._next)

    def _frame(self, channel: Channel, *body: object) -> bytes:
        number = self._next[channel]
        self._next[channel] = number + 1
        frame = [channel, self.battle, number, self.tick, *body]
        return orjson.dumps(frame, option=orjson.OPT_STRICT_INTEGER)


class FedTick(NamedTuple):
    """A tick of a battle, and the frames it makes: none when nothing is to be told."""

    tick: int
    frames: Frames


class Steps(Protocol):
    """A battle as its frames are made of it: the engine's, or the recording of one."""

    tick: int
    over: bool

    def next_tick(self) -> int: ...
    def step(self) -> list[Event]: ...
    def advance(self, tick: int) -> list[Event]: ...
    def state(self, unit_id: str) -> UnitState: ...
    def snapshot(self) -> Snapshot: ...


StepsT = TypeVar("StepsT", bound=Steps)


class FeedWriter(Generic[StepsT]):
    """Drives a battle and makes its frames: the ticks on which something happens, and the last of a
    second in which nothing does.
    """

    def __init__(self, battle: StepsT, battle_id: BattleId, sources: Sources) -> None:
        self.battle = battle
        self.maker = FrameMaker(battle_id, sources)
        self._next_tick = 0
        self._eventful = True  # something can happen on it; else it is a digest's alone
        self._second = 0  # the first tick of the one whose digest is to come

    @property
    def over(self) -> bool:
        """The battle is over, and its last frames are made."""
        return self.battle.over

    def next_tick(self) -> int:
        """The tick that `step` will run: what the server waits for, until the battle is over."""
        return self._next_tick

    def step(self) -> FedTick:
        """Run the battle to the end of `next_tick()`. Only while it is not over."""
        battle = self.battle
        events = battle.step() if self._eventful else battle.advance(self._next_tick)
        tick = battle.tick
        with_digest = self._carries_digest(tick, events)
        units: Iterable[UnitState] = ()  # on a digest's own tick only Charge has moved
        if self.over:
            # A battle's end may change what no event of its last tick names.
            units = battle.snapshot().units
        elif self._eventful:
            units = [battle.state(unit_id) for unit_id in _named(events)]
        frames = self.maker.frames(tick, events, units, with_digest=with_digest)
        if with_digest:
            self._second += DIGEST_TICKS
        if not self.over:
            eventful_tick = battle.next_tick()
            self._next_tick = min(eventful_tick, self._second + DIGEST_TICKS - 1)
            self._eventful = self._next_tick == eventful_tick
        return FedTick(tick, frames)

    def _carries_digest(self, tick: int, events: Sequence[Event]) -> bool:
        """Whether a digest goes with what happened on `tick`. The last one always has one."""
        waited = tick - self._second
        return self.over or waited == DIGEST_TICKS - 1 or (waited >= 0 and bool(events))


def writer_of(battle: Battle, battle_id: BattleId) -> FeedWriter[Battle]:
    """The writer of a battle that is fought now."""
    return FeedWriter(battle, battle_id, sources_of(battle.setup))


def sources_of(setup: Setup) -> Sources:
    """As everyone else makes them from `begin`, which has these boards."""
    a, b = setup.boards
    return Sources({"a": a.to_object(), "b": b.to_object()})


# Events that say of their unit all that they change in it; the others may change more, its Charge
# too. A death comes with an event of its own.
_TELLING_ALL: Final = frozenset(
    ("activation", "strike", "line", "fallback", "damage", "heal", "ward", "endure")
)
_ABOUT_A_UNIT: Final = frozenset(
    kind
    for kind, fields in EVENT_FIELDS.items()
    if fields[:1] == ("unit",) and kind not in _TELLING_ALL
)


def _named(events: Sequence[Event]) -> list[str]:
    """The units of which the events may not say all, each once, in the log's order."""
    named: dict[str, None] = {}
    for event in events:
        if event.kind in _ABOUT_A_UNIT:
            named[cast("str", event.values[0])] = None
    return list(named)
