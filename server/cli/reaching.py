"""Reaches a server for a person: forgiving about the URL, and clear about what went wrong."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import quote, urlsplit

from protocol.client import Client, GaveUp, NotAdmitted, open_client
from protocol.codes import CloseCode, ErrorCode
from protocol.messages import FirstMessage, RoomId
from server.cli.options import DEFAULT_SERVER
from server.cli.run import CommandFailed, first_of
from server.view.commentary import farewell

SCHEMES: Final = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}

# What stands in a path as it is (RFC 3986), and what is escaped already.
PATH: Final = "/:@!$&'()*+,;=%"

# Endings that are as good as any.
QUIET: Final = (CloseCode.NORMAL, CloseCode.ROOM_CLOSED)


def websocket_url(text: str) -> str:
    """`example.org:8750` or a page's address as the URL to connect to, in ASCII. Raises
    `CommandFailed`."""
    full = text if "://" in text else f"ws://{text}"
    try:
        parts = urlsplit(full)
        scheme, port = SCHEMES[parts.scheme], parts.port
        host = (parts.hostname or "").encode("idna").decode()  # "" of none
    except (KeyError, ValueError):
        raise _no_url(text) from None
    if not host or " " in host or parts.username is not None:
        raise _no_url(text)
    place = f"[{host}]" if ":" in host else host
    path = quote(parts.path.rstrip("/"), safe=PATH)
    return f"{scheme}://{place}{'' if port is None else f':{port}'}{path}"


def replay_url(server: str, battle: str) -> str:
    """Where that server has the replay of a battle, if it has it. Raises `CommandFailed`."""
    return f"{websocket_url(server).replace('ws', 'http', 1)}/replays/{quote(battle)}"


def _no_url(text: str) -> CommandFailed:
    return CommandFailed(f"{text} is no server's URL; one looks like ws://127.0.0.1:8750")


@asynccontextmanager
async def reach(server: str, first: FirstMessage, room: str | None = None) -> AsyncIterator[Client]:
    """A client of the server. Raises `CommandFailed` where it is not there or lets nobody in."""
    url = websocket_url(server)
    try:
        async with open_client(url, first, None if room is None else RoomId(room)) as client:
            yield client
    # The block may wait for the client inside of nurseries, which wrap what it raises.
    except* NotAdmitted as refused:
        raise _not_admitted(first_of(refused), first) from None
    except* GaveUp as gave_up:
        raise _unreachable(url, first_of(gave_up)) from None


def _unreachable(url: str, gave_up: BaseException) -> CommandFailed:
    """With advice to start a server only where nobody answered."""
    if gave_up.__cause__ is None or not isinstance(gave_up.__cause__, OSError):
        return CommandFailed(f"cannot come in at {url}: {gave_up}")
    return CommandFailed(
        f"no server can be reached at {url} ({gave_up});"
        " `phylactery serve` starts one on this machine"
    )


def _not_admitted(refused: BaseException, first: FirstMessage) -> CommandFailed:
    assert isinstance(refused, NotAdmitted), "one of another kind was caught"
    if refused.error.code == ErrorCode.WRONG_KEY and getattr(first, "key", None) is None:
        return CommandFailed("the room is private; say its key with --key")
    faults = (f"{fault.path}: {fault.message}" for fault in refused.error.faults)
    return CommandFailed(_sentence(refused.error.message), faults)


def command_line(*words: str, key: str | None = None, server: str) -> str:
    """A command of ours that others say to come to the same server, ready for their shell."""
    access = [] if key is None else ["--key", key]
    place = [] if server == DEFAULT_SERVER else ["--server", server]
    return shlex.join(["phylactery", *words, *access, *place])


def check_ending(client: Client) -> None:
    """Raises `CommandFailed` if the server ended the session in a way a person must know of."""
    ending = client.session.ending
    if ending is not None and ending.how == "closed" and ending.code not in QUIET:
        raise CommandFailed(_sentence(farewell(ending.code, ending.reason)))


def _sentence(text: str) -> str:
    """As what stands after `phylactery: `."""
    return text[:1].lower() + text[1:].rstrip(".")
