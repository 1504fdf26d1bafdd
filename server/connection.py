"""One connection from its first message to its end.

Reads, decodes, hands on and answers; it decides nothing about rooms. The broad `except` here is
the connection's error boundary: whatever fails in it ends this connection and no other.
"""

from __future__ import annotations

from typing import Final

import structlog
import trio
from structlog.typing import FilteringBoundLogger
from websockets.exceptions import ConnectionClosed

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
from server.callers import Caller
from server.closing import Closing, restart
from server.commands import Refusal
from server.conduct import PRICES
from server.hall import Hall
from server.line import Line

NOBODY: Final = Caller()
FLOOD: Final = Closing(CloseCode.POLICY, "messages came too fast")
LATE: Final = Closing(CloseCode.HELLO_TIMEOUT, "no first message in time")

log = structlog.get_logger()


async def converse(connection: Line, hall: Hall, place: str, caller: Caller = NOBODY) -> None:
    """Serves a connection to `/rooms/{place}` until it has closed."""
    conversation = Conversation(connection, hall, place, caller)
    try:
        await conversation.run()
    except Exception:
        error_id = hall.config.mint.error_id()
        log.exception("connection failed", place=place, address=caller.address, error_id=error_id)
        with trio.move_on_after(hall.config.limits.close_seconds):
            await connection.aclose(CloseCode.INTERNAL, f"the connection failed: {error_id}")
    finally:
        hall.metrics.closed[connection.counted_as] += 1
        conversation.note_end()


class Conversation:
    """What is said on one connection."""

    def __init__(self, connection: Line, hall: Hall, place: str, caller: Caller) -> None:
        self._caller = caller
        self._connection = connection
        self._hall = hall
        self._place = place
        self._about: FilteringBoundLogger | None = None  # whoever has come
        self._limits = limits = hall.config.limits
        rate, burst = limits.messages_per_second, limits.messages_burst
        self._bucket = Bucket(rate, burst, trio.current_time())
        self._too_fast = 0  # messages in a row
        self._trusted = False  # they are in a room, and have said nothing that has a price

    async def run(self) -> None:
        try:
            admission = await self._greet()
            if admission is not None:
                await self._stay(admission)
        except ConnectionClosed:
            pass  # the client has gone: nothing to be done for it, and nothing went wrong

    def note_end(self) -> None:
        """It has closed: whoever came has gone."""
        if self._about is not None:
            self._about.info("goes", code=self._connection.ended_with)

    async def _greet(self) -> Admission | None:
        """Hears first messages until one is let in. None where none was in time."""
        # Nobody need hold more of a stranger than a first message can be.
        self._connection.protocol.max_message_size = self._limits.hello_bytes
        with trio.move_on_after(self._limits.hello_seconds) as greeting:
            self._hall.greetings.add(greeting)
            try:
                if (admission := await self._let_in()) is not None:
                    return admission
            finally:
                self._hall.greetings.discard(greeting)
        if self._hall.dismissal is not None:
            closing = self._hall.dismissal()
            await self._close(closing, closing.bye)
        else:
            await self._close(LATE if greeting.cancelled_caught else FLOOD)
        return None

    async def _let_in(self) -> Admission | None:
        """None where too much was said too fast."""
        while self._hall.dismissal is None:
            answer = self._first(await self._connection.recv())
            if isinstance(answer, Admission):
                self._connection.protocol.max_message_size = self._limits.message_bytes
                return answer
            self._count(answer)
            if self._is_flood():
                break
            await self._connection.send(encode(answer), text=True)
        return None

    async def _close(self, closing: Closing, last: bytes = b"") -> None:
        # Also where sending was cut short: the connection is dropped in either case.
        with trio.move_on_after(self._limits.close_seconds):
            if last:
                await self._connection.send(last, text=True)
            await self._connection.aclose(closing.code, closing.why)

    def _first(self, data: str | bytes) -> Admission | Error:
        message = self._decode(data)
        if isinstance(message, Rejected):
            return message.error(seq=0)
        try:
            return admit(self._hall, self._place, message, self._connection, self._caller)
        except Refusal as refusal:
            return refusal.error(0, _tag(message))

    async def _stay(self, admission: Admission) -> None:
        """Whoever was let in is lost again, however it ends."""
        await admission.connected.wait()
        if admission.unkept:
            closing = restart()
            await self._close(closing, closing.bye)
            return
        async with trio.open_nursery() as nursery:
            try:
                self._attend(admission, nursery)
                await self._listen(admission)
            finally:
                # Before the nursery closes: a follower that is pushed to may need it.
                self._lose(admission)
            nursery.cancel_scope.cancel()

    def _attend(self, admission: Admission, nursery: trio.Nursery) -> None:
        """They come: all that they are to be told goes out from now on."""
        session, caller = admission.session, admission.caller
        self._about = about = admission.stage.log.bind(session=session.id)
        who = {"role": session.role, "address": caller.address, "player": caller.player}
        about.info("comes back" if admission.resumed else "comes", **who)
        self._trusted = True
        admission.follower.attend(nursery)
        self._hall.keepalive.add(admission.follower)
        if self._hall.dismissal is not None:  # while they were being let in
            admission.follower.close(self._hall.dismissal())
        if admission.resumed:
            nursery.start_soon(self._settle, admission)

    def _lose(self, admission: Admission) -> None:
        if admission.is_connected:
            self._hall.keepalive.remove(admission.follower)
        admission.lose()

    async def _listen(self, admission: Admission) -> None:
        follower = admission.follower
        while True:
            try:
                data = await self._connection.recv()
            except ConnectionClosed:
                return
            if self._is_flood() or not admission.is_current:
                continue  # it is being closed: nothing more is heard or answered
            error = self._answer(admission, data)
            if error is not None:
                self._count(error)
                follower.say(error)
            if self._is_flood():
                follower.close(FLOOD)

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
        now = trio.current_time()
        address = self._caller.address
        trusted = self._trusted
        if self._bucket.take(now) and self._hall.conduct.may_speak(address, now, trusted=trusted):
            self._too_fast = 0
            return decode_received(data)
        self._too_fast += 1
        return Rejected(ErrorCode.TOO_FAST)

    def _count(self, error: Error) -> None:
        self._hall.metrics.refused[error.code] += 1
        self._trusted = self._trusted and error.code not in PRICES
        address = self._caller.address
        if self._hall.conduct.was_refused(address, error.code, trio.current_time()):
            log.warning("refused too often", address=address, place=self._place, code=error.code)

    def _is_flood(self) -> bool:
        return self._too_fast > self._limits.messages_refused

    async def _settle(self, admission: Admission) -> None:
        """Waits for the client to have read the welcome, with the new token; then the old one is
        good for nothing. A pong to a ping after the welcome is the proof."""
        await admission.follower.greeted.wait()
        try:
            pong = await self._connection.ping()
        except ConnectionClosed:
            return
        await pong.wait()
        admission.stage.sessions.settle(admission.session, admission.token)
        admission.stage.once_kept()


def _tag(message: AnyToServer) -> str:
    return str(type(message).__struct_config__.tag)
