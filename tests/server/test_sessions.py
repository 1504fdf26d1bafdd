"""Who may come back as whom."""

from __future__ import annotations

import itertools

import pytest

from protocol.messages import Token
from server.commands import SessionId
from server.sessions import Session, Sessions

KEEP = 60.0


def sessions() -> Sessions:
    numbers = itertools.count()
    return Sessions(lambda: Token(f"token-{next(numbers)}"), KEEP)


def test_a_session_that_was_given_to_nobody_leaves_no_trace() -> None:
    sessions = Sessions(lambda: Token("t"), 60)
    sessions.end(sessions.open("player", 7))
    assert sessions.take_changes() == []


def test_a_token_opens_its_own_session() -> None:
    all_of_them = sessions()
    one, two = all_of_them.open("player", 7), all_of_them.open("spectator", 1)
    first, second = all_of_them.rotate(one), all_of_them.rotate(two)
    assert all_of_them.find(first, 0) is one
    assert all_of_them.find(second, 0) is two
    assert all_of_them.find(Token("token-9"), 0) is None


def test_no_token_is_kept_as_it_is() -> None:
    all_of_them = sessions()
    token = all_of_them.rotate(all_of_them.open("player", 7))
    assert token not in repr(vars(all_of_them))
    assert token not in repr([vars(session) for session in all_of_them])


def test_the_used_token_lives_until_the_new_one_is_settled_and_others_do_not() -> None:
    all_of_them = sessions()
    session = all_of_them.open("player", 7)
    first = all_of_them.rotate(session)
    second = all_of_them.rotate(session, first)
    third = all_of_them.rotate(session, first)
    assert [all_of_them.find(t, 0) for t in (first, second, third)] == [session, None, session]
    all_of_them.settle(session, second)  # which is good for nothing itself
    assert all_of_them.find(first, 0) is session
    all_of_them.settle(session, third)
    assert [all_of_them.find(t, 0) for t in (first, second, third)] == [None, None, session]


def test_an_attempt_opens_a_session_until_it_was_resumed() -> None:
    all_of_them = sessions()
    attempt = Token("an attempt")
    one, two = (all_of_them.open("player", 7) for _ in range(2))
    token = all_of_them.rotate(one, attempt)
    all_of_them.rotate(two, Token("another"))
    assert [all_of_them.find(t, 0) for t in (attempt, token)] == [one, one]
    all_of_them.rotate(one, token)
    assert [all_of_them.find(t, 0) for t in (attempt, token)] == [None, one]
    assert all_of_them.find(Token("another"), 0) is two


def test_the_attempt_of_one_who_stayed_away_may_be_made_anew() -> None:
    """The session before it is still there, and is forgotten later."""
    all_of_them = sessions()
    attempt = Token("an attempt")
    before, now = (all_of_them.open("spectator", 7) for _ in range(2))
    all_of_them.rotate(before, attempt)
    all_of_them.lose(before, 0)
    assert all_of_them.find(attempt, 100) is None
    all_of_them.rotate(now, attempt)
    all_of_them.lose(now, 101)
    assert list(all_of_them) == [now]
    assert all_of_them.find(attempt, 101) is now
    all_of_them.end(now)
    assert all_of_them.find(attempt, 101) is None


def test_the_newest_token_and_the_lost_session_are_known_as_such() -> None:
    all_of_them = sessions()
    session = all_of_them.open("player", 7)
    first = all_of_them.rotate(session)
    second = all_of_them.rotate(session, first)
    assert [all_of_them.is_newest(session, token) for token in (first, second)] == [False, True]
    assert not all_of_them.is_lost(session)
    all_of_them.lose(session, 0)
    assert all_of_them.is_lost(session)
    all_of_them.rotate(session, second)
    assert not all_of_them.is_lost(session)


@pytest.mark.parametrize("role", ["player", "spectator"])
def test_a_lost_session_is_kept_for_the_window(role: str) -> None:
    all_of_them = sessions()
    session = all_of_them.open("player" if role == "player" else "spectator", 7)
    token = all_of_them.rotate(session)
    all_of_them.lose(session, 100)
    assert all_of_them.find(token, 100 + KEEP) is session
    assert all_of_them.find(token, 101 + KEEP) is None
    token = all_of_them.rotate(session, token)  # it came back in time
    assert all_of_them.find(token, 1000) is session


def test_spectators_who_stay_away_are_forgotten() -> None:
    """Ten thousand who came and went leave nothing behind."""
    all_of_them = sessions()
    for second in range(10_000):
        session = all_of_them.open("spectator", 7)
        all_of_them.rotate(session)
        all_of_them.lose(session, float(second))
    assert len(list(all_of_them)) == KEEP + 1


def test_a_spectator_who_came_back_is_not_forgotten() -> None:
    all_of_them = sessions()
    session, other = all_of_them.open("spectator", 7), all_of_them.open("spectator", 7)
    token = all_of_them.rotate(session)
    all_of_them.lose(session, 0)
    token = all_of_them.rotate(session, token)
    all_of_them.lose(other, 1000)
    assert all_of_them.find(token, 1000) is session


def test_an_ended_session_is_opened_by_nothing_and_stays_ended() -> None:
    all_of_them = sessions()
    session = all_of_them.open("player", 7)
    token = all_of_them.rotate(session)
    all_of_them.end(session)
    all_of_them.lose(session, 5)
    assert all_of_them.find(token, 5) is None
    assert list(all_of_them) == []


def test_it_is_to_be_kept_that_a_token_is_good_no_more() -> None:
    all_of_them = sessions()
    session = all_of_them.open("player", 7)
    first = all_of_them.rotate(session)
    second = all_of_them.rotate(session, first)
    all_of_them.take_changes()
    all_of_them.settle(session, second)
    assert all_of_them.take_changes() == [(session.id, session)]
    all_of_them.settle(session, second)
    assert all_of_them.take_changes() == []


def test_the_longest_delay_is_that_of_all_there_ever_were() -> None:
    all_of_them = sessions()
    assert all_of_them.longest_delay == 0
    all_of_them.end(all_of_them.open("spectator", 7, 5.0))
    assert all_of_them.longest_delay == 5
    all_of_them.take_over(Session(SessionId("s8"), "spectator", 7, 9.0), 0)
    all_of_them.open("spectator", 7, 1.0)
    assert all_of_them.longest_delay == 9


def test_numbers_of_sessions_go_on_after_those_that_were_taken_over() -> None:
    all_of_them = sessions()
    for number in ("p7", "s3"):
        all_of_them.take_over(Session(SessionId(number), "player", 7), 0)
    assert all_of_them.open("player", 7).id == "p8"


def test_a_spectator_who_was_lost_anew_has_the_whole_window_anew() -> None:
    all_of_them = sessions()
    session, other = all_of_them.open("spectator", 7), all_of_them.open("spectator", 7)
    token = all_of_them.rotate(session)
    all_of_them.lose(session, 0)
    token = all_of_them.rotate(session, token)
    all_of_them.lose(session, 50)
    all_of_them.lose(other, 61)
    assert all_of_them.find(token, 61) is session


def test_a_spectator_who_has_left_is_lost_no_more() -> None:
    all_of_them = sessions()
    session, other = all_of_them.open("spectator", 7), all_of_them.open("spectator", 7)
    all_of_them.rotate(session)
    all_of_them.lose(session, 0)
    all_of_them.end(session)
    assert not all_of_them.is_lost(session)
    all_of_them.lose(other, 1000)
    assert list(all_of_them) == [other]
