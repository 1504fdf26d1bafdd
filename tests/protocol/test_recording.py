"""A battle told again by its log: the same frames, tick for tick, as when it was fought."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Battle, Setup, UnitState, base_catalog
from protocol.frames import FedTick, FeedWriter, sources_of
from protocol.log_lines import NoLog, read_lines
from protocol.recording import NEVER, Recording

from .battles import BATTLE, case_setups, fed, random_setup, sample_setups
from .logs import END, START, Line, built, encoded, line


def recorded(setup: Setup) -> Recording:
    """The battle fought, its log written and read again."""
    battle = Battle(setup)
    battle.run()
    vessels = min(setup.rules.vessel_start, setup.rules.vessel_max)
    return Recording(read_lines(battle.log().splitlines()), setup.catalog.cards, vessels)


def told(setup: Setup) -> list[FedTick]:
    """All that the battle's log feeds."""
    writer = FeedWriter(recorded(setup), BATTLE, sources_of(setup))
    ticks = []
    while not writer.over:
        ticks.append(writer.step())
    return ticks


def test_the_log_of_a_sample_battle_makes_the_frames_of_the_battle() -> None:
    for setup in sample_setups():
        assert told(setup) == fed(setup)


def test_the_log_of_a_case_makes_the_frames_of_the_battle() -> None:
    for setup in case_setups():
        assert told(setup) == fed(setup)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 100_000))
def test_the_log_of_any_battle_makes_the_frames_of_the_battle(seed: int) -> None:
    setup = random_setup(seed)
    assert told(setup) == fed(setup)


NUMBERS: Line = {"vitality": 9, "max_vitality": 9, "power": 3, "speed": 100, "armor": 0, "ward": 2}


def damage(tick: int, vitality: int = 0, **fields: Any) -> Line:
    """Of a0, by b0."""
    least: Line = {"unit": "a0", "source": "b0", "amount": 1, "absorbed": 0, "vitality": vitality}
    return line(tick, "damage", **{**least, **fields})


def death(tick: int, **fields: Any) -> Line:
    return line(
        tick, "death", **{"unit": "a0", "cell": 0, "killer": "b0", "sweep": False, **fields}
    )


def revival(tick: int, incarnation: int = 1, **fields: Any) -> Line:
    head: Line = {"unit": "a0", "cause": "phylactery", "cell": 3, "killer": "b0"}
    return line(tick, "revival", **{**head, "incarnation": incarnation, **NUMBERS, **fields})


def grant(tick: int, keyword: str, until: object) -> Line:
    return line(tick, "grant", unit="a0", keyword=keyword, until=until)


def summon(tick: int, unit: str = "b1", card: str = "no such card", cell: int = 4) -> Line:
    return line(tick, "summon", unit=unit, source="b0", cell=cell, card=card, **NUMBERS)


def heard(*lines: Line, start: Line = START, vessels: int = 1) -> Recording:
    """All of a log that begins with `start`."""
    log = read_lines(encoded([start, *lines]))
    recording = Recording(log, base_catalog().cards, vessels)
    while recording.next_tick() < NEVER:
        recording.step()
    return recording


def a0(*lines: Line) -> UnitState:
    return heard(*lines).state("a0")


