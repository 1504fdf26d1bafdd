"""What the wire has told about each unit, and how Charge counts on from there: the one thing that
the maker of frames and the mirror must agree about to the last tick, so both hold one of these.

A unit at the end of a tick is: what it was, its Charge counted on; then what the tick's events
tell (`TELLS`); then what a patch says over that. So a patch holds only what nobody could know.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from engine import EVENT_FIELDS, UNIT_FIELDS, Event, Snapshot, UnitState
from engine.unit import FULL_CHARGE

from .messages import UnitPatch

# Events that tell a field of their unit its new value: the field, and the event's field with it.
TELLS: Final[dict[str, tuple[str, str]]] = {
    "damage": ("vitality", "vitality"),  # and what Ward absorbed is gone from it
    "heal": ("vitality", "vitality"),
    "endure": ("vitality", "vitality"),
    "ward": ("ward", "ward"),
    "quicken": ("quickened", "speed"),
    "charge": ("charge", "charge"),
}
_VALUE_AT: Final = {kind: EVENT_FIELDS[kind].index(source) for kind, (_, source) in TELLS.items()}
# `status` tells its total, `status_end` that there is none, of the field that the status is in.
STATUS_FIELDS: Final = {"dread": "dread", "burn": "burn", "freeze": "frozen_until"}
# What a unit has in these fields when it is built; its rate is its Speed.
JUST_BUILT: Final[dict[str, int | None]] = {
    "quickened": 0,
    "dread": 0,
    "burn": 0,
    "frozen_until": None,
    "incarnation": 0,
    "return_due": None,
    "charge": 0,
}


class _Told(NamedTuple):
    unit: UnitState
    tick: int  # at whose end `unit` was so


class View:
    """The units of a battle as last told."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}
        self._order: list[str] = []

    def __contains__(self, unit_id: object) -> bool:
        return unit_id in self._told

    def copy(self) -> View:
        """Another view, told the same so far."""
        other = View()
        other._told = self._told.copy()
        other._order = self._order.copy()
        return other

    def put(self, unit: UnitState, tick: int) -> None:
        """From the end of `tick` on, `unit` counts on from what it is now."""
        if unit.id not in self._told:
            self._order.append(unit.id)
            self._order.sort(key=_side_and_number)
        self._told[unit.id] = _Told(unit, tick)

    def at(self, unit_id: str, tick: int) -> UnitState:
        """The unit at the end of `tick`, if nothing more is told until then."""
        unit, told_tick = self._told[unit_id]
        if tick == told_tick or not unit.rate:
            return unit
        return unit._replace(charge=unit.charge + unit.rate * (tick - told_tick))

    def hear(self, event: Event) -> None:
        """Take in what an event of the channel `tick` tells, in the log's order.

        Of a unit that is not there yet it tells nothing: who is summoned comes whole in a patch.
        """
        if event.kind == "battle_start":
            for built in cast("list[dict[str, Any]]", event.values[1]):
                self.put(_just_built(built), event.tick)
        elif event.kind in _TELLING and event.values[0] in self:
            unit = self.at(str(event.values[0]), event.tick)
            self.put(unit._replace(**_news(event, unit)), event.tick)

    def snapshot(self, tick: int) -> Snapshot:
        """All units at the end of `tick`, in the snapshot's order."""
        return Snapshot(tick, tuple(self.at(unit_id, tick) for unit_id in self._order))


def difference(told: UnitState, now: UnitState) -> UnitPatch:
    """The fields of `now` that differ; empty if none does."""
    if told == now:
        return {}
    return {name: new for name, old, new in zip(UNIT_FIELDS, told, now, strict=True) if old != new}


def _side_and_number(unit_id: str) -> tuple[str, int]:
    return unit_id[0], int(unit_id[1:])


_TELLING: Final = frozenset(TELLS) | {"status", "status_end", "activation"}


def _news(event: Event, unit: UnitState) -> dict[str, Any]:
    """What `event` tells of `unit`, which is its first field."""
    values: tuple[Any, ...] = event.values
    match event.kind:
        case "activation":  # a nested one takes no Charge (400.5)
            return {} if values[1] else {"charge": unit.charge - FULL_CHARGE}
        case "status":
            return {STATUS_FIELDS[values[2]]: values[4]}
        case "status_end":
            field = STATUS_FIELDS[values[1]]
            return {field: JUST_BUILT[field]}
    told = {TELLS[event.kind][0]: values[_VALUE_AT[event.kind]]}
    if event.kind == "damage":
        told["ward"] = unit.ward - values[3]
    return told


def _just_built(built: dict[str, Any]) -> UnitState:
    lists = {"runes": tuple(built["runes"]), "keywords": tuple(built["keywords"])}
    return UnitState(**{**built, **lists, **JUST_BUILT, "rate": built["speed"]})
