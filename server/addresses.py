"""Whose connection it is: addresses as they are counted, through proxies and without.

What a request says about its sender is believed only where a proxy of the operator's has said it.
Nothing here knows of sockets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# One household or machine is given a whole network of this length: it counts as one.
IPV6_PREFIX: Final = 64

# Of a connection that was reset before it could be asked.
GONE: Final = "gone"


def sender(peer: str, forwarded: Iterable[str], trusted: Sequence[Network]) -> str:
    """The address behind a connection from `peer`, as it is counted.

    `forwarded` are the values of `X-Forwarded-For`, each a list that every proxy on the way adds
    its own peer to. They are read from the right, and no further than the first that is not one of
    the trusted proxies: all to the left of it is what a stranger says.
    """
    found = _address(peer)
    if found is None:
        return GONE
    hops = [hop for value in forwarded for hop in value.split(",")]
    while hops and is_trusted(found, trusted):
        before = _address(hops.pop())
        if before is None:
            break  # a proxy that says nonsense is as far as can be told
        found = before
    return counted(found)


def counted(address: Address) -> str:
    """The address, or the network that counts as one."""
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, IPV6_PREFIX), strict=False))
    return str(address)


def is_trusted(address: Address | str, trusted: Sequence[Network]) -> bool:
    """Whether it is one of these proxies."""
    found = _address(address) if isinstance(address, str) else address
    return found is not None and any(found in network for network in trusted)


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to a server that listens here."""
    found = _address(host)
    return found.is_loopback if found is not None else host.lower() == "localhost"


def is_name(host: str) -> bool:
    """Whether it is a name of the DNS, which whoever owns it may point anywhere."""
    return _address(host) is None and host.lower() != "localhost"


def read_network(text: str) -> Network:
    """`10.0.0.0/8`, or one address. Raises `ValueError`."""
    return ip_network(text.strip())


def _address(text: str) -> Address | None:
    """The address in `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]:80` or `fe80::1%eth0`."""
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        found = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    # What an IPv4 client looks like to a socket that listens to both.
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
