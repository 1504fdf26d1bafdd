"""The delta and the mirror: exact at every tick, from any tick on; whole, in order, or refused."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from itertools import pairwise
from random import Random

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Battle, Event, Setup, Snapshot, state_digest
from protocol.codec import decode_to_client, encode
from protocol.frames import DIGEST_TICKS, FRAMES_EDITION, writer_of
from protocol.messages import MAX_INTEGER, BattleId, Frame, Position, SnapshotMessage, TickFrame
from protocol.mirror import (
    DigestMismatch,
    Double,
    Gap,
    Mirror,
    MirrorError,
    OtherBattle,
    Torn,
    channel_of_frame,
)
from protocol.view import View

from .battles import (
    BATTLE,
    case_setups,
    fed,
    frames_of,
    random_setup,
    sample_setup,
    sample_setups,
)

SEEDS = st.integers(0, 10_000)

A_UNIT = Battle(sample_setup("red-kennel", "slow-kiln")).snapshot().units[0]

# Both change together.
FRAMES_OF_EDITION = (4, "28a4cddfa62127e8")


def states(setup: Setup) -> dict[int, Snapshot]:
    """The engine's own state at the end of every tick, idle ones too."""
    battle = Battle(setup)
    found = {}
    while not battle.over:
        battle.advance(battle.tick + 1)
        found[battle.tick] = battle.snapshot()
    return found


def all_frames(setup: Setup) -> list[Frame]:
    """Every frame of a battle, in the order in which they are sent."""
    return [frame for tick in fed(setup) for frame in frames_of(tick)]


def begun() -> Mirror:
    """A mirror at the beginning of a battle."""
    mirror = Mirror()
    mirror.begin(BATTLE)
    return mirror


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_a_mirror_of_ticks_alone_is_exact_at_every_tick(seed: int) -> None:
    setup = random_setup(seed)
    mirror = begun()
    ticks = {tick.tick: tick for tick in fed(setup)}
    for number, state in states(setup).items():
        if number in ticks and (data := ticks[number].frames.get("tick")):
            mirror.apply(decode_to_client(data))  # type: ignore[arg-type]
        assert mirror.state_at(number) == state


def test_a_mirror_is_exact_in_every_battle_of_the_sample_boards() -> None:
    for setup in sample_setups():
        battle = Battle(setup)
        battle.run()
        mirror = begun()
        for frame in all_frames(setup):
            mirror.apply(frame)
        assert mirror.state_at(battle.tick) == battle.snapshot()
        assert mirror.digests_checked >= battle.tick // DIGEST_TICKS + 1


def test_nothing_changes_a_unit_of_which_the_events_of_the_tick_say_all() -> None:
    """Nor one that they do not name, but at a battle's end: frames are made without those units."""
    setups = (*list(sample_setups())[::4], *case_setups(), *map(random_setup, range(60)))
    for setup in setups:
        writer = writer_of(Battle(setup), BATTLE)
        while not writer.over:
            writer.step()
            assert writer.maker.snapshot().digest == state_digest(writer.battle.snapshot())


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(0, 400))
def test_a_mirror_from_any_snapshot_on_is_exact(seed: int, join_at: int) -> None:
    setup = random_setup(seed)
    writer = writer_of(Battle(setup), BATTLE)
    writer.step()
    while not writer.over and writer.next_tick() <= join_at:
        writer.step()
    mirror = Mirror()
    snapshot = decode_to_client(encode(writer.maker.snapshot()))
    assert isinstance(snapshot, SnapshotMessage)
    mirror.load(snapshot)
    assert mirror.state_at(writer.battle.tick) == writer.battle.snapshot()
    while not writer.over:
        for frame in frames_of(writer.step()):
            mirror.apply(frame)
    assert mirror.state_at(writer.battle.tick) == writer.battle.snapshot()


def test_a_makers_copy_goes_on_to_make_the_same_frames() -> None:
    setup = sample_setup("choir-of-no-hands", "seven-vows")
    writer = writer_of(Battle(setup), BATTLE)
    for tick in fed(setup):
        writer.maker = writer.maker.copy()
        assert writer.step() == tick


def test_frames_are_the_same_bytes_again() -> None:
    for setup in (random_setup(5), sample_setup("choir-of-no-hands", "seven-vows")):
        assert fed(setup) == fed(setup)


PRINT_FRAMES = """
from tests.protocol.battles import fed, random_setup
for seed in range(5):
    for tick in fed(random_setup(seed)):
        print(tick)
"""


