"""`phylactery load`: starts a load test's processes, lets them run, and tells what they found."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http.client import HTTPException
from typing import Final

import msgspec
import orjson
import trio
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from protocol.trouble import why
from server.cli.output import FAILED, write_out
from server.cli.reaching import websocket_url
from server.cli.run import CommandFailed, run
from server.load.outcome import Outcome
from server.load.scrape import DOWN, Scrape, between, scrape
from server.load.share import Ending, Order, Share, Wishes, Word, share_out
from server.load.tally import Lags, Tally

# To let everyone in: some seconds, and so many clients a second.
COMING_SECONDS: Final = 30.0
COMING_RATE: Final = 50.0
# Between the order to end and the last word.
ENDING_SECONDS: Final = 30.0
LOOK_SECONDS: Final = 0.25


def load(wishes: Wishes, *, workers: int, as_json: bool) -> int:
    """Runs a load test; gives the exit status."""
    return run(partial(_load, wishes, workers or spare_cores(), as_json))


def spare_cores() -> int:
    """All but one, which is the server's."""
    return max(1, (os.cpu_count() or 2) - 1)


async def _load(wishes: Wishes, workers: int, as_json: bool) -> int:
    url = websocket_url(wishes.url)
    if not url.startswith("ws://"):
        raise CommandFailed("the simulated clients speak ws:// only; test behind the TLS")
    # The progress bar is for a person, the result may be for a machine.
    console = Console(stderr=True)
    outcome = await measure(msgspec.structs.replace(wishes, url=url), workers, console)
    if as_json:
        written = write_out(orjson.dumps(outcome.to_object(), option=orjson.OPT_INDENT_2) + b"\n")
    else:
        Console().print(outcome.table())
        written = 0
    return written or (0 if outcome.passed else FAILED)


async def measure(wishes: Wishes, workers: int, console: Console) -> Outcome:
    """A whole load test. Raises `CommandFailed` where there is no server."""
    empty = await _scrape(wishes.url)  # nobody is started for a server that is not there
    shares = share_out(wishes, workers)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[now]}"))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        async with _crew(shares) as crew:
            await crew.come_in(bar)
            return await crew.measure(bar, empty)


async def _scrape(url: str) -> Scrape | None:
    try:
        return await trio.to_thread.run_sync(scrape, url, abandon_on_cancel=True)
    except (OSError, HTTPException) as error:
        raise CommandFailed(f"no server can be reached at {url} ({why(error)})") from None


async def _scrape_if_up(url: str) -> Scrape | None:
    """What the clients have met is told whatever has become of the server."""
    try:
        return await _scrape(url)
    except CommandFailed:
        return DOWN


class Crew:
    """All processes of a load test."""

    def __init__(self, shares: list[Share]) -> None:
        self._wishes = shares[0].wishes
        self._expected = sum(share.clients for share in shares)
        self._processes: list[trio.Process] = []
        self._tallies: dict[int, Tally] = {share.number: Tally() for share in shares}
        self._endings: list[Ending] = []
        self._ended = trio.Event()
        self._ordering = trio.Lock()  # several listeners may pass an order on at once

    async def start(self, share: Share, nursery: trio.Nursery) -> None:
        command = [sys.executable, "-m", "server.load.worker"]
        process = await trio.lowlevel.open_process(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None, "it was asked for"
        async with self._ordering:  # its share comes before any order
            self._processes.append(process)
            await process.stdin.send_all(msgspec.json.encode(share) + b"\n")
        nursery.start_soon(self._listen, share.number, process)

    def kill(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()

    async def come_in(self, bar: Progress) -> None:
        """Waits for all clients to be in; or for as long as that may take."""
        task = bar.add_task("coming in", total=self._expected, now="")
        with trio.move_on_after(COMING_SECONDS + self._expected / COMING_RATE):
            while (tally := self._total()).joined < self._expected:
                bar.update(task, completed=tally.joined, now=f"{tally.open:,} clients")
                await trio.sleep(LOOK_SECONDS)
        bar.remove_task(task)

    async def measure(self, bar: Progress, empty: Scrape | None) -> Outcome:
        """The figures of some seconds; `empty` is the server before anyone came."""
        wishes = self._wishes
        await self._order(Order(measure=True))
        server = await _scrape_if_up(wishes.url)
        start, before = trio.current_time(), self._total()
        task = bar.add_task("measuring", total=wishes.seconds, now="")
        while (elapsed := trio.current_time() - start) < wishes.seconds:
            tally = self._total()
            now = f"{tally.frames:,} frames, {tally.faults} faults"
            bar.update(task, completed=elapsed, now=now)
            await trio.sleep(min(LOOK_SECONDS, wishes.seconds - elapsed))
        figures = between(empty, server, await _scrape_if_up(wishes.url))
        measured, after = trio.current_time() - start, self._total()
        await self._end()
        total = self._total()
        total.open = after.open
        total.frames = after.frames - before.frames
        total.bytes = after.bytes - before.bytes
        return Outcome(
            wishes=wishes,
            workers=len(self._processes),
            expected=self._expected,
            measured=measured,
            tally=total,
            lag=_distribution([ending.lags for ending in self._endings]),
            aside=_distribution([ending.aside for ending in self._endings]),
            server=figures,
            clients_cpu=sum(ending.cpu_seconds for ending in self._endings),
        )

    def _total(self) -> Tally:
        total = Tally()
        for tally in self._tallies.values():
            total.add(tally)
        return total

    async def _order(self, order: Order) -> None:
        line = msgspec.json.encode(order) + b"\n"
        async with self._ordering:
            for process in self._processes:
                assert process.stdin is not None, "it was asked for"
                await process.stdin.send_all(line)

    async def _end(self) -> None:
        await self._order(Order(end=True))
        with trio.move_on_after(ENDING_SECONDS) as patience:
            await self._ended.wait()
        if patience.cancelled_caught:
            raise CommandFailed("a process of simulated clients did not end")

    async def _listen(self, number: int, process: trio.Process) -> None:
        assert process.stdout is not None, "it was asked for"
        unread = b""
        async for data in process.stdout:
            *lines, unread = (unread + bytes(data)).split(b"\n")
            for line in lines:
                await self._heard(number, msgspec.json.decode(line, type=Word))
        if len(self._endings) < len(self._processes) and not self._ended.is_set():
            status = await process.wait()
            if status:
                raise CommandFailed(f"a process of simulated clients failed (status {status})")

    async def _heard(self, number: int, word: Word) -> None:
        if word.room is not None:
            await self._order(Order(room=word.room))
        if word.tally is not None:
            self._tallies[number] = word.tally
        if word.end is not None:
            self._endings.append(word.end)
            if len(self._endings) == len(self._processes):
                self._ended.set()


@asynccontextmanager
async def _crew(shares: list[Share]) -> AsyncIterator[Crew]:
    """The processes, which end with the block whatever happens."""
    crew = Crew(shares)
    async with trio.open_nursery() as nursery:
        try:
            for share in shares:
                await crew.start(share, nursery)
            yield crew
        finally:
            crew.kill()
            nursery.cancel_scope.cancel()


def _distribution(parts: list[dict[str, dict[int, int]]]) -> Counter[int]:
    lags = Lags()
    for part in parts:
        for battle, counts in part.items():
            lags.of(battle).update(counts)
    return lags.distribution()
