"""Battles are fought as they have always been: each digest is the golden one.

Meant to change the rules or the base set? `python -m tests.engine.golden` writes them again.
"""

from __future__ import annotations

import json

import pytest

from tests.engine.golden.digests import GROUPS, PATH, digests_of

GOLDEN: dict[str, dict[str, str]] = json.loads(PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("group", GROUPS)
def test_golden_digests(group: str) -> None:
    found = digests_of(GROUPS[group]())
    assert list(found) == list(GOLDEN[group])
    changed = [name for name, digest in found.items() if digest != GOLDEN[group][name]]
    assert not changed


def test_golden_battles_are_many_and_different() -> None:
    assert len(GOLDEN["random battles"]) == 200
    assert len(GOLDEN["sample boards"]) >= 64
    digests = [digest for group in GOLDEN.values() for digest in group.values()]
    assert len(set(digests)) == len(digests)