def test_frames_are_the_same_bytes_under_any_hash_seed() -> None:
    first, second = (
        subprocess.run(
            [sys.executable, "-c", PRINT_FRAMES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
    assert first.count(b"FedTick") > 50


def ticks_with_events(setup: Setup) -> list[int]:
    """As the log has them."""
    battle = Battle(setup)
    battle.run()
    return sorted({json.loads(line)["tick"] for line in battle.log().splitlines()})


def digest_ticks(eventful: list[int]) -> set[int]:
    """By the rule as PROTOCOL.md says it."""
    last = eventful[-1]
    carriers = {last}
    for second in range(0, last, DIGEST_TICKS):
        latest = second + DIGEST_TICKS - 1
        carriers.add(min(latest, *(tick for tick in eventful if tick >= second), last))
    return carriers


@pytest.mark.parametrize("setup", list(sample_setups()), ids=lambda setup: setup.seed)
def test_a_digest_goes_with_events_or_alone_when_none_come_and_with_the_last(setup: Setup) -> None:
    eventful = ticks_with_events(setup)
    told = {frame.tick: frame for frame in all_frames(setup) if isinstance(frame, TickFrame)}
    assert {tick for tick, frame in told.items() if frame.digest} == digest_ticks(eventful)
    for tick in told.keys() - set(eventful):
        assert tick % DIGEST_TICKS == DIGEST_TICKS - 1
        assert (told[tick].events, told[tick].units) == ([], {})
        assert told[tick].digest


def test_no_two_frames_of_ticks_are_as_far_apart_as_two_seconds() -> None:
    for setup in (*sample_setups(), *map(random_setup, range(20))):
        ticks = [frame.tick for frame in all_frames(setup) if isinstance(frame, TickFrame)]
        assert ticks[0] == 0
        gaps = [later - tick for tick, later in pairwise(ticks)]
        assert max(gaps, default=0) < 2 * DIGEST_TICKS


def test_frames_that_are_made_otherwise_are_of_another_edition() -> None:
    """These battles bring cards of their own, so that no change of the base set is felt here."""
    made = hashlib.sha256()
    for setup in map(random_setup, range(40)):
        for tick in fed(setup):
            made.update(b"".join(tick.frames.values()))
    edition, digest = FRAMES_OF_EDITION
    assert (FRAMES_EDITION, made.hexdigest()[:16]) == (edition, digest), "raise FRAMES_EDITION"


def test_what_events_tell_is_not_said_again() -> None:
    frames = all_frames(sample_setup("red-kennel", "slow-kiln"))
    patches = [
        patch
        for frame in frames
        if isinstance(frame, TickFrame) and frame.tick
        for patch in frame.units.values()
        if isinstance(patch, dict)
    ]
    assert patches
    told = [patch for patch in patches if patch.keys() & {"burn", "frozen_until", "quickened"}]
    assert len(told) < len(patches) / 10
    assert not any("rate" in patch for patch in patches)


@pytest.mark.parametrize("card", ["plain", 'quo"te', "back\\slash", "line\nfeed\x7f", "Ä \u2028 🜏"])
def test_a_view_has_the_digest_of_its_state_whatever_the_letters(card: str) -> None:
    battle = Battle(sample_setup("red-kennel", "slow-kiln"))
    battle.step()
    view = View()
    for unit in battle.snapshot().units[::-1]:
        view.put(unit._replace(card=card), 0)
    assert view.digest(9) == state_digest(view.snapshot(9))


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_frames_cut_out_or_sent_twice_are_noticed_and_nothing_is_taken(seed: int) -> None:
    chance = Random(seed)
    frames = all_frames(sample_setup("frozen-ledger", "choir-of-no-hands"))
    at = chance.randrange(1, len(frames))
    mirror = begun()
    for frame in frames[:at]:
        mirror.apply(frame)
    before = mirror.state_at(mirror.tick), mirror.position
    with pytest.raises(Double):
        mirror.apply(chance.choice(frames[:at]))
    channel = channel_of_frame(chance.choice(frames))
    if later := [frame for frame in frames[at:] if channel_of_frame(frame) == channel][1:]:
        with pytest.raises(Gap):
            mirror.apply(chance.choice(later))
    assert (mirror.state_at(mirror.tick), mirror.position) == before
    for frame in frames[at:]:
        mirror.apply(frame)


@pytest.mark.parametrize("channel", ["revival", "vessel"])
def test_without_ticks_a_mirror_checks_numbers_alone(channel: str) -> None:
    frames = [
        frame
        for frame in all_frames(sample_setup("full-barrow", "frozen-ledger"))
        if channel_of_frame(frame) == channel
    ]
    assert len(frames) > 3
    mirror = begun()
    mirror.apply(frames[0])
    with pytest.raises(Gap):
        mirror.apply(frames[2])
    mirror.apply(frames[1])
    with pytest.raises(Double):
        mirror.apply(frames[1])
    with pytest.raises(ValueError, match="not held"):
        mirror.state_at(100)
    assert mirror.position is not None
    assert getattr(mirror.position, channel) == 1


def spoilt(frame: TickFrame, **changes: object) -> TickFrame:
    """The frame with some of its fields changed."""
    return msgspec.structs.replace(frame, **changes)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"digest": "0" * 16}, DigestMismatch),
        ({"units": {"a0": {"vitality": 10**6}}}, DigestMismatch),
        ({"battle": "another.1"}, OtherBattle),
        ({"tick": 0}, Torn),
        ({"units": {"a99": {"vitality": 1}}}, Torn),
        ({"units": {"a0": {"mood": 1}}}, Torn),
        ({"units": {"a0": {"vitality": "much"}}}, Torn),
        ({"units": {"c": [1, 2, 3]}}, Torn),
        *(({"units": {"c": [odd, *A_UNIT[1:]]}, "digest": None}, Torn) for odd in ("", "c", "a[")),
        ({"events": [[99]]}, Torn),
        ({"events": [0, None, [5, 0, 1, 2, "x", 4]]}, Torn),
    ],
)
def test_a_spoilt_frame_is_refused_and_nothing_is_taken(
    changes: dict[str, object], error: type[MirrorError]
) -> None:
    ticks = [
        frame
        for frame in all_frames(sample_setup("red-kennel", "slow-kiln"))
        if isinstance(frame, TickFrame)
    ]
    at = next(index for index, frame in enumerate(ticks) if index > 5 and frame.digest)
    mirror = begun()
    for frame in ticks[:at]:
        mirror.apply(frame)
    before = mirror.state_at(mirror.tick), mirror.position
    with pytest.raises(error):
        mirror.apply(spoilt(ticks[at], **changes))
    assert (mirror.state_at(mirror.tick), mirror.position) == before
    mirror.apply(ticks[at])


