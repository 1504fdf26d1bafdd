"""Fairness: who is bound to what, and what a check finds."""

from __future__ import annotations

import hashlib
import hmac

import msgspec
import pytest

from engine import Battle, Rules, Setup, base_catalog, read_board, sample_boards
from protocol.fairness import Unfair, check_result, commitment, derive_seed, over_by, verify
from protocol.messages import SEATS, BattleId, Begin, Result

SECRET = bytes(range(32))
NONCES = {"a": "V0y4mQ2tXwJc9LrB", "b": "pK7dUe3nHs1ZgF5a"}
BATTLE = BattleId("k3f9x2.1")
RULES = Rules(scrip_budget=1000)


def fought() -> tuple[Begin, Result]:
    """A battle as the server tells of it."""
    boards = sample_boards()
    catalog = base_catalog()
    a, b = (read_board(boards[name], catalog, RULES) for name in ("red-kennel", "slow-kiln"))
    seed = derive_seed(SECRET, BATTLE, NONCES["a"], NONCES["b"])
    result = Battle(Setup(seed, RULES, catalog, (a, b))).run()
    begin = Begin(
        battle=BATTLE,
        round=1,
        speed=1,
        boards={"a": a.to_object(), "b": b.to_object()},
        commitment=commitment(SECRET),
    )
    return begin, Result(
        battle=BATTLE,
        round=1,
        winner=result.winner,
        reason=result.reason,
        tick=result.tick,
        digest=result.digest,
        secret=SECRET.hex(),
        nonces=NONCES,  # type: ignore[arg-type]
        seed=seed,
        wins={"a": 1, "b": 0},
    )


def paths(unfair: pytest.ExceptionInfo[Unfair]) -> list[str]:
    """Where a check found something."""
    return [fault.path for fault in unfair.value.faults]


def test_the_commitment_and_the_seed_are_what_the_page_says() -> None:
    assert commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()
    text = b"phylactery/1|k3f9x2.1|V0y4mQ2tXwJc9LrB|pK7dUe3nHs1ZgF5a"
    seed = derive_seed(SECRET, BATTLE, NONCES["a"], NONCES["b"])
    assert seed == hmac.new(SECRET, text, hashlib.sha256).hexdigest()
    assert seed != commitment(SECRET)


def test_each_part_of_the_seed_counts() -> None:
    seeds = {
        derive_seed(SECRET, BATTLE, "A" * 16, "B" * 16),
        derive_seed(SECRET[::-1], BATTLE, "A" * 16, "B" * 16),
        derive_seed(SECRET, "k3f9x2.2", "A" * 16, "B" * 16),
        derive_seed(SECRET, BATTLE, "C" * 16, "B" * 16),
        derive_seed(SECRET, BATTLE, "B" * 16, "A" * 16),
    }
    assert len(seeds) == 5


def test_a_fair_battle_is_verified() -> None:
    begin, result = fought()
    check_result(result, begin.commitment, NONCES)  # type: ignore[arg-type]
    verify(result, begin, base_catalog(), RULES)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"secret": (b"x" * 32).hex()}, ["secret", "seed"]),
        ({"secret": "not hex"}, ["secret"]),
        ({"seed": "0" * 64}, ["seed"]),
        ({"nonces": {**NONCES, "a": "another nonce 16"}}, ["nonces.a", "seed"]),
        ({"nonces": {"a": NONCES["a"]}}, ["nonces"]),
        ({"nonces": {"a": NONCES["a"], "c": NONCES["b"]}}, ["nonces"]),
        ({"battle": "k3f9x2.2"}, ["seed"]),
        ({"digest": None}, ["digest"]),
        ({"digest": None, "winner": "b"}, ["digest"]),
        ({"reason": "forfeit"}, ["digest"]),
        ({"reason": "forfeit", "digest": None, "winner": None}, ["winner"]),
        ({"reason": "void", "digest": None}, ["winner"]),
        ({"tick": -1}, ["tick"]),
    ],
)
def test_an_unfair_result_is_found_out(changes: dict[str, object], found: list[str]) -> None:
    begin, result = fought()
    with pytest.raises(Unfair) as unfair:
        check_result(
            msgspec.structs.replace(result, **changes),
            begin.commitment,
            {"a": NONCES["a"]},
        )
    assert paths(unfair) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"digest": "0" * 32}, ["digest"]),
        ({"winner": None, "tick": 1}, ["winner", "tick"]),
        ({"reason": "timeout"}, ["reason"]),
        ({"seed": "0" * 64}, ["seed"]),
        ({"battle": "k3f9x2.2"}, ["seed", "battle"]),
    ],
)
def test_a_battle_that_went_otherwise_is_found_out(
    changes: dict[str, object], found: list[str]
) -> None:
    begin, result = fought()
    with pytest.raises(Unfair) as unfair:
        verify(msgspec.structs.replace(result, **changes), begin, base_catalog(), RULES)
    assert paths(unfair) == found


def test_other_boards_or_rules_are_found_out() -> None:
    begin, result = fought()
    swapped = msgspec.structs.replace(
        begin, boards={"a": begin.boards["b"], "b": begin.boards["a"]}
    )
    with pytest.raises(Unfair):
        verify(result, swapped, base_catalog(), RULES)
    with pytest.raises(Unfair) as unfair:
        verify(result, msgspec.structs.replace(begin, boards={}), base_catalog(), RULES)
    assert paths(unfair) == ["boards"]
    with pytest.raises(Unfair):
        verify(result, begin, base_catalog(), Rules(scrip_budget=1000, time_limit=5))


def test_a_forfeit_has_its_seed_checked_and_no_battle() -> None:
    begin, result = fought()
    forfeit = msgspec.structs.replace(result, reason="forfeit", digest=None, tick=3)
    verify(forfeit, begin, base_catalog(), RULES)
    with pytest.raises(Unfair):
        verify(msgspec.structs.replace(forfeit, seed="0" * 64), begin, base_catalog(), RULES)
    too_late = msgspec.structs.replace(forfeit, tick=result.tick)
    with pytest.raises(Unfair) as unfair:
        verify(too_late, begin, base_catalog(), RULES)
    assert paths(unfair) == ["tick"]


def test_before_the_first_tick_any_battle_can_be_given_up() -> None:
    begin, result = fought()
    a, b = (read_board(begin.boards[seat], base_catalog(), RULES) for seat in SEATS)
    battle = Battle(Setup(result.seed, RULES, base_catalog(), (a, b)))
    battle.run()
    assert [fault.path for fault in over_by(5, battle)] == ["tick"]
    assert list(over_by(0, battle)) == []
