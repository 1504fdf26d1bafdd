"""`phylactery watch`: a room's battles, live or a little later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import trio

from protocol.messages import PROTOCOL_VERSION, Channel, Watch
from server.cli.board import named_samples
from server.cli.reaching import check_ending, reach
from server.cli.run import run
from server.cli.seen_again import hear
from server.view.commentary import Commentary
from server.view.screen import Screen, open_screen
from server.view.show import Show


def watch(
    room: str,
    server: str,
    *,
    key: str | None,
    from_start: bool,
    delay: int,
    channels: Sequence[Channel],
    ticket: str | None = None,
) -> int:
    """Watches until the room closes; gives the exit status."""
    first = Watch(
        version=PROTOCOL_VERSION,
        channels=list(channels),
        key=key,
        ticket=ticket,
        start="beginning" if from_start else "now",
        delay_seconds=delay,
    )
    work = trio.CancelScope()
    return run(partial(_watch, room, server, first, work), work)


async def _watch(room: str, server: str, first: Watch, work: trio.CancelScope) -> int:
    async with open_screen() as screen:
        await watch_on(screen, room, server, first, work)
    return 0


async def watch_on(
    screen: Screen, room: str, server: str, first: Watch, work: trio.CancelScope | None = None
) -> None:
    """Watches until the room closes; when `work` is cancelled, leaves the room first.

    Raises `CommandFailed`.
    """
    work = work or trio.CancelScope()
    async with reach(server, first, room) as client:
        commentary = Commentary(Show(lambda: client.mirror, named_samples()), screen)
        commentary.status = "Ctrl-C to leave"
        with work:
            async for update in client:
                await hear(commentary, update, server)
        await client.leave()
        check_ending(client)
        if not work.cancelled_caught:
            screen.say("the room is closed")
