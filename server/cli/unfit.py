"""Marks in a parsed file for what cannot be, and where they are found: a value that cannot be read
hides nothing that is wrong with the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from engine import Fault, Refused

# One half of a pair may be written in JSON, but is no character and has no UTF-8.
SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Unfit:
    """Stands in a parsed object where the file has something that cannot be: says what."""

    def __init__(self, message: str) -> None:
        self.message = message


class Repeated(dict[str, object]):
    """An object that has a key twice."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        times = Counter(key for key, _ in pairs)
        self.keys_repeated = sorted(key for key, count in times.items() if count > 1)


class KeyFault(Fault):
    """Of the keys of the object that the path leads to: more may be wrong with it."""

    __slots__ = ()


class PartlyRead(Refused):
    """Some of a file cannot be read. The value is all of it, with marks or broken texts there."""

    def __init__(self, faults: Iterable[Fault], value: object) -> None:
        self.value = value
        super().__init__(faults)


def refuse_unfit(value: object) -> None:
    """Raises `PartlyRead` if anything in the value is marked or is no text."""
    if faults := list(_unfit_in(value, "")):
        raise PartlyRead(faults, value)


def _unfit_in(value: object, path: str) -> Iterator[Fault]:
    if isinstance(value, Unfit):
        yield Fault(path, value.message)
    elif isinstance(value, str):
        if SURROGATE.search(value):
            yield Fault(path, "half of a surrogate pair is no character")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unfit_in(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        yield from _unfit_in_object(value, path)


def _unfit_in_object(value: dict[str, object], path: str) -> Iterator[Fault]:
    if isinstance(value, Repeated):
        for key in value.keys_repeated:
            yield KeyFault(path, f'the key "{key}" stands twice')
    for key, item in value.items():
        if SURROGATE.search(key):
            sentence = "a key has half of a surrogate pair, which is no character"
            yield KeyFault(path, sentence)
        yield from _unfit_in(item, f"{path}.{key}" if path else key)
