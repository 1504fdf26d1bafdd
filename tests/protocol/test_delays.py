"""How long a client waits before it tries again, and for how long it tries at all."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from protocol.messages import Bye, TickFrame
from protocol.mirror import Torn
from protocol.session import Backoff, Lost, Session

from .battles import BATTLE
from .test_session import BEGIN, joined, welcome


def cut(session: Session, now: float = 0.0) -> float:
    """The connection breaks; seconds until the next try."""
    lost = session.lost(1006, "", now)
    assert isinstance(lost, Lost)
    return lost.retry_seconds


def come_back(session: Session) -> None:
    session.retry()
    session.opened()
    session.received(welcome())


def test_delays_keep_to_their_bound_however_many_there_were() -> None:
    """As within a resume window of hours."""
    backoff = Backoff(Random(1), first=1.0, most=4.0)
    assert all(backoff.next() <= 4 for _ in range(2000))
    backoff.reset()
    assert backoff.next() <= 1


def test_every_loss_has_the_whole_window() -> None:
    session = joined()
    cut(session)
    come_back(session)
    cut(session, 3600)


def test_a_bye_is_heeded_once() -> None:
    session = joined()
    session.received(Bye(code=1012, reason="restart", retry_seconds=5.0))
    assert cut(session) > 5
    come_back(session)
    assert cut(session) <= 0.25


def test_trouble_is_forgotten_after_a_connection_without_any() -> None:
    session = joined()
    with pytest.raises(Exception, match="a frame of"):
        session.received(TickFrame(BATTLE, 0, 0, []))
    for _ in range(8):
        cut(session)
        come_back(session)
    assert cut(session) <= 0.25


def test_boards_that_are_none_are_trouble() -> None:
    session = joined()
    for _ in range(5):
        with pytest.raises(Torn):
            session.received(msgspec.structs.replace(BEGIN, boards={"a": {"units": 7}}))
        delay = cut(session)
        come_back(session)
    assert delay > 1
