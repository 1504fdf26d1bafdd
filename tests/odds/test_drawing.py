"""Boards drawn at random: legal, as alike as can be, and the same whatever is added beside them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from engine import Board, Catalog, Rules, base_catalog, read_catalog
from server.odds.drawing import Dice, draw

NEW_CARD = {"cards": [{"id": "new", "price": 9, "vitality": 1, "power": 1, "speed": 1}]}
NEW_RUNE = {"runes": [{"id": "new", "price": 2, "stats": {"power": 1}}]}


def boards(catalog: Catalog, number: int) -> list[Board]:
    return [draw(f"d {one}", catalog, Rules()) for one in range(number)]


def test_they_are_legal_and_spend_what_they_can() -> None:
    catalog, rules = base_catalog(), Rules()
    drawn = boards(catalog, 200)
    assert {rules.scrip_budget - board.price(catalog) for board in drawn} == {0}
    assert {len(board.units) for board in drawn} == {6}
    assert {unit.card for board in drawn for unit in board.units} == set(catalog.cards)
    assert {rune for b in drawn for unit in b.units for rune in unit.runes} == set(catalog.runes)
    assert {unit.cell for board in drawn for unit in board.units} == set(range(8))
    assert draw("d 1", catalog, rules) == drawn[1]


@pytest.mark.parametrize("change", [NEW_CARD, NEW_RUNE])
def test_what_is_added_shifts_no_board_on_which_it_does_not_stand(
    change: dict[str, object],
) -> None:
    before = boards(base_catalog(), 200)
    after = boards(read_catalog(change, base_catalog()), 200)
    had = [
        any(unit.card == "new" or "new" in unit.runes for unit in board.units) for board in after
    ]
    apart = [old != new for old, new in zip(before, after, strict=True)]
    assert any(had)
    assert not all(had)
    assert all(has or not is_apart for has, is_apart in zip(had, apart, strict=True))


def test_any_cards_that_can_be_paid_for_together_are_as_likely_as_any_others() -> None:
    """Two cards, of which five dear ones cannot be paid for: of the sixty-four rows of six, those
    with at most four are drawn, each as often."""
    change = {
        "cards": [
            {"id": "cheap", "price": 1, "vitality": 1, "power": 1, "speed": 1},
            {"id": "dear", "price": 14, "vitality": 1, "power": 1, "speed": 1},
        ]
    }
    drawn = boards(read_catalog(change), 1140)
    dear = Counter(sum(unit.card == "dear" for unit in board.units) for board in drawn)
    likely = {0: 1, 1: 6, 2: 15, 3: 20, 4: 15}
    assert set(dear) == set(likely)
    for number, ways in likely.items():
        assert dear[number] == pytest.approx(20 * ways, abs=4 * (20 * ways) ** 0.5)


def test_each_throw_is_by_itself_and_fair() -> None:
    dice = Dice("s")
    picks = [dice.pick(throw, "abcd") for throw in range(2000)]
    assert all(abs(number - 500) < 80 for number in Counter(picks).values())
    pairs = Counter(pairwise(picks))
    assert len(pairs) == 16
    assert all(abs(number - 125) < 50 for number in pairs.values())
    without = [dice.pick(throw, "abc") for throw in range(2000)]
    assert all(
        old in (new, "d") for old, new in zip(picks, without, strict=True)
    )  # who is taken away leaves the others as they were
