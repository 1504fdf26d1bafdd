"""Has the pieces of a plan fought in as many processes as are wanted."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from typing import Any, Final, TypeVar

from server.odds.plan import Grounds, Plan

Piece = TypeVar("Piece")
Found = TypeVar("Found")

# Pieces that wait for each process, so that none has to wait for the next.
AHEAD: Final = 4

# Of a process: where its pieces are fought.
_grounds: list[Grounds] = []


def work(
    plan: Plan,
    pieces: Iterable[Piece],
    do: Callable[[Grounds, Piece], Found],
    processes: int,
) -> Iterator[Found]:
    """What each piece gives, in their order; the same with any number of processes.

    Raises `BrokenProcessPool` where one of them has come to an end by itself.
    """
    if processes == 1:
        grounds = Grounds(plan)
        yield from (do(grounds, piece) for piece in pieces)
        return
    crew = ProcessPoolExecutor(
        processes, get_context("spawn"), initializer=_begin, initargs=(plan,)
    )
    try:
        waiting: deque[Future[Any]] = deque()
        for piece in pieces:
            waiting.append(_submit(crew, do, piece))
            if len(waiting) > AHEAD * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        for child in active_children():
            child.terminate()  # a battle may take as long as it likes
        raise
    finally:
        crew.shutdown(cancel_futures=True)


def _submit(
    crew: ProcessPoolExecutor, do: Callable[[Grounds, Piece], Found], piece: Piece
) -> Future[Found]:
    """The first of them starts the processes, which inherit what is blocked: an interrupt is the
    terminal's to all of them, and this process's to answer."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        return crew.submit(_do, do, piece)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _begin(plan: Plan) -> None:
    parent = parent_process()
    assert parent is not None, "somebody has started it"
    # Nobody else tells it that whoever it works for was killed.
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    _grounds.append(Grounds(plan))


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _do(do: Callable[[Grounds, Piece], Found], piece: Piece) -> Found:
    return do(_grounds[0], piece)
