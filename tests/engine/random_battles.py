"""Makes legal random battles for differential and property tests of the engine.

`random_battle(seed)` is the JSON object that `phylactery battle FILE` reads. It breaks no rule of
the rulebook, brings all of its own cards, runes and resonances, and is the same for the same seed
everywhere. Each battle leans to one mood, so that a few thousand seeds reach the odd corners.

A test that fails names its seed: `python tests/engine/random_battles.py SEED > battle.json` writes
that battle again, to be run by hand or kept as a golden log.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")
Json = dict[str, object]
Span = tuple[int, int]  # both ends belong to it

STATS: Final = ("vitality", "power", "speed", "armor", "ward")
KEYWORDS: Final = ("phylactery", "everlasting", "rabid")
STATUSES: Final = ("dread", "freeze", "burn")
FOCUSES: Final = ("front", "back", "weakest", "strongest", "any")
AIMS: Final = ("self", "focus", "enemies", "allies", "other_allies", "adjacent", "weakest_ally")

# Each channel, with the aims that not every channel has.
CHANNELS: Final[dict[str, tuple[str, ...]]] = {
    "battle_start": (),
    "activation": (),
    "hit": ("target",),
    "new_target": ("target",),
    "hurt": ("attacker",),
    "lethal": (),
    "death": ("killer",),
    "macabre": (),
    "kill": (),
    "revived": ("killer",),
    "ally_revived": ("killer", "revived"),
}

# The verbs that aim at `focus` where no aim is written; the others then aim at the bearer itself.
HOSTILE: Final = ("damage", *STATUSES)

# Shorter and longer than an activation, a second, a return.
TICKS: Final = (1, 2, 3, 7, 10, 19, 20, 21, 33, 40, 60, 100, 200, 300)

ODD_NAMES: Final = ("骨", "Wächter", "☃ 𝕲𝖗𝖎𝖒", "two words", 'the "late" one', "back\\slash")

# How often, in percent, a rule is overridden, and by what.
OVERRIDES: Final[dict[str, tuple[int, tuple[int, ...]]]] = {
    "everlasting_ticks": (85, (1, 1, 2, 5, 10, 20, 40, 60)),
    "dread_cap": (20, (0, 1, 2, 3, 15, 25)),
    "rabid_strikes": (20, (1, 2, 3, 4)),
    "vessel_start": (15, (0, 1)),
    "vessel_max": (15, (1, 3, 4)),
    "vessel_cost": (20, (1, 2, 3, 5, 12)),
    "chain_lines": (80, (1, 2, 3, 5, 8, 12, 20, 30)),
    "chain_depth": (30, (1, 2, 3, 4, 6)),
}


@dataclass(frozen=True)
class Mood:
    """A battle's length and pace, and the channels, verbs, aims and keywords that it leans to."""

    time_limit: Span
    speeds: range
    vitality: Span
    leans: str = ""
    odd_speeds: tuple[int, ...] = (0, 0, 1, 250, 333, 500)


# Even, slow and fast; then those that lean to statuses, revivals, chains, and summons.
MOODS: Final = (
    Mood((50, 180), range(20, 150), (1, 25)),
    Mood((400, 1000), range(1, 20), (5, 60), odd_speeds=(0, 1, 50)),
    Mood((1, 30), range(200, 2500), (5, 60), odd_speeds=(0, 999, 1000, 1001)),
    Mood((60, 220), range(20, 120), (5, 40), "dread freeze burn cleanse buff activation hit hurt"),
    Mood((50, 180), range(30, 200), (1, 15), "everlasting revived ally_revived killer damage"),
    Mood((1, 60), range(50, 300), (1, 25), "activate charge damage activation hurt attacker death"),
    Mood((60, 200), range(30, 150), (1, 12), "summon grant rabid battle_start macabre kill death"),
)


