"""The options of the commands, and their help: what can be said, in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Final, Literal

import typer

DEFAULT_SERVER: Final = "ws://127.0.0.1:8750"

Channel = Literal["tick", "revival", "vessel"]
CHANNELS: Final[tuple[Channel, ...]] = ("tick", "revival", "vessel")
USUAL_BEST_OF: Final = 3
SPEEDS: Final[dict[int, Literal[1, 2, 4]]] = {1: 1, 2: 2, 4: 4}

# The parameters that name files, or boards, which may be files.
NAMES_OF_FILES: Final = {"board", "boards", "change", "data", "file", "files", "replay"}

# Beside a flag nothing is to stand; left alone, the help puts `<bool>` there.
FLAG: Final = " "

EXAMPLES: Final = """\
[bold]To begin with:[/bold]

  phylactery demo                      two bots fight, live in this terminal
  phylactery serve                     a server on this machine, port 8750
  phylactery play red-kennel --quick   fight whoever is there, or a stored board
  phylactery watch ROOM                look on
  phylactery replay ID                 a battle that is over, once more
  phylactery battle FILE > log.jsonl   one battle, without a server
"""

DEMO_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery demo
  phylactery demo --boards red-kennel frozen-ledger --speed 2
  phylactery demo --rounds 1 --speed 4 | grep returns
"""

PLAY_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery play red-kennel                       whoever is there (same as --quick)
  phylactery play my-board.json --create           a room; prints what to send a friend
  phylactery play my-board.json --create --private a room that asks for a key
  phylactery play seven-vows --room k3f9x2         the free seat of a room

[bold]Reading a cell of the board:[/bold] name, Vessels and points toward the next (●+7); \
Vitality; Charge; Dread, Burn, and Freeze with its seconds (D2 B1 F1.5); Power, Speed, Armor, Ward.
"""

WATCH_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery watch k3f9x2
  phylactery watch k3f9x2 --from-start
  phylactery watch k3f9x2 --delay 30 --channels revival,vessel
"""

BATTLE_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery battle battle.json > log.jsonl
  make-a-battle | phylactery battle - | tail -1
"""

TICKET_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  export PHYLACTERY_TICKET_SECRET=$(openssl rand -base64 48)
  phylactery serve --host 0.0.0.0
  phylactery ticket --player ada --name Ada
  phylactery play red-kennel --server ws://example.org:8750 --ticket TICKET
"""

VALIDATE_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery validate my-board.json
  phylactery validate new-cards.toml battle.json
  phylactery validate my-board.json --change new-cards.toml
