"""A server in a process of its own, as anyone would start it."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench.compiled import paths

PATIENCE_SECONDS: Final = 20.0
COMMAND: Final = "from server.cli import main; main()"


@contextmanager
def serving(home: Path, *options: str) -> Iterator[str]:
    """`phylactery serve` of the form in this folder, on a free port, with these options; its
    URL."""
    with tempfile.TemporaryDirectory(prefix="phylactery-bench-") as folder:
        yield from _serving(home, _free_port(), ("--data", f"{folder}/data.db", *options))


def _serving(home: Path, port: int, options: tuple[str, ...]) -> Iterator[str]:
    command = [sys.executable, "-P", "-c", COMMAND, "serve", "--port", str(port)]
    quiet = ("--log-level", "error")
    with subprocess.Popen([*command, *quiet, *options], env=paths(home)) as server:
        try:
            _wait_until_ready(port, server)
            yield f"ws://127.0.0.1:{port}"
        finally:
            server.terminate()


def _wait_until_ready(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz"):
                return
        except (urllib.error.URLError, ConnectionError):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start") from None
            time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
