"""The table of a room: which command is legal in which phase, and where it may lead.

This is the truth: the room looks here before it does anything and checks itself against it
afterwards. What stands in no row is refused and changes nothing.
"""

from __future__ import annotations

from typing import Final

from protocol.codes import ErrorCode
from protocol.messages import Accept, Forfeit, Leave, Ready, Rematch, RoomPhase, SubmitBoard
from server.commands import Away, Back, Command, Ended, Enter, Look, Shut, Unlook, Wake

Phases = tuple[RoomPhase, ...]

NEXT: Final[dict[tuple[RoomPhase, type[Command]], Phases]] = {
    # A seat is free.
    ("waiting", Enter): ("waiting", "building"),
    ("waiting", SubmitBoard): ("waiting",),
    ("waiting", Accept): ("building",),
    ("waiting", Leave): ("closed",),
    ("waiting", Wake): ("waiting", "closed"),
    # Both seats are held; the round begins when both are ready.
    ("building", SubmitBoard): ("building",),
    ("building", Ready): ("building", "battle"),
    ("building", Leave): ("waiting", "closed"),
    ("building", Wake): ("building", "waiting", "closed"),
    # The battle runs by itself. One who leaves it forfeits it first.
    ("battle", Forfeit): ("battle",),
    ("battle", Leave): ("battle",),
    ("battle", Ended): ("building", "over", "waiting", "closed"),
    ("battle", Wake): ("battle",),
    # The series is decided.
    ("over", SubmitBoard): ("over",),
    ("over", Rematch): ("over", "building"),
    ("over", Leave): ("waiting", "closed"),
    ("over", Wake): ("over", "waiting", "closed"),
}
# Who looks on, and whether a connection stands, bears on no phase.
for _phase in ("waiting", "building", "battle", "over"):
    for _kind in (Look, Unlook, Away, Back):
        NEXT[_phase, _kind] = (_phase,)
    NEXT[_phase, Shut] = ("closed",)


def illegal(phase: RoomPhase, kind: type[Command]) -> ErrorCode:
    """The code with which a command is refused that has no row in this phase."""
    if phase == "closed":
        return ErrorCode.NO_SUCH_ROOM
    return ErrorCode.ROOM_FULL if kind is Enter else ErrorCode.WRONG_PHASE