@pytest.mark.parametrize(
    ("lines", "place", "why"),
    [
        ([death(3, unit="a9")], 1, 'there is no unit "a9"'),
        ([death(3, unit="b999999999")], 1, 'there is no unit "b999999999"'),
        ([line(3, "strike", unit="a0", target="x" * 999)], 1, "there is no unit"),
        ([line(3, "strike", unit="b1", target="a0")], 1, 'there is no unit "b1"'),
        ([damage(3, 8, source="b7")], 1, 'there is no unit "b7"'),
        ([line(3, "vessel_points", side="a", raw=1, points=1, units=["a0", "a2"])], 1, "no unit"),
        ([line(3, "chain_cut"), summon(3, "b0")], 2, 'no unit that is built now is "b0"'),
        ([summon(3, "b2")], 1, 'no unit that is built now is "b2"'),
        ([summon(3, "")], 1, "no unit that is built now"),
        ([summon(3, "c0")], 1, "no unit that is built now"),
        ([damage(3, 9, absorbed=3)], 1, "a0 has not so much to lose"),
        ([line(9, "activation", unit="a0", nested=False)], 1, "a0 has not so much to lose"),
        (
            [
                line(
                    3,
                    "stat",
                    unit="a0",
                    source=None,
                    stat="vitality",
                    amount=-10,
                    value=0,
                    until=None,
                )
            ],
            1,
            "a0 has not so much to lose",
        ),
        ([death(3)], 1, "the sweep takes the living"),
        ([damage(3), death(3, sweep=True)], 2, "the sweep takes the living"),
        ([damage(3), death(3, cell=1)], 2, "a unit dies in its cell"),
        ([damage(3), death(3), death(4)], 3, "a0 is dead already"),
        ([damage(3), death(3, unit="a1", cell=1)], 2, "the sweep takes the living"),
        ([damage(3), summon(3, "a2", cell=0)], 2, "a0 stands in the cell of a2"),
        ([summon(3), summon(4, "b2")], 2, "b1 stands in the cell of b2"),
        ([damage(3), death(3), revival(4, cell=1)], 3, "a1 stands in the cell of a0"),
        ([damage(3), revival(3, cell=0)], 2, "a0 stands in the cell of a0"),
        ([revival(3)], 1, "only the dead are revived"),
        ([damage(3), death(3), revival(3, 2)], 3, "each life is the next"),
        (
            [damage(3), death(3), revival(3), damage(4), death(4, cell=3), revival(4)],
            6,
            "each life",
        ),
        ([line(3, "grant_end", unit="a0", keyword="rabid")], 1, "rabid was not granted"),
    ],
)
def test_what_cannot_follow_is_refused_where_it_stands(
    lines: list[Line], place: int, why: str
) -> None:
    with pytest.raises(NoLog) as raised:
        heard(*lines)
    assert raised.value.place == place
    assert why in str(raised.value)
    assert len(str(raised.value)) < 120


def test_the_cell_of_the_dead_is_free() -> None:
    """200.2: for who is summoned, who then dies in it, and who comes back to it."""
    taken = heard(damage(3), death(3), summon(4, "a2", cell=0))
    assert [taken.state(unit).cell for unit in ("a0", "a2")] == [0, 0]
    again = [damage(5, unit="a2"), death(5, unit="a2"), revival(6, cell=0)]
    assert heard(damage(3), death(3), summon(4, "a2", cell=0), *again).state("a0").charge == 100


@pytest.mark.parametrize("ids", [("a0", "a0"), ("a1", "a0"), ("b1",)])
def test_a_start_numbers_its_units_from_0(ids: tuple[str, ...]) -> None:
    with pytest.raises(NoLog) as raised:
        heard(start={**START, "units": [built(unit_id) for unit_id in ids]})
    assert raised.value.place == 0


def test_the_log_is_read_a_tick_ahead() -> None:
    """So that a long one takes its time as it is told, and not all at once."""
    lines = encoded([START, line(4, "chain_cut"), line(6, "chain_cut"), {}])
    recording = Recording(read_lines(lines), {}, 1)
    assert recording.next_tick() == 0
    recording.step()
    assert recording.next_tick() == 4
    with pytest.raises(NoLog):
        recording.step()


def test_a_log_that_breaks_off_goes_on_with_charge_alone() -> None:
    recording = heard(line(4, "chain_cut"))
    assert (recording.over, recording.next_tick()) == (False, NEVER)
    assert recording.state("a0").charge == 400
    assert recording.advance(10) == []
    assert recording.tick == recording.snapshot().tick == 10
    assert recording.state("a0").charge == 1000
    assert [unit.id for unit in recording.snapshot().units] == ["a0", "a1", "b0"]
    assert Recording([], {}, 1).next_tick() == NEVER


def test_what_is_told_on_the_way_cannot_be_jumped() -> None:
    recording = Recording(read_lines(encoded([START, END])), {}, 1)
    recording.step()
    recording.advance(4)
    for tick in (3, 5):
        with pytest.raises(AssertionError):
            recording.advance(tick)


