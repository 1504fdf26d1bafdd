"""Battles by the thousand: that they are the engine's, that all are counted once and on the right
side, and that what is said of them may be said."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from itertools import chain

import pytest

from engine import Battle, Rules, Setup, base_catalog, event_object, read_board, sample_boards
from server.odds.counts import Deeds
from server.odds.crew import work
from server.odds.drawing import draw
from server.odds.fights import fight
from server.odds.plan import Draws, Grounds, Pairing, Plan, pairings, pieces
from server.odds.results import Fought, Tournament
from server.odds.shares import Share
from server.odds.worth import weigh

A, B = "red-kennel", "full-barrow"
BOARDS = {name: sample_boards()[name] for name in (A, B)}
# The same card as it is, and one that has next to nothing.
SAME: dict[str, object] = {"cards": []}
FRAIL = {"cards": [{"id": "gutter-cur", "price": 9, "vitality": 1, "power": 0, "speed": 1}]}


def fought(plan: Plan, battles: int = 6) -> Fought:
    return fight(Grounds(plan), Pairing(A, B, 0, battles))


def battle_of(number: int) -> Battle:
    """The battle of that number, fought as the documentation says it is."""
    boards = [read_board(BOARDS[name], base_catalog(), Rules()) for name in (A, B)]
    a, b = boards if number % 2 == 0 else boards[::-1]
    battle = Battle(Setup(f"s {number}", Rules(), base_catalog(), (a, b)))
    battle.run()
    return battle


@pytest.mark.parametrize("battles", [1, 9, 10, 11, 1000])
def test_every_battle_is_in_one_piece(battles: int) -> None:
    numbers = [range(piece.first, piece.first + piece.battles) for piece in pieces(battles)]
    assert list(chain.from_iterable(numbers)) == list(range(battles))
    pairs = Counter((pair.a, pair.b) for pair in pairings(["x", "y", "z"], battles))
    assert set(pairs) == {("x", "y"), ("x", "z"), ("y", "z")}
    assert set(pairs.values()) == {len(numbers)}


@pytest.mark.parametrize("closely", [False, True])
def test_battles_are_the_engines_and_each_victory_its_boards(closely: bool) -> None:
    count = fought(Plan("s", BOARDS, closely=closely), 6).after
    won, ticks = Counter[str | None](), Counter[int]()
    for number in range(6):
        result = battle_of(number).result
        assert result is not None
        seats = [A, B] if number % 2 == 0 else [B, A]
        won[None if result.winner is None else seats["ab".index(result.winner)]] += 1
        ticks[result.tick] += 1
    assert (count.won, count.lost, count.drawn) == (won[A], won[B], won[None])
    assert count.ticks == ticks


def test_what_units_do_is_what_the_log_says() -> None:
    count = fought(Plan("s", BOARDS, closely=True), 4).after
    expected = tuple([Deeds() for _ in (*BOARDS[name]["units"], None)] for name in (A, B))  # type: ignore[misc]
    for number in range(4):
        battle = battle_of(number)

        def of(unit: object, number: int = number) -> Deeds:
            deeds = expected["ab".index(str(unit)[0]) ^ number % 2]
            return deeds[min(int(str(unit)[1:]), len(deeds) - 1)]

        for line in map(event_object, Battle(battle.setup).advance(1200)):
            if line["kind"] == "death":
                of(line["unit"]).deaths += 1
                if line["killer"] is not None and str(line["killer"])[0] != str(line["unit"])[0]:
                    of(line["killer"]).kills += 1
            elif line["kind"] == "revival":
                of(line["unit"]).revivals += 1
            elif (
                line["kind"] == "damage"
                and line["source"] is not None
                and str(line["source"])[0] != str(line["unit"])[0]
            ):
                amount = line["amount"]
                assert isinstance(amount, int)
                of(line["source"]).dealt += amount
        for unit in battle.snapshot().units:
            of(unit.id).stood += unit.vitality > 0
    assert count.deeds == expected
    assert all(sum(deeds.deaths for deeds in side) for side in expected)


def test_what_a_unit_does_to_its_own_side_is_no_deed() -> None:
    """500.5: a kill is counted where the killer is of the other side."""
    lines = [{"on": "activation", "do": [{"verb": "damage", "aim": "allies", "amount": 9}]}]
    martyr = {"id": "martyr", "price": 1, "vitality": 9, "power": 0, "speed": 99, "lines": lines}
    wall = {"id": "wall", "price": 1, "vitality": 99, "power": 0, "speed": 0, "strike": False}
    boards: dict[str, dict[str, object]] = {
        A: {"units": [{"cell": cell, "card": "martyr"} for cell in (0, 1)]},
        B: {"units": [{"cell": 0, "card": "wall"}]},
    }
    change = {"cards": [martyr, wall]}
    count = fight(Grounds(Plan("s", boards, change, closely=True)), Pairing(A, B, 0, 2)).after
    assert sum(deeds.deaths for deeds in count.deeds[0]) == 4
    assert [(deeds.kills, deeds.dealt) for deeds in count.deeds[0]] == [(0, 0)] * 3


def test_a_change_that_changes_nothing_turns_nothing() -> None:
    both = fought(Plan("s", BOARDS, SAME))
    assert both.before == both.after
    assert both.turned() == []
    moved = both.ending_moved("won")
    assert moved is not None
    assert not moved.at_all


def test_a_change_is_fought_beside_what_is_with_the_same_seeds() -> None:
    alone = fought(Plan("s", BOARDS), 30)
    both = fought(Plan("s", BOARDS, FRAIL), 30)
    assert both.before == alone.after
    assert both.after.won < both.before.won
    assert both.before.won - both.after.won <= len(both.turned()) <= 30


def test_a_board_that_only_the_change_makes_legal_has_no_before() -> None:
    new: dict[str, object] = {"units": [{"cell": 0, "card": "new"}]}
    change = {"cards": [{"id": "new", "price": 1, "vitality": 9, "power": 1, "speed": 9}]}
    boards = {A: new, B: BOARDS[B]}
    both = fight(Grounds(Plan("s", boards, change)), Pairing(A, B, 0, 2))
    assert both.before is None
    assert both.after.battles == 2
    assert both.ending_moved("won") is None


def test_any_number_of_processes_gives_the_same() -> None:
    plan = Plan("s", BOARDS, FRAIL, closely=True)
    parts = [Pairing(A, B, first, 3) for first in (0, 3, 6)]
    alone, shared = (list(work(plan, parts, fight, processes)) for processes in (1, 2))
    assert alone == shared
    whole = Tournament()
    for part, piece in zip(parts, alone, strict=True):
        whole.take(part, piece)
    assert list(whole.pairs.values()) == [fought(plan, 9)]


def die(_: Grounds, __: Draws) -> int:
    os._exit(1)


def test_a_process_that_dies_is_noticed() -> None:
    with pytest.raises(BrokenProcessPool):
        list(work(Plan("s", {}), list(pieces(30)), die, 2))


def test_what_a_board_makes_counts_once_for_each_thing_on_it() -> None:
    plan = Plan("w", {})
    (worth,) = weigh(Grounds(plan), Draws(0, 8)).worths
    boards, points = Counter[str](), Counter[str]()
    for number in range(8):
        both = [draw(f"w {number} {side}", base_catalog(), Rules()) for side in "ab"]
        setup = Setup(f"w {number}", Rules(), base_catalog(), (both[0], both[1]))
        winner = Battle(setup).run().winner
        for side, board in zip("ab", both, strict=True):
            for card in {unit.card for unit in board.units}:
                boards[card] += 1
                points[card] += 1 if winner is None else 2 * (side == winner)
    assert worth.battles == 8
    assert worth.cards.boards == boards
    assert +worth.cards.points == +points
    assert worth.cards.average() == Share(sum(points.values()) / 2, sum(boards.values()))
    card = next(iter(boards))
    assert worth.cards.share(card) == Share(points[card] / 2, boards[card])


def test_no_card_of_the_base_set_decides() -> None:
    """As the README says of more battles: it is not known of any card that its boards win more than
    55 %."""
    (worth,) = weigh(Grounds(Plan("odds", {})), Draws(0, 400)).worths
    assert all(worth.cards.share(card).interval()[0] < 0.55 for card in worth.cards.boards)
