"""The mirror: from a snapshot and frames, the exact state of a battle at every tick.

It checks all that it is given: each channel's numbers for gaps and doubles, each digest against
its own state. Whatever it refuses leaves it as it was. Fed only the channels `revival` and
`vessel` it holds no state and checks the numbers alone.
"""

from __future__ import annotations

from typing import cast

import msgspec

from engine import Snapshot, UnitState, state_digest

from .messages import (
    CHANNELS,
    BattleId,
    Channel,
    Frame,
    NewUnit,
    Position,
    SnapshotMessage,
    TickFrame,
    UnitPatch,
)
from .view import AT, View
from .wire_events import read_events


class MirrorError(Exception):
    """What was fed cannot follow what is held; nothing was taken from it."""


class OtherBattle(MirrorError):  # noqa: N818 - these say what was met
    """A frame of a battle that the mirror is not in."""


class Gap(MirrorError):  # noqa: N818
    """Frames are missing: a later number came than the one expected."""


class Double(MirrorError):  # noqa: N818
    """A frame came whose number was seen before."""


class Torn(MirrorError):  # noqa: N818
    """What came does not fit the state: an unknown unit or field, or a tick that is past."""


class DigestMismatch(MirrorError):  # noqa: N818
    """The state that follows is not the one the server has."""


class Mirror:
    """One battle, as far as it has been told."""

    def __init__(self) -> None:
        self.battle: BattleId | None = None
        self.tick = -1  # of the last tick frame or snapshot
        self.digests_checked = 0
        self._next: dict[Channel, int] = {}
        self._view = View()

    def begin(self, battle: BattleId) -> None:
        """A new battle: number 0 of every channel is next."""
        self.battle = battle
        self.tick = -1
        self._next = dict.fromkeys(CHANNELS, 0)
        self._view = View()

    def load(self, snapshot: SnapshotMessage) -> None:
        """Start, or start again, from a snapshot. Raises `Torn` or `DigestMismatch`."""
        view = View()
        try:
            for values in snapshot.units:
                view.put(_unit(values), snapshot.tick)
        except (LookupError, ValueError) as error:
            raise Torn(f"the snapshot of tick {snapshot.tick}: {error}") from error
        self._check_digest(view.snapshot(snapshot.tick), snapshot.digest)
        self.battle = snapshot.battle
        self.tick = snapshot.tick
        self._next = {channel: getattr(snapshot.next, channel) for channel in CHANNELS}
        self._view = view

    def apply(self, frame: Frame) -> None:
        """Take in the next frame of its channel. Raises a `MirrorError` and stays as it was."""
        channel = channel_of_frame(frame)
        self._check_place(frame, channel)
        if isinstance(frame, TickFrame):
            self._apply_tick(frame)
        self._next[channel] += 1

    def state_at(self, tick: int) -> Snapshot:
        """All units at the end of `tick`: the last one told, or a later one before the next frame.

        Raises `ValueError` for an earlier tick, and for a mirror that follows no ticks.
        """
        if not 0 <= self.tick <= tick:
            raise ValueError(f"tick {tick} is not held: the mirror is at {self.tick}")
        return self._view.snapshot(tick)

    @property
    def position(self) -> Position | None:
        """The numbers last seen, as `resume` says them; None before any battle."""
        if self.battle is None:
            return None
        seen = {channel: number - 1 for channel, number in self._next.items()}
        return Position(battle=self.battle, **seen)

    def _check_place(self, frame: Frame, channel: Channel) -> None:
        if frame.battle != self.battle:
            raise OtherBattle(f"a frame of {frame.battle}, in {self.battle}")
        expected = self._next[channel]
        if frame.seq > expected:
            raise Gap(f"{channel} {frame.seq} came, {expected} is next")
        if frame.seq < expected:
            raise Double(f"{channel} {frame.seq} came again, {expected} is next")

    def _apply_tick(self, frame: TickFrame) -> None:
        if frame.tick <= self.tick:
            raise Torn(f"tick {frame.tick} came after {self.tick}")
        view = self._view.copy()
        try:
            for _, event in read_events(frame):
                view.hear(event)
            for unit_id, change in frame.units.items():
                view.put(_changed(view, unit_id, change, frame.tick), frame.tick)
        except (LookupError, TypeError, ValueError) as error:
            raise Torn(f"{frame.seq} of tick {frame.tick} does not fit: {error}") from error
        if frame.digest is not None:
            self._check_digest(view.snapshot(frame.tick), frame.digest)
        self._view = view
        self.tick = frame.tick

    def _check_digest(self, state: Snapshot, digest: str) -> None:
        found = state_digest(state)
        if found != digest:
            raise DigestMismatch(f"tick {state.tick}: {found} here, {digest} there")
        self.digests_checked += 1


def channel_of_frame(frame: Frame) -> Channel:
    """The channel a frame is of."""
    return cast("Channel", frame.__struct_config__.tag)


def _changed(view: View, unit_id: str, change: UnitPatch | NewUnit, tick: int) -> UnitState:
    if isinstance(change, list):
        return _unit(change)
    values = view.at(unit_id, tick)
    for name, value in change.items():
        values[AT[name]] = value
    return _unit(values)


def _unit(values: list[object]) -> UnitState:
    """Raises `msgspec.ValidationError`, a `ValueError`, for what is no unit."""
    return msgspec.convert(values, UnitState)
