"""The options of `phylactery odds` and `phylactery balance`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from server.cli.options import FLAG

ODDS_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery odds red-kennel my-board.json
  phylactery odds my-board.json --battles 1000
  phylactery odds red-kennel seven-vows --change dearer-cur.toml
  phylactery odds red-kennel seven-vows --battle 17 > battle.json
"""

BALANCE_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery balance --battles 20000
  phylactery balance --change new-cards.toml
"""

Boards = Annotated[
    list[str] | None,
    typer.Argument(metavar="[BOARD]...", help="Boards' files, or names of sample boards."),
]
Change = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Cards, runes, resonances, prices and rules (TOML, JSON) to try: new ones, or in place"
        " of others.",
    ),
]
Battles = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Between two boards, or in all; 0: as many as is usual."),
]
Seed = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="The same battles whenever it is the same; a battle's own seed is this, a space, and"
        " the battle's number, from 0.",
    ),
]
Processes = Annotated[
    int, typer.Option(min=0, metavar="N", help="That fight; 0: one for each core.")
]
Battle = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Fight none, and print the battle of that number between two boards, with the change"
        " if there is one, as a file that phylactery battle reads.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print figures for machines.")]
