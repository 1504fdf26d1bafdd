"""The command line: what all commands have in common, and the list of them.

A command's own module is imported only when it runs, so that none pays for what another needs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Final

import typer

from server.cli import (
    file_commands,
    live_commands,
    load_options,
    odds_options,
    options,
    replay_options,
    serve_options,
)
from server.cli.helping import Command, Group
from server.cli.output import write_out

app: Final = typer.Typer(
    name="phylactery",
    cls=Group,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=options.EXAMPLES,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        from engine import FORM

        try:
            said = f"phylactery {version('phylactery')}, {FORM} engine"
        except PackageNotFoundError:  # run from its folder
            said = "phylactery (not installed)"
        raise typer.Exit(write_out(f"{said}\n".encode()))


@app.callback()
def phylactery(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar=options.FLAG,
            callback=_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """A battle server for an auto-battler: boards of units fight by one rulebook, watched live.

    To see what it is, run [bold]phylactery demo[/bold]: two bots fight before your eyes.
    """


def _register(run: Callable[..., int], examples: str) -> None:
    """A command gives its exit status, and its docstring is its help, a line for each paragraph:
    the terminal breaks them where it is as wide as it is.
    """

    @functools.wraps(run)
    def checked(**values: object) -> None:
        options.check_text(values)
        raise typer.Exit(run(**values))

    paragraphs = inspect.cleandoc(run.__doc__ or "").split("\n\n")
    text = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    app.command(cls=Command, help=text, epilog=examples)(checked)


for _run, _examples in (
    (live_commands.demo, options.DEMO_EXAMPLES),
    (live_commands.serve, serve_options.EXAMPLES),
    (live_commands.play, options.PLAY_EXAMPLES),
    (live_commands.watch, options.WATCH_EXAMPLES),
    (live_commands.load, load_options.EXAMPLES),
    (file_commands.battle, options.BATTLE_EXAMPLES),
    (file_commands.odds, odds_options.ODDS_EXAMPLES),
    (file_commands.balance, odds_options.BALANCE_EXAMPLES),
    (file_commands.verify, replay_options.VERIFY_EXAMPLES),
    (file_commands.replay, replay_options.EXAMPLES),
    (file_commands.ticket, options.TICKET_EXAMPLES),
    (file_commands.validate, options.VALIDATE_EXAMPLES),
):
    _register(_run, _examples)
