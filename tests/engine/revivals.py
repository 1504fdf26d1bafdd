"""Those who die and come back, for the tests of 500.9."""

from __future__ import annotations

from typing import Any

from tests.engine.stage import Half, Json, Story, Worn, card, caster, do, dummy, fight

CAUSES = ("phylactery", "everlasting")
VAULT = dummy("vault", keywords=["phylactery"])  # a living taker of points


def undying(
    *lines: Json, name: str = "undying", cause: str = "everlasting", **fields: object
) -> Json:
    """Falls to a blow of 5, and comes back."""
    usual: Json = {"vitality": 5, "keywords": [cause]}
    return card(name, *lines, **(usual | fields))


def slayer(*before: Json, **fields: object) -> Json:
    """Deals 5 to the weakest, once, on tick 10."""
    return caster(*before, do("damage", amount=5), name="slayer", once=True, **fields)


def revive(
    who: Json | Worn, friend: Json | None = None, *before: Json, until: int = 20, **rules: Any
) -> Story:
    """`who` (a0) dies on tick 10 and is back on tick 10 or 15, by its keyword; a1 stands by."""
    half: Half = {0: who, 1: friend if friend is not None else dummy()}
    return fight(half, {0: slayer(*before)}, until=until, everlasting_ticks=5, **rules)
