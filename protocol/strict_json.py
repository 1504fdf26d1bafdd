"""JSON from strangers: read whole, or refused with every reason and the path to each.

The fast readers are too kind for what comes from outside: they keep the last of two equal keys and
round an integer past 64 bits to a float, without a word. What a client says is small and seldom,
so it is read by the standard library's reader, with hooks that forget nothing, after one pass over
the bytes that bounds what there is to be read: the nesting (no reader may be made to recurse by
brackets), and the number of values (each takes its time, and everyone waits).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from .codes import ErrorCode
from .messages import (
    MAX_DEPTH,
    MAX_FAULTS,
    MAX_INTEGER,
    MAX_MESSAGE_BYTES,
    MAX_VALUES,
    Fault,
)

# Strings first, so that brackets inside them do not count. The possessive `*+` and `++` and the
# optional end keep the scan linear for any bytes.
_TOKEN: Final = re.compile(
    rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]|[^\s"\[\]{},:]++',
    re.DOTALL,
)


TWICE: Final = "is there twice"


class Unreadable(ValueError):  # noqa: N818 - a refusal of what came, not a failure here
    """The bytes are not JSON that this protocol takes. The value is what could be read all the
    same: None in place of what could not, and of two equal keys the last."""

    def __init__(self, code: ErrorCode, faults: Iterable[Fault], value: object = None) -> None:
        self.code = code
        self.faults = tuple(faults)
        self.value = value
        super().__init__(code.meaning)


class _Pairs(list[tuple[str, object]]):
    """A JSON object as it was written: equal keys and all."""


def read_json(data: bytes) -> object:
    """The value that `data` says, of plain dicts, lists, strings, numbers, bools and None.

    Every integer in it fits 53 bits, every float is finite, every string can be written again.
    Raises `Unreadable`, and nothing else, with every fault that can be told apart.
    """
    if len(data) > MAX_MESSAGE_BYTES:
        sentence = f"{len(data)} bytes; at most {MAX_MESSAGE_BYTES} are read"
        raise Unreadable(ErrorCode.TOO_LARGE, [Fault("", sentence)])
    _check_shape(data)
    value = _parse(data)
    if faults := list(islice(_faults(value, ""), MAX_FAULTS)):
        not_json = any(fault.message in _NOT_JSON for fault in faults)
        code = ErrorCode.NOT_JSON if not_json else ErrorCode.BAD_MESSAGE
        raise Unreadable(code, faults, _plain(value))
    return _plain(value)


def join(path: str, key: str | int) -> str:
    """The path to a member of what `path` leads to; a key in it is cut short and can be written."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    name = key[:40].encode("utf-8", "replace").decode()
    return f"{path}.{name}" if path else name


def _check_shape(data: bytes) -> None:
    """Refuses what nests too deep or says too much, after as many tokens as it takes to see it."""
    depth = values = 0
    for token in _TOKEN.finditer(data):
        match token[0]:
            case b"]" | b"}":
                depth -= 1
                if depth < 0:
                    return  # it is not JSON, and the reader comes no further than this
                continue
            case b"[" | b"{":
                depth += 1
                if depth > MAX_DEPTH:
                    sentence = f"nests more than {MAX_DEPTH} deep"
                    raise Unreadable(ErrorCode.TOO_DEEP, [Fault("", sentence)])
        values += 1
        if values > MAX_VALUES:
            sentence = f"more than {MAX_VALUES} keys and values"
            raise Unreadable(ErrorCode.TOO_LARGE, [Fault("", sentence)])


def _integer(digits: str) -> int:
    """The integer, or one just as much too large: Python refuses to read thousands of digits."""
    return int(digits) if len(digits) <= 20 else MAX_INTEGER + 1


class _Constant(str):
    """`NaN` or an infinity, as it was written: Python's reader takes them, JSON has none."""

    __slots__ = ()


_NOT_JSON: Final = [f"{name} is not JSON" for name in ("NaN", "Infinity", "-Infinity")]


def _parse(data: bytes) -> object:
    try:
        return json.loads(
            data.decode(),
            object_pairs_hook=_Pairs,
            parse_int=_integer,
            parse_constant=_Constant,
        )
    except UnicodeDecodeError as error:
        sentence = f"not UTF-8 at byte {error.start}"
    except json.JSONDecodeError as error:
        sentence = f"{error.msg} at character {error.pos}"
    raise Unreadable(ErrorCode.NOT_JSON, [Fault("", sentence)])


def _faults(value: object, path: str) -> Iterator[Fault]:
    match value:
        case _Pairs():
            yield from _object_faults(value, path)
        case list():
            for index, item in enumerate(value):
                yield from _faults(item, join(path, index))
        case _:
            if wrong := _wrong(value):
                yield Fault(path, wrong)


def _object_faults(pairs: _Pairs, path: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for key, item in pairs:
        inner = join(path, key)
        if key in seen:
            yield Fault(inner, TWICE)
        if wrong := _wrong(key):
            yield Fault(inner, wrong)
        seen.add(key)
        yield from _faults(item, inner)


def _wrong(value: object) -> str:
    """What is wrong with a text or a number; empty where nothing is."""
    match value:
        case _Constant():
            return f"{value} is not JSON"
        case str() if not _writable(value):
            return "half of a surrogate pair is not text"
        case int() if abs(value) > MAX_INTEGER:
            return "an integer on the wire fits 53 bits; write larger ones as text"
        case float() if not abs(value) <= MAX_INTEGER:
            return "a number on the wire lies within 53 bits"
    return ""


def _writable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _plain(value: object) -> object:
    match value:
        case _Pairs():
            return {key: _plain(item) for key, item in value if not _wrong(key)}
        case list():
            return [_plain(item) for item in value]
    return None if _wrong(value) else value
