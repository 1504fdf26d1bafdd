"""The server: what is where, within which limits, and how it starts and ends.

    GET /, /page/*                                          server.static; anyone
        /healthz, /readyz, /metrics, /api/rooms,
        /api/catalog, /schema.json                          server.http; anyone
        /api/replays, /replays/{id}                         the journal's; limits.replays
    ws  /rooms/new      create          limits.rooms, .rooms_per_player, .rooms_per_address
    ws  /rooms/quick    quick           the same
    ws  /rooms/{id}     join            two seats
                        watch           limits.spectators
                        resume          limits.resume_seconds

Every socket is counted at the door (limits.connections, .connections_per_address), every request
answered or refused in the reception (.requests_per_second, origins), every first message let
through the gate (tickets; .hello_seconds, .hello_bytes), and every connection bound by
.messages_per_second, .frames_per_second and .message_bytes; see `server.limits`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

import structlog
import trio
from websockets.trio.server import Server
from websockets.trio.server import serve as serve_websockets

from server.closing import restart
from server.config import Config
from server.door import Crowd, Door, files_for
from server.garbage import Garbage
from server.hall import Hall
from server.journal.clock import Comparison, compare
from server.journal.records import Kept
from server.journal.store import Most, open_store
from server.journal.writer import Journal, JournalFailed
from server.line import lines_of
from server.metronome import Metronome
from server.reception import Reception
from server.watchdog import Watchdog

log = structlog.get_logger()

# The address that stands for all, and the one that stands for those of IPv4.
EVERYWHERE: Final = "::"
ALL_OF_IPV4: Final = "0.0.0.0"  # noqa: S104 - where an operator asks for it

# What it may take to tell those who listen, where the server is to end at once.
HURRY_SECONDS: Final = 0.1


@dataclass(frozen=True)
class Running:
    """A server that accepts connections."""

    host: str
    port: int
    hall: Hall

    @property
    def url(self) -> str:
        """Where clients connect: `ws://127.0.0.1:8750`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'wss' if self.hall.config.security.tls else 'ws'}://{host}:{self.port}"

    async def drain(self, grace_seconds: float) -> None:
        """Begins nothing new, and waits for the battles that run; those that take longer go on
        when the server is back. Waits for no client."""
        self.hall.drain()
        try:
            with trio.move_on_after(grace_seconds):
                await self.hall.battles.over()
                await self.hall.journal.settled()  # their results are told
        except trio.Cancelled:
            self.hall.hurries = True  # whoever asked has asked again
            raise


