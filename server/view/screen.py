"""Where a battle is shown: a terminal that is drawn over and over, or plain lines, one a happening.

The screen is handed scenes and lines as often as they come; how often it draws is its own affair.
"""

from __future__ import annotations

import io
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Final, Protocol

import trio
from rich.console import Console
from rich.live import Live

from server.cli.output import visible
from server.view.terminal import Picture, Scene

# The eye wants no more, and a slow line could not carry it.
SECONDS_BETWEEN_PICTURES: Final = 0.1
# Of what was said, for when the show is over.
LINES_KEPT: Final = 20


class OutputClosed(Exception):  # noqa: N818 - whoever read our lines has had enough
    """Nobody reads standard output any more."""


class OutputFailed(Exception):  # noqa: N818 - whoever reads our lines cannot take them
    """Standard output cannot be written to; a sentence says why."""


MakeScene = Callable[[], Scene]


class Screen(Protocol):
    """What a command shows things on."""

    @property
    def live(self) -> bool:
        """Whether somebody looks on, so that what is over already is shown in its time."""

    def show(self, make: MakeScene) -> None:
        """Something has changed; `make` gives the latest scene whenever it is drawn."""

    def tell(self, line: str) -> None:
        """A happening that the scene shows as well. Raises as `say` does."""

    def say(self, line: str) -> None:
        """What is worth keeping when the show is over. Raises `OutputClosed` when nobody reads, and
        `OutputFailed`."""


class PlainScreen:
    """Lines on standard output, at once; scenes are not shown."""

    live = False

    def show(self, make: MakeScene) -> None:
        """A scene is no happening."""

    def tell(self, line: str) -> None:
        self.say(line)

    def say(self, line: str) -> None:
        if sys.stdout is None:  # the process was started with it closed
            raise OutputClosed
        try:
            print(visible(line), flush=True)
        except BrokenPipeError:
            raise OutputClosed from None
        except OSError as error:
            raise OutputFailed(f"cannot write to standard output: {error.strerror}") from None


class LiveScreen:
    """The whole terminal, drawn anew when something has changed."""

    live = True

    def __init__(self) -> None:
        self.make: MakeScene | None = None
        self.kept: deque[str] = deque(maxlen=LINES_KEPT)

    def show(self, make: MakeScene) -> None:
        self.make = make

    def tell(self, line: str) -> None:
        """The scene is enough."""

    def say(self, line: str) -> None:
        self.kept.append(line)  # until the end: a line would tear the picture

    async def draw_on(self, draw: Callable[[Scene], None]) -> None:
        """Draws whatever is newest, at most ten times a second, until cancelled."""
        while True:
            if self.make is not None:
                make, self.make = self.make, None
                draw(replace(make(), notices=tuple(self.kept)))
            await trio.sleep(SECONDS_BETWEEN_PICTURES)


def open_screen() -> AbstractAsyncContextManager[Screen]:
    """A live screen on a terminal that can be drawn on, else a plain one."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names are of all alphabets; a terminal that has not theirs is no reason to stop.
        sys.stdout.reconfigure(errors="backslashreplace")
    console = Console()
    return _live(console) if console.is_terminal and not console.is_dumb_terminal else _plain()


@asynccontextmanager
async def _plain() -> AsyncIterator[Screen]:
    yield PlainScreen()


@asynccontextmanager
async def _live(console: Console) -> AsyncIterator[Screen]:
    screen = LiveScreen()
    live = Live(console=console, screen=True, auto_refresh=False, redirect_stderr=False)
    try:
        with live:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(screen.draw_on, lambda s: live.update(Picture(s), refresh=True))
                yield screen
                nursery.cancel_scope.cancel()
    finally:
        for line in screen.kept:
            sys.stdout.write(f"{visible(line)}\n")
        sys.stdout.flush()
