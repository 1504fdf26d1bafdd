"""What is tried: cards, runes, resonances, prices and rules, and what of them is new."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Refused, Rules, base_catalog, read_board, sample_boards
from server.odds.change import as_it_is, difference, read_change

CUR = {"id": "gutter-cur", "price": 7, "vitality": 9, "power": 1, "speed": 9}
NEW = {**CUR, "id": "new"}
CALLER = {
    **CUR,
    "lines": [{"on": "death", "do": [{"verb": "summon", "card": "new", "count": 1}]}],
}
SET = {
    "id": "new-set",
    "name": "New",
    "steps": [{"count": 2, "stats": {"power": 1}}],
}


def touches(change: object, board: str = "red-kennel") -> bool:
    world = read_change(change)
    boards = [read_board(sample_boards()[board], *world)]
    return difference(world).touches(boards, world)


def test_rules_may_stand_in_it() -> None:
    world = read_change({"rules": {"everlasting_ticks": 100}})
    assert world.rules == replace(Rules(), everlasting_ticks=100)
    assert world.catalog == base_catalog()
    assert str(difference(world)) == "changed: everlasting_ticks"
    assert touches({"rules": {"everlasting_ticks": 100}})


def test_every_fault_of_cards_and_rules_is_told() -> None:
    with pytest.raises(Refused) as refused:
        read_change({"rules": {"tempo": 1}, "cards": [{**CUR, "power": -1}]})
    assert [fault.path for fault in refused.value.faults] == ["rules.tempo", "cards[0].power"]


@pytest.mark.parametrize("change", [{}, [], {"cardz": []}, {"units": []}, {"seed": "x"}])
def test_what_is_no_change_is_refused(change: object) -> None:
    with pytest.raises(Refused):
        read_change(change)


def test_it_says_what_is_new_and_what_replaces_something() -> None:
    change = {"cards": [NEW, CUR], "resonances": [SET], "prices": {"armor": 2}}
    assert str(difference(read_change(change))) == (
        "new: new, new-set; changed: gutter-cur, prices"
    )
    assert str(difference(as_it_is())) == "the change changes nothing"


def test_it_touches_boards_that_have_it_or_summon_it() -> None:
    assert touches({"cards": [CUR]})
    assert not touches({"cards": [CUR]}, "full-barrow")
    assert not touches({"cards": [NEW]})
    assert not touches({"prices": {"armor": 0}})
    with_caller = read_change({"cards": [NEW, CALLER]})
    boards = [read_board(sample_boards()["red-kennel"], *with_caller)]
    only_new = difference(read_change({"cards": [NEW]}))
    assert only_new.touches(boards, with_caller)


def test_a_resonance_touches_boards_whose_cards_bear_it() -> None:
    ossuary = base_catalog().resonances["ossuary"]
    change = {"resonances": [{**SET, "id": ossuary.id}]}
    assert touches(change, "funeral-feast")
