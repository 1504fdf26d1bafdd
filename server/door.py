"""The door: every socket that is open is counted here, before a byte of it is read.

A connection that never finishes its handshake, or has just lost it, holds a file and memory like
any other. So the limits on connections are on sockets, whatever has come of them. Up to the limit
a connection is served; a little past it there is room to be told no, by HTTP; past that a socket
is closed unread. Only the socket itself knows when it is closed, and nobody is told: those that
are closed are swept out when the numbers matter.
"""

from __future__ import annotations

import errno
import socket
from collections import Counter
from typing import Final, Protocol

import structlog
import trio

from server.addresses import GONE, Network, is_trusted, sender
from server.bucket import Buckets
from server.limits import Limits
from server.open_files import allow_open_files

# Sockets past a limit that are still told no: an eighth more, and a few.
SPARE: Final = 16

# Files that are not connections: the data file, listeners, logs, a replay that is being read.
OTHER_FILES: Final = 64

# With one connection that is served.
LEAST_FILES: Final = OTHER_FILES + SPARE + 1

# Between two sweeps at a limit that found nobody gone. Each goes over all that are open.
SWEEP_SECONDS: Final = 0.1

_NO_MORE: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS)

log = structlog.get_logger()


class Socket(Protocol):
    """What is counted."""

    def fileno(self) -> int:
        """-1 once it is closed."""


class Group:
    """Open sockets that are counted together, against one limit."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._sockets: list[Socket] = []
        self._swept_at = -SWEEP_SECONDS

    def __len__(self) -> int:
        """How many may be open; some may have been closed since the last sweep."""
        return len(self._sockets)

    def add(self, one: Socket) -> None:
        self._sockets.append(one)

    def sweep(self) -> None:
        """Forgets those that are closed."""
        self._sockets = [one for one in self._sockets if one.fileno() != -1]

    def exceeds(self, most: int, now: float) -> bool:
        """Whether more than this are open. Exact, but for the time between two sweeps."""
        if len(self._sockets) > most and now - self._swept_at >= SWEEP_SECONDS:
            self.sweep()
            self._swept_at = now if len(self._sockets) > most else self._swept_at
        return len(self._sockets) > most


class Crowd:
    """All open sockets, by address. Decides who is let in; knows no clock."""

    def __init__(self, limits: Limits, proxies: tuple[Network, ...] = (), files: int = 1 << 30):
        self._limits = limits
        self._proxies = proxies
        self._all = Group(limits.connections)
        self._files = files - OTHER_FILES
        self._groups: dict[str, Group] = {}
        # What is said on a connection has rates of its own; these say nothing.
        self._comers = Buckets(
            limits.requests_per_second + limits.handshakes_per_second,
            limits.requests_burst + limits.connections_per_address,
        )
        self._size_after_sweep = 0
        self.came = 0  # sockets that were let in, in all

    def __len__(self) -> int:
        return len(self._all)

    @property
    def most(self) -> int:
        """How many are served at once: the limit, or what the system has files for."""
        return min(self._all.most, self._files - SPARE)

    def let_in(self, peer: str, one: Socket, now: float) -> bool:
        """Counts a socket, unless there is not even room, or time, to say no to it."""
        self._clean()
        address = sender(peer, (), ())
        if not is_trusted(peer, self._proxies) and not self._comers.take(address, now):
            return False
        group = self._groups.get(address) or Group(self._most(peer))
        most = min(_with_spare(self._all.most), self._files)
        if self._all.exceeds(most - 1, now) or group.exceeds(_with_spare(group.most) - 1, now):
            return False
        self._all.add(one)
        group.add(one)
        self._groups[address] = group
        self.came += 1
        return True

    def is_full(self, now: float) -> bool:
        """Whether more are open than the server takes."""
        return self._all.exceeds(self.most, now)

    def is_one_too_many(self, peer: str, now: float) -> bool:
        """Whether more are open from this address than it may have."""
        group = self._groups.get(sender(peer, (), ()))
        return group is not None and group.exceeds(group.most, now)

    def _most(self, peer: str) -> int:
        """Everyone comes from a proxy's address: those behind it are counted by what it says."""
        trusted = is_trusted(peer, self._proxies)
        return self._limits.connections if trusted else self._limits.connections_per_address

    def _clean(self) -> None:
        """Keeps what is remembered in proportion to what is open."""
        if len(self._all) <= 2 * self._size_after_sweep + SPARE:
            return
        self._all.sweep()
        for group in self._groups.values():
            group.sweep()
        self._groups = {address: group for address, group in self._groups.items() if len(group)}
        self._size_after_sweep = len(self._all)


class Door(trio.abc.Listener[trio.SocketStream]):
    """A listener that gives out only those whom the crowd lets in."""

    def __init__(self, listener: trio.SocketListener, crowd: Crowd, refused: Counter[str]) -> None:
        self.socket = listener.socket
        self._refused = refused
        self._listener = listener
        self._crowd = crowd

    async def accept(self) -> trio.SocketStream:
        while True:
            stream = await self._next()
            if self._crowd.let_in(peer_of(stream), stream.socket, trio.current_time()):
                return stream
            self._refused["door"] += 1
            await trio.aclose_forcefully(stream)

    async def aclose(self) -> None:
        await self._listener.aclose()

    async def _next(self) -> trio.SocketStream:
        while True:
            try:
                return await self._listener.accept()
            except OSError as error:
                if error.errno not in _NO_MORE:
                    raise
                log.warning("no more connections can be taken", why=error.strerror)
                await trio.sleep(SWEEP_SECONDS)


def files_for(limits: Limits) -> int:
    """How many files may be open, after asking the system for as many as the limits need. Raises
    `OSError` where that leaves none for a connection."""
    files, least = allow_open_files(_with_spare(limits.connections) + OTHER_FILES), LEAST_FILES
    if files < least:
        raise OSError(
            errno.EMFILE,
            f"the system allows this process {files} open files, and it takes {least} to serve"
            " anybody; raise the limit (ulimit -n, or LimitNOFILE= of the service)",
        )
    return files


def peer_of(stream: trio.abc.Stream) -> str:
    """The address at the other end of the socket; `gone` where it is closed already."""
    found = socket_of(stream)
    try:
        return str(found.getpeername()[0]) if found is not None else GONE
    except OSError:
        return GONE


def socket_of(stream: trio.abc.Stream) -> trio.socket.SocketType | None:
    """The socket below a stream, with TLS or without; None where there is none."""
    below = stream.transport_stream if isinstance(stream, trio.SSLStream) else stream
    return below.socket if isinstance(below, trio.SocketStream) else None


def send_no_more_than(stream: trio.abc.Stream, size: int) -> None:
    """Bounds what the system holds for one connection, unsent."""
    found = socket_of(stream)
    if found is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)


def _with_spare(most: int) -> int:
    return most + most // 8 + SPARE
