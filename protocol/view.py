"""What the wire has told about each unit, and how Charge counts on from there: the one thing that
the maker of frames and the mirror must agree about to the last tick, so both hold one of these.

A unit at the end of a tick is: what it was, its Charge counted on; then what the tick's events
tell (`TELLS`); then what a patch says over that. So a patch holds only what nobody could know. The
rate, which follows from other fields, is never told at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final, cast

import orjson

from engine import EVENT_FIELDS, UNIT_FIELDS, Event, Snapshot, UnitState
from engine.unit import FULL_CHARGE

from .messages import NewUnit, UnitPatch

# Events that tell a field of their unit its new value: the field, and the event's field with it.
TELLS: Final[dict[str, tuple[str, str]]] = {
    "damage": ("vitality", "vitality"),  # and what Ward absorbed is gone from it
    "heal": ("vitality", "vitality"),
    "endure": ("vitality", "vitality"),
    "ward": ("ward", "ward"),
    "quicken": ("quickened", "speed"),
    "charge": ("charge", "charge"),
}
# `status` tells its total, `status_end` that there is none, of the field that the status is in.
STATUS_FIELDS: Final = {"dread": "dread", "burn": "burn", "freeze": "frozen_until"}
# What a unit has in these fields when it is built; its rate follows.
JUST_BUILT: Final[dict[str, int | None]] = {
    "quickened": 0,
    "dread": 0,
    "burn": 0,
    "frozen_until": None,
    "incarnation": 0,
    "return_due": None,
    "charge": 0,
}

Values = list[Any]  # of UNIT_FIELDS, in order

# Where in a unit its fields stand.
AT: Final = {name: place for place, name in enumerate(UNIT_FIELDS)}
_VITALITY: Final = AT["vitality"]
_MAX_VITALITY: Final = AT["max_vitality"]
_SPEED: Final = AT["speed"]
_WARD: Final = AT["ward"]
_QUICKENED: Final = AT["quickened"]
_FROZEN_UNTIL: Final = AT["frozen_until"]
_CHARGE: Final = AT["charge"]
_RATE: Final = AT["rate"]
# The fields that a patch can have.
_PATCHED: Final = tuple((place, name) for name, place in AT.items() if name != "rate")
_STATUS_AT: Final = {status: AT[field] for status, field in STATUS_FIELDS.items()}
_TOLD_AT: Final = {
    kind: (AT[field], EVENT_FIELDS[kind].index(source)) for kind, (field, source) in TELLS.items()
}
TELLING: Final = frozenset(TELLS) | {"status", "status_end", "activation", "stat"}


class _Told:
    """A unit, and the tick at whose end it was so."""

    def __init__(self, unit: Values, tick: int) -> None:
        self.unit = unit
        self.tick = tick

    def count_on(self, tick: int) -> Values:
        """The unit at the end of a later tick, if nothing more is told until then."""
        if tick != self.tick:
            self.unit[_CHARGE] += self.unit[_RATE] * (tick - self.tick)
            self.tick = tick
        return self.unit


class View:
    """The units of a battle as last told."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}
        self._in_order = True

    def copy(self) -> View:
        """Another view, told the same so far."""
        other = View()
        for unit_id, told in self._told.items():
            other._told[unit_id] = _Told(told.unit.copy(), told.tick)
        other._in_order = self._in_order
        return other

    def put(self, unit: Iterable[object], tick: int) -> None:
        """From the end of `tick` on, a unit counts on from what it is now. Raises `LookupError` or
        `ValueError` where its id is none."""
        values = list(unit)
        values[_RATE] = rate_of(values)
        unit_id = cast("str", values[0])
        if unit_id not in self._told:
            side_and_number(unit_id)  # by which it will be sorted
            self._in_order = False
        self._told[unit_id] = _Told(values, tick)

    def at(self, unit_id: str, tick: int) -> Values:
        """The unit at the end of `tick`, if nothing more is told until then."""
        told = self._told[unit_id]
        return _Told(told.unit.copy(), told.tick).count_on(tick)

    def hear(self, event: Event) -> None:
        """Take in what an event tells, in the log's order. Those of other channels tell nothing.

        Of a unit that is not there yet it tells nothing: who is summoned comes whole in a patch.
        """
        if event.kind in TELLING:
            told = self._told.get(cast("str", event.values[0]))
            if told is not None:
                take_in(told.count_on(event.tick), event)
        elif event.kind == "battle_start":
            for built in cast("list[dict[str, Any]]", event.values[1]):
                self.put(just_built(built), event.tick)

    def correct(self, unit: UnitState, tick: int) -> UnitPatch | NewUnit:
        """What is still to be said of a unit at the end of `tick`; from then on it is told.

        A new one is said in full. Empty if all is told.
        """
        told = self._told.get(unit.id)
        if told is None:
            self.put(unit, tick)
            return list(unit)
        values = told.count_on(tick)
        if tuple(values) == unit:
            return {}
        patch: UnitPatch = {}
        for place, name in _PATCHED:
            if values[place] != unit[place]:
                values[place] = patch[name] = unit[place]
        values[_RATE] = rate_of(values)
        assert tuple(values) == unit, "a rate follows from the other fields"
        return patch

    def snapshot(self, tick: int) -> Snapshot:
        """All units at the end of `tick`, in the snapshot's order."""
        self._sort()
        return Snapshot(tick, tuple(UnitState(*self.at(unit_id, tick)) for unit_id in self._told))

    def digest(self, tick: int) -> str:
        """The `state_digest` at the end of `tick`; orjson writes the same bytes sooner.

        What is told from then on is of no earlier tick.
        """
        self._sort()
        units = [told.count_on(tick) for told in self._told.values()]
        return hashlib.sha256(orjson.dumps([tick, units])).hexdigest()[:16]

    def _sort(self) -> None:
        """Side a by number, then side b by number."""
        if not self._in_order:
            ids = sorted(self._told, key=side_and_number)
            self._told = {unit_id: self._told[unit_id] for unit_id in ids}
            self._in_order = True


def side_and_number(unit_id: str) -> tuple[str, int]:
    return unit_id[0], int(unit_id[1:])


def rate_of(unit: Values) -> int:
    """What a unit gains each tick: nothing while it is dead or Frozen."""
    if unit[_VITALITY] <= 0 or unit[_FROZEN_UNTIL] is not None:
        return 0
    return cast("int", unit[_SPEED] + unit[_QUICKENED])


def take_in(unit: Values, event: Event) -> None:
    """What `event` tells of `unit`, which is its first field."""
    kind = event.kind
    values: tuple[Any, ...] = event.values
    if kind == "activation":
        if not values[1]:  # a nested one takes no Charge (400.5)
            unit[_CHARGE] -= FULL_CHARGE
    elif kind == "status":
        unit[_STATUS_AT[values[2]]] = values[4]
    elif kind == "status_end":
        unit[_STATUS_AT[values[1]]] = JUST_BUILT[STATUS_FIELDS[values[1]]]
    elif kind == "stat":
        unit[AT[values[2]]] = values[4]
        if values[2] == "vitality":
            unit[_MAX_VITALITY] += values[3]
    else:
        place, source = _TOLD_AT[kind]
        unit[place] = values[source]
        if kind == "damage":
            unit[_WARD] -= values[3]
    unit[_RATE] = rate_of(unit)


def just_built(built: dict[str, Any]) -> Values:
    lists = {"runes": tuple(built["runes"]), "keywords": tuple(built["keywords"])}
    known = {**built, **lists, **JUST_BUILT, "rate": 0}
    return [known[name] for name in UNIT_FIELDS]
