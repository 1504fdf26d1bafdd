"""Asks a person at the terminal, while everything else goes on."""

from __future__ import annotations

import os
import sys
from typing import Final

import trio

ANSWER_BYTES: Final = 1024


def can_ask() -> bool:
    """Whether there is anybody to ask."""
    return sys.stdin is not None and sys.stdin.isatty()


async def yes_or_no() -> bool:
    """Whether the next line of standard input is a yes; no, too, when there is none.

    Safe to cancel: the question is then not asked any more, and a later line is not lost.
    """
    fd = sys.stdin.fileno()
    await trio.lowlevel.wait_readable(fd)
    answer = os.read(fd, ANSWER_BYTES).decode(errors="replace")
    return answer.strip().lower() in ("y", "yes")
