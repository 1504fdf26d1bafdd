"""What a message may cost: how large it may be, how much it may hold, how large its answer is."""

from __future__ import annotations

import json
import re
import time

import msgspec
import orjson
import pytest

from engine import base_catalog
from engine.board import CELLS, MOST_RUNES
from engine.definitions import STAT_NAMES
from engine.reading import MOST_SUGGESTIONS
from protocol import codec, strict_json
from protocol.codec import Rejected, decode_to_server, encode
from protocol.codes import ErrorCode
from protocol.messages import (
    MAX_DEPTH,
    MAX_FAULT_BYTES,
    MAX_FAULTS,
    MAX_MESSAGE_BYTES,
    MAX_VALUES,
    Fault,
    Leave,
    SubmitBoard,
)
from protocol.refusals import refuse

from .test_codec import faults, refusal


def nested(keys: list[str], value: object) -> object:
    """`value`, below each of these keys in turn."""
    for key in reversed(keys):
        value = {key: value}
    return value


def test_nesting_up_to_the_limit_is_read_and_brackets_in_text_do_not_count() -> None:
    deep = b"[" * (MAX_DEPTH - 2) + b"]" * (MAX_DEPTH - 2)
    for board in (deep, b'"' + b"[{" * 500 + b'\\"["'):
        message = decode_to_server(b'{"type":"board","board":{"units":' + board + b"}}")
        assert isinstance(message, SubmitBoard)
    too_deep = b'{"type":"board","board":{"units":[' + deep + b"]}}"
    assert refusal(too_deep).code is ErrorCode.TOO_DEEP


def test_the_largest_board_there_can_be_is_far_below_the_limits() -> None:
    unit = {
        "cell": 7,
        "card": max(base_catalog().cards, key=len),
        "runes": [max(base_catalog().runes, key=len)] * MOST_RUNES,
        "scrip": dict.fromkeys(STAT_NAMES, 60),
    }
    units = [unit] * CELLS
    assert len(json.dumps({"units": units})) < MAX_MESSAGE_BYTES / 6
    board = {"name": "\u2028" * 64, "text": "\u2028" * 500, "units": units}
    printed = json.dumps({"type": "board", "board": board}, indent=4).encode()
    values = re.findall(rb'"[^"]*"|\d+|[\[{]', printed)
    assert len(values) < MAX_VALUES / 2
    assert isinstance(decode_to_server(printed), SubmitBoard)


def test_a_message_may_be_as_large_as_the_limit() -> None:
    leave = b'{"type":"leave"}'
    assert decode_to_server(leave.ljust(MAX_MESSAGE_BYTES)) == Leave()
    assert refusal(leave.ljust(MAX_MESSAGE_BYTES + 1)).code is ErrorCode.TOO_LARGE


@pytest.mark.parametrize(
    ("item", "held"),
    [(b"[ ]", 1), (b"{}", 1), (b"-1.5e3", 1), (b'"[1,2],{\\"a\\":3}"', 1), (b'{"a" : [null]}', 4)],
)
def test_a_message_may_hold_as_many_keys_and_values_as_the_limit(item: bytes, held: int) -> None:
    room = MAX_VALUES - 7  # without the message, its two keys and their values, the list, its key
    items = [item] * (room // held) + [b"0"] * (room % held)
    assert isinstance(decode_to_server(board_of(items)), SubmitBoard)
    answer = refusal(board_of([*items, b"0"]))
    assert answer.code is ErrorCode.TOO_LARGE
    assert answer.faults == (Fault("", f"more than {MAX_VALUES} keys and values"),)


def board_of(items: list[bytes]) -> bytes:
    return b'{"type":"board","board":{"units":[' + b", ".join(items) + b"]}}"


@pytest.mark.parametrize(
    "large", [b"[" + b"1," * 600, b"[" * 600, b"[" + b"[]," * 600, b" " * 100_000], ids=len
)
def test_what_is_too_much_is_not_parsed(large: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "_parse", None)
    assert refusal(large).code in (ErrorCode.TOO_LARGE, ErrorCode.TOO_DEEP)


def test_near_names_are_looked_for_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def nearest(name: str, _known: object) -> str:
        asked.append(name)
        return ""

    monkeypatch.setattr(codec, "did_you_mean", nearest)
    many = {f"names{index}": 1 for index in range(200)}
    assert len(refusal(orjson.dumps({"type": "ready", **many})).faults) == MAX_FAULTS
    assert len(asked) == MOST_SUGGESTIONS


def test_a_long_list_is_not_looked_through_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    convert = msgspec.convert

    def counted(value: object, kind: type) -> object:
        nonlocal looked
        looked += 1
        return convert(value, kind)

    monkeypatch.setattr(msgspec, "convert", counted)
    said = {"type": "watch", "version": 1, "channels": ["tick"] * 490}
    assert list(faults(orjson.dumps(said))) == ["channels"]
    assert looked < 2 * MAX_FAULTS


K = "k" * 40


@pytest.mark.parametrize(
    "value",
    [
        {f"{index}{K}": 1 for index in range(200)},
        {K * 300: 1},
        {"board": nested([K] * 12, [1 << 60] * 100)},
        {"board": nested(["\u0001" * 40] * 12, [1 << 60] * 100)},
        {"board": nested(["\U0001f600" * 40] * 12, [1 << 60] * 100)},
    ],
    ids=["many", "long", "deep", "escaped", "wide"],
)
def test_a_refusal_is_never_larger_than_a_bound(value: dict[str, object]) -> None:
    answer = refusal(json.dumps({"type": "board", **value}).encode())
    named = answer.error(0).faults
    assert 1 <= len(named) <= MAX_FAULTS
    assert named == list(answer.faults)[: len(named)]
    assert len(encode(answer.error(0))) < MAX_FAULT_BYTES + 300


def test_the_first_fault_is_named_whatever_its_length_and_then_those_that_fit() -> None:
    long, short = Fault("x" * 2 * MAX_FAULT_BYTES, "is wrong"), Fault("y", "is wrong")
    assert refuse(ErrorCode.BAD_MESSAGE, [long, short], 0).faults == [long]
    assert refuse(ErrorCode.BAD_MESSAGE, [short, long, short], 0).faults == [short]
    assert refuse(ErrorCode.BAD_MESSAGE, [short] * 500, 0).faults == [short] * MAX_FAULTS


@pytest.mark.parametrize(
    "hostile", [b'"\\' * 60_000, b'"' * 120_000, b"\\" * 120_000, b'{"":' * 15 + b'"' * 100_000]
)
def test_hostile_bytes_take_time_in_proportion_to_their_number(
    hostile: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict_json, "MAX_MESSAGE_BYTES", len(hostile))
    # A scan whose time grew with the square would take minutes here.
    start = time.process_time()
    assert isinstance(decode_to_server(hostile), Rejected)
    assert time.process_time() - start < 10
