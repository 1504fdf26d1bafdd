"""A whole server without a socket: a hall that keeps time, and visitors over memory streams.

Under the autojump clock a minute of battle takes as long as it takes to compute.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec
import trio
from trio.testing import memory_stream_pair
from websockets.frames import CLOSE, PING, PONG, Close, Frame
from websockets.protocol import Protocol, Side, State

from protocol.codec import decode_to_client, encode
from protocol.messages import (
    PROTOCOL_VERSION,
    AnyToClient,
    AnyToServer,
    Begin,
    Create,
    Error,
    Join,
    Ready,
    Resume,
    RevivalFrame,
    RoomUpdate,
    SnapshotMessage,
    TickFrame,
    Token,
    VesselFrame,
    Watch,
    Welcome,
)
from protocol.messages import Frame as FeedFrame
from protocol.mirror import Mirror
from server.config import Config
from server.connection import converse
from server.hall import Hall
from server.limits import Limits
from server.metronome import Metronome
from tests.server.peers import open_connection
from tests.server.rooms import NONCE, RULES, submit

Heard = AnyToClient | FeedFrame
T = TypeVar("T", bound=msgspec.Struct)


class Closed(Exception):  # noqa: N818 - what happened, not what went wrong
    """The server closed the connection; `code` is None where it did so without a word."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Visitor:
    """A client that says and hears just what a test makes it."""

    def __init__(self, stream: trio.abc.Stream, place: str) -> None:
        self.place = place
        self.heard: list[Heard] = []
        self.received = b""
        self.answers_pings = True
        self._stream = stream
        self._protocol = Protocol(Side.CLIENT, state=State.OPEN)
        self._inbox: list[Heard] = []
        self._closed: Closed | None = None

    async def say(self, message: AnyToServer | str | bytes) -> None:
        """A message; text goes as it is, bytes as a binary frame."""
        if isinstance(message, bytes):
            self._protocol.send_binary(message)
        elif isinstance(message, str):
            self._protocol.send_text(message.encode("utf-8", "surrogatepass"))
        else:
            self._protocol.send_text(encode(message))
        await self._flush()

    async def say_at_once(self, messages: Iterable[AnyToServer]) -> None:
        """All of these, which the server reads in one go."""
        for message in messages:
            self._protocol.send_text(encode(message))
        await self._stream.send_all(b"".join(self._protocol.data_to_send()))

    async def hear(self) -> Heard:
        """The next message or frame. Raises `Closed`."""
        with trio.fail_after(10_000):
            while not self._inbox:
                if self._closed is not None:
                    raise self._closed
                await self._read()
        self.heard.append(self._inbox.pop(0))
        return self.heard[-1]

    async def hear_until(self, kind: type[T]) -> T:
        """The next of this kind; what comes before it is heard too."""
        while True:
            message = await self.hear()
            if isinstance(message, kind):
                return message

    async def hear_phase(self, phase: str) -> RoomUpdate:
        """The next update of a room in this phase."""
        while (update := await self.hear_until(RoomUpdate)).room.phase != phase:
            pass
        return update

    async def hear_end(self) -> int | None:
        """Hears to the end of the connection; its close code."""
        try:
            while True:
                await self.hear()
        except Closed as closed:
            return closed.code

    async def refused(self, message: AnyToServer | str | bytes) -> Error:
        """Says something that must be refused; the refusal."""
        await self.say(message)
        return await self.hear_until(Error)

    async def drop(self) -> None:
        """The connection breaks without a word."""
        await trio.aclose_forcefully(self._stream)

    @property
    def welcome(self) -> Welcome:
        (welcome,) = (message for message in self.heard if isinstance(message, Welcome))
        return welcome

    def frames(self) -> list[FeedFrame]:
        kinds = (TickFrame, RevivalFrame, VesselFrame)
        return [message for message in self.heard if isinstance(message, kinds)]

    async def _read(self) -> None:
        data = bytes(await self._stream.receive_some(1 << 16))
        self.received += data
        if not data:
            self._closed = Closed(None)
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode is CLOSE:
                self._closed = Closed(Close.parse(bytes(event.data)).code)
            elif event.opcode not in (PING, PONG):
                self._inbox.append(decode_to_client(bytes(event.data)))
        await self._flush()

    async def _flush(self) -> None:
        answers = self._protocol.data_to_send()
        for data in answers:
            # A pong is all that the protocol sends of its own accord while it is open.
            if data and (self.answers_pings or data[0] & 0x0F != PONG):
                with suppress(trio.BrokenResourceError):  # the server did not wait for an answer
                    await self._stream.send_all(data)


