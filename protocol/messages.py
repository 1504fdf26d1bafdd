"""Every message that can cross the wire, as types: the truth that the codec, the JSON Schema and
PROTOCOL.md are made from.

Messages about a session or a room are JSON objects tagged by `type`. Frames of a battle's feed are
JSON arrays, because they are the many: `[channel, battle, seq, tick, ...]`. Names say the receiver.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, NewType

import msgspec
from msgspec import Meta, Struct

PROTOCOL_VERSION: Final = 1

# Integers on the wire fit a JavaScript number.
MAX_INTEGER: Final = 2**53 - 1

# A board of eight units with every rune and grant is under 2 KB, and 200 keys and values; the rest
# is room for whoever prints JSON with spaces, and for the next rule set.
MAX_MESSAGE_BYTES: Final = 16 * 1024
MAX_VALUES: Final = 512
# What a client says nests five deep at most (`board.units[0].runes[0]` stands in five brackets); a
# few more do no harm.
MAX_DEPTH: Final = 16

# How far behind a spectator may ask to be (`watch`); a feed keeps its updates for longer than that.
MAX_DELAY_SECONDS: Final = 300

# Nobody can have much done, or kept, for little: a refusal looks for this many faults, and names as
# many of them as fit into so many bytes of JSON.
MAX_FAULTS: Final = 100
MAX_FAULT_BYTES: Final = 4096

RoomId = NewType("RoomId", str)
BattleId = NewType("BattleId", str)  # room id, round number: "k3f9x2.1"
Token = NewType("Token", str)

Channel = Literal["tick", "revival", "vessel"]
CHANNELS: Final[tuple[Channel, ...]] = ("tick", "revival", "vessel")
Seat = Literal["a", "b"]
SEATS: Final[tuple[Seat, Seat]] = ("a", "b")
Role = Literal["player", "spectator"]
RoomPhase = Literal["waiting", "building", "battle", "over", "closed"]
Speed = Literal[1, 2, 4]
Reason = Literal["elimination", "timeout", "forfeit", "void"]

Sequence = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Seen = Annotated[int, Meta(ge=-1, le=MAX_INTEGER)]
# `(?!\n)`: Python's `$` would also match before a last newline, JSON Schema's does not.
_URL_SAFE: Final = r"^[0-9a-zA-Z_-]+(?!\n)$"
_PRINTABLE: Final = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+(?!\n)$"
_NO_CONTROL: Final = "without control characters"
LONGEST_NAME: Final = 24  # characters: two of them stand beside a score on a phone
Name = Annotated[
    str, Meta(min_length=1, max_length=LONGEST_NAME, pattern=_PRINTABLE, description=_NO_CONTROL)
]
Nonce = Annotated[
    str,
    Meta(min_length=16, max_length=64, pattern=_URL_SAFE, description="of 0-9 a-z A-Z _ - only"),
]
RoomKey = Annotated[
    str, Meta(min_length=4, max_length=64, pattern=_PRINTABLE, description=_NO_CONTROL)
]
Ticket = Annotated[str, Meta(min_length=1, max_length=4096)]
# As a nonce is, but a secret: who says it has the session that came of it.
Attempt = Annotated[
    str,
    Meta(min_length=16, max_length=64, pattern=_URL_SAFE, description="of 0-9 a-z A-Z _ - only"),
]
Channels = Annotated[list[Channel], Meta(min_length=1, max_length=3)]


class ToServer(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What a client says."""


# The first message of a connection: one of these, with the protocol's version.


class Hello(ToServer, frozen=True):
    """What the first messages share."""

    version: int
    channels: Channels = msgspec.field(default_factory=lambda: list(CHANNELS))
    ticket: Ticket | None = None
    attempt: Attempt | None = None  # the same one in every try to get in


class Create(Hello, frozen=True, tag="create", kw_only=True):
    """Make a room and take its seat a. On `/rooms/new`."""

    name: Name
    key: RoomKey | None = None  # a key makes the room private
    speed: Speed = 1
    best_of: Annotated[int, Meta(ge=1, le=9)] = 3


class Quick(Hello, frozen=True, tag="quick", kw_only=True):
    """Play whoever waits, or wait to be played. On `/rooms/quick`."""

    name: Name


class Join(Hello, frozen=True, tag="join", kw_only=True):
    """Take the free seat of a room. On `/rooms/{id}`."""

    name: Name
    key: RoomKey | None = None


class Watch(Hello, frozen=True, tag="watch", kw_only=True):
    """Look on. On `/rooms/{id}`."""

    key: RoomKey | None = None
    start: Literal["now", "beginning"] = "now"
    delay_seconds: Annotated[int, Meta(ge=0, le=MAX_DELAY_SECONDS)] = 0


class Position(Struct, frozen=True, forbid_unknown_fields=True):
    """The last frame seen of each channel of one battle; -1 where none was."""

    battle: Annotated[BattleId, Meta(max_length=64)]
    tick: Seen = -1
    revival: Seen = -1
    vessel: Seen = -1


class Resume(ToServer, frozen=True, tag="resume", kw_only=True):
    """Come back after a lost connection, as who one was. On `/rooms/{id}`."""

    version: int
    token: Annotated[Token, Meta(max_length=128)]
    last: Position | None = None


# What a player may say once in a room.


class SubmitBoard(ToServer, frozen=True, tag="board"):
    """The board to fight with. It stays for later rounds until another is sent."""

    board: dict[str, object]


class Ready(ToServer, frozen=True, tag="ready"):
    """Fight. The nonce goes into the battle's seed, so that the server cannot pick it."""

    nonce: Nonce


class Forfeit(ToServer, frozen=True, tag="forfeit"):
    """Give up this round."""


