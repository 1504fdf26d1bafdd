"""Runs a command that lives on: until it is done, or a signal ends it, at once and cleanly."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import trio

from server.cli.output import PIPE_CLOSED, complain, forget_stdout
from server.view.screen import OutputClosed, OutputFailed

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


# What a command may take to say good-bye.
FAREWELL_SECONDS: Final = 1.0


class CommandFailed(Exception):  # noqa: N818 - what a person is told; nothing of ours went wrong
    """What keeps a command from its work: one sentence for a person, and what there is to add."""

    def __init__(self, sentence: str, details: Iterable[str] = ()) -> None:
        super().__init__(sentence)
        self.details = tuple(details)


def run(
    command: Callable[[], Awaitable[int]],
    work: trio.CancelScope | None = None,
    farewell_seconds: float = FAREWELL_SECONDS,
) -> int:
    """The exit status of the command, or 128 + n if signal n ended it first.

    A signal cancels the command; or, if it has a scope of its own for its `work`, that scope, and
    the command after its farewell. A second signal ends it at once. `CommandFailed` and what keeps
    standard output from being written are told on standard error, from anywhere in it; every other
    exception is a fault of ours and comes through.
    """
    try:
        return trio.run(_until_signal, command, work, farewell_seconds)
    except BaseExceptionGroup as group:
        expected, others = group.split((CommandFailed, OutputClosed, OutputFailed))
        if others is not None or expected is None:
            raise
        return _end(first_of(expected))


async def _until_signal(
    command: Callable[[], Awaitable[int]], work: trio.CancelScope | None, farewell_seconds: float
) -> int:
    status = signalled = 0
    with trio.open_signal_receiver(*SIGNALS) as signals:
        async with trio.open_nursery() as nursery:

            async def run_command() -> None:
                nonlocal status
                status = await command()
                nursery.cancel_scope.cancel()

            nursery.start_soon(run_command)
            async for number in signals:
                if work is None or signalled:
                    nursery.cancel_scope.cancel()
                else:
                    work.cancel()
                    nursery.cancel_scope.deadline = trio.current_time() + farewell_seconds
                signalled = number
    return 128 + signalled if signalled else status


def first_of(error: BaseException) -> BaseException:
    """The first exception of a group of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _end(error: BaseException) -> int:
    if isinstance(error, OutputClosed):
        forget_stdout()
        return PIPE_CLOSED
    if isinstance(error, OutputFailed):
        forget_stdout()
    details = error.details if isinstance(error, CommandFailed) else ()
    return complain(str(error), details)
