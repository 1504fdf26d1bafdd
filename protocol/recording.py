"""A battle that was fought, told again by its log alone: what a log says happened, happened.

So it needs no rules, and plays after they have changed. Only what a summoned unit has by its card,
the log does not say: that is asked of the cards that there are now. Whether it can have happened is
for who fights it again; here no more is refused than could not be shown: units that are not there,
two in one cell, less than nothing of a number, deaths of the dead and revivals of the living.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from engine import Event, Snapshot, UnitState
from engine.definitions import Card
from engine.events import NUMBERS
from engine.reading import describe

from .log_lines import NoLog
from .recorded_unit import SAYS, RecordedUnit, Untrue
from .view import AT, TELLING, just_built, rate_of, side_and_number
from .wire_events import units_of

NEVER: Final = 1 << 60  # the next tick where nothing is to come

_CHARGE: Final = AT["charge"]
_RATE: Final = AT["rate"]


class Recording:
    """Steps as the engine's `Battle` does, and gives the same events and states on the same ticks.

    `log` is as `read_lines` gives it, and read a tick ahead. `vessels` is what a unit with
    Phylactery is built with (800.49b). Raises `NoLog`, and so does `step`.
    """

    def __init__(self, log: Iterable[Event], cards: Mapping[str, Card], vessels: int) -> None:
        self.tick = -1
        self.over = False
        self._cards = cards
        self._vessels = vessels
        self._units: dict[str, RecordedUnit] = {}
        self._standing: dict[tuple[str, int], RecordedUnit] = {}  # the living, by side and cell
        self._built = {"a": 0, "b": 0}
        self._line = 0  # the one that is heard next
        self._ticks = groupby(log, _TICK_OF)
        self._following = self._read_on()

    def next_tick(self) -> int:
        """The next tick of which the log has a line; `NEVER` after the last one."""
        return self._following[0]

    def step(self) -> list[Event]:
        """On to the next tick of the log; gives its events."""
        tick, events = self._following
        self._idle(tick - 1)
        self._run(events)
        self.tick = tick
        self._following = self._read_on()
        return events

    def advance(self, tick: int) -> list[Event]:
        """On to a tick before the next one of the log, which has no events."""
        assert self.tick <= tick < self.next_tick(), "what is told on the way is not to be missed"
        self._idle(tick)
        return []

    def state(self, unit_id: str) -> UnitState:
        """A unit at the end of `tick`."""
        return UnitState(*self._units[unit_id].values)

    def snapshot(self) -> Snapshot:
        """Every unit that was ever there, at the end of `tick`."""
        return Snapshot(self.tick, tuple(map(self.state, sorted(self._units, key=side_and_number))))

    def _read_on(self) -> tuple[int, list[Event]]:
        tick, events = next(self._ticks, (NEVER, ()))
        return tick, list(events)

    def _idle(self, tick: int) -> None:
        """On to the end of a tick, with nothing but Charge to move."""
        if tick > self.tick:
            self._charge(tick - self.tick)
            self.tick = tick

    def _charge(self, ticks: int) -> None:
        for unit in self._standing.values():  # the dead gain none
            unit.values[_CHARGE] += unit.values[_RATE] * ticks

    def _run(self, events: list[Event]) -> None:
        """A tick that is told; the log does not say when in it Charge is gained (100.4c)."""
        due = self.tick >= 0  # tick 0 has no phases
        for event in events:
            if due and _is_after_charge(event):
                self._charge(1)
                due = False
            try:
                self._hear(event)
            except Untrue as untrue:
                raise NoLog(self._line, str(untrue)) from None
            self._line += 1
        if due and not self.over:  # or the battle was decided before (100.5)
            self._charge(1)

    def _hear(self, event: Event) -> None:
        kind = event.kind
        values: tuple[Any, ...] = event.values
        if kind == "battle_start":
            for built in values[1]:
                self._enter(built)
        elif kind == "summon":
            self._enter(self._summoned(*values))
        elif kind == "battle_end":
            self.over = True
        for unit_id in units_of(event):
            if unit_id not in self._units:
                raise Untrue(f"there is no unit {describe(unit_id)}")
        if kind in TELLING:
            self._units[values[0]].take_in(event)
        elif kind in SAYS:
            unit = self._units[values[0]]
            SAYS[kind](unit, *values[1:])
            unit.set("rate", rate_of(unit.values))
            if kind == "death":
                self._fall(unit)
            elif kind == "revival":
                self._stand(unit)

    def _enter(self, built: dict[str, Any]) -> None:
        """200.5: the units of a side are numbered as they are built."""
        unit_id = built["id"]
        side = unit_id[:1]
        if side not in self._built or unit_id != f"{side}{self._built[side]}":
            raise Untrue(f"no unit that is built now is {describe(unit_id)}")
        self._built[side] += 1
        unit = self._units[unit_id] = RecordedUnit(just_built(built))
        self._stand(unit)

    def _stand(self, unit: RecordedUnit) -> None:
        """200.2: a cell holds one unit."""
        if unit.place in self._standing:
            raise Untrue(f"{self._standing[unit.place].id} stands in the cell of {unit.id}")
        self._standing[unit.place] = unit

    def _fall(self, unit: RecordedUnit) -> None:
        if self._standing.get(unit.place) is not unit:
            raise Untrue(f"{unit.id} is dead already")
        del self._standing[unit.place]

    def _summoned(
        self, unit_id: str, _: object, cell: int, card_id: str, *numbers: int
    ) -> dict[str, Any]:
        card = self._cards.get(card_id)
        keywords = card.keywords if card else ()
        return {
            "id": unit_id,
            "cell": cell,
            "card": card_id,
            "runes": (),
            "focus": card.focus if card else "any",
            "keywords": keywords,
            "vessels": self._vessels if "phylactery" in keywords else 0,
            "progress": 0,
            **dict(zip(NUMBERS, numbers, strict=True)),
        }


_TICK_OF: Final = attrgetter("tick")


def _is_after_charge(event: Event) -> bool:
    """Activations, endings and the sweep (100.4d, e; 100.6) come when Charge has been gained
    (100.4c). Outside every batch nothing else changes a stat, takes Freeze away or kills: Burn
    (100.4b) has its deaths in batches, and a line that answers it only endures (500.2).
    """
    kind = event.kind
    if kind == "activation":
        return not event.values[1]
    if event.batch is not None:
        return False
    return kind in ("stat", "death") or (kind == "status_end" and event.values[1] == "freeze")
