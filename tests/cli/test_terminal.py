"""The picture of a battle: what stands in it, at every size, with colour and without."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from engine import EVENT_FIELDS, UnitState
from server.view.cell import ASCII, UNICODE
from server.view.terminal import Picture, Player, Scene, draw
from server.view.words import SENTENCES, Told, seconds, tell, unit_names

TICK = 344

SQUIRE = UnitState(
    id="a0",
    cell=0,
    card="bone-squire",
    runes=("reliquary",),
    focus="any",
    keywords=("phylactery",),
    vessels=2,
    progress=7,
    vitality=34,
    max_vitality=60,
    power=12,
    speed=52,
    armor=3,
    ward=10,
    quickened=0,
    dread=4,
    burn=0,
    frozen_until=None,
    incarnation=0,
    return_due=None,
    charge=500,
    rate=52,
)
CARDS = {"bone-squire": "Bone Squire", "rimewitch": "Rimewitch", "imp": "Imp"}


def unit(id_: str, cell: int, card: str, **changes: int) -> UnitState:
    return SQUIRE._replace(id=id_, cell=cell, card=card)._replace(**changes)  # type: ignore[arg-type]


def scene(*units: UnitState, **changes: object) -> Scene:
    plain: dict[str, object] = {
        "title": "room k3f9x2, round 2",
        "players": {"a": Player("Ada", 1, "ready"), "b": Player("Bob")},
        "tick": TICK,
        "units": units,
        "names": unit_names({unit.id: unit.card for unit in units}, CARDS),
        "status": "Ctrl-C to leave",
    }
    return Scene(**(plain | changes))  # type: ignore[arg-type]


def lines(shown: Scene, width: int = 80, height: int = 24) -> list[str]:
    return [line.plain for line in draw(shown, width, height)]


def everything(shown: Scene, width: int = 80, height: int = 24) -> str:
    return "\n".join(lines(shown, width, height))


def test_the_heading_says_where_and_who_and_when() -> None:
    first, second = lines(scene(SQUIRE))[:2]
    assert first.startswith("room k3f9x2, round 2")
    assert first.endswith("tick 344  17.2 s")
    assert second.startswith("Ada ★ (ready)")
    assert second.endswith("Bob")
    assert lines(scene(SQUIRE))[-1] == "Ctrl-C to leave"


def test_a_free_seat_and_no_battle_yet() -> None:
    first, second = lines(scene(players={}, tick=-1))[:2]
    assert "tick" not in first
    assert second.split() == ["(free)", "(free)"]


def test_a_living_unit_says_all_of_its_numbers() -> None:
    shown = everything(scene(SQUIRE))
    for part in ("Bone Squire", "●●+7", "34/60", "D4", "P12 S52 A3 W10"):
        assert part in shown


def test_bars_are_as_long_as_what_they_stand_for() -> None:
    def bars(charge: int, vitality: int) -> tuple[int, int]:
        shown = everything(scene(unit("a0", 0, "imp", charge=charge, vitality=vitality, dread=0)))
        return shown.count("━"), shown.count("█")

    assert bars(0, 60) == (0, 13)
    assert bars(1000, 30) == (19, 6)
    assert bars(500, 1) == (9, 1)  # a living unit's bar is never empty


def test_freeze_says_its_seconds_and_quickening_its_speed() -> None:
    shown = everything(scene(unit("a0", 0, "imp", frozen_until=TICK + 30, quickened=20, burn=3)))
    assert "D4 B3 F1.5" in shown
    assert "S52+20" in shown


def test_a_fallen_unit_says_when_it_returns() -> None:
    shown = everything(scene(unit("b0", 0, "imp", vitality=0, return_due=TICK + 57)))
    assert "† Imp" in shown
    assert "returns in 2.9 s" in shown
    assert "34/60" not in shown


def test_a_return_that_is_due_waits_for_a_cell() -> None:
    fallen = unit("b0", 0, "imp", vitality=0, return_due=TICK)
    assert "waits for a cell" in everything(scene(fallen))


def test_whoever_took_a_fallen_ones_cell_is_shown_and_the_return_stands_below() -> None:
    fallen = unit("b0", 1, "rimewitch", vitality=0, return_due=TICK + 40)
    summoned = unit("b1", 1, "imp")
    for units in ((fallen, summoned), (summoned, fallen)):
        shown = everything(scene(*units))
        assert "Imp" in shown
        assert "Rimewitch: returns in 2.0 s" in shown


def test_fronts_face_each_other() -> None:
    units = [unit(f"{side}{cell}", cell, "imp") for side in "ab" for cell in (1, 5)]
    row = next(line for line in lines(scene(*units)) if "a1" in line)
    assert [row.index(f"{name} ") for name in ("a5", "a1", "b1", "b5")] == sorted(
        row.index(f"{name} ") for name in ("a5", "a1", "b1", "b5")
    )


def test_units_of_one_name_are_told_apart_by_their_ids() -> None:
    cards = {"a0": "imp", "b0": "imp", "b1": "not-known-here"}
    assert unit_names(cards, CARDS) == {
        "a0": "Imp a0",
        "b0": "Imp b0",
        "b1": "Not Known Here",
    }


def test_while_there_is_no_battle_notices_are_read() -> None:
    waiting = scene(tick=-1, notices=["others join with: phylactery play BOARD --room k3f9x2"])
    assert "others join with: phylactery play BOARD --room k3f9x2" in everything(waiting)
    assert "others join" not in everything(scene(SQUIRE, notices=waiting.notices))
    assert len(lines(scene(notices=["x"] * 100))) == 24


@pytest.mark.parametrize("width", [1, 20, 55, 56, 80, 100, 139, 140, 200])
@pytest.mark.parametrize("height", [1, 5, 19, 20, 24, 40, 60])
def test_no_size_is_overrun(width: int, height: int) -> None:
    units = [unit(f"{side}{cell}", cell, "bone-squire") for side in "ab" for cell in range(8)]
    told = [Told(tick, "death", "something long " * 20) for tick in range(50)]
    shown = draw(scene(*units, told=told), width, height)
    assert len(shown) <= height
    assert max(line.cell_len for line in shown) <= width


def test_all_sixteen_units_fit_the_smallest_usual_terminal_and_what_was_told_too() -> None:
    units = [unit(f"{side}{cell}", cell, "imp") for side in "ab" for cell in range(8)]
    shown = everything(scene(*units, told=[Told(300, "death", "Imp a0 dies to Imp b0")]))
    assert shown.count("34/60") == 16
    assert "15.0 s  Imp a0 dies to Imp b0" in shown


def test_a_small_terminal_lists_who_lives() -> None:
    fallen = unit("b0", 0, "rimewitch", vitality=0)
    shown = everything(scene(SQUIRE, fallen), width=40, height=12)
    assert "Bone Squire" in shown
    assert "Rimewitch" not in shown


def test_where_there_is_little_room_only_what_matters_is_told() -> None:
    told = [Told(1, "death", "a death"), *(Told(2, "damage", "a scratch") for _ in range(20))]
    assert "a death" in everything(scene(SQUIRE, told=told))
    assert "a scratch" not in everything(scene(SQUIRE, told=told))
    assert "a scratch" in everything(scene(SQUIRE, told=told), height=60)


def test_without_colour_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24)
    console.print(Picture(scene(SQUIRE)))
    assert "\x1b[3" not in out.getvalue().replace("\x1b[3m", "")  # italics are no colour
    assert "34/60" in out.getvalue()


def test_a_terminal_without_unicode_gets_plain_characters() -> None:
    shown = "\n".join(line.plain for line in draw(scene(SQUIRE), 80, 24, ASCII))
    assert shown.isascii()
    assert "oo+7" in shown


def test_names_cannot_steer_the_terminal() -> None:
    players = {"a": Player("\x1b[2Jevil"), "b": Player("b\rc")}
    shown = everything(scene(SQUIRE, players=players, title="\x1b]0;x\x07"))
    assert "\x1b" not in shown
    assert "\r" not in shown
    told = tell(1, "death", {"unit": "a0", "killer": None, "sweep": False}, {"a0": "\x1bX"})
    assert told == Told(1, "death", "?X dies")


def test_every_kind_of_event_has_words() -> None:
    assert SENTENCES.keys() == EVENT_FIELDS.keys()


NAMES = {"a0": "Bone Squire", "b0": "Rimewitch", "a": "Ada"}


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("death", ("a0", 3, "b0", False), "Bone Squire dies to Rimewitch"),
        ("death", ("a0", 3, None, True), "Bone Squire falls in the final sweep"),
        ("death", ("a0", 3, "a0", False), "Bone Squire dies by its own hand"),
        (
            "revival",
            ("a0", "phylactery", 3, "b0", 1, 60, 60, 1, 1, 1, 1),
            "Bone Squire returns from its Phylactery",
        ),
        (
            "revival",
            ("a0", "everlasting", 3, "b0", 1, 60, 60, 1, 1, 1, 1),
            "Bone Squire returns, Everlasting",
        ),
        ("vessel_spent", ("a0", 1, 0), "Bone Squire spends a Vessel, 1 left"),
        ("return_due", ("a0", 250), "Bone Squire is to return at 12.5 s"),
        ("damage", ("a0", "b0", 12, 5, 3), "Bone Squire takes 12 from Rimewitch (5 on its Ward)"),
        ("status", ("a0", "b0", "freeze", 30, 130), "Bone Squire is frozen for 1.5 s by Rimewitch"),
        ("status", ("a0", "b0", "dread", 2, 4), "Bone Squire takes 2 Dread from Rimewitch"),
        ("status", ("a0", None, "burn", -1, 4), None),
        ("status_end", ("a0", "freeze"), "Bone Squire thaws"),
        ("stat", ("a0", "a0", "power", 4, 16, None), "Bone Squire: +4 Power"),
        ("stat", ("a0", None, "power", -4, 12, None), None),
        ("grant", ("a0", "everlasting", "battle"), "Bone Squire gains Everlasting for the battle"),
        ("summon", ("a9", "b0", 1, "imp", 1, 1, 1, 1, 1, 1), "Rimewitch summons a9"),
        ("fallback", ("a0", "b0"), "Bone Squire finds the killer gone and turns on Rimewitch"),
        ("vessel_points", ("a", 3, 7, ["a0"]), "Ada earns 7 Vessel Points"),
        ("vessel_points", ("b", 3, 7, ["b0"]), "side b earns 7 Vessel Points"),
        ("battle_end", ("a", "elimination", "00"), "Ada wins by elimination"),
        ("battle_end", (None, "timeout", "00"), "the battle is a draw by timeout"),
        ("activation", ("a0", False), None),
    ],
)
def test_words(kind: str, values: tuple[object, ...], words: str | None) -> None:
    named = dict(zip(EVENT_FIELDS[kind], values, strict=True))
    told = tell(7, kind, named, NAMES)
    assert told == (None if words is None else Told(7, kind, words))


def test_a_kind_that_is_not_known_is_named() -> None:
    assert tell(7, "eclipse", {"unit": "a0"}, NAMES) == Told(7, "eclipse", "Bone Squire: eclipse")


def test_glyphs_are_one_cell_wide() -> None:
    for glyphs in (UNICODE, ASCII):
        assert all(len(char) == 1 for name, char in vars(glyphs).items() if name != "middle")


@pytest.mark.parametrize(
    ("ticks", "shown"),
    [(0, "0.0 s"), (1, "0.1 s"), (3, "0.2 s"), (885, "44.3 s"), (1200, "60.0 s")],
)
def test_seconds_are_rounded_half_up(ticks: int, shown: str) -> None:
    assert seconds(ticks) == shown
