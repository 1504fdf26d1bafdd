"""Which battles are golden, and how their digests are made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from engine import Setup
from tests.engine.samples import fought, own_cards, sample_pairs

PATH: Final = Path(__file__).parent / "digests.json"
RANDOM_BATTLES: Final = 200


def random_setups() -> dict[str, Setup]:
    """Battles that bring their own cards: only a change of the rules changes them."""
    return {str(seed): own_cards(seed) for seed in range(RANDOM_BATTLES)}


GROUPS: Final[dict[str, Callable[[], dict[str, Setup]]]] = {
    "random battles": random_setups,
    "sample boards": sample_pairs,
}


def digests() -> dict[str, dict[str, str]]:
    """By group and name of the battle: the digest of its log."""
    return {group: digests_of(setups()) for group, setups in GROUPS.items()}


def digests_of(setups: dict[str, Setup]) -> dict[str, str]:
    return {name: digest_of(setup) for name, setup in setups.items()}


def digest_of(setup: Setup) -> str:
    result = fought(setup).result
    assert result is not None
    return result.digest
