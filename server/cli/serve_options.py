"""`phylactery serve`: every setting of the server as a flag and as an environment variable.

The limits' flags are made from `Limits` itself and its table of ranges, so that a new one needs a
sentence here and no more; a test sees to the sentence.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from server.cli.options import number
from server.limits import RANGES, WEEK_SECONDS, Limits

EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery serve
  phylactery serve --port 9000 --rooms 100
  PHYLACTERY_PORT=9000 phylactery serve

Then, in another terminal: phylactery play red-kennel --create
"""

LIMIT_HELP: Final[Mapping[str, str]] = {
    "connections": "Connections in all.",
    "connections_per_address": "Connections from one address.",
    "hello_seconds": "Time for a connection's first message.",
    "hello_bytes": "The longest first message.",
    "ping_seconds": "Between keepalive pings, and for the answer to one.",
    "message_bytes": "The longest message that is not a reason to close.",
    "messages_per_second": "Messages a client may send, over time.",
    "messages_burst": "Messages a client may send at once.",
    "messages_refused": "Messages in a row that come too fast, before the connection is closed.",
    "address_messages_per_second": "Messages from one address, over time.",
    "address_refusals_per_second": "Refusals of wrong messages to one address, over time.",
    "address_refusals_burst": "Refusals of wrong messages to one address at once.",
    "frames_per_second": "WebSocket frames, pings among them, a client may send, over time.",
    "frames_burst": "WebSocket frames a client may send at once.",
    "requests_per_second": "Plain HTTP requests from one address, over time.",
    "requests_burst": "Plain HTTP requests from one address at once.",
    "handshakes_per_second": "WebSocket handshakes from one address, over time.",
    "private_messages": "Messages to one client that wait for it to read.",
    "private_bytes": "Bytes of the messages to one client that wait for it to read.",
    "send_bytes": "Bytes joined into one send to a client that catches up.",
    "socket_bytes": "Unsent bytes that the system holds for one connection.",
    "stall_seconds": "A client that reads nothing for so long is closed.",
    "behind_seconds": "A client that is later than this gets a fresh snapshot.",
    "close_seconds": "For what is left to send when a connection closes.",
    "rooms": "Rooms in all.",
    "rooms_per_player": "Open rooms that one player, by ticket, has made.",
    "rooms_per_address": "Open rooms that were made from one address.",
    "spectators": "Spectators of one room.",
    "resume_seconds": "How long the seat of one who is away is kept.",
    "waiting_seconds": "How long a room waits for an opponent.",
    "building_seconds": "How long a room waits for both to be ready.",
    "over_seconds": "How long a decided room waits for a rematch.",
    "offer_seconds": "Alone in the queue for so long, a stored opponent is offered.",
    "census_seconds": "Until all are told that spectators, or a player, came or went.",
    "battle_grace_seconds": "Past its time limit for so long, a battle is void.",
    "hang_seconds": "A battle whose tick takes more of the processor's time is void.",
    "boards": "Boards kept for those who find no live opponent.",
    "boards_per_player": "Of them, boards of one player.",
    "records": "Records kept of rooms that are closed.",
    "replays": "Replays kept of battles that have ended.",
}


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"PHYLACTERY_{name.upper()}"


Host = Annotated[
    str, typer.Option(metavar="ADDRESS", envvar=variable("host"), help="Where to listen.")
]
Port = Annotated[
    int,
    typer.Option(
        min=0, max=65535, metavar="N", envvar=variable("port"), help="0: any that is free."
    ),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--origin",
        metavar="ORIGIN",
        envvar=variable("origins"),
        help="A web page's origin that may connect, besides the server's own. Can be repeated.",
        rich_help_panel="Security",
    ),
]
TicketSecret = Annotated[
    str | None,
    typer.Option(
        metavar="SECRET",
        envvar=variable("ticket_secret"),
        help="Lets in who has a ticket signed with this secret, of 32 bytes or more. Better in"
        " the environment: a command line can be seen by everyone on the machine.",
        rich_help_panel="Security",
    ),
]
TicketKey = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar=variable("ticket_key"),
        help="Lets in who has a ticket signed by the owner of this public key (PEM).",
        rich_help_panel="Security",
    ),
]
TlsCert = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar=variable("tls_cert"),
        help="The certificate, with its chain (PEM). The server then speaks wss and https.",
        rich_help_panel="Security",
    ),
]
TlsKey = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar=variable("tls_key"),
        help="The certificate's private key (PEM).",
        rich_help_panel="Security",
    ),
]
TrustedProxies = Annotated[
    list[str] | None,
    typer.Option(
        "--trusted-proxy",
        metavar="CIDR",
        envvar=variable("trusted_proxies"),
        help="A proxy whose X-Forwarded-For is believed, like 10.0.0.0/8. Can be repeated.",
        rich_help_panel="Security",
    ),
]
Faults = Annotated[
    Path,
    typer.Option(
        metavar="FOLDER",
        envvar=variable("faults"),
        help="Where a battle that failed is kept, to be repeated.",
    ),
]

Data = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        envvar=variable("data"),
        help="Where rooms, sessions, battles and replays are kept; `none`: nowhere.",
    ),
]
Grace = Annotated[
    float,
    typer.Option(
        min=0,
        max=WEEK_SECONDS,
        metavar="SECONDS",
        callback=number,
        envvar=variable("grace"),
        help="How long running battles may still take once the server is told to stop.",
    ),
]
LogLevel = Annotated[
    Literal["debug", "info", "warning", "error"],
    typer.Option(envvar=variable("log_level"), help="The least that is logged."),
]


def with_limits(command: Callable[..., int]) -> Callable[..., int]:
    """The command, its `**limits` made into an option for each of the limits."""
    plain = [
        parameter
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    limits = [_limit_option(field) for field in dataclasses.fields(Limits)]
    command.__signature__ = inspect.Signature([*plain, *limits])  # type: ignore[attr-defined]
    return command


def _limit_option(field: dataclasses.Field[int | float]) -> inspect.Parameter:
    least, most = RANGES[field.name]
    option = typer.Option(
        f"--{field.name.replace('_', '-')}",
        min=least,
        max=most,
        metavar="N",
        callback=number,
        envvar=variable(field.name),
        help=LIMIT_HELP.get(field.name, ""),
        rich_help_panel="Limits",
    )
    kind = type(field.default)
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=field.default,
        annotation=Annotated[kind, option],
    )
