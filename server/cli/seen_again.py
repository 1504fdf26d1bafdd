"""Where a battle that has just been seen can be seen again, if its server keeps it."""

from __future__ import annotations

from http.client import HTTPException
from typing import Final

import trio

from protocol.messages import Result
from protocol.session import Update
from server.cli.fetching import TooLong, fetch
from server.cli.reaching import replay_url
from server.view.commentary import Commentary

# A round is not to wait for it.
PATIENCE_SECONDS: Final = 2.0


async def hear(commentary: Commentary, update: Update, server: str) -> None:
    """As `commentary.hear`; of a result that is new, also says where its replay is."""
    before = commentary.rounds
    commentary.hear(update)
    if not isinstance(update, Result) or commentary.rounds == before:
        return
    url = replay_url(server, update.battle)
    if await trio.to_thread.run_sync(is_there, url, abandon_on_cancel=True):
        commentary.screen.say(f"  replay: {url}")


def is_there(url: str) -> bool:
    """Whether anything stands at the URL, whatever it is; waits."""
    try:
        fetch(url, most_bytes=0, seconds=PATIENCE_SECONDS)
    except TooLong:
        return True
    except (OSError, ValueError, HTTPException):
        return False
    return True
