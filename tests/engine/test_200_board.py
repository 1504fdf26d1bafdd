"""200 Board: the halves and their cells, slot searches, ids, and what a board may hold."""

from __future__ import annotations

import pytest

from engine import Refused, Rules, read_board, read_catalog
from tests.engine.stage import Half, Json, Worn, card, caster, do, dummy, fight, on, striker

FULL: dict[int, Json | Worn] = dict.fromkeys(range(8), dummy())


def test_200_1_a_half_has_eight_cells_of_two_rows() -> None:
    blast = do("burn", "focus", stacks=1)
    for profile, row in (("front", {0, 1, 2, 3}), ("back", {4, 5, 6, 7})):
        story = fight({0: caster(blast, focus=profile)}, FULL, until=400)
        assert {int(unit[1:]) for unit in story.units("status", source="a0")} == row


def test_200_1_cells_outside_the_half_are_refused() -> None:
    catalog = read_catalog({"cards": [dummy()]})
    for cell in (-1, 8):
        with pytest.raises(Refused, match=f"must be from 0 to 7, not {cell}"):
            read_board({"units": [{"cell": cell, "card": "dummy"}]}, catalog, Rules())


def test_200_2_a_waiting_death_keeps_its_cell() -> None:
    rattle = card("rattle", on("death", do("summon", card="token", count=8)), vitality=5)
    blast = caster(do("damage", "enemies", amount=5), once=True)
    half: Half = {0: rattle, 1: card("second", vitality=5)}
    story = fight(half, {0: blast}, also=(card("token"),), until=10)
    assert [e["cell"] for e in story.all("summon")] == [2, 3, 4, 5, 6, 7]


def test_200_2_a_resolving_death_keeps_its_cell() -> None:
    rattle = card("rattle", on("death", do("summon", card="token")), vitality=5)
    mourner = card("mourner", on("macabre", do("summon", card="token")))
    story = fight({0: rattle, 1: mourner}, {0: striker(5)}, also=(card("token"),), until=10)
    assert [(e["source"], e["cell"]) for e in story.all("summon")] == [("a0", 2), ("a1", 3)]


def test_200_2_a_resolved_death_frees_its_cell() -> None:
    summoner = caster(do("summon", card="token"), speed=60)  # tick 17
    half: Half = {0: card("weak", vitality=5), 1: summoner}
    story = fight(half, {0: striker(5)}, also=(card("token"),), until=17)
    assert story.ticks("death") == [10]
    assert story.one("summon")["cell"] == 0


ADJACENT = {
    0: [1, 4],
    1: [0, 2, 5],
    2: [1, 3, 6],
    3: [2, 7],
    4: [0, 5],
    5: [1, 4, 6],
    6: [2, 5, 7],
    7: [3, 6],
}


@pytest.mark.parametrize("cell", range(8))
def test_200_3_adjacent_is_next_in_the_row_or_the_column(cell: int) -> None:
    warder = card("warder", on("battle_start", do("ward", "adjacent", amount=1)))
    story = fight(FULL | {cell: warder}, FULL, until=0)
    assert story.units("ward") == [f"a{neighbour}" for neighbour in ADJACENT[cell]]


def test_200_4_a_summon_takes_the_lowest_free_cell() -> None:
    summoner = caster(do("summon", card="token", count=3), once=True)
    story = fight({0: dummy(), 2: summoner, 3: dummy()}, {0: dummy()}, also=(card("token"),))
    assert [e["cell"] for e in story.all("summon")] == [1, 4, 5]


def test_200_4_a_return_takes_its_own_cell_if_that_is_free() -> None:
    undying = card("undying", vitality=5, keywords=["everlasting"])
    story = fight({5: undying, 7: dummy()}, {0: striker(5)}, everlasting_ticks=5)
    assert story.all("revival")[0]["cell"] == 5


