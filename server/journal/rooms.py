"""Rooms to records and back: the one module but the room itself that writes a room's fields.

A room that comes back has nobody in it yet: its players are away from this moment on, with the
whole window to come back in, and its deadlines leave them at least as long. A server that was down
must not cost anybody their seat. Nor are the deadlines further away than they can be, though the
wall's clock may have been set back since they were kept.
"""

from __future__ import annotations

import math

from engine import Board, Refused, Rules, Setup, read_board, read_rules
from protocol.messages import SEATS, BattleId, RoomState
from server.callers import Caller
from server.commands import Stored, Terms
from server.edition import Edition
from server.house import House, Options
from server.journal.clock import Clock
from server.journal.records import (
    BoardRecord,
    MakerRecord,
    Plain,
    PlayerRecord,
    RoomRecord,
    RoundRecord,
    SessionRecord,
)
from server.players import Player
from server.room import Room
from server.sessions import Session


def record_room(room: Room, key: str | None, maker: Caller | None, clock: Clock) -> RoomRecord:
    """All of a room that must outlive the process."""
    match = room.match
    a, b = (_record_player(player) for player in match.seats.values())
    return RoomRecord(
        id=room.id,
        phase=room.phase,
        seq=room.seq,
        round=match.round,
        fought=match.fought,
        opened=clock.wall(room.opened),
        phase_due=clock.wall(room.phase_due),
        speed=room.options.speed,
        best_of=room.options.best_of,
        private=room.options.private,
        quick=room.options.quick,
        key=key,
        maker=None if maker is None else MakerRecord(address=maker.address, player=maker.player),
        a=a,
        b=b,
        secret=None if match.secret is None else match.secret.hex(),
        battle=match.battle,
        offer=None if room.offer is None else record_board(room.offer),
        offer_due=None if math.isinf(room.offer_due) else clock.wall(room.offer_due),
    )


def record_session(room: Room, session: Session) -> SessionRecord:
    return SessionRecord(
        room=room.id,
        id=session.id,
        role=session.role,
        mask=session.mask,
        delay=session.delay,
        since=session.since,
        keys=[key.hex() for key in session.keys],
    )


def record_board(stored: Stored) -> BoardRecord:
    return BoardRecord(id=stored.id, name=stored.name, board=stored.board.to_object())


def record_round(
    room: Room, terms: Terms, opening: RoomState, started: float, edition: Edition
) -> RoundRecord:
    """`started` is the wall's time of the battle's first tick."""
    return RoundRecord(
        battle=terms.battle,
        room=room.id,
        round=terms.round,
        speed=terms.speed,
        private=room.options.private,
        names=dict(terms.players),
        boards={
            seat: board.to_object() for seat, board in zip(SEATS, terms.setup.boards, strict=True)
        },
        rules=terms.setup.rules.to_object(),
        commitment=terms.commitment,
        secret=terms.secret.hex(),
        nonces=dict(terms.nonces),
        seed=terms.setup.seed,
        engine=edition.engine,
        catalog=edition.catalog,
        frames=edition.frames,
        started=started,
        opening=opening,
    )


def _record_player(player: Player | None) -> PlayerRecord | None:
    if player is None:
        return None
    return PlayerRecord(
        name=player.name,
        session=player.session,
        board=None if player.board is None else player.board.to_object(),
        nonce=player.nonce,
        wins=player.wins,
        rematch=player.rematch,
        leaving=player.leaving,
    )


# And back.


def maker_again(record: RoomRecord) -> Caller | None:
    """Who has made the room; None where a server before this one did not keep it."""
    maker = record.maker
    return None if maker is None else Caller(maker.address, maker.player)


def room_again(
    record: RoomRecord, terms: Terms | None, house: House, clock: Clock, now: float
) -> Room:
    """The room as it was, its players away. `terms` are those of `record.battle`; None where there
    was none, and where its replay is not kept any more."""
    options = Options(record.speed, record.best_of, private=record.private, quick=record.quick)
    room = Room(record.id, options, house, now)
    room.phase = record.phase
    room.seq = record.seq + 1  # for what is new: nobody is there
    room.opened = min(clock.here(record.opened), now)
    limits, longest = house.limits, house.longest(record.phase, terms)
    due = min(clock.here(record.phase_due), now + longest)
    room.phase_due = max(due, now + limits.resume_seconds)
    room.offer = stored_again(record.offer, house) if record.offer else None
    if record.offer_due is not None:
        due = min(clock.here(record.offer_due), now + limits.offer_seconds)
        room.offer_due = max(due, now)
    match = room.match
    match.seats = {seat: _player_again(getattr(record, seat), house, now) for seat in SEATS}
    match.round = record.round
    match.fought = record.fought
    match.terms = terms
    match.begun = 0 if record.battle is None else _number_of(record.battle)
    match.secret = None if record.secret is None else bytes.fromhex(record.secret)
    return room


def _number_of(battle: BattleId) -> int:
    return int(battle.rpartition(".")[2])


def terms_again(record: RoundRecord, house: House) -> Terms:
    """A battle's terms. Boards that these rules or this catalog do not know are empty: such a
    battle is not to be fought here."""
    try:
        rules = read_rules(record.rules)
        a, b = (read_board(record.boards[seat], house.catalog, rules) for seat in SEATS)
    except Refused:
        rules, a, b = Rules(), Board(()), Board(())
    return Terms(
        battle=record.battle,
        round=record.round,
        speed=record.speed,
        setup=Setup(record.seed, rules, house.catalog, (a, b)),
        commitment=record.commitment,
        secret=bytes.fromhex(record.secret),
        nonces=dict(record.nonces),
        players=dict(record.names),
    )


def is_fought_alike(record: RoundRecord, edition: Edition) -> bool:
    """Whether fighting it here gives the frames that were sent."""
    return Edition(record.engine, record.catalog, record.frames) == edition


def stored_again(record: BoardRecord, house: House) -> Stored | None:
    """None for a board that is not legal any more."""
    board = _legal(record.board, house)
    return None if board is None else Stored(record.id, record.name, board)


def _player_again(record: PlayerRecord | None, house: House, now: float) -> Player | None:
    if record is None:
        return None
    board = None if record.board is None else _legal(record.board, house)
    return Player(
        session=record.session,
        name=record.name,
        board=board,
        nonce=None if board is None else record.nonce,
        wins=record.wins,
        rematch=record.rematch,
        away_since=None if record.session is None else now,
        leaving=record.leaving,
    )


def _legal(board: Plain, house: House) -> Board | None:
    try:
        return read_board(board, house.catalog, house.rules)
    except Refused:
        return None
