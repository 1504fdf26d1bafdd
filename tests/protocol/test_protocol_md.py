"""PROTOCOL.md holds: every example is decoded, every table is the code's, every promise it makes in
numbers is kept.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from typing import Any, get_args

import msgspec
import pytest

from engine import UNIT_FIELDS, Rules, Snapshot, UnitState, base_catalog, state_digest
from protocol.codec import decode_to_client, decode_to_server, encode
from protocol.fairness import check_result
from protocol.frames import DIGEST_TICKS
from protocol.messages import (
    CHANNELS,
    MAX_DEPTH,
    MAX_FAULT_BYTES,
    MAX_FAULTS,
    MAX_MESSAGE_BYTES,
    MAX_VALUES,
    AnyToClient,
    AnyToServer,
    Begin,
    Fault,
    Frame,
    Next,
    Position,
    Result,
    RoomState,
    SeatState,
    SnapshotMessage,
)
from protocol.mirror import Mirror
from protocol.sources import Sources
from protocol.view import JUST_BUILT
from protocol.wire_events import BUILT_FIELDS, read_events
from server.catalog import printed
from server.limits import Limits
from tests.bench.watched_bytes import Watched, every_pairing

from .protocol_tables import BLOCKS, PROTOCOL_MD, rewritten, written

PAGE = PROTOCOL_MD.read_text()
TO_SERVER, TO_CLIENT, FRAMES = (
    {kind.__name__: kind for kind in get_args(group)} for group in (AnyToServer, AnyToClient, Frame)
)
PARTS = {kind.__name__: kind for kind in (Position, RoomState, SeatState, Fault, Next)}
EXAMPLES = dict(re.findall(r"<!-- example: (\w+) -->\n```json\n(.*?)```", PAGE, re.DOTALL))
FIELDS = {
    name: [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()[2:]]
    for name, rows in re.findall(r"<!-- fields: (\w+) -->\n((?:\|.*\n)+)", PAGE)
}


def example(name: str) -> Any:
    """An example of the page, decoded."""
    data = EXAMPLES[name].strip().encode()
    return decode_to_server(data) if name in TO_SERVER else decode_to_client(data)


def test_every_message_and_frame_has_an_example() -> None:
    assert EXAMPLES.keys() == TO_SERVER.keys() | TO_CLIENT.keys() | FRAMES.keys()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_example_is_what_it_says(name: str) -> None:
    message = example(name)
    assert type(message).__name__ == name
    said = json.loads(EXAMPLES[name])
    if isinstance(said, dict):
        again = json.loads(encode(message))
        assert {key: again[key] for key in said} == said


def test_every_message_has_its_fields() -> None:
    expected = TO_SERVER.keys() | TO_CLIENT.keys() | PARTS.keys() | {"UnitState"}
    assert FIELDS.keys() == expected


@pytest.mark.parametrize("name", sorted(FIELDS.keys() - {"UnitState"}))
def test_fields_and_defaults_are_the_types(name: str) -> None:
    kind = (TO_SERVER | TO_CLIENT | PARTS)[name]
    expected = []
    for field in msgspec.structs.fields(kind):
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        text = "" if field.required else f"`{msgspec.json.encode(default).decode()}`"
        expected.append([f"`{field.encode_name}`", text])
    assert [[row[0], row[2]] for row in FIELDS[name]] == expected


def test_the_headings_are_the_types_of_the_messages() -> None:
    tags = {kind.__struct_config__.tag for kind in (TO_SERVER | TO_CLIENT).values()}
    assert set(re.findall(r"^### `(\w+)`$", PAGE, re.MULTILINE)) == tags


def test_a_units_fields_are_those_of_its_state() -> None:
    rows = FIELDS["UnitState"]
    assert [row[0] for row in rows] == [f"`{name}`" for name in UNIT_FIELDS]
    built = {row[0].strip("`"): row[2] for row in rows if row[2]}
    assert built.pop("rate") == "follows"
    assert built == {name: f"`{json.dumps(value)}`" for name, value in JUST_BUILT.items()}
    assert len(BUILT_FIELDS) == 14, "the page says fourteen"
    assert len(UNIT_FIELDS) == 22, "the page says 22"


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_tables_follow_from_the_code(name: str) -> None:
    assert written(PAGE)[name] == BLOCKS[name](), "run python -m tests.protocol.protocol_tables"


def test_every_table_stands_on_the_page_once() -> None:
    assert rewritten(PAGE) == PAGE
    assert len(re.findall("<!-- table:", PAGE)) == len(BLOCKS)


def test_limits_are_the_servers() -> None:
    below = PAGE.partition("<!-- limits -->")[2]
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) \|", below, re.MULTILINE)
    expected = {f"`{field.name}`": str(field.default) for field in dataclasses.fields(Limits)}
    assert dict(rows) == {
        "bytes of a message": str(MAX_MESSAGE_BYTES),
        "keys and values of a message": str(MAX_VALUES),
        "nesting of a message": str(MAX_DEPTH),
        "faults that an error names": str(MAX_FAULTS),
        "bytes of their JSON, together": str(MAX_FAULT_BYTES),
        **expected,
    }


def test_the_catalog_is_as_it_is_served() -> None:
    found = re.search(r"<!-- catalog -->\n```json\n(.*?)```", PAGE, re.DOTALL)
    assert found
    shown = json.loads(found[1])
    served = json.loads(printed(base_catalog(), Rules()))
    assert shown.keys() == served.keys()
    for kind in ("cards", "runes", "resonances"):
        ((name, one),) = shown[kind].items()
        assert served[kind][name] == one
        assert all(other.keys() == one.keys() for other in served[kind].values())
        assert all(f"`{field}`" in PAGE for field in one)
    assert (shown["prices"], shown["board"]) == (served["prices"], served["board"])


def test_the_digest_is_over_the_bytes_shown() -> None:
    found = re.search(r"<!-- bytes: SnapshotMessage -->\n```\n(.*)\n```", PAGE)
    assert found
    snapshot: SnapshotMessage = example("SnapshotMessage")
    assert hashlib.sha256(found[1].encode()).hexdigest()[:16] == snapshot.digest
    units = tuple(msgspec.convert(unit, UnitState) for unit in snapshot.units)
    assert state_digest(Snapshot(snapshot.tick, units)) == snapshot.digest


def test_a_second_and_the_longest_silence_are_those_of_the_frames() -> None:
    assert f"which is {DIGEST_TICKS} ticks from one divisible by {DIGEST_TICKS} on" in PAGE
    assert f"are more than {2 * DIGEST_TICKS - 1} ticks apart" in PAGE


def test_the_ticks_to_try_a_mirror_on_are_right() -> None:
    found = re.search(r"<!-- frames: after the snapshot -->\n```\n(.*?)```", PAGE, re.DOTALL)
    assert found
    mirror = Mirror()
    mirror.load(example("SnapshotMessage"))
    for line in found[1].splitlines():
        mirror.apply(decode_to_client(line.encode()))  # type: ignore[arg-type]
    assert mirror.digests_checked == 3
    assert mirror.tick == 159


def test_the_events_in_words_are_right() -> None:
    vessel = [
        (line, event.batch, event.kind) for line, event in read_events(example("VesselFrame"))
    ]
    assert vessel == [(25, 5, "vessel_spent"), (31, 5, "vessel_points"), (32, 5, "vessel")]
    sources = Sources(example("Begin").boards)
    assert ", ".join(f"`{name}`" for name in sources.names) in PAGE
    ticks = [event for _, event in read_events(example("TickFrame"), sources)]
    assert [event.kind for event in ticks] == ["activation", "strike", "damage", "line", "status"]
    assert ticks[3].values == ("b0", "activation", "rimewitch", 0)
    revival = [event.values for _, event in read_events(example("RevivalFrame"), sources)]
    assert revival[0][:5] == ("a0", "phylactery", 0, "b1", 1)
    assert revival[2] == ("a0", "revived", "reliquary", 0, "a0", "phylactery", "b1")


def test_a_battle_costs_what_the_page_says() -> None:
    watched = Watched.together(list(every_pairing()))
    frames = [round(watched.rate(channel)) for channel in CHANNELS]
    besides = sum(watched.rate(part) for part in ("begin", "result", "room"))
    seconds = watched.seconds / watched.battles
    (said,) = (part for part in PAGE.split("\n\n") if part.startswith("Over all pairings"))
    assert [int(number) for number in re.findall(r"\d+", said)] == [
        round(seconds),
        round(watched.rate()),
        *frames,
        round(besides),
    ], "python -m tests.bench watch says what it costs"


def test_the_example_of_a_result_is_fair() -> None:
    begin, result = example("Begin"), example("Result")
    assert isinstance(begin, Begin)
    assert isinstance(result, Result)
    check_result(result, begin.commitment, {"a": example("Ready").nonce})
