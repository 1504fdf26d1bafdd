"""Commands whose `--help` is told as their other flags are, and written as all output is."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from server.cli import options
from server.cli.output import AT_FAULT, write_out


class Help:
    """A command whose own help option has nothing beside it, as its other flags have not."""

    def get_help_option(self, context: Any) -> Any:
        """The library's, which takes a flag for a value, and prints without a care."""
        option = super().get_help_option(context)  # type: ignore[misc]
        if option is not None:
            option.metavar = options.FLAG
            option.callback = _help
        return option


class Command(Help, TyperCommand):
    pass


class Group(Help, TyperGroup):
    """Told no command, it gives its help, and the status of one who was to say which."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            raise typer.Exit(_write_help(ctx) or AT_FAULT)
        return super().parse_args(ctx, args)


def _help(context: Any, _: object, wanted: bool) -> None:
    if wanted:
        raise typer.Exit(_write_help(context))


def _write_help(context: Any) -> int:
    """Gives the exit status. The library prints the help by itself, and where it cannot it ends in
    a traceback: it prints it here first."""
    held = _Held()
    with redirect_stdout(held):
        context.get_help()
    held.flush()
    return write_out(held.written.getvalue())


class _Held(io.TextIOWrapper):
    """What is to go to standard output, with the letters and colors that can be shown there."""

    def __init__(self) -> None:
        out = sys.stdout
        self.written = io.BytesIO()
        self._is_terminal = out is not None and out.isatty()
        super().__init__(self.written, encoding=out.encoding if out else "utf-8")

    def isatty(self) -> bool:
        return self._is_terminal
