"""Whose connection it is, through proxies and without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.addresses import is_loopback, is_name, is_trusted, read_network, sender

PROXIES = (read_network("10.0.0.0/8"), read_network("127.0.0.1"), read_network("fd00::/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("9.9.9.9", [], "9.9.9.9"),
        ("9.9.9.9", ["1.1.1.1"], "9.9.9.9"),  # nobody of ours: what it says is its own affair
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["1.1.1.1"], "1.1.1.1"),
        ("127.0.0.1", ["6.6.6.6, 1.1.1.1"], "1.1.1.1"),  # the left one is the stranger's lie
        ("127.0.0.1", ["6.6.6.6,1.1.1.1, 10.1.2.3"], "1.1.1.1"),
        ("127.0.0.1", ["6.6.6.6", "1.1.1.1"], "1.1.1.1"),  # two headers are one list
        ("10.0.0.1", ["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
        ("127.0.0.1", ["1.1.1.1, unknown"], "127.0.0.1"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("127.0.0.1", ["1.1.1.1:4711"], "1.1.1.1"),
        ("::ffff:9.9.9.9", [], "9.9.9.9"),
        ("fd00::1", ["[2001:db8:1:2:3::4]:80"], "2001:db8:1:2::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        ("gone", ["1.1.1.1"], "gone"),
    ],
)
def test_the_sender_is_the_rightmost_who_is_no_proxy(
    peer: str, forwarded: list[str], found: str
) -> None:
    assert sender(peer, forwarded, PROXIES) == found


@given(st.lists(st.text(alphabet="0123456789abcdef.:,[]%/ x")))
def test_no_stranger_chooses_their_own_address(forwarded: list[str]) -> None:
    assert sender("9.9.9.9", forwarded, PROXIES) == "9.9.9.9"
    assert sender("127.0.0.1", [*forwarded, "9.9.9.9"], PROXIES) == "9.9.9.9"
    sender("127.0.0.1", forwarded, PROXIES)


def test_one_of_a_network_counts_as_all_of_it() -> None:
    one, other, third = (
        sender(peer, [], ()) for peer in ("2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1")
    )
    assert one == other != third


@pytest.mark.parametrize(
    ("host", "loopback", "name"),
    [
        ("127.0.0.1", True, False),
        ("127.8.8.8", True, False),
        ("::1", True, False),
        ("localhost", True, False),
        ("0.0.0.0", False, False),  # noqa: S104 - what everyone can reach
        ("::", False, False),
        ("192.168.0.1", False, False),
        ("example.org", False, True),
        ("", False, True),
    ],
)
def test_hosts(host: str, loopback: bool, name: bool) -> None:
    assert is_loopback(host) is loopback
    assert is_name(host) is name


def test_networks() -> None:
    assert is_trusted("10.9.9.9", PROXIES)
    assert not is_trusted("11.0.0.1", PROXIES)
    assert not is_trusted("nobody", PROXIES)
    with pytest.raises(ValueError, match="does not appear"):
        read_network("example.org")
