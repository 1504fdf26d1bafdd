"""The options of `phylactery odds` and `phylactery balance`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from server.cli.options import FLAG

ODDS_EXAMPLES: Final = """\
[bold]Examples:[/bold]

  phylactery odds red-kennel my-board.json
  phylactery odds my-board.json --battles 1000
  phylactery odds red-kennel seven-vows --change dearer-squire.toml
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
        help="Cards, runes and resonances (TOML, JSON) to try: new ones, or in place of others.",
    ),
]
Battles = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Between two boards, or in all; 0: as many as is usual."),
]
Seed = Annotated[
    str, typer.Option(metavar="TEXT", help="The same battles whenever it is the same.")
]
Processes = Annotated[
    int, typer.Option(min=0, metavar="N", help="That fight; 0: one for each core.")
]
AsJson = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print figures for machines.")]
