"""The options of `phylactery replay` and `phylactery verify`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from server.cli.options import number

# What a battle can take under any rules.
LONGEST_SECONDS: Final = 50_000

EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery replay k3f9x2ab.1
  phylactery replay k3f9x2ab.1 --server example.org:8750
  phylactery replay http://127.0.0.1:8750/replays/k3f9x2ab.1 --speed 4
  phylactery replay replay.json --from 20 --speed 0.5
  phylactery replay replay.json | grep returns
"""

VERIFY_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery verify replay.json
  phylactery verify k3f9x2ab.1
  phylactery verify http://127.0.0.1:8750/replays/k3f9x2ab.1
"""

Place = Annotated[
    str,
    typer.Argument(
        metavar="REPLAY", help="A replay's file, URL or battle's id; - for standard input."
    ),
]
Server = Annotated[
    str,
    typer.Option(
        metavar="URL",
        envvar="PHYLACTERY_SERVER",
        help="With a battle's id: the server that it was fought on.",
    ),
]
Speed = Annotated[
    float,
    typer.Option(
        min=0.25,
        max=64,
        metavar="N",
        callback=number,
        help="How many times as fast as it was fought.",
    ),
]
FromSeconds = Annotated[
    float,
    typer.Option(
        "--from",
        min=0,
        max=LONGEST_SECONDS,
        metavar="SECONDS",
        callback=number,
        help="Begin so far into the battle.",
    ),
]