"""


Speed = Annotated[
    int,
    typer.Option(metavar="1|2|4", help="How many times as fast battles run."),
]


def number(value: float) -> float:
    """Refuses what only looks like a number: no limit holds against it, and it lies in any range
    or has no end."""
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number")
    return value


def check_text(values: Mapping[str, object]) -> None:
    """Refuses words that are no Unicode, as a shell hands them on. Only a file may be called so."""
    for name, value in values.items():
        words = value if isinstance(value, list) else [value]
        if name not in NAMES_OF_FILES and not all(map(_is_text, words)):
            raise typer.BadParameter(f"{name.replace('_', ' ')}: must be UTF-8")


def _is_text(word: object) -> bool:
    if isinstance(word, str):
        try:
            word.encode()
        except UnicodeEncodeError:
            return False
    return True


# For tests and for looking at many battles: faster still, and no client can tell.
Pace = Annotated[
    float, typer.Option(hidden=True, callback=number, min=0.01, max=1000, envvar="PHYLACTERY_PACE")
]

BattleFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A battle as JSON; - for standard input.")
]
ValidateFiles = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="JSON, or TOML if named so; - for standard input."),
]

ValidateChange = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Cards, runes and resonances (TOML, JSON) that boards may have besides.",
    ),
]

BoardArgument = Annotated[
    str, typer.Argument(metavar="BOARD", help="A board's file, or the name of a sample board.")
]
RoomArgument = Annotated[str, typer.Argument(metavar="ROOM", help="The room's id.")]
Server = Annotated[
    str, typer.Option(metavar="URL", envvar="PHYLACTERY_SERVER", help="The server to go to.")
]
Create = Annotated[
    bool, typer.Option("--create", metavar=FLAG, help="Make a room and wait for someone.")
]
Room = Annotated[str | None, typer.Option(metavar="ID", help="Take the free seat of this room.")]
Quick = Annotated[
    bool, typer.Option("--quick", metavar=FLAG, help="Fight whoever waits (the default).")
]
Key = Annotated[
    str | None,
    typer.Option(metavar="KEY", envvar="PHYLACTERY_KEY", help="The key of a private room."),
]
NewKey = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        envvar="PHYLACTERY_KEY",
        help="With --room: the key of a private room. With --create: makes it private.",
    ),
]
Private = Annotated[
    bool,
    typer.Option(
        "--private",
        metavar=FLAG,
        help="With --create: a private room; makes a key if none is given.",
    ),
]
Name = Annotated[
    str | None,
    typer.Option(metavar="NAME", envvar="PHYLACTERY_NAME", help="What others see you as."),
]
BestOf = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=9,
        metavar="N",
        help=f"With --create: rounds of the series; {USUAL_BEST_OF} if not said.",
    ),
]
RoomSpeed = Annotated[
    int | None,
    typer.Option(metavar="1|2|4", help="With --create: how many times as fast battles run."),
]
Rounds = Annotated[
    int, typer.Option(min=0, metavar="N", help="Leave after so many rounds; 0: after the series.")
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        "-y",
        metavar=FLAG,
        help="With --quick or --room: fight an offered stored board unasked.",
    ),
]

FromStart = Annotated[
    bool,
    typer.Option("--from-start", metavar=FLAG, help="Begin at the start of the battle that runs."),
]
Delay = Annotated[
    int, typer.Option(min=0, max=300, metavar="SECONDS", help="See everything this much later.")
]
ChannelNames = Annotated[
    str,
    typer.Option("--channels", metavar="LIST", help="Which of tick, revival and vessel to follow."),
]

Ticket = Annotated[
    str | None,
    typer.Option(
        metavar="TICKET", envvar="PHYLACTERY_TICKET", help="For a server that asks for one."
    ),
]

TicketPlayer = Annotated[
    str, typer.Option("--player", metavar="ID", help="Who it is for: the same for the same person.")
]
TicketSecret = Annotated[
    str,
    typer.Option(
        "--secret",
        metavar="SECRET",
        envvar="PHYLACTERY_TICKET_SECRET",
        help="The server's --ticket-secret.",
    ),
]
TicketName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What others see them as.")
]
TicketRoom = Annotated[
    str | None, typer.Option("--room", metavar="ID", help="The one room that it is good for.")
]
TicketRole = Annotated[
    Literal["player", "spectator"] | None,
    typer.Option("--role", metavar="ROLE", help="player or spectator: the one thing it is for."),
]
TicketMinutes = Annotated[
    float,
    typer.Option(
        "--minutes",
        min=0.1,
        max=525_600,
        metavar="N",
        callback=number,
        help="How long it is good for.",
    ),
]

DemoBoards = Annotated[
    tuple[str, str] | None,
    typer.Option("--boards", metavar="A B", help="Two boards: files or names of sample boards."),
]
DemoRounds = Annotated[
    int, typer.Option("--rounds", min=0, metavar="N", help="End after so many rounds; 0: never.")
]
DemoSeed = Annotated[
    str | None,
    typer.Option("--seed", metavar="TEXT", help="The same battles whenever it is the same."),
]


def speed_of(value: int) -> Literal[1, 2, 4]:
    """One of the speeds a room may ask for."""
    if value not in SPEEDS:
        raise typer.BadParameter("--speed: a battle runs at 1, 2 or 4 times its speed")
    return SPEEDS[value]


def channel_list(text: str) -> list[Channel]:
    """`revival,vessel` as a list of channels."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    if not names or names - set(CHANNELS):
        raise typer.BadParameter(f"--channels: some of {', '.join(CHANNELS)}")
    return [channel for channel in CHANNELS if channel in names]
