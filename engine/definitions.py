"""What is printed: cards, runes and resonances as data, with the names they are written in.

How they are read from plain objects stands in `engine.printing`; what they do, in the battle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

SIDES: Final = ("a", "b")
KEYWORDS: Final = ("phylactery", "everlasting", "rabid")
STATUSES: Final = ("dread", "freeze", "burn")
FOCUS_PROFILES: Final = ("any", "front", "back", "weakest", "strongest")
CAUSES: Final = ("phylactery", "everlasting")
CHANNELS: Final = (
    "battle_start",
    "activation",
    "hit",
    "new_target",
    "hurt",
    "lethal",
    "death",
    "macabre",
    "kill",
    "revived",
    "ally_revived",
)
BUFF_STATS: Final = ("power", "speed", "armor", "vitality")  # 300.3

# The default aim of these four is the Focus roll; of every other verb, the bearer.
FOCUSED_VERBS: Final = ("damage", "dread", "burn", "freeze")
AIMLESS_VERBS: Final = ("summon", "endure")
AIMS: Final = (
    "self",
    "focus",
    "target",
    "attacker",
    "killer",
    "revived",
    "enemies",
    "allies",
    "other_allies",
    "adjacent",
    "weakest_ally",
)
# The channels that have an aim; an aim that is not here is had by all.
AIM_CHANNELS: Final[dict[str, tuple[str, ...]]] = {
    "target": ("hit", "new_target"),
    "attacker": ("hurt",),
    "killer": ("death", "revived", "ally_revived"),
    "revived": ("ally_revived",),
}


class Stats(NamedTuple):
    """The five numbers that a card, a rune, a resonance step or a Scrip grant speaks of."""

    vitality: int = 0
    power: int = 0
    speed: int = 0
    armor: int = 0
    ward: int = 0


STAT_NAMES: Final = Stats._fields


def start_numbers(parts: list[Stats]) -> Stats:
    """300.2: the sum of the parts; none falls below 0, Vitality not below 1."""
    sums = [0] * len(STAT_NAMES)
    for part in parts:
        for index, number in enumerate(part):
            sums[index] += number
    vitality, power, speed, armor, ward = sums
    return Stats(max(1, vitality), max(0, power), max(0, speed), max(0, armor), max(0, ward))


@dataclass(frozen=True)
class Effect:
    """One verb with its fields. A field that the verb does not have keeps its default.

    `amount` is the verb's number, whatever it is called when written: amount, stacks, speed,
    count or vitality. `ticks` is a duration, 0 for none.
    """

    verb: str
    aim: str
    amount: int = 0
    percent: bool = False  # the amount is a percentage of the bearer's Power
    ticks: int = 0
    stat: str = ""
    keyword: str = ""
    battle: bool = False
    card: str = ""


@dataclass(frozen=True)
class Line:
    """One printed ability (600.1)."""

    source: str  # the id of the card or rune it is printed on
    index: int  # among the lines printed there
    on: str
    cause: str  # "" for none
    once: str  # "life", "battle", or "" for no limit
    effects: tuple[Effect, ...]


@dataclass(frozen=True)
class Card:
    id: str
    name: str
    text: str
    price: int
    stats: Stats
    focus: str
    strike: bool
    keywords: tuple[str, ...]
    immune: tuple[str, ...]
    resonance: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Rune:
    id: str
    name: str
    text: str
    price: int
    stats: Stats
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Resonance:
    id: str
    name: str
    text: str
    steps: tuple[tuple[int, Stats], ...]  # count, stats

    def passives(self, count: int) -> Stats:
        """The stats of the highest step that `count` units reach (900.2)."""
        reached = [step for step in self.steps if step[0] <= count]
        return max(reached, key=lambda step: step[0])[1] if reached else Stats()
