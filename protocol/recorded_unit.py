"""A unit of a recorded battle, as the lines of its log have told it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, cast

from engine import Event
from engine.events import NUMBERS

from .view import AT, JUST_BUILT, Values, rate_of, take_in

_CELL: Final = AT["cell"]
_CHARGE: Final = AT["charge"]
_VITALITY: Final = AT["vitality"]
_MAX_VITALITY: Final = AT["max_vitality"]
_WARD: Final = AT["ward"]
_INCARNATION: Final = AT["incarnation"]
_NUMBERS: Final = slice(AT[NUMBERS[0]], AT[NUMBERS[-1]] + 1)

_FOR_BATTLE: Final = "battle"


class Untrue(Exception):  # noqa: N818 - says what cannot be
    """What a line says cannot have happened after the lines before it."""


class RecordedUnit:
    """A unit as the lines have told it; its keywords by where they come from."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.set("rate", rate_of(values))
        self.printed: tuple[str, ...] = values[AT["keywords"]]
        self.granted: dict[str, object] = {}  # and until when

    @property
    def id(self) -> str:
        return cast("str", self.values[0])

    @property
    def place(self) -> tuple[str, int]:
        """Its side and cell."""
        return self.id[0], self.values[_CELL]

    def set(self, name: str, value: object) -> None:
        self.values[AT[name]] = value

    def grant(self, keyword: str, until: object) -> None:
        self.granted[keyword] = until
        self._show_keywords()

    def end_grant(self, keyword: str) -> None:
        if keyword not in self.granted:
            raise Untrue(f"{keyword} was not granted")
        del self.granted[keyword]
        self._show_keywords()

    def take_in(self, event: Event) -> None:
        take_in(self.values, event)
        if min(self.values[_WARD], self.values[_MAX_VITALITY], self.values[_CHARGE]) < 0:
            raise Untrue(f"{self.id} has not so much to lose")

    def begin_life(self, numbers: Iterable[object]) -> None:
        """500.9c, d, g: nothing is left of the life before but its Vessels and what was granted
        for the battle."""
        for name, value in JUST_BUILT.items():
            self.set(name, value)
        self.values[_NUMBERS] = numbers
        self.granted = {k: until for k, until in self.granted.items() if until == _FOR_BATTLE}
        self._show_keywords()

    def _show_keywords(self) -> None:
        added = sorted(keyword for keyword in self.granted if keyword not in self.printed)
        self.set("keywords", (*self.printed, *added))


def _hold_vessels(unit: RecordedUnit, vessels: int, progress: int) -> None:
    unit.set("vessels", vessels)
    unit.set("progress", progress)


def _die(unit: RecordedUnit, cell: int, _killer: object, sweep: bool) -> None:
    """300.5: all else stays until a revival."""
    if cell != unit.values[_CELL]:
        raise Untrue("a unit dies in its cell (500.5)")
    if sweep != (unit.values[_VITALITY] > 0):
        raise Untrue("the sweep takes the living, and every other death the fallen (100.6, 300.4)")
    unit.set("quickened", 0)  # 900.4
    unit.set("vitality", 0)


def _revive(
    unit: RecordedUnit, _cause: str, cell: int, _killer: object, life: int, *numbers: int
) -> None:
    if unit.values[_VITALITY] > 0 or life != unit.values[_INCARNATION] + 1:
        raise Untrue("only the dead are revived, and each life is the next (500.9)")
    unit.begin_life(numbers)
    unit.set("cell", cell)
    unit.set("incarnation", life)


# What the events say that the wire tells in patches.
SAYS: Final[dict[str, Callable[..., None]]] = {
    "death": _die,
    "revival": _revive,
    "return_due": lambda unit, due: unit.set("return_due", due),
    "vessel": _hold_vessels,
    "vessel_spent": _hold_vessels,
    "grant": RecordedUnit.grant,
    "grant_end": RecordedUnit.end_grant,
}
