"""A unit of a battle: its numbers, its lines, and what this life has done to them (300, 400, 600).

A unit only keeps state. What changes it, and what the log says of that, is the battle's.
"""

from __future__ import annotations

from typing import Final

from engine.definitions import Card, Line, Stats
from engine.snapshot import UnitState

FULL_CHARGE: Final = 1000  # 400.1
NEVER: Final = -1

# How long a granted keyword stays: until a tick, or one of these. A greater number is longer.
FOR_LIFE: Final = 1 << 60
FOR_BATTLE: Final = 1 << 61


class Ability:
    """A line as one unit bears it, and whether its limit is used up."""

    __slots__ = ("line", "used")

    def __init__(self, line: Line) -> None:
        self.line = line
        self.used = False


class Ending:
    """Something that lasts until a tick: a Freeze, a buff or a granted keyword."""

    __slots__ = ("amount", "kind", "name", "tick")

    def __init__(self, tick: int, kind: str, name: str = "", amount: int = 0) -> None:
        self.tick = tick
        self.kind = kind  # "freeze", "stat", "grant"
        self.name = name  # the stat or keyword
        self.amount = amount  # what the buff added


class Unit:
    """One unit, from the day it is built to the end of the battle, through all its lives."""

    __slots__ = (
        "abilities",
        "activations_open",
        "armor_sum",
        "burn",
        "burner",
        "card",
        "cell",
        "charge",
        "death_number",
        "dread",
        "endings",
        "frozen_until",
        "granted",
        "id",
        "incarnation",
        "keywords",
        "killer",
        "kills",
        "max_vitality",
        "number",
        "power_sum",
        "progress",
        "quickened",
        "return_due",
        "revived_at",
        "runes",
        "side",
        "speed_sum",
        "start",
        "struck",
        "vessels",
        "vitality",
        "ward",
        "watched_from",
    )

    def __init__(
        self,
        side: int,
        number: int,
        cell: int,
        card: Card,
        runes: tuple[str, ...],
        start: Stats,
        lines: tuple[Line, ...],
    ) -> None:
        self.id = f"{'ab'[side]}{number}"  # 200.5
        self.side = side
        self.number = number
        self.cell = cell
        self.card = card
        self.runes = runes
        self.start = start  # battle-start numbers (300.2)
        self.keywords = card.keywords  # its own
        self.abilities: dict[str, list[Ability]] = {}
        for line in lines:
            self.abilities.setdefault(line.on, []).append(Ability(line))
        self.vessels = 0
        self.progress = 0
        self.kills = 0
        self.incarnation = 0
        self.revived_at = 0  # the battle's count of revivals as it was revived; 0 never
        self.watched_from = 0  # that count as its last activation ended (800.50)
        self.killer: Unit | None = None
        self.death_number = NEVER
        self.return_due = NEVER
        self.granted: dict[str, int] = {}
        self.begin_life()

    def begin_life(self) -> None:
        """500.9c, d, e: battle-start numbers, and nothing left of the previous life."""
        vitality, self.power_sum, self.speed_sum, self.armor_sum, self.ward = self.start
        self.vitality = self.max_vitality = vitality
        self.quickened = 0
        self.dread = 0
        self.burn = 0
        self.burner: Unit | None = None
        self.frozen_until = NEVER
        self.charge = 0
        self.activations_open = 0  # of this life
        self.endings: list[Ending] = []
        self.struck: dict[str, int] = {}  # by this life: unit ids, and the latest life struck
        # 500.9g: a grant made for the battle is what a revival keeps.
        if self.granted:
            self.granted = {k: until for k, until in self.granted.items() if until == FOR_BATTLE}
        for abilities in self.abilities.values():
            for ability in abilities:
                if ability.line.once == "life":
                    ability.used = False

    # 300.3: sums may fall below 0; the number shown and used never does.

    def power(self) -> int:
        return max(0, self.power_sum)

    def speed(self) -> int:
        """Without a quickening."""
        return max(0, self.speed_sum)

    def armor(self) -> int:
        return max(0, self.armor_sum)

    def is_frozen(self) -> bool:
        return self.frozen_until != NEVER

    def rate(self) -> int:
        """Charge gained in a Charge phase (100.4c)."""
        if self.vitality <= 0 or self.frozen_until != NEVER:
            return 0
        return self.speed() + self.quickened

    def has(self, keyword: str) -> bool:
        """Its own, or any grant in force; of a dead unit, in force as it died."""
        return keyword in self.keywords or keyword in self.granted

    def lives_as(self, incarnation: int) -> bool:
        """Living, and in that same life."""
        return self.vitality > 0 and self.incarnation == incarnation

    def numbers(self) -> tuple[int, int, int, int, int, int]:
        """As the log writes them: NUMBERS, in order."""
        return (
            self.vitality,
            self.max_vitality,
            self.power(),
            self.speed(),
            self.armor(),
            self.ward,
        )

    def state(self) -> UnitState:
        """The unit as a snapshot holds it."""
        granted = tuple(sorted(k for k in self.granted if k not in self.keywords))
        fields = (
            self.id,
            self.cell,
            self.card.id,
            self.runes,
            self.card.focus,
            self.keywords + granted,
            self.vessels,
            self.progress,
            self.vitality,
            self.max_vitality,
            self.power(),
            self.speed(),
            self.armor(),
            self.ward,
            self.quickened,
            self.dread,
            self.burn,
            self.frozen_until if self.frozen_until != NEVER else None,
            self.incarnation,
            self.return_due if self.return_due != NEVER else None,
            self.charge,
            self.rate(),
        )
        # As the class makes it, but for a call in Python that costs as much as all this; that the
        # fields are right, and in order, is seen by tests alone.
        return tuple.__new__(UnitState, fields)
