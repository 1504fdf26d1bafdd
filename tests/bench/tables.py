"""Prints the benchmarks' tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table


def show(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on standard output: the first column is text, the others are numbers."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for index, head in enumerate(heads):
        table.add_column(head, justify="right" if index else "left", no_wrap=not index)
    for row in rows:
        table.add_row(*(number(cell) for cell in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # a file is as wide as it needs to be
    console.print(table)


def number(value: object) -> str:
    """A figure as it is read: three places that count, thousands set apart."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def ratio(value: float, base: float) -> str:
    """How many times `base` the value is."""
    return f"{value / base:.2f}" if base else "-"
