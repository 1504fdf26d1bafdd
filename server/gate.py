"""Who may come at all, and as whom: by ticket where the operator asks for one, by the page a
browser is on, and by the address they come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
from websockets.datastructures import Headers

from protocol.messages import Create, Join, Quick, Role, Watch
from server import tickets
from server.addresses import is_name
from server.callers import Caller

Hello = Create | Join | Quick | Watch


def admit_ticket(
    reader: tickets.Tickets | None, place: str, hello: Hello, caller: Caller
) -> tuple[Hello, Caller]:
    """The first message and its caller as their ticket has them. Raises `Refusal`.

    Where no tickets are asked for, everyone is a guest, under the name they say. A `resume` needs
    none: its token is proof, and lives no longer than the seat.
    """
    if reader is None:
        return hello, caller
    ticket = reader.read(hello.ticket)
    role: Role = "spectator" if isinstance(hello, Watch) else "player"
    room = None if isinstance(hello, (Create, Quick)) else place
    tickets.check_place(ticket, role, room)
    known = caller._replace(player=ticket.player)
    if ticket.name is not None and not isinstance(hello, Watch):
        return msgspec.structs.replace(hello, name=ticket.name), known
    return hello, known


def is_origin_allowed(headers: Headers, allowed: Sequence[str], *, names: bool) -> bool:
    """A browser says which page opens the connection: only our own may, and those configured.

    Programs that are no browsers send no origin; a page cannot leave it out. What our own origin
    is, the browser says too: the host it was told to connect to. A name in the DNS is believed
    only with `names`: whoever owns one can point it to this machine, for a page of their own.
    """
    origins = headers.get_all("Origin")
    if not origins:
        return True
    if len(origins) > 1:
        return False
    origin = origins[0]
    return origin in allowed or _is_own(origin, headers.get_all("Host"), names=names)


def sharing(headers: Headers, allowed: Sequence[str]) -> dict[str, str]:
    """The headers with which a browser lets a page of another origin read an answer."""
    origins = headers.get_all("Origin")
    if len(origins) == 1 and origins[0] in allowed:
        return {"Access-Control-Allow-Origin": origins[0], "Vary": "Origin"}
    return {"Vary": "Origin"} if allowed else {}


def _is_own(origin: str, hosts: list[str], *, names: bool) -> bool:
    try:
        page = urlsplit(origin)
        host = page.hostname
    except ValueError:  # brackets that hold no address
        return False
    if host is None or (is_name(host) and not names):
        return False
    return [page.netloc.lower()] == [said.lower() for said in hosts]
