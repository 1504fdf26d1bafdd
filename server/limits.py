"""Every limit on what a stranger can make grow, or can hold up, with its default.

A limit is not a rule of the game: those are `engine.Rules`. Times are in seconds of the server's
clock and are not changed by a room's speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple


@dataclass(frozen=True)
class Limits:
    """What one process allows. The first block is about connections, the second about rooms."""

    connections: int = 20_000
    connections_per_address: int = 12_000  # a load test, and a proxy, come from one address
    hello_seconds: float = 10.0  # for both handshakes, then for the first message
    hello_bytes: int = 1 << 13  # a first message: a name, a key, a ticket of 4 KB
    ping_seconds: float = 20.0  # between keepalive pings, and to answer one
    message_bytes: int = 1 << 17  # above what the decoder answers; more than this is a closing
    messages_per_second: float = 10.0
    messages_burst: int = 60
    messages_refused: int = 20  # in a row for coming too fast; then the connection is closed
    # Of all connections of an address, beyond three at once for each that it may have open.
    address_messages_per_second: float = 2000.0  # a load test, and a proxy, come from one address
    address_refusals_per_second: float = 5.0  # that a right client does not meet; a wrong key is 10
    address_refusals_burst: int = 100
    frames_per_second: float = 100.0  # a message can be sent in many; pings are frames too
    frames_burst: int = 600
    requests_per_second: float = 20.0  # of plain HTTP, from one address
    requests_burst: int = 300  # a page is three dozen files
    # Of WebSockets, from one address, which may have all of its connections come back at once.
    handshakes_per_second: float = 100.0
    private_messages: int = 64  # that wait for a client to read them
    private_bytes: int = 1 << 16  # of those
    send_bytes: int = 1 << 16  # joined into one send to a client that catches up
    socket_bytes: int = 1 << 17  # unsent, in the kernel, for one connection
    stall_seconds: float = 15.0  # a client that takes nothing for so long is closed
    behind_seconds: float = 5.0  # a client that is later than this gets a fresh snapshot
    close_seconds: float = 1.0  # for what is left to send, and for the closing handshake

    rooms: int = 2_000
    rooms_per_player: int = 8  # that a ticket's player has made and that are open
    rooms_per_address: int = 2_000  # a load test, and a proxy, come from one address
    spectators: int = 12_000  # in one room
    resume_seconds: int = 60  # a seat is kept for one who is away
    waiting_seconds: float = 600.0  # for an opponent
    building_seconds: float = 300.0  # for both to get ready
    over_seconds: float = 120.0  # for both to ask for a rematch
    offer_seconds: float = 5.0  # alone in the queue, before a stored opponent is offered
    census_seconds: float = 1.0  # until all are told that spectators, or a player, came or went
    battle_grace_seconds: float = 10.0  # past its time limit, then the battle is void
    hang_seconds: float = 2.0  # of work, for the ticks that are due; then the battle is void
    boards: int = 1_000  # kept for those who find no live opponent
    boards_per_player: int = 20  # of them from one player, the newest
    records: int = 1_000  # of rooms that are closed
    replays: int = 10_000  # of battles that have ended

    @property
    def missed_seconds(self) -> float:
        """The longest time that one who comes back can have missed: a line may have been dead for
        two turns of pings before it is seen to be."""
        return self.resume_seconds + 2 * self.ping_seconds


class Range(NamedTuple):
    """What people may set a limit to, both ends included."""

    least: float
    most: float


WEEK_SECONDS: Final = 7 * 24 * 3600
MOST: Final = (1 << 31) - 1  # of whatever is counted

SECONDS: Final = Range(0.01, WEEK_SECONDS)
RATE: Final = Range(0.01, 1_000_000)
SOME: Final = Range(1, MOST)
ANY: Final = Range(0, MOST)  # none is a choice too

RANGES: Final[Mapping[str, Range]] = {
    "connections": SOME,
    "connections_per_address": SOME,
    "hello_seconds": SECONDS,
    "hello_bytes": Range(1 << 8, 1 << 30),
    "ping_seconds": SECONDS,
    "message_bytes": Range(1 << 10, 1 << 30),
    "messages_per_second": RATE,
    "messages_burst": SOME,
    "messages_refused": ANY,
    "address_messages_per_second": RATE,
    "address_refusals_per_second": RATE,
    "address_refusals_burst": SOME,
    "frames_per_second": RATE,
    "frames_burst": SOME,
    "requests_per_second": RATE,
    "requests_burst": SOME,
    "handshakes_per_second": RATE,
    "private_messages": SOME,
    "private_bytes": Range(1 << 10, 1 << 30),
    "send_bytes": Range(1, 1 << 30),
    "socket_bytes": Range(1, 1 << 30),  # which a system doubles, and holds in 32 bits
    "stall_seconds": SECONDS,
    "behind_seconds": SECONDS,
    "close_seconds": SECONDS,
    "rooms": SOME,
    "rooms_per_player": SOME,
    "rooms_per_address": SOME,
    "spectators": ANY,
    "resume_seconds": Range(1, WEEK_SECONDS),
    "waiting_seconds": SECONDS,
    "building_seconds": SECONDS,
    "over_seconds": SECONDS,
    "offer_seconds": SECONDS,
    "census_seconds": SECONDS,
    "battle_grace_seconds": SECONDS,
    "hang_seconds": SECONDS,
    "boards": ANY,
    "boards_per_player": ANY,
    "records": ANY,
    "replays": ANY,
}
