"""What `/api/catalog` says: all that whoever makes or shows a board must know of what is on it."""

from __future__ import annotations

import orjson

from engine import Catalog, Rules
from engine.board import CELLS, MOST_RUNES, ROW
from engine.definitions import Card, Resonance, Rune


def printed(catalog: Catalog, rules: Rules) -> bytes:
    """Cards, runes and resonances by id, what they cost, and what a board may hold, as JSON."""
    return orjson.dumps(
        {
            "cards": {card.id: _card(card) for card in catalog.cards.values()},
            "runes": {rune.id: _priced(rune) for rune in catalog.runes.values()},
            "resonances": {one.id: _resonance(one) for one in catalog.resonances.values()},
            "prices": catalog.prices._asdict(),
            "board": {
                "budget": rules.scrip_budget,
                "cells": CELLS,
                "row": ROW,
                "most_units": CELLS,
                "most_runes": MOST_RUNES,
            },
        }
    )


def _card(card: Card) -> dict[str, object]:
    return {
        **_priced(card),
        "focus": card.focus,
        "strike": card.strike,
        "keywords": card.keywords,
        "immune": card.immune,
        "resonance": card.resonance,
    }


def _priced(one: Card | Rune) -> dict[str, object]:
    """What cards and runes have in common."""
    return {
        "name": one.name,
        "text": one.text,
        "price": one.price,
        "stats": one.stats._asdict(),
    }


def _resonance(resonance: Resonance) -> dict[str, object]:
    steps = [{"count": count, "stats": stats._asdict()} for count, stats in resonance.steps]
    return {"name": resonance.name, "text": resonance.text, "steps": steps}
