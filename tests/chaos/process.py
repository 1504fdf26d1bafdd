"""The server as a process of its own, on one data file."""

from __future__ import annotations

import json
import signal
import socket
import sys
from pathlib import Path
from typing import Final

import trio

# A start takes half a second; more, where others have the processor.
START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 30.0

_PROGRAM: Final = "from server.cli import main; main()"


class ServerProcess:
    """One server after the other on the same port and the same data."""

    def __init__(self, folder: Path, *words: str, program: str = _PROGRAM) -> None:
        self.port = _free_port()
        self.log = folder / "server.log"
        self.starts = 0
        self._command = [sys.executable, "-c", program, "serve", "--port", str(self.port)]
        self._command += ["--data", str(folder / "data.db"), "--faults", str(folder / "faults")]
        self._command += words
        self._process: trio.Process | None = None

    async def start(self) -> None:
        """Starts it, and waits until it listens."""
        with self.log.open("ab") as log:
            lines = len(self._events("listening"))
            self._process = await trio.lowlevel.open_process(self._command, stderr=log)
        self.starts += 1
        with trio.fail_after(START_SECONDS):
            while len(self._events("listening")) == lines:
                assert self._process.returncode is None, self.log.read_text()[-3000:]
                await trio.sleep(0.02)

    async def kill(self) -> None:
        """At once, without a word."""
        await self._end(signal.SIGKILL, -signal.SIGKILL)

    async def stop(self) -> None:
        """As an operator does; it must end well."""
        await self._end(signal.SIGTERM, 0)

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def logged(self, event: str) -> None:
        """Waits for a line of its log."""
        with trio.fail_after(STOP_SECONDS):
            while not self._events(event):
                assert self._process is not None
                await trio.sleep(0.02)

    async def killed(self) -> None:
        """Waits until it has killed itself."""
        await self._gone(-signal.SIGKILL)

    async def _end(self, number: int, status: int) -> None:
        self.signal(number)
        await self._gone(status)

    async def _gone(self, status: int) -> None:
        assert self._process is not None
        with trio.fail_after(STOP_SECONDS):
            await self._process.wait()
        assert self._process.returncode == status, self.log.read_text()[-3000:]

    def faults(self) -> list[str]:
        """What it logged that went wrong."""
        return [
            line
            for line in self.log.read_text().splitlines()
            if '"level":"error"' in line or not line.startswith("{")
        ]

    def _events(self, name: str) -> list[dict[str, object]]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        events = [json.loads(line) for line in lines if line.startswith("{") and line[-1] == "}"]
        return [event for event in events if event["event"] == name]

    def __del__(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
