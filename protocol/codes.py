"""The codes of refusals and of closings: one row each, with what it means and what to do about it.

PROTOCOL.md's tables are these rows. An error refuses one message and changes nothing; a close code
ends a connection, and says whether the session behind it is still there to be resumed.
"""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum
from typing import Final


class ErrorCode(StrEnum):
    """Why a message is refused. A member is its code; `meaning` is the sentence a person reads."""

    meaning: str
    advice: str  # what a client should do

    def __new__(cls, code: str, meaning: str, advice: str) -> ErrorCode:
        """A string with two things more to say."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        member.advice = advice
        return member

    # What the decoder refuses, in any state.
    TOO_LARGE = "too_large", "The message is too large.", "Send less."
    BINARY = "binary", "Messages are text, not binary.", "Send text frames."
    NOT_JSON = "not_json", "The message is not JSON in UTF-8.", "Mend the client."
    TOO_DEEP = "too_deep", "The message nests too deep.", "Mend the client."
    UNKNOWN_TYPE = "unknown_type", "There is no message of this type.", "Mend the client."
    WRONG_VERSION = (
        "wrong_version",
        "The server speaks another version of the protocol.",
        "Update the client.",
    )
    BAD_MESSAGE = (
        "bad_message",
        "The message is not as its type demands.",
        "Mend what `faults` name.",
    )
    # What a connection's state refuses.
    HELLO_FIRST = (
        "hello_first",
        "The first message of a connection says who comes and what for.",
        "Send a first message that this URL takes.",
    )
    HELLO_ONCE = (
        "hello_once",
        "This connection is in a room already.",
        "Open another connection.",
    )
    WRONG_URL = (
        "wrong_url",
        "This first message does not belong on this URL.",
        "Connect to the URL of the message.",
    )
    TOO_FAST = "too_fast", "Messages come too fast.", "Wait a second, then send it again."
    # Who is let in.
    BAD_TICKET = "bad_ticket", "The ticket is missing, void or for another room.", "Get a new one."
    BAD_TOKEN = (
        "bad_token",
        "The token is not, or no longer, a session of this room.",
        "Join or watch anew.",
    )
    BAD_NAME = "bad_name", "This name cannot be had.", "Choose another name."
    NO_SUCH_ROOM = "no_such_room", "There is no such room.", "Look at the list of rooms."
    WRONG_KEY = "wrong_key", "The room is private, and this is not its key.", "Ask for the key."
    ROOM_FULL = "room_full", "Both seats are taken.", "Watch, or go to another room."
    SPECTATORS_FULL = (
        "spectators_full",
        "The room holds no more spectators.",
        "Try again later.",
    )
    TOO_MANY_ROOMS = "too_many_rooms", "No more rooms can be made now.", "Try again later."
    DRAINING = (
        "draining",
        "The server is about to stop and begins nothing new.",
        "Come back in a minute.",
    )
    # What a room refuses.
    NOT_A_PLAYER = "not_a_player", "Only the players of the room may say this.", "Watch."
    WRONG_PHASE = (
        "wrong_phase",
        "The room takes this message in another phase only.",
        "Wait for the phase.",
    )
    BOARD_REFUSED = (
        "board_refused",
        "The board breaks the rules.",
        "Mend what `faults` name; the board sent before still stands.",
    )
    NO_BOARD = "no_board", "There is no board to be ready with.", "Send a board first."
    ALREADY_READY = (
        "already_ready",
        "Ready has been said; the round is as good as begun.",
        "Wait for the battle.",
    )
    NO_OFFER = "no_offer", "This offer is not, or no longer, made.", "Wait for another one."


class Then(Enum):
    """What a client does once a connection has closed."""

    RESUME = "resume"  # the session lives: back to the room, with the token
    STOP = "stop"  # nothing to come back to, or nobody who should


class CloseCode(IntEnum):
    """Why a connection was closed. Those below 4000 are WebSocket's own (RFC 6455, 7.4.1)."""

    meaning: str
    then: Then

    def __new__(cls, code: int, meaning: str, then: Then) -> CloseCode:
        """A number with two things more to say."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        member.then = then
        return member

    NORMAL = 1000, "The session is over: the client left, or was not ready in time.", Then.STOP
    GOING_AWAY = 1001, "The other side goes away without a word.", Then.RESUME
    PROTOCOL_ERROR = 1002, "What came was not WebSocket.", Then.STOP
    LOST = 1006, "The connection was lost; no close frame came.", Then.RESUME
    NOT_UTF8 = 1007, "A text frame was not UTF-8.", Then.STOP
    POLICY = 1008, "Messages or frames came too fast, again and again.", Then.STOP
    TOO_BIG = 1009, "A message was far too large to be read.", Then.STOP
    INTERNAL = 1011, "The server failed at this connection.", Then.RESUME
    RESTART = 1012, "The server restarts; `bye` says when to come back.", Then.RESUME
    TRY_LATER = 1013, "Nothing was read for too long.", Then.RESUME
    REPLACED = 4001, "A newer connection has taken this session over.", Then.STOP
    ROOM_CLOSED = 4002, "The room is closed.", Then.STOP
    HELLO_TIMEOUT = 4003, "No first message came in time.", Then.STOP


_THEN: Final = {code.value: code.then for code in CloseCode}


def after_close(code: int) -> Then:
    """What a client does after a closing with `code`; one it does not know is worth a try."""
    return _THEN.get(code, Then.RESUME)
