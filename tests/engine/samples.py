"""Battles to try the engine on: random ones of their own cards, and random ones of the base set."""

from __future__ import annotations

import itertools
import json
from decimal import Decimal
from random import Random

from engine import Battle, Rules, Setup, base_catalog, read_battle, read_board, sample_boards
from engine.board import CELLS, MOST_RUNES
from engine.catalog import EMPTY
from engine.definitions import STAT_NAMES
from tests.engine.random_battles import random_battle


def own_cards(seed: int) -> Setup:
    """The random battle of a seed, which brings all of its own cards."""
    text = json.dumps(random_battle(seed))
    return read_battle(json.loads(text, parse_float=Decimal), EMPTY)


def base_set(seed: int) -> Setup:
    """Random boards of the whole base catalog, far above what Scrip would pay for.

    Every third battle has short rules, so that returns, Vessels and the sweep come often.
    """
    dice = Random(seed)
    short = Rules(everlasting_ticks=30, vessel_cost=4, time_limit=300)
    budget = 1_000_000
    rules = short if seed % 3 == 0 else Rules()
    rules = Rules(**{**vars(rules), "scrip_budget": budget})
    boards = tuple(read_board(_board(dice), base_catalog(), rules) for _ in range(2))
    return Setup(f"base {seed}", rules, base_catalog(), (boards[0], boards[1]))


def _board(dice: Random) -> dict[str, object]:
    cells = dice.sample(range(CELLS), dice.randint(1, CELLS))
    return {"units": [_unit(dice, cell) for cell in cells]}


def _unit(dice: Random, cell: int) -> dict[str, object]:
    catalog = base_catalog()
    runes = dice.sample(sorted(catalog.runes), dice.randint(0, MOST_RUNES))
    scrip = {stat: dice.randint(0, 8) for stat in dice.sample(STAT_NAMES, dice.randint(0, 2))}
    card = dice.choice(sorted(catalog.cards))
    return {"cell": cell, "card": card, "runes": runes, "scrip": scrip}


def sample_pairs() -> dict[str, Setup]:
    """Every pair of the sample boards, by "name vs name"."""
    catalog, rules = base_catalog(), Rules()
    boards = {
        name: read_board(board, catalog, rules) for name, board in sorted(sample_boards().items())
    }
    return {
        f"{a} vs {b}": Setup(f"{a} vs {b}", rules, catalog, (boards[a], boards[b]))
        for a, b in itertools.product(boards, boards)
    }


def fought(setup: Setup) -> Battle:
    """The battle, at its end."""
    battle = Battle(setup)
    battle.run()
    return battle
