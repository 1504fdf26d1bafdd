"""Lets the clients of a process connect a few at a time, as people would come."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

# At once, of one process. More would only wait in the server's backlog.
MOST_AT_ONCE: Final = 64


class Door:
    """Who is on the way in, and who waits for that."""

    def __init__(self) -> None:
        self._on_the_way = 0
        self._waiting: deque[Callable[[], None]] = deque()

    def enter(self, connect: Callable[[], None]) -> None:
        """Calls `connect` now or when it is its turn; `done` is to be called once for it."""
        self._waiting.append(connect)
        self._let_in()

    def done(self) -> None:
        """One is in, or gone."""
        self._on_the_way -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._on_the_way < MOST_AT_ONCE:
            self._on_the_way += 1
            self._waiting.popleft()()