class Author:
    """Writes the battle of one seed; every choice is a draw from its one generator."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dice = Random(seed)
        self.mood = self.dice.choice(MOODS)
        self.cards = self.ids("card", (2, 7))
        self.runes = self.ids("rune", (2, 5))
        self.resonances = self.ids("resonance", (1, 3))

    def battle(self) -> Json:
        return {
            "seed": f"{self.name('seed')} {self.seed}",
            "rules": self.rules(),
            "cards": [self.card(card_id) for card_id in self.cards],
            "runes": [self.rune(rune_id) for rune_id in self.runes],
            "resonances": [self.resonance(resonance_id) for resonance_id in self.resonances],
            "boards": {"a": self.board(), "b": self.board()},
        }

    def chance(self, percent: int) -> bool:
        return self.dice.randrange(100) < percent

    def within(self, span: Span) -> int:
        return self.dice.randint(*span)

    def some(self, options: Sequence[T], span: Span) -> list[T]:
        """Different ones of the options, as many as the span says and there are."""
        return self.dice.sample(options, min(self.within(span), len(options)))

    def leaning(self, options: Sequence[str]) -> str:
        """Half of the time one that the mood leans to, else any."""
        favourites = [option for option in options if option in self.mood.leans.split()]
        return self.dice.choice(favourites if favourites and self.chance(50) else options)

    def name(self, plain: str) -> str:
        return self.dice.choice(ODD_NAMES) if self.chance(6) else plain

    def ids(self, kind: str, span: Span) -> list[str]:
        return [f"{self.name(kind)}-{number}" for number in range(self.within(span))]

    def seconds(self) -> int | float:
        ticks = self.dice.choice(TICKS)
        return ticks / 20 if ticks % 20 else ticks // 20

    def rules(self) -> Json:
        time_limit = self.within(self.mood.time_limit)
        rules: Json = {"scrip_budget": 1_000_000, "time_limit": time_limit}
        for rule, (percent, values) in OVERRIDES.items():
            if self.chance(percent):
                rules[rule] = self.dice.choice(values)
        if "chain_lines" not in rules or rules.get("everlasting_ticks") == 1:
            rules["time_limit"] = min(time_limit, 40)  # one loop fills a log quickly
        if self.chance(15):
            raws = [self.within((1, 4)) for _ in range(self.within((1, 3)))]
            rules["vessel_bands"] = [[raw, self.within((0, 6))] for raw in raws]
        return rules

    def card(self, card_id: str) -> Json:
        speeds = self.mood.odd_speeds if self.chance(15) else self.mood.speeds
        required: Json = {
            "id": card_id,
            "vitality": self.within(self.mood.vitality),
            "power": self.within((0, 15)),
            "speed": self.dice.choice(speeds),
        }
        optional: Json = {
            "price": self.within((0, 9)),
            "armor": self.within((0, 3)),
            "ward": self.within((0, 6)),
            "focus": self.dice.choice(FOCUSES),
            "strike": self.chance(85),
            "keywords": [keyword for keyword in KEYWORDS if self.chance(50)],
            "immune": self.some(STATUSES, (0, 1)),
            "resonance": self.some(self.resonances, (0, 3)),
            "lines": self.lines((1, 4)),
        }
        return required | {key: optional[key] for key in optional if self.chance(92)}

    def rune(self, rune_id: str) -> Json:
        return {"id": rune_id, "stats": self.stats((-4, 6)), "lines": self.lines((0, 3))}

    def resonance(self, resonance_id: str) -> Json:
        counts = sorted(self.some(range(1, 6), (1, 3)))
        steps = [{"count": count, "stats": self.stats((-12, 12))} for count in counts]
        return {"id": resonance_id, "steps": steps}

    def stats(self, span: Span) -> Json:
        amounts = [amount for amount in range(span[0], span[1] + 1) if amount]
        return {stat: self.dice.choice(amounts) for stat in self.some(STATS, (1, 3))}

    def board(self) -> Json:
        count = (1, 8) if self.chance(25) else (4, 8)
        return {"units": [self.unit(cell) for cell in self.some(range(8), count)]}

    def unit(self, cell: int) -> Json:
        unit: Json = {"cell": cell, "card": self.dice.choice(self.cards)}
        if self.chance(70):
            unit["runes"] = self.some(self.runes, (0, 2))
        if self.chance(30):
            unit["scrip"] = self.stats((1, 8))
        return unit

    def lines(self, span: Span) -> list[Json]:
        channels = (*CHANNELS, "revived", "ally_revived")  # twice as often as the others
        return [self.line(self.leaning(channels)) for _ in range(self.within(span))]

    def line(self, channel: str) -> Json:
        line: Json = {"on": channel}
        if channel == "revived" and self.chance(50):
            line["cause"] = self.dice.choice(("phylactery", "everlasting"))
        if channel == "lethal" or self.chance(20):
            line["once"] = self.dice.choice(("life", "battle"))
        return line | {"do": self.effects(channel)}

    def effects(self, channel: str) -> list[Json]:
        if channel == "lethal":
            return [{"verb": "endure", "vitality": self.within((1, 6))}]
        return [self.effect(channel) for _ in range(self.dice.choice((1, 1, 1, 2, 3)))]

    def effect(self, channel: str) -> Json:
        verb = self.leaning(tuple(VERBS))
        return {"verb": verb, **self.aim(verb, channel), **VERBS[verb](self)}

    def aim(self, verb: str, channel: str) -> Json:
        """The aim as it is written: not at all where the verb takes none or its default will do."""
        common = AIMS[1:] if channel == "death" else AIMS  # the dead cannot aim at themselves
        default_will_do = verb in HOSTILE or channel != "death"
        if verb == "summon" or (default_will_do and self.chance(25)):
            return {}
        return {"aim": self.leaning(common + 5 * CHANNELS[channel])}

    def buff(self) -> Json:
        stat = self.dice.choice(("vitality", "power", "speed", "armor"))
        if stat == "vitality":
            return {"stat": stat, "amount": self.within((1, 10))}
        amount = self.within((1, 12)) * (20 if stat == "speed" else 1)
        lasting: Json = {"seconds": self.seconds()} if self.chance(60) else {}
        return {"stat": stat, "amount": self.dice.choice((-amount, amount)), **lasting}

    def grant(self) -> Json:
        lasting: tuple[Json, ...] = ({}, {"battle": True}, {"seconds": self.seconds()})
        return {"keyword": self.leaning(KEYWORDS), **self.dice.choice(lasting)}


# Each verb, with what is written beside it and its aim; `endure` stands alone, in `Author.effects`.
VERBS: Final[dict[str, Callable[[Author], Json]]] = {
    "damage": lambda by: (
        {"amount": by.within((1, 12))} if by.chance(60) else {"percent": by.within((1, 200))}
    ),
    "heal": lambda by: {"amount": by.within((1, 12))},
    "ward": lambda by: {"amount": by.within((1, 6))},
    "dread": lambda by: {"stacks": by.within((1, 5))},
    "burn": lambda by: {"stacks": by.within((1, 6))},
    "freeze": lambda by: {"seconds": by.seconds()},
    "buff": Author.buff,
    "quicken": lambda by: {"speed": by.within((1, 400))},
    "grant": Author.grant,
    "charge": lambda by: {"amount": by.dice.choice((-1200, -300, -1, 1, 250, 600, 1000, 2400))},
    "cleanse": lambda _: {},
    "summon": lambda by: {"card": by.dice.choice(by.cards), "count": by.dice.choice((1, 1, 2, 9))},
    "activate": lambda _: {},
}


def random_battle(seed: int) -> dict[str, object]:
    """The battle of this seed: legal, and the same every time."""
    return Author(seed).battle()


if __name__ == "__main__":
    print(json.dumps(random_battle(int(sys.argv[1])), ensure_ascii=False, indent=1))
