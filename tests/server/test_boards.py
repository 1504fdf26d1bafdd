"""The boards of those who are not there."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import random

import msgspec
from trio.testing import MockClock

from engine import Rules, base_catalog, read_board, sample_boards
from protocol.messages import PROTOCOL_VERSION, Leave, Offer, Quick, Ready
from server.boards import MemoryBoards, board_id
from server.metrics import Metrics
from tests.server.rooms import RULES, board
from tests.server.visitors import open_world


def memory(most: int = 3) -> MemoryBoards:
    return MemoryBoards(most, random.Random(1))


def picked(boards: MemoryBoards, times: int = 300) -> set[str]:
    """The names of what is picked, over many picks."""
    picks = (boards.pick() for _ in range(times))
    return {stored.name for stored in picks if stored is not None}


def test_there_is_always_one_to_fight() -> None:
    boards = memory()
    assert boards.pick() is None
    boards.add_samples(base_catalog(), RULES)
    assert picked(boards) == {str(value.get("name", n)) for n, value in sample_boards().items()}


def test_the_newest_are_kept_and_the_samples_stay() -> None:
    boards = memory(most=2)
    boards.add_samples(base_catalog(), RULES)
    samples = picked(boards)
    for name in ("Ada", "Bob", "Ada", "Cid"):  # Ada fights again before Cid comes
        boards.keep(name, board(0))
    assert picked(boards) - samples == {"Ada", "Cid"}
    assert picked(boards) >= samples


def test_the_same_board_of_the_same_owner_is_kept_once() -> None:
    boards = memory(most=1)
    assert [boards.keep("Ada", board(0)) for _ in range(2)] == [None, None]
    assert board_id("Ada", board(0)) != board_id("Bob", board(0))
    assert board_id("Ada", board(0)) != board_id("Ada", board(1))


def test_of_one_player_only_the_newest_are_kept() -> None:
    boards = MemoryBoards(100, random.Random(1), most_of_one=2)
    boards.add_samples(base_catalog(), RULES)
    samples = len(picked(boards))
    boards.keep("Bob", board(0))
    kept = [board_id("Ada", board(number)) for number in range(5)]
    dropped = [boards.keep("Ada", board(number)) for number in range(5)]
    assert dropped == [None, None, *kept[:3]]
    ids = {stored.id for stored in (boards.pick() for _ in range(500)) if stored is not None}
    assert ids & set(kept) == set(kept[-2:])
    assert board_id("Bob", board(0)) in ids
    assert len(ids) == samples + 3


async def test_an_offer_tells_nothing_of_its_board(autojump_clock: MockClock) -> None:
    """Whoever has seen the boards of others could look up an id that follows from one."""
    async with open_world() as world:
        offers = set[str]()
        for _ in range(3):
            bob = world.visit("quick")
            await bob.say(Quick(version=PROTOCOL_VERSION, name="Bob"))
            offer = await bob.hear_until(Offer)
            assert isinstance(
                msgspec.convert({"type": "ready", "nonce": offer.offer}, Ready), Ready
            )
            offers.add(offer.offer)
            await bob.say(Leave())
            await bob.hear_end()
    assert len(offers) == 3
    samples = (
        (value, read_board(value, base_catalog(), RULES)) for value in sample_boards().values()
    )
    assert offers.isdisjoint(board_id(str(value["name"]), one) for value, one in samples)


def test_samples_that_the_servers_rules_forbid_are_left_out() -> None:
    boards = memory()
    boards.add_samples(base_catalog(), Rules(scrip_budget=0))
    assert boards.pick() is None


def test_what_newer_boards_take_the_place_of_is_counted() -> None:
    metrics = Metrics()
    boards = MemoryBoards(2, random.Random(1), most_of_one=1, metrics=metrics)
    for name, seat in (("Ada", 0), ("Ada", 1), ("Bob", 0), ("Cid", 0)):
        boards.keep(name, board(seat))
    assert metrics.boards_dropped == 2  # Ada's first, as one too many of hers; and then the oldest
