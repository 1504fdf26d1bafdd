"""Commands whose `--help` is told as their other flags are."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from server.cli import options


class Help:
    """A command whose own help option has nothing beside it, as its other flags have not."""

    def get_help_option(self, context: Any) -> Any:
        """The library's, which takes a flag for a value."""
        option = super().get_help_option(context)  # type: ignore[misc]
        if option is not None:
            option.metavar = options.FLAG
        return option


class Command(Help, TyperCommand):
    pass


class Group(Help, TyperGroup):
    pass