def test_200_4_a_return_takes_the_lowest_free_cell_if_its_own_is_held() -> None:
    undying = card("undying", vitality=5, keywords=["everlasting"])
    summoner = caster(do("summon", card="token", count=1), once=True, speed=91)  # tick 11
    half: Half = {0: undying, 1: summoner, 2: dummy()}
    story = fight(half, {0: striker(5)}, also=(card("token"),), everlasting_ticks=5, until=15)
    assert story.one("summon")["cell"] == 0
    assert story.one("revival")["cell"] == story.state("a0").cell == 3


def test_200_5_units_are_numbered_in_cell_order() -> None:
    story = fight({6: dummy(), 1: dummy(), 3: dummy()}, {2: dummy(), 0: dummy()}, until=0)
    written = {unit["id"]: unit["cell"] for unit in story.one("battle_start")["units"]}
    assert written == {"a0": 1, "a1": 3, "a2": 6, "b0": 0, "b1": 2}


def test_200_5_an_id_is_never_used_twice() -> None:
    token = card("token", vitality=5)
    summoner = caster(do("summon", card="token"))
    story = fight({0: summoner, 1: dummy()}, {0: striker(5)}, also=(token,))
    assert story.units("summon") == ["a2", "a3", "a4", "a5"]  # the same cell, four times
    assert {e["cell"] for e in story.all("summon")} == {2}
    assert story.units("death") == ["a2", "a3", "a4", "a5"]


CATALOG = read_catalog(
    {
        "cards": [card("bone-squire", price=4), card("rimewitch", price=9)],
        "runes": [
            {"id": "reliquary", "price": 2},
            {"id": "held-breath", "price": 1},
            {"id": "whetbone", "price": 1},
        ],
        "prices": {"power": 3},
    }
)


def faults(*units: Json, budget: int = 60) -> list[tuple[str, str]]:
    """Every fault of a board, or none."""
    try:
        read_board({"units": list(units)}, CATALOG, Rules(scrip_budget=budget))
    except Refused as refused:
        return [(fault.path, fault.message) for fault in refused.faults]
    return []


def squire(cell: int, **fields: object) -> Json:
    return {"cell": cell, "card": "bone-squire", **fields}


def test_200_6_a_board_holds_one_to_eight_units() -> None:
    assert faults() == [("units", "a board holds 1 to 8 units, not 0")]
    assert faults(squire(0)) == []
    assert faults(*(squire(cell) for cell in range(8))) == []
    nine = faults(*(squire(cell % 8) for cell in range(9)))
    assert nine[0] == ("units", "a board holds 1 to 8 units, not 9")


def test_200_6_cells_are_distinct() -> None:
    assert faults(squire(3), squire(1), squire(3)) == [
        ("units[2].cell", "cell 3 is held by units[0]")
    ]


def test_200_6_up_to_two_different_runes() -> None:
    assert faults(squire(0, runes=["reliquary", "whetbone"])) == []
    assert faults(squire(0, runes=["reliquary", "reliquary"])) == [
        ("units[0].runes[1]", 'rune "reliquary" stands here twice')
    ]
    assert faults(squire(0, runes=["reliquary", "whetbone", "held-breath"])) == [
        ("units[0].runes", "a unit wears up to 2 runes, not 3")
    ]


def test_200_6_the_price_is_cards_runes_and_grants_within_the_budget() -> None:
    units = (squire(0, runes=["reliquary"], scrip={"power": 2, "ward": 1}), squire(1))
    price = (4 + 2 + 2 * 3 + 1) + 4
    assert faults(*units, budget=price) == []
    assert faults(*units, budget=price - 1) == [
        ("units", f"cost {price} Scrip of a budget of {price - 1}")
    ]


def test_200_6_every_fault_is_named_by_its_path() -> None:
    first = squire(0) | {"card": "bone-squires"}
    third = squire(2, runes=["whetbone", "reliqary"])
    assert faults(first, squire(9), third) == [
        ("units[0].card", 'no card "bone-squires"; did you mean "bone-squire"?'),
        ("units[1].cell", "must be from 0 to 7, not 9"),
        ("units[2].runes[1]", 'no rune "reliqary"; did you mean "reliquary"?'),
    ]
