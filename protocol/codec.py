"""Bytes to messages and back. What comes from a client is read totally: every input is a message
or a documented refusal that names all that is wrong with it, and nothing raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import UnionType
from typing import Annotated, Final, NamedTuple, Union, get_args, get_origin

import msgspec
import orjson

from engine import did_you_mean
from engine.reading import MOST_SUGGESTIONS

from .codes import ErrorCode
from .messages import (
    MAX_FAULTS,
    PROTOCOL_VERSION,
    AnyToClient,
    AnyToServer,
    Error,
    Fault,
    FirstMessage,
    Frame,
)
from .refusals import refuse
from .sentences import sentence
from .strict_json import TWICE, Unreadable, join, read_json

FIRST_MESSAGES: Final[tuple[type[FirstMessage], ...]] = get_args(FirstMessage)


TO_SERVER: Final[dict[str, type[AnyToServer]]] = {
    kind.__struct_config__.tag: kind for kind in get_args(AnyToServer)
}


class Rejected(NamedTuple):
    """What a client said is no message: why, every fault, and the type it claims, if known."""

    code: ErrorCode
    faults: tuple[Fault, ...] = ()
    re: str | None = None

    def error(self, seq: int) -> Error:
        """The answer to send, in a room whose sequence number is `seq`."""
        return refuse(self.code, self.faults, seq, self.re)


def decode_received(data: str | bytes) -> AnyToServer | Rejected:
    """As `decode_to_server`, of a frame as websockets' `recv` gives it: bytes are a binary one."""
    if isinstance(data, bytes):
        return Rejected(ErrorCode.BINARY)
    return decode_to_server(data.encode("utf-8", "surrogatepass"))


def decode_to_server(data: bytes) -> AnyToServer | Rejected:
    """The message a client sent, or why it is none. Never raises."""
    try:
        value = read_json(data)
    except Unreadable as unreadable:
        return _unreadable(unreadable)
    return _message(value)


def _unreadable(unreadable: Unreadable) -> Rejected:
    """Why it could not be read, and what is wrong with the message as far as it could be."""
    faults = unreadable.faults
    if unreadable.value is None or any(fault.path in ("type", "version") for fault in faults):
        return Rejected(unreadable.code, faults)
    message = _message(unreadable.value)
    if not isinstance(message, Rejected):
        return Rejected(unreadable.code, faults, str(message.__struct_config__.tag))
    said = {fault.path for fault in faults if fault.message != TWICE}
    more = (fault for fault in message.faults if fault.path not in said)
    return Rejected(unreadable.code, (*faults, *more)[:MAX_FAULTS], message.re)


def _message(value: object) -> AnyToServer | Rejected:
    if not isinstance(value, dict):
        return Rejected(ErrorCode.BAD_MESSAGE, (Fault("", "a message is a JSON object"),))
    tag = value.get("type")
    if not isinstance(tag, str):
        lacks = "a message has a type" if tag is None else "the type of a message is text"
        return Rejected(ErrorCode.BAD_MESSAGE, (Fault("type", lacks),))
    kind = TO_SERVER.get(tag)
    if _other_version(value, kind):
        fault = Fault("version", f"this server speaks version {PROTOCOL_VERSION}")
        return Rejected(ErrorCode.WRONG_VERSION, (fault,), tag if kind else None)
    if kind is None:
        fault = Fault("type", f"no message of this type{did_you_mean(tag, TO_SERVER)}")
        return Rejected(ErrorCode.UNKNOWN_TYPE, (fault,))
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        faults = tuple(islice(_faults(value, kind, ""), MAX_FAULTS))
        return Rejected(ErrorCode.BAD_MESSAGE, faults, tag)


def _other_version(value: Mapping[str, object], kind: type[msgspec.Struct] | None) -> bool:
    """Whether a first message says another version: then nothing else about it can be judged."""
    said = value.get("version")
    first = kind is None or kind in FIRST_MESSAGES
    return first and type(said) is int and said != PROTOCOL_VERSION


def _faults(value: object, kind: object, path: str) -> Iterator[Fault]:
    """Every fault of `value` as a `kind`: those of its parts, or, if they are whole, its own."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        inner = _inner_faults(value, kind, path)
        yield next(inner, Fault(path, sentence(value, kind)))
        yield from inner


def _inner_faults(value: object, kind: object, path: str) -> Iterator[Fault]:
    kind = _bare(kind)
    if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield from _field_faults(value, kind, path)
    elif isinstance(value, list) and get_origin(kind) is list:
        for index, item in enumerate(value[:MAX_FAULTS]):
            yield from _faults(item, get_args(kind)[0], join(path, index))


def _field_faults(
    value: Mapping[str, object], kind: type[msgspec.Struct], path: str
) -> Iterator[Fault]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    known = {*fields, kind.__struct_config__.tag_field}
    for name, field in fields.items():
        if name in value:
            yield from _faults(value[name], field.type, join(path, name))
    for number, name in enumerate(name for name in value if name not in known):
        near = did_you_mean(name, fields) if number < MOST_SUGGESTIONS else ""
        yield Fault(join(path, name), f"no such field{near}")
    for name, field in fields.items():
        if field.required and name not in value:
            yield Fault(join(path, name), "is missing")


def _bare(kind: object) -> object:
    """The type below `Annotated` and `| None`."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        there = [one for one in get_args(kind) if one is not type(None)]
        return _bare(there[0]) if len(there) == 1 else kind
    return kind


def encode(message: AnyToServer | AnyToClient) -> bytes:
    """The JSON of a message. Raises `orjson.JSONEncodeError` for an integer past 53 bits."""
    return orjson.dumps(msgspec.to_builtins(message), option=orjson.OPT_STRICT_INTEGER)


class Undecodable(ValueError):  # noqa: N818 - says what the bytes are
    """What the server sent is no message that this version of the client knows."""


_message_to_client: Final = msgspec.json.Decoder(AnyToClient)
_frame: Final = msgspec.json.Decoder(Frame)


def decode_to_client(data: bytes) -> AnyToClient | Frame:
    """The message or frame that a server sent. Raises `Undecodable`."""
    try:
        if data.startswith(b"["):
            frame: Frame = _frame.decode(data)
            return frame
        message: AnyToClient = _message_to_client.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Undecodable(str(error)) from error
    return message