class World:
    """A hall, and who comes to it."""

    def __init__(self, nursery: trio.Nursery, config: Config) -> None:
        self.config = config
        self.metronome = Metronome()
        self.hall = Hall(config, self.metronome)
        self._nursery = nursery
        nursery.start_soon(self.metronome.run)

    def visit(self, place: str) -> Visitor:
        """Connects to `/rooms/{place}`."""
        ours, theirs = memory_stream_pair()
        self._nursery.start_soon(self._serve, ours, place)
        return Visitor(theirs, place)

    async def _serve(self, stream: trio.abc.Stream, place: str) -> None:
        async with trio.open_nursery() as nursery:
            connection = open_connection(nursery, stream, self.config.limits)
            await converse(connection, self.hall, place)
            with trio.move_on_after(1):
                await connection.aclose()
            await trio.aclose_forcefully(stream)

    async def create(self, **wishes: object) -> Visitor:
        """Somebody who has made a room."""
        visitor = self.visit("new")
        hello = {"version": PROTOCOL_VERSION, "name": "Ada", **wishes}
        await visitor.say(Create(**hello))  # type: ignore[arg-type]
        visitor.place = (await visitor.hear_until(Welcome)).room.id
        return visitor

    async def join(self, place: str, **wishes: object) -> Visitor:
        visitor = self.visit(place)
        hello = {"version": PROTOCOL_VERSION, "name": "Bob", **wishes}
        await visitor.say(Join(**hello))  # type: ignore[arg-type]
        await visitor.hear_until(Welcome)
        return visitor

    async def watch(self, place: str, **wishes: object) -> Visitor:
        visitor = self.visit(place)
        await visitor.say(Watch(version=PROTOCOL_VERSION, **wishes))  # type: ignore[arg-type]
        await visitor.hear_until(Welcome)
        return visitor

    async def resume(self, visitor: Visitor, token: Token, mirror: Mirror | None = None) -> Visitor:
        """Comes back to a room with this token, from where the mirror is; not yet heard."""
        back = self.visit(visitor.place)
        last = mirror.position if mirror else None
        await back.say(Resume(version=PROTOCOL_VERSION, token=token, last=last))
        return back

    async def pair(self, **wishes: object) -> tuple[Visitor, Visitor]:
        """Two players in a room, who have not sent their boards."""
        ada = await self.create(**wishes)
        return ada, await self.join(ada.place)


async def get_ready(*players: Visitor) -> None:
    """Boards and nonces; the battle begins with the last."""
    for number, player in enumerate(players):
        await player.say(submit(number))
        await player.say(Ready(f"{NONCE}{number}"))


@asynccontextmanager
async def open_world(
    limits: Limits | None = None, faults: Path | None = None
) -> AsyncIterator[World]:
    # Visitors read only when a test says so; who asks them for a sign of life would be misled.
    silent = replace(limits or Limits(), ping_seconds=math.inf)
    config = Config(rules=RULES, limits=silent, faults=faults or Path("must-not-be-written"))
    async with trio.open_nursery() as nursery:
        yield World(nursery, config)
        nursery.cancel_scope.cancel()


def mirror_of(*visitors: Visitor) -> Mirror:
    """A mirror that was fed all that was heard, one visitor after the other."""
    mirror = Mirror()
    for message in (message for visitor in visitors for message in visitor.heard):
        match message:
            case Begin(battle=battle) if battle != mirror.battle:
                mirror.begin(battle)
            case SnapshotMessage():
                mirror.load(message)
            case TickFrame() | RevivalFrame() | VesselFrame():
                mirror.apply(message)
    return mirror
