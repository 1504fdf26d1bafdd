"""What holds of every battle, tried on random ones. A failure names its maker and seed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import (
    Battle,
    Setup,
    Snapshot,
    base_catalog,
    event_line,
    event_object,
    read_battle,
    state_digest,
)
from engine.catalog import EMPTY
from engine.definitions import Card
from tests.engine.replayer import Replayer
from tests.engine.samples import base_set, fought, own_cards
from tests.engine.stage import Json

ROOT = Path(__file__).parents[2]
MAKERS: dict[str, Callable[[int], Setup]] = {"own_cards": own_cards, "base_set": base_set}
SEEDS = {"own_cards": 60, "base_set": 40}
TRIED = [(maker, seed) for maker, seeds in SEEDS.items() for seed in range(seeds)]

every_battle = pytest.mark.parametrize(("maker", "seed"), TRIED)


def log_of(battle: Battle) -> list[Json]:
    return [json.loads(line) for line in battle.log().splitlines()]


def watched(setup: Setup) -> tuple[Battle, list[Snapshot]]:
    """The battle at its end, and a snapshot after every tick on which anything happened."""
    battle = Battle(setup)
    snapshots: list[Snapshot] = []
    while not battle.over:
        battle.step()
        snapshots.append(battle.snapshot())
    return battle, snapshots


@every_battle
def test_property_every_battle_ends_by_its_limit(maker: str, seed: int) -> None:
    setup = MAKERS[maker](seed)
    log = log_of(fought(setup))
    assert log[-1]["kind"] == "battle_end"
    assert log[-1]["tick"] <= setup.rules.time_limit
    assert Counter(event["kind"] for event in log)["battle_end"] == 1
    assert (log[-1]["reason"] == "timeout") == any(event.get("sweep") for event in log)


@every_battle
def test_property_ids_never_repeat(maker: str, seed: int) -> None:
    log = log_of(fought(MAKERS[maker](seed)))
    ids = [unit["id"] for unit in log[0]["units"]]
    ids += [event["unit"] for event in log if event["kind"] == "summon"]
    assert len(set(ids)) == len(ids)
    for side in "ab":
        of_side = [unit_id for unit_id in ids if unit_id[0] == side]
        assert of_side == [f"{side}{number}" for number in range(len(of_side))]


@every_battle
def test_property_numbers_stay_within_their_bounds(maker: str, seed: int) -> None:
    setup = MAKERS[maker](seed)
    rules = setup.rules
    battle, snapshots = watched(setup)
    endured = {event["unit"] for event in log_of(battle) if event["kind"] == "endure"}
    for snapshot in snapshots:
        held = [unit.id[0] + str(unit.cell) for unit in snapshot.units if unit.vitality > 0]
        assert len(set(held)) == len(held), f"tick {snapshot.tick}: a cell held twice"
        for unit in snapshot.units:
            assert unit.vitality >= 0
            assert unit.vitality <= unit.max_vitality or unit.id in endured
            assert min(unit.power, unit.speed, unit.armor, unit.ward, unit.charge) >= 0
            assert 0 <= unit.vessels <= rules.vessel_max
            assert 0 <= unit.progress < rules.vessel_cost
            assert 0 <= unit.dread <= rules.dread_cap
            assert 0 <= unit.cell < 8


@every_battle
def test_property_a_batch_converts_at_most_once_a_side_and_counts_up(maker: str, seed: int) -> None:
    log = log_of(fought(MAKERS[maker](seed)))
    conversions = Counter(
        (event["batch"], event["side"]) for event in log if event["kind"] == "vessel_points"
    )
    assert all(times == 1 for times in conversions.values())
    assert all(batch is not None for batch, _ in conversions)
    batches = [event["batch"] for event in log if event["batch"] is not None]
    assert batches == sorted(batches)


@every_battle
def test_property_nothing_follows_the_sweep(maker: str, seed: int) -> None:
    log = log_of(fought(MAKERS[maker](seed)))
    at = next((i for i, event in enumerate(log) if event.get("sweep")), len(log) - 1)
    assert {event["kind"] for event in log[at:]} <= {"death", "battle_end"}


@every_battle
def test_property_the_living_are_all_that_have_vitality_in_initiative_order(
    maker: str, seed: int
) -> None:
    battle = Battle(MAKERS[maker](seed))
    while not battle.over:
        battle.step()
        living = [unit for side in battle.units for unit in side if unit.vitality > 0]
        living.sort(key=lambda unit: (unit.side != battle.first_side, unit.cell))
        assert battle.living() == living


@every_battle
def test_property_only_the_living_die_and_only_the_dead_are_revived(maker: str, seed: int) -> None:
    alive: dict[str, bool] = {}
    for event in log_of(fought(MAKERS[maker](seed))):
        if event["kind"] == "battle_start":
            alive = {unit["id"]: True for unit in event["units"]}
        elif event["kind"] == "summon":
            alive[event["unit"]] = True
        elif event["kind"] == "death":
            assert alive[event["unit"]]
            alive[event["unit"]] = False
        elif event["kind"] == "revival":
            assert not alive[event["unit"]]
            alive[event["unit"]] = True
        elif event["kind"] in ("activation", "strike"):
            assert alive[event["unit"]]


def printed(card: Card) -> Json:
    return {"focus": card.focus, "keywords": list(card.keywords)}


@every_battle
def test_property_the_log_alone_rebuilds_the_state(maker: str, seed: int) -> None:
    setup = MAKERS[maker](seed)
    cards = {card.id: printed(card) for card in setup.catalog.cards.values()}
    replayer = Replayer(cards, min(setup.rules.vessel_start, setup.rules.vessel_max))
    battle = Battle(setup)
    fed = 0
    while not battle.over:
        battle.step()
        text = battle.log()
        for line in text[fed:].decode("utf-8").splitlines():
            replayer.feed(line)
        fed = len(text)
        if not battle.over:
            replayer.go_to(battle.tick)
            if not replayer.charged:
                replayer.charge_all()
        assert replayer.state() == json.loads(json.dumps(battle.snapshot().units)), battle.tick


def tick_by_tick(setup: Setup) -> tuple[Battle, dict[int, Snapshot]]:
    """The battle with every one of its ticks run in full, none jumped; and a snapshot of each."""
    battle = Battle(setup)
    snapshots: dict[int, Snapshot] = {}
    while not battle.over:
        battle._run(battle.tick + 1)
        snapshots[battle.tick] = battle.snapshot()
    return battle, snapshots


@every_battle
def test_property_jumping_over_idle_ticks_changes_nothing(maker: str, seed: int) -> None:
    setup = MAKERS[maker](seed)
    whole, by_tick = tick_by_tick(setup)
    jumped, snapshots = watched(setup)
    assert jumped.log() == whole.log()
    assert all(snapshot == by_tick[snapshot.tick] for snapshot in snapshots)


@every_battle
def test_property_advancing_by_any_measure_changes_nothing(maker: str, seed: int) -> None:
    setup = MAKERS[maker](seed)
    whole, by_tick = tick_by_tick(setup)
    for measure in (1, 97):
        battle = Battle(setup)
        for tick in range(0, setup.rules.time_limit + measure, measure):
            battle.advance(tick)
            if not battle.over:
                assert battle.snapshot() == by_tick[tick]
        assert battle.log() == whole.log()


@every_battle
def test_property_events_are_the_lines_of_the_log(maker: str, seed: int) -> None:
    battle = Battle(MAKERS[maker](seed))
    given = [event for _ in iter(lambda: battle.over, True) for event in battle.step()]
    log = battle.log().decode("utf-8")
    assert "".join(map(event_line, given)) == log
    # And each line is what any JSON writer makes of the event.
    plain = [
        json.dumps(event_object(event), ensure_ascii=False, separators=(",", ":"))
        for event in given
    ]
    assert plain == log.split("\n")[:-1]


@every_battle
def test_property_a_quiet_battle_has_the_same_result(maker: str, seed: int) -> None:
    setup = MAKERS[maker](seed)
    loud = fought(setup)
    quiet = Battle(setup, quiet=True)
    result = quiet.run()
    assert loud.result is not None
    assert result == loud.result._replace(digest="")
    assert quiet.snapshot() == loud.snapshot()
    assert quiet.log() == b""


@every_battle
def test_property_the_digest_is_a_sha256_that_anyone_can_compute(maker: str, seed: int) -> None:
    battle = fought(MAKERS[maker](seed))
    lines = battle.log().splitlines(keepends=True)
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()[:32]
    assert json.loads(lines[-1])["digest"] == digest
    assert battle.result is not None
    assert battle.result.digest == digest
    snapshot = battle.snapshot()
    text = json.dumps([snapshot.tick, snapshot.units], ensure_ascii=False, separators=(",", ":"))
    assert state_digest(snapshot) == hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


@every_battle
def test_property_a_setup_written_out_is_the_same_battle(maker: str, seed: int) -> None:
    setup = MAKERS[maker](seed)
    base = EMPTY if maker == "own_cards" else base_catalog()
    assert fought(read_battle(setup.to_object(), base)).log() == fought(setup).log()


PRINT_DIGESTS = """
from tests.engine.samples import base_set, fought, own_cards
for seed in range(25):
    for make in (own_cards, base_set):
        print(fought(make(seed)).result.digest)
"""


def test_property_hash_seeds_make_no_difference() -> None:
    printed_by = [
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGESTS],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "4242")
    ]
    assert len(printed_by[0].splitlines()) == 50
    assert printed_by[0] == printed_by[1]
