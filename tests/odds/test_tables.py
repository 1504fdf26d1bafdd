"""What the tables say: which movements are in bold, and what is a number and no percentage."""

from __future__ import annotations

from rich.text import Text

from engine import Rules, base_catalog, read_board, sample_boards
from server.odds import tables
from server.odds.counts import Count
from server.odds.fights import fight
from server.odds.plan import Grounds, Pairing, Plan
from server.odds.results import Fought, Tournament
from server.odds.worth import Weighed, Worth

A, B = "red-kennel", "full-barrow"


def one(winner: int | None) -> Count:
    count = Count()
    count.note(winner, 9, timeout=False, cut=False)
    return count


def compared(turned: int) -> Fought:
    """A hundred battles, of which some are won only with the change."""
    fought = Fought(has_change=True)
    for number in range(100):
        fought.note(one(0 if number % 2 else 1), one(0 if number % 2 or number < turned else 1))
    return fought


def played(fought: Fought) -> Tournament:
    tournament = Tournament()
    for pair in (("x", "y"), ("x", "z"), ("y", "z")):
        tournament.take(Pairing(*pair, 0, 100), fought)
    return tournament


def is_bold(text: Text) -> bool:
    return text.style == "bold" or any(span.style == "bold" for span in text.spans)


def test_a_movement_is_in_bold_where_it_is_more_than_chance_makes() -> None:
    few, many = tables.duel("x", "y", compared(3)), tables.duel("x", "y", compared(60))
    assert [row[-1].plain for row in few.rows[:3]] == ["+2.0 ±3.3", "-2.0 ±3.3", ""]
    assert [row[-1].plain for row in many.rows[:3]] == ["+30.0 ±9.6", "-30.0 ±9.6", ""]
    assert not any(is_bold(row[-1]) for row in few.rows)
    assert [is_bold(row[-1]) for row in many.rows[:3]] == [True, True, False]


def test_a_tournament_tells_each_boards_interval_and_the_widest_of_a_pair() -> None:
    sheet = tables.tournament(["x", "y", "z"], played(compared(60)))
    assert sheet.rows[0][2].plain == "80.0 (+30.0 ±9.6)"
    assert sheet.rows[0][4].plain.startswith("80.0 ±")
    assert is_bold(sheet.rows[0][2])
    assert "the true share is within 8.9 of this one" in sheet.caption
    still = tables.tournament(["x", "y", "z"], played(compared(0)))
    assert still.rows[0][2].plain == "50.0"


def test_where_nothing_was_compared_nothing_is_said_of_movements() -> None:
    fought = Fought(has_change=True)
    fought.note(None, one(0))
    for sheet in (
        tables.duel("x", "y", fought),
        tables.against("x", ["y", "z"], played(fought)),
        tables.tournament(["x", "y", "z"], played(fought)),
    ):
        assert "moved" not in sheet.heads
        assert "±: how far" not in sheet.caption


def test_what_was_summoned_stands_in_numbers() -> None:
    boards = {name: sample_boards()[name] for name in (A, B)}
    fought = fight(Grounds(Plan("s", boards, closely=True)), Pairing(A, B, 0, 4))
    board = read_board(boards[B], base_catalog(), Rules())
    sheet = tables.deeds(B, board, base_catalog(), 1, fought)
    name, cell, *_, stands = (text.plain for text in sheet.rows[-1])
    assert (name, cell) == ("summoned", "")
    assert stands == f"{fought.after.deeds[1][-1].stood / 4:.1f} units"


def test_chains_that_were_cut_are_told_of_drawn_boards_too() -> None:
    weighed = Weighed()
    weighed.note([Worth(battles=1, cut=1)])
    *_, last = tables.balance(base_catalog(), weighed)
    assert last.caption.endswith("In 1 battles chains of lines were cut (600.5).")
