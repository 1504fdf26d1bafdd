"""The delta: from the ticks of a battle, the bytes that every follower of a channel is sent.

Frames are made once a battle and channel, never per client, and are a pure function of the setup
and the battle's id: run twice they are the same bytes, which is what resuming and recovery rest on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import orjson

from engine import EVENT_FIELDS, Battle, Event, UnitState, state_digest

from .messages import (
    CHANNELS,
    BattleId,
    Channel,
    NewUnit,
    Next,
    SnapshotMessage,
    UnitPatch,
)
from .view import View, difference
from .wire_events import LogLine, channel_of, write_events

# Once a second of the battle's own time.
DIGEST_TICKS: Final = 20

Frames = dict[Channel, bytes]


class FrameMaker:
    """Makes a battle's frames, tick by tick."""

    def __init__(self, battle: BattleId) -> None:
        self.battle = battle
        self.tick = -1  # the last one fed
        self._line = 0
        self._next: dict[Channel, int] = dict.fromkeys(CHANNELS, 0)
        self._view = View()

    def frames(
        self,
        tick: int,
        events: Sequence[Event],
        units: Iterable[UnitState],
        digest: str | None = None,
    ) -> Frames:
        """The frames of a tick: `events` are all that happened in it, `units` are at its end, and
        at least those that the events name.

        Ticks may be left out only where nothing but Charge changes, and no digest is due.
        """
        self.tick = tick
        runs = self._by_channel(events)
        for line in runs["tick"]:
            self._view.hear(line.event)
        changes = self._changes(units)
        frames: Frames = {}
        if changes or runs["tick"] or digest:
            end = [] if digest is None else [digest]
            frames["tick"] = self._frame("tick", changes, write_events(runs["tick"]), *end)
        for channel in ("revival", "vessel"):
            if run := runs[channel]:
                frames[channel] = self._frame(channel, write_events(run))
        return frames

    def snapshot(self, skipped: int = 0) -> SnapshotMessage:
        """The whole state after the last frames made, and the numbers that follow."""
        state = self._view.snapshot(self.tick)
        return SnapshotMessage(
            battle=self.battle,
            tick=self.tick,
            next=self.next,
            units=[list(unit) for unit in state.units],
            digest=state_digest(state),
            skipped=skipped,
        )

    @property
    def next(self) -> Next:
        """The number of the next frame of each channel."""
        return Next(**self._next)

    def _by_channel(self, events: Sequence[Event]) -> dict[Channel, list[LogLine]]:
        runs: dict[Channel, list[LogLine]] = {channel: [] for channel in CHANNELS}
        for line, event in enumerate(events, self._line):
            runs[channel_of(event)].append(LogLine(line, event))
        self._line += len(events)
        return runs

    def _changes(self, units: Iterable[UnitState]) -> dict[str, UnitPatch | NewUnit]:
        """What must be said of the units over what the events tell; new ones are told in full."""
        changes: dict[str, UnitPatch | NewUnit] = {}
        for unit in units:
            known = unit.id in self._view
            change: UnitPatch | NewUnit
            change = difference(self._view.at(unit.id, self.tick), unit) if known else list(unit)
            if change:
                changes[unit.id] = change
                self._view.put(unit, self.tick)
        return changes

    def _frame(self, channel: Channel, *body: object) -> bytes:
        number = self._next[channel]
        self._next[channel] = number + 1
        frame = [channel, self.battle, number, self.tick, *body]
        return orjson.dumps(frame, option=orjson.OPT_STRICT_INTEGER)


class FedTick(NamedTuple):
    """A tick of a battle, and the frames it makes: none when nothing is to be told."""

    tick: int
    frames: Frames


class FeedWriter:
    """Drives a battle and makes its frames: the ticks on which something happens, and once a
    second one that carries a digest all the same.
    """

    def __init__(self, battle: Battle, battle_id: BattleId) -> None:
        self.battle = battle
        self.maker = FrameMaker(battle_id)
        self._next_tick = 0
        self._eventful = True  # something can happen on it; else it is a digest's alone

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
        if self.over or tick % DIGEST_TICKS == 0:
            # All units, for the digest; and a battle's end may change what no event of its last
            # tick names: what each unit would gain next.
            snapshot = battle.snapshot()
            frames = self.maker.frames(tick, events, snapshot.units, state_digest(snapshot))
        else:
            units = [battle.unit(unit_id).state() for unit_id in _named(events)]
            frames = self.maker.frames(tick, events, units)
        if not self.over:
            eventful_tick = battle.next_tick()
            self._next_tick = min(eventful_tick, tick - tick % DIGEST_TICKS + DIGEST_TICKS)
            self._eventful = self._next_tick == eventful_tick
        return FedTick(tick, frames)


_ABOUT_A_UNIT: Final = frozenset(
    kind for kind, fields in EVENT_FIELDS.items() if fields[:1] == ("unit",)
)


def _named(events: Sequence[Event]) -> Iterable[str]:
    """The units that the events are about, each once, in the log's order."""
    return dict.fromkeys(str(event.values[0]) for event in events if event.kind in _ABOUT_A_UNIT)
