"""The decoder is total: every input is a message or a documented refusal with every fault."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import (
    TO_SERVER,
    Rejected,
    Undecodable,
    decode_received,
    decode_to_client,
    decode_to_server,
    encode,
)
from protocol.codes import ErrorCode
from protocol.messages import (
    MAX_FAULTS,
    MAX_INTEGER,
    MAX_MESSAGE_BYTES,
    Accept,
    Create,
    Error,
    Fault,
    Join,
    Position,
    Ready,
    Resume,
    RevivalFrame,
    SubmitBoard,
    TickFrame,
)

NONCE = "0123456789abcdef"


def refusal(data: bytes) -> Rejected:
    """What `data` is refused with; fails if it is a message."""
    answer = decode_to_server(data)
    assert isinstance(answer, Rejected)
    return answer


def faults(data: bytes) -> dict[str, str]:
    """The faults of a refused message by path."""
    return {fault.path: fault.message for fault in refusal(data).faults}


@pytest.mark.parametrize(
    "message",
    [
        Create(version=1, name="Ada", key="a key", speed=4, best_of=5, channels=["vessel"]),
        Join(version=1, name="Ö" * 24, ticket="a.b.c"),
        Resume(version=1, token="t", last=Position(battle="r.1", tick=3)),  # type: ignore[arg-type]
        SubmitBoard({"units": [{"cell": 0, "card": "bone-squire", "scrip": {"power": 2}}]}),
        Ready(NONCE),
        Accept("o1"),
    ],
)
def test_what_is_encoded_is_decoded(message: object) -> None:
    assert decode_to_server(encode(message)) == message  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", ErrorCode.NOT_JSON),
        (b"ready", ErrorCode.NOT_JSON),
        (b'{"type":"ready"', ErrorCode.NOT_JSON),
        (b'{"type":"leave"} {}', ErrorCode.NOT_JSON),
        (b'\xef\xbb\xbf{"type":"leave"}', ErrorCode.NOT_JSON),
        ('{"type":"leave"}'.encode("utf-16"), ErrorCode.NOT_JSON),
        (b'{"type":"\xff"}', ErrorCode.NOT_JSON),
        (b'{"type":"\xed\xa0\x80"}', ErrorCode.NOT_JSON),
        (b'{"type":"le\nave"}', ErrorCode.NOT_JSON),
        (b'{"type":"board","board":{"x":NaN}}', ErrorCode.NOT_JSON),
        (b'{"type":"board","board":{"x":-Infinity}}', ErrorCode.NOT_JSON),
        (b"[" * 10_000, ErrorCode.TOO_DEEP),
        (b'{"a":' * 3_000, ErrorCode.TOO_DEEP),
        (b"[" * 100_000, ErrorCode.TOO_LARGE),
        (b" " * (MAX_MESSAGE_BYTES + 1), ErrorCode.TOO_LARGE),
        (b"[" + b"[]," * 5_000, ErrorCode.TOO_LARGE),
        (b"[" + b"1," * 8_000, ErrorCode.TOO_LARGE),
        (b"{" + b'"":0,' * 3_000, ErrorCode.TOO_LARGE),
        (b"]" + b"[]," * 5_000, ErrorCode.NOT_JSON),
        (b"null", ErrorCode.BAD_MESSAGE),
        (b"[]", ErrorCode.BAD_MESSAGE),
        (b'["tick","r.1",0,0,[]]', ErrorCode.BAD_MESSAGE),
        (b"{}", ErrorCode.BAD_MESSAGE),
        (b'{"type":7}', ErrorCode.BAD_MESSAGE),
        (b'{"type":["leave"]}', ErrorCode.BAD_MESSAGE),
        (b'{"type":"welcome"}', ErrorCode.UNKNOWN_TYPE),
        (b'{"type":"raedy"}', ErrorCode.UNKNOWN_TYPE),
        (b'{"type":"quick","version":2,"name":"Ada"}', ErrorCode.WRONG_VERSION),
        (b'{"type":"quick","version":0,"colour":"red"}', ErrorCode.WRONG_VERSION),
        (b'{"type":"greet","version":2}', ErrorCode.WRONG_VERSION),
        (b'{"type":"quick","version":true,"name":"Ada"}', ErrorCode.BAD_MESSAGE),
        (b'{"type":"leave","version":2}', ErrorCode.BAD_MESSAGE),
        (b'{"type":"ready","nonce":"0123456789abcdef\\n"}', ErrorCode.BAD_MESSAGE),
        (b'{"type":"join","version":1,"name":"a\\u0007"}', ErrorCode.BAD_MESSAGE),
    ],
)
def test_bad_input_has_its_code(data: bytes, code: ErrorCode) -> None:
    answer = refusal(data)
    assert answer.code is code
    assert answer.faults


def test_binary_frames_are_refused_whatever_is_in_them() -> None:
    assert decode_received(b'{"type":"leave"}') == Rejected(ErrorCode.BINARY)
    assert not isinstance(decode_received('{"type":"leave"}'), Rejected)
    assert isinstance(decode_received("\ud800"), Rejected)


def test_every_fault_is_named_with_its_path() -> None:
    data = json.dumps(
        {
            "type": "create",
            "version": 1,
            "name": 7,
            "channels": ["tick", "ticks", 3],
            "speed": 3,
            "best_off": 3,
            "key": "",
        }
    ).encode()
    found = faults(data)
    assert set(found) == {"name", "channels[1]", "channels[2]", "speed", "best_off", "key"}
    assert found["best_off"] == 'no such field; did you mean "best_of"?'
    assert found["channels[1]"] == 'must be "tick", "revival" or "vessel"; it is "ticks"'
    assert found["speed"] == "must be 1, 2 or 4; it is 3"


@pytest.mark.parametrize(
    ("said", "path", "sentence"),
    [
        (
            {"type": "quick", "version": 1, "name": "A" * 25},
            "name",
            "must be text of 1 to 24 characters, without control characters; it has 25",
        ),
        (
            {"type": "create", "version": 1, "name": "Ada", "key": 4711},
            "key",
            "must be null or text of 4 to 64 characters, without control characters; it is 4711",
        ),
        (
            {"type": "create", "version": 1, "name": "Ada", "best_of": 10},
            "best_of",
            "must be a whole number from 1 to 9; it is 10",
        ),
        (
            {"type": "ready", "nonce": "0123"},
            "nonce",
            "must be text of 16 to 64 characters, of 0-9 a-z A-Z _ - only; it has 4",
        ),
        ({"type": "board", "board": []}, "board", "must be an object; it is a list"),
        ({"type": "resume", "version": True, "token": "x"}, "version", "a whole number; it is tr"),
        ({"type": "watch", "version": 1, "channels": []}, "channels", "of 1 to 3; it has 0"),
        ({"type": "watch", "version": 1, "start": None}, "start", '"beginning"; it is null'),
    ],
)
def test_a_fault_names_the_limit_for_a_person(said: object, path: str, sentence: str) -> None:
    found = faults(json.dumps(said).encode())
    assert list(found) == [path]
    assert sentence in found[path]


def test_faults_inside_a_field_are_named_too() -> None:
    data = b'{"type":"resume","version":1,"last":{"tick":-2,"vessel":"x","seq":1}}'
    assert set(faults(data)) == {"last.tick", "last.vessel", "last.seq", "last.battle", "token"}


def test_a_list_whose_items_are_right_has_its_own_fault() -> None:
    assert set(faults(b'{"type":"watch","version":1,"channels":[]}')) == {"channels"}


def test_numbers_and_text_of_a_board_are_checked_at_any_depth() -> None:
    data = (
        b'{"type":"board","board":{"a":[9007199254740992,1e999],"b":{"c":-1e300,"d":'
        + b"9" * 5000
        + b'},"e":"\\ud800","\\udc00":1,"f":9007199254740991}}'
    )
    assert list(faults(data)) == [
        "board.a[0]",
        "board.a[1]",
        "board.b.c",
        "board.b.d",
        "board.e",
        "board.?",
    ]


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        (b'{"type":"ready","\\ud800":1}', ["?", "nonce"]),
        (b'{"type":"leave","\\udc00ft":1}', ["?ft"]),
        (
            b'{"type":"resume","version":1,"token":"t","last":{"\\ud800":1}}',
            ["last.?", "last.battle"],
        ),
    ],
)
def test_a_field_whose_name_is_no_text_is_one_fault(data: bytes, paths: list[str]) -> None:
    assert list(faults(data)) == paths


def test_faults_of_what_cannot_be_read_and_of_the_rest_are_no_more_than_the_limit() -> None:
    unknown = {f"a{number}": 1 for number in range(MAX_FAULTS)}
    too_large = {f"b{number}": MAX_INTEGER + 1 for number in range(MAX_FAULTS - 1)}
    answer = refusal(json.dumps({"type": "leave", **unknown, **too_large}).encode())
    assert len(answer.faults) == MAX_FAULTS
    assert [fault.path for fault in answer.faults] == [*too_large, "a0"]


def test_equal_keys_are_refused() -> None:
    assert faults(b'{"type":"leave","type":"ready"}') == {"type": "is there twice"}
    assert faults(b'{"type":"board","board":{"units":[],"units":[]}}') == {
        "board.units": "is there twice"
    }


def test_what_cannot_be_read_hides_nothing_that_is_wrong_with_the_rest() -> None:
    data = (
        b'{"type":"join","version":1,"name":"","key":9007199254740992,"key":NaN,"\\udc00":1,"z":2}'
    )
    assert faults(data) == {
        "key": "NaN is not JSON",
        "?": "half of a surrogate pair is not text",
        "name": "must be text of 1 to 24 characters, without control characters; it has 0",
        "z": "no such field",
    }
    assert refusal(data).re == "join"
    assert refusal(data).code is ErrorCode.NOT_JSON
    # Twice and wrong is wrong twice.
    twice = refusal(b'{"type":"ready","nonce":1,"nonce":2}').faults
    assert [fault.path for fault in twice] == ["nonce", "nonce"]


@pytest.mark.parametrize("again", ['"type":"ready"', '"version":1'])
def test_who_says_two_types_or_versions_is_told_that_alone(again: str) -> None:
    data = '{"type":"join","version":1,"name":7,' + again + "}"
    assert set(faults(data.encode())) == {again.split('"')[1]}


def test_what_is_wrong_only_as_json_is_answered_by_its_type_too() -> None:
    assert refusal(b'{"type":"resume","version":1,"token":"x","token":"y"}').re == "resume"
    assert refusal(b'[{"a":1,"a":1}]').re is None


def test_the_answer_repeats_the_type_that_is_refused() -> None:
    error = refusal(b'{"type":"ready","nonce":1}').error(7)
    assert error == Error(
        code="bad_message",
        message=ErrorCode.BAD_MESSAGE.meaning,
        faults=[
            Fault(
                "nonce",
                "must be text of 16 to 64 characters, of 0-9 a-z A-Z _ - only; it is 1",
            )
        ],
        seq=7,
        re="ready",
    )
    assert json.loads(encode(error))["re"] == "ready"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
FIELDS = sorted({name for kind in TO_SERVER.values() for name in kind.__struct_fields__})
NEARLY = st.fixed_dictionaries(
    {"type": st.sampled_from(sorted(TO_SERVER))},
    optional=dict.fromkeys(FIELDS, st.sampled_from([1, "tick", NONCE, ["tick"], {}]) | JSON),
)


def holds(data: bytes) -> None:
    """A message encodes and decodes to itself; a refusal can be sent, and names its reasons."""
    answer = decode_to_server(data)
    if isinstance(answer, Rejected):
        assert answer.faults
        sent = decode_to_client(encode(answer.error(0)))
        assert isinstance(sent, Error)
        assert sent.code in list(ErrorCode)
    else:
        assert decode_to_server(encode(answer)) == answer


@given(st.binary())
def test_any_bytes_are_a_message_or_a_refusal(data: bytes) -> None:
    holds(data)


@given(JSON)
def test_any_json_is_a_message_or_a_refusal(value: object) -> None:
    holds(json.dumps(value).encode("utf-8", "surrogatepass"))


@given(NEARLY)
def test_anything_near_a_message_is_one_or_a_refusal(value: object) -> None:
    holds(json.dumps(value).encode())


@given(NEARLY, st.data())
def test_a_cut_or_changed_message_is_one_or_a_refusal(value: object, data: st.DataObject) -> None:
    text = bytearray(json.dumps(value).encode())
    at = data.draw(st.integers(0, len(text) - 1))
    text[at : data.draw(st.integers(at, len(text)))] = data.draw(st.binary(max_size=3))
    holds(bytes(text))


def test_integers_past_53_bits_do_not_leave() -> None:
    with pytest.raises(orjson.JSONEncodeError):
        encode(SubmitBoard({"x": MAX_INTEGER + 1}))


def test_a_client_reads_messages_and_frames() -> None:
    tick = decode_to_client(b'["tick","r.1",0,5,[3,null,["chain_cut"]],{"a0":{"ward":1}},"d"]')
    assert tick == TickFrame("r.1", 0, 5, [3, None, ["chain_cut"]], {"a0": {"ward": 1}}, "d")  # type: ignore[arg-type]
    assert isinstance(decode_to_client(b'["revival","r.1",0,5,[]]'), RevivalFrame)
    error = decode_to_client(b'{"type":"error","code":"x","message":"y","seq":1,"later":true}')
    assert isinstance(error, Error)


@pytest.mark.parametrize(
    "data", [b"", b"[", b"{}", b'["tock","r.1",0,0,[]]', b'{"type":"x"}', b"\xff", b"[" * 100_000]
)
def test_a_client_is_told_what_it_cannot_read(data: bytes) -> None:
    with pytest.raises(Undecodable):
        decode_to_client(data)
