"""The ways into a room that `play` knows, and which options go with which.

An option that would change nothing is refused: somebody who asks for a private room must not find
out in a public one that they have said too little.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import typer

Way = Literal["create", "join", "quick"]

WORDS: Final[dict[Way, str]] = {"create": "--create", "join": "--room", "quick": "--quick"}

# The parameters that not every way looks at: what they are called, and the ways that do.
BELONG: Final[Mapping[str, tuple[str, tuple[Way, ...]]]] = {
    "private": ("--private", ("create",)),
    "best_of": ("--best-of", ("create",)),
    "speed": ("--speed", ("create",)),
    "key": ("--key (PHYLACTERY_KEY)", ("create", "join")),
    # A stored board is offered to whoever is alone in a room that quick match has made.
    "yes": ("--yes", ("quick", "join")),
}


def one_way(*, create: bool, room: str | None, quick: bool) -> Way:
    """The one way into a room that was asked for; quick match where none was."""
    if create + quick + (room is not None) > 1:
        raise typer.BadParameter("--create, --room and --quick: choose one")
    return "create" if create else "join" if room is not None else "quick"


def check_way(way: Way, **said: object) -> None:
    """Refuses every option that this way would pass over; None and False: it was not said."""
    faults = [
        f"{name} goes with {' or '.join(WORDS[one] for one in ways)}"
        for parameter, (name, ways) in BELONG.items()
        if said[parameter] not in (None, False) and way not in ways
    ]
    if faults:
        raise typer.BadParameter("; ".join(faults))
