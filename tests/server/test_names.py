"""Which names may be shown, and which look the same."""

# ruff: noqa: RUF001 - look-alike characters are what this is about

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import Accept, Leave
from server.commands import Enter
from server.house import Options
from server.names import apart, fault_of, look_alike
from tests.server.rooms import ADA, BOB, STORED, Play

NAMES = st.text(min_size=1, max_size=24)


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "Ada Lovelace",
        "r2-d2",
        "Ünal",
        "Nguyễn Thị",
        "Ольга",
        "Ωμέγα",
        "Олег of Kyiv",
        "李小龍",
        "דוד",
        "أحمد",
        "नमस्ते",
        "🜲 7",
    ],
)
def test_what_people_are_called_can_be_shown(name: str) -> None:
    assert fault_of(name) is None


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "has nothing to be seen"),
        ("   ", "has nothing to be seen"),
        (" Ada", "begins or ends with a space"),
        ("Ada\u00a0", "begins or ends with a space"),
        ("Ada\x07", "has a character that cannot be seen, U+0007"),
        ("A\u200bda", "has a character that cannot be seen, U+200B"),
        ("\u202eadA", "has a character that cannot be seen, U+202E"),
        ("Ada\U000e0041", "has a character that cannot be seen, U+E0041"),
        ("ㅤ", "has a character that cannot be seen, U+3164"),
        ("A\ufe0fda", "has a character that cannot be seen, U+FE0F"),
        ("\u0301Ada", "begins with a mark that belongs on a letter"),
        ("A\u0301\u0302\u0303da", "has more than 2 marks on one letter"),
        ("Аda", "mixes alphabets whose letters look the same"),
        ("Adα", "mixes alphabets whose letters look the same"),
        ("the Аda", "mixes alphabets whose letters look the same"),
    ],
)
def test_what_cannot_be_shown_says_why(name: str, fault: str) -> None:
    assert fault_of(name) == fault


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ada"),
        ("Ada", "Ａｄａ"),
        ("Ada", "𝒜𝒹𝒶"),
        ("Ada", "Ádä"),
        ("Ada", "A da"),
        ("Coco", "Сосо"),
        ("Coco", "С0с0"),
        ("Bill", "BiIl"),
        ("Bill", "B1||"),
        ("Ivan", "lvan"),
        ("modern", "rnodern"),
        ("Ada_L", "Ada–L"),
        ("Toto", "ΤΟΤΟ"),
        ("Straße", "STRASSE"),
    ],
)
def test_what_looks_the_same(one: str, other: str) -> None:
    assert look_alike(one, other)
    assert apart(other, "b", one) == f"{other} (b)"


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ada", "Bob"), ("Ada", "Ada (b)"), ("Ann", "Anna"), ("a of 3", "b of 3"), ("李", "王")],
)
def test_what_does_not(one: str, other: str) -> None:
    assert not look_alike(one, other)
    assert apart(other, "b", one) == other
    assert apart(other, "b", None) == other


@given(NAMES)
def test_any_text_looks_like_itself_spread_out(name: str) -> None:
    assert look_alike(name, " ".join(name))


@given(NAMES, NAMES)
def test_two_names_as_shown_never_look_the_same(one: str, other: str) -> None:
    assert not look_alike(one, apart(other, "b", one))


@given(NAMES)
def test_a_name_that_can_be_shown_is_one_line_to_be_seen(name: str) -> None:
    if fault_of(name) is None:
        assert name.isprintable()
        assert name == name.strip() != ""


def test_two_of_one_name_in_a_room_are_told_apart() -> None:
    play = Play(Options(quick=True))
    play.do(Enter("Old Hand"), ADA)
    play.do(Enter("oId hand"), BOB)
    state = play.room.state()
    assert (state.a and state.a.name, state.b and state.b.name) == ("Old Hand", "oId hand (b)")
    play.do(Leave(), ADA)
    play.wake()
    play.do(Accept(STORED.id), BOB)  # the stored one is called Old Hand
    state = play.room.state()
    assert (state.a and state.a.name, state.b and state.b.name) == ("Old Hand", "oId hand (b)")
