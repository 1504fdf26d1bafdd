"""JSON Schema of everything on the wire, made from the types that the codec uses, and the tables
that a client needs to read events: what is served at `/schema.json`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, get_args

import msgspec
import orjson

from engine import EVENT_FIELDS, UNIT_FIELDS
from engine.events import REVIVAL_LINE_FIELDS

from .codes import CloseCode, ErrorCode
from .messages import PROTOCOL_VERSION, AnyToClient, AnyToServer, Frame
from .view import STATUS_FIELDS, TELLS
from .wire_events import BUILT_FIELDS, FLAG_COLUMNS, KINDS, UNIT_COLUMNS, WORD_COLUMNS

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_GROUPS: Final = {"ToServer": AnyToServer, "ToClient": AnyToClient, "Frame": Frame}


def schema() -> dict[str, Any]:
    """The schema of any text frame, either way; `$defs` has each message by its type's name."""
    kinds = [kind for group in _GROUPS.values() for kind in get_args(group)]
    _, parts = msgspec.json.schema_components(
        kinds, schema_hook=_anything, ref_template="#/$defs/{name}"
    )
    groups = {
        name: {"anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in get_args(group)]}
        for name, group in _GROUPS.items()
    }
    return {
        "$schema": _DIALECT,
        "title": f"phylactery protocol, version {PROTOCOL_VERSION}",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in groups],
        "$defs": {**groups, **parts},
        "x-tables": tables(),
    }


def _anything(kind: type) -> dict[str, Any]:
    """`object` is whatever JSON can say."""
    if kind is object:
        return {"$comment": "any JSON"}
    raise NotImplementedError


def tables() -> dict[str, Any]:
    """What stands behind the numbers and positions in frames, and every code."""
    return {
        "events": {kind: list(EVENT_FIELDS[kind]) for kind in KINDS},
        "revival_line_fields": list(REVIVAL_LINE_FIELDS),
        "unit_columns": list(UNIT_COLUMNS),
        "flag_columns": list(FLAG_COLUMNS),
        "word_columns": {name: list(words) for name, words in WORD_COLUMNS.items()},
        "unit_fields": list(UNIT_FIELDS),
        "built_fields": list(BUILT_FIELDS),
        "tells": {kind: list(told) for kind, told in TELLS.items()},
        "status_fields": STATUS_FIELDS,
        "error_codes": {code.value: code.meaning for code in ErrorCode},
        "close_codes": {str(code.value): code.meaning for code in CloseCode},
    }


@cache
def schema_bytes() -> bytes:
    """The schema as it is served."""
    return orjson.dumps(schema(), option=orjson.OPT_INDENT_2)
