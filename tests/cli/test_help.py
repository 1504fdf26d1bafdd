"""Help and version, written where nothing can be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.cli.output import AT_FAULT, DONE, FAILED, PIPE_CLOSED

COMMAND = (sys.executable, "-c", "from server.cli import main; main()")
WORDS = [("--version",), ("--help",), ("odds", "--help"), ()]


def ended(words: tuple[str, ...], out: int) -> tuple[int, str]:
    """The exit status, and what was said."""
    done = subprocess.run(
        [*COMMAND, *words], stdout=out, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("words", WORDS)
def test_a_full_disk_is_said(words: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        status, said = ended(words, full.fileno())
    assert status == FAILED
    assert said == "phylactery: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize("words", WORDS)
def test_a_closed_pipe_ends_it_quietly(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert ended(words, writing) == (PIPE_CLOSED, "")
    finally:
        os.close(writing)


@pytest.mark.parametrize("words", WORDS)
def test_a_closed_output_is_said(words: tuple[str, ...]) -> None:
    shell = ("sh", "-c", 'exec "$@" >&-', "sh")
    done = subprocess.run(
        [*shell, *COMMAND, *words], stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert done.returncode == FAILED
    assert done.stderr == "phylactery: standard output is closed\n"


@pytest.mark.parametrize("words", WORDS)
def test_where_it_can_be_written_it_is(words: tuple[str, ...]) -> None:
    done = subprocess.run([*COMMAND, *words], capture_output=True, timeout=60, check=False)
    assert done.returncode == (DONE if words else AT_FAULT)
    assert b"phylactery" in done.stdout
    assert done.stderr == b""
