"""What is wrong with a value, as a sentence for a person: what it must be, with the limits that the
types of `protocol.messages` state, and what it is.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Final, Literal, NewType, Union, get_args, get_origin

from msgspec import Meta, Struct

LONGEST_QUOTE: Final = 24

_NAMES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a whole number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "an object"),
)


def sentence(value: object, kind: object) -> str:
    """Why a value is none of this kind. It goes on from the path: `name must be ...`."""
    return f"must be {_wanted(kind)}; {_found(value, kind)}"


def _wanted(kind: object, meta: Meta | None = None) -> str:
    origin = get_origin(kind)
    if isinstance(kind, NewType):
        return _wanted(kind.__supertype__, meta)
    if origin is Annotated:
        inner, note = get_args(kind)
        return _wanted(inner, note)
    if origin in (Union, UnionType):
        kinds = sorted(get_args(kind), key=lambda one: one is not type(None))  # null first
        return " or ".join(_wanted(one, meta) for one in kinds)
    if origin is Literal:
        return _one_of(get_args(kind))
    if kind is None or kind is type(None):
        return "null"
    plain = origin or kind
    if plain is list:
        return f"a list{_bounds(meta.min_length, meta.max_length) if meta else ''}"
    if plain is dict or (isinstance(plain, type) and issubclass(plain, Struct)):
        return "an object"
    return _wanted_plain(plain, meta)


def _wanted_plain(kind: object, meta: Meta | None) -> str:
    name = next(name for known, name in _NAMES if known is kind)
    if meta is None:
        return name
    if kind is str:
        text = f"{name}{_bounds(meta.min_length, meta.max_length)} characters"
        return f"{text}, {meta.description}" if meta.description else text
    return f"{name}{_bounds(meta.ge, meta.le, at_least='from ')}"


def _bounds(least: Any, most: Any, at_least: str = "of ") -> str:
    if least is None and most is None:
        return ""
    if least is None:
        return f" of at most {most}"
    return f" {at_least}{least}" + (f" to {most}" if most is not None else " on")


def _one_of(choices: tuple[object, ...]) -> str:
    *rest, last = (f'"{choice}"' if isinstance(choice, str) else str(choice) for choice in choices)
    return f"{', '.join(rest)} or {last}" if rest else last


def _found(value: object, kind: object) -> str:
    wanted = _wanted(kind)
    if (isinstance(value, str) and "text" in wanted) or (
        isinstance(value, list) and "list" in wanted
    ):
        return f"it has {len(value)}"
    if value is None:
        return "it is null"
    if isinstance(value, bool):
        return "it is true" if value else "it is false"
    if isinstance(value, (int, float)):
        return f"it is {value}"
    if isinstance(value, str) and len(value) <= LONGEST_QUOTE:
        return f'it is "{value}"'
    return f"it is {next(name for known, name in _NAMES if isinstance(value, known))}"
