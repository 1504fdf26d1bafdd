"""Says on standard error how far it has come: with a bar, or where there is no terminal, with a
line every so often."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from server.cli.output import remark

EVERY_SECONDS: Final = 10.0


class Advance(Protocol):
    def __call__(self, battles: int, /) -> None:
        """So many battles more have been fought."""


@contextmanager
def progress(battles: int) -> Iterator[Advance]:
    """Tells of so many battles, as long as it is not left."""
    console = Console(stderr=True)
    telling = _bar(console, battles) if console.is_terminal else _lines(battles, EVERY_SECONDS)
    with telling as advance:
        yield advance


@contextmanager
def _bar(console: Console, battles: int) -> Iterator[Advance]:
    columns = (
        TextColumn("battles"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=battles)
        yield lambda more: bar.advance(task, more)


@contextmanager
def _lines(battles: int, every: float) -> Iterator[Advance]:
    """A thread of its own tells, for a single battle may take longer than that."""
    fought, seconds, ended = 0, 0.0, threading.Event()

    def tell() -> None:
        nonlocal seconds
        while not ended.wait(every):
            seconds += every
            remark(f"{fought:,} of {battles:,} battles after {seconds:.0f} s")

    def advance(more: int) -> None:
        nonlocal fought
        fought += more

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield advance
    finally:
        ended.set()
        teller.join()
