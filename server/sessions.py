"""The sessions of a room: who may come back as whom.

A session outlives its connections. Its token is private and changes at every resume; the server
keeps only a hash of it. A lost session is kept for a while, so that a player finds their seat and
everyone goes on where the connection broke.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator

from protocol.messages import Role, Token
from server.closing import Closing
from server.commands import SessionId
from server.delivery import Follower


class Session:
    """One who is in a room, across all the connections of their stay."""

    def __init__(
        self, session_id: SessionId, role: Role, mask: int, delay: float = 0.0, since: int = 0
    ) -> None:
        self.id = session_id
        self.role = role
        self.mask = mask  # the channels that are followed
        self.delay = delay
        self.since = since  # the number of the feed that was the room's as they came
        self.follower: Follower | None = None  # the connection that holds it now
        self.line = 0  # the number of the newest connection that has had it
        self.parting: Closing | None = None  # it is over, and this is how
        self.keys: list[bytes] = []  # hashes of the tokens that open it, the newest last


class Sessions:
    """All sessions of one room."""

    def __init__(self, token: Callable[[], Token], keep_seconds: float) -> None:
        self._token = token
        self._keep_seconds = keep_seconds
        self._by_id: dict[SessionId, Session] = {}
        self._by_key: dict[bytes, Session] = {}
        self._lost: dict[SessionId, float] = {}  # since when
        self._expiring: deque[tuple[float, SessionId]] = deque()
        self._changes: dict[SessionId, Session | None] = {}  # None: it is over
        self._made = 0
        self.longest_delay = 0.0  # of all there ever were

    def __iter__(self) -> Iterator[Session]:
        return iter(tuple(self._by_id.values()))

    def get(self, session_id: SessionId) -> Session | None:
        return self._by_id.get(session_id)

    def open(self, role: Role, mask: int, delay: float = 0.0, since: int = 0) -> Session:
        """A new session, which nothing opens yet."""
        self._made += 1
        session = Session(SessionId(f"{role[0]}{self._made}"), role, mask, delay, since)
        self._add(session)
        return session

    def find(self, token: Token, now: float) -> Session | None:
        """The session that this token opens. Nothing changes, whatever the token is."""
        return self.find_by(key_of(token), now)

    def find_by(self, key: bytes, now: float) -> Session | None:
        """The same by the token's key, for who asks many rooms."""
        session = self._by_key.get(key)
        if session is None:
            return None
        lost = self._lost.get(session.id)
        return session if lost is None or now - lost <= self._keep_seconds else None

    def rotate(self, session: Session, used: Token | None = None) -> Token:
        """A new token. The one that was used stays good until `settle`: the connection may be lost
        again before the new one has got through. So does the first, where a client comes by an
        attempt of its own making: they have the session who say the attempt again."""
        token = self._token()
        self._forget_keys(session)
        if used is not None:
            self._add_key(session, used)
        self._add_key(session, token)
        self._lost.pop(session.id, None)
        self._changes[session.id] = session
        return token

    def settle(self, session: Session, token: Token) -> None:
        """This token has got through: none before it is good any more."""
        if self.is_newest(session, token) and len(session.keys) > 1:
            self._forget_keys(session, keep=1)
            self._changes[session.id] = session

    def is_newest(self, session: Session, token: Token) -> bool:
        """Whether no other was given since."""
        return session.keys[-1:] == [key_of(token)]

    def is_lost(self, session: Session) -> bool:
        """Whether its connection is gone and no other has come in its place."""
        return session.id in self._lost

    def lose(self, session: Session, now: float) -> None:
        """The session's connection is gone. Forgets those that were lost too long ago."""
        session.follower = None
        if session.id not in self._by_id:
            return
        self._note_lost(session, now)
        while self._expiring and now - self._expiring[0][0] > self._keep_seconds:
            lost, session_id = self._expiring.popleft()
            if self._lost.get(session_id) == lost:
                self.end(self._by_id[session_id])

    def _note_lost(self, session: Session, now: float) -> None:
        self._lost[session.id] = now
        if session.role == "spectator":  # a player's session ends with their seat
            self._expiring.append((now, session.id))

    def end(self, session: Session) -> None:
        """Nothing opens the session any more."""
        was_given = bool(session.keys)  # else it is kept nowhere
        self._forget_keys(session)
        self._lost.pop(session.id, None)
        if self._by_id.pop(session.id, None) is not None and was_given:
            self._changes[session.id] = None

    def take_changes(self) -> list[tuple[SessionId, Session | None]]:
        """What is to be kept of what happened since the last call; None for those that are over."""
        changes = list(self._changes.items())
        self._changes.clear()
        return changes

    def take_over(self, session: Session, now: float) -> None:
        """A session of the process before this one, lost from this moment on."""
        self._made = max(self._made, int(session.id[1:]))
        self._add(session)
        self._by_key.update(dict.fromkeys(session.keys, session))
        self._note_lost(session, now)

    def _add(self, session: Session) -> None:
        self._by_id[session.id] = session
        self.longest_delay = max(self.longest_delay, session.delay)

    def _add_key(self, session: Session, token: Token) -> None:
        key = key_of(token)
        session.keys.append(key)
        self._by_key[key] = session

    def _forget_keys(self, session: Session, keep: int = 0) -> None:
        while len(session.keys) > keep:
            key = session.keys.pop(0)
            if self._by_key.get(key) is session:  # a client may come anew by the same attempt
                del self._by_key[key]


def key_of(token: Token) -> bytes:
    """A token's hash. It is looked up by that, so that the time this takes tells nothing about any
    token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
