"""A battle that was fought, told again by its log alone: what a log says happened, happened.

So it needs no rules, and plays after they have changed. Only what a summoned unit has by its card,
the log does not say: that is asked of the cards that there are now.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, Final

from engine import UNIT_FIELDS, Event, Snapshot, UnitState
from engine.definitions import Card
from engine.events import NUMBERS

from .view import JUST_BUILT, TELLING, Values, just_built, rate_of, side_and_number, take_in

NEVER: Final = 1 << 60  # the next tick where nothing is to come

_AT: Final = {name: place for place, name in enumerate(UNIT_FIELDS)}
_CHARGE: Final = _AT["charge"]
_RATE: Final = _AT["rate"]
_NUMBERS: Final = slice(_AT[NUMBERS[0]], _AT[NUMBERS[-1]] + 1)

FOR_BATTLE: Final = "battle"


class LogUntold(ValueError):  # noqa: N818 - says what comes of the log
    """The lines do not follow from each other: no battle had such a log."""


class _Unit:
    """A unit as the lines have told it; its keywords by where they come from."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.set("rate", rate_of(values))
        self.printed: tuple[str, ...] = values[_AT["keywords"]]
        self.granted: dict[str, object] = {}  # and until when

    def set(self, name: str, value: object) -> None:
        self.values[_AT[name]] = value

    def grant(self, keyword: str, until: object) -> None:
        self.granted[keyword] = until
        self._show_keywords()

    def end_grant(self, keyword: str) -> None:
        self.granted.pop(keyword, None)
        self._show_keywords()

    def begin_life(self, numbers: Iterable[object]) -> None:
        """500.9c, d, e, g: nothing is left of the life before but what was granted for the
        battle."""
        for name, value in JUST_BUILT.items():
            self.set(name, value)
        self.values[_NUMBERS] = numbers
        self.granted = {k: until for k, until in self.granted.items() if until == FOR_BATTLE}
        self._show_keywords()

    def _show_keywords(self) -> None:
        added = sorted(keyword for keyword in self.granted if keyword not in self.printed)
        self.set("keywords", (*self.printed, *added))


class Recording:
    """Steps as the engine's `Battle` does, and gives the same events and states on the same ticks.

    `vessels` is what a unit with Phylactery is built with (800.49b). Raises `LogUntold`, and so
    does `step`.
    """

    def __init__(self, log: Iterable[Event], cards: Mapping[str, Card], vessels: int) -> None:
        self.tick = -1
        self.over = False
        self._cards = cards
        self._vessels = vessels
        self._units: dict[str, _Unit] = {}
        self._ticks = deque((tick, list(lines)) for tick, lines in groupby(log, _TICK_OF))
        self._check()

    def next_tick(self) -> int:
        """The next tick of which the log has a line; `NEVER` after the last one."""
        return self._ticks[0][0] if self._ticks else NEVER

    def step(self) -> list[Event]:
        """On to the next tick of the log; gives its events."""
        tick, events = self._ticks.popleft()
        self._idle(tick - 1)
        try:
            self._run(events)
        except KeyError as error:
            raise LogUntold(f"tick {tick} names {error}, which is not there") from None
        self.tick = tick
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

    def _check(self) -> None:
        """That time goes on, and that it begins and ends where a battle does."""
        ticks = [tick for tick, _ in self._ticks]
        kinds = [event.kind for _, events in self._ticks for event in events]
        if any(later <= sooner for sooner, later in pairwise(ticks)):
            raise LogUntold("it goes back in time")
        if ticks[:1] != [0] or kinds[0] != "battle_start" or "battle_start" in kinds[1:]:
            raise LogUntold("it does not begin with the one start of a battle, on tick 0")
        if "battle_end" in kinds[:-1]:
            raise LogUntold("it goes on after the battle's end")

    def _idle(self, tick: int) -> None:
        """On to the end of a tick, with nothing but Charge to move."""
        if tick > self.tick:
            self._charge(tick - self.tick)
            self.tick = tick

    def _charge(self, ticks: int) -> None:
        for unit in self._units.values():
            unit.values[_CHARGE] += unit.values[_RATE] * ticks

    def _run(self, events: list[Event]) -> None:
        """A tick that is told; the log does not say when in it Charge is gained (100.4c)."""
        due = self.tick >= 0  # tick 0 has no phases
        for event in events:
            if due and _is_after_charge(event):
                self._charge(1)
                due = False
            self._hear(event)
        if due and not self.over:  # or the battle was decided before (100.5)
            self._charge(1)

    def _hear(self, event: Event) -> None:
        kind = event.kind
        values: tuple[Any, ...] = event.values
        if kind == "battle_start":
            for built in values[1]:
                self._units[built["id"]] = _Unit(just_built(built))
        elif kind == "summon":
            self._units[values[0]] = self._summoned(*values)
        elif kind == "battle_end":
            self.over = True
        elif kind in TELLING:
            take_in(self._units[values[0]].values, event)
        elif kind in _SAYS:
            unit = self._units[values[0]]
            _SAYS[kind](unit, *values[1:])
            unit.set("rate", rate_of(unit.values))

    def _summoned(self, unit_id: str, _: object, cell: int, card_id: str, *numbers: int) -> _Unit:
        card = self._cards.get(card_id)
        keywords = card.keywords if card else ()
        built: dict[str, Any] = {
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
        return _Unit(just_built(built))


_TICK_OF: Final = attrgetter("tick")


def _is_after_charge(event: Event) -> bool:
    """Activations, endings and the sweep (100.4d, e; 100.6) come when Charge has been gained. No
    other change of Freeze or of a stat is outside every batch: a line that answers Burn only
    endures.
    """
    kind = event.kind
    if kind == "activation":
        return not event.values[1]
    if event.batch is not None:
        return False
    return (
        kind in ("stat", "grant_end")
        or (kind == "status_end" and event.values[1] == "freeze")
        or (kind == "death" and event.values[3] is True)
    )


def _vessels(unit: _Unit, vessels: int, progress: int) -> None:
    unit.set("vessels", vessels)
    unit.set("progress", progress)


def _die(unit: _Unit, _cell: int, _killer: object, sweep: bool) -> None:
    unit.set("quickened", 0)  # 900.4
    if sweep:
        unit.set("vitality", 0)


def _revive(unit: _Unit, _cause: str, cell: int, _killer: object, life: int, *numbers: int) -> None:
    unit.begin_life(numbers)
    unit.set("cell", cell)
    unit.set("incarnation", life)


# What the events say that the wire tells in patches.
_SAYS: Final[dict[str, Callable[..., None]]] = {
    "death": _die,
    "revival": _revive,
    "return_due": lambda unit, due: unit.set("return_due", due),
    "vessel": _vessels,
    "vessel_spent": _vessels,
    "grant": _Unit.grant,
    "grant_end": _Unit.end_grant,
}
