"""What a client has been told so far, made ready to be shown: scenes, and lines in words.

Fed every message in the order in which it came; asks nothing and sends nothing. The exact state of
the units is the mirror's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from engine import Event, UnitState, base_catalog, field_names
from protocol.messages import (
    SEATS,
    AnyToClient,
    BattleId,
    Begin,
    Frame,
    Result,
    RevivalFrame,
    RoomState,
    RoomUpdate,
    Seat,
    SeatState,
    SnapshotMessage,
    TickFrame,
    VesselFrame,
    Welcome,
)
from protocol.mirror import Mirror
from protocol.sources import Sources
from protocol.wire_events import LogLine, read_events
from server.cli.board import NamedBoard
from server.view.terminal import Player, Scene
from server.view.words import Told, seconds, tell, unit_names

# More than the tallest terminal shows.
TOLD_KEPT: Final = 200


class Show:
    """One room, as far as a client has been told of it; or a battle without one.

    `mirror` gives the client's mirror as it is now; `known` are the boards that have a name. With
    no room `title` heads the scene.
    """

    def __init__(
        self,
        mirror: Callable[[], Mirror],
        known: Sequence[NamedBoard] = (),
        title: str = "phylactery",
    ) -> None:
        self._no_room = title
        self._players: dict[Seat, str] = {}  # of the battle, whoever holds the seats since
        self._notes: dict[Seat, str] = {}  # beside them: what their board is called
        self._known = known
        self._battle: BattleId | None = None
        self._sources: Sources | None = None
        self._mirror = mirror
        self.room: RoomState | None = None
        self.tick = -1  # of the last frame, of whatever channel; -1 between battles
        self.round = 0
        self._cards: dict[str, str] = {}  # by unit id
        self._titles = {card.id: card.name for card in base_catalog().cards.values()}
        self._names: dict[str, str] = {}
        self._told: list[Told] = []  # of ticks that are past
        self._unsettled: list[tuple[int, Told]] = []  # of the running tick, with their log lines
        self._told_to: dict[BattleId | None, int] = {}  # the last tick told of each battle

    def hear(self, message: AnyToClient | Frame) -> list[Told]:
        """Takes in a message; gives what can now be told, in the log's order.

        A tick's events come in up to three frames, so they are told when a later tick begins. A
        battle may be told anew, from its beginning or from a snapshot: its scene begins anew too,
        but nothing is told of ticks up to the last that was told, of those between two snapshots
        neither.
        """
        match message:
            case Welcome(room=room) | RoomUpdate(room=room):
                self.room = room
                self._name_all()
            case Begin():
                self._begin(message)
            case SnapshotMessage():
                self._enlist(message.units)
                self.tick = message.tick
            case TickFrame() | RevivalFrame() | VesselFrame():
                return self._hear_frame(message)
            case Result():
                return self._settle()
        return []

    def pass_over(self, battle: BattleId, ticks: int) -> None:
        """Of the first ticks of a battle nothing is told; its scene has them."""
        self._told_to[battle] = ticks - 1

    def seat(self, side: Seat) -> SeatState | None:
        """Who sits there."""
        return None if self.room is None else getattr(self.room, side)

    def player(self, side: Seat) -> str:
        """What to call the one who fights, or fought, the battle on a side."""
        return self._players.get(side, f"side {side}")

    def side(self, side: Seat) -> str:
        """The player of a side with the note beside it: `Ada (The Red Kennel)`."""
        note = self._notes.get(side)
        return f"{self.player(side)} ({note})" if note else self.player(side)

    def units(self) -> tuple[UnitState, ...]:
        """All units now; none where the channel that tells of them is not followed."""
        mirror = self._mirror()
        return mirror.state_at(mirror.tick).units if mirror.tick >= 0 else ()

    def scene(self, status: str = "") -> Scene:
        """All of it as one picture's content."""
        running = [told for _, told in sorted(self._unsettled)]
        return Scene(
            title=self._title(),
            players=self._seated() if self.room else self._fighting(),
            tick=self.tick,
            units=self.units(),
            names=self._names,
            told=[*self._told, *running],
            status=status,
        )

    def outcome(self, result: Result) -> str:
        """A result in a line: `round 2 goes to Ada by elimination after 31.4 s; 1 to 1`."""
        after = f"by {result.reason} after {seconds(max(result.tick, 0))}"
        score = " to ".join(str(result.wins.get(side, 0)) for side in SEATS)
        if result.reason == "void":
            return f"round {result.round} is void: the server failed at it"
        if result.winner is None:
            return f"round {result.round} is a draw {after}; {score}"
        return f"round {result.round} goes to {self.player(result.winner)} {after}; {score}"

    def _title(self) -> str:
        room = self.room
        if room is None:
            return self._no_room
        parts = [f"room {room.id}", f"round {self.round or room.round}, best of {room.best_of}"]
        if room.speed != 1:
            parts.append(f"{room.speed}x")
        if room.spectators:
            parts.append(f"{room.spectators} watching")
        return "  ".join(parts)

    def _seated(self) -> dict[str, Player]:
        return {
            side: Player(seat.name, seat.wins, self._note(side, seat))
            for side in SEATS
            if (seat := self.seat(side))
        }

    def _fighting(self) -> dict[str, Player]:
        return {
            side: Player(name, note=self._notes.get(side, ""))
            for side, name in self._players.items()
        }

    def _note(self, side: Seat, seat: SeatState) -> str:
        fought = seat.name == self._players.get(side)
        notes = [self._notes[side]] if fought and side in self._notes else []
        if seat.stored:
            notes.append("stored board")
        elif not seat.present:
            notes.append("away")
        elif seat.ready and self.room and self.room.phase == "building":
            notes.append("ready")
        return ", ".join(notes)

    def _begin(self, begin: Begin) -> None:
        self._battle = begin.battle
        self._sources = Sources(begin.boards)
        self.round = begin.round
        self.tick = -1
        self._told = []
        self._unsettled = []
        self._cards = _cards_of(begin.boards)
        self._players = begin.players
        self._notes = {
            side: known.name
            for side, board in begin.boards.items()
            for known in self._known
            if known.board == board
        }
        self._name_all()

    def _hear_frame(self, frame: Frame) -> list[Told]:
        settled = self._settle() if frame.tick > self.tick else []
        self.tick = max(self.tick, frame.tick)
        if isinstance(frame, TickFrame):
            self._enlist(unit for unit in frame.units.values() if isinstance(unit, list))
        for line in read_events(frame, self._sources):
            if told := self._tell(line):
                self._unsettled.append((line.line, told))
        return settled

    def _tell(self, line: LogLine) -> Told | None:
        event: Event = line.event
        named = dict(zip(field_names(event), event.values, strict=True))
        return tell(event.tick, event.kind, named, self._names)

    def _settle(self) -> list[Told]:
        settled = [told for _, told in sorted(self._unsettled)]
        self._unsettled = []
        self._told = [*self._told, *settled][-TOLD_KEPT:]
        before = self._told_to.get(self._battle, -1)
        self._told_to[self._battle] = max(before, self.tick)
        return [told for told in settled if told.tick > before]

    def _enlist(self, units: Iterable[list[object]]) -> None:
        """Learns what to call new units; each is the values of UNIT_FIELDS."""
        new = {str(unit[0]): str(unit[2]) for unit in units}
        if new.keys() - self._cards.keys():
            self._cards |= new
            self._name_all()

    def _name_all(self) -> None:
        players = {side: self.player(side) for side in SEATS}
        self._names = unit_names(self._cards, self._titles) | players


def _cards_of(boards: Mapping[Seat, Mapping[str, object]]) -> dict[str, str]:
    """The card of each unit at the start: numbered in the order of the cells (200.5)."""
    cards: dict[str, str] = {}
    for side, board in boards.items():
        units = board.get("units")
        for number, unit in enumerate(units if isinstance(units, list) else ()):
            cards[f"{side}{number}"] = str(unit.get("card"))
    return cards
