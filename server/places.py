"""Where in the feed one who comes, or comes back, begins to read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import trio

from protocol.messages import Position, RoomState, Watch
from server.cursor import Cursor
from server.feed import Feed
from server.sessions import Session
from server.stage import Stage


class Place(NamedTuple):
    """Where one who comes begins to read, the room as it is there, and what is sent first."""

    cursor: Cursor
    room: RoomState
    opening: bytes


def asked_for(stage: Stage, session: Session, hello: Watch) -> Callable[[], Place]:
    """Where a spectator wants to begin: now, or with the first frame."""
    all_of_it = hello.start == "beginning" or hello.delay_seconds > 0
    return partial(whole if all_of_it else live, stage, session)


def live(stage: Stage, session: Session) -> Place:
    """At the end of the feed; in the middle of a battle, with its state.

    Since the battle's last frame there can only have been room updates, and the welcome is newer.
    """
    stage.feed.fill()  # or what is over would come to one who was not there
    feed, room = stage.feed, stage.state()
    # Also where it has run to its end, and the result is only being kept.
    keyframe = feed.keyframe() if room.phase == "battle" else None
    begin = feed.entries[0].message if feed.entries else None
    opening = b"" if keyframe is None or begin is None else begin + keyframe.data
    return Place(Cursor(feed, len(feed.entries), session.mask), room, opening)


def whole(stage: Stage, session: Session) -> Place:
    """At the beginning of the battle, the one that runs or the last."""
    stage.feed.fill()
    feed, now = stage.feed, _now_of(stage.feed, session)
    return Place(
        Cursor(feed, 0 if feed.battle else now, session.mask, (feed.number, now)),
        _room_at(stage, session),
        b"",
    )


def after(stage: Stage, session: Session, last: Position | None) -> Place:
    """After the last frames seen; all over where those are too long ago."""
    seen = stage.teller.feed_of(last.battle) if last is not None else None
    # Who has seen nothing of the battles since they came, lacks all of them.
    feed = seen or stage.teller.feed_after(session.since)
    if feed is None:
        return whole(stage, session) if session.delay else live(stage, session)
    cursor = Cursor(feed, 0, session.mask, (stage.feed.number, _now_of(stage.feed, session)))
    if seen is not None and last is not None:
        cursor.resume(last)
    return Place(cursor, _room_at(stage, session), b"")


def _now_of(feed: Feed, session: Session) -> int:
    """The position that the session's delay makes of now."""
    if not session.delay:
        return len(feed.entries)
    until = trio.current_time() - session.delay
    return next((at for at, e in enumerate(feed.entries) if e.made_at > until), len(feed.entries))


def _room_at(stage: Stage, session: Session) -> RoomState:
    """The room as one may see it who watches with a delay: no result before its battle."""
    if session.delay:
        past = stage.feed.room_at(trio.current_time() - session.delay)
        if past is not None:
            return past
    return stage.state()
