"""The base set as a whole: names and texts, what a text says of its lines, and that every given
clause is met by something in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from engine import base_catalog
from engine.definitions import (
    AIMS,
    CHANNELS,
    STAT_NAMES,
    Card,
    Effect,
    Line,
    Resonance,
    Rune,
    Stats,
)
from engine.printing import VERB_FIELDS
from engine.reading import TICKS_PER_SECOND
from tests.engine.stage import Json, matches
from tests.engine.test_rules_md import GIVEN

CATALOG: Final = base_catalog()
BEARERS: Final[dict[str, Card | Rune]] = {**CATALOG.cards, **CATALOG.runes}
ALL: Final[list[Card | Rune | Resonance]] = [*BEARERS.values(), *CATALOG.resonances.values()]

# How a sentence begins that says what a line does.
CHANNEL_WORDS: Final = {
    "battle_start": "At battle start",
    "activation": "On activation",
    "hit": "On a hit",
    "new_target": "On a new target",
    "hurt": "When hurt",
    "lethal": "Lethal",
    "death": "Deathrattle",
    "macabre": "Macabre",
    "kill": "On a kill",
    "revived": "When revived",
    "ally_revived": "When an ally is revived",
}
AIM_WORDS: Final = {
    "self": "",
    "focus": "its Focus",
    "target": "the target|it",
    "attacker": "the attacker",
    "killer": "its killer",
    "revived": "the revived unit",
    "enemies": "all enemies",
    "allies": "all allies",
    "other_allies": "all other allies",
    "adjacent": "adjacent allies",
    "weakest_ally": "the weakest ally",
}


def by_id(one: Card | Rune | Resonance) -> str:
    return one.id


def test_the_base_set_is_as_large_as_a_game_needs() -> None:
    assert len(CATALOG.cards) >= 30
    assert len(CATALOG.resonances) >= 6
    assert len(CATALOG.runes) >= 12


def test_no_two_of_the_base_set_have_one_name_or_id_and_none_has_no_name() -> None:
    for said in ([one.name for one in ALL], [one.id for one in ALL]):
        assert all(said)
        assert len(set(said)) == len(said)


@pytest.mark.parametrize("kind", ["cards", "runes", "resonances"])
def test_no_two_of_a_kind_have_one_text_and_none_has_no_text(kind: str) -> None:
    texts = [one.text for one in getattr(CATALOG, kind).values()]
    assert all(texts)
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", sorted(CATALOG.resonances))
def test_a_resonance_is_borne_by_enough_cards_for_its_highest_step(name: str) -> None:
    bearers = [card for card in CATALOG.cards.values() if name in card.resonance]
    assert len(bearers) >= max(count for count, _ in CATALOG.resonances[name].steps)


# Texts


def added(stats: Stats) -> list[str]:
    """`+3 Power` for each that is not 0."""
    named = zip(STAT_NAMES, stats, strict=True)
    return [f"{number:+d} {name.title()}" for name, number in named if number]


def lasting(effect: Effect) -> str:
    if effect.battle:
        return "for the battle"
    if not effect.ticks:
        return "for this life"
    seconds = f"{effect.ticks / TICKS_PER_SECOND:g}"
    return f"for {seconds} second{'' if seconds == '1' else 's'}"


def summoned(effect: Effect) -> str:
    name = CATALOG.cards[effect.card].name
    return f"summon a {name}" if effect.amount == 1 else f"summon {effect.amount} {name}s"


def said_of(effect: Effect) -> list[str]:
    """What a text must say of an effect."""
    number = effect.amount
    phrases: dict[str, list[str]] = {
        "damage": [f"damage of {number} % of its Power" if effect.percent else f"{number} damage"],
        "heal": ["heal", f"for {number}"],
        "ward": [f"{number} Ward"],
        "dread": [f"{number} Dread"],
        "burn": [f"{number} Burn"],
        "freeze": ["Freeze", lasting(effect)],
        "buff": [f"{number:+d} {effect.stat.title()}", lasting(effect)],
        "quicken": [f"{number:+d} Speed until its next activation"],
        "grant": [effect.keyword.title(), lasting(effect)],
        "charge": [f"loses {-number} Charge" if number < 0 else f"{number} Charge"],
        "cleanse": ["cleanse"],
        "summon": [summoned(effect)] if effect.card else [],
        "activate": ["activate"],
        "endure": [f"endure at {number} Vitality"],
    }
    assert phrases.keys() == VERB_FIELDS.keys()
    return phrases[effect.verb]


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def sentences(one: Card | Rune) -> list[str]:
    """Those that say what a line does."""
    known = tuple(CHANNEL_WORDS.values())
    return [said for said in one.text.removesuffix(".").split(". ") if said.startswith(known)]


def charges(line: Line) -> list[Effect]:
    return [effect for effect in line.effects if effect.verb == "charge"]


def opening(line: Line) -> str:
    words = CHANNEL_WORDS[line.on]
    return f"{words} by {line.cause.title()}" if line.cause else words


def test_the_words_of_texts_are_those_of_all_channels_and_aims() -> None:
    assert tuple(CHANNEL_WORDS) == CHANNELS
    assert sorted(AIM_WORDS) == sorted(AIMS)


@pytest.mark.parametrize("one", BEARERS.values(), ids=by_id)
def test_a_text_says_of_each_line_when_it_fires_what_it_does_and_to_whom(one: Card | Rune) -> None:
    for line, sentence in zip(one.lines, sentences(one), strict=True):
        assert re.match(rf"{opening(line)}[,:] ", sentence)
        assert re.findall("once a (life|battle)", sentence) == [line.once] * bool(line.once)
        phrases = [phrase for effect in line.effects for phrase in said_of(effect)]
        assert [phrase for phrase in phrases if phrase not in sentence] == []
        assert numbers(sentence) == numbers(" ".join(phrases))
        assert ("loses" in sentence) is any(effect.amount < 0 for effect in charges(line))
        for effect in line.effects:
            assert re.search(rf"\b({AIM_WORDS[effect.aim]})\b", sentence)


@pytest.mark.parametrize("card", CATALOG.cards.values(), ids=by_id)
def test_a_text_says_of_a_card_that_it_does_not_strike(card: Card) -> None:
    assert ("Does not Strike" in card.text) is not card.strike


@pytest.mark.parametrize("rune", CATALOG.runes.values(), ids=by_id)
def test_a_text_says_the_stats_that_a_rune_gives(rune: Rune) -> None:
    stats = added(rune.stats)
    assert rune.text.startswith(" and ".join(stats))
    assert bool(stats) is rune.text.startswith(("+", "-"))


@pytest.mark.parametrize("resonance", CATALOG.resonances.values(), ids=by_id)
def test_a_text_says_every_step_of_a_resonance(resonance: Resonance) -> None:
    steps = resonance.text.removesuffix(".").split(". ")
    said = [(int(step.split(": ")[0]), set(step.split(": ")[1].split(" and "))) for step in steps]
    assert said == [(count, set(added(stats))) for count, stats in resonance.steps]


# The given clauses


def has(one: Card | Rune) -> Iterator[Json]:
    """What a card or rune has that a clause may speak of."""
    if isinstance(one, Card):
        yield {"keywords": set(one.keywords), "resonance": bool(one.resonance)}
    for line in one.lines:
        for effect in line.effects:
            fields = {name: getattr(effect, name) for name in effect.__dataclass_fields__}
            yield {"on": line.on, "cause": line.cause, "once": line.once, **fields}


PHYLACTERY: Final[Json] = {"keywords": {"phylactery"}, "resonance": True}
EVERLASTING: Final[Json] = {"keywords": {"everlasting"}, "resonance": True}
DREAD: Final[Json] = {"verb": "dread", "aim": "focus", "amount": 3}
FREEZE_ALL: Final[Json] = {"verb": "freeze", "aim": "enemies"}

# What in the base set a clause is about, by name.
MET_BY: Final[dict[str, list[tuple[str, Json]]]] = {
    "500.9a": [("wickling", EVERLASTING)],
    "500.9b": [("bone-squire", PHYLACTERY)],
    "500.9c": [  # both causes; and what the last life leaves behind
        ("tallow-knight", EVERLASTING),
        ("tallow-knight", {"verb": "buff", "stat": "power", "ticks": 0}),
        ("quickbone-courier", PHYLACTERY),
        ("quickbone-courier", {"verb": "buff", "stat": "speed", "ticks": 200}),
    ],
    "500.9d": [("marrow-regent", PHYLACTERY)],
    "500.9e": [("held-breath", {"on": "lethal", "once": "life", "verb": "endure"})],
    "500.9f": [
        ("gutter-cur", {"keywords": {"rabid"}}),
        ("strangers-mark", {"on": "new_target", "verb": "damage"}),
    ],
    "500.9g": [
        ("undying-wick", {"verb": "grant", "keyword": "everlasting", "battle": True}),
        ("lanternbearer", {"verb": "grant", "keyword": "everlasting", "battle": False}),
    ],
    "500.9h": [
        ("bone-squire", {"on": "revived"}),
        ("ossuary-clerk", {"on": "ally_revived"}),
    ],
    "500.9i": [
        ("twice-buried", {"keywords": {"phylactery", "everlasting"}}),
        ("twice-buried", {"on": "revived", "cause": "phylactery"}),
        ("twice-buried", {"on": "revived", "cause": "everlasting"}),
    ],
    "500.9j": [("midnight-sexton", {"on": "ally_revived", "cause": ""})],
    "500.9k": [
        ("ossuary-clerk", {"on": "ally_revived", "aim": "revived"}),
        ("tomb-notary", {"on": "ally_revived", "aim": "killer"}),
        ("pale-heir", {"on": "revived", "aim": "killer"}),
    ],
    "500.9l": [
        ("reliquary", {"on": "revived", "verb": "quicken"}),
        ("warm-earth", {"on": "revived", "verb": "buff", "stat": "speed"}),
    ],
    "500.9m": [("tomb-notary", {"on": "ally_revived", "verb": "dread"})],
    "800.49a": [("bone-squire", PHYLACTERY)],
    "800.49b": [
        ("bone-squire", PHYLACTERY),
        ("first-snow", {"on": "battle_start"} | FREEZE_ALL),
    ],
    "800.49c": [("keening-widow", DREAD), ("hoarfrost-bell", FREEZE_ALL)],
    "800.49d": [("bone-squire", PHYLACTERY), ("pale-heir", PHYLACTERY)],
    "800.49e": [
        ("ninth-hour-ringer", {"on": "activation", "verb": "activate", "aim": "adjacent"}),
        ("first-snow", {"on": "death"} | FREEZE_ALL),
        ("marrow-regent", {"on": "revived", "verb": "activate"}),
        ("black-herald", {"on": "battle_start", "verb": "dread"}),
    ],
    "800.49f": [
        ("hoarfrost-bell", FREEZE_ALL),
        ("rimewitch", {"verb": "freeze", "aim": "focus"}),
        ("tomb-notary", {"on": "ally_revived", "verb": "dread"}),
    ],
    "800.49g": [("keening-widow", DREAD), ("icicle-pin", {"on": "hit", "verb": "freeze"})],
    "800.49h": [("hollow-choir", {"on": "activation", "verb": "dread", "aim": "enemies"})],
    "800.49i": [
        ("sootling", {"on": "death", "aim": "killer"}),
        ("carrion-abacus", {"on": "macabre"}),
        ("mange-alpha", {"on": "kill"}),
    ],
    "800.49j": [("marrow-regent", PHYLACTERY)],
    "800.49k": [("twice-buried", {"keywords": {"phylactery", "everlasting"}})],
    "800.49l": [("bone-squire", PHYLACTERY), ("barrow-mother", {"on": "death", "verb": "summon"})],
}


@pytest.mark.parametrize("clause", GIVEN)
def test_a_given_clause_is_met_by_something_in_the_base_set(clause: str) -> None:
    assert MET_BY[clause]
    for name, wanted in MET_BY[clause]:
        assert any(matches(wanted, found) for found in has(BEARERS[name])), name
