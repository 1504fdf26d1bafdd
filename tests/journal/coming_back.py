"""A server killed and its clients back on the next one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from protocol.messages import (
    Welcome,
)
from tests.journal.worlds import KeptWorld, Universe
from tests.server.visitors import Visitor, mirror_of


@asynccontextmanager
async def after(it: Universe) -> AsyncIterator[KeptWorld]:
    """The server after the one that runs now is killed."""
    world = await it.server()
    await world.journal_settled()
    it.kill()
    await trio.sleep(0.01)
    yield await it.server()


async def back(world: KeptWorld, visitor: Visitor, *, whole: bool = False) -> Visitor:
    """Somebody who has come back, from where they were."""
    resumed = await world.resume(
        visitor, visitor.welcome.token, None if whole else mirror_of(visitor)
    )
    await resumed.hear_until(Welcome)
    return resumed
