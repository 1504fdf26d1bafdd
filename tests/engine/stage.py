"""A stage to play a clause on: cards, boards and battles in a few words, and what was seen there.

    story = fight({0: card("bearer", keywords=["phylactery"], vitality=10)}, {0: striker(10)})
    story.saw({"kind": "vessel_spent", "unit": "a0"}, {"kind": "revival", "unit": "a0"})

Numbers that a test does not speak of stay out of its way: a card that says nothing else has a
great Vitality, no Power and no Speed, so it stands there and does nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from engine import Battle, Setup, UnitState, read_battle
from engine.catalog import EMPTY
from engine.events import event_object

Json = dict[str, Any]

A_FIRST: Final = "a"  # seeds that give the initiative to the side of their name
B_FIRST: Final = "b"
STOUT: Final = 100_000  # Vitality that nothing here takes
EVERY_TEN: Final = 100  # Speed that is full on ticks 10, 20, 30, …
EVERY_TICK: Final = 1000


@dataclass(frozen=True)
class Worn:
    """A card as it is placed on a board: with runes and Scrip grants."""

    card: Json
    runes: tuple[Json, ...] = ()
    scrip: dict[str, int] = field(default_factory=dict)


Half = Mapping[int, Json | Worn]  # cell: who stands there


def do(verb: str, aim: str | None = None, **fields: object) -> Json:
    """One effect."""
    return {"verb": verb, **({} if aim is None else {"aim": aim}), **fields}


def on(channel: str, *effects: Json, **limits: str) -> Json:
    """One line."""
    return {"on": channel, **limits, "do": list(effects)}


def card(name: str, *lines: Json, **fields: object) -> Json:
    """A card that stands there, and does what its lines and fields say."""
    still: Json = {"id": name, "vitality": STOUT, "power": 0, "speed": 0}
    return still | fields | {"lines": list(lines)}


def rune(name: str, *lines: Json, **stats: int) -> Json:
    return {"id": name, "stats": stats, "lines": list(lines)}


def worn(bearer: Json, *runes: Json, **scrip: int) -> Worn:
    return Worn(bearer, runes, scrip)


def striker(power: int, *lines: Json, name: str = "striker", **fields: object) -> Json:
    """Strikes the weakest enemy on ticks 10, 20, 30, …"""
    usual: Json = {"power": power, "speed": EVERY_TEN, "focus": "weakest"}
    return card(name, *lines, **(usual | fields))


def caster(*effects: Json, name: str = "caster", once: bool = False, **fields: object) -> Json:
    """Does the effects on ticks 10, 20, 30, …, or on tick 10 alone; it does not Strike."""
    line = on("activation", *effects, **({"once": "battle"} if once else {}))
    usual: Json = {"speed": EVERY_TEN, "strike": False, "focus": "weakest"}
    return card(name, line, **(usual | fields))


def dummy(name: str = "dummy", **fields: object) -> Json:
    return card(name, **fields)


@dataclass(frozen=True)
class Story:
    """A battle as far as it was played, and its events as the log writes them."""

    battle: Battle
    events: list[Json]

    def all(self, kind: str, **fields: object) -> list[Json]:
        """The events of a kind that have these fields, in order."""
        return [event for event in self.events if matches({"kind": kind, **fields}, event)]

    def one(self, kind: str, **fields: object) -> Json:
        """The only such event."""
        found = self.all(kind, **fields)
        assert len(found) == 1, f"{len(found)} of {kind} {fields}:\n{self}"
        return found[0]

    def never(self, kind: str, **fields: object) -> None:
        assert not self.all(kind, **fields), f"{kind} {fields} is there:\n{self}"

    def ticks(self, kind: str, **fields: object) -> list[int]:
        return [event["tick"] for event in self.all(kind, **fields)]

    def units(self, kind: str, **fields: object) -> list[str]:
        return [event["unit"] for event in self.all(kind, **fields)]

    def batches(self, kind: str, **fields: object) -> list[int | None]:
        return [event["batch"] for event in self.all(kind, **fields)]

    def saw(self, *partials: Json) -> None:
        """These were seen in this order, whatever came between them."""
        at = missing_in_order(list(partials), self.events)
        assert at is None, f"not in order: {at}\n{self}"

    def on_tick(self, tick: int) -> list[tuple[str, str | None]]:
        """Kind and unit of every event of a tick."""
        return [(e["kind"], e.get("unit")) for e in self.events if e["tick"] == tick]

    def state(self, unit_id: str) -> UnitState:
        """A unit as it stands after the last tick that was played."""
        return next(unit for unit in self.battle.snapshot().units if unit.id == unit_id)

    def __str__(self) -> str:
        return "\n".join(json.dumps(event, ensure_ascii=False) for event in self.events)


def matches(partial: Json, event: Json) -> bool:
    """An event matches when it has all the fields of the partial one, with equal values."""
    return all(key in event and event[key] == value for key, value in partial.items())


def missing_in_order(partials: list[Json], events: list[Json]) -> Json | None:
    """The first partial event that is not found after those before it."""
    at = 0
    for partial in partials:
        found = next((i for i in range(at, len(events)) if matches(partial, events[i])), None)
        if found is None:
            return partial
        at = found + 1
    return None


def battle_object(
    a: Half,
    b: Half,
    *,
    also: tuple[Json, ...] = (),
    resonances: tuple[Json, ...] = (),
    seed: str = A_FIRST,
    **rules: object,
) -> Json:
    """The JSON object of a battle. `also` are cards that are only summoned."""
    halves = {"a": a, "b": b}
    stood = [who for half in halves.values() for who in half.values()]
    worn_here = [who for who in stood if isinstance(who, Worn)]
    cards = [who.card if isinstance(who, Worn) else who for who in stood] + list(also)
    runes = [item for who in worn_here for item in who.runes]
    return {
        "seed": seed,
        "rules": {"scrip_budget": 1_000_000_000, **rules},
        "cards": _each_once(cards),
        "runes": _each_once(runes),
        "resonances": list(resonances),
        "boards": {side: {"units": _placed(half)} for side, half in halves.items()},
    }


def endless() -> Json:
    """The JSON object of a battle whose first tick would take days: a line sets off hundreds of
    activations, each of which fires a line, as long as the chain lets it."""
    lines = on("activation", *[do("activate", "allies")] * 100)
    half: Half = dict.fromkeys(range(8), card("wheel", lines, speed=EVERY_TICK, strike=False))
    return battle_object(half, half, chain_lines=100_000)


def _each_once(definitions: list[Json]) -> list[Json]:
    once: dict[str, Json] = {}
    for definition in definitions:
        known = once.setdefault(definition["id"], definition)
        assert known == definition, f"two different {definition['id']} in one battle"
    return list(once.values())


def _placed(half: Half) -> list[Json]:
    units: list[Json] = []
    for cell, who in half.items():
        if isinstance(who, Worn):
            runes = [item["id"] for item in who.runes]
            units.append({"cell": cell, "card": who.card["id"], "runes": runes, "scrip": who.scrip})
        else:
            units.append({"cell": cell, "card": who["id"]})
    return units


def read_setup(value: Json) -> Setup:
    """The setup of a battle object, read as the command line reads it."""
    return read_battle(json.loads(json.dumps(value), parse_float=Decimal), EMPTY)


def play(value: Json, until: int = 40) -> Story:
    """Plays a battle up to and including a tick, or to its end if that comes first."""
    battle = Battle(read_setup(value))
    events = battle.advance(until)
    return Story(battle, [event_object(event) for event in events])


def fight(
    a: Half,
    b: Half,
    *,
    also: tuple[Json, ...] = (),
    resonances: tuple[Json, ...] = (),
    seed: str = A_FIRST,
    until: int = 40,
    **rules: object,
) -> Story:
    """Plays a battle between two board halves, as `play` does."""
    value = battle_object(a, b, also=also, resonances=resonances, seed=seed, **rules)
    return play(value, until)
