"""What the commands say, and how they end: bytes on standard output, sentences on standard error.

Exit statuses are those of every other command line: 0 done, 1 it did not work out, 2 the input is
at fault, 128 + n ended by signal n.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Final

from engine import Fault

DONE: Final = 0
FAILED: Final = 1
AT_FAULT: Final = 2
TERMINATED: Final = 143  # 128 + SIGTERM
PIPE_CLOSED: Final = 141  # 128 + SIGPIPE


def write_out(data: bytes) -> int:
    """Writes to standard output, all of it or until nobody reads on; gives the exit status."""
    if sys.stdout is None:  # started with its standard output closed
        return complain("standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        forget_stdout()
        return PIPE_CLOSED
    except OSError as error:
        forget_stdout()
        return complain(f"cannot write to standard output: {error.strerror}")
    return DONE


def complain(sentence: str, details: Iterable[str] = ()) -> int:
    """One sentence for a person on standard error, and a line for each detail; gives the exit
    status of what failed.
    """
    _tell([f"phylactery: {visible(sentence)}", *(f"  {visible(detail)}" for detail in details)])
    return FAILED


def remark(sentence: str) -> None:
    """One sentence for a person on standard error, of what is no failure."""
    _tell([visible(sentence)])


def print_faults(source: str, faults: Iterable[Fault]) -> int:
    """Every fault on a line of standard error, with its file; gives the exit status."""
    _tell(f"{visible(source)}: {visible(str(fault))}" for fault in faults)
    return AT_FAULT


def _tell(lines: Iterable[str]) -> None:
    """Lines on standard error. Where they cannot be written, the exit status has to do."""
    if sys.stderr is None:
        return
    try:
        for line in lines:
            print(line, file=sys.stderr, flush=True)
    except OSError:
        _forget(2)


def visible(text: str) -> str:
    """The text with what could steer a terminal, or break the line, written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def forget_stdout() -> None:
    """Lets the interpreter's own flush at its end find somewhere to write to."""
    _forget(1)


def _forget(file: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), file)
