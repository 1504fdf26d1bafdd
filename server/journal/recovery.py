"""Rooms at work again, out of what was kept.

A battle's frames are a pure function of what was settled before it began. So one that ran is fought
again up to where the wall's clock says it is, and goes on; whoever comes back reads on where they
stopped. One that ended is fought again when somebody asks for what they have not read of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import structlog
import trio
from msgspec.structs import replace

from server.backstage import Backstage
from server.battles import BattleRun
from server.commands import Ended, Record, Terms
from server.feed import Feed
from server.house import House
from server.journal.records import (
    EndingRecord,
    KeptRoom,
    PutRoom,
    Round,
    RoundRecord,
    SessionRecord,
)
from server.journal.rooms import is_fought_alike, maker_again, record_room, room_again, terms_again
from server.sessions import Session
from server.stage import Stage
from server.telling import begin

log = structlog.get_logger()


def recover(
    kept: KeptRoom,
    house: House,
    backstage: Backstage,
    closed: Callable[[Stage, Record], None],
) -> Stage:
    """A room of the process before this one, with nobody in it yet."""
    now = trio.current_time()
    wall = backstage.clock.wall(now)
    recent = _recent(kept, house.limits.missed_seconds)
    rounds = [_not_to_come(one, wall) for one in recent]
    terms = {one.record.battle: terms_again(one.record, house) for one in rounds}
    latest = terms.get(kept.record.battle) if kept.record.battle else None
    room = room_again(kept.record, latest, house, backstage.clock, now)
    maker = maker_again(kept.record)
    stage = Stage(room, backstage, closed, kept.record.key, maker)
    for record in kept.sessions:
        stage.sessions.take_over(_session(record), now)
    feeds = [_feed(one, terms[one.record.battle], backstage, kept.record.seq) for one in rounds]
    if feeds:
        stage.teller.take_over(feeds, now)
    # Its sequence number has grown, and whoever comes first is told so.
    backstage.journal.put([PutRoom(record_room(room, stage.key, maker, backstage.clock))])
    if room.phase == "battle":
        _go_on(stage, rounds[-1], feeds[-1], backstage)
    stage.reschedule()
    stage.log.info("room is back", phase=room.phase, sessions=len(kept.sessions))
    return stage


def _recent(kept: KeptRoom, missed_seconds: float) -> Sequence[Round]:
    """The rounds that someone may still come back for: who was away for long as the process ended
    has lost their session with it."""
    rounds = kept.rounds
    if not rounds:
        return ()
    longest_delay = max((session.delay for session in kept.sessions), default=0.0)
    since = rounds[-1].record.started - missed_seconds - longest_delay
    over = [following.record.started for following in rounds[1:]]
    return [one for one, end in zip(rounds, (*over, math.inf), strict=True) if end > since]


def _not_to_come(one: Round, wall: float) -> Round:
    """The same where the wall's clock was set back since: it does not begin, nor end, after now."""
    record, ending = one.record, one.ending
    latest = record.started if ending is None else max(record.started, ending.ended)
    if latest <= wall:
        return one
    record = replace(record, started=record.started - (latest - wall))
    return Round(record, ending and replace(ending, ended=min(ending.ended, wall)))


def _session(record: SessionRecord) -> Session:
    session = Session(record.id, record.role, record.mask, record.delay, record.since)
    session.keys = [bytes.fromhex(key) for key in record.keys]
    return session


def _feed(one: Round, terms: Terms, backstage: Backstage, seq: int) -> Feed:
    """What was told of the room since the battle began is not kept, but how far its sequence number
    had come: it goes back for nobody who sees the room as it was."""
    feed = Feed(one.record.round, terms.battle, replace(one.record.opening, seq=seq))
    feed.say(begin(terms), backstage.clock.here(one.record.started))
    if one.ending is not None:
        feed.fill_later(partial(_refill, feed, one, one.ending, terms, backstage))
    return feed


def _run(one: Round, feed: Feed, terms: Terms, backstage: Backstage) -> BattleRun:
    tick_seconds = backstage.config.tick_seconds(terms.speed)
    started = backstage.clock.here(one.record.started)
    since = trio.current_time()
    return BattleRun(terms, feed, tick_seconds, started, backstage.metrics, since)


def _refill(
    feed: Feed, one: Round, ending: EndingRecord, terms: Terms, backstage: Backstage
) -> None:
    """The frames and the result of a battle that has ended. Must not raise: if the battle does,
    its result stands all the same, and the log says why frames are lacking."""
    if is_fought_alike(one.record, backstage.edition):
        try:
            with backstage.watchdog:
                _run(one, feed, terms, backstage).advance_to(ending.tick)
        except Exception:
            log.exception("a battle cannot be fought again", battle=terms.battle)
    else:
        made = _edition(one.record)
        log.warning(
            "a battle of another edition is not fought again", battle=terms.battle, edition=made
        )
    feed.say(ending.result, backstage.clock.here(ending.ended))


def _edition(record: RoundRecord) -> str:
    return f"{record.engine}, catalog {record.catalog}, frames {record.frames}"


def _go_on(stage: Stage, one: Round, feed: Feed, backstage: Backstage) -> None:
    """The battle goes on; one of another edition cannot, and is void."""
    terms = stage.room.match.terms
    if terms is None:
        raise AssertionError("a battle runs without its terms")
    run: BattleRun | None = None
    if is_fought_alike(one.record, backstage.edition):
        try:
            with backstage.watchdog:
                run = _run(one, feed, terms, backstage)
        except Exception:
            log.exception("a battle cannot be fought again", battle=terms.battle)
    if run is not None:
        stage.take_over(run, trio.current_time())
        return
    made = _edition(one.record)
    log.error("a battle of another edition ends as void", battle=terms.battle, edition=made)
    stage.handle(Ended(terms.battle, None, "void", -1, None), None)