def test_charge_is_gained_before_the_first_line_of_its_phase_or_a_later_one() -> None:
    """100.4: Freeze that ends and Speed that changes weigh on the next tick's gain."""
    froze = line(2, "status", unit="a0", source="b0", status="freeze", amount=9, total=9)
    thaws = line(9, "status_end", None, unit="a0", status="freeze")
    assert a0(froze, thaws).charge == 100  # tick 1; what was frozen in a batch gains none on 2
    slow: Line = {"unit": "a0", "source": None, "stat": "speed", "amount": -90, "value": 10}
    assert a0(line(3, "stat", None, **slow, until=None)).charge == 300
    assert a0(line(3, "stat", 1, **slow, until=None)).charge == 210


def test_a_sweep_comes_after_charge_and_a_decision_before_it_takes_it_away() -> None:
    swept = death(5, sweep=True, batch=None)
    assert (a0(swept).charge, a0(swept).vitality, a0(swept).rate) == (500, 0, 0)
    assert heard(swept, END).state("b0").charge == 500
    assert heard(damage(5), death(5), END).state("b0").charge == 400


def test_death_ends_a_quickening_and_leaves_the_rest() -> None:
    """300.5, 900.4."""
    quick = line(3, "quicken", unit="a0", speed=50)
    dread = line(3, "status", unit="a0", source="b0", status="dread", amount=2, total=2)
    dead = a0(quick, dread, damage(3), death(3))
    assert (dead.quickened, dead.dread, dead.vitality, dead.ward) == (0, 2, 0, 2)
    assert (dead.charge, dead.rate) == (200, 0)


def test_a_revival_leaves_vessels_and_what_was_granted_for_the_battle() -> None:
    """500.9c, d, g."""
    before = [
        line(3, "vessel", unit="a0", vessels=2, progress=4),
        grant(3, "everlasting", "battle"),
        grant(3, "phylactery", None),
        line(3, "status", unit="a0", source="b0", status="burn", amount=2, total=2),
        damage(3),
        death(3),
        line(3, "return_due", unit="a0", due=8),
    ]
    dead = a0(*before)
    assert dead.keywords == ("rabid", "everlasting", "phylactery")
    assert (dead.return_due, dead.vessels, dead.progress) == (8, 2, 4)
    back = a0(*before, revival(8, vitality=7, cell=3))
    assert back.keywords == ("rabid", "everlasting")
    assert (back.return_due, back.vessels, back.progress, back.burn) == (None, 2, 4, 0)
    assert (back.cell, back.vitality, back.incarnation) == (3, 7, 1)
    assert (back.charge, back.rate) == (100, 100)


def test_a_grant_of_a_keyword_that_is_printed_is_shown_once_and_ends_without_trace() -> None:
    assert a0(grant(3, "rabid", 5)).keywords == ("rabid",)
    over = line(5, "grant_end", None, unit="a0", keyword="rabid")
    assert a0(grant(3, "rabid", 5), over).keywords == ("rabid",)
    twice = line(6, "grant_end", None, unit="a0", keyword="rabid")
    with pytest.raises(NoLog):
        a0(grant(3, "rabid", 5), over, twice)


def test_who_is_summoned_has_what_its_card_says_and_nothing_where_there_is_none() -> None:
    assert "phylactery" in base_catalog().cards["bone-squire"].keywords
    squire = heard(summon(3, card="bone-squire"), vessels=3).state("b1")
    assert (squire.keywords, squire.vessels) == (("phylactery",), 3)
    assert squire.focus == base_catalog().cards["bone-squire"].focus
    unknown = heard(summon(3), vessels=3).state("b1")
    assert (unknown.keywords, unknown.focus, unknown.vessels) == ((), "any", 0)
    assert (unknown.cell, unknown.card, unknown.runes, unknown.progress) == (
        4,
        "no such card",
        (),
        0,
    )
    assert unknown[8:14] == tuple(NUMBERS.values())
