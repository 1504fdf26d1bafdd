"""Under which edition of the rules a battle is fought: whose code, which cards and numbers, and how
it is told."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from engine import Catalog
from protocol.frames import FRAMES_EDITION


@dataclass(frozen=True)
class Edition:
    """Two that are equal fight every battle alike, and send the same frames of it."""

    engine: str  # the version of the code
    catalog: str  # a digest of every card, rune, resonance and price
    frames: int  # by which rules a battle is cut into frames


@functools.cache
def engine_version() -> str:
    """The version of this installation; `unversioned` where it is run from its folder alone."""
    try:
        return version("phylactery")
    except PackageNotFoundError:
        return "unversioned"


def edition_of(catalog: Catalog) -> Edition:
    """The edition that this process fights by."""
    return Edition(engine_version(), catalog.digest(), FRAMES_EDITION)


def rules_digest(rules: Mapping[str, object]) -> str:
    """16 hex digits that differ whenever any of these numbers does."""
    text = json.dumps(rules, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
