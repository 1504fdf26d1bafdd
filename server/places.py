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
    """At the end of the feed; in the middle of a battle, with its beginning and its state.

    Since the battle's last frame there can only have been room updates, and the welcome is newer.
    """
    stage.feed.fill()  # or what is over would come to one who was not there
    feed, room = stage.feed, stage.state()
    # Also where it has run to its end, and the result is only being kept.
    opening = _so_far(feed) if room.phase == "battle" else b""
    return Place(Cursor(feed, len(feed.entries), session.mask), room, opening)


def _so_far(feed: Feed) -> bytes:
    """A battle's beginning, and its state once there has been a frame."""
    begin, keyframe = feed.entries[0].message, feed.keyframe()
    assert begin is not None, "a battle's feed begins with a message"
    return begin if keyframe is None else begin + keyframe.data


def whole(stage: Stage, session: Session) -> Place:
    """At the beginning of the battle, the one that runs or the last."""
    stage.feed.fill()
    return _from(Cursor(stage.feed, 0, session.mask), stage, session, skip=not stage.feed.battle)


def after(stage: Stage, session: Session, last: Position | None) -> Place:
    """After the last frames seen; all over where those are too long ago."""
    seen = stage.teller.feed_of(last.battle) if last is not None else None
    # Who has seen nothing of the battles since they came, lacks all of them.
    feed = seen or stage.teller.feed_after(session.since)
    if seen is None and session.delay:
        return _as_it_was(stage, session, feed)
    if feed is None:
        return live(stage, session)
    cursor = Cursor(feed, 0, session.mask)
    if seen is not None and last is not None and not _runs_anew(stage, seen, last, session.mask):
        cursor.resume(last)
    return _from(cursor, stage, session)


def _as_it_was(stage: Stage, session: Session, lacking: Feed | None) -> Place:
    """At the beginning of the battle that the room was in for them; or of an earlier one, where
    they lack it."""
    oldest = stage.teller.feed_after(-1)
    assert oldest is not None, "there is one at least"
    then = _feed_at(oldest, trio.current_time() - session.delay)
    feed = then if lacking is None or then.number < lacking.number else lacking
    feed.fill()
    return _from(Cursor(feed, 0, session.mask), stage, session, skip=not feed.battle)


def _runs_anew(stage: Stage, feed: Feed, last: Position, mask: int) -> bool:
    """Whether the battle runs and is not so far as they have seen it: the wall's clock was set back
    before the server came back, and what they hold is still to come."""
    return feed is stage.feed and stage.run is not None and not feed.holds(last, mask)


def _from(cursor: Cursor, stage: Stage, session: Session, *, skip: bool = False) -> Place:
    """Where the cursor stands, and the room as it is for them: what was told of it before is not
    told again. With a delay that is the room as it was, with no result before its battle."""
    feed, at, room = stage.feed, len(stage.feed.entries), stage.state()
    if session.delay:
        until = trio.current_time() - session.delay
        feed = _feed_at(cursor.feed, until)
        at = next((n for n, e in enumerate(feed.entries) if e.made_at > until), len(feed.entries))
        room = feed.room_at(until) or room
    cursor.fresh = feed.number, at
    if skip:
        cursor.at = at
    return Place(cursor, room, b"")


def _feed_at(feed: Feed, until: float) -> Feed:
    """The one that was the room's then, of this and those after it."""
    while feed.next is not None and feed.next.entries[0].made_at <= until:
        feed = feed.next
    return feed