async def serve(
    config: Config,
    watchdog: Watchdog | None = None,
    *,
    task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serves until cancelled; then tells everyone, waits for nobody for long, and returns. What
    hangs is ended where the `watchdog` is on guard.

    Raises `OSError` where it cannot listen, or has no file to spare for a connection,
    `JournalRefused` where the data file is not one of ours, and `JournalFailed`, in a group, when
    nothing more can be kept.
    """
    files = files_for(config.limits)
    listeners = await _listen(config.host, config.port)
    async with _journal(config) as (journal, kept), trio.open_nursery() as nursery:
        crowd = Crowd(config.limits, config.security.proxies, files)
        premises = Premises(config, listeners, crowd, journal, kept, watchdog)
        nursery.start_soon(premises.run)
        try:
            await premises.ready.wait()
            port = cast(int, listeners[0].socket.getsockname()[1])
            running = Running(config.host, port, premises.hall)
            log.info("listening", url=running.url, connections=crowd.most)
            task_status.started(running)
            await premises.fail()
        finally:
            with trio.CancelScope(shield=True):
                await premises.shut()
            log.info("stopped")


async def _listen(host: str, port: int) -> list[trio.SocketListener]:
    """Raises `OSError`."""
    listeners = await trio.open_tcp_listeners(port, host=host)
    if host != EVERYWHERE:
        return listeners
    same: int = listeners[0].socket.getsockname()[1]  # where any free one was asked for
    return listeners + await trio.open_tcp_listeners(same, host=ALL_OF_IPV4)


@asynccontextmanager
async def _journal(config: Config) -> AsyncIterator[tuple[Journal, Kept]]:
    if config.data is None:
        yield Journal(), Kept()
        return
    limits = config.limits
    most = Most(limits.replays, limits.boards, limits.records)
    store = await trio.to_thread.run_sync(open_store, config.data, most)
    try:
        yield Journal(store), await trio.to_thread.run_sync(store.load)
    finally:
        store.close()


class Premises:
    """Everything that runs while the server does; ended by `shut` and by nothing else."""

    def __init__(
        self,
        config: Config,
        listeners: list[trio.SocketListener],
        crowd: Crowd,
        journal: Journal,
        kept: Kept,
        watchdog: Watchdog | None,
    ) -> None:
        self._config = config
        self._metronome = Metronome()
        self._journal = journal
        self._kept = kept
        self._clock = compare()
        self.hall = Hall(
            config, self._metronome, journal=journal, clock=self._clock, watchdog=watchdog
        )
        self._crowd = crowd
        self._doors = [
            Door(listener, self._crowd, self.hall.metrics.refused) for listener in listeners
        ]
        self._reception = Reception(config, self.hall, self._crowd)
        self._scope = trio.CancelScope(shield=True)
        self._server: Server | None = None
        self.ready = trio.Event()  # connections are accepted
        self._ended = False
        self._failed = trio.Event()
        self._failure: JournalFailed | None = None

    async def run(self) -> None:
        """Runs until it is shut. Raises whatever it cannot go on after, at once."""
        try:
            await self._run()
        finally:
            self._ended = True

    async def _run(self) -> None:
        limits, tls = self._config.limits, self._config.security.tls
        with self._scope:
            async with trio.open_nursery() as nursery:
                self.hall.take_over(self._kept)
                nursery.start_soon(self._metronome.run)
                lines, crowd = self.hall.keepalive, self._crowd
                garbage = Garbage(lambda: len(lines), lambda: crowd.came - len(lines))
                self._metronome.schedule(garbage, trio.current_time())
                self._metronome.schedule(Comparison(self._clock), trio.current_time())
                nursery.start_soon(self._keep)
                self._server = await nursery.start(
                    partial(
                        serve_websockets,
                        self._reception.handle,
                        # All that it asks of a listener, a door has.
                        listeners=cast(list[trio.SocketListener], self._doors),
                        ssl=None if tls is None else tls.context,
                        process_request=self._reception.process_request,
                        process_response=self._reception.process_response,
                        server_header=None,
                        compression=None,  # 27 KiB a connection against 67
                        open_timeout=limits.hello_seconds,
                        ping_interval=None,  # see server.keepalive
                        close_timeout=limits.close_seconds,
                        max_size=limits.hello_bytes,  # until they are let in
                        max_queue=4,
                        create_connection=lines_of(self._reception, limits),
                    )
                )
                self.ready.set()

    async def fail(self) -> None:
        """Waits for what the server cannot go on after, and raises it."""
        await self._failed.wait()
        if self._failure is not None:
            raise self._failure

    async def _keep(self) -> None:
        """All else goes on where nothing more can be kept: people are still to be told."""
        try:
            await self._journal.run()
        except JournalFailed as failure:
            self._failure = failure
        log.error("nothing more can be kept", why=str(self._failure))
        self._failed.set()

    async def shut(self) -> None:
        """Takes in nobody new, tells everyone, and leaves those behind who do not listen."""
        self.hall.drain()
        await trio.lowlevel.checkpoint()  # whoever drains learns in this moment that it is to hurry
        if self._ended:
            return  # there is nobody left to tell, and nothing to wait for
        if self._server is not None:
            self._server.closing = True
            self._server.serve_nursery.cancel_scope.cancel()
            self.hall.dismiss_all(restart)
            with trio.move_on_after(2 * self._patience):
                await self._server.handlers_waiter.wait()
        with trio.move_on_after(self._patience):
            await self._journal.settled()
        self._scope.cancel()

    @property
    def _patience(self) -> float:
        """How long the end may take, in seconds."""
        return HURRY_SECONDS if self.hall.hurries else self._config.limits.close_seconds
