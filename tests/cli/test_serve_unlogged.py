"""A server whose log nobody takes: it serves, and it ends when it is told to."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.client import open_client
from protocol.messages import Create, Welcome

WORDS = ["-c", "from server.cli import main; main()", "serve", "--data", "none"]


@contextmanager
def serving(stderr: int | None) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    command = [sys.executable, *WORDS, "--port", str(port)]
    if stderr is None:
        command = ["sh", "-c", f"exec {shlex.join(command)} 2>&-"]
    with subprocess.Popen(command, stderr=stderr) as process:
        try:
            until = time.monotonic() + 60
            while not _is_up(port):
                assert process.poll() is None
                assert time.monotonic() < until
            yield process, port
        finally:
            process.kill()


def _is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10):
            return True
    except OSError:
        return False


def _end(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(60)


async def test_there_is_no_standard_error() -> None:
    with serving(None) as (process, port):
        assert await _let_in(port)
        assert _end(process) == 0


@pytest.fixture
def full() -> Iterator[int]:
    """A file on a disk that is always full."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has none")
    with Path("/dev/full").open("wb") as file:
        yield file.fileno()


async def _let_in(port: int) -> bool:
    async with open_client(f"ws://127.0.0.1:{port}", Create(version=1, name="Ada")) as client:
        return isinstance(await anext(client), Welcome)


async def test_nobody_reads_it_any_more() -> None:
    reading, writing = os.pipe()
    with serving(writing) as (process, port):
        os.close(writing)
        os.close(reading)
        assert await _let_in(port)
        assert _end(process) == 0


async def test_the_disk_is_full_from_the_start(full: int) -> None:
    with serving(full) as (process, port):
        assert await _let_in(port)
        assert _end(process) == 0


def test_a_sentence_that_cannot_be_said_leaves_the_exit_status(full: int) -> None:
    command = [sys.executable, *WORDS, "--ticket-secret", "short"]
    assert subprocess.run(command, stderr=full, check=False).returncode == 2
