"""The options of `phylactery load`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from server.cli.options import FLAG, number

EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery load ws://127.0.0.1:8750 --rooms 200 --spectators 5
  phylactery load ws://127.0.0.1:8750 --rooms 200 --churn --slow --verify --seconds 300
  phylactery load ws://127.0.0.1:8750 --rooms 1 --spectators 10000 --bystanders 1
"""

Url = Annotated[str, typer.Argument(metavar="URL", help="The server, ws:// only.")]
RoomCount = Annotated[int, typer.Option("--rooms", min=1, metavar="N", help="Rooms with players.")]
SpectatorCount = Annotated[
    int, typer.Option("--spectators", min=0, metavar="N", help="Spectators in each of them.")
]
Bystanders = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Rooms of two players and nobody else, measured apart."),
]
Seconds = Annotated[
    float,
    typer.Option(
        min=0.1, metavar="SECONDS", callback=number, help="To be measured, once all are in."
    ),
]
Churn = Annotated[
    bool,
    typer.Option("--churn", metavar=FLAG, help="A fifth drop their connection again and again."),
]
Slow = Annotated[
    bool,
    typer.Option(
        "--slow", metavar=FLAG, help="A tenth of the spectators read slowly, or not at all."
    ),
]
Verify = Annotated[
    bool,
    typer.Option("--verify", metavar=FLAG, help="A tenth run the mirror and check every digest."),
]
Turnover = Annotated[
    bool,
    typer.Option("--turnover", metavar=FLAG, help="Rooms are left after a battle, and made anew."),
]
Processes = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="Of simulated clients; 0: as many as there are cores to spare."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print figures for machines.")]


def check(*, slow: bool, spectators: int) -> None:
    """Refuses what nobody would do: a player never reads slowly."""
    if slow and not spectators:
        raise typer.BadParameter("--slow goes with --spectators; there are none")
