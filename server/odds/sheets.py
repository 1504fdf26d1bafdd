"""Tables at any width. Lines are broken between words alone: no number is ever cut off, nor broken
in two. Where a table cannot be had at that width, each row is a paragraph."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from server.view.words import printable

GAP: Final = 2  # between columns
WIDE: Final = 1_000_000  # where every line is as long as it likes


@dataclass
class Sheet:
    """Rows under heads. The first cell of each is what the row is about."""

    title: str
    heads: Sequence[str]
    rows: list[Sequence[Text]] = field(default_factory=list)
    caption: str = ""

    def add(self, *cells: str | Text) -> None:
        """A row, as far as there are heads. A text's spaces are where it may be broken."""
        texts = [plain(cell) if isinstance(cell, str) else cell for cell in cells]
        missing = len(self.heads) - len(texts)
        self.rows.append([*texts[: len(self.heads)], *(Text() for _ in range(missing))])

    def fit(self, width: int) -> RenderableType:
        """In so many columns."""
        columns = list(zip(map(plain, self.heads), *self.rows, strict=True))
        widest = [max(cell.cell_len for cell in cells) for cells in columns]
        least = [max(map(_longest_word, cells)) for cells in columns]
        room = width - GAP * (len(columns) - 1)
        if sum(least) > room:
            return self._paragraphs()
        return self._table(_shrink(widest, least, room), is_broken=sum(widest) > room)

    def _table(self, widths: Sequence[int], *, is_broken: bool) -> RenderableType:
        table = Table(
            box=box.SIMPLE_HEAD,
            padding=(0, GAP - 1, 0, 0),
            pad_edge=False,
            show_edge=False,
            show_lines=is_broken,
        )
        for number, (head, width) in enumerate(zip(self.heads, widths, strict=True)):
            justify: JustifyMethod = "right" if number else "left"
            table.add_column(plain(head), justify=justify, width=width, overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        return self._around(table)

    def _paragraphs(self) -> RenderableType:
        lines = []
        for name, *cells in self.rows:
            lines.append(Text.assemble(name, style="bold"))
            for head, cell in zip(self.heads[1:], cells, strict=True):
                if cell:
                    lines.append(Text.assemble("  ", plain(head), ": ", cell))
        return self._around(*lines)

    def _around(self, *inner: RenderableType) -> RenderableType:
        caption = [Text(self.caption, style="dim italic")] if self.caption else []
        return Group(Text(printable(self.title), style="italic"), *inner, *caption, Text())


def plain(text: str) -> Text:
    """The text as it is: nothing in it is markup, or steers the terminal."""
    return Text(printable(text))


def show(sheets: Iterable[Sheet]) -> bytes:
    """The sheets as wide as the terminal is, or as `COLUMNS` says; else as wide as they are."""
    paper = _Paper()
    console = Console(file=paper)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
        console.width = WIDE
    for sheet in sheets:
        console.print(sheet.fit(console.width))
    return paper.getvalue().encode(paper.encoding, "replace")


class _Paper(StringIO):
    """Is written on as if it were standard output, to which nothing goes that might be refused."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(sys.stdout, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        return sys.stdout is not None and sys.stdout.isatty()


def _longest_word(text: Text) -> int:
    return max((cell_len(word) for word in text.plain.split()), default=0)


def _shrink(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Takes from the widest column that can spare something, until all have room."""
    widths = list(widths)
    while sum(widths) > room:
        spare = [index for index in range(len(widths)) if widths[index] > least[index]]
        widths[max(spare, key=widths.__getitem__)] -= 1
    return widths
