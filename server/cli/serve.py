"""`phylactery serve`: runs the server until a signal ends it."""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog
import trio

from server.app import serve as serve_app
from server.cli.output import AT_FAULT, DONE, TERMINATED, complain
from server.cli.run import CommandFailed, first_of, run
from server.config import Config
from server.garbage import take_over
from server.journal.file import MEMORY, JournalRefused
from server.journal.place import other_kind
from server.journal.writer import JournalFailed
from server.limits import Limits
from server.log import set_up_logging
from server.security import Insecure, read_security
from server.tls import Tls, UnfitCertificate
from server.watchdog import Watchdog

# Said for the data file: nothing outlives the process.
NONE: Final = "none"
USUAL: Final = "phylactery.db"

log = structlog.get_logger()


def serve(
    *,
    host: str,
    port: int,
    security: Mapping[str, Any],
    faults: Path,
    data: str,
    grace: float,
    pace: float,
    log_level: str,
    limits: Mapping[str, float],
) -> int:
    """Serves; gives the exit status. `security` is for `read_security`."""
    set_up_logging(log_level)
    try:
        safe = read_security(host, **security)
    except Insecure as insecure:
        complain(str(insecure))
        return AT_FAULT
    if data not in (NONE, MEMORY) and (kind := other_kind(data)):
        usual = f" in it, like {Path(data) / USUAL}" if Path(data).is_dir() else ""
        complain(f"--data {data}: is {kind}; name a file{usual}")
        return AT_FAULT
    config = Config(
        host=host,
        port=port,
        security=safe,
        faults=faults,
        data=None if data == NONE else data,
        pace=pace,
        limits=Limits(**limits),  # type: ignore[arg-type]
    )
    work = trio.CancelScope()
    watchdog = Watchdog(config.limits.hang_seconds)
    with watchdog.on_guard():  # from before the first battle goes on to after the last
        status = run(partial(_serve, config, watchdog, grace, work), work, math.inf)
    # Being told to stop is how a server's work is done; whoever started it looks for 0.
    return DONE if status == TERMINATED else status


async def _serve(config: Config, watchdog: Watchdog, grace: float, work: trio.CancelScope) -> int:
    """Serves while there is `work`; then drains, and ends."""
    take_over()
    try:
        async with trio.open_nursery() as nursery:
            on_terminal = sys.stderr is not None and sys.stderr.isatty()
            if not on_terminal:  # else it says that the terminal is gone
                await nursery.start(_reload, config.security.tls)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])
            try:
                server = await nursery.start(serve_app, config, watchdog)
            except OSError as error:
                raise cannot_listen(config, error) from None
            with work:
                await trio.sleep_forever()
            log.info("drains", grace=grace, battles=len(server.hall.battles))
            await server.drain(grace)
            nursery.cancel_scope.cancel()
    except* (JournalRefused, JournalFailed) as group:
        raise CommandFailed(str(first_of(group))) from None
    return DONE


async def _reload(tls: Tls | None, *, task_status: trio.TaskStatus[None]) -> None:
    """Reads the certificate again whenever it is told that there is a new one."""
    with trio.open_signal_receiver(signal.SIGHUP) as signals:
        task_status.started()
        async for _ in signals:
            if fault := _fault_of_the_newest(tls):
                log.error("reload failed", why=fault)
            else:
                log.info("reloads", tls=tls is not None)


def _fault_of_the_newest(tls: Tls | None) -> str | None:
    try:
        if tls is not None:
            tls.read_again()
    except UnfitCertificate as unfit:
        return str(unfit)
    return None


def cannot_listen(config: Config, error: OSError) -> CommandFailed:
    """What a person is told who cannot have this port."""
    reason = error.strerror or str(error)
    return CommandFailed(f"cannot listen on {config.host}, port {config.port}: {reason}")
