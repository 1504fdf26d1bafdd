"""Who is let in at the door, and what is remembered of those who were there."""

from __future__ import annotations

from server.addresses import read_network
from server.door import OTHER_FILES, SPARE, Crowd
from server.limits import Limits


class Plug:
    """A socket as the door sees it."""

    def __init__(self) -> None:
        self.open = True

    def fileno(self) -> int:
        return 7 if self.open else -1


def fill(crowd: Crowd, peer: str, now: float = 0.0) -> list[Plug]:
    """As many as are let in."""
    plugs = [Plug()]
    while crowd.let_in(peer, plugs[-1], now):
        plugs.append(Plug())
    return plugs[:-1]


def test_a_few_past_the_limit_are_let_in_to_be_told_no() -> None:
    crowd = Crowd(Limits(connections=1000, connections_per_address=80))
    assert len(fill(crowd, "1.1.1.1")) == 80 + 10 + SPARE
    assert crowd.is_one_too_many("1.1.1.1", 0)
    assert not crowd.is_one_too_many("1.1.1.2", 0)
    assert not crowd.is_full(0)


def test_a_full_house_is_full_for_everyone() -> None:
    crowd = Crowd(Limits(connections=80, connections_per_address=1000))
    assert len(fill(crowd, "1.1.1.1")) == 80 + 10 + SPARE
    assert crowd.is_full(0)
    assert not crowd.let_in("1.1.1.2", Plug(), 0)


def test_exactly_as_many_as_the_limit_are_served() -> None:
    crowd = Crowd(Limits(connections=5, connections_per_address=5))
    for _ in range(5):
        assert crowd.let_in("1.1.1.1", Plug(), 0)
    assert not crowd.is_full(0)
    assert not crowd.is_one_too_many("1.1.1.1", 0)
    assert crowd.let_in("1.1.1.1", Plug(), 0)
    assert crowd.is_full(0)
    assert crowd.is_one_too_many("1.1.1.1", 0)


def test_who_has_gone_makes_room() -> None:
    crowd = Crowd(Limits(connections=1000, connections_per_address=80))
    plugs = fill(crowd, "1.1.1.1")
    for plug in plugs[:50]:
        plug.open = False
    assert len(fill(crowd, "1.1.1.1", now=1.0)) == 50


def test_a_flood_at_the_limit_is_not_paid_for_by_looking_at_all_of_them_each_time() -> None:
    crowd = Crowd(Limits(connections=1000, connections_per_address=80))
    plugs = fill(crowd, "1.1.1.1")
    plugs[0].open = False
    assert not crowd.let_in("1.1.1.1", Plug(), now=0.01)  # looked just now, and nobody had gone
    assert crowd.let_in("1.1.1.1", Plug(), now=0.2)


def test_ipv6_neighbours_are_one_and_a_proxy_is_all() -> None:
    limits = Limits(connections=1000, connections_per_address=80)
    crowd = Crowd(limits, (read_network("10.0.0.0/8"),))
    fill(crowd, "2001:db8::1")
    assert not crowd.let_in("2001:db8::ffff", Plug(), 0)
    assert crowd.let_in("2001:db8:0:1::1", Plug(), 0)
    assert len(fill(crowd, "10.0.0.1")) > 800


def test_no_more_than_the_system_has_files_for() -> None:
    crowd = Crowd(Limits(), files=OTHER_FILES + 200)
    assert crowd.most == 200 - SPARE
    assert len(fill(crowd, "1.1.1.1")) == 200


def test_nothing_is_remembered_of_those_who_came_and_went() -> None:
    crowd = Crowd(Limits())
    for number in range(50_000):
        plug = Plug()
        assert crowd.let_in(f"9.{number >> 16}.{number >> 8 & 255}.{number & 255}", plug, number)
        plug.open = False
    assert len(crowd) <= 2 * SPARE
    assert len(crowd._groups) <= 2 * SPARE


def test_who_comes_and_goes_too_fast_is_not_let_in() -> None:
    limits = Limits(
        connections_per_address=30,
        requests_burst=10,
        requests_per_second=3,
        handshakes_per_second=2,
    )
    crowd = Crowd(limits, (read_network("10.0.0.0/8"),))

    def come(peer: str, now: float) -> bool:
        plug = Plug()
        let_in = crowd.let_in(peer, plug, now)
        plug.open = False
        return let_in

    assert [come("7.7.7.7", 0) for _ in range(50)] == [True] * 40 + [False] * 10
    assert [come("7.7.7.7", 1) for _ in range(7)] == [True] * 5 + [False] * 2
    assert come("8.8.8.8", 1)
    assert all(come("10.0.0.1", 1) for _ in range(100))  # a proxy has no rate