def test_a_spoilt_snapshot_is_refused() -> None:
    writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
    writer.step()
    snapshot = writer.maker.snapshot()
    mirror = Mirror()
    for changes, error in [
        ({"digest": "0" * 16}, DigestMismatch),
        ({"units": snapshot.units[:-1]}, DigestMismatch),
        ({"units": [[1]]}, Torn),
        ({"units": [["", *snapshot.units[0][1:]]]}, Torn),
        ({"units": [["a[", *snapshot.units[0][1:]]]}, Torn),
    ]:
        with pytest.raises(error):
            mirror.load(msgspec.structs.replace(snapshot, **changes))  # type: ignore[arg-type]
    assert mirror.battle is None


def test_a_position_is_what_resume_says() -> None:
    assert Mirror().position is None
    mirror = begun()
    frames = all_frames(sample_setup("full-barrow", "frozen-ledger"))
    assert mirror.position == Position(battle=BATTLE)
    for frame in frames:
        mirror.apply(frame)
    numbers = dict.fromkeys(("tick", "revival", "vessel"), -1)
    numbers |= {channel_of_frame(frame): frame.seq for frame in frames}
    assert mirror.position == Position(battle=BATTLE, **numbers)


def test_a_mirror_goes_on_to_the_next_battle() -> None:
    mirror = begun()
    for frame in all_frames(sample_setup("red-kennel", "slow-kiln")):
        mirror.apply(frame)
    mirror.begin(BattleId("k3f9x2.2"))
    writer = writer_of(Battle(sample_setup("seven-vows", "slow-kiln")), BattleId("k3f9x2.2"))
    while not writer.over:
        for frame in frames_of(writer.step()):
            mirror.apply(frame)
    assert mirror.state_at(mirror.tick) == writer.battle.snapshot()


def test_a_past_tick_is_not_held() -> None:
    mirror = begun()
    for frame in all_frames(sample_setup("red-kennel", "slow-kiln")):
        mirror.apply(frame)
    with pytest.raises(ValueError, match="not held"):
        mirror.state_at(mirror.tick - 1)


def test_frames_are_compact_json() -> None:
    for tick in fed(sample_setup("red-kennel", "slow-kiln"))[:20]:
        for data in tick.frames.values():
            assert orjson.dumps(orjson.loads(data)) == data


def test_an_integer_past_53_bits_is_in_no_frame() -> None:
    writer = writer_of(Battle(sample_setup("red-kennel", "slow-kiln")), BATTLE)
    writer.step()
    for charge in (MAX_INTEGER, -MAX_INTEGER):
        told = Event(1, 0, "charge", ("a0", charge, charge))
        assert writer.maker.frames(1, [told], (), with_digest=False)
    for charge in (MAX_INTEGER + 1, -MAX_INTEGER - 1):
        told = Event(1, 0, "charge", ("a0", 1, charge))
        with pytest.raises(orjson.JSONEncodeError):
            writer.maker.frames(1, [told], (), with_digest=False)
