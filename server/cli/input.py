"""Reads what a person hands to a command, a JSON or TOML file, into plain objects.

Whatever is wrong with a file ends as `Refused`, each fault with its place; a value that cannot be
read hides nothing that is wrong with the rest. Decimals stay exact (`Decimal`), because seconds are
turned into whole ticks. Knows the two notations and nothing of boards or battles.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final, TypeVar

from engine import Fault, Refused
from server.cli.pointing import pointed
from server.cli.unfit import (
    SURROGATE,
    KeyFault,
    PartlyRead,
    Repeated,
    Unfit,
    refuse_unfit,
)

STDIN: Final = "-"
TOML: Final = ".toml"  # however it is spelt

# A device may never end.
MAX_BYTES: Final = 64 * 2**20
TOO_LONG: Final = f"longer than {MAX_BYTES // 2**20} MiB"

# Past 53 bits no number is of use here, and 1e999999999 as a whole number would fill the memory.
MAX_INTEGER: Final = 2**53
MAX_PLACES: Final = 100

# A battle needs 8. Whoever walks the object may then recurse without looking.
MAX_DEPTH: Final = 64
TOO_DEEP: Final = f"nested more than {MAX_DEPTH} deep"

# One half of a surrogate pair may be written in JSON, but is no character and has no UTF-8.
SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


Judged = TypeVar("Judged")


def read_object(file: str, judge: Callable[[object], Judged]) -> Judged:
    """What `judge` makes of the content of a file, or of standard input for `-`.

    A name ending in `.toml` is read as TOML, everything else as JSON. Raises `Refused`, with what
    cannot be read of it and what `judge` refuses, told as `pointed` does.
    """
    text = _decode(read_bytes(file))
    toml = file.lower().endswith(TOML)
    try:
        value = parse_toml(text) if toml else parse_json(text)
    except PartlyRead as partly:
        faults = [*partly.faults, *_also_refused(partly, judge)]
        raise Refused(pointed(faults, partly.value, toml=toml)) from None
    except NotParsed as refused:
        raise _refused(f"{refused}{_other_notation(text, toml)}") from None
    try:
        return judge(value)
    except Refused as refused:
        raise Refused(pointed(refused.faults, value, toml=toml)) from None


class NotParsed(Refused):
    """The text breaks the grammar of its notation."""


def _other_notation(text: str, toml: bool) -> str:
    """That the name decides, where the text looks like the other notation: what is read as JSON is
    an object, with which no TOML begins."""
    start = text.lstrip()[:1]
    if toml:
        return f"; what is named {TOML} is read as TOML" if start == "{" else ""
    return f"; only what is named {TOML} is read as TOML" if start not in ("", "{") else ""


def _also_refused(partly: PartlyRead, judge: Callable[[object], object]) -> list[Fault]:
    """What `judge` refuses, but for what it says of values that could not be read."""
    try:
        judge(partly.value)
    except Refused as refused:
        said = {fault.path for fault in partly.faults if not isinstance(fault, KeyFault)}
        return [f for f in refused.faults if f.path not in said and not SURROGATE.search(f.path)]
    return []


def parse_json(text: str) -> object:
    """The JSON value, its decimals exact. Raises `Refused`, with line and column or path."""
    parser = _Parser()
    try:
        value = json.loads(
            text,
            parse_float=parser.decimal,
            parse_int=parser.integer,
            parse_constant=parser.constant,
            object_pairs_hook=parser.pairs,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotParsed([Fault("", f"not JSON: {_lower(error.msg)} ({where})")]) from None
    except RecursionError:
        raise _refused(TOO_DEEP) from None
    _refuse_deep(value)
    if parser.found_unfit or SURROGATE_ESCAPE.search(text):
        refuse_unfit(value)
    return value


def parse_toml(text: str) -> object:
    """The TOML document, its decimals exact. Raises `Refused`, with line and column or path."""
    parser = _Parser()
    try:
        value: object = tomllib.loads(text, parse_float=parser.decimal)
    except tomllib.TOMLDecodeError as error:
        raise NotParsed([Fault("", f"not TOML: {_lower(str(error))}")]) from None
    except RecursionError:
        raise _refused(TOO_DEEP) from None
    except ValueError:  # tomllib hands integers to `int`, which refuses thousands of digits
        raise _refused("a number is out of range") from None
    _refuse_deep(value)
    if parser.found_unfit:
        refuse_unfit(value)
    return value


def read_bytes(file: str) -> bytes:
    """The content of a file, or of standard input for `-`. Raises `Refused`."""
    try:
        data = _read_some(file, MAX_BYTES + 1)
    except IsADirectoryError:
        raise _refused("is a directory, not a file") from None
    except FileNotFoundError:
        raise _refused("no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _refused(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise _refused(TOO_LONG)
    return data


def _read_some(file: str, most: int) -> bytes:
    if file != STDIN:
        with Path(file).open("rb") as opened:
            return opened.read(most)
    if sys.stdin is None:  # the process was started with it closed
        raise OSError(0, "standard input is closed")
    return sys.stdin.buffer.read(most)


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")  # editors of one system begin UTF-8 with a mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refused(f"not UTF-8: byte {error.start}, on line {line}") from None


class _Parser:
    """The parser's hooks. What they refuse is marked in place: they do not know the path to it."""

    def __init__(self) -> None:
        self.found_unfit = False

    def decimal(self, text: str) -> Decimal | Unfit:
        try:
            number = Decimal(text)
        except InvalidOperation:  # an exponent past what Decimal itself can hold
            return self._unfit(f"{_short(text)} is out of range")
        if not number.is_finite():
            return self.constant(text)
        # Asked without arithmetic, which could itself overflow.
        exponent = number.as_tuple().exponent
        if number.adjusted() > 15 or (isinstance(exponent, int) and exponent < -MAX_PLACES):
            return self._unfit(f"{_short(text)} is out of range")
        return number

    def integer(self, text: str) -> int | Unfit:
        if len(text) <= 15:  # below 53 bits, sign and all
            return int(text)
        if len(text) > 20 or abs(int(text)) > MAX_INTEGER:
            return self._unfit(f"{_short(text)} is out of range")
        return int(text)

    def constant(self, text: str) -> Unfit:
        return self._unfit(f"{text} is no number here")

    def pairs(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        self.found_unfit = True
        return Repeated(pairs)

    def _unfit(self, message: str) -> Unfit:
        self.found_unfit = True
        return Unfit(message)


def _refuse_deep(value: object) -> None:
    """Raises `Refused` if lists and objects stand too deep in each other."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _inside(outer)]
    if any(isinstance(value, dict | list) for value in level):
        raise _refused(TOO_DEEP)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _refused(message: str) -> Refused:
    return Refused([Fault("", message)])


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:20]}..."
