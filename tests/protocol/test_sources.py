"""The numbers of cards and runes: the same from what a battle is given and from `begin`."""

from __future__ import annotations

import json

import pytest

from engine import Setup
from protocol.codec import decode_to_client, encode
from protocol.frames import sources_of
from protocol.messages import Begin
from protocol.sources import Sources
from server.commands import Terms
from server.telling import begin

from .battles import BATTLE, random_setup, sample_setups


def begun(setup: Setup) -> Begin:
    """What a client reads of a battle's beginning."""
    terms = Terms(BATTLE, 1, 1, setup, "", b"", {}, {})
    message = decode_to_client(encode(begin(terms)))
    assert isinstance(message, Begin)
    return message


def test_the_maker_of_frames_and_who_hears_begin_have_the_same_numbers() -> None:
    for setup in (*sample_setups(), *map(random_setup, range(50))):
        numbers = sources_of(setup)
        assert numbers.names
        assert Sources(begun(setup).boards).names == numbers.names


def test_side_a_comes_first_then_unit_by_unit_a_card_and_its_runes_each_once() -> None:
    boards = json.loads("""{
        "b": {"units": [{"cell": 0, "card": "d", "runes": ["b", "e"]}, {"cell": 1, "card": "a"}]},
        "a": {"units": [{"cell": 0, "card": "a", "runes": ["c", "b"]}, {"cell": 1, "card": "a"}]}
    }""")
    sources = Sources(boards)
    assert sources.names == ("a", "c", "b", "d", "e")
    for number, name in enumerate(sources.names):
        assert (sources.write(name), sources.read(number)) == (number, name)


def test_what_is_on_no_board_is_written_out() -> None:
    sources = Sources({"a": {"units": [{"card": "a"}]}})
    assert sources.write("z") == "z"
    assert sources.read("z") == "z"
    for number in (1, -1, None):
        with pytest.raises(ValueError, match="no card or rune"):
            sources.read(number)


@pytest.mark.parametrize("board", [{"units": 1}, {"units": [{}]}, {"units": [{"card": 1}]}])
def test_what_is_no_board_is_refused(board: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"Expected|missing"):
        Sources({"a": board})
