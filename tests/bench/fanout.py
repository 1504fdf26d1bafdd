"""Server CPU for one frame to one of many sockets: ours, and other ways to do it.

The same real battle frames, one a tick and twenty ticks a second, from one server after another to
the same sink. What counts is each server's own CPU time while it sends.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Final, NamedTuple

from engine import Battle
from protocol.codec import encode
from protocol.frames import writer_of
from protocol.messages import PROTOCOL_VERSION, BattleId, Watch
from server.load.follow import FRAME
from server.load.link import Address, Link
from server.load.loop import Loop
from server.load.tally import Tally
from server.load.worker import find_address
from server.open_files import allow_open_files
from tests.bench.compiled import ROOT
from tests.bench.engine_run import pairs
from tests.bench.fanout_servers import WARM_UP
from tests.bench.tables import ratio, show

PATIENCE_SECONDS: Final = 60.0
TURNS: Final = 3
BASE: Final = "bare send"


class Kind(NamedTuple):
    """A way to do it: its name, and the process that does."""

    name: str
    command: list[str]


class Sent(NamedTuple):
    """What a server did."""

    name: str
    frames: int
    heard: int  # by the sink
    micros: float  # of the server's CPU, for each frame


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sockets", type=int, default=500)
    parser.add_argument("--ticks", type=int, default=120, help="20 a second (default 120)")
    parser.add_argument(
        "--turns",
        type=int,
        default=TURNS,
        help=f"of each server; the best counts (default {TURNS})",
    )
    parser.add_argument("--no-node", action="store_true", help="leave Node's ws out")


def run(options: argparse.Namespace) -> int:
    if options.ticks <= WARM_UP:
        print(f"The first {WARM_UP} ticks do not count: there must be more.")
        return 2
    allow_open_files(options.sockets + 64)
    frames = tick_frames(options.ticks)
    with tempfile.TemporaryDirectory(prefix="phylactery-bench-") as name:
        folder = Path(name)
        (folder / "frames").write_bytes(b"\n".join(frames))
        kinds = [_python(BASE, "bare"), _python("phylactery", "ours")]
        kinds.append(_python("websockets.trio broadcast", "broadcast"))
        if not options.no_node and (node := install_ws(folder)):
            kinds.append(node)
        sent = [best_of(options.turns, kind, folder / "frames", options.sockets) for kind in kinds]
    base = next(one.micros for one in sent if one.name == BASE)
    size = sum(map(len, frames)) / len(frames)
    show(
        f"One frame to one of {options.sockets} sockets; frames of {size:.0f} bytes on average",
        ("server", "frames", "arrived", "CPU µs/frame", f"x {BASE}"),
        [(*one, ratio(one.micros, base)) for one in sent],
    )
    return 0


def bare_send(sockets: int, ticks: int = WARM_UP + 40) -> float:
    """CPU µs of a frame by the least that can be done: what other costs can be read against, since
    a machine that others use is not equally fast at all times."""
    allow_open_files(sockets + 64)
    with tempfile.TemporaryDirectory(prefix="phylactery-bench-") as name:
        frames = Path(name) / "frames"
        frames.write_bytes(b"\n".join(tick_frames(ticks)))
        sent = best_of(TURNS, _python(BASE, "bare"), frames, sockets)
    assert sent.heard == sent.frames, "the sink waits for all of them"
    return sent.micros


def tick_frames(number: int) -> list[bytes]:
    """Frames of the channel `tick` of sample battles, as JSON: one for each tick."""
    frames: list[bytes] = []
    for setup in cycle(pairs(1)):
        writer = writer_of(Battle(setup), BattleId("k3f9x2p4.1"))
        while not writer.over and len(frames) < number:
            frames += islice(writer.step().frames.values(), 1)
        if len(frames) >= number:
            break
    return frames


def install_ws(folder: Path) -> Kind | None:
    """Node's `ws` from its registry; None, and said, where it cannot be had."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "ws@8"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if done.returncode == 0:
            script = Path(__file__).with_name("fanout_ws.cjs")
            shutil.copy(script, folder)  # where its modules are
            return Kind("Node ws", [node, str(folder / script.name)])
    print("Node's ws is left out: it, or npm's registry, is not there.")
    return None


def best_of(turns: int, kind: Kind, frames: Path, sockets: int) -> Sent:
    return min((measure(kind, frames, sockets) for _ in range(turns)), key=lambda one: one.micros)


def measure(kind: Kind, frames: Path, sockets: int) -> Sent:
    """Runs one server against the sink, which is this process."""
    with subprocess.Popen(
        [*kind.command, str(frames)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as server:
        assert server.stdin is not None, "it was asked for"
        assert server.stdout is not None, "it was asked for"
        try:
            hello = json.loads(server.stdout.readline())
            sink = Sink(find_address(f"ws://127.0.0.1:{hello['port']}"), hello["path"], sockets)
            server.stdin.write(b"go\n")
            server.stdin.flush()
            expected = sockets * len(frames.read_bytes().splitlines())
            sink.wait(lambda: sink.frames >= expected)
            done = json.loads(server.stdout.readline())
        finally:
            server.kill()
    counted = sockets * (expected // sockets - WARM_UP)
    return Sent(kind.name, expected, sink.frames, 1e6 * done["cpu_seconds"] / counted)


def _python(name: str, kind: str) -> Kind:
    return Kind(name, [sys.executable, "-m", "tests.bench.fanout_servers", kind])


class Sink:
    """Reads all that comes on many connections, and counts it."""

    def __init__(self, address: Address, path: str, sockets: int) -> None:
        self.frames = self.hellos = 0
        self._loop = Loop()
        self._links = [Link(self._loop, Tally(), self._heard, self._gone) for _ in range(sockets)]
        first = encode(Watch(version=PROTOCOL_VERSION))
        for number, link in enumerate(self._links, 1):
            link.open(address, path, first)
            self.wait(lambda number=number: self.hellos >= number)  # type: ignore[misc]

    def wait(self, done: Callable[[], bool]) -> None:
        """Reads until it is so, or nothing more is to be expected."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not done() and time.monotonic() < deadline:
            self._loop.run_once(0.1)

    def _heard(self, payload: bytes) -> None:
        if payload.startswith(FRAME):
            self.frames += 1
        elif payload.startswith(b'{"type":"welcome"'):
            self.hellos += 1

    def _gone(self, code: int) -> None:
        raise ConnectionError(f"the server closed a connection: {code}")
