"""What a room's decisions have people told, and where: in the feed, to one alone, or by closing.

Nothing of it goes out before the decision is kept; so `tell` may come a while after the decision,
and what is told is what was true then.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import trio

from engine import Rules
from protocol.messages import BattleId, Begin, RoomState, RoomUpdate
from server.audience import Audience
from server.closing import Closing
from server.commands import Terms, ToRoom, ToSession
from server.fanout import Offer, offers_of, write_all
from server.feed import Feed
from server.metrics import Metrics
from server.row import ROW_SEATS
from server.sessions import Session, Sessions


@dataclass(frozen=True, slots=True)
class Opening:
    """A battle begins, in a feed of its own. `room` is the room as it began."""

    terms: Terms
    feed: Feed
    room: RoomState
    started: float


@dataclass(frozen=True, slots=True)
class Parting:
    """The session is over already; now its connection is closed."""

    session: Session


Telling = ToRoom | ToSession | Opening | Parting


class Teller:
    """The feeds of one room, and everyone who follows them."""

    def __init__(
        self, sessions: Sessions, room: RoomState, keep_seconds: float, metrics: Metrics
    ) -> None:
        self._metrics = metrics
        self.audience = Audience()
        self.feed = Feed(0, opening=room)
        # Those before it, each with when its time was over: for who was away as the next began.
        self._past: deque[tuple[float, Feed]] = deque()
        self.room = room  # as everyone was last told of it
        self._sessions = sessions
        self._keep_seconds = keep_seconds
        self._announced = 0  # entries of the feed of which everyone's turn has come, or is to come

    def open(self, terms: Terms, room: RoomState, started: float) -> Opening:
        """The feed of a battle that begins soon; nobody is told of it yet."""
        return Opening(terms, Feed(terms.round, terms.battle, room), room, started)

    def tell(self, tellings: Iterable[Telling], now: float) -> None:
        """Takes in all of these, in this order. What is said to all goes out with the next sweep;
        whoever is told something alone, or parts, is told what came before it first."""
        for telling in tellings:
            match telling:
                case ToRoom(message):
                    if isinstance(message, RoomUpdate):
                        self.room = message.room
                    self.feed.fill()
                    self.feed.say(message, now)
                case ToSession(to, message):
                    session = self._sessions.get(to)
                    if session is not None and session.follower is not None:
                        session.follower.say(message)
                case Opening():
                    self._begin(telling, now)
                case Parting(session):
                    if session.follower is not None and session.parting is not None:
                        session.follower.close(session.parting)

    def _begin(self, opening: Opening, now: float) -> None:
        self._let_go(now)
        self._past.append((now, self.feed))
        self.feed.next = opening.feed
        self.feed, self._announced = opening.feed, 0
        self.feed.say(begin(opening.terms), now)

    def _let_go(self, now: float) -> None:
        """Of the feeds before this one that nobody may come back for any more."""
        past = self._past
        while past and now - past[0][0] > self._keep_seconds + self._sessions.longest_delay:
            past.popleft()

    @property
    def has_news(self) -> bool:
        """Whether there is anybody who has not been told all."""
        return len(self.feed.entries) > self._announced or self.audience.has_turns_left

    def sweep(self) -> None:
        """Tells the audience what is new; never more than a slice of them in one go."""
        if self.has_news:
            write_all(self.offers(trio.current_time()), self._metrics)

    def offers(self, now: float) -> list[Offer]:
        """What those are offered whose turn it is now."""
        entries = self.feed.entries
        if len(entries) > self._announced:
            self._announced = len(entries)
            self.audience.announce()
        offers = offers_of(self.audience.next_turns(ROW_SEATS))
        if offers and entries:
            lag = now - entries[-1].made_at
            for listener, _ in offers:
                self._metrics.lag.add(lag, listener.size)
        return offers

    def feed_of(self, battle: BattleId) -> Feed | None:
        """The feed of a battle, if it is still to be had; a reader may go on from it."""
        return self._first(lambda feed: feed.battle == battle)

    def feed_after(self, number: int) -> Feed | None:
        """The first feed after this one that is still to be had."""
        return self._first(lambda feed: feed.number > number)

    def _first(self, wanted: Callable[[Feed], bool]) -> Feed | None:
        feeds = [*(feed for _, feed in self._past), self.feed]
        at = next((at for at, feed in enumerate(feeds) if wanted(feed)), None)
        if at is None:
            return None
        # Those in between are filled as a reader comes to them.
        feeds[at].fill()
        self.feed.fill()
        return feeds[at]

    def take_over(self, feeds: Sequence[Feed], now: float) -> None:
        """The feeds of the process before this one, made again, the last one last. Whoever was away
        then may come back for them as of now."""
        *past, self.feed = feeds
        self._past.extend((now, feed) for feed in past)
        for feed, following in itertools.pairwise(feeds):
            feed.next = following

    def dismiss_all(self, closing: Callable[[], Closing]) -> None:
        """Everyone's connection is closed; their sessions stay as they are."""
        for follower in list(self.audience):
            follower.close(closing())


def begin(terms: Terms) -> Begin:
    """What everyone is told of a battle before its first frame; the same whenever it is made."""
    a, b = terms.setup.boards
    return Begin(
        battle=terms.battle,
        round=terms.round,
        speed=terms.speed,
        players=dict(terms.players),
        boards={"a": a.to_object(), "b": b.to_object()},
        commitment=terms.commitment,
        rules=changed_rules(terms.setup.rules.to_object()),
    )


def changed_rules(rules: Mapping[str, object]) -> dict[str, object]:
    """Those that are not the standard ones."""
    standard = Rules().to_object()
    return {name: value for name, value in rules.items() if standard.get(name) != value}
