"""Faults: what is wrong with an input, where, and the nearest name that would have been right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final, NamedTuple

# What is longer is cut short where a fault repeats it, and near no known name: to find out would
# take time that grows with the square of the length.
LONGEST_NAME: Final = 40


class Fault(NamedTuple):
    """One thing wrong. `path` leads to it from the top of the input: `units[2].runes[1]`."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class Refused(ValueError):  # noqa: N818 - the input is refused; nothing went wrong here
    """The input breaks the rules; `faults` names every place where it does."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, self.faults)))


def cut(text: str) -> str:
    """A text as a fault repeats it."""
    return f"{text[:LONGEST_NAME]}…" if len(text) > LONGEST_NAME else text


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean "reliquary"?`, or nothing when no known name is near."""
    if len(name) > LONGEST_NAME:
        return ""
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""