class Rematch(ToServer, frozen=True, tag="rematch"):
    """Play another series in this room; it begins when both have said so."""


class Accept(ToServer, frozen=True, tag="accept"):
    """Fight the stored board that was offered."""

    offer: Annotated[str, Meta(max_length=64)]


class Leave(ToServer, frozen=True, tag="leave"):
    """Go, and give up the seat for good."""


FirstMessage = Create | Quick | Join | Watch | Resume
PlayerMessage = SubmitBoard | Ready | Forfeit | Rematch | Accept | Leave
AnyToServer = FirstMessage | PlayerMessage


class ToClient(Struct, frozen=True, tag_field="type", omit_defaults=True):
    """What the server says about a session or a room."""


class SeatState(Struct, frozen=True):
    """One of a room's two seats, as everyone sees it."""

    name: str
    present: bool  # a connection holds it now
    has_board: bool
    ready: bool
    wins: int
    stored: bool  # a frozen copy of the board of someone who is not there
    rematch: bool


class RoomState(Struct, frozen=True):
    """A room, as everyone in it sees it."""

    id: RoomId
    seq: Sequence  # grows with every change of the room
    phase: RoomPhase
    private: bool
    speed: Speed
    best_of: int
    round: int  # from 1
    a: SeatState | None
    b: SeatState | None
    spectators: int
    commitment: str | None  # SHA-256 of this round's secret
    battle: BattleId | None  # the battle that runs, or the last one


class Offer(ToClient, frozen=True, tag="offer"):
    """No live opponent came: this stored board may be fought instead."""

    offer: str
    name: str


class Welcome(ToClient, frozen=True, tag="welcome", kw_only=True):
    """The answer to a first message. The token is for `resume`; it changes each time."""

    version: int
    role: Role
    seat: Seat | None
    token: Token
    resume_seconds: int
    ticks_per_second: int
    room: RoomState
    board: dict[str, object] | None = None  # the player's own, on a resume
    offer: Offer | None = None  # what was being asked, on a resume


class RoomUpdate(ToClient, frozen=True, tag="room"):
    """The room changed."""

    room: RoomState


class Fault(Struct, frozen=True):
    """One thing wrong and where: `board.units[2].runes[1]`."""

    path: str
    message: str


class Error(ToClient, frozen=True, tag="error", kw_only=True):
    """What was said is refused; nothing was changed by it."""

    code: str
    message: str
    faults: list[Fault] = msgspec.field(default_factory=list)
    seq: Sequence  # the room's; 0 before there is one
    re: str | None = None  # the type of the message that is refused


class Begin(ToClient, frozen=True, tag="begin", kw_only=True):
    """A battle begins: its frames follow, from number 0 of each channel.

    Who comes in the middle of a battle gets it too, and then a snapshot.
    """

    battle: BattleId
    round: int
    speed: Speed
    players: dict[Seat, str] = {}  # their names: another may hold the seat once it is over
    boards: dict[Seat, dict[str, object]]
    commitment: str
    rules: dict[str, object] = {}  # what differs from the standard rules, by name


class Next(Struct, frozen=True):
    """The number of the next frame of each channel."""

    tick: Sequence
    revival: Sequence
    vessel: Sequence


class SnapshotMessage(ToClient, frozen=True, tag="snapshot", kw_only=True):
    """The whole state at the end of a tick; the frames from `next` on follow.

    Sent to those who join in the middle of a battle, and, with `skipped`, to those who read too
    slowly to be sent every frame.
    """

    battle: BattleId
    tick: Sequence
    next: Next
    units: list[NewUnit]
    digest: str
    skipped: int = 0  # frames, over the channels that are followed


class Result(ToClient, frozen=True, tag="result", kw_only=True):
    """A battle is over: who won, and all that is needed to fight it again and compare."""

    battle: BattleId
    round: int
    winner: Seat | None
    reason: Reason
    tick: int
    digest: str | None  # of the log; null when the battle did not run to its end
    secret: str
    nonces: dict[Seat, str]
    seed: str
    wins: dict[Seat, int]  # in this series


class Bye(ToClient, frozen=True, tag="bye", kw_only=True):
    """The server is about to close this connection."""

    code: int
    reason: str
    retry_seconds: float | None = None


AnyToClient = Welcome | RoomUpdate | Error | Offer | Begin | SnapshotMessage | Result | Bye

# Frames of a feed. Their events are the lines of the battle's log, in order; every line is in
# exactly one channel, so the three together are the whole log. The list of a frame's events is
# flat: where an event is not on the line after the one before it, or not in the same batch, and
# before the first, stand two numbers: its line (from 0) and its batch (null: outside one).

WireEvent = list[object]  # kind, then the values of its row in the table of events
Events = list[int | WireEvent | None]
UnitPatch = dict[str, object]  # field of UnitState to new value
NewUnit = list[object]  # the values of UNIT_FIELDS, in order


class TickFrame(Struct, frozen=True, array_like=True, tag="tick"):
    """The events of a tick, what else changed in it, and, for every second, a state digest."""

    battle: BattleId
    seq: Sequence
    tick: Sequence
    events: Events
    units: dict[str, UnitPatch | NewUnit] = {}  # by unit id
    digest: str | None = None


class RevivalFrame(Struct, frozen=True, array_like=True, tag="revival"):
    """Revivals, lines on both revival channels, returns due, fallbacks."""

    battle: BattleId
    seq: Sequence
    tick: Sequence
    events: Events


class VesselFrame(Struct, frozen=True, array_like=True, tag="vessel"):
    """Vessels and Vessel Points: each batch's conversion, its takers, and every spending."""

    battle: BattleId
    seq: Sequence
    tick: Sequence
    events: Events


Frame = TickFrame | RevivalFrame | VesselFrame
