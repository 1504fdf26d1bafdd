"""One connection from its first message to its end.

Reads, decodes, hands on and answers; it decides nothing about rooms. The broad `except` here is
the connection's error boundary: whatever fails in it ends this connection and no other.
"""

from __future__ import annotations

import structlog
import trio
from websockets.exceptions import ConnectionClosed
from websockets.trio.server import ServerConnection

from protocol.codec import Rejected, decode_received, encode
from protocol.codes import CloseCode, ErrorCode
from protocol.messages import (
    Accept,
    AnyToServer,
    Error,
    Forfeit,
    Leave,
    Ready,
    Rematch,
    SubmitBoard,
)
from server.admission import Admission, admit
from server.bucket import Bucket
from server.commands import Refusal
from server.delivery import Closing
from server.hall import Hall

log = structlog.get_logger()


async def converse(connection: ServerConnection, hall: Hall, place: str) -> None:
    """Serves a connection to `/rooms/{place}` until it has closed."""
    try:
        await Conversation(connection, hall, place).run()
    except Exception:
        error_id = hall.config.mint.error_id()
        log.exception("connection failed", place=place, error_id=error_id)
        with trio.move_on_after(hall.config.limits.close_seconds):
            await connection.aclose(CloseCode.INTERNAL, f"the connection failed: {error_id}")


class Conversation:
    """What is said on one connection."""

    def __init__(self, connection: ServerConnection, hall: Hall, place: str) -> None:
        self._connection = connection
        self._hall = hall
        self._place = place
        self._limits = limits = hall.config.limits
        rate, burst = limits.messages_per_second, limits.messages_burst
        self._bucket = Bucket(rate, burst, trio.current_time())

    async def run(self) -> None:
        try:
            admission = await self._greet()
            if admission is not None:
                await self._stay(admission)
        except ConnectionClosed:
            pass  # the client has gone: nothing to be done for it, and nothing went wrong

    async def _greet(self) -> Admission | None:
        """Hears first messages until one is let in. None where none was in time."""
        with trio.move_on_after(self._limits.hello_seconds):
            while True:
                data = await self._connection.recv()
                answer = self._first(data)
                if isinstance(answer, Admission):
                    return answer
                await self._connection.send(encode(answer), text=True)
        # Also where sending was cut short: the connection is dropped in either case.
        with trio.move_on_after(self._limits.close_seconds):
            await self._connection.aclose(CloseCode.HELLO_TIMEOUT, "no first message in time")
        return None

    def _first(self, data: str | bytes) -> Admission | Error:
        message = self._decode(data)
        if isinstance(message, Rejected):
            return message.error(seq=0)
        try:
            return admit(self._hall, self._place, message, self._connection)
        except Refusal as refusal:
            return refusal.error(0, _tag(message))

    async def _stay(self, admission: Admission) -> None:
        stage, session, follower, resumed = admission
        about = stage.log.bind(session=session.id)
        about.info("comes back" if resumed else "comes", role=session.role)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(follower.run)
                if resumed:
                    nursery.start_soon(self._settle, admission)
                await self._listen(admission)
                nursery.cancel_scope.cancel()
        finally:
            stage.lost(session, follower)
            about.info("goes", code=self._connection.close_code)

    async def _listen(self, admission: Admission) -> None:
        follower = admission.follower
        while True:
            try:
                data = await self._connection.recv()
            except ConnectionClosed:
                return
            error = self._answer(admission, data)
            if error is not None:
                follower.say(error)
            if self._bucket.refused > self._limits.messages_refused:
                follower.close(Closing(CloseCode.POLICY, "messages came too fast"))

    def _answer(self, admission: Admission, data: str | bytes) -> Error | None:
        stage, session = admission.stage, admission.session
        message = self._decode(data)
        match message:
            case Rejected():
                return message.error(stage.room.seq)
            case SubmitBoard() | Ready() | Forfeit() | Rematch() | Accept() | Leave():
                refused = stage.said(session, message)
                return refused.error if refused else None
            case _:
                return Refusal(ErrorCode.HELLO_ONCE).error(stage.room.seq, _tag(message))

    def _decode(self, data: str | bytes) -> AnyToServer | Rejected:
        """Too fast is too fast, whatever it is: it is not looked at."""
        if not self._bucket.take(trio.current_time()):
            return Rejected(ErrorCode.TOO_FAST)
        return decode_received(data)

    async def _settle(self, admission: Admission) -> None:
        """Waits for the client to have read the welcome, with the new token; then the old one is
        good for nothing. A pong to a ping after the welcome is the proof."""
        await admission.follower.greeted.wait()
        try:
            pong = await self._connection.ping()
        except ConnectionClosed:
            return
        await pong.wait()
        admission.stage.sessions.settle(admission.session)


def _tag(message: AnyToServer) -> str:
    return str(type(message).__struct_config__.tag)
